/* First byte: order and kind of record. The rest: the record. */
#include <stdlib.h>

#include "formats/dsl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* What decodes must come back the same from its own encoding. */
#define ROUND(type, size) \
	do { \
		uint8_t	    once[512] = { 0 }, twice[512] = { 0 }; \
		struct type r; \
		if (type##_decode(bytes_of(data + 1, n - 1, o), &r, &e) < 0) \
			return 0; \
		type##_describe(&r, &t); \
		type##_encode(&r, wbytes_of(once, sizeof once, o)); \
		if (type##_decode(bytes_of(once, size, o), &r, &e) < 0) \
			abort(); \
		type##_encode(&r, wbytes_of(twice, sizeof twice, o)); \
		if (memcmp(once, twice, sizeof once) != 0) \
			abort(); \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char	    out[4096];
	struct text t = text_in(out, sizeof out);
	struct err  e;

	if (n < 1)
		return 0;

	enum order o = data[0] & 1 ? ORDER_BIG : ORDER_LITTLE;

	switch (data[0] >> 1 & 3) {
	case 0:
		ROUND(dsl_dir, DSL_DIR_SIZE);
		break;
	case 1:
		ROUND(dsl_dataset, DSL_DATASET_SIZE);
		break;
	case 2:
		ROUND(dsl_deadlist, DSL_DEADLIST_SIZE);
		break;
	default:
		ROUND(bpobj, r.size);
		break;
	}
	return 0;
}
