#include <stdio.h>

#include "core/dmu/objset_rig_test.h"
#include "core/dmu/zap_write.h"

static uint64_t new_number(struct set_rig *r)
{
	uint64_t number;

	cr_assert_eq(objset_write_alloc(r->set, OBJECT_SETTLES_SOON, &number, NULL), 0);
	return number;
}

static struct zap_edit *edit_new(struct set_rig *r)
{
	struct zap_edit *z;

	cr_assert_eq(
		zap_edit_new(r->set, new_number(r), OT_DIRECTORY, 0x1234567890abcdef, &z, NULL), 0);
	return z;
}

static uint32_t block_size_of(struct set_rig *r, uint64_t number, bool *micro)
{
	struct object o;
	struct block *b;
	uint32_t      size;

	cr_assert_eq(object_open(&r->os, number, &o, NULL), 0);
	cr_assert_eq(object_block(&o, 0, &b, NULL), 0);
	*micro = get64(b->bytes, 0) == ZAP_BLOCK_MICRO;
	size = o.dn.block_size;
	block_put(r->disk.reader, b);
	object_close(&o);
	return size;
}

static int count_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	(void)entry;
	(void)e;
	++*(size_t *)ctx;
	return 0;
}

/* As many entries as given, name "entry-N" to N, written with zap_write. */
static void write_and_read(size_t count, const char *pad, bool want_micro)
{
	struct set_rig	   r;
	struct object_spec spec = { .type = OT_DIRECTORY };
	struct zap_head	   head = { .salt = 0x9876543210fedcba | 1 };
	struct zap_item	  *items = calloc(count + 1, sizeof *items);
	uint64_t	  *values = calloc(count + 1, sizeof *values), got;
	char(*names)[128] = calloc(count + 1, sizeof *names);
	size_t seen = 0;
	bool   micro;

	for (size_t i = 0; i < count; i++) {
		values[i] = i * 3 + 1;
		items[i] = (struct zap_item){
			.cd_new = true,
			.int_size = 8,
			.name = names[i],
			.value_count = 1,
			.value = &values[i],
			.name_size = (uint32_t)snprintf(names[i], sizeof names[i], "%zu%s", i, pad),
		};
	}
	set_open(&r);
	spec.number = new_number(&r);
	cr_assert_eq(zap_write(r.set, &spec, &head, items, count, &r.disk.e), 0, "%s",
		     r.disk.e.text);
	set_finish(&r);
	block_size_of(&r, spec.number, &micro);
	cr_assert_eq(micro, want_micro, "%zu entries", count);
	for (size_t i = 0; i < count; i++) {
		char name[128];

		snprintf(name, sizeof name, "%zu%s", i, pad);
		cr_assert_eq(zap_u64_at(&r.os, spec.number, name, &got, &r.disk.e), 0, "%s",
			     r.disk.e.text);
		cr_assert_eq(got, i * 3 + 1);
	}
	cr_assert_eq(zap_u64_at(&r.os, spec.number, "other", &got, &r.disk.e), -1);
	cr_assert_eq(zap_each_at(&r.os, spec.number, count_entry, &seen, NULL), 0);
	cr_assert_eq(seen, count);
	set_close(&r);
	free(items);
	free(values);
	free(names);
}

Test(zap_write, micro_up_to_2047_entries_with_short_names)
{
	static const char long45[] = "-------------------------------------------44";

	write_and_read(0, "", true);
	write_and_read(1, "", true);
	write_and_read(2047, "", true);
	write_and_read(2048, "", false);
	/* One digit and 48 bytes are 49, the most that a micro ZAP takes. */
	write_and_read(10, "------------------------------------------------", true);
	write_and_read(11, "------------------------------------------------", false);
	write_and_read(3000, long45, false);
}

Test(zap_write, an_edit_is_read_back_and_edited_again)
{
	struct set_rig	 r;
	struct zap_edit *z;
	uint64_t	 number, value, words[5] = { 1, 2, 3, 4, UINT64_MAX };
	uint16_t	 shorts[3] = { 1, 256, 65535 }, got[3];
	unsigned	 int_size;
	size_t		 n;
	struct object	 o;
	bool		 micro;

	set_open(&r);
	z = edit_new(&r);
	number = zap_edit_number(z);
	cr_assert_eq(zap_edit_set(z, "a", 1, NULL), 0);
	cr_assert_eq(zap_edit_set(z, "b", 2, NULL), 0);
	cr_assert_eq(zap_edit_set(z, "a", 3, NULL), 0);
	cr_assert(zap_edit_get(z, "a", &value) && value == 3);
	cr_assert_eq(zap_edit_count(z), 2);
	cr_assert_eq(zap_edit_write(z, NULL), 0);
	zap_edit_free(z);
	set_finish(&r);
	block_size_of(&r, number, &micro);
	cr_assert(micro);

	set_begin(&r);
	cr_assert_eq(zap_edit_open(r.set, number, &z, &r.disk.e), 0, "%s", r.disk.e.text);
	cr_assert_eq(zap_edit_type(z), OT_DIRECTORY);
	cr_assert_eq(zap_edit_set_key(z, "words", 5, 8, words, 5, NULL), 0);
	cr_assert_eq(zap_edit_set_key(z, "shorts", 6, 2, shorts, 3, NULL), 0);
	cr_assert_eq(zap_edit_set_key(z, "text", 4, 1, "hello", 6, NULL), 0);
	cr_assert_eq(zap_edit_remove(z, "b", 1, NULL), 0);
	cr_assert_eq(zap_edit_remove(z, "b", 1, &r.disk.e), -1);
	cr_assert_eq(r.disk.e.kind, ERR_NOTFOUND);
	cr_assert_not(zap_edit_get(z, "text", &value));
	cr_assert_eq(zap_edit_write(z, NULL), 0);
	zap_edit_free(z);
	set_finish(&r);
	block_size_of(&r, number, &micro);
	cr_assert_not(micro);
	cr_assert_eq(zap_u64_at(&r.os, number, "a", &value, NULL), 0);
	cr_assert_eq(value, 3);
	cr_assert_eq(zap_u64_at(&r.os, number, "b", &value, NULL), -1);
	cr_assert_eq(object_open(&r.os, number, &o, NULL), 0);
	cr_assert_eq(zap_lookup(&o, "shorts", &int_size, got, sizeof got, &n, NULL), 0);
	cr_assert_eq(int_size, 2);
	cr_assert_arr_eq(got, shorts, sizeof shorts);
	object_close(&o);

	/* Numbers of every width survive an edit that does not touch them. */
	set_begin(&r);
	cr_assert_eq(zap_edit_open(r.set, number, &z, NULL), 0);
	cr_assert_eq(zap_edit_set(z, "c", 5, NULL), 0);
	cr_assert_eq(zap_edit_write(z, NULL), 0);
	zap_edit_free(z);
	set_finish(&r);
	cr_assert_eq(object_open(&r.os, number, &o, NULL), 0);
	cr_assert_eq(zap_lookup(&o, "shorts", &int_size, got, sizeof got, &n, NULL), 0);
	cr_assert_arr_eq(got, shorts, sizeof shorts);
	cr_assert_eq(zap_lookup(&o, "words", &int_size, words, sizeof words, &n, NULL), 0);
	cr_assert_eq(words[4], UINT64_MAX);
	cr_assert_eq(n, sizeof words);
	object_close(&o);
	set_close(&r);
}

/* The image is what the object's blocks are, in both forms. */
Test(zap_write, the_image_equals_what_is_written)
{
	for (unsigned count = 0; count <= 5000; count = count * 7 + 5) {
		struct set_rig	 r;
		struct zap_edit *z;
		uint8_t		*image, *got;
		size_t		 size;
		uint32_t	 block_size;
		uint64_t	 number;
		struct object	 o;
		char		 name[32];

		set_open(&r);
		z = edit_new(&r);
		number = zap_edit_number(z);
		for (unsigned i = 0; i < count; i++) {
			snprintf(name, sizeof name, "n%u", i);
			cr_assert_eq(zap_edit_set(z, name, i, NULL), 0);
		}
		cr_assert_eq(zap_edit_image(z, &image, &size, &block_size, NULL), 0);
		cr_assert_eq(size % block_size, 0);
		cr_assert_eq(zap_edit_write(z, NULL), 0);
		zap_edit_free(z);
		set_finish(&r);
		got = malloc(size);
		cr_assert_eq(object_open(&r.os, number, &o, NULL), 0);
		cr_assert_eq(o.dn.block_size, block_size);
		cr_assert_eq((o.dn.max_blkid + 1) * block_size, size);
		cr_assert_eq(object_read(&o, 0, got, size, NULL), 0);
		cr_assert_eq(memcmp(got, image, size), 0, "%u entries", count);
		object_close(&o);
		free(got);
		free(image);
		set_close(&r);
	}
}

/* With its bonus, which a small dnode could not hold. */
Test(zap_write, a_zap_in_a_large_dnode_stays_there)
{
	struct set_rig	     r;
	struct zap_edit	    *z;
	static uint8_t	     bonus[2000];
	struct dnode_block **list;
	struct dnode	     dn;
	struct object	     o;
	uint64_t	     number, value;
	size_t		     count;

	memset(bonus, 0x3c, sizeof bonus);
	set_open(&r);
	z = edit_new(&r);
	number = zap_edit_number(z);
	cr_assert_eq(zap_edit_write(z, NULL), 0);
	zap_edit_free(z);
	cr_assert_eq(block_writer_drain(r.disk.writer, NULL), 0);
	cr_assert_eq(objset_write_get(r.set, number, &dn, NULL), 0);
	dn.extra_slots = 4;
	dn.bonus_type = OT_ZNODE;
	dn.bonus = bytes_of(bonus, sizeof bonus, ORDER_NATIVE);
	cr_assert_eq(objset_write_dirty(r.set, &list, &count, NULL), 0);
	dnode_encode(&dn, wbytes_of(list[0]->data + number * 512, 2560, ORDER_NATIVE));
	free(list);
	set_finish(&r);
	set_begin(&r);
	cr_assert_eq(zap_edit_open(r.set, number, &z, NULL), 0);
	cr_assert_eq(zap_edit_set(z, "one more", 7, NULL), 0);
	cr_assert_eq(zap_edit_write(z, NULL), 0);
	zap_edit_free(z);
	set_finish(&r);
	cr_assert_eq(object_open(&r.os, number, &o, NULL), 0);
	cr_assert_eq(o.dn.extra_slots, 4);
	cr_assert_eq(o.dn.bonus.n, sizeof bonus);
	cr_assert_eq(memcmp(o.dn.bonus.p, bonus, sizeof bonus), 0);
	cr_assert_eq(zap_u64(&o, "one more", &value, NULL), 0);
	cr_assert_eq(value, 7);
	object_close(&o);
	set_close(&r);
}
