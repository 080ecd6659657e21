/* A POSIX ACL as an attribute's value. What a kernel would take must come out as it went in, but
 * for the order of ids and the ids of entries that have none. */
#include <stdlib.h>

#include "formats/posix_acl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { MAX = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes	 in = bytes_of(data, n, ORDER_LITTLE);
	struct posix_ace list[MAX];
	uint8_t		 out[POSIX_ACL_HEADER + MAX * POSIX_ACE_SIZE];
	size_t		 count;
	struct err	 e;

	if (posix_acl_decode(in, &count, &e) < 0)
		return 0;

	int good = posix_acl_check(in, &e);

	if (count > MAX)
		return 0;
	for (size_t i = 0; i < count; i++)
		list[i] = posix_acl_entry(in, i);
	posix_acl_encode(list, count, out);
	if (good == 0 && posix_acl_check(bytes_of(out, n, ORDER_LITTLE), &e) < 0)
		abort();
	return 0;
}
