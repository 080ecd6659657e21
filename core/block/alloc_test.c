#include <criterion/criterion.h>

#include "core/block/alloc.h"
#include "formats/base/limits.h"

static struct alloc *fresh(uint64_t size)
{
	struct alloc *a;

	cr_assert_eq(alloc_new(0, 512, &a, NULL), 0);
	cr_assert_eq(alloc_add_free(a, 0, size, NULL), 0);
	return a;
}

Test(alloc, runs_never_cross_a_piece_and_streams_keep_apart)
{
	struct alloc *a = fresh(ALLOC_ENDLESS);
	uint64_t      last[ALLOC_STREAMS] = { 0 };

	for (int i = 0; i < 5000; i++) {
		for (unsigned s = 0; s < ALLOC_STREAMS; s++) {
			uint64_t off, got;

			cr_assert_eq(alloc_run(a, s, 128 * KIB, 512 * KIB, &off, &got, NULL), 0);
			cr_assert_eq(off / ALLOC_PIECE, (off + got - 1) / ALLOC_PIECE);
			last[s] = off;
		}
		cr_assert_neq(last[0] / ALLOC_PIECE, last[1] / ALLOC_PIECE);
		cr_assert_neq(last[1] / ALLOC_PIECE, last[2] / ALLOC_PIECE);
		cr_assert_neq(last[0] / ALLOC_PIECE, last[2] / ALLOC_PIECE);
	}
	alloc_free(a);
}

Test(alloc, runs_do_not_cross_small_metaslabs_either)
{
	struct alloc *a = fresh(64 * MIB);
	uint64_t      off, got;

	alloc_set_piece(a, 512 * KIB);
	for (int i = 0; i < 100; i++) {
		cr_assert_eq(alloc_run(a, 0, 120 * KIB, 120 * KIB, &off, &got, NULL), 0);
		cr_assert_eq(off / (512 * KIB), (off + got - 1) / (512 * KIB));
	}
	alloc_free(a);
}

Test(alloc, a_full_pool_gives_its_last_byte_and_then_says_so)
{
	struct alloc *a = fresh(3 * ALLOC_PIECE);
	struct err    e;
	uint64_t      off, got, sum = 0;

	for (int s = 0; alloc_run(a, s % 3, 512, 64 * KIB, &off, &got, &e) == 0;
	     s += sum < 20 * MIB)
		sum += got;
	cr_assert_eq(sum, 3 * ALLOC_PIECE);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	alloc_free(a);
}

Test(alloc, what_a_commit_frees_is_not_given_out_in_it)
{
	struct alloc *a;
	struct ranges after;
	struct err    e;
	uint64_t      off, got;

	cr_assert_eq(alloc_new(0, 512, &a, NULL), 0);
	cr_assert_eq(alloc_add_free(a, 4096, 8192, NULL), 0);
	cr_assert_eq(alloc_freed(a, 0, 1024, NULL), 0);
	cr_assert_eq(alloc_freed(a, 512, 512, &e), -1);
	cr_assert_eq(alloc_freed(a, 4096, 512, &e), -1);
	cr_assert_eq(alloc_run(a, 0, 4096, 4096, &off, &got, NULL), 0);
	cr_assert_eq(off, 4096);
	cr_assert_eq(alloc_run(a, 0, 512, 512, &off, &got, &e), -1);
	cr_assert_eq(alloc_release(a, 4096, 512, NULL), 0);
	cr_assert(alloc_touched(a, 0, 512));
	cr_assert_not(alloc_touched(a, 1024, 4096));
	cr_assert_eq(alloc_after(a, &after, NULL), 0);
	cr_assert_eq(after.count, 2);
	cr_assert_eq(after.list[0].end, 1024);
	cr_assert_eq(after.list[1].start, 4096);
	cr_assert_eq(after.list[1].end, 4608);
	ranges_fini(&after);
	alloc_free(a);
}

Test(alloc, a_limit_below_what_is_taken_is_refused)
{
	struct alloc *a = fresh(ALLOC_ENDLESS);
	struct ranges after;
	struct err    e;
	uint64_t      off, got;

	cr_assert_eq(alloc_run(a, 0, MIB, MIB, &off, &got, NULL), 0);
	cr_assert_eq(alloc_limit(a, 512, &e), -1);
	cr_assert_eq(e.kind, ERR_NOSPACE);
	cr_assert_eq(alloc_limit(a, 2 * MIB, NULL), 0);
	cr_assert_eq(alloc_after(a, &after, NULL), 0);
	cr_assert_eq(ranges_bytes(&after), MIB);
	ranges_fini(&after);
	alloc_free(a);
}

Test(alloc, large_allocations_make_pieces_grow_but_not_beyond_metaslabs)
{
	struct alloc *a = fresh(1024 * MIB);
	uint64_t      off, got;

	cr_assert_eq(alloc_run(a, 0, 64 * KIB, 64 * KIB, &off, &got, NULL), 0);
	cr_assert_eq(alloc_run(a, 0, 4 * MIB, 4 * MIB, &off, &got, NULL), 0);
	cr_assert_eq(alloc_piece(a), ALLOC_PIECE);
	for (int i = 0; i < 9; i++) {
		cr_assert_eq(alloc_run(a, 0, 16 * MIB, 16 * MIB, &off, &got, NULL), 0);
		cr_assert_eq(alloc_piece(a), 64 * MIB);
		cr_assert_eq(off / (64 * MIB), (off + 16 * MIB - 1) / (64 * MIB));
	}
	alloc_free(a);

	a = fresh(1024 * MIB);
	alloc_set_piece(a, 32 * MIB);
	cr_assert_eq(alloc_run(a, 0, 16 * MIB, 16 * MIB, &off, &got, NULL), 0);
	cr_assert_eq(alloc_piece(a), 32 * MIB);
	alloc_free(a);
}
