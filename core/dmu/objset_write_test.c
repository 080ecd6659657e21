#include "core/dmu/objset_rig_test.h"

static void put_mark(struct set_rig *r, uint64_t number, uint64_t mark)
{
	struct dnode dn = plain_dnode(&mark);

	cr_assert_eq(objset_write_put(r->set, number, &dn, &r->disk.e), 0, "%s", r->disk.e.text);
}

static uint64_t get_mark(struct set_rig *r, uint64_t number)
{
	struct dnode dn;

	if (objset_write_get(r->set, number, &dn, &r->disk.e) < 0)
		return 0;
	return get64(dn.bonus, 0);
}

static uint64_t read_mark(struct set_rig *r, uint64_t number)
{
	struct object o;
	uint64_t      mark;

	if (object_open(&r->os, number, &o, &r->disk.e) < 0) {
		cr_assert_eq(r->disk.e.kind, ERR_NOTFOUND, "%s", r->disk.e.text);
		return 0;
	}
	mark = get64(o.dn.bonus, 0);
	object_close(&o);
	return mark;
}

static uint64_t take(struct set_rig *r, enum object_kind kind)
{
	uint64_t number;

	cr_assert_eq(objset_write_alloc(r->set, kind, &number, &r->disk.e), 0);
	return number;
}

Test(objset_write, numbers_of_both_kinds_never_meet)
{
	struct set_rig r;
	uint64_t       soon, late, first;

	set_open(&r);
	first = late = take(&r, OBJECT_SETTLES_LATE);
	cr_assert_eq(first, 1);
	put_mark(&r, first, 7);
	for (unsigned i = 0; i < 200; i++) {
		soon = take(&r, OBJECT_SETTLES_SOON);
		put_mark(&r, soon, soon);
		if (i % 3 == 0) {
			late = take(&r, OBJECT_SETTLES_LATE);
			put_mark(&r, late, late);
		}
		cr_assert_neq(soon / 32, late / 32);
	}
	set_finish(&r);
	cr_assert_eq(read_mark(&r, 1), 7);
	cr_assert_eq(read_mark(&r, soon), soon);
	cr_assert_eq(read_mark(&r, late), late);
	set_close(&r);
}

/* Three levels of dnode blocks; some come back after they went out. */
Test(objset_write, a_hundred_thousand_objects, .timeout = 60)
{
	enum { COUNT = 100000 };
	struct set_rig r;
	uint64_t       number, seen = 0;

	set_open(&r);
	for (uint64_t i = 1; i < COUNT; i++) {
		number = take(&r, OBJECT_SETTLES_SOON);
		cr_assert_eq(number, i);
		put_mark(&r, number, i * 3);
	}
	for (uint64_t i = 1; i < COUNT; i += 9973) {
		cr_assert_eq(get_mark(&r, i), i * 3);
		put_mark(&r, i, i * 5);
	}
	cr_assert_eq(objset_write_remove(r.set, 50000, NULL), 0);
	cr_assert_eq(objset_write_remove(r.set, 50000, NULL), 0, "a free number may be freed");
	cr_assert_eq(get_mark(&r, 50000), 0);
	cr_assert_eq(r.disk.e.kind, ERR_NOTFOUND);
	set_finish(&r);
	for (number = 1; objset_next(&r.os, &number, NULL) == 0; number++, seen++)
		cr_assert_eq(read_mark(&r, number),
			     (number - 1) % 9973 == 0 ? number * 5 : number * 3);
	cr_assert_eq(seen, COUNT - 2);
	cr_assert_eq(r.os.phys.meta.bp[0].fill + r.os.phys.meta.bp[1].fill +
			     r.os.phys.meta.bp[2].fill,
		     seen);
	set_close(&r);
}

Test(objset_write, an_old_set_keeps_what_is_not_touched)
{
	struct set_rig r;
	uint64_t       number;

	set_open(&r);
	for (uint64_t i = 1; i < 1000; i++)
		put_mark(&r, take(&r, OBJECT_SETTLES_SOON), i);
	set_finish(&r);
	for (unsigned round = 0; round < 4; round++) {
		set_begin(&r);
		put_mark(&r, 100, 100 + round);
		cr_assert_eq(objset_write_remove(r.set, 200 + round, NULL), 0);
		/* A whole dnode block becomes a hole. */
		for (uint64_t i = 320 + round * 32; i < 352 + round * 32; i++)
			cr_assert_eq(objset_write_remove(r.set, i, NULL), 0);
		number = take(&r, OBJECT_SETTLES_SOON);
		cr_assert_geq(number, r.os.object_limit, "new numbers are behind the old ones");
		put_mark(&r, number, 5000 + round);
		set_finish(&r);
		cr_assert_eq(read_mark(&r, 99), 99);
		cr_assert_eq(read_mark(&r, 100), 100 + round);
		cr_assert_eq(read_mark(&r, 200 + round), 0);
		cr_assert_eq(read_mark(&r, 320 + round * 32), 0);
		cr_assert_eq(read_mark(&r, number), 5000 + round);
		cr_assert_eq(read_mark(&r, 999), 999);
	}
	cr_assert_gt(r.freed, 0);
	set_close(&r);
}

Test(objset_write, claims)
{
	struct set_rig r;

	set_open(&r);
	cr_assert_eq(objset_write_claim(r.set, 70, NULL), 0);
	cr_assert_eq(objset_write_claim(r.set, 70, &r.disk.e), -1);
	cr_assert_eq(r.disk.e.kind, ERR_EXISTS);
	cr_assert_eq(take(&r, OBJECT_SETTLES_SOON), 96);
	put_mark(&r, 96, 1);
	cr_assert_eq(get_mark(&r, 70), 0, "taken, but there is no dnode yet");
	put_mark(&r, 70, 2);
	set_finish(&r);
	cr_assert_eq(read_mark(&r, 70), 2);
	set_close(&r);
}

/* Contents come and go: with what is dropped, space and free blocks are as a walk sees them. */
Test(objset_write, objects_with_contents_are_replaced_and_dropped)
{
	struct set_rig	   r;
	static uint8_t	   data[300000], spill[2000], got[300000];
	uint64_t	   mark = 1, a, b, c;
	struct object_spec spec = { .type = OT_PLAIN_FILE,
				    .bonus_type = OT_SA,
				    .block_size = 4096,
				    .bonus = bytes_of(&mark, 8, ORDER_NATIVE) };
	struct object	   o;

	fill_bytes(data, sizeof data, 1, false);
	fill_bytes(spill, sizeof spill, 2, false);
	set_open(&r);
	a = spec.number = take(&r, OBJECT_SETTLES_SOON);
	spec.spill = bytes_of(spill, sizeof spill, ORDER_NATIVE);
	cr_assert_eq(object_write_bytes(r.set, &spec, data, sizeof data, NULL), 0);
	b = spec.number = take(&r, OBJECT_SETTLES_SOON);
	cr_assert_eq(object_write_bytes(r.set, &spec, data, 5000, NULL), 0);
	c = spec.number = take(&r, OBJECT_SETTLES_SOON);
	cr_assert_eq(object_write_bytes(r.set, &spec, data, 0, NULL), 0);
	/* One of this very commit goes again. */
	cr_assert_eq(block_writer_drain(r.disk.writer, NULL), 0);
	cr_assert_eq(objset_write_drop(r.set, b, &r.disk.e), 0, "%s", r.disk.e.text);
	set_finish(&r);
	cr_assert_eq(r.freed, 0);
	cr_assert_eq(object_open(&r.os, a, &o, NULL), 0);
	cr_assert_eq(object_read(&o, 0, got, sizeof got, NULL), 0);
	cr_assert_eq(memcmp(got, data, sizeof data), 0);
	cr_assert(o.dn.flags & DNODE_FLAG_SPILL);
	object_close(&o);
	cr_assert_eq(object_open(&r.os, b, &o, NULL), -1);
	set_begin(&r);
	cr_assert_eq(objset_write_drop(r.set, c, NULL), 0);
	spec.number = a;
	spec.replace = true;
	spec.spill.n = 0;
	cr_assert_eq(object_write_bytes(r.set, &spec, data + 5, 10000, NULL), 0);
	set_finish(&r);
	cr_assert_eq(object_open(&r.os, a, &o, NULL), 0);
	cr_assert_eq(object_read(&o, 0, got, 12288, NULL), 0);
	cr_assert_eq(memcmp(got, data + 5, 10000), 0);
	cr_assert_not(o.dn.flags & DNODE_FLAG_SPILL);
	object_close(&o);
	cr_assert_eq(object_open(&r.os, c, &o, NULL), -1);
	set_begin(&r);
	cr_assert_eq(objset_write_drop(r.set, a, &r.disk.e), 0, "%s", r.disk.e.text);
	set_finish(&r);
	set_close(&r);
}

/* A set with a dnode of three slots in it, made by hand: ours does not write such. */
static uint64_t with_large_dnode(struct set_rig *r)
{
	uint64_t	     mark = 33, number;
	struct dnode	     dn = plain_dnode(&mark);
	struct dnode_block **list;
	size_t		     count;

	set_open(r);
	number = take(r, OBJECT_SETTLES_SOON);
	put_mark(r, number, 11);
	cr_assert_eq(objset_write_dirty(r->set, &list, &count, NULL), 0);
	cr_assert_eq(count, 1);
	dn.extra_slots = 2;
	dnode_encode(&dn, wbytes_of(list[0]->data + (number + 1) * 512, 1536, ORDER_NATIVE));
	/* The middle of it looks like a dnode. */
	mark = 44;
	dn.extra_slots = 0;
	dnode_encode(&dn, wbytes_of(list[0]->data + (number + 2) * 512, 512, ORDER_NATIVE));
	list[0]->used++;
	free(list);
	set_finish(r);
	return number + 1;
}

Test(objset_write, large_dnodes_survive_beside_what_changes)
{
	struct set_rig r;
	uint64_t       large = with_large_dnode(&r), mark = 55;
	struct dnode   dn;
	struct err     e = { 0 };

	set_begin(&r);
	put_mark(&r, large - 1, 12);
	cr_assert_eq(objset_write_get(r.set, large, &dn, &e), 0, "%s", e.text);
	cr_assert_eq(dn.extra_slots, 2);
	/* Its middle is no object. */
	cr_assert_eq(objset_write_get(r.set, large + 1, &dn, &e), -1);
	cr_assert_eq(e.kind, ERR_NOTFOUND);
	cr_assert_eq(objset_write_remove(r.set, large + 1, &e), -1);
	cr_assert_eq(objset_write_claim(r.set, large + 2, &e), -1);
	dn = plain_dnode(&mark);
	cr_assert_eq(objset_write_put(r.set, large + 1, &dn, &e), -1);
	dn.extra_slots = 3;
	cr_assert_eq(objset_write_put(r.set, large, &dn, &e), -1, "that would cover what follows");
	set_finish(&r);
	cr_assert_eq(read_mark(&r, large - 1), 12);
	cr_assert_eq(read_mark(&r, large), 33);
	cr_assert_eq(read_mark(&r, large + 1), 0);
	/* A small one in its place leaves free slots, not what was in them. */
	set_begin(&r);
	put_mark(&r, large, 66);
	set_finish(&r);
	cr_assert_eq(read_mark(&r, large), 66);
	cr_assert_eq(read_mark(&r, large + 1), 0);
	set_begin(&r);
	cr_assert_eq(objset_write_remove(r.set, large, &e), 0);
	set_finish(&r);
	cr_assert_eq(read_mark(&r, large), 0);
	set_close(&r);
}

Test(objset_write, old_sets_that_make_no_sense_are_refused)
{
	struct set_rig		    r;
	struct objset		    os;
	struct objset_write_options o = { 0 };
	struct objset_write	   *w;
	struct err		    e = { 0 };

	set_open(&r);
	put_mark(&r, take(&r, OBJECT_SETTLES_SOON), 1);
	set_finish(&r);
	o = (struct objset_write_options){ .writer = r.disk.writer,
					   .reader = r.disk.reader,
					   .old = &os };
	os = r.os;
	os.phys.meta.block_size = 512;
	cr_assert_eq(objset_write_new(&o, &w, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
	os = r.os;
	os.object_limit = UINT64_MAX;
	cr_assert_eq(objset_write_new(&o, &w, &e), -1);
	os = (struct objset){ 0 };
	cr_assert_eq(objset_write_new(&o, &w, &e), -1);
	set_close(&r);
}

/* Blocks from the future would be taken for our own. */
Test(objset_write, a_block_born_later_is_not_freed)
{
	struct set_rig	   r;
	uint8_t		   data[4096];
	struct object_spec spec = { .type = OT_PLAIN_FILE, .block_size = 4096 };

	fill_bytes(data, sizeof data, 1, false);
	set_open(&r);
	spec.number = take(&r, OBJECT_SETTLES_SOON);
	cr_assert_eq(object_write_bytes(r.set, &spec, data, sizeof data, NULL), 0);
	set_finish(&r);
	r.txg = 2;
	set_begin(&r);
	cr_assert_eq(objset_write_drop(r.set, spec.number, &r.disk.e), -1);
	cr_assert_eq(r.disk.e.kind, ERR_CORRUPT);
	set_close(&r);
}

/* Numbers of dnodes of all sizes, mixed: none overlaps another or leaves its block. */
Test(objset_write, dnodes_of_all_sizes_are_packed_into_blocks)
{
	static const uint32_t sizes[] = { 0, 1024, 512, 4096, 8192, 16384, 512, 2048, 1536 };
	enum { COUNT = 200 };
	static uint8_t contents[700];
	struct set_rig r;
	uint64_t       numbers[COUNT];
	bool	       taken[COUNT * 64] = { 0 };
	static uint8_t bonus[DNODE_BONUS_MAX];

	memset(bonus, 0x77, sizeof bonus);
	set_open(&r);
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t size = sizes[i % (sizeof sizes / sizeof sizes[0])];
		unsigned slots = size == 0 ? 1 : size / 512;

		cr_assert_eq(objset_write_alloc_sized(r.set, i % 2, size, &numbers[i], NULL), 0);
		cr_assert_leq(numbers[i] % 32 + slots, 32);
		for (unsigned s = 0; s < slots; s++) {
			cr_assert(numbers[i] + s > 0 && !taken[numbers[i] + s]);
			taken[numbers[i] + s] = true;
		}
	}
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t	   size = sizes[i % (sizeof sizes / sizeof sizes[0])];
		size_t		   room = dnode_bonus_room(size == 0 ? 512 : size);
		struct object_spec spec = { .number = numbers[i], .type = OT_PLAIN_FILE,
					    .bonus_type = OT_SA, .block_size = 1024,
					    .dnode_size = size,
					    .bonus = bytes_of(bonus, room, ORDER_NATIVE) };

		if (i % 3 == 0) {
			spec.spill = bytes_of(contents, 600, ORDER_NATIVE);
			spec.bonus.n = room - BLKPTR_SIZE;
		}
		cr_assert_eq(object_write_bytes(r.set, &spec, contents, sizeof contents, NULL), 0);
	}
	set_finish(&r);
	for (size_t i = 0; i < COUNT; i++) {
		uint32_t      size = sizes[i % (sizeof sizes / sizeof sizes[0])];
		struct object o;

		cr_assert_eq(object_open(&r.os, numbers[i], &o, NULL), 0);
		cr_assert_eq(dnode_size(&o.dn), size == 0 ? 512 : size);
		cr_assert_eq(o.dn.bonus.n, dnode_bonus_room(size == 0 ? 512 : size) -
					       (i % 3 == 0 ? BLKPTR_SIZE : 0));
		cr_assert_eq(o.dn.bonus.p[o.dn.bonus.n - 1], 0x77);
		cr_assert_eq(!!(o.dn.flags & DNODE_FLAG_SPILL), i % 3 == 0);
		object_close(&o);
	}
	set_close(&r);
}

Test(objset_write, a_bonus_too_large_for_its_dnode_is_refused)
{
	static uint8_t	   bonus[833];
	struct set_rig	   r;
	struct err	   e = { 0 };
	struct object_spec spec = { .type = OT_PLAIN_FILE, .bonus_type = OT_SA, .block_size = 512,
				    .dnode_size = 1024,
				    .bonus = bytes_of(bonus, sizeof bonus, ORDER_NATIVE) };

	set_open(&r);
	cr_assert_eq(objset_write_alloc_sized(r.set, 0, 1024, &spec.number, NULL), 0);
	cr_assert_eq(object_write_bytes(r.set, &spec, NULL, 0, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	spec.bonus.n = 832;
	cr_assert_eq(object_write_bytes(r.set, &spec, NULL, 0, NULL), 0);
	set_finish(&r);
	set_close(&r);
}
