/* First byte: order (bit 0), old entries (bit 1), header (bit 2). The rest: a list. */
#include <stdlib.h>
#include <string.h>

#include "formats/acl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What decodes must encode to something that decodes to the same. */
static void again(const struct ace *a, enum order order)
{
	uint8_t	   buf[ACE_OBJECT_SIZE];
	struct ace b;
	size_t	   size;

	ace_encode(a, wbytes_of(buf, sizeof buf, order));
	if (ace_decode(bytes_of(buf, ace_size(a), order), &b, &size, NULL) < 0 ||
	    size != ace_size(a) || b.mask != a->mask || b.flags != a->flags || b.type != a->type ||
	    (size > ACE_HEADER_SIZE && b.who != a->who))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct err	e;
	struct acl_phys phys;
	struct ace	a;
	char		words[256];

	if (n < 1)
		return 0;

	enum order	order = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;
	struct bytes	in = bytes_of(data + 1, n - 1, order);
	struct acl_view v = { in, ACL_ENTRIES_MAX, data[0] & 2 };

	if (data[0] & 4) {
		if (acl_phys_decode(in, &phys, &e) < 0)
			return 0;
		v = (struct acl_view){ phys.here, phys.count, phys.version == 0 };
	}
	while (acl_next(&v, &a, &e) > 0) {
		struct text t = text_in(words, sizeof words);

		again(&a, order);
		ace_describe(&a, &t);
		(void)!ace_check(&a, NULL);
		(void)acl_is_trivial(&a, 1);
	}
	return 0;
}
