/* The verb features: what the pool has enabled and uses, and which compatibility sets it meets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/pooldump/properties.h"
#include "core/dmu/zap_read.h"

const char *feature_state(struct pool *p, const struct feature *f, uint64_t *count)
{
	struct err why = { 0 };

	*count = 0;
	if (pool_feature(p, f->guid, count, &why) == 0)
		return *count > 0 ? "active" : "enabled";
	return why.kind == ERR_NOTFOUND ? "disabled" : "-";
}

struct listing {
	struct run	  *r;
	struct table	   table;
	struct feature_set enabled;
	bool		   unknown; /* there is a feature of no set */
	bool		   readonly_list;
};

static int put(struct listing *l, const char *name, const char *guid, const char *state,
	       uint64_t count, bool readonly, struct err *e)
{
	char	    number[24];
	const char *cells[] = { name, state, number, readonly ? "yes" : "no", guid };

	snprintf(number, sizeof number, "%" PRIu64, count);
	return table_row(&l->table, cells, e);
}

static int known_features(struct listing *l, struct err *e)
{
	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = &feature_table[i];
		uint64_t	      count;
		const char	     *state = feature_state(l->r->pool, f, &count);

		if (strcmp(state, "disabled") != 0)
			l->enabled.bits |= UINT64_C(1) << i;
		if (put(l, f->name, f->guid, state, count, f->readonly_compatible, e) < 0)
			return -1;
	}
	return 0;
}

/* Features of nobody we know, under their guids. */
static int unknown_feature(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct listing *l = ctx;
	char		guid[256], quoted[4 * sizeof guid];
	uint64_t	count;

	if (entry->int_size != 8 || entry->value.n < 8 || entry->name.n >= sizeof guid)
		return 0;
	memcpy(guid, entry->name.p, entry->name.n);
	guid[entry->name.n] = '\0';
	if (feature_by_guid(guid) != NULL)
		return 0;
	l->unknown = true;
	count = zap_entry_int(entry, 0);
	return put(l, "?", run_quote(entry->name.p, entry->name.n, quoted, sizeof quoted),
		   count > 0 ? "active" : "enabled", count, l->readonly_list, e);
}

static int unknown_features(struct listing *l, struct err *e)
{
	static const char *const lists[] = { "features_for_read", "features_for_write" };

	for (int i = 0; i < 2; i++) {
		uint64_t   number;
		struct err why = { 0 };

		l->readonly_list = i == 1;
		if (pool_directory_u64(l->r->pool, lists[i], &number, &why) < 0) {
			if (why.kind != ERR_NOTFOUND)
				run_trouble(l->r, &why);
		} else if (zap_each_at(pool_mos(l->r->pool), number, unknown_feature, l, e) < 0) {
			return err_in(e, "%s", lists[i]);
		}
	}
	return 0;
}

static bool meets(const struct listing *l, const char *set)
{
	struct feature_set s;

	/* "off" asks for nothing */
	if (strcmp(set, "off") == 0)
		return true;
	return !l->unknown && feature_set_by_name(set, &s, NULL) &&
	       (l->enabled.bits & ~s.bits) == 0;
}

/* A pool meets a set when it has no feature that the set has not. */
static void put_sets(const struct listing *l)
{
	enum { WIDTH = 80 };
	int	    column = 0;
	const char *set;

	if (!l->r->cli.tabs)
		column = printf("\nmeets");
	for (size_t i = 0; (set = feature_set_name(i)) != NULL; i++) {
		if (!meets(l, set))
			continue;
		if (l->r->cli.tabs) {
			printf("meets\t%s\n", set);
			continue;
		}
		if (column + 1 + (int)strlen(set) > WIDTH)
			column = printf("\n     ");
		column += printf(" %s", set);
	}
	if (!l->r->cli.tabs)
		putchar('\n');
}

int verb_features(struct run *r, struct err *e)
{
	static const struct table_column columns[] = { { "FEATURE", false },
						       { "STATE", false },
						       { "COUNT", true },
						       { "READ-ONLY", false },
						       { "GUID", false } };
	struct listing			 l = { .r = r };
	int				 rc;

	if (run_open(r, r->cli.args + 1, r->cli.arg_count - 1, e) < 0)
		return -1;
	table_begin(&l.table, stdout, r->cli.tabs, columns, 5);
	rc = known_features(&l, e) < 0 ? -1 : unknown_features(&l, e);
	table_end(&l.table);
	if (rc == 0)
		put_sets(&l);
	return rc;
}
