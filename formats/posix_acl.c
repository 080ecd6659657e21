/* POSIX ACLs as attribute values. What a list allows is the kernel's matter. */
#include "formats/posix_acl.h"

#include <stdlib.h>

enum { ALL_TAGS = 0x3f };

int posix_acl_decode(struct bytes in, size_t *count, struct err *e)
{
	in.order = ORDER_LITTLE;
	if (in.n < POSIX_ACL_HEADER || get32(in, 0) != POSIX_ACL_VERSION)
		return err_set(e, ERR_CORRUPT, "no POSIX ACL of version %d", POSIX_ACL_VERSION);
	if ((in.n - POSIX_ACL_HEADER) % POSIX_ACE_SIZE != 0)
		return err_set(e, ERR_CORRUPT, "a POSIX ACL of %zu bytes", in.n);
	*count = (in.n - POSIX_ACL_HEADER) / POSIX_ACE_SIZE;
	return 0;
}

struct posix_ace posix_acl_entry(struct bytes in, size_t i)
{
	size_t at = POSIX_ACL_HEADER + i * POSIX_ACE_SIZE;

	in.order = ORDER_LITTLE;
	return (struct posix_ace){ get16(in, at), get16(in, at + 2), get32(in, at + 4) };
}

static bool has_id(uint16_t tag)
{
	return tag == POSIX_USER || tag == POSIX_GROUP;
}

int posix_acl_check(struct bytes in, struct err *e)
{
	unsigned seen = 0;
	size_t	 count;

	if (posix_acl_decode(in, &count, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct posix_ace a = posix_acl_entry(in, i);

		if (a.tag == 0 || (a.tag & (a.tag - 1)) != 0 || a.tag > POSIX_OTHER ||
		    a.permissions > 7)
			return err_set(e, ERR_CORRUPT, "POSIX ACL entry %zu has tag 0x%x, 0%o", i,
				       a.tag, a.permissions);
		if (seen >= a.tag * 2u || (!has_id(a.tag) && seen & a.tag))
			return err_set(e, ERR_CORRUPT, "POSIX ACL entry %zu is out of order", i);
		seen |= a.tag;
	}
	if ((seen | POSIX_USER | POSIX_GROUP | POSIX_MASK) != ALL_TAGS ||
	    (seen & (POSIX_USER | POSIX_GROUP) && !(seen & POSIX_MASK)))
		return err_set(e, ERR_CORRUPT, "a POSIX ACL that lacks an entry");
	return 0;
}

static int in_order(const void *a, const void *b)
{
	const struct posix_ace *x = a, *y = b;

	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void posix_acl_encode(struct posix_ace *list, size_t count, uint8_t *out)
{
	struct wbytes w = wbytes_of(out, POSIX_ACL_HEADER + count * POSIX_ACE_SIZE, ORDER_LITTLE);

	if (count > 0)
		qsort(list, count, sizeof *list, in_order);
	put32(w, 0, POSIX_ACL_VERSION);
	for (size_t i = 0; i < count; i++) {
		size_t at = POSIX_ACL_HEADER + i * POSIX_ACE_SIZE;

		put16(w, at, list[i].tag);
		put16(w, at + 2, list[i].permissions);
		put32(w, at + 4, has_id(list[i].tag) ? list[i].id : POSIX_ACE_NO_ID);
	}
}
