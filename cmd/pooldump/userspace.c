/* The verbs userspace, groupspace and projectspace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/pooldump/run.h"
#include "cmd/table.h"
#include "core/zpl/userspace.h"
#include "formats/property.h"

enum { NUMBER = 24 };

static const struct table_column columns[] = {
	{ "TYPE", false }, { "NAME", false },	{ "USED", true },
	{ "QUOTA", true }, { "OBJUSED", true }, { "OBJQUOTA", true },
};

/* Owners of an SMB domain are told by their number in this file system: the name is elsewhere. */
static const char *type_of(enum zpl_owners owners, uint64_t id)
{
	static const char *const types[][2] = {
		[ZPL_USERS] = { "POSIX User", "SMB User" },
		[ZPL_GROUPS] = { "POSIX Group", "SMB Group" },
		[ZPL_PROJECTS] = { "Project", "Project" },
	};

	return types[owners][id >> 32 != 0];
}

static void put(const struct run *r, bool known, bool quota, bool bytes, uint64_t n,
		char out[NUMBER])
{
	struct text t = text_in(out, NUMBER);

	if (!known)
		text_put(&t, "-");
	else if (r->cli.exact)
		text_put(&t, "%" PRIu64, n);
	else if (quota && n == 0)
		text_put(&t, "none");
	else
		property_nice(n, bytes, &t);
}

static int put_account(struct run *r, struct table *t, enum zpl_owners owners,
		       const struct zpl_account *a, struct err *e)
{
	char id[NUMBER], used[NUMBER], quota[NUMBER], objects[NUMBER], object_quota[NUMBER];
	const char *cells[] = { type_of(owners, a->id), id, used, quota, objects, object_quota };

	snprintf(id, sizeof id, "%" PRIu64, a->id);
	put(r, a->has_bytes, false, true, a->used, used);
	put(r, a->has_bytes, true, true, a->quota, quota);
	put(r, a->has_objects, false, false, a->objects, objects);
	put(r, a->has_objects, true, false, a->object_quota, object_quota);
	return table_row(t, cells, e);
}

static int accounts(struct run *r, enum zpl_owners owners, struct err *e)
{
	struct zpl_account *list;
	struct table	    t;
	struct err	    odd = { 0 };
	size_t		    count;
	int		    rc = 0;

	if (run_open_place(r, r->cli.args[1], true, e) < 0)
		return -1;
	if (r->place.path != NULL && r->place.path[0] != '\0')
		return err_set(e, ERR_USAGE, "%s: accounts are a whole file system's",
			       r->cli.args[1]);
	if (zpl_userspace(r->zpl, owners, &list, &count, &odd, e) < 0)
		return err_in(e, "%s", r->dataset.name);
	if (odd.kind != 0) {
		err_in(&odd, "%s", r->dataset.name);
		run_trouble(r, &odd);
	}
	table_begin(&t, stdout, r->cli.tabs, columns, sizeof columns / sizeof columns[0]);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = put_account(r, &t, owners, &list[i], e);
	table_end(&t);
	free(list);
	return rc;
}

int verb_userspace(struct run *r, struct err *e)
{
	return accounts(r, ZPL_USERS, e);
}

int verb_groupspace(struct run *r, struct err *e)
{
	return accounts(r, ZPL_GROUPS, e);
}

int verb_projectspace(struct run *r, struct err *e)
{
	return accounts(r, ZPL_PROJECTS, e);
}
