/* Micro ZAPs of any bytes, in both orders; what decodes is put into a new block and read again. */
#include <stdlib.h>

#include "formats/zap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void again(struct bytes in)
{
	static uint8_t	 memory[1 << 16];
	struct wbytes	 w = wbytes_of(memory, sizeof memory, order_other(in.order));
	struct zap_micro z, z2;
	struct zap_entry a, b;

	if (in.n > sizeof memory || zap_micro_decode(in, &z, NULL) < 0)
		return;
	zap_micro_init(w, z.salt, z.normflags);
	if (zap_micro_decode(wbytes_view(w), &z2, NULL) < 0 || z2.salt != z.salt)
		abort();
	for (size_t i = 0; i < z.slots; i++) {
		if (zap_micro_entry(in, &z, i, &a, NULL) <= 0)
			continue;
		zap_micro_put(w, i, a.name.p, a.name.n, zap_entry_int(&a, 0), a.cd);
		if (zap_micro_entry(wbytes_view(w), &z2, i, &b, NULL) != 1 || a.hash != b.hash ||
		    a.cd != b.cd || zap_entry_int(&a, 0) != zap_entry_int(&b, 0))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	again(bytes_of(data, n, ORDER_LITTLE));
	again(bytes_of(data, n, ORDER_BIG));
	return 0;
}
