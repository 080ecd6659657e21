/* What an edit keeps of a ZAP as it is. */
#include "core/dmu/zap_write.h"

int zap_head_of(struct object *o, struct zap_head *head, struct err *e)
{
	struct zap_micro m;
	struct zap_fat	 f;
	struct block	*b;
	int		 rc;

	if (object_block(o, 0, &b, e) < 0)
		return -1;
	if (b->bytes.n >= 8 && get64(b->bytes, 0) == ZAP_BLOCK_MICRO) {
		rc = zap_micro_decode(b->bytes, &m, e);
		if (rc == 0)
			*head = (struct zap_head){ .salt = m.salt, .normflags = m.normflags };
	} else {
		rc = zap_fat_decode(b->bytes, &f, e);
		if (rc == 0)
			*head = (struct zap_head){ f.salt, f.normflags, f.flags };
	}
	block_put(o->os->reader, b);
	return rc;
}
