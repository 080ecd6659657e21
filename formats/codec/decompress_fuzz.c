/*
 * Expands arbitrary bytes. The first byte chooses the algorithm, the next two the length to expand
 * to. What expands must come out the same after being compressed and expanded again.
 */
#include <stdlib.h>

#include "formats/codec/compress.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void again(struct codec *c, unsigned id, struct bytes plain)
{
	struct compress_choice how = { .id = id };
	size_t		       cap = plain.n + plain.n / 8 + 128;
	uint8_t		      *out = malloc(cap), *back = malloc(plain.n);
	size_t		       got;

	if (out != NULL && back != NULL) {
		got = compress_block(c, how, plain, out, cap);
		assert(id == COMPRESS_OFF || got != 0);
		if (got != 0) {
			struct bytes z = bytes_of(out, got, ORDER_LITTLE);

			if (decompress_block(c, id, z, back, plain.n, NULL) < 0)
				abort();
			assert(memcmp(back, plain.p, plain.n) == 0);
		}
	}
	free(out);
	free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static struct codec *c;

	if (c == NULL && (c = codec_new(NULL)) == NULL)
		return 0;
	if (n < 3)
		return 0;

	struct bytes in = bytes_of(p, n, ORDER_LITTLE);
	unsigned     id = get8(in, 0);
	size_t	     size = (size_t)get16(in, 1) + 1;
	uint8_t	    *out = malloc(size);
	struct err   e;

	if (out != NULL && decompress_block(c, id, bytes_from(in, 3), out, size, &e) == 0)
		again(c, id, bytes_of(out, size, ORDER_LITTLE));
	free(out);
	return 0;
}
