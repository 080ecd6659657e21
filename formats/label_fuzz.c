/*
 * A label's nvlist area and an uberblock slot, sealed first so that the search gets past the
 * checksum. First byte: 0 label, else uberblock.
 */
#include <assert.h>

#include "formats/codec/checksum.h"
#include "formats/label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_label(const uint8_t *data, size_t size)
{
	static uint8_t	    area[LABEL_NVLIST_SIZE];
	struct digest	    verifier = { .w = { LABEL_NVLIST_OFFSET } };
	struct wbytes	    w = wbytes_of(area, sizeof area, ORDER_LITTLE);
	struct pool_config *c = NULL;

	memset(area, 0, sizeof area);
	memcpy(area, data, size < sizeof area ? size : sizeof area);
	if (checksum_trailer_seal(CHECKSUM_LABEL, w, &verifier, NULL) < 0 ||
	    label_config_decode(wbytes_view(w), 0, &c, NULL) < 0)
		return;
	pool_config_free(c);
}

static void try_uberblock(const uint8_t *data, size_t size)
{
	uint8_t		 slot[UBERBLOCK_SIZE] = { 0 };
	struct digest	 verifier = { 0 };
	struct wbytes	 w = wbytes_of(slot, sizeof slot, ORDER_BIG);
	struct uberblock ub, back;
	char		 buf[4096];
	struct text	 t = text_in(buf, sizeof buf);

	memcpy(slot, data, size < sizeof slot ? size : sizeof slot);
	if (checksum_trailer_seal(CHECKSUM_LABEL, w, &verifier, NULL) < 0 ||
	    uberblock_decode(wbytes_view(w), 0, &ub, NULL) < 0)
		return;
	uberblock_describe(&ub, &t);
	assert(!t.cut);
	if (uberblock_encode(&ub, w, 0, NULL) < 0 ||
	    uberblock_decode(wbytes_view(w), 0, &back, NULL) < 0)
		assert(!"what was encoded must decode");
	assert(uberblock_compare(&ub, &back) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || checksum_init(NULL) < 0)
		return 0;
	if (data[0] == 0)
		try_label(data + 1, size - 1);
	else
		try_uberblock(data + 1, size - 1);
	return 0;
}
