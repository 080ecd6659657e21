/* What decodes must encode, and decode again to the same text. */
#include <assert.h>
#include <stdlib.h>

#include "formats/nvlist.h"
#include "formats/poolconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void describe(const struct nvlist *l, char *buf, size_t n)
{
	struct text t = text_in(buf, n);

	nvlist_describe(l, 0, &t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char	    first[1 << 16], second[1 << 16];
	struct nvlist	   *l = NULL, *back = NULL, *tree = NULL;
	struct pool_config *c = NULL;
	uint8_t		   *packed = NULL;
	size_t		    n = 0, used = 0;

	if (nvlist_decode(bytes_of(data, size, ORDER_BIG), &l, &used, NULL) < 0)
		return 0;
	assert(used <= size);
	describe(l, first, sizeof first);
	if (nvlist_encode(l, &packed, &n, NULL) < 0 ||
	    nvlist_decode(bytes_of(packed, n, ORDER_BIG), &back, &used, NULL) < 0)
		abort();
	assert(used == n);
	describe(back, second, sizeof second);
	assert(strcmp(first, second) == 0);

	if (pool_config_decode(l, &c, NULL) == 0 && c->tree != NULL &&
	    vdev_config_encode(c->tree, &tree, NULL) < 0)
		abort();
	pool_config_free(c);
	nvlist_free(tree);
	nvlist_free(back);
	free(packed);
	return 0;
}
