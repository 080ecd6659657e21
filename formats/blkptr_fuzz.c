/* What decodes must encode to a pointer that decodes to the same; first byte: the order. */
#include <assert.h>

#include "formats/blkptr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct blkptr bp, back;
	uint8_t	      raw[BLKPTR_SIZE], again[BLKPTR_SIZE];
	char	      buf[1024];
	struct text   t = text_in(buf, sizeof buf);
	enum order    order;

	if (size == 0)
		return 0;
	order = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;
	if (blkptr_decode(bytes_of(data + 1, size - 1, order), &bp, NULL) < 0)
		return 0;
	blkptr_describe(&bp, &t);
	assert(!t.cut);
	if (blkptr_check(&bp, NULL) == 0)
		assert(blkptr_is_hole(&bp) || bp.embedded || blkptr_copies(&bp) > 0);
	blkptr_encode(&bp, wbytes_of(raw, sizeof raw, order_other(order)));
	if (blkptr_decode(bytes_of(raw, sizeof raw, order_other(order)), &back, NULL) < 0)
		assert(!"what was encoded must decode");
	blkptr_encode(&back, wbytes_of(again, sizeof again, order_other(order)));
	assert(memcmp(raw, again, sizeof raw) == 0);
	return 0;
}
