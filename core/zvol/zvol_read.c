/* A volume's size is an entry of its ZAP, its block size that of the data object. */
#include "core/zvol/zvol_read.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/zvol/zvol.h"

int zvol_open(struct dataset *ds, struct zvol *out, struct err *e)
{
	struct zvol   z;
	struct object data;

	if (dataset_objset(ds, &z.os, e) < 0)
		return -1;
	if (z.os.phys.type != OBJSET_ZVOL)
		return err_set(e, ERR_UNSUPPORTED, "%s is no volume", ds->name);
	if (zap_u64_at(&z.os, ZVOL_ZAP_OBJECT, ZVOL_SIZE_KEY, &z.size, e) < 0 ||
	    object_open(&z.os, ZVOL_DATA_OBJECT, &data, e) < 0)
		return err_in(e, "volume %s", ds->name);
	z.block_size = data.dn.block_size;
	object_close(&data);
	*out = z;
	return 0;
}

int zvol_read(struct zvol *z, const struct object_pieces *how, struct err *e)
{
	struct object_pieces all = *how;
	struct object	     data;
	uint8_t		    *buf;
	int		     rc;

	if (object_open(&z->os, ZVOL_DATA_OBJECT, &data, e) < 0)
		return -1;
	all.size = z->size;
	buf = mem_raw(data.dn.block_size, e);
	rc = buf == NULL ? -1 : object_pieces_read(&data, &all, buf, e);
	free(buf);
	object_close(&data);
	return rc;
}

int zvol_map(struct zvol *z, object_range_fn *fn, void *ctx, struct err *e)
{
	struct object data;
	int	      rc;

	if (object_open(&z->os, ZVOL_DATA_OBJECT, &data, e) < 0)
		return -1;
	rc = object_pieces_map(&data, z->size, fn, ctx, e);
	object_close(&data);
	return rc;
}
