/* One object: dnode, bonus, payload, blocks. */
#include "core/dump/object.h"

#include <inttypes.h>

#include "core/dump/bonus.h"
#include "core/dump/payload.h"

static void dnode_text(const void *what, struct text *t)
{
	dnode_describe(what, t);
}

static void objset_text(const void *what, struct text *t)
{
	objset_describe(what, t);
}

static int part(struct dump *d, const char *name, int rc, struct err *why, struct err *e)
{
	if (rc < 0)
		err_in(why, "%s", name);
	return dump_go_on(d, rc, why, e);
}

int dump_object(struct dump *d, struct pool *pool, struct object *o, struct zpl *z, struct err *e)
{
	struct err why;

	/* The accounting objects have numbers below zero: -1, -2, -3. */
	if (dump_line(d, e, "object %" PRId64, (int64_t)o->number) < 0 ||
	    dump_described(d, 1, dnode_text, &o->dn, e) < 0)
		return -1;
	if (o->dn.bonus.n > 0 && dump_line(d, e, "bonus") < 0)
		return -1;
	if (part(d, "bonus", dump_bonus(d, o, z, &why), &why, e) < 0)
		return -1;
	if (part(d, "contents", dump_payload(d, pool, o, &why), &why, e) < 0)
		return -1;
	if (!d->all)
		return 0;
	if (dump_line(d, e, "blocks") < 0)
		return -1;
	return part(d, "blocks", dump_blocks(d, o, &why), &why, e);
}

int dump_objset(struct dump *d, const struct objset *os, struct err *e)
{
	char	    line[1024];
	struct text t = text_in(line, sizeof line);

	blkptr_describe(&os->root, &t);
	if (dump_line(d, e, "object set %" PRIu64 "\n\tobjects below: %" PRIu64 "\n\trootbp: %s",
		      os->id, os->object_limit, line) < 0)
		return -1;
	return dump_described(d, 1, objset_text, &os->phys, e);
}
