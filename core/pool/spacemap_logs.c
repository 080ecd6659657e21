/*
 * Log space maps on their way out: what they said is in the metaslabs' own maps after the commit.
 */
#include "core/pool/tx_impl.h"

/* The logs' objects go; the list of them becomes empty. */
int pool_tx_drop_logs(struct pool_tx *tx, struct err *e)
{
	struct zap_edit *list = NULL;
	int		 rc = -1;

	if (tx->maps.log_count == 0)
		return 0;
	if (zap_edit_open(tx->mos, tx->maps.logs_zap, &list, e) < 0)
		return -1;
	zap_edit_clear(list);
	if (zap_edit_write(list, e) < 0)
		goto out;
	for (size_t i = 0; i < tx->maps.log_count; i++) {
		if (objset_write_free_blocks(tx->mos, tx->maps.logs[i], e) < 0 ||
		    objset_write_remove(tx->mos, tx->maps.logs[i], e) < 0 ||
		    pool_tx_feature(tx, "com.delphix:spacemap_histogram", -1, e) < 0)
			goto out;
	}
	rc = 0;
out:
	zap_edit_free(list);
	return rc;
}
