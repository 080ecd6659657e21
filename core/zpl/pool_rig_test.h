/*
 * For tests: a pool on a device in memory that outlives its openings, entries written to it as an
 * archive would give them, and everything in it read back as lines of text.
 */
#ifndef CORE_ZPL_POOL_RIG_TEST_H
#define CORE_ZPL_POOL_RIG_TEST_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/layout.h"
#include "core/zpl/tree_check_test.h"
#include "core/zpl/zpl_read.h"
#include "core/zpl/zpl_write.h"
#include "formats/base/limits.h"

/* A device that passes everything on and stays when it is closed. */
struct kept_dev {
	struct dev  dev;
	struct dev *under;
};

static int kept_read(struct dev *d, uint64_t off, void *buf, size_t n, struct err *e)
{
	return dev_read(((struct kept_dev *)d)->under, off, buf, n, e);
}

static int kept_writev(struct dev *d, uint64_t off, const struct iovec *iov, int count,
		       struct err *e)
{
	return dev_writev(((struct kept_dev *)d)->under, off, iov, count, e);
}

static int kept_sync(struct dev *d, struct err *e)
{
	return dev_sync(((struct kept_dev *)d)->under, e);
}

static int kept_resize(struct dev *d, uint64_t size, struct err *e)
{
	int rc = dev_resize(((struct kept_dev *)d)->under, size, e);

	d->size = ((struct kept_dev *)d)->under->size;
	return rc;
}

static void kept_close(struct dev *d)
{
	free(d);
}

static inline struct dev *kept_open(struct dev *under)
{
	static const struct dev_ops ops = { kept_read, kept_writev, kept_sync, kept_resize,
					    kept_close };
	struct kept_dev		   *k = calloc(1, sizeof *k);

	k->dev = (struct dev){
		.ops = &ops, .name = under->name, .size = under->size, .writable = true
	};
	k->under = under;
	return &k->dev;
}

/* A transaction under way, on a new pool or on one that exists. */
struct rig {
	struct dev	     *disk;
	unsigned	      threads;
	bool		      quick; /* reading back leaves out what walks every object */
	/* changes how a new file system stores its blocks; may be NULL */
	void		      (*policy)(struct store_policy *p);
	struct pool	     *pool;
	struct pool_tx	     *tx;
	struct dsl_write     *dsl;
	struct dataset_write *d;
	struct zpl_write     *z;
	struct entry_sink     sink;
	struct err	      e;
};

enum { RIG_TIME = 1700000000, RIG_ASHIFT = 12 };

/* What file systems are made with; a test may change it. */
static struct zpl_write_options rig_options = { .record_size = 128 << 10,
						.time_given = true,
						.time = RIG_TIME,
						.root_mode = 0755,
						.xattr_sa = true };

static const char *rig_features = "openzfs-2.1-linux";
static uint32_t	   rig_dnode_size;
static uint64_t	   rig_version; /* of the pool; before 5000 there are no features */

static inline const struct zpl_write_options *rig_zpl_options(void)
{
	return &rig_options;
}

static inline void rig_init(struct rig *r)
{
	*r = (struct rig){ .threads = 1 };
	cr_assert_eq(dev_mem_new("memory", 64 << 20, &r->disk, NULL), 0);
}

/* A new pool called t, its root file system open for entries; 0, or -1 and why in r->e. */
static inline int rig_try_create(struct rig *r)
{
	struct feature_set	   set;
	struct pool_create_options o = {
		.name = "t",
		.ashift = RIG_ASHIFT,
		.seed = "",
		.history = "test",
		.vdev_type = "file",
		.vdev_path = "/t",
		.size = { .rule = POOL_SIZE_AVAIL, .avail = 16 << 20 },
		.tx = { .threads = r->threads, .time = RIG_TIME },
	};
	struct dataset_spec root = { .name = "t", .type = OBJSET_ZPL };

	cr_assert(feature_set_by_name(rig_features, &set, NULL));
	o.version = rig_version;
	if (rig_version == 0 || pool_layout_of(rig_version).features)
		o.features = feature_set_close(set);
	if (pool_tx_create(kept_open(r->disk), &o, &r->tx, &r->e) < 0 ||
	    dsl_write_new(r->tx, &r->dsl, &r->e) < 0)
		return -1;
	root.policy = pool_tx_mos_policy(r->tx);
	root.policy.data_copies = 1;
	root.policy.meta_copies = 2;
	if (r->policy != NULL)
		r->policy(&root.policy);
	root.policy.dnode_size = rig_dnode_size;
	if (dataset_write_create(r->dsl, &root, &r->d, &r->e) < 0 ||
	    zpl_write_create(r->d, rig_zpl_options(), &r->z, &r->e) < 0)
		return -1;
	r->sink = zpl_write_sink(r->z);
	return 0;
}

static inline void rig_create(struct rig *r)
{
	cr_assert_eq(rig_try_create(r), 0, "%s", r->e.text);
}

static inline void rig_pool(struct rig *r)
{
	struct dev	   *dev = kept_open(r->disk);
	struct pool_options o = { .mode = DEV_WRITE };

	cr_assert_eq(pool_open_devs(&dev, 1, &o, &r->pool, &r->e), 0, "%s", r->e.text);
}

/* The pool as it is, open for a second commit. */
static inline int rig_try_reopen(struct rig *r)
{
	struct pool_tx_options o = { .threads = r->threads, .time = RIG_TIME + 1,
				     .history = "change" };
	struct pool_options    how = { .mode = DEV_WRITE };
	struct dev	      *dev = kept_open(r->disk);

	if (pool_open_devs(&dev, 1, &how, &r->pool, &r->e) < 0 ||
	    pool_tx_open(r->pool, &o, &r->tx, &r->e) < 0 ||
	    dsl_write_open(r->tx, &r->dsl, &r->e) < 0 ||
	    dataset_write_open(r->dsl, "t", &r->d, &r->e) < 0 ||
	    zpl_write_open(r->d, rig_zpl_options(), &r->z, &r->e) < 0)
		return -1;
	r->sink = zpl_write_sink(r->z);
	return 0;
}

static inline void rig_reopen(struct rig *r)
{
	cr_assert_eq(rig_try_reopen(r), 0, "%s", r->e.text);
}

/* Ends the transaction without a commit. */
static inline void rig_drop(struct rig *r)
{
	zpl_write_free(r->z);
	/* The pipeline refers to the sets: it goes first. */
	pool_tx_free(r->tx);
	dsl_write_free(r->dsl);
	pool_close(r->pool);
	r->z = NULL;
	r->tx = NULL;
	r->dsl = NULL;
	r->d = NULL;
	r->pool = NULL;
}

static inline int rig_try_commit(struct rig *r)
{
	uint64_t used;

	if (r->sink.finish(r->sink.self, &r->e) < 0 || dataset_write_finish(r->d, &r->e) < 0 ||
	    dsl_write_finish(r->dsl, &used, &r->e) < 0)
		return -1;
	return pool_tx_commit(r->tx, used, NULL, &r->e);
}

static inline void rig_commit(struct rig *r)
{
	cr_assert_eq(rig_try_commit(r), 0, "%s", r->e.text);
	rig_drop(r);
}

static inline void rig_fini(struct rig *r)
{
	dev_close(r->disk);
}

/* -- entries ----------------------------------------------------------------------------------- */

static inline struct entry an_entry(enum entry_kind kind, const char *path)
{
	return (struct entry){ .kind = kind,
			       .path = path,
			       .path_size = strlen(path),
			       .mode = kind == ENTRY_DIR    ? 0750
				       : kind == ENTRY_FILE ? 0640
							    : 0777,
			       .uid = 1000,
			       .gid = 100,
			       .mtime = { 1600000000, 5 } };
}

static inline int give(struct rig *r, const struct entry *in, const void *data)
{
	struct bytes piece = bytes_of(data, in->kind == ENTRY_FILE ? in->size : 0, ORDER_NATIVE);

	if (r->sink.begin(r->sink.self, in, &r->e) < 0)
		return -1;
	if (piece.n > 0 && r->sink.data(r->sink.self, 0, piece, &r->e) < 0)
		return -1;
	return r->sink.end(r->sink.self, NULL, &r->e);
}

static inline int try_file(struct rig *r, const char *path, const char *text)
{
	struct entry in = an_entry(ENTRY_FILE, path);

	in.size = strlen(text);
	return give(r, &in, text);
}

static inline int try_dir(struct rig *r, const char *path)
{
	struct entry in = an_entry(ENTRY_DIR, path);

	return give(r, &in, NULL);
}

static inline int try_link(struct rig *r, enum entry_kind kind, const char *path,
			   const char *target)
{
	struct entry in = an_entry(kind, path);

	in.target = target;
	in.target_size = strlen(target);
	return give(r, &in, NULL);
}

#define put_file(r, path, body) cr_assert_eq(try_file(r, path, body), 0, "%s", (r)->e.text)
#define put_dir(r, path) cr_assert_eq(try_dir(r, path), 0, "%s", (r)->e.text)
#define put_symlink(r, path, target) \
	cr_assert_eq(try_link(r, ENTRY_SYMLINK, path, target), 0, "%s", (r)->e.text)
#define put_hardlink(r, path, target) \
	cr_assert_eq(try_link(r, ENTRY_HARDLINK, path, target), 0, "%s", (r)->e.text)

/* -- reading back ------------------------------------------------------------------------------ */

/* One line an entry: kind, mode, owner, path, then target or contents. */
struct listing {
	char	   *text;
	size_t	    n, cap;
	bool	    file;
	struct zpl *z;
};

static inline void listing_put(struct listing *l, const void *p, size_t n)
{
	if (l->n + n + 1 > l->cap) {
		l->cap = (l->n + n + 1) * 2;
		l->text = realloc(l->text, l->cap);
	}
	memcpy(l->text + l->n, p, n);
	l->n += n;
	l->text[l->n] = '\0';
}

static int listing_begin(void *self, const struct entry *in, struct err *e)
{
	struct listing *l = self;
	char		head[400]; /* names of attributes are the longest */

	(void)e;
	listing_put(l, head,
		    (size_t)snprintf(head, sizeof head, "%c%o %llu:%llu ", in->kind, in->mode,
				     (unsigned long long)in->uid, (unsigned long long)in->gid));
	listing_put(l, in->path, in->path_size);
	if (in->target_size > 0) {
		listing_put(l, " -> ", 4);
		listing_put(l, in->target, in->target_size);
	}
	for (size_t i = 0; i < in->xattr_count; i++) {
		listing_put(l, head,
			    (size_t)snprintf(head, sizeof head, " %s=%zu:%02x", in->xattrs[i].name,
					     in->xattrs[i].size,
					     in->xattrs[i].size > 0
						     ? *(const uint8_t *)in->xattrs[i].value
						     : 0));
	}
	if (in->kind == ENTRY_CHAR || in->kind == ENTRY_BLOCK)
		listing_put(l, head,
			    (size_t)snprintf(head, sizeof head, " %u,%u", in->major, in->minor));
	for (size_t i = 0; i < in->ace_count; i++) {
		struct text t = text_in(head, sizeof head);

		text_put(&t, " ");
		ace_describe(&in->aces[i], &t);
		listing_put(l, head, strlen(head));
	}
	l->file = in->kind == ENTRY_FILE;
	if (l->file)
		listing_put(l, ": ", 2);
	return 0;
}

static int listing_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	(void)offset;
	(void)e;
	listing_put(self, piece.p, piece.n < 100 ? piece.n : 100);
	return 0;
}

static int listing_end(void *self, const struct err *failed, struct err *e)
{
	(void)e;
	cr_assert_null(failed, "%s", failed == NULL ? "" : failed->text);
	listing_put(self, "\n", 1);
	return 0;
}

static void listing_report(void *ctx, const char *path, size_t n, const struct err *why)
{
	(void)ctx;
	cr_assert_fail("%.*s: %s", (int)n, path, why->text);
}

/* Everything in the dataset, as lines. free() it. */
static inline char *rig_list_of(struct rig *r, const char *name)
{
	struct listing	  l = { 0 };
	struct entry_sink sink = {
		.self = &l, .begin = listing_begin, .data = listing_data, .end = listing_end
	};
	struct dataset ds;
	struct zpl    *z;

	rig_pool(r);
	cr_assert_eq(dataset_open(r->pool, name, &ds, &r->e), 0, "%s", r->e.text);
	cr_assert_eq(zpl_open(&ds, &z, &r->e), 0, "%s", r->e.text);
	if (!r->quick)
		check_all(&ds, z);

	struct zpl_export what = { .object = zpl_root(z), .report = listing_report };

	cr_assert_eq(zpl_export(z, &what, &sink, &r->e), 0, "%s", r->e.text);
	zpl_close(z);
	pool_close(r->pool);
	r->pool = NULL;
	return l.text;
}

static inline char *rig_list(struct rig *r)
{
	return rig_list_of(r, "t");
}

#define cr_assert_tree(r, expected)                             \
	do {                                                    \
		char *list_ = rig_list(r);                      \
		cr_assert_str_eq(list_, expected, "%s", list_); \
		free(list_);                                    \
	} while (0)

#endif
