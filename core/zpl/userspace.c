/* Accounts and quotas, put together by id. */
#include "core/zpl/userspace.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/idmap.h"
#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/zpl/quota_names.h"

enum { MASTER_NODE = 1, ID_DIGITS = 16 };
static const char objects_prefix[] = "obj-"; /* dmu.h, DMU_OBJACCT_PREFIX */

struct gather {
	struct zpl_account *list;
	size_t		    count, cap;
	struct idmap	    index; /* id -> place in list */
	bool		    quotas, objects; /* what the entries are */
	bool		    counts_objects;  /* does the file system? */
	struct err	    odd;
};

static const struct {
	const char    *what;
	uint64_t       account;
	enum zpl_quota bytes, objects;
} sorts[] = {
	[ZPL_USERS] = { "users", OBJECT_USERUSED, ZPL_QUOTA_USER, ZPL_QUOTA_USER_OBJECTS },
	[ZPL_GROUPS] = { "groups", OBJECT_GROUPUSED, ZPL_QUOTA_GROUP, ZPL_QUOTA_GROUP_OBJECTS },
	[ZPL_PROJECTS] = { "projects", OBJECT_PROJECTUSED, ZPL_QUOTA_PROJECT,
			   ZPL_QUOTA_PROJECT_OBJECTS },
};

static bool parse_id(const uint8_t *p, size_t n, uint64_t *out)
{
	*out = 0;
	if (n == 0 || n > ID_DIGITS)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *digits = "0123456789abcdef", *at = strchr(digits, p[i]);

		if (p[i] == '\0' || at == NULL)
			return false;
		*out = *out << 4 | (uint64_t)(at - digits);
	}
	return true;
}

static struct zpl_account *account_of(struct gather *g, uint64_t id, struct err *e)
{
	uint64_t at = g->count;

	if (idmap_get(&g->index, id, &at))
		return &g->list[at];
	if (mem_grow(&g->list, &g->cap, g->count + 1, sizeof g->list[0], e) < 0 ||
	    idmap_put(&g->index, id, at, e) < 0)
		return NULL;
	g->list[g->count++] = (struct zpl_account){ .id = id };
	return &g->list[at];
}

static void note_odd(struct gather *g, const struct err *why)
{
	if (g->odd.kind == 0)
		g->odd = *why;
}

static int add(void *ctx, const struct zap_entry *entry, struct err *e)
{
	const size_t	    prefix_n = sizeof objects_prefix - 1;
	struct gather	   *g = ctx;
	const uint8_t	   *name = entry->name.p;
	size_t		    n = entry->name.n;
	bool		    objects = g->objects;
	struct zpl_account *a;
	struct err	    why = { 0 };
	uint64_t	    id;

	if (!g->quotas && n > prefix_n && memcmp(name, objects_prefix, prefix_n) == 0) {
		objects = true;
		name += prefix_n;
		n -= prefix_n;
	}
	if (entry->number_key || !parse_id(name, n, &id) || entry->int_size != 8 ||
	    entry->value.n != 8) {
		err_set(&why, ERR_CORRUPT, "an account of nobody");
		note_odd(g, &why);
		return 0;
	}
	if (objects && !g->counts_objects)
		return 0;
	a = account_of(g, id, e);
	if (a == NULL)
		return -1;
	*(objects ? g->quotas ? &a->object_quota : &a->objects : g->quotas ? &a->quota : &a->used) =
		zap_entry_int(entry, 0);
	*(objects ? &a->has_objects : &a->has_bytes) = true;
	return 0;
}

/* What is damaged is told, and the rest taken. */
static int gather_from(struct gather *g, struct objset *os, uint64_t zap, struct err *e)
{
	struct err why = { 0 };

	if (zap_each_at(os, zap, add, g, &why) == 0 || why.kind == ERR_NOTFOUND)
		return 0;
	if (why.kind == ERR_NOMEM || why.kind == ERR_INTERRUPTED)
		return err_set(e, why.kind, "%s", why.text);
	note_odd(g, &why);
	return 0;
}

static int gather_quotas(struct gather *g, struct objset *os, enum zpl_quota kind, bool objects,
			 struct err *e)
{
	uint64_t list, limit = 0;

	(void)!zap_u64_at(os, MASTER_NODE, zpl_quota_names[kind].by_default, &limit, NULL);
	for (size_t i = 0; i < g->count; i++)
		*(objects ? &g->list[i].object_quota : &g->list[i].quota) = limit;
	if (zap_u64_at(os, MASTER_NODE, zpl_quota_names[kind].list, &list, NULL) < 0)
		return 0;
	g->quotas = true;
	g->objects = objects;
	return gather_from(g, os, list, e);
}

static int by_id(const void *a, const void *b)
{
	const struct zpl_account *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int check(const struct objset *os, enum zpl_owners owners, struct err *e)
{
	uint64_t flag = owners == ZPL_PROJECTS ? OBJSET_FLAG_PROJECTQUOTA
					       : OBJSET_FLAG_USERACCOUNTING;

	if (os->phys.flags & flag)
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "the file system keeps no accounts of %s",
		       sorts[owners].what);
}

int zpl_userspace(struct zpl *z, enum zpl_owners owners, struct zpl_account **list, size_t *count,
		  struct err *odd, struct err *e)
{
	struct objset *os = zpl_objset(z);
	struct gather  g = { .counts_objects = os->phys.flags & OBJSET_FLAG_USEROBJACCOUNTING };
	int	       rc;

	if (check(os, owners, e) < 0)
		return -1;
	rc = gather_from(&g, os, sorts[owners].account, e);
	if (rc == 0)
		rc = gather_quotas(&g, os, sorts[owners].bytes, false, e);
	if (rc == 0 && g.counts_objects)
		rc = gather_quotas(&g, os, sorts[owners].objects, true, e);
	idmap_fini(&g.index);
	if (rc < 0) {
		free(g.list);
		return -1;
	}
	if (g.count > 1)
		qsort(g.list, g.count, sizeof g.list[0], by_id);
	*list = g.list;
	*count = g.count;
	*odd = g.odd;
	return 0;
}
