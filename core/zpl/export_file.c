/* One file into a sink: its entry, extended attributes, contents, and whether it was met before. */
#include <stdio.h>

#include "core/base/mem.h"
#include "core/zpl/export_impl.h"
#include "formats/base/limits.h"
#include "formats/znode.h"

enum {
	TARGET_MAX = 64 << 10,	 /* a symlink's; Linux takes 4095 */
	XATTR_TOTAL = 32 << 20,	 /* bytes of attributes of one file; a guard */
};

void export_fini(struct export *x)
{
	idmap_fini(&x->entered);
	idmap_fini(&x->links);
	free(x->link_paths);
	free(x->buf);
	free(x->arena);
	free(x->xattrs);
	free(x->given);
	free(x->aces);
	contents_fini(&x->contents);
}

static int arena_put(struct export *x, const void *p, size_t n, size_t *at, struct err *e)
{
	if (n > XATTR_TOTAL - x->arena_n)
		return err_set(e, ERR_UNSUPPORTED, "more than %d bytes of extended attributes",
			       XATTR_TOTAL);
	if (mem_grow(&x->arena, &x->arena_cap, x->arena_n + n, 1, e) < 0)
		return -1;
	if (n > 0)
		memcpy(x->arena + x->arena_n, p, n);
	*at = x->arena_n;
	x->arena_n += n;
	return 0;
}

static int add_xattr(void *ctx, const char *name, struct bytes value, struct err *e)
{
	struct export	   *x = ctx;
	struct export_xattr one = { .size = value.n };

	/* The system attributes' one comes first and is the one that counts. */
	for (size_t i = 0; i < x->xattr_count; i++) {
		if (strcmp(x->arena + x->xattrs[i].name, name) == 0)
			return 0;
	}
	if (mem_grow(&x->xattrs, &x->xattr_cap, x->xattr_count + 1, sizeof *x->xattrs, e) < 0 ||
	    arena_put(x, name, strlen(name) + 1, &one.name, e) < 0 ||
	    arena_put(x, value.p, value.n, &one.value, e) < 0)
		return -1;
	x->xattrs[x->xattr_count++] = one;
	return 0;
}

/* Those that can be read; the rest is reported. */
static int collect_xattrs(struct export *x, const struct zpl_attr *a, struct entry *entry,
			  struct err *e)
{
	struct err why = { 0 };

	x->arena_n = 0;
	x->xattr_count = 0;
	if (zpl_xattrs(x->z, a->object, add_xattr, x, &why) < 0) {
		if (why.kind == ERR_NOMEM) {
			*e = why;
			return -1;
		}
		export_report(x, &why);
	}
	if (mem_grow(&x->given, &x->given_cap, x->xattr_count, sizeof *x->given, e) < 0)
		return -1;
	for (size_t i = 0; i < x->xattr_count; i++) {
		x->given[i] = (struct entry_xattr){ .name = x->arena + x->xattrs[i].name,
						    .value = x->arena + x->xattrs[i].value,
						    .size = x->xattrs[i].size };
	}
	entry->xattrs = x->given;
	entry->xattr_count = x->xattr_count;
	return 0;
}

/* A list that says more than the mode. One that cannot be read is reported. */
static int collect_acl(struct export *x, const struct zpl_attr *a, struct entry *entry,
		       struct err *e)
{
	struct err why = { 0 };
	size_t	   count;

	if (a->flags & ZNODE_ACL_TRIVIAL)
		return 0;
	if (zpl_acl(x->z, a->object, &x->aces, &x->ace_cap, &count, &why) < 0) {
		if (why.kind == ERR_NOMEM) {
			*e = why;
			return -1;
		}
		export_report(x, &why);
	} else if (!acl_is_trivial(x->aces, count)) {
		entry->aces = x->aces;
		entry->ace_count = count;
	}
	return 0;
}

/* Room for one block, or for a target. */
static int buffer(struct export *x, size_t n, struct err *e)
{
	if (n <= x->buf_cap)
		return 0;
	free(x->buf);
	x->buf_cap = 0;
	x->buf = mem_raw(n, e);
	if (x->buf == NULL)
		return -1;
	x->buf_cap = n;
	return 0;
}

static int give_opened(struct export *x, struct object *o, struct entry *entry, struct err *failed,
		       struct err *e)
{
	struct object_pieces how = contents_pieces(&x->contents, entry->size);

	contents_begin(&x->contents);
	if (x->what->with_ranges && entry->size > o->dn.block_size) {
		if (object_pieces_map(o, entry->size, contents_range, &x->contents, e) < 0)
			return -1;
		contents_map(&x->contents, entry);
	}
	/* A whole block always, so that object_read can go past the cache. */
	if (buffer(x, o->dn.block_size, e) < 0 || x->sink->begin(x->sink->self, entry, e) < 0 ||
	    object_pieces_read(o, &how, x->buf, e) < 0)
		return -1;
	*failed = x->contents.failed;
	return 0;
}

static int give_file(struct export *x, const struct zpl_attr *a, struct entry *entry,
		     struct err *failed, struct err *e)
{
	struct object o;

	if (x->what->without_contents)
		return x->sink->begin(x->sink->self, entry, e);
	if (object_open(zpl_objset(x->z), a->object, &o, failed) < 0) {
		export_report(x, failed);
		return x->sink->begin(x->sink->self, entry, e);
	}

	int rc = give_opened(x, &o, entry, failed, e);

	object_close(&o);
	return rc;
}

/* Has the file a path already? Then the entry becomes a link to it, else it is remembered. */
static int link_or_remember(struct export *x, const struct zpl_attr *a, struct entry *entry,
			    struct err *e)
{
	uint64_t at;

	if (a->links < 2 || entry->kind == ENTRY_DIR)
		return 0;
	if (idmap_get(&x->links, a->object, &at)) {
		entry->kind = ENTRY_HARDLINK;
		entry->size = 0;
		entry->target = x->link_paths + at;
		entry->target_size = strlen(entry->target);
		return 0;
	}
	if (mem_grow(&x->link_paths, &x->link_cap, x->link_n + x->path_n + 1, 1, e) < 0 ||
	    idmap_put(&x->links, a->object, x->link_n, e) < 0)
		return -1;
	memcpy(x->link_paths + x->link_n, x->path, x->path_n + 1);
	x->link_n += x->path_n + 1;
	return 0;
}

static void describe(const struct export *x, const struct zpl_attr *a, struct entry *out)
{
	*out = (struct entry){ .kind = (enum entry_kind)entry_kind_of_mode(a->mode),
			       .path = x->path,
			       .path_size = x->path_n,
			       .mode = (uint32_t)(a->mode & 07777),
			       .uid = a->uid,
			       .gid = a->gid,
			       .links = a->links,
			       .serial = a->object,
			       .mtime = a->mtime,
			       .atime = a->atime,
			       .ctime = a->ctime,
			       .crtime = a->crtime,
			       .have_atime = true,
			       .have_ctime = true,
			       .have_crtime = true };
	if (out->kind == ENTRY_FILE)
		out->size = a->size;
	if (out->kind == ENTRY_CHAR || out->kind == ENTRY_BLOCK)
		zpl_rdev(x->z, a->rdev, &out->major, &out->minor);
}

/* 1 when the entry has a target now, 0 when it cannot be read (told of), -1. */
static int add_target(struct export *x, const struct zpl_attr *a, struct entry *entry,
		      struct err *e)
{
	struct err why = { 0 };

	if (buffer(x, TARGET_MAX, e) < 0)
		return -1;
	if (zpl_readlink(x->z, a->object, (char *)x->buf, TARGET_MAX, &entry->target_size,
			 &why) < 0) {
		export_report(x, &why);
		return 0;
	}
	entry->target = (char *)x->buf;
	return 1;
}

int export_one(struct export *x, const struct zpl_attr *a, struct err *e)
{
	struct entry entry;
	struct err   failed = { 0 };

	describe(x, a, &entry);
	if (entry.kind == 0) {
		err_set(&failed, ERR_UNSUPPORTED, "a file of unknown type, mode 0%llo",
			(unsigned long long)a->mode);
		export_report(x, &failed);
		return 0;
	}
	if (entry.kind == ENTRY_SYMLINK) {
		int rc = add_target(x, a, &entry, e);

		if (rc <= 0)
			return rc;
	}
	if (link_or_remember(x, a, &entry, e) < 0)
		return -1;
	if (entry.kind != ENTRY_HARDLINK &&
	    (collect_xattrs(x, a, &entry, e) < 0 || collect_acl(x, a, &entry, e) < 0))
		return -1;
	if (entry.kind == ENTRY_FILE ? give_file(x, a, &entry, &failed, e) < 0
				     : x->sink->begin(x->sink->self, &entry, e) < 0)
		return -1;
	return x->sink->end(x->sink->self, failed.kind != ERR_NONE ? &failed : NULL, e);
}
