/* What the files of the ZPL writer share. Private to core/zpl. */
#ifndef CORE_ZPL_ZPL_WRITE_IMPL_H
#define CORE_ZPL_ZPL_WRITE_IMPL_H

#include "core/base/idmap.h"
#include "core/dmu/object_fill.h"
#include "core/dmu/zap_write.h"
#include "core/zpl/names.h"
#include "core/zpl/node_pack.h"
#include "core/zpl/zpl_node.h"
#include "core/zpl/zpl_write.h"

/* A directory; its index is also that of its names. */
struct dir_write {
	uint64_t    object;
	uint32_t    parent;
	struct node node; /* of a new one, or of one that an entry names */
	uint8_t	   *xattrs;
	struct ace *aces;
	bool	    named;   /* an entry says what it is like */
	bool	    old;     /* it was there before this transaction */
	bool	    loaded;  /* its old entries are among the names */
	bool	    changed; /* it must be written */
};

/* What a user or group owns more (or less) than before. */
struct tally {
	uint64_t id;
	int64_t	 bytes, objects;
};
struct tallies {
	struct tally *list;
	size_t	      count, cap;
	struct idmap  index; /* id -> place in list */
};

/*
 * The xattr directories of this transaction: by their owner, where in `list` the objects stand that
 * go when it goes: how many, the directory, its files.
 */
struct xattr_dirs {
	struct idmap index;
	uint64_t    *list;
	size_t	     count, cap;
};

/* Hard links that wait for what they link to: their paths, and where they lead. */
struct zpl_late {
	struct names	 *paths; /* NULL: there are none */
	struct late_link *links;
	size_t		  count, cap;
	char		 *text; /* targets */
	size_t		  text_size, text_cap;
};

struct zpl_write {
	struct dataset_write	*d;
	struct objset_write	*set;
	struct zpl_write_options o;
	struct zpl		*old; /* NULL for a new file system */
	bool			 sa;
	uint8_t			 dnode_flags; /* accounting, as the set has it */
	struct node_layouts	 layouts;
	uint64_t		 layouts_object; /* of a new set */
	struct names		*names;
	struct dir_write	*dirs;
	size_t			 dir_cap;
	/* object -> links beside those in its dnode; may be negative */
	struct idmap		 more_links;
	struct xattr_dirs	 xattr_dirs;
	struct zpl_late		 late;
	struct zap_edit		*master; /* NULL: not changed */
	struct zap_edit		*quotas[ZPL_QUOTA_KINDS];
	uint32_t		 dnode_size;
	struct tallies		 users, groups, projects;
	uint8_t			*spill; /* NODE_SPILL_MAX bytes */
	struct zpl_written	 counts;
	struct entry_time	 newest;

	/* where the last entry went: most follow each other in one directory */
	char	 last_path[4096];
	size_t	 last_size;
	uint32_t last_dir;

	struct object_fill file; /* whose contents are coming */
};

/* zpl_create.c */
int zpl_write_make_objects(struct zpl_write *z, struct err *e) MUST_CHECK;
/* The layouts that were added go into their object. */
int zpl_write_layouts(struct zpl_write *z, struct err *e) MUST_CHECK;

/* zpl_write.c */
/* What an entry says of itself, but for its xattrs. Borrows its target and ACL. */
int zpl_write_node(struct zpl_write *z, const struct entry *in, uint64_t parent, struct node *out,
		   struct err *e) MUST_CHECK;
/*
 * The attributes into spec->bonus and spec->spill, which point into `packed` and z->spill. A
 * dnode_size that is not 0 stays as it is.
 */
int zpl_write_pack(struct zpl_write *z, const struct node *n, struct node_packed *packed,
		   struct object_spec *spec, struct err *e) MUST_CHECK;
/* An ACL that the bonus has no room for: an object, which n->acl_object names then. */
int zpl_write_acl(struct zpl_write *z, struct node *n, struct err *e) MUST_CHECK;
/* It goes when the file with this dnode goes. */
int zpl_write_drop_acl(struct zpl_write *z, const struct dnode *dn, struct err *e) MUST_CHECK;
uint32_t zpl_write_block_size(const struct zpl_write *z, uint64_t size);

/* A number for a new file or directory. */
int zpl_write_alloc(struct zpl_write *z, enum object_kind kind, uint64_t *number,
		    struct err *e) MUST_CHECK;
/* A hard link whose target is there, over what may be in its way. */
int zpl_write_hardlink(struct zpl_write *z, const struct entry *in, struct err *e) MUST_CHECK;

/* zpl_late.c */
int  zpl_late_add(struct zpl_write *z, const struct entry *in, struct err *e) MUST_CHECK;
/* An entry of this path has come: a link that waits for its turn there is no more. */
void zpl_late_forget(struct zpl_write *z, const char *path, size_t n);
int  zpl_late_resolve(struct zpl_write *z, struct err *e) MUST_CHECK;
void zpl_late_fini(struct zpl_late *l);

/* zpl_quota.c: the master node and the lists that it names, written at the end. */
int  zpl_write_master(struct zpl_write *z, struct err *e) MUST_CHECK;
void zpl_write_master_fini(struct zpl_write *z);

/* zpl_write_xattr.c */
/*
 * The entry's extended attributes for object `owner`, which is `n`: sets n->xattrs, whose bytes are
 * *list (free() it), and n->xattr_object.
 */
int zpl_write_xattrs(struct zpl_write *z, const struct entry *in, uint64_t owner, struct node *n,
		     uint8_t **list, struct err *e) MUST_CHECK;
int zpl_write_check_xattrs(const struct entry *in, struct err *e) MUST_CHECK;
/* The xattr directory that `owner` got in this transaction goes, if it has one. */
int zpl_write_drop_xattrs(struct zpl_write *z, uint64_t owner, struct err *e) MUST_CHECK;
void xattr_dirs_fini(struct xattr_dirs *x);

/* zpl_paths.c. The root directory's index, and the types that entries have. */
enum { ROOT_DIR = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };

struct part {
	const char *p;
	size_t	    n;
};

/* zpl_names.c */
#define ZPL_FEATURE_LONGNAME "org.zfsonlinux:longname"
bool	 zpl_name_is_utf8(const char *name, size_t n);
uint64_t zpl_normflags(const struct zpl_write *z); /* of its directories */
/* May a new file of this path have this name? ERR_REFUSED. */
int zpl_write_check_name(struct zpl_write *z, const char *path, size_t n, struct part name,
			 struct err *e) MUST_CHECK;
/* What the master node of an existing file system says of names. */
int zpl_write_settings(struct zpl_write *z, struct err *e) MUST_CHECK;

/* "PATH: WHAT", the path quoted; returns -1. */
int zpl_write_err(struct err *e, const char *path, size_t n, enum err_kind kind, const char *what);
int zpl_write_new_dir(struct zpl_write *z, uint32_t parent, uint64_t object, uint32_t *index,
		      struct err *e) MUST_CHECK;
/* The directory's old entries are among the names. */
int zpl_write_load_dir(struct zpl_write *z, uint32_t index, struct err *e) MUST_CHECK;
/* An entry of a directory; NAMES_NONE when it is not there. */
int zpl_write_find(struct zpl_write *z, uint32_t dir, struct part name, uint32_t *entry,
		   struct err *e) MUST_CHECK;
/* The directory that an entry of type DT_DIR names. */
int zpl_write_subdir(struct zpl_write *z, uint32_t entry, uint32_t *index,
		     struct err *e) MUST_CHECK;
/* The directory of this path; with `make`, missing ones are made. */
int zpl_write_walk(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir,
		   struct err *e) MUST_CHECK;
/* Splits a path into its directory and its last part. */
int zpl_write_parent(struct zpl_write *z, const char *path, size_t n, bool make, uint32_t *dir,
		     struct part *name, struct err *e) MUST_CHECK;
/* The entry of this path, and the directory it is in. ERR_NOTFOUND. */
int zpl_write_lookup(struct zpl_write *z, const char *path, size_t n, uint32_t *dir,
		     uint32_t *entry, struct err *e) MUST_CHECK;

/*
 * zpl_unlink.c: links more or less; a name that goes; room for an entry where another one may be.
 */
int zpl_write_link(struct zpl_write *z, uint64_t object, int64_t delta, struct err *e) MUST_CHECK;
int zpl_write_unlink(struct zpl_write *z, uint32_t dir, uint32_t entry, struct err *e) MUST_CHECK;
/* An empty directory goes. ERR_EXISTS when it is not. */
int zpl_write_rmdir(struct zpl_write *z, uint32_t parent, uint32_t entry, const struct entry *in,
		    struct err *e) MUST_CHECK;
/* The xattr directory `dir` of an object that was there before, with its files. */
int zpl_write_drop_old_xattrs(struct zpl_write *z, uint64_t dir, struct err *e) MUST_CHECK;
int zpl_write_way_for(struct zpl_write *z, uint32_t dir, struct part name, const struct entry *in,
		      struct err *e) MUST_CHECK;
int zpl_write_way_for_dir(struct zpl_write *z, const struct entry *in, struct err *e) MUST_CHECK;

/* zpl_account.c */
int  zpl_account(struct zpl_write *z, uint64_t uid, uint64_t gid, int64_t bytes, int objects,
		 struct err *e) MUST_CHECK;
int  zpl_account_old(struct zpl_write *z, uint64_t object, struct err *e) MUST_CHECK;
/* For an object of this transaction. */
int  zpl_account_gone(struct zpl_write *z, const struct dnode *dn, struct err *e) MUST_CHECK;
int  zpl_write_accounts(struct zpl_write *z, struct err *e) MUST_CHECK;
void tallies_fini(struct tallies *t);
/* object_settled_fn: counts what a dnode holds for its owner. */
int zpl_settled(void *ctx, uint64_t number, const struct dnode *dn, struct err *e);

/* zpl_dirs.c */
/* A directory as an entry says it: made, or given the entry's attributes. */
int zpl_write_dir_entry(struct zpl_write *z, const struct entry *in, struct err *e) MUST_CHECK;
/* All that were changed. */
int zpl_write_dirs(struct zpl_write *z, struct err *e) MUST_CHECK;

/* zpl_finish.c */
/* Was this object in use before the transaction, and is still the same? */
bool zpl_write_is_old(const struct zpl_write *z, uint64_t object);
int zpl_write_finish(void *self, struct err *e);

#endif
