/* The two objects of a volume. */
#include "core/zvol/zvol_write.h"

#include "core/dmu/zap_write.h"
#include "core/zvol/zvol.h"

static int write_size(struct objset_write *set, uint64_t size, uint64_t salt, struct err *e)
{
	struct zap_edit *zap;
	int		 rc;

	if (objset_write_claim(set, ZVOL_ZAP_OBJECT, e) < 0 ||
	    zap_edit_new(set, ZVOL_ZAP_OBJECT, OT_ZVOL_PROP, salt | 1, &zap, e) < 0)
		return -1;
	rc = zap_edit_set(zap, ZVOL_SIZE_KEY, size, e);
	if (rc == 0)
		rc = zap_edit_write(zap, e);
	zap_edit_free(zap);
	return rc;
}

int zvol_write_begin(struct objset_write *set, uint64_t size, uint32_t block_size, uint64_t salt,
		     struct zvol_write *out, struct err *e)
{
	struct object_spec   spec = { .number = ZVOL_DATA_OBJECT, .type = OT_ZVOL,
				      .block_size = block_size };
	struct object_write *o;

	if (size == 0 || size % block_size != 0)
		return err_set(e, ERR_USAGE,
			       "a volume of %llu bytes: it must be a multiple of its block size, "
			       "%u", (unsigned long long)size, block_size);
	if (objset_write_claim(set, ZVOL_DATA_OBJECT, e) < 0 ||
	    write_size(set, size, salt, e) < 0 || object_write_begin(set, &spec, &o, e) < 0)
		return -1;
	object_fill_begin(&out->data, o, block_size, size);
	return 0;
}

int zvol_write_piece(struct zvol_write *z, uint64_t offset, struct bytes piece, struct err *e)
{
	return object_fill_piece(&z->data, offset, piece, e);
}

int zvol_write_end(struct zvol_write *z, struct err *e)
{
	return object_fill_end(&z->data, e);
}
