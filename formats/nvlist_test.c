#include "formats/golden_test.h"
#include "formats/nvlist.h"

#include <stdlib.h>

#include "formats/base/limits.h"

static struct nvlist *decoded(struct bytes in)
{
	struct nvlist *l = NULL;
	size_t	       used = 0;
	struct err     e = { 0 };

	cr_assert_eq(nvlist_decode(in, &l, &used, &e), 0, "%s", e.text);
	cr_assert_leq(used, in.n);
	return l;
}

static struct bytes encoded(const struct nvlist *l)
{
	uint8_t	  *p = NULL;
	size_t	   n = 0;
	struct err e = { 0 };

	cr_assert_eq(nvlist_encode(l, &p, &n, &e), 0, "%s", e.text);
	return bytes_of(p, n, ORDER_BIG);
}

static void same_text(const struct nvlist *l, unsigned indent, const char *expected)
{
	char	    buf[4096];
	struct text t = text_in(buf, sizeof buf);

	nvlist_describe(l, indent, &t);
	cr_assert_str_eq(buf, expected);
}

/* A list with something of each kind that the builders make. */
static struct nvlist *sample(void)
{
	static const uint64_t numbers[] = { 1, UINT64_MAX };
	struct nvlist	     *l = nvlist_new(NULL), *inner = nvlist_new(NULL);

	cr_assert_eq(nvlist_add_u64(inner, "guid", 7, NULL), 0);
	cr_assert_eq(nvlist_add_flag(inner, "com.delphix:hole_birth", NULL), 0);
	cr_assert_eq(nvlist_add_u64(l, "version", 5000, NULL), 0);
	cr_assert_eq(nvlist_add_string(l, "name", "tank", NULL), 0);
	cr_assert_eq(nvlist_add_list(l, "vdev_tree", inner, NULL), 0);
	cr_assert_eq(nvlist_add_lists(l, "children",
				      (const struct nvlist *const[]){ inner, l, inner }, 3, NULL),
		     0);
	cr_assert_eq(nvlist_add_lists(l, "none", NULL, 0, NULL), 0);
	cr_assert_eq(nvlist_add_bytes(l, "raw", "a\0\xff", 3, NULL), 0);
	cr_assert_eq(nvlist_add_u64s(l, "txgs", numbers, 2, NULL), 0);
	nvlist_free(inner);
	return l;
}

Test(nvlist, what_was_built_can_be_looked_up)
{
	struct nvlist		   *l = sample();
	const struct nvlist	   *inner;
	const struct nvlist *const *lists;
	const uint64_t		   *numbers;
	const char		   *name;
	uint64_t		    v = 42;
	size_t			    n;

	cr_assert(nvlist_u64(l, "version", &v));
	cr_assert_eq(v, 5000);
	cr_assert_not(nvlist_u64(l, "name", &v));
	cr_assert_not(nvlist_u64(l, "nothing", &v));
	cr_assert_eq(v, 5000);
	cr_assert(nvlist_string(l, "name", &name));
	cr_assert_str_eq(name, "tank");
	cr_assert(nvlist_list(l, "vdev_tree", &inner));
	cr_assert(nvlist_flag(inner, "com.delphix:hole_birth"));
	cr_assert_not(nvlist_flag(inner, "guid"));
	cr_assert(nvlist_lists(l, "children", &lists, &n));
	cr_assert_eq(n, 3);
	cr_assert_eq(nvlist_count(lists[1]), 3);
	cr_assert(nvlist_u64(lists[2], "guid", &v));
	cr_assert_eq(v, 7);
	cr_assert(nvlist_u64s(l, "txgs", &numbers, &n));
	cr_assert_eq(numbers[1], UINT64_MAX);
	cr_assert_eq(nvlist_pair(l, 5)->count, 3);
	cr_assert_arr_eq(nvlist_pair(l, 5)->bytes, "a\0\xff", 3);
	nvlist_free(l);
}

Test(nvlist, it_prints_as_zdb_prints_it)
{
	struct nvlist *l = sample();

	same_text(l, 4,
		  "    version: 5000\n"
		  "    name: 'tank'\n"
		  "    vdev_tree:\n"
		  "        guid: 7\n"
		  "        com.delphix:hole_birth\n"
		  "    children[0]:\n"
		  "        guid: 7\n"
		  "        com.delphix:hole_birth\n"
		  "    children[1]:\n"
		  "        version: 5000\n"
		  "        name: 'tank'\n"
		  "        vdev_tree:\n"
		  "            guid: 7\n"
		  "            com.delphix:hole_birth\n"
		  "    children[2]:\n"
		  "        guid: 7\n"
		  "        com.delphix:hole_birth\n"
		  "    raw[0]: 97\n"
		  "    raw[1]: 0\n"
		  "    raw[2]: 255\n"
		  "    txgs[0]: 1\n"
		  "    txgs[1]: 18446744073709551615\n");
	nvlist_free(l);
}

Test(nvlist, it_goes_round)
{
	struct nvlist *l = sample();
	struct bytes   first = encoded(l);
	struct nvlist *back = decoded(first);
	struct bytes   second = encoded(back);

	cr_assert_eq(first.n, second.n);
	cr_assert_arr_eq(first.p, second.p, first.n);
	free((void *)first.p);
	free((void *)second.p);
	nvlist_free(back);
	nvlist_free(l);
}

Test(nvlist, every_shorter_length_is_corrupt)
{
	struct nvlist *l = sample(), *out = NULL;
	struct bytes   all = encoded(l);

	for (size_t n = 0; n < all.n; n++) {
		/* a copy of the exact size, for the sanitizer to watch */
		uint8_t	  *part = malloc(n + 1);
		struct err e = { 0 };

		memcpy(part, all.p, n);
		cr_assert_lt(nvlist_decode(bytes_of(part, n, ORDER_BIG), &out, NULL, &e), 0);
		cr_assert_eq(e.kind, ERR_CORRUPT, "%zu: %s", n, e.text);
		cr_assert_null(out);
		free(part);
	}
	free((void *)all.p);
	nvlist_free(l);
}

Test(nvlist, genuine_labels_come_back_byte_for_byte)
{
	static const char *const names[] = { "labels/config-openzfs", "labels/config-fuse" };

	for (size_t i = 0; i < 2; i++) {
		uint8_t	       buf[4096];
		struct bytes   in = golden(names[i], buf, sizeof buf);
		struct nvlist *l = decoded(in);
		struct bytes   again = encoded(l);

		cr_assert_eq(again.n, in.n - 40);
		cr_assert_arr_eq(again.p, in.p, again.n);
		free((void *)again.p);
		nvlist_free(l);
	}
}

Test(nvlist, a_name_that_is_there_is_replaced_in_its_place)
{
	struct nvlist *l = sample();

	cr_assert_eq(nvlist_add_string(l, "version", "none", NULL), 0);
	cr_assert_eq(nvlist_count(l), 7);
	cr_assert_eq(nvlist_pair(l, 0)->type, NV_STRING);
	cr_assert_eq(nvlist_remove(l, "version"), 0);
	cr_assert_eq(nvlist_remove(l, "version"), -1);
	cr_assert_str_eq(nvlist_pair(l, 0)->name, "name");
	for (int i = 0; i < 5; i++)
		cr_assert_eq(nvlist_remove(l, nvlist_pair(l, 1)->name), 0);
	same_text(l, 0, "name: 'tank'\n");
	nvlist_free(l);
}

static struct nvlist *nested(unsigned levels)
{
	struct nvlist *l = nvlist_new(NULL);

	for (unsigned i = 1; i < levels; i++) {
		struct nvlist *outer = nvlist_new(NULL);

		cr_assert_eq(nvlist_add_list(outer, "in", l, NULL), 0);
		nvlist_free(l);
		l = outer;
	}
	return l;
}

Test(nvlist, nesting_is_bounded_when_building_and_when_reading)
{
	struct nvlist *deep = nested(NVLIST_DEPTH_MAX), *more = nvlist_new(NULL), *back;
	struct bytes   packed = encoded(deep);
	struct err     e = { 0 };
	uint8_t	      *raw;

	cr_assert_lt(nvlist_add_list(more, "in", deep, &e), 0);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	nvlist_free(decoded(packed));

	/* header, then "version, flags, a pair that holds a list" again and again */
	enum { PAIR = 24, LIST = 8, TIMES = 100000 };

	raw = calloc(TIMES, LIST + PAIR);
	raw[0] = 1;
	for (size_t i = 0; i < TIMES - 1; i++) {
		struct wbytes w = wbytes_of(raw + 4 + i * (LIST + PAIR), LIST + PAIR, ORDER_BIG);

		put32(w, LIST + 4, 1); /* unpacked size */
		put32(w, LIST + 8, 1); /* name */
		put8(w, LIST + 12, 'x');
		put32(w, LIST + 16, NV_NVLIST);
		put32(w, LIST + 20, 1);
	}
	cr_assert_lt(
		nvlist_decode(bytes_of(raw, TIMES * (LIST + PAIR), ORDER_BIG), &back, NULL, &e), 0);
	cr_assert_not_null(strstr(e.text, "deeper"), "%s", e.text);
	free(raw);
	free((void *)packed.p);
	nvlist_free(deep);
	nvlist_free(more);
}

Test(nvlist, a_count_without_bytes_behind_it_allocates_nothing)
{
	static const enum nv_type types[] = { NV_UINT64_ARRAY, NV_STRING_ARRAY, NV_NVLIST_ARRAY,
					      NV_BYTE_ARRAY, NV_INT8_ARRAY };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		uint8_t	       raw[64] = { 1, 1 };
		struct wbytes  w = wbytes_of(raw, sizeof raw, ORDER_BIG);
		struct nvlist *l;
		struct err     e = { 0 };

		put32(w, 16, 100);
		put32(w, 20, 1);
		put8(w, 24, 'x');
		put32(w, 28, types[i]);
		put32(w, 32, UINT32_MAX);
		put32(w, 36, UINT32_MAX);
		cr_assert_lt(nvlist_decode(wbytes_view(w), &l, NULL, &e), 0);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
}

/* One pair in native encoding; returns where the next one goes. */
static size_t put_native(struct wbytes w, size_t at, const char *name, enum nv_type type,
			 uint32_t count, const void *value, size_t n)
{
	size_t value_at = (16 + strlen(name) + 1 + 7) & ~(size_t)7;
	size_t size = (value_at + n + 7) & ~(size_t)7;

	put32(w, at, (uint32_t)size);
	put16(w, at + 4, (uint16_t)(strlen(name) + 1));
	put32(w, at + 8, count);
	put32(w, at + 12, type);
	memcpy(w.p + at + 16, name, strlen(name));
	memcpy(w.p + at + value_at, value, n);
	return at + size;
}

static size_t native_sample(struct wbytes w)
{
	uint8_t	      number[8], lists[2 * 8 + 2 * 24] = { 0 };
	struct wbytes scratch = wbytes_of(number, sizeof number, w.order);
	size_t	      at = 12;

	memset(w.p, 0, w.n);
	put8(w, 1, w.order == ORDER_LITTLE);
	put32(w, 8, 1);
	put16(scratch, 0, (uint16_t)-2);
	at = put_native(w, at, "short", NV_INT16, 1, number, 2);
	at = put_native(w, at, "text", NV_STRING, 1, "hello", 6);
	at = put_native(w, at, "strings", NV_STRING_ARRAY, 2, "................ab\0\0c", 20);
	put32(scratch, 0, 1);
	at = put_native(w, at, "yes", NV_BOOLEAN_VALUE, 1, number, 4);
	put32(wbytes_of(lists, sizeof lists, w.order), 20, 1);
	at = put_native(w, at, "lists", NV_NVLIST_ARRAY, 2, lists, sizeof lists);
	at = put_native(w, at, "flag", NV_BOOLEAN, 0, "", 0) + 4;
	put64(scratch, 0, 77);
	at = put_native(w, at, "number", NV_UINT64, 1, number, 8) + 4;
	at = put_native(w, at, "bytes", NV_UINT8_ARRAY, 2, "\x80\x01", 2);
	return at + 4;
}

Test(nvlist, native_encoding_reads_in_both_orders)
{
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		uint8_t	       raw[1024];
		size_t	       n = native_sample(wbytes_of(raw, sizeof raw, o)), used;
		struct nvlist *l = NULL, *back;
		struct err     e = { 0 };
		struct bytes   xdr;

		cr_assert_eq(nvlist_decode(bytes_of(raw, n, ORDER_BIG), &l, &used, &e), 0, "%s",
			     e.text);
		cr_assert_eq(used, n);
		same_text(l, 0,
			  "short: -2\ntext: 'hello'\nstrings[0]: 'ab'\nstrings[1]: ''\nyes: true\n"
			  "lists[0]:\n    flag\nlists[1]:\n    number: 77\n"
			  "bytes[0]: 128\nbytes[1]: 1\n");
		xdr = encoded(l);
		back = decoded(xdr);
		same_text(back, 0,
			  "short: -2\ntext: 'hello'\nstrings[0]: 'ab'\nstrings[1]: ''\nyes: true\n"
			  "lists[0]:\n    flag\nlists[1]:\n    number: 77\n"
			  "bytes[0]: 128\nbytes[1]: 1\n");
		for (size_t part = 0; part < n; part++)
			cr_assert_lt(nvlist_decode(bytes_of(raw, part, ORDER_BIG), &l, NULL, NULL),
				     0);
		free((void *)xdr.p);
		nvlist_free(back);
		nvlist_free(l);
	}
}

Test(nvlist, hostile_names_are_quoted)
{
	struct nvlist *l = nvlist_new(NULL);

	cr_assert_eq(nvlist_add_string(l, "a\x1b[m", "\n'", NULL), 0);
	same_text(l, 1, " a\\x1b[m: '\\x0a''\n");
	nvlist_free(l);
}
