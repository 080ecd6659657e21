/* First byte: the order. The rest: an object set block. */
#include <stdlib.h>

#include "formats/objset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t		   once[OBJSET_V3_SIZE], twice[OBJSET_V3_SIZE];
	char		   out[2048];
	struct text	   t = text_in(out, sizeof out);
	struct objset_phys os;
	struct err	   e;

	if (n < 1)
		return 0;

	enum order o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;

	if (objset_decode(bytes_of(data + 1, n - 1, o), &os, &e) < 0)
		return 0;
	objset_describe(&os, &t);
	objset_encode(&os, wbytes_of(once, sizeof once, o));
	if (objset_decode(bytes_of(once, os.size, o), &os, &e) < 0)
		abort();
	objset_encode(&os, wbytes_of(twice, sizeof twice, o));
	if (memcmp(once, twice, os.size) != 0)
		abort();
	return 0;
}
