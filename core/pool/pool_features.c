/*
 * The feature gate. What only some datasets use is their affair: dsl_read refuses those.
 * Source: OpenZFS zfeature.c (spa_features_check), dmu.h (DMU_POOL_FEATURES_FOR_READ, _FOR_WRITE).
 */
#include <inttypes.h>

#include "core/dmu/zap_read.h"
#include "core/pool/pool_impl.h"
#include "formats/feature.h"

static int unsupported(const char *guid, size_t n, struct err *e)
{
	char	    quoted[256];
	struct text t = text_in(quoted, sizeof quoted);

	text_name(&t, guid, n);
	return err_set(e, ERR_UNSUPPORTED, "feature %s", quoted);
}

int pool_check_label_features(struct pool *p, struct err *e)
{
	const struct nvlist *list = p->label->features_for_read;

	for (size_t i = 0; list != NULL && i < nvlist_count(list); i++) {
		const char	     *guid = nvlist_pair(list, i)->name;
		const struct feature *f = feature_by_guid(guid);

		if (f == NULL || !f->can_read)
			return unsupported(guid, strlen(guid), e);
	}
	return 0;
}

struct gate {
	struct pool *pool;
	bool	     for_read;
};

static int check_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct gate	     *gate = ctx;
	char		      guid[256];
	const struct feature *f = NULL;

	if (entry->int_size != 8 || entry->value.n < 8 || zap_entry_int(entry, 0) == 0)
		return 0;
	if (entry->name.n < sizeof guid) {
		memcpy(guid, entry->name.p, entry->name.n);
		guid[entry->name.n] = '\0';
		f = feature_by_guid(guid);
	}
	if (f != NULL && (f->can_read || f->per_dataset))
		return 0;
	if (gate->for_read)
		return unsupported((const char *)entry->name.p, entry->name.n, e);

	char	    quoted[256];
	struct text t = text_in(quoted, sizeof quoted);

	text_name(&t, entry->name.p, entry->name.n);
	if (f == NULL)
		pool_warn(gate->pool, "feature %s is not known; reading does not need it", quoted);
	return 0;
}

static int check_list(struct pool *p, const char *name, bool for_read, struct err *e)
{
	struct gate gate = { .pool = p, .for_read = for_read };
	uint64_t    number;
	struct err  why = { 0 };

	if (pool_directory_u64(p, name, &number, &why) < 0) {
		if (why.kind == ERR_NOTFOUND)
			return 0;
		err_set(e, why.kind, "%s", why.text);
		return -1;
	}
	return zap_each_at(&p->mos, number, check_entry, &gate, e) != 0 ? -1 : 0;
}

int pool_check_features(struct pool *p, struct err *e)
{
	if (check_list(p, "features_for_read", true, e) < 0)
		return -1;
	/* A damaged list of these is no reason to refuse a reader. */
	struct err why = { 0 };

	if (check_list(p, "features_for_write", false, &why) < 0)
		pool_warn(p, "features_for_write: %s", why.text);
	return 0;
}

int pool_feature(struct pool *p, const char *guid, uint64_t *count, struct err *e)
{
	static const char *const lists[] = { "features_for_read", "features_for_write" };

	for (size_t i = 0; i < 2; i++) {
		uint64_t   number;
		struct err why = { 0 };

		if (pool_directory_u64(p, lists[i], &number, &why) < 0 ||
		    zap_u64_at(&p->mos, number, guid, count, &why) < 0) {
			if (why.kind == ERR_NOTFOUND)
				continue;
			return err_set(e, why.kind, "%s", why.text);
		}
		return 0;
	}
	return err_set(e, ERR_NOTFOUND, "feature %s is not enabled", guid);
}

void pool_load_salt(struct pool *p)
{
	struct object directory;
	uint8_t	      salt[SALT_SIZE];
	unsigned      int_size;
	size_t	      n;
	struct err    why = { 0 };

	if (object_open(&p->mos, 1, &directory, NULL) < 0)
		return;
	if (zap_lookup(&directory, POOL_SALT, &int_size, salt, sizeof salt, &n, &why) < 0) {
		if (why.kind != ERR_NOTFOUND)
			pool_warn(p, "the salt of checksums: %s", why.text);
	} else if (int_size != 1 || n != sizeof salt) {
		pool_warn(p, "the salt of checksums is not %d bytes", SALT_SIZE);
	} else {
		block_reader_set_salt(p->reader, salt);
	}
	object_close(&directory);
}
