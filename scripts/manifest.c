/*
 * manifest [-p] [-t TXG] MEMBER...: every file of every dataset and snapshot of a pool, one a line,
 * as the manifests of the genuine pools have them; for scripts/corpus-test.sh. Columns: dataset,
 * path, type, mode, uid, gid, size, mtime_ns, nlink, ino, rdev, target, sha256, xattrs.
 *
 * A file over 64 MiB gets "nz4k:" and the digest of its 4 KiB blocks that are not zero,
 * each after its number; with -p its plain digest. What cannot be read is told on
 * standard error; exit status 1.
 */
#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/zpl/zpl_read.h"
#include "core/zvol/zvol_read.h"

enum { UNIT = 4096, BIG = 64 << 20 };

struct hash {
	EVP_MD_CTX *ctx;
	bool	    sparse; /* the nz4k form */
	uint64_t    at, size;
	uint8_t	    unit[UNIT]; /* nz4k: the block being filled */
	uint64_t    unit_index;
	bool	    unit_open;
};

struct run {
	bool	     plain, failed;
	const char  *dataset;
	struct zpl  *z;
	struct hash  hash;
	char	    *line; /* what comes before the digest */
	char	    *xattrs;
	struct {
		char **path, **digest, **xattrs;
		size_t count;
	} known; /* files, since other names of them come as links */
};

static void complain(struct run *r, const char *where, const struct err *why)
{
	fprintf(stderr, "manifest: %s: %s\n", where, why->text);
	r->failed = true;
}

static void hash_start(struct run *r, uint64_t size)
{
	struct hash *h = &r->hash;

	h->sparse = size > BIG && !r->plain;
	h->at = 0;
	h->size = size;
	h->unit_open = false;
	EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL);
}

static void flush_unit(struct hash *h)
{
	uint8_t index[8];
	size_t	n = h->size - h->unit_index * UNIT < UNIT ? h->size - h->unit_index * UNIT : UNIT;

	if (!h->unit_open)
		return;
	h->unit_open = false;
	if (bytes_zero(bytes_of(h->unit, n, ORDER_NATIVE)))
		return;
	for (unsigned i = 0; i < 8; i++)
		index[i] = (uint8_t)(h->unit_index >> 8 * i);
	EVP_DigestUpdate(h->ctx, index, sizeof index);
	EVP_DigestUpdate(h->ctx, h->unit, n);
}

static void hash_units(struct hash *h, uint64_t offset, const uint8_t *p, size_t n)
{
	while (n > 0) {
		size_t in = offset % UNIT, part = UNIT - in < n ? UNIT - in : n;

		if (!h->unit_open || h->unit_index != offset / UNIT) {
			flush_unit(h);
			memset(h->unit, 0, UNIT);
			h->unit_index = offset / UNIT;
			h->unit_open = true;
		}
		memcpy(h->unit + in, p, part);
		offset += part;
		p += part;
		n -= part;
	}
}

static void hash_zeros(struct hash *h, uint64_t until)
{
	static const uint8_t zeros[1 << 20];

	while (h->at < until) {
		size_t n = until - h->at < sizeof zeros ? until - h->at : sizeof zeros;

		EVP_DigestUpdate(h->ctx, zeros, n);
		h->at += n;
	}
}

static void hash_piece(struct hash *h, uint64_t offset, const uint8_t *p, size_t n)
{
	if (h->sparse) {
		hash_units(h, offset, p, n);
		return;
	}
	hash_zeros(h, offset);
	EVP_DigestUpdate(h->ctx, p, n);
	h->at = offset + n;
}

static char *hex(const uint8_t *p, size_t n, const char *before)
{
	char  *out = malloc(strlen(before) + 2 * n + 1);
	size_t at = strlen(before);

	strcpy(out, before);
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(out + at, "%02x", p[i]);
	return out;
}

static char *hash_end(struct hash *h)
{
	uint8_t	 digest[32];
	unsigned n;

	if (h->sparse)
		flush_unit(h);
	else
		hash_zeros(h, h->size);
	EVP_DigestFinal_ex(h->ctx, digest, &n);
	return hex(digest, 32, h->sparse ? "nz4k:" : "");
}

static char *quoted(const char *p, size_t n)
{
	size_t	    room = 4 * n + 2;
	char	   *out = malloc(room);
	struct text t = text_in(out, room);

	text_name(&t, p, n);
	return out;
}

/* "name=value" by name alone: "x1=" before "x10=". */
static int by_name(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t	    xn = strcspn(x, "="), yn = strcspn(y, "=");
	int	    c = memcmp(x, y, xn < yn ? xn : yn);

	return c != 0 ? c : (xn > yn) - (xn < yn);
}

static char *all_xattrs(const struct entry *en)
{
	char **each = calloc(en->xattr_count + 1, sizeof *each);
	size_t n = 0, room = 2;
	char  *out;

	for (; n < en->xattr_count; n++) {
		char *name = quoted(en->xattrs[n].name, strlen(en->xattrs[n].name));
		char *value = hex(en->xattrs[n].value, en->xattrs[n].size, "=");

		each[n] = malloc(strlen(name) + strlen(value) + 1);
		strcat(strcpy(each[n], name), value);
		room += strlen(each[n]) + 1;
		free(name);
		free(value);
	}
	qsort(each, n, sizeof *each, by_name);
	out = malloc(room);
	strcpy(out, n == 0 ? "-" : "");
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			strcat(out, ";");
		strcat(out, each[i]);
		free(each[i]);
	}
	free(each);
	return out;
}

static char *facts(struct run *r, const struct entry *en, const struct zpl_attr *a)
{
	char   *path = quoted(en->path, en->path_size), *line = NULL, rdev[32] = "-";
	char   *target = en->kind == ENTRY_SYMLINK ? quoted(en->target, en->target_size) : NULL;
	size_t	n;
	FILE   *f = open_memstream(&line, &n);
	char	kind = (char)entry_kind_of_mode(a->mode);

	if (kind == ENTRY_CHAR || kind == ENTRY_BLOCK)
		snprintf(rdev, sizeof rdev, "%u:%u", en->major, en->minor);
	fprintf(f, "%s\t/%s\t%c\t0%03o\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRId64
		   "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s",
		r->dataset, path, kind, (unsigned)(a->mode & 07777), a->uid, a->gid, a->size,
		a->mtime.sec * 1000000000 + a->mtime.ns, a->links, a->object, rdev,
		target != NULL ? target : "-");
	fclose(f);
	free(path);
	free(target);
	return line;
}

static void print_link(struct run *r, const struct entry *en)
{
	for (size_t i = 0; i < r->known.count; i++) {
		if (strcmp(r->known.path[i], en->target) == 0) {
			printf("%s\t%s\t%s\n", r->line, r->known.digest[i], r->known.xattrs[i]);
			return;
		}
	}
	printf("%s\tlink to nothing\t-\n", r->line);
}

static int begin(void *self, const struct entry *en, struct err *e)
{
	struct run     *r = self;
	struct zpl_attr a;
	uint64_t	object;
	char		path[ENTRY_PATH_MAX + 1];

	memcpy(path, en->path, en->path_size);
	path[en->path_size] = '\0';
	if (zpl_lookup(r->z, path, &object, e) < 0 || zpl_getattr(r->z, object, &a, e) < 0)
		return -1;
	r->line = facts(r, en, &a);
	r->xattrs = NULL;
	if (en->kind == ENTRY_HARDLINK) {
		print_link(r, en);
		return 0;
	}
	r->xattrs = all_xattrs(en);
	hash_start(r, en->size);
	if (a.links < 2 || en->kind == ENTRY_DIR)
		return 0;

	size_t n = r->known.count + 1;

	r->known.path = realloc(r->known.path, n * sizeof(char *));
	r->known.digest = realloc(r->known.digest, n * sizeof(char *));
	r->known.xattrs = realloc(r->known.xattrs, n * sizeof(char *));
	r->known.path[n - 1] = strdup(path);
	r->known.digest[n - 1] = NULL;
	r->known.xattrs[n - 1] = strdup(r->xattrs);
	r->known.count = n;
	return 0;
}

static int data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	struct run *r = self;

	(void)e;
	hash_piece(&r->hash, offset, piece.p, piece.n);
	return 0;
}

static int end(void *self, const struct err *failed, struct err *e)
{
	struct run *r = self;
	char	   *digest;
	bool	    is_file = strstr(r->line, "\tf\t") != NULL;

	(void)e;
	if (r->xattrs != NULL) {
		digest = failed != NULL ? strdup("failed")
			 : is_file	? hash_end(&r->hash)
					: strdup("-");
		printf("%s\t%s\t%s\n", r->line, digest, r->xattrs);
		if (r->known.count > 0 && r->known.digest[r->known.count - 1] == NULL)
			r->known.digest[r->known.count - 1] = digest;
		else
			free(digest);
	}
	free(r->line);
	free(r->xattrs);
	r->line = NULL;
	return 0;
}

static void report(void *ctx, const char *path, size_t n, const struct err *why)
{
	struct run *r = ctx;
	char	   *q = quoted(path, n);

	fprintf(stderr, "manifest: %s/%s: %s\n", r->dataset, q, why->text);
	free(q);
	r->failed = true;
}

static void forget_links(struct run *r)
{
	for (size_t i = 0; i < r->known.count; i++) {
		free(r->known.path[i]);
		free(r->known.digest[i]);
		free(r->known.xattrs[i]);
	}
	r->known.count = 0;
}

static int volume_piece(void *ctx, uint64_t offset, struct bytes piece, struct err *e)
{
	struct run *r = ctx;

	(void)e;
	hash_piece(&r->hash, offset, piece.p, piece.n);
	return 0;
}

static void volume_bad(void *ctx, uint64_t start, uint64_t stop, const struct err *why)
{
	struct run *r = ctx;

	(void)start, (void)stop;
	complain(r, r->dataset, why);
}

static int volume(struct run *r, struct dataset *ds, struct err *e)
{
	struct object_pieces how = { .piece = volume_piece, .bad = volume_bad, .ctx = r };
	struct zvol	     z;
	char		    *digest;

	if (zvol_open(ds, &z, e) < 0)
		return -1;
	hash_start(r, z.size);
	r->hash.sparse = false;
	if (zvol_read(&z, &how, e) < 0)
		return -1;
	digest = hash_end(&r->hash);
	printf("%s\t-\tv\t-\t-\t-\t%" PRIu64 "\t-\t-\t-\t-\t-\t%s\t-\n", r->dataset, z.size,
	       digest);
	free(digest);
	return 0;
}

static int one(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	struct run	 *r = ctx;
	struct objset	  os;
	struct err	  why = { 0 };
	struct entry_sink sink = { .self = r, .begin = begin, .data = data, .end = end };

	r->dataset = ds->name;
	if (failed != NULL) {
		complain(r, ds->name, failed);
		return 0;
	}
	if (dataset_objset(ds, &os, &why) < 0) {
		complain(r, ds->name, &why);
		return 0;
	}
	if (os.phys.type == OBJSET_ZVOL) {
		if (volume(r, ds, &why) < 0)
			complain(r, ds->name, &why);
		return 0;
	}
	if (zpl_open(ds, &r->z, &why) < 0) {
		complain(r, ds->name, &why);
		return 0;
	}

	struct zpl_export what = { .object = zpl_root(r->z), .report = report, .ctx = r };
	int		  rc = zpl_export(r->z, &what, &sink, e);

	forget_links(r);
	zpl_close(r->z);
	return rc;
}

static void event(void *ctx, const struct block_event *ev)
{
	(void)ctx;
	fprintf(stderr, "manifest: event: %s\n", ev->why->text);
}

int main(int argc, char **argv)
{
	struct run	    r = { 0 };
	struct err	    e = { 0 };
	struct pool	   *p;
	struct pool_options o = { .on_event = event };
	struct dsl_walk	    walk = { .snapshots = true };
	int		    c;

	while ((c = getopt(argc, argv, "pt:o:")) != -1) {
		if (c == 'p')
			r.plain = true;
		else if (c == 't') {
			o.txg_given = true;
			o.txg = strtoull(optarg, NULL, 10);
		} else if (c == 'o') {
			o.offset_given = true;
			o.offset = strtoull(optarg, NULL, 0);
		} else
			return 2;
	}
	o.paths = (const char *const *)argv + optind;
	o.path_count = (size_t)(argc - optind);
	r.hash.ctx = EVP_MD_CTX_new();
	if (pool_open(&o, &p, &e) < 0) {
		complain(&r, "open", &e);
		return 1;
	}
	for (size_t i = 0; i < pool_warning_count(p); i++)
		fprintf(stderr, "manifest: warning: %s\n", pool_warning(p, i));
	if (dataset_each(p, &walk, one, &r, &e) < 0)
		complain(&r, "walk", &e);
	pool_close(p);
	EVP_MD_CTX_free(r.hash.ctx);
	free(r.known.path);
	free(r.known.digest);
	free(r.known.xattrs);
	return r.failed;
}
