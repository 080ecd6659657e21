/*
 * Entries into a file system: paths to directories, and one file at a time. What is known only at the end
 * (directories, link counts, accounts) is zpl_finish.c's.
 */
#include "core/zpl/zpl_write_impl.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { ROOT_DIR = 0, DT_FIFO = 1, DT_CHR = 2, DT_DIR = 4, DT_BLK = 6, DT_REG = 8, DT_LNK = 10, DT_SOCK = 12 };

struct part {
	const char *p;
	size_t	    n;
};

static int err_path(struct err *e, const char *path, size_t n, enum err_kind kind, const char *what)
{
	char	    quoted[512];
	struct text t = text_in(quoted, sizeof quoted);

	text_name(&t, path, n);
	return err_set(e, kind, "%s: %s", quoted, what);
}

/* -- directories ------------------------------------------------------------------------------- */

int zpl_write_new_dir(struct zpl_write *z, uint32_t parent, uint64_t object, uint32_t *index, struct err *e)
{
	/* Room first: as many directories as there are indices get freed. */
	if (mem_grow(&z->dirs, &z->dir_cap, names_dir_count(z->names) + 1, sizeof z->dirs[0], e) < 0 ||
	    names_new_dir(z->names, index, e) < 0)
		return -1;
	z->dirs[*index] = (struct dir_write){ .object = object, .parent = parent, .changed = true };
	z->dirs[*index].node.mode = node_mode(ENTRY_DIR, 0755);
	return 0;
}

static int old_entry(void *ctx, const struct zpl_dirent *d, struct err *e)
{
	struct load {
		struct zpl_write *z;
		uint32_t	  dir;
	} *l = ctx;
	uint32_t entry;

	return names_add(l->z->names, l->dir, d->name, d->name_size, d->object, d->type, &entry, e);
}

/* A directory that was there before gives its entries when one of them is first looked for. */
static int load_dir(struct zpl_write *z, uint32_t index, struct err *e)
{
	struct load {
		struct zpl_write *z;
		uint32_t	  dir;
	} l = { z, index };

	if (!z->dirs[index].old || z->dirs[index].loaded)
		return 0;
	z->dirs[index].loaded = true;
	return zpl_readdir(z->old, z->dirs[index].object, old_entry, &l, e);
}

static int find_entry(struct zpl_write *z, uint32_t dir, struct part name, uint32_t *entry, struct err *e)
{
	if (load_dir(z, dir, e) < 0)
		return -1;
	*entry = names_find(z->names, dir, name.p, name.n);
	return 0;
}

/* The directory that an entry of type DT_DIR names. */
static int open_subdir(struct zpl_write *z, uint32_t entry, uint32_t *index, struct err *e)
{
	struct name_entry *x = names_entry(z->names, entry);

	if (x->subdir == NAMES_NONE) {
		if (zpl_write_new_dir(z, x->dir, x->object, index, e) < 0)
			return -1;
		z->dirs[*index].old = true;
		z->dirs[*index].changed = false;
		names_entry(z->names, entry)->subdir = *index;
	}
	*index = names_entry(z->names, entry)->subdir;
	return 0;
}

static int make_dir(struct zpl_write *z, uint32_t parent, struct part name, uint32_t *index, struct err *e)
{
	uint64_t object;
	uint32_t entry;

	if (objset_write_alloc(z->set, OBJECT_SETTLES_LATE, &object, e) < 0 ||
	    zpl_write_new_dir(z, parent, object, index, e) < 0 ||
	    names_add(z->names, parent, name.p, name.n, object, DT_DIR, &entry, e) < 0)
		return -1;
	names_entry(z->names, entry)->subdir = *index;
	z->dirs[parent].changed = true;
	return 0;
}

/* The next part of a path; false at its end. */
static bool next_part(const char **p, const char *end, struct part *out)
{
	if (*p >= end)
		return false;

	const char *slash = memchr(*p, '/', (size_t)(end - *p));

	out->p = *p;
	out->n = (size_t)((slash != NULL ? slash : end) - *p);
	*p = slash != NULL ? slash + 1 : end;
	return true;
}

/* The directory of this path; with `make`, missing ones are made. */
static int walk(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir, struct err *e)
{
	const char *p = path;
	struct part part;
	uint32_t    entry;

	if (n == z->last_size && z->last_dir != NAMES_NONE && memcmp(path, z->last_path, n) == 0) {
		*dir = z->last_dir;
		return 0;
	}
	*dir = ROOT_DIR;
	while (next_part(&p, path + n, &part)) {
		size_t upto = (size_t)(part.p - path) + part.n;

		if (find_entry(z, *dir, part, &entry, e) < 0)
			return -1;
		if (entry == NAMES_NONE && !make)
			return err_path(e, path, upto, ERR_NOTFOUND, "no such directory");
		if (entry == NAMES_NONE) {
			if (make_dir(z, *dir, part, dir, e) < 0)
				return -1;
		} else if (names_entry(z->names, entry)->type != DT_DIR) {
			return err_path(e, path, upto, ERR_EXISTS, "not a directory");
		} else if (open_subdir(z, entry, dir, e) < 0) {
			return -1;
		}
	}
	if (n < sizeof z->last_path) {
		memcpy(z->last_path, path, n);
		z->last_size = n;
		z->last_dir = *dir;
	}
	return 0;
}

/* Splits a path into its directory (made if need be) and its last part. */
static int walk_to_parent(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir,
			  struct part *name, struct err *e)
{
	size_t at = n;

	while (at > 0 && path[at - 1] != '/')
		at--;
	*name = (struct part){ path + at, n - at };
	if (name->n == 0 || name->n > ENTRY_NAME_MAX)
		return err_path(e, path, n, ERR_UNSUPPORTED, "names have 1 to 255 bytes");
	return walk(z, path, at > 0 ? at - 1 : 0, make, dir, e);
}

/* -- attributes -------------------------------------------------------------------------------- */

static bool later(struct entry_time a, struct entry_time b)
{
	return a.sec > b.sec || (a.sec == b.sec && a.ns > b.ns);
}

static struct node node_of(struct zpl_write *z, const struct entry *in, uint64_t parent)
{
	struct node n = {
		.mode = node_mode(in->kind, in->mode), .links = 1, .parent = parent,
		.gen = pool_tx_txg(dataset_write_tx(z->d)), .uid = in->uid, .gid = in->gid,
		.mtime = in->mtime,
		.atime = in->have_atime ? in->atime : in->mtime,
		.ctime = in->have_ctime ? in->ctime : in->mtime,
		.crtime = in->have_crtime ? in->crtime : in->mtime,
	};

	if (later(in->mtime, z->newest))
		z->newest = in->mtime;
	if (in->kind == ENTRY_FILE)
		n.size = in->size;
	if (in->kind == ENTRY_SYMLINK) {
		n.target = in->target;
		n.size = n.target_size = in->target_size;
	}
	return n;
}

/* -- names that are there already -------------------------------------------------------------- */

static int remove_entry(struct zpl_write *z, uint32_t dir, uint32_t entry, struct err *e)
{
	uint64_t object = names_entry(z->names, entry)->object;

	names_remove(z->names, entry);
	z->dirs[dir].changed = true;
	return zpl_write_unlink(z, object, e);
}

/* An empty directory goes away. */
static int remove_dir(struct zpl_write *z, uint32_t parent, uint32_t entry, const struct entry *in,
		      struct err *e)
{
	struct zpl_attr a = { 0 };
	uint32_t	index;
	uint64_t	object;

	if (open_subdir(z, entry, &index, e) < 0 || load_dir(z, index, e) < 0)
		return -1;
	if (names_dir(z->names, index)->count != 0)
		return err_path(e, in->path, in->path_size, ERR_EXISTS,
				"is a directory that is not empty");
	object = z->dirs[index].object;
	names_remove(z->names, entry);
	z->dirs[parent].changed = true;
	z->dirs[index].changed = false; /* it will not be written */
	z->last_dir = NAMES_NONE;
	if (!z->dirs[index].old)
		return objset_write_remove(z->set, object, e);
	if (zpl_getattr(z->old, object, &a, e) < 0)
		return -1;
	if (a.xattr_object != 0)
		return err_set(e, ERR_UNSUPPORTED, "object %llu has an xattr directory",
			       (unsigned long long)object);
	return zpl_account_old(z, object, e) < 0 ? -1 : objset_write_drop(z->set, object, e);
}

/* Makes room for a new entry of this name: a file gives way, a directory with entries does not. */
static int make_way(struct zpl_write *z, uint32_t dir, struct part name, const struct entry *in,
		    struct err *e)
{
	uint32_t entry;

	if (find_entry(z, dir, name, &entry, e) < 0)
		return -1;
	if (entry == NAMES_NONE)
		return 0;
	if (names_entry(z->names, entry)->type == DT_DIR)
		return remove_dir(z, dir, entry, in, e);
	return remove_entry(z, dir, entry, e);
}

/* What is no directory gives way to one that an entry names; what merely lies on the way to another entry does not. */
static int make_way_for_dir(struct zpl_write *z, const struct entry *in, struct err *e)
{
	struct part name;
	uint32_t    dir, entry;

	if (in->path_size == 0)
		return 0;
	if (walk_to_parent(z, in->path, in->path_size, true, &dir, &name, e) < 0 ||
	    find_entry(z, dir, name, &entry, e) < 0)
		return -1;
	if (entry == NAMES_NONE || names_entry(z->names, entry)->type == DT_DIR)
		return 0;
	return remove_entry(z, dir, entry, e);
}

static int entry_dir(struct zpl_write *z, const struct entry *in, struct err *e)
{
	uint32_t dir;
	uint8_t *xattrs;
	size_t	 n;

	if (make_way_for_dir(z, in, e) < 0 || walk(z, in->path, in->path_size, true, &dir, e) < 0 ||
	    node_xattrs(in, &xattrs, &n, e) < 0)
		return -1;

	struct dir_write *d = &z->dirs[dir];

	if (d->old) {
		/* What is there keeps its attributes: only its contents change. */
		free(xattrs);
		return 0;
	}
	free(d->xattrs);
	d->xattrs = xattrs;
	d->node = node_of(z, in, 0);
	d->node.xattrs = bytes_of(xattrs, n, ORDER_BIG);
	d->named = true;
	z->counts.directories++;
	return 0;
}

/* -- files and links --------------------------------------------------------------------------- */

static int begin_object(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
			unsigned type, uint32_t block_size, struct object_write **out, struct err *e)
{
	struct node	   node = node_of(z, in, z->dirs[dir].object);
	struct node_packed packed;
	struct object_spec spec = { .flags = z->dnode_flags, .block_size = block_size,
				    .type = OT_PLAIN_FILE, .settled = zpl_settled, .ctx = z };
	enum order	   order = block_writer_order(objset_write_writer(z->set));
	uint8_t		  *xattrs;
	size_t		   n;
	uint32_t	   entry;

	if (node_xattrs(in, &xattrs, &n, e) < 0)
		return -1;
	node.xattrs = bytes_of(xattrs, n, ORDER_BIG);

	int rc = node_pack(&node, &z->layouts, z->sa, order, &packed, z->spill, e);

	free(xattrs);
	if (rc < 0)
		return entry_err_in(e, in->path, in->path_size);
	if (objset_write_alloc(z->set, OBJECT_SETTLES_SOON, &spec.number, e) < 0 ||
	    names_add(z->names, dir, name.p, name.n, spec.number, type, &entry, e) < 0)
		return -1;
	z->dirs[dir].changed = true;
	spec.bonus_type = packed.bonus_type;
	spec.bonus = bytes_of(packed.bonus, packed.bonus_size, order);
	spec.spill = bytes_of(z->spill, packed.spill_size, order);
	return object_write_begin(z->set, &spec, out, e);
}

static uint32_t block_size_for(const struct zpl_write *z, uint64_t size)
{
	if (size > z->o.record_size)
		return z->o.record_size;
	return (uint32_t)align_up(max64(size, 1), BLOCK_MIN);
}

static int entry_file(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
		      struct err *e)
{
	z->block_size = block_size_for(z, in->size);
	z->file_size = in->size;
	z->block = NULL;
	z->blkid = z->filled = z->data_end = 0;
	z->counts.files++;
	z->counts.bytes += in->size;
	return begin_object(z, in, name, dir, DT_REG, z->block_size, &z->file, e);
}

static int entry_symlink(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
			 struct err *e)
{
	struct object_write *o;

	z->counts.symlinks++;
	if (in->target_size == 0)
		return err_path(e, in->path, in->path_size, ERR_UNSUPPORTED, "a symlink without a target");
	if (begin_object(z, in, name, dir, DT_LNK, BLOCK_MIN, &o, e) < 0)
		return -1;
	return object_write_end(o, 0, e);
}

static int entry_hardlink(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
			  struct err *e)
{
	struct part tname;
	uint32_t    tdir, target, entry;

	if (walk_to_parent(z, in->target, in->target_size, false, &tdir, &tname, e) < 0 ||
	    find_entry(z, tdir, tname, &target, e) < 0)
		return -1;
	if (target == NAMES_NONE)
		return err_path(e, in->path, in->path_size, ERR_NOTFOUND,
				"a hard link to a file that is not there");

	struct name_entry x = *names_entry(z->names, target);

	if (x.type == DT_DIR)
		return err_path(e, in->path, in->path_size, ERR_UNSUPPORTED, "a hard link to a directory");
	z->counts.hard_links++;
	z->dirs[dir].changed = true;
	if (names_add(z->names, dir, name.p, name.n, x.object, x.type, &entry, e) < 0)
		return -1;
	return zpl_write_change_links(z, x.object, 1, e);
}

/* A file that is said to be a link to itself is what it is, as for tar. */
static bool links_to_itself(const struct entry *in)
{
	return in->kind == ENTRY_HARDLINK && in->target_size == in->path_size &&
	       memcmp(in->target, in->path, in->path_size) == 0;
}

static int sink_begin(void *self, const struct entry *in, struct err *e)
{
	struct zpl_write *z = self;
	struct part	  name;
	uint32_t	  dir, entry;

	if (in->kind == ENTRY_DIR)
		return entry_dir(z, in, e);
	if (links_to_itself(in)) {
		if (walk_to_parent(z, in->path, in->path_size, false, &dir, &name, e) < 0 ||
		    find_entry(z, dir, name, &entry, e) < 0)
			return -1;
		if (entry != NAMES_NONE)
			return 0;
	}
	if (in->kind != ENTRY_FILE && in->kind != ENTRY_SYMLINK && in->kind != ENTRY_HARDLINK)
		return err_path(e, in->path, in->path_size, ERR_UNSUPPORTED,
				"devices, fifos and sockets cannot be written yet");
	if (walk_to_parent(z, in->path, in->path_size, true, &dir, &name, e) < 0 ||
	    make_way(z, dir, name, in, e) < 0)
		return -1;
	if (in->kind == ENTRY_FILE)
		return entry_file(z, in, name, dir, e);
	return in->kind == ENTRY_SYMLINK ? entry_symlink(z, in, name, dir, e)
					 : entry_hardlink(z, in, name, dir, e);
}

/* -- contents ---------------------------------------------------------------------------------- */

/* The open block is complete: zeros behind what it has, and off with it. */
static int close_block(struct zpl_write *z, struct err *e)
{
	if (z->block == NULL)
		return 0;
	memset(z->block + z->filled, 0, z->block_size - z->filled);
	z->block = NULL;
	z->filled = 0;
	return object_write_submit(z->file, z->blkid, e);
}

/* Block `blkid` is open and filled with zeros up to `at`. */
static int open_block(struct zpl_write *z, uint64_t blkid, size_t at, struct err *e)
{
	if (z->block != NULL && z->blkid != blkid && close_block(z, e) < 0)
		return -1;
	if (z->block == NULL) {
		if (object_write_reserve(z->file, &z->block, e) < 0)
			return -1;
		z->blkid = blkid;
		z->filled = 0;
	}
	if (at > z->filled)
		memset(z->block + z->filled, 0, at - z->filled);
	return 0;
}

static int sink_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct zpl_write *z = self;

	if (z->file == NULL || offset > z->file_size || piece.n > z->file_size - offset)
		return err_set(e, ERR_CORRUPT, "contents past the size that was announced");
	if (offset < z->data_end)
		return err_set(e, ERR_CORRUPT, "contents that do not come in order");
	z->data_end = offset + piece.n;
	while (piece.n > 0) {
		size_t at = offset % z->block_size, n = min64(piece.n, z->block_size - at);

		if (open_block(z, offset / z->block_size, at, e) < 0)
			return -1;
		memcpy(z->block + at, piece.p, n);
		z->filled = at + n;
		piece = bytes_from(piece, n);
		offset += n;
	}
	return 0;
}

static int sink_end(void *self, const struct err *failed, struct err *e)
{
	struct zpl_write    *z = self;
	struct object_write *o = z->file;
	uint64_t	     last;

	if (failed != NULL)
		return err_set(e, failed->kind, "%s", failed->text);
	if (o == NULL)
		return 0;
	last = z->file_size == 0 ? 0 : (z->file_size - 1) / z->block_size;
	if (close_block(z, e) < 0)
		return -1;
	z->file = NULL;
	return object_write_end(o, last, e);
}

static void sink_close(void *self)
{
	(void)self; /* zpl_write_free does it */
}

struct entry_sink zpl_write_sink(struct zpl_write *z)
{
	return (struct entry_sink){ z, sink_begin, sink_data, sink_end, zpl_write_finish, sink_close };
}

int zpl_write_remove(struct zpl_write *z, const char *path, size_t path_size, struct err *e)
{
	struct part name;
	uint32_t    dir, entry;

	if (walk_to_parent(z, path, path_size, false, &dir, &name, e) < 0 ||
	    find_entry(z, dir, name, &entry, e) < 0)
		return -1;
	if (entry == NAMES_NONE)
		return err_path(e, path, path_size, ERR_NOTFOUND, "no such file");
	if (names_entry(z->names, entry)->type == DT_DIR)
		return err_path(e, path, path_size, ERR_REFUSED, "is a directory");
	return remove_entry(z, dir, entry, e);
}

struct zpl_written zpl_write_counts(const struct zpl_write *z)
{
	struct zpl_written c = z->counts;

	c.newest = z->newest.sec;
	return c;
}
