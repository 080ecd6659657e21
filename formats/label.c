/* Labels: geometry, and the two parts that carry their own checksum beside the uberblocks. */
#include "formats/label.h"

#include <stdlib.h>

#include "formats/base/limits.h"
#include "formats/codec/checksum.h"

uint64_t label_offset(uint64_t device_size, unsigned index)
{
	uint64_t size = align_down(device_size, LABEL_SIZE);

	assert(index < LABEL_COUNT);
	if (index < LABEL_COUNT / 2 || size < (uint64_t)LABEL_COUNT * LABEL_SIZE)
		return (uint64_t)index * LABEL_SIZE;
	return size - (uint64_t)(LABEL_COUNT - index) * LABEL_SIZE;
}

int label_config_decode(struct bytes area, uint64_t label_start, struct pool_config **out,
			struct err *e)
{
	const struct digest verifier = { .w = { label_start + LABEL_NVLIST_OFFSET } };
	enum order	    order;
	struct nvlist	   *nv;

	if (area.n != LABEL_NVLIST_SIZE)
		return err_set(e, ERR_CORRUPT, "label configuration needs %d bytes, has %zu",
			       LABEL_NVLIST_SIZE, area.n);
	if (bytes_zero(area))
		return err_set(e, ERR_NOTFOUND, "no label here");
	if (checksum_trailer_verify(CHECKSUM_LABEL, area, &verifier, &order, e) < 0)
		return -1;
	if (nvlist_decode(bytes_sub(area, 0, LABEL_NVLIST_SIZE - ECK_SIZE), &nv, NULL, e) < 0)
		return -1;
	return pool_config_decode(nv, out, e);
}

int label_config_encode(const struct nvlist *nv, struct wbytes area, uint64_t label_start,
			struct err *e)
{
	const struct digest verifier = { .w = { label_start + LABEL_NVLIST_OFFSET } };
	uint8_t		   *packed = NULL;
	size_t		    n = 0;
	int		    rc = -1;

	assert(area.n == LABEL_NVLIST_SIZE);
	if (nvlist_encode(nv, &packed, &n, e) < 0)
		return -1;
	if (n > LABEL_NVLIST_SIZE - ECK_SIZE) {
		err_set(e, ERR_NOSPACE,
			"the configuration takes %zu bytes, a label has room for %d", n,
			LABEL_NVLIST_SIZE - ECK_SIZE);
		goto out;
	}
	memset(area.p, 0, area.n);
	memcpy(area.p, packed, n);
	rc = checksum_trailer_seal(CHECKSUM_LABEL, area, &verifier, e);
out:
	free(packed);
	return rc;
}

int label_bootenv_encode(struct wbytes area, uint64_t label_start, struct err *e)
{
	const struct digest verifier = { .w = { label_start + LABEL_BOOTENV_OFFSET } };

	assert(area.n == LABEL_BOOTENV_SIZE);
	memset(area.p, 0, area.n);
	return checksum_trailer_seal(CHECKSUM_LABEL, area, &verifier, e);
}
