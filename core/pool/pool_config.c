/*
 * The config that the MOS keeps: a packed nvlist whose size stands in the object's bonus.
 * Source: OpenZFS spa.c (load_nvlist), spa_config.c.
 */
#include "core/base/mem.h"
#include "core/pool/pool_impl.h"

enum { CONFIG_MAX = 16 << 20 }; /* bytes; a guard */

void pool_load_mos_config(struct pool *p)
{
	struct object	    o;
	uint64_t	    number, size;
	uint8_t		   *raw = NULL;
	struct nvlist	   *nv;
	struct pool_config *c = NULL;

	if (pool_directory_u64(p, "config", &number, NULL) < 0 ||
	    object_open(&p->mos, number, &o, NULL) < 0)
		return;
	size = o.dn.bonus.n >= 8 ? get64(o.dn.bonus, 0) : 0;
	if (size > 0 && size <= CONFIG_MAX)
		raw = mem_raw((size_t)size, NULL);
	if (raw != NULL && object_read(&o, 0, raw, (size_t)size, NULL) == 0 &&
	    nvlist_decode(bytes_of(raw, (size_t)size, ORDER_NATIVE), &nv, NULL, NULL) == 0 &&
	    pool_config_decode(nv, &c, NULL) == 0) {
		if (c->txg > p->label->txg)
			p->mos_config = c;
		else
			pool_config_free(c);
	}
	free(raw);
	object_close(&o);
}
