/*
 * ZAP objects, micro or fat, by name and as a walk. The blocks are read in formats/zap*.c.
 *
 * Names are compared byte by byte. The hash of a normalising ZAP is that of a name normalised in
 * ways that this layer does not know, so a name is looked for in all of its leaves there.
 */
#include "core/dmu/zap_read.h"

#include "formats/base/limits.h"
#include "formats/zap_fat.h"

/* An object found to be a ZAP. */
struct zap {
	struct object	*object;
	struct block	*first; /* block 0, held */
	bool		 is_fat;
	struct zap_micro micro;
	struct zap_fat	 fat;
};

static int in_zap(const struct object *o, struct err *e)
{
	return err_in(e, "object set %llu: object %llu", (unsigned long long)o->os->id,
		      (unsigned long long)o->number);
}

static int zap_begin(struct object *o, struct zap *out, struct err *e)
{
	struct zap z = { .object = o };
	int	   rc;

	if (objtype_payload(o->dn.type) != PAYLOAD_ZAP)
		return err_set(e, ERR_CORRUPT, "%s is no zap", objtype_name(o->dn.type));
	if (object_block(o, 0, &z.first, e) < 0)
		return -1;
	z.is_fat = z.first->bytes.n < 8 || get64(z.first->bytes, 0) != ZAP_BLOCK_MICRO;
	if (z.is_fat)
		rc = zap_fat_decode(z.first->bytes, &z.fat, e);
	else
		rc = zap_micro_decode(z.first->bytes, &z.micro, e);
	if (rc < 0)
		block_put(o->os->reader, z.first);
	else
		*out = z;
	return rc;
}

static void zap_end(struct zap *z)
{
	block_put(z->object->os->reader, z->first);
}

/* A walk that goes on after damage and remembers its first reason. */
struct walk {
	zap_fn	  *fn;
	void	  *ctx;
	bool	   ended; /* by fn, with rc */
	int	   rc;
	bool	   damaged;
	struct err why;
	uint8_t	   scratch[ZAP_FAT_SCRATCH];
};

/* Where to put the next reason: only the first is kept. */
static struct err *walk_err(struct walk *w)
{
	return w->damaged ? NULL : &w->why;
}

static int walk_give(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct walk *w = ctx;

	w->rc = w->fn(w->ctx, entry, e);
	w->ended = w->rc != 0;
	return w->rc;
}

static void walk_micro(struct zap *z, struct walk *w, struct err *e)
{
	for (size_t i = 0; i < z->micro.slots && !w->ended; i++) {
		struct zap_entry entry;
		int rc = zap_micro_entry(z->first->bytes, &z->micro, i, &entry, walk_err(w));

		if (rc < 0)
			w->damaged = true;
		else if (rc > 0)
			(void)walk_give(w, &entry, e);
	}
}

/* One block of a fat ZAP: what is no leaf (the pointer table, a remnant of it) says nothing. */
static void walk_block(struct zap *z, uint64_t blkid, struct walk *w, struct err *e)
{
	struct block_reader *r = z->object->os->reader;
	struct block	    *b;
	struct zap_leaf	     leaf;
	struct err	     why = { 0 };
	int		     rc = 0;

	if (object_block(z->object, blkid, &b, walk_err(w)) < 0) {
		w->damaged = true;
		return;
	}
	if (b->bytes.n >= 8 && get64(b->bytes, 0) == ZAP_BLOCK_LEAF) {
		rc = zap_leaf_decode(b->bytes, &leaf, &why);
		if (rc == 0)
			rc = zap_leaf_each(&leaf, z->fat.flags, w->scratch, walk_give, w, &why);
	}
	block_put(r, b);
	if (w->ended) {
		if (e != NULL)
			*e = why;
	} else if (rc < 0) {
		err_in(&why, "block %llu", (unsigned long long)blkid);
		if (!w->damaged)
			w->why = why;
		w->damaged = true;
	}
}

/* Every allocated block once, whatever the pointer table says. */
static void walk_fat(struct zap *z, struct walk *w, struct err *e)
{
	uint64_t size = z->object->dn.block_size, at = size, start = 0, end = 0;

	while (!w->ended) {
		struct err why = { 0 };

		if (object_next_data(z->object, at, &start, &end, &why) < 0) {
			if (why.kind == ERR_NOTFOUND)
				return;
			if (!w->damaged)
				w->why = why;
			w->damaged = true;
			start = end;
		}
		for (uint64_t blkid = start / size; blkid < end / size && !w->ended; blkid++)
			walk_block(z, blkid, w, e);
		if (end <= at)
			return;
		at = end;
	}
}

static int walk_all(struct zap *z, zap_fn *fn, void *ctx, struct err *e)
{
	struct walk w = { .fn = fn, .ctx = ctx };

	if (z->is_fat)
		walk_fat(z, &w, e);
	else
		walk_micro(z, &w, e);
	if (w.ended)
		return w.rc;
	if (w.damaged && e != NULL)
		*e = w.why;
	return w.damaged ? -1 : 0;
}

int zap_each(struct object *zap, zap_fn *fn, void *ctx, struct err *e)
{
	struct zap z;

	if (zap_begin(zap, &z, e) < 0)
		return in_zap(zap, e);

	struct err why = { 0 };
	int	   rc = walk_all(&z, fn, ctx, &why);

	zap_end(&z);
	if (rc != 0 && e != NULL)
		*e = why;
	return rc;
}

/* What to do with the entry that was found, while its bytes last. */
typedef int found_fn(void *ctx, const struct zap_entry *entry, struct err *e);

struct search {
	struct bytes name;
	found_fn    *found;
	void	    *ctx;
	int	     rc;
};

/* 1 ends the walk. */
static int match(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct search *s = ctx;

	if (entry->name.n != s->name.n || memcmp(entry->name.p, s->name.p, s->name.n) != 0)
		return 0;
	s->rc = s->found(s->ctx, entry, e);
	return 1;
}

static int not_found(const struct search *s, struct err *e)
{
	char	    buf[128];
	struct text t = text_in(buf, sizeof buf);

	text_name(&t, s->name.p, s->name.n);
	return err_set(e, ERR_NOTFOUND, "no entry '%s'%s", buf, t.cut ? "..." : "");
}

/* The block that the pointer table names for a hash. */
static int leaf_block(struct zap *z, uint64_t hash, uint64_t *blkid, struct err *e)
{
	struct block *b;
	uint64_t      table;
	size_t	      offset;

	zap_fat_pointer_at(&z->fat, zap_fat_index(&z->fat, hash), &table, &offset);
	if (object_block(z->object, table, &b, e) < 0)
		return err_in(e, "pointer table");
	*blkid = get64(b->bytes, offset);
	block_put(z->object->os->reader, b);
	return 0;
}

static int find_by_hash(struct zap *z, struct search *s, struct err *e)
{
	uint8_t		scratch[ZAP_FAT_SCRATCH];
	uint64_t	hash = zap_hash(z->fat.salt, z->fat.flags, s->name.p, s->name.n), blkid = 0;
	struct block   *b;
	struct zap_leaf leaf;
	struct zap_entry entry;
	int		 rc;

	if (leaf_block(z, hash, &blkid, e) < 0)
		return -1;
	if (blkid == 0)
		return err_set(e, ERR_CORRUPT, "the pointer table has no leaf for hash %#llx",
			       (unsigned long long)hash);
	if (object_block(z->object, blkid, &b, e) < 0)
		return -1;
	rc = zap_leaf_decode(b->bytes, &leaf, e);
	if (rc == 0)
		rc = zap_leaf_find(&leaf, z->fat.flags, hash, s->name, scratch, &entry, e);
	if (rc < 0)
		err_in(e, "block %llu", (unsigned long long)blkid);
	else
		rc = rc > 0 ? s->found(s->ctx, &entry, e) : not_found(s, e);
	block_put(z->object->os->reader, b);
	return rc;
}

static int find_by_walk(struct zap *z, struct search *s, struct err *e)
{
	int rc = walk_all(z, match, s, e);

	if (rc > 0)
		return s->rc;
	return rc < 0 ? -1 : not_found(s, e);
}

static int find(struct object *o, struct search *s, struct err *e)
{
	struct zap z;
	int	   rc;

	if (zap_begin(o, &z, e) < 0)
		return in_zap(o, e);
	if (z.is_fat && z.fat.normflags == 0)
		rc = find_by_hash(&z, s, e);
	else
		rc = find_by_walk(&z, s, e);
	zap_end(&z);
	return rc < 0 ? in_zap(o, e) : 0;
}

static int take_u64(void *ctx, const struct zap_entry *entry, struct err *e)
{
	uint64_t *out = ctx;

	if (entry->int_size != 8 || entry->value.n != 8)
		return err_set(e, ERR_CORRUPT, "value of %zu bytes in integers of %u, not one of 8",
			       entry->value.n, entry->int_size);
	*out = zap_entry_int(entry, 0);
	return 0;
}

int zap_u64_key(struct object *zap, const void *name, size_t n, uint64_t *out, struct err *e)
{
	struct search s = { .name = bytes_of(name, n, ORDER_NATIVE),
			    .found = take_u64,
			    .ctx = out };

	return find(zap, &s, e);
}

int zap_u64(struct object *zap, const char *name, uint64_t *out, struct err *e)
{
	return zap_u64_key(zap, name, strlen(name), out, e);
}

struct take {
	unsigned int_size;
	uint8_t *buf;
	size_t	 cap, n;
};

static int take_any(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct take *t = ctx;

	(void)e;
	t->int_size = entry->int_size;
	t->n = (size_t)min64(entry->value.n, t->cap / entry->int_size * entry->int_size);
	for (size_t at = 0; at < t->n; at += entry->int_size) {
		uint64_t      v = zap_entry_int(entry, at / entry->int_size);
		struct wbytes to = wbytes_of(t->buf + at, entry->int_size, ORDER_NATIVE);

		if (entry->int_size == 8)
			put64(to, 0, v);
		else if (entry->int_size == 4)
			put32(to, 0, (uint32_t)v);
		else if (entry->int_size == 2)
			put16(to, 0, (uint16_t)v);
		else
			put8(to, 0, (uint8_t)v);
	}
	return 0;
}

int zap_lookup(struct object *zap, const char *name, unsigned *int_size, void *buf, size_t cap,
	       size_t *n, struct err *e)
{
	struct take   t = { .buf = buf, .cap = cap };
	struct search s = { .name = bytes_of(name, strlen(name), ORDER_NATIVE),
			    .found = take_any,
			    .ctx = &t };

	if (find(zap, &s, e) < 0)
		return -1;
	*int_size = t.int_size;
	*n = t.n;
	return 0;
}

int zap_u64_at(struct objset *os, uint64_t number, const char *name, uint64_t *out, struct err *e)
{
	struct object o;
	int	      rc;

	if (object_open(os, number, &o, e) < 0)
		return -1;
	rc = zap_u64(&o, name, out, e);
	object_close(&o);
	return rc;
}

int zap_each_at(struct objset *os, uint64_t number, zap_fn *fn, void *ctx, struct err *e)
{
	struct object o;
	int	      rc;

	if (object_open(os, number, &o, e) < 0)
		return -1;
	rc = zap_each(&o, fn, ctx, e);
	object_close(&o);
	return rc;
}
