/* Bonus buffers by type. Leaves the object's payload to core/dump/payload. */
#include "core/dump/bonus.h"

#include <inttypes.h>
#include <string.h>

#include "formats/dsl.h"
#include "formats/history.h"
#include "formats/sa.h"
#include "formats/spacemap.h"
#include "formats/words.h"

/* A decoder and a description of one structure, behind one signature. */
#define RECORD(name)                                                            \
	static void name##_text(const void *what, struct text *t)               \
	{                                                                       \
		name##_describe(what, t);                                       \
	}                                                                       \
	static int name##_bonus(struct dump *d, struct bytes in, struct err *e) \
	{                                                                       \
		struct name record;                                             \
                                                                                \
		if (name##_decode(in, &record, e) < 0)                          \
			return -1;                                              \
		return dump_described(d, 1, name##_text, &record, e);           \
	}

RECORD(dsl_dir)
RECORD(dsl_dataset)
RECORD(dsl_deadlist)
RECORD(bpobj)
RECORD(spacemap)
RECORD(history)

static int number_bonus(struct dump *d, struct bytes in, struct err *e)
{
	if (in.n < 8)
		return err_set(e, ERR_CORRUPT, "a size needs 8 bytes, has %zu", in.n);
	return dump_line(d, e, "\tpacked size = %" PRIu64, get64(in, 0));
}

static const struct {
	uint8_t type;
	int (*dump)(struct dump *d, struct bytes in, struct err *e);
} records[] = {
	{ OT_DSL_DIR, dsl_dir_bonus },		 { OT_DSL_DATASET, dsl_dataset_bonus },
	{ OT_DEADLIST_HDR, dsl_deadlist_bonus }, { OT_BPOBJ_HDR, bpobj_bonus },
	{ OT_SPACE_MAP_HEADER, spacemap_bonus }, { OT_SPA_HISTORY_OFFSETS, history_bonus },
	{ OT_PACKED_NVLIST_SIZE, number_bonus }, { OT_FUID_SIZE, number_bonus },
};

void dump_time(struct text *t, struct entry_time when)
{
	if (when.sec >= 0)
		text_time(t, (uint64_t)when.sec);
	else
		text_put(t, "%" PRId64 " s", when.sec);
	if (when.ns != 0)
		text_put(t, " + %" PRIu32 " ns", when.ns);
}

static int time_line(struct dump *d, const char *name, struct entry_time when, struct err *e)
{
	char	    line[96];
	struct text t = text_in(line, sizeof line);

	dump_time(&t, when);
	return dump_line(d, e, "\t%s\t%s", name, line);
}

static int symlink_line(struct dump *d, struct zpl *z, uint64_t object, struct err *e)
{
	char	    target[4096], quoted[4 * sizeof target + 1];
	struct text t = text_in(quoted, sizeof quoted);
	size_t	    n;

	if (zpl_readlink(z, object, target, sizeof target, &n, e) < 0)
		return -1;
	text_name(&t, target, n);
	return dump_line(d, e, "\ttarget\t%s", quoted);
}

static int xattr_line(void *ctx, const char *name, struct bytes value, struct err *e)
{
	struct dump *d = ctx;
	char	     quoted[1100];
	struct text  t = text_in(quoted, sizeof quoted);

	text_name(&t, name, strlen(name));
	return dump_line(d, e, "\txattr\t%s (%zu bytes)", quoted, value.n);
}

/* What stands outside the bonus may be damaged; the attributes are good then, so it is only
 * reported. */
static int beside(struct dump *d, const char *name, int rc, struct err *why, struct err *e)
{
	if (rc < 0)
		err_in(why, "%s", name);
	return dump_go_on(d, rc, why, e);
}

/* The attributes in zdb's words and order. */
static int file_bonus(struct dump *d, struct object *o, struct zpl *z, struct err *e)
{
	struct zpl_attr a;
	struct err	why;

	if (zpl_getattr(z, o->number, &a, e) < 0)
		return -1;
	if (dump_line(d, e, "\tuid\t%" PRIu64 "\n\tgid\t%" PRIu64, a.uid, a.gid) < 0 ||
	    time_line(d, "atime", a.atime, e) < 0 || time_line(d, "mtime", a.mtime, e) < 0 ||
	    time_line(d, "ctime", a.ctime, e) < 0 || time_line(d, "crtime", a.crtime, e) < 0 ||
	    dump_line(d, e,
		      "\tgen\t%" PRIu64 "\n\tmode\t%" PRIo64 "\n\tsize\t%" PRIu64
		      "\n\tparent\t%" PRIu64 "\n\tlinks\t%" PRIu64 "\n\tpflags\t%" PRIx64,
		      a.gen, a.mode, a.size, a.parent, a.links, a.flags) < 0)
		return -1;
	if (a.projid != 0 && dump_line(d, e, "\tprojid\t%" PRIu64, a.projid) < 0)
		return -1;
	if (a.xattr_object != 0 && dump_line(d, e, "\txattr\tobject %" PRIu64, a.xattr_object) < 0)
		return -1;
	if (a.rdev != 0 && dump_line(d, e, "\trdev\t0x%016" PRIx64, a.rdev) < 0)
		return -1;
	/* 0170000 and 0120000: the file type's bits and a symbolic link, as POSIX has them. */
	if ((a.mode & 0170000) == 0120000 &&
	    beside(d, "target", symlink_line(d, z, o->number, &why), &why, e) < 0)
		return -1;
	return beside(d, "extended attributes", zpl_xattrs(z, o->number, xattr_line, d, &why), &why,
		      e);
}

static int sa_header_line(struct dump *d, struct bytes in, struct err *e)
{
	struct sa_header h;

	if (sa_header_decode(in, &h, NULL) < 0)
		return 0;
	return dump_line(d, e, "\tSA header: layout %u, %zu bytes", h.layout, h.size);
}

int dump_bonus(struct dump *d, struct object *o, struct zpl *z, struct err *e)
{
	const struct dnode *dn = &o->dn;
	struct err	    why;

	if (dn->bonus.n == 0)
		return 0;
	for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
		if (records[i].type == dn->bonus_type)
			return records[i].dump(d, dn->bonus, e);
	if (dn->bonus_type == OT_SA && sa_header_line(d, dn->bonus, e) < 0)
		return -1;
	if (z != NULL && (dn->bonus_type == OT_SA || dn->bonus_type == OT_ZNODE)) {
		int rc = file_bonus(d, o, z, &why);

		if (rc == 0)
			return 0;
		err_in(&why, "attributes");
		if (dump_go_on(d, rc, &why, e) < 0)
			return -1;
	}
	return bytes_zero(dn->bonus) ? dump_line(d, e, "\t(all zeros)")
				     : dump_hex(d, 1, 0, dn->bonus, e);
}
