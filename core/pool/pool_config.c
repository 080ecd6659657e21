/*
 * The config that the MOS keeps: a packed nvlist whose size stands in the object's bonus.
 * Source: OpenZFS spa.c (load_nvlist), spa_config.c.
 */
#include "core/base/mem.h"
#include "core/pool/pool_impl.h"

enum { CONFIG_MAX = 16 << 20 }; /* bytes; a guard */

int pool_config_in_mos(struct pool *p, struct pool_config **out, struct err *e)
{
	struct object  o;
	uint64_t       number, size;
	uint8_t	      *raw = NULL;
	struct nvlist *nv;
	int	       rc = -1;

	if (pool_directory_u64(p, "config", &number, e) < 0 ||
	    object_open(&p->mos, number, &o, e) < 0)
		return -1;
	size = o.dn.bonus.n >= 8 ? get64(o.dn.bonus, 0) : 0;
	if (size == 0 || size > CONFIG_MAX) {
		err_set(e, ERR_CORRUPT, "a config of %llu bytes", (unsigned long long)size);
		goto out;
	}
	raw = mem_raw((size_t)size, e);
	if (raw != NULL && object_read(&o, 0, raw, (size_t)size, e) == 0 &&
	    nvlist_decode(bytes_of(raw, (size_t)size, ORDER_NATIVE), &nv, NULL, e) == 0)
		rc = pool_config_decode(nv, out, e);
out:
	free(raw);
	object_close(&o);
	return rc < 0 ? err_in(e, "config in the MOS") : 0;
}

void pool_load_mos_config(struct pool *p)
{
	struct pool_config *c;

	if (pool_config_in_mos(p, &c, NULL) < 0)
		return;
	if (c->txg > p->label->txg)
		p->mos_config = c;
	else
		pool_config_free(c);
}
