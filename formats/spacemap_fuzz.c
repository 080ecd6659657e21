/*
 * First byte: order and header or entries; second: shift. The rest: a header, or start and entries.
 */
#include <stdlib.h>

#include "formats/spacemap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void header(struct bytes in)
{
	uint8_t		once[SPACEMAP_SIZE] = { 0 }, twice[SPACEMAP_SIZE] = { 0 };
	char		out[4096];
	struct text	t = text_in(out, sizeof out);
	struct spacemap s;
	struct err	e;

	if (spacemap_decode(in, &s, &e) < 0)
		return;
	spacemap_describe(&s, &t);
	spacemap_encode(&s, wbytes_of(once, sizeof once, in.order));
	if (spacemap_decode(bytes_of(once, s.size, in.order), &s, &e) < 0)
		abort();
	spacemap_encode(&s, wbytes_of(twice, sizeof twice, in.order));
	if (memcmp(once, twice, sizeof once) != 0)
		abort();
}

/* An entry that was read, written again, must read the same, vdev aside. */
static void again(const struct spacemap_entry *x, uint64_t start, unsigned shift, enum order o)
{
	uint8_t		      buf[16];
	struct wbytes	      w = wbytes_of(buf, sizeof buf, o);
	size_t		      at = 0;
	struct spacemap_entry y;

	if (x->debug)
		spacemap_put_debug(w, &at, x->txg, x->pass, x->is_free);
	else
		spacemap_put(w, &at, start, shift, x->offset, x->size, x->is_free, true);

	struct cursor c = cursor_of(bytes_of(buf, at, o));

	if (spacemap_next(&c, start, shift, &y, NULL) != 1 || cursor_left(&c) != 0)
		abort();
	if (x->debug != y.debug || x->is_free != y.is_free || x->offset != y.offset ||
	    x->size != y.size || x->txg != y.txg || x->pass != y.pass)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct spacemap_entry x;
	struct err	      e;

	if (n < 2)
		return 0;

	enum order    o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;
	unsigned      shift = data[1];
	struct cursor c = cursor_of(bytes_of(data + 2, n - 2, o));

	if (data[0] & 2) {
		header(c.in);
		return 0;
	}

	uint64_t start = cursor_64(&c);

	while (spacemap_next(&c, start, shift, &x, &e) == 1)
		again(&x, start, shift, o);
	return 0;
}
