/*
 * hostile IMAGE FIRST LAST: opens, dumps, exports and checks an image that a seed has damaged, for
 * each seed from FIRST to LAST, and prints how many were opened. A crash, a sanitizer's report or a
 * seed that takes over a minute ends it.
 *
 * Even seeds change the image's bytes. Odd seeds change metadata after its checksum was
 * verified, so that decoders see what no disk error could give them: the linker puts our
 * decompress_block before the real one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/check/check.h"
#include "core/dump/object.h"
#include "core/dsl/props.h"
#include "core/zpl/zpl_read.h"
#include "core/zvol/zvol_read.h"
#include "formats/base/limits.h"
#include "formats/codec/compress.h"

enum { SECONDS_MAX = 60, OBJECTS_MAX = 4000 };

static uint64_t random_state;
static bool	damage_decoded;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A byte, a word, or a word that decoders find hard to swallow. */
static void damage(uint8_t *p, size_t n)
{
	static const uint64_t hard[] = { 0,	     1,	     UINT64_MAX, UINT64_C(1) << 63,
					 0x7fffffff, 0xffff, 0x100 };
	size_t at = next_random() % n;
	uint64_t word = hard[next_random() % (sizeof hard / sizeof hard[0])];

	switch (next_random() % 4) {
	case 0:
		p[at] ^= (uint8_t)(1u << next_random() % 8);
		break;
	case 1:
		p[at] = (uint8_t)next_random();
		break;
	default:
		at &= ~(size_t)7;
		memcpy(p + at, &word, n - at < sizeof word ? n - at : sizeof word);
		break;
	}
}

int __real_decompress_block(struct codec *c, unsigned id, struct bytes in, uint8_t *out, size_t n,
			    struct err *e);
int __wrap_decompress_block(struct codec *c, unsigned id, struct bytes in, uint8_t *out, size_t n,
			    struct err *e);

int __wrap_decompress_block(struct codec *c, unsigned id, struct bytes in, uint8_t *out, size_t n,
			    struct err *e)
{
	int rc = __real_decompress_block(c, id, in, out, n, e);

	if (rc == 0 && damage_decoded && n > 0 && next_random() % 8 == 0) {
		for (uint64_t i = next_random() % 4; i > 0; i--)
			damage(out, n);
	}
	return rc;
}

/* -- everything that a tool does --------------------------------------------------------------- */

static int sink_begin(void *self, const struct entry *entry, struct err *e)
{
	(void)self;
	(void)e;
	return entry->path_size > 1 << 20;
}

static int sink_data(void *self, uint64_t offset, struct bytes piece, struct err *e)
{
	uint64_t *budget = self;

	(void)offset;
	/* A forged size may go on for exabytes: that is the disk's limit in real life. */
	if (piece.n > *budget)
		return err_set(e, ERR_NOSPACE, "enough");
	*budget -= piece.n;
	return 0;
}

static int sink_end(void *self, const struct err *failed, struct err *e)
{
	(void)self;
	(void)failed;
	(void)e;
	return 0;
}

static void no_report(void *ctx, const char *path, size_t n, const struct err *why)
{
	(void)ctx;
	(void)path;
	(void)n;
	(void)why;
}

static int put_nowhere(void *ctx, const char *text, size_t n, struct err *e)
{
	uint64_t *budget = ctx;

	(void)text;
	if (n > *budget)
		return err_set(e, ERR_NOSPACE, "enough");
	*budget -= n;
	return 0;
}

static void no_trouble(void *ctx, const struct err *why)
{
	(void)ctx;
	(void)why;
}

static void dump_all(struct pool *p, struct objset *os, struct zpl *z)
{
	uint64_t    budget = 64 * MIB, number = 0;
	struct dump d = { .ctx = &budget, .put = put_nowhere, .trouble = no_trouble, .all = true };

	for (int i = 0; i < OBJECTS_MAX && !d.stopped; i++) {
		struct object o;

		number++;
		if (objset_next(os, &number, NULL) < 0)
			break;
		if (object_open(os, number, &o, NULL) < 0)
			continue;
		(void)!dump_object(&d, p, &o, z, NULL);
		object_close(&o);
	}
}

static void no_bad(void *ctx, uint64_t start, uint64_t end, const struct err *why)
{
	(void)ctx;
	(void)start;
	(void)end;
	(void)why;
}

static int no_range(void *ctx, uint64_t offset, uint64_t size, struct err *e)
{
	(void)offset;
	(void)size;
	return put_nowhere(ctx, NULL, 4096, e);
}

static void use_volume(struct dataset *ds)
{
	uint64_t	     budget = 256 * MIB;
	struct object_pieces how = { .ctx = &budget, .piece = sink_data, .bad = no_bad };
	struct zvol	     v;

	if (zvol_open(ds, &v, NULL) < 0)
		return;
	(void)!zvol_map(&v, no_range, &budget, NULL);
	(void)!zvol_read(&v, &how, NULL);
}

static void use_properties(struct dataset *ds)
{
	char		  line[4096];
	struct dsl_props *p;

	if (dsl_props_read(ds, &p, NULL) < 0)
		return;
	for (int id = 0; id < PROP_COUNT; id++) {
		struct text t = text_in(line, sizeof line);

		if (dsl_props_source(p, id) == DSL_PROP_ABSENT)
			continue;
		property_print(&property_table[id], dsl_props_number(p, id), dsl_props_text(p, id),
			       id % 2 == 1, &t);
		dsl_props_mountpoint(p, &t);
	}
	for (size_t i = 0; i < dsl_props_users(p); i++) {
		struct dsl_user_property u = dsl_props_user(p, i);
		struct text		 t = text_in(line, sizeof line);

		text_name(&t, u.text, strlen(u.text));
	}
	dsl_props_free(p);
}

static int use_dataset(void *ctx, struct dataset *ds, const struct err *failed, struct err *e)
{
	uint64_t	  budget = 256 * MIB;
	struct entry_sink sink = { &budget, sink_begin, sink_data, sink_end, NULL, NULL };
	struct objset	  os;
	struct zpl	 *z = NULL;

	(void)ctx;
	(void)e;
	if (failed != NULL)
		return 0;
	use_properties(ds);
	use_volume(ds);
	if (dataset_objset(ds, &os, NULL) < 0)
		return 0;
	if (zpl_open(ds, &z, NULL) == 0) {
		struct zpl_export what = { .object = zpl_root(z), .report = no_report };

		(void)!zpl_export(z, &what, &sink, NULL);
	}
	dump_all(ds->pool, &os, z);
	zpl_close(z);
	return 0;
}

static void no_finding(void *ctx, const struct finding *f)
{
	(void)ctx;
	(void)f;
}

static bool use_pool(struct dev *dev)
{
	struct pool_options  o = { 0 };
	struct dsl_walk	     walk = { .snapshots = true, .hidden = true };
	struct pool	    *p;
	struct check_result  result = { 0 };

	if (pool_open_devs(&dev, 1, &o, &p, NULL) < 0)
		return false;

	struct check_options check = { .pool = p, .threads = 1, .on_finding = no_finding };

	dump_all(p, pool_mos(p), NULL);
	(void)!dataset_each(p, &walk, use_dataset, NULL, NULL);
	(void)!check_pool(&check, &result, NULL);
	free(result.devices);
	pool_close(p);
	return true;
}

/* -- images ------------------------------------------------------------------------------------ */

struct image {
	uint8_t *p;
	size_t	 n;
	size_t	*used; /* sectors that are not all zero */
	size_t	 used_count;
};

static int load(const char *path, struct image *out)
{
	FILE *f = fopen(path, "rb");

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		return -1;
	out->n = (size_t)ftell(f);
	out->p = malloc(out->n);
	out->used = malloc(out->n / SECTOR * sizeof *out->used);
	rewind(f);
	if (out->p == NULL || out->used == NULL || fread(out->p, 1, out->n, f) != out->n)
		return -1;
	fclose(f);
	for (size_t s = 0; s < out->n / SECTOR; s++) {
		if (!bytes_zero(bytes_of(out->p + s * SECTOR, SECTOR, ORDER_NATIVE)))
			out->used[out->used_count++] = s;
	}
	return out->used_count > 0 ? 0 : -1;
}

static bool try_seed(const struct image *image, uint64_t seed)
{
	struct dev *dev;
	size_t	    n = image->n;

	random_state = seed;
	damage_decoded = seed % 2 == 1;
	if (!damage_decoded && next_random() % 8 == 0)
		n = next_random() % n & ~(size_t)(SECTOR - 1);
	if (n == 0 || dev_mem_new("hostile", n, &dev, NULL) < 0)
		return false;
	for (size_t i = 0; i < image->used_count; i++) {
		uint8_t	 sector[SECTOR];
		uint64_t at = (uint64_t)image->used[i] * SECTOR;

		memcpy(sector, image->p + at, SECTOR);
		if (!damage_decoded && next_random() % 64 == 0)
			damage(sector, SECTOR);
		if (at + SECTOR <= n && dev_write(dev, at, sector, SECTOR, NULL) < 0)
			break;
	}
	return use_pool(dev);
}

int main(int argc, char **argv)
{
	struct image  image = { 0 };
	unsigned long opened = 0, tried = 0;

	if (argc != 4 || load(argv[1], &image) < 0) {
		fprintf(stderr, "usage: hostile IMAGE FIRST LAST\n");
		return 2;
	}
	for (uint64_t seed = strtoull(argv[2], NULL, 10); seed <= strtoull(argv[3], NULL, 10);
	     seed++) {
		alarm(SECONDS_MAX);
		if (getenv("HOSTILE_VERBOSE") != NULL)
			fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
		opened += try_seed(&image, seed);
		tried++;
	}
	printf("hostile: %lu of %lu damaged images opened\n", opened, tried);
	free(image.p);
	free(image.used);
	return 0;
}
