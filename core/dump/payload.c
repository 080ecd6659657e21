/* Contents of objects by type. Space maps and the history have a file of their own, maps.c. */
#include "core/dump/payload.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dump/payload_impl.h"
#include "formats/base/limits.h"
#include "formats/dsl.h"
#include "formats/sa.h"
#include "formats/znode.h"

enum {
	PACKED_MAX = 16 << 20, /* ours: the largest packed list we unpack */
	RAW_SHOWN = 512,       /* bytes of a payload without a shape */
	ZAP_LINE = 48 << 10,   /* a name of 1 KiB quoted and 8 KiB of numbers */
};

/* One block to fn; one that cannot be read is trouble. */
static int one_block(struct dump *d, struct object *o, uint64_t at, uint64_t limit,
		     payload_block_fn *fn, void *ctx, struct err *e)
{
	struct block *b;
	struct err    why;

	if (object_block(o, at / o->dn.block_size, &b, &why) < 0)
		return dump_go_on(d, -1, &why, e);

	struct bytes in = bytes_sub(b->bytes, 0, (size_t)min64(b->bytes.n, limit - at));
	int	     rc = fn(ctx, at, in, e);

	block_put(o->os->reader, b);
	return rc;
}

int payload_blocks(struct dump *d, struct object *o, uint64_t limit, payload_block_fn *fn,
		   void *ctx, struct err *e)
{
	uint64_t at = 0;
	int	 rc = 0;

	while (rc == 0 && at < limit) {
		uint64_t   start = at, end = at;
		struct err why;

		if (object_next_data(o, at, &start, &end, &why) < 0) {
			if (why.kind == ERR_NOTFOUND)
				return 0;
			if (dump_go_on(d, -1, &why, e) < 0)
				return -1;
			/* What an unreadable indirect block covers is stepped over. */
			if (end <= at)
				return 0;
			at = end;
			continue;
		}
		for (at = start; rc == 0 && at < end && at < limit; at += o->dn.block_size)
			rc = one_block(d, o, at, limit, fn, ctx, e);
	}
	return rc < 0 ? -1 : 0;
}

struct zap_dump {
	struct dump *d;
	uint8_t	     type;
	char	    *line; /* ZAP_LINE bytes */
};

static void put_name(struct text *t, const struct zap_entry *entry)
{
	if (!entry->number_key) {
		text_name(t, entry->name.p, entry->name.n);
		return;
	}
	for (size_t i = 0; i + 8 <= entry->name.n; i += 8)
		text_put(t, "%s%016" PRIx64, i > 0 ? ":" : "", get64(entry->name, i));
}

/* Bytes that are a text with its NUL, as properties are. */
static bool is_text(struct bytes v)
{
	if (v.n < 2 || v.p[v.n - 1] != '\0')
		return false;
	for (size_t i = 0; i + 1 < v.n; i++)
		if (v.p[i] < 0x20 || v.p[i] > 0x7e)
			return false;
	return true;
}

/* Names of the types that a directory entry carries: dirent.h, DT_*. */
static const char *dirent_type_name(unsigned type)
{
	static const char *const names[16] = {
		[0] = "not specified",	[1] = "FIFO",	      [2] = "Character Device",
		[4] = "Directory",	[6] = "Block Device", [8] = "Regular File",
		[10] = "Symbolic Link", [12] = "Socket",      [13] = "Door",
		[14] = "Event Port",	[15] = "Whiteout",
	};

	return type < 16 && names[type] != NULL ? names[type] : "invalid";
}

static void put_value(struct text *t, uint8_t type, const struct zap_entry *entry)
{
	size_t	 count = entry->value.n / entry->int_size;
	uint64_t first = count > 0 ? zap_entry_int(entry, 0) : 0;
	uint16_t number, length;
	uint8_t	 bswap;

	if (type == OT_DIRECTORY && count == 1) {
		text_put(t, "%" PRIu64 " (type: %s)", dirent_object(first),
			 dirent_type_name(dirent_type(first)));
	} else if (type == OT_SA_ATTR_REGISTRATION && count == 1) {
		sa_registry_decode(first, &number, &bswap, &length);
		text_put(t, "%016" PRIx64 " : [%u:%u:%u]", first, length, bswap, number);
	} else if (entry->int_size == 1 && is_text(entry->value)) {
		text_name(t, entry->value.p, entry->value.n - 1);
	} else if (entry->int_size == 1) {
		text_hex(t, entry->value.p, entry->value.n);
	} else {
		for (size_t i = 0; i < count; i++)
			text_put(t, "%s%" PRIu64, i > 0 ? " " : "", zap_entry_int(entry, i));
	}
}

static int zap_line(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct zap_dump *z = ctx;
	struct text	 t = text_in(z->line, ZAP_LINE);

	put_name(&t, entry);
	text_put(&t, " = ");
	put_value(&t, z->type, entry);
	return dump_line(z->d, e, "\t\t%s", z->line);
}

static int payload_zap(struct dump *d, struct object *o, struct err *e)
{
	struct zap_dump z = { .d = d, .type = o->dn.type, .line = mem_raw(ZAP_LINE, e) };

	if (z.line == NULL)
		return -1;

	int rc = zap_each(o, zap_line, &z, e);

	free(z.line);
	return rc;
}

static int payload_nvlist(struct dump *d, struct object *o, struct err *e)
{
	uint64_t       size = o->dn.bonus.n >= 8 ? get64(o->dn.bonus, 0) : 0;
	uint8_t	      *buf = NULL;
	struct nvlist *l = NULL;
	int	       rc = -1;

	if (size == 0)
		return dump_line(d, e, "\t\t(empty)");
	if (size > PACKED_MAX)
		return err_set(e, ERR_CORRUPT, "a packed list of %" PRIu64 " bytes", size);
	buf = mem_raw((size_t)size, e);
	if (buf == NULL || object_read(o, 0, buf, (size_t)size, e) < 0 ||
	    nvlist_decode(bytes_of(buf, (size_t)size, ORDER_BIG), &l, NULL, e) < 0)
		goto out;
	rc = dump_nvlist(d, 2, l, e);
out:
	nvlist_free(l);
	free(buf);
	return rc;
}

/* A list of records of one size, the first few of them unless all are wanted. */
struct list {
	struct dump *d;
	uint64_t     shown, count; /* count: UINT64_MAX when only the end of the object tells */
	size_t	     record;
	int (*line)(struct list *l, uint64_t index, struct bytes in, struct err *e);
};

static int list_block(void *ctx, uint64_t offset, struct bytes in, struct err *e)
{
	struct list *l = ctx;

	for (size_t at = 0; l->record <= in.n - at; at += l->record) {
		if (!l->d->all && l->shown == DUMP_FEW)
			return 1;

		int rc = l->line(l, (offset + at) / l->record, bytes_sub(in, at, l->record), e);

		if (rc != 0)
			return rc;
	}
	return 0;
}

static int list_dump(struct list *l, struct object *o, struct err *e)
{
	uint64_t limit = UINT64_MAX;

	if (l->count != UINT64_MAX && !mul_ok(l->count, l->record, &limit))
		limit = UINT64_MAX;
	if (payload_blocks(l->d, o, limit, list_block, l, e) < 0)
		return -1;
	if (l->d->all || l->shown < DUMP_FEW)
		return 0;
	return dump_line(l->d, e, "\t\t... (-v shows all)");
}

static int blkptr_line(struct list *l, uint64_t index, struct bytes in, struct err *e)
{
	char	      line[1024];
	struct text   t = text_in(line, sizeof line);
	struct blkptr bp;

	if (blkptr_decode(in, &bp, e) < 0)
		return -1;
	l->shown++;
	blkptr_describe(&bp, &t);
	return dump_line(l->d, e, "\t\t%" PRIu64 " %s", index, line);
}

static int payload_bpobj(struct dump *d, struct object *o, struct err *e)
{
	struct bpobj b;
	struct list  l = { .d = d, .record = BLKPTR_SIZE, .line = blkptr_line };

	if (bpobj_decode(o->dn.bonus, &b, e) < 0)
		return -1;
	l.count = b.count;
	return list_dump(&l, o, e);
}

/* Zeros are room that was never filled; metaslab arrays and lists of objects have no other end. */
static int number_line(struct list *l, uint64_t index, struct bytes in, struct err *e)
{
	uint64_t v = get64(in, 0);

	if (v == 0)
		return 0;
	l->shown++;
	return dump_line(l->d, e, "\t\t%" PRIu64 " = %" PRIu64, index, v);
}

static int payload_numbers(struct dump *d, struct object *o, struct err *e)
{
	struct list l = { .d = d, .count = UINT64_MAX, .record = 8, .line = number_line };

	return list_dump(&l, o, e);
}

static int raw_block(void *ctx, uint64_t offset, struct bytes in, struct err *e)
{
	return dump_hex(ctx, 2, offset, in, e);
}

static int payload_raw(struct dump *d, struct object *o, struct err *e)
{
	return payload_blocks(d, o, d->all ? UINT64_MAX : RAW_SHOWN, raw_block, d, e);
}

/* File contents are what poolcp is for; the others are dnodes, or live in the bonus. */
static bool is_shown(uint8_t type)
{
	switch (type) {
	case OT_PLAIN_FILE:
	case OT_ZVOL:
	case OT_INTENT_LOG:
	case OT_DNODE:
	case OT_DSL_DIR:
	case OT_DSL_DATASET:
	case OT_SA:
		return false;
	default:
		return true;
	}
}

int dump_payload(struct dump *d, struct pool *pool, struct object *o, struct err *e)
{
	if (!is_shown(o->dn.type))
		return 0;
	if (dump_line(d, e, "contents") < 0)
		return -1;
	switch (o->dn.type) {
	case OT_PACKED_NVLIST:
		return payload_nvlist(d, o, e);
	case OT_BPOBJ:
		return payload_bpobj(d, o, e);
	case OT_SPACE_MAP:
		return payload_spacemap(d, pool, o, e);
	case OT_SPA_HISTORY:
		return payload_history(d, o, e);
	default:
		break;
	}
	switch (objtype_payload(o->dn.type)) {
	case PAYLOAD_ZAP:
		return payload_zap(d, o, e);
	case PAYLOAD_UINT64:
		return payload_numbers(d, o, e);
	default:
		return payload_raw(d, o, e);
	}
}

struct blocks_dump {
	struct dump   *d;
	struct object *o;
};

static int block_line(void *ctx, const struct block_where *where, const struct blkptr *bp,
		      const struct err *failed, struct err *e)
{
	struct blocks_dump *b = ctx;
	char		    line[1024];
	struct text	    t = text_in(line, sizeof line);
	uint64_t	    at;

	if (failed != NULL)
		return dump_go_on(b->d, -1, failed, e);
	blkptr_describe(bp, &t);
	if (where->blkid == BLKID_SPILL)
		return dump_line(b->d, e, "\t           spill L0 %s", line);
	/* A damaged tree can name blocks past 2^64; they still deserve their line. */
	if (!mul_ok(dnode_span(&b->o->dn, where->level), where->blkid, &at) ||
	    !mul_ok(at, b->o->dn.block_size, &at))
		at = UINT64_MAX;
	return dump_line(b->d, e, "\t%16" PRIx64 " L%u %s", at, where->level, line);
}

int dump_blocks(struct dump *d, struct object *o, struct err *e)
{
	return object_visit(o, block_line, &(struct blocks_dump){ .d = d, .o = o }, e);
}
