/*
 * Entries into a file system, one file at a time. Paths are zpl_paths.c's, what gives way
 * zpl_unlink.c's; what is known only at the end (directories, link counts, accounts) is
 * zpl_finish.c's.
 */
#include "core/zpl/zpl_write_impl.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/zpl/rdev.h"
#include "formats/base/limits.h"

/* 2^32 - 1 is chown's "leave it". */
#define OWNER_MAX UINT64_C(0xfffffffe)

/* -- attributes -------------------------------------------------------------------------------- */

static bool later(struct entry_time a, struct entry_time b)
{
	return a.sec > b.sec || (a.sec == b.sec && a.ns > b.ns);
}

static int check_owner(const struct entry *in, struct err *e)
{
	if (in->uid > OWNER_MAX || in->gid > OWNER_MAX)
		return zpl_write_err(e, in->path, in->path_size, ERR_UNSUPPORTED,
				     "an owner above 4294967294");
	if (in->mode > 07777)
		return zpl_write_err(e, in->path, in->path_size, ERR_UNSUPPORTED,
				     "a mode above 07777");
	return 0;
}

static int check_acl(const struct entry *in, struct err *e)
{
	for (size_t i = 0; in->aces != NULL && i < in->ace_count; i++) {
		if (ace_check(&in->aces[i], e) < 0)
			return entry_err_in(e, in->path, in->path_size);
	}
	return 0;
}

int zpl_write_node(struct zpl_write *z, const struct entry *in, uint64_t parent, struct node *out,
		   struct err *e)
{
	struct node n = {
		.mode = node_mode(in->kind, in->mode),
		.links = 1,
		.parent = parent,
		.gen = pool_tx_txg(dataset_write_tx(z->d)),
		.uid = in->uid,
		.gid = in->gid,
		.mtime = in->mtime,
		.atime = in->have_atime ? in->atime : in->mtime,
		.ctime = in->have_ctime ? in->ctime : in->mtime,
		.crtime = in->have_crtime ? in->crtime : in->mtime,
		.aces = in->aces,
		.ace_count = in->ace_count,
	};

	enum rdev_form form = rdev_form_of(pool_tx_software_version(dataset_write_tx(z->d)));

	if (check_owner(in, e) < 0 || check_acl(in, e) < 0 || zpl_write_check_xattrs(in, e) < 0)
		return -1;
	if (later(in->mtime, z->newest))
		z->newest = in->mtime;
	if (in->kind == ENTRY_FILE)
		n.size = in->size;
	if (in->kind == ENTRY_SYMLINK) {
		n.target = in->target;
		n.size = n.target_size = in->target_size;
	}
	if ((in->kind == ENTRY_CHAR || in->kind == ENTRY_BLOCK) &&
	    rdev_encode(form, in->major, in->minor, &n.rdev, e) < 0)
		return entry_err_in(e, in->path, in->path_size);
	*out = n;
	return 0;
}

int zpl_write_pack(struct zpl_write *z, const struct node *n, struct node_packed *packed,
		   struct object_spec *spec, struct err *e)
{
	enum order order = block_writer_order(objset_write_writer(z->set));

	if (spec->dnode_size == 0)
		spec->dnode_size = z->dnode_size;
	if (node_pack(n, &z->layouts, z->sa, order,
		      spec->dnode_size - DNODE_CORE_SIZE - BLKPTR_SIZE, packed, z->spill, e) < 0)
		return -1;
	spec->bonus_type = packed->bonus_type;
	spec->bonus = bytes_of(packed->bonus, packed->bonus_size, order);
	spec->spill = bytes_of(z->spill, packed->spill_size, order);
	spec->flags = z->dnode_flags;
	spec->settled = zpl_settled;
	spec->ctx = z;
	return 0;
}

int zpl_write_alloc(struct zpl_write *z, enum object_kind kind, uint64_t *number, struct err *e)
{
	return objset_write_alloc_sized(z->set, kind, z->dnode_size, number, e);
}

uint32_t zpl_write_block_size(const struct zpl_write *z, uint64_t size)
{
	if (size > z->o.record_size)
		return z->o.record_size;
	return (uint32_t)align_up(max64(size, 1), BLOCK_MIN);
}

/* -- files and links --------------------------------------------------------------------------- */

static int begin_object(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
			uint32_t block_size, struct object_write **out, struct err *e)
{
	struct node	   node;
	struct node_packed packed;
	struct object_spec spec = { .block_size = block_size, .type = OT_PLAIN_FILE };
	uint8_t		  *xattrs = NULL;
	uint32_t	   entry;

	if (zpl_write_node(z, in, z->dirs[dir].object, &node, e) < 0 ||
	    zpl_write_alloc(z, OBJECT_SETTLES_SOON, &spec.number, e) < 0 ||
	    zpl_write_xattrs(z, in, spec.number, &node, &xattrs, e) < 0)
		return -1;

	int rc = zpl_write_acl(z, &node, e);

	if (rc == 0)
		rc = zpl_write_pack(z, &node, &packed, &spec, e);
	if (node_target_outside(&node, z->sa))
		spec.block_size = (uint32_t)align_up(node.target_size, BLOCK_MIN);

	free(xattrs);
	if (rc < 0)
		return entry_err_in(e, in->path, in->path_size);
	if (names_add(z->names, dir, name.p, name.n, spec.number, (unsigned)(node.mode >> 12),
		      &entry, e) < 0)
		return -1;
	z->dirs[dir].changed = true;
	return object_write_begin(z->set, &spec, out, e);
}

static int entry_file(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
		      struct err *e)
{
	uint32_t	     block_size = zpl_write_block_size(z, in->size);
	struct object_write *o;

	z->counts.files++;
	z->counts.bytes += in->size;
	if (block_size > BLOCK_OLD_MAX &&
	    dataset_write_feature(z->d, "org.open-zfs:large_blocks", e) < 0)
		return -1;
	if (begin_object(z, in, name, dir, block_size, &o, e) < 0)
		return -1;
	object_fill_begin(&z->file, o, block_size, in->size);
	return 0;
}

/* The block that is a symlink's target. */
static int write_target(struct object_write *o, const struct entry *in, struct err *e)
{
	size_t	 size = (size_t)align_up(in->target_size, BLOCK_MIN);
	uint8_t *block;

	if (object_write_reserve(o, &block, e) < 0)
		return -1;
	memcpy(block, in->target, in->target_size);
	memset(block + in->target_size, 0, size - in->target_size);
	return object_write_submit(o, 0, e);
}

/* What has no contents: a symlink, a device, a fifo, a socket. */
static int entry_node(struct zpl_write *z, const struct entry *in, struct part name, uint32_t dir,
		      struct err *e)
{
	struct object_write *o;

	z->counts.symlinks += in->kind == ENTRY_SYMLINK;
	z->counts.fifos += in->kind == ENTRY_FIFO;
	z->counts.sockets += in->kind == ENTRY_SOCKET;
	z->counts.devices += in->kind == ENTRY_CHAR || in->kind == ENTRY_BLOCK;
	if (in->kind == ENTRY_SYMLINK && in->target_size == 0)
		return zpl_write_err(e, in->path, in->path_size, ERR_UNSUPPORTED,
				     "a symlink without a target");
	if (begin_object(z, in, name, dir, BLOCK_MIN, &o, e) < 0 ||
	    (in->kind == ENTRY_SYMLINK &&
	     node_target_outside(&(struct node){ .target_size = in->target_size }, z->sa) &&
	     write_target(o, in, e) < 0))
		return -1;
	return object_write_end(o, 0, e);
}

/* What a link leads to: NAMES_NONE when it is not there (yet). */
static int find_target(struct zpl_write *z, const struct entry *in, uint32_t *target, struct err *e)
{
	struct part name;
	struct err  why = { 0 };
	uint32_t    dir;

	*target = NAMES_NONE;
	if (zpl_write_parent(z, in->target, in->target_size, false, &dir, &name, &why) < 0) {
		if (why.kind == ERR_NOTFOUND || why.kind == ERR_EXISTS)
			return 0;
		return err_set(e, why.kind, "%s", why.text);
	}
	return zpl_write_find(z, dir, name, target, e);
}

int zpl_write_hardlink(struct zpl_write *z, const struct entry *in, struct err *e)
{
	struct name_entry x;
	struct part	  name;
	uint32_t	  dir, target, entry;

	if (find_target(z, in, &target, e) < 0)
		return -1;
	if (target == NAMES_NONE)
		return zpl_write_err(e, in->path, in->path_size, ERR_NOTFOUND,
				     "a hard link to a file that is not there");
	x = *names_entry(z->names, target);
	if (x.type == DT_DIR)
		return zpl_write_err(e, in->path, in->path_size, ERR_UNSUPPORTED,
				     "a hard link to a directory");
	/* One link more first: what stands in the way may be the last other name of the file. */
	if (zpl_write_link(z, x.object, 1, e) < 0 ||
	    zpl_write_parent(z, in->path, in->path_size, true, &dir, &name, e) < 0 ||
	    zpl_write_way_for(z, dir, name, in, e) < 0)
		return -1;
	z->counts.hard_links++;
	z->dirs[dir].changed = true;
	return names_add(z->names, dir, name.p, name.n, x.object, x.type, &entry, e);
}

/* A link to what has not come yet waits for it. */
static int entry_hardlink(struct zpl_write *z, const struct entry *in, struct err *e)
{
	uint32_t target;

	if (find_target(z, in, &target, e) < 0)
		return -1;
	return target == NAMES_NONE ? zpl_late_add(z, in, e) : zpl_write_hardlink(z, in, e);
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

	zpl_late_forget(z, in->path, in->path_size);
	if (in->kind == ENTRY_DIR)
		return zpl_write_dir_entry(z, in, e);
	if (links_to_itself(in)) {
		if (zpl_write_parent(z, in->path, in->path_size, false, &dir, &name, e) < 0 ||
		    zpl_write_find(z, dir, name, &entry, e) < 0)
			return -1;
		if (entry != NAMES_NONE)
			return 0;
	}
	if (in->kind == ENTRY_HARDLINK)
		return entry_hardlink(z, in, e);
	if (zpl_write_parent(z, in->path, in->path_size, true, &dir, &name, e) < 0 ||
	    zpl_write_way_for(z, dir, name, in, e) < 0)
		return -1;
	return in->kind == ENTRY_FILE ? entry_file(z, in, name, dir, e)
				      : entry_node(z, in, name, dir, e);
}

/* -- contents ---------------------------------------------------------------------------------- */

static int sink_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct zpl_write *z = self;

	return object_fill_piece(&z->file, offset, piece, e);
}

static int sink_end(void *self, const struct err *failed, struct err *e)
{
	struct zpl_write *z = self;

	if (failed != NULL)
		return err_set(e, failed->kind, "%s", failed->text);
	return z->file.object == NULL ? 0 : object_fill_end(&z->file, e);
}

static void sink_close(void *self)
{
	(void)self; /* zpl_write_free does it */
}

struct entry_sink zpl_write_sink(struct zpl_write *z)
{
	return (struct entry_sink){
		z, sink_begin, sink_data, sink_end, zpl_write_finish, sink_close
	};
}

int zpl_write_remove(struct zpl_write *z, const char *path, size_t path_size, struct err *e)
{
	uint32_t dir, entry;

	if (zpl_write_lookup(z, path, path_size, &dir, &entry, e) < 0)
		return -1;
	if (names_entry(z->names, entry)->type == DT_DIR)
		return zpl_write_err(e, path, path_size, ERR_REFUSED, "is a directory");
	return zpl_write_unlink(z, dir, entry, e);
}

int zpl_write_make_dir(struct zpl_write *z, const char *path, size_t n, struct err *e)
{
	uint32_t dir;

	return zpl_write_walk(z, path, n, true, &dir, e);
}

struct zpl_written zpl_write_counts(const struct zpl_write *z)
{
	struct zpl_written c = z->counts;

	c.newest = z->newest.sec;
	return c;
}
