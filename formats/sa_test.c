#include "formats/acl.h"
#include "formats/bonus_test.h"
#include "formats/sa.h"
#include "formats/znode.h"

/* Layouts of the pool that the golden bytes are from. */
static const uint16_t layout2[] = { 5, 6, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8, 16, 19 };
static const uint16_t layout3[] = { 5, 6, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8, 21, 16, 19 };
static const uint16_t layout4[] = { 5, 6, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8, 16, 19, 17 };

/* Where attribute `id` lies, and its length, by walking the layout. */
static struct bytes find(struct bytes in, const uint16_t *layout, size_t count, uint16_t id)
{
	struct sa_header h;
	unsigned	 var = 0;

	cr_assert_eq(sa_header_decode(in, &h, NULL), 0);

	size_t at = h.size;

	for (size_t i = 0; i < count; i++) {
		uint16_t n = zpl_attr_table[layout[i]].length;

		if (n == 0)
			cr_assert_eq(sa_header_length(in, &h, var++, &n, NULL), 0);
		if (layout[i] == id)
			return bytes_sub(in, at, n);
		at += (n + 7u) & ~7u;
	}
	cr_assert_fail("attribute %u is not in the layout", id);
	return in;
}

#define FIND(in, layout, id) find(in, layout, sizeof layout / sizeof *layout, id)

static void assert_trivial(struct bytes aces, uint32_t mode, bool is_dir)
{
	struct ace ace[6];
	uint8_t	   ours[48];
	unsigned   n = acl_trivial(mode, is_dir, ace);

	for (unsigned i = 0; i < n; i++)
		ace_encode(&ace[i], wbytes_of(ours + i * 8, 8, aces.order));
	cr_assert_eq(n * 8, aces.n);
	cr_assert_arr_eq(ours, aces.p, aces.n);
}

Test(sa, files_and_their_trivial_acls_as_openzfs_2_3_wrote_them)
{
	static const struct {
		const char *name;
		uint32_t    mode;
	} files[] = {
		{ "dnode-file-0644", 0100644 }, { "dnode-file-0000", 0100000 },
		{ "dnode-file-4755", 0104755 }, { "dnode-dir-0755", 0040755 },
		{ "dnode-dir-1777", 0041777 },
	};

	for (int i = 0; i < 5; i++) {
		uint8_t	     buf[512];
		struct bytes in = bonus(files[i].name, buf);

		cr_assert_eq(get64(FIND(in, layout3, ZPL_MODE), 0), files[i].mode);
		cr_assert_eq(get64(FIND(in, layout3, ZPL_DACL_COUNT), 0), 3);
		assert_trivial(FIND(in, layout3, ZPL_DACL_ACES), files[i].mode,
			       (files[i].mode & 0170000) == 0040000);
	}
}

Test(sa, the_header_and_every_value_of_a_file)
{
	uint8_t		 buf[512];
	struct bytes	 in = bonus("dnode-file-0644", buf);
	struct sa_header h;

	cr_assert_eq(sa_header_decode(in, &h, NULL), 0);
	cr_assert_eq(h.layout, 3);
	cr_assert_eq(h.size, 8);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_SIZE), 0), 4096);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_UID), 0), 1000);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_GID), 0), 1001);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_PARENT), 0), 34);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_MTIME), 0), 1796025527);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_MTIME), 8), 656002149);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_LINKS), 0), 1);
	cr_assert_eq(get64(FIND(in, layout3, ZPL_FLAGS), 0),
		     ZNODE_ACL_TRIVIAL | ZNODE_ARCHIVE | ZNODE_AV_MODIFIED | ZNODE_PROJID_FLAG);
}

Test(sa, a_symlink_has_two_lengths)
{
	uint8_t		 buf[512], again[16];
	struct bytes	 in = bonus("dnode-symlink", buf);
	struct sa_header h;
	uint16_t	 n;
	struct bytes	 target = FIND(in, layout4, ZPL_SYMLINK);

	cr_assert_eq(sa_header_decode(in, &h, NULL), 0);
	cr_assert_eq(h.layout, 4);
	cr_assert_eq(h.size, 16);
	cr_assert_eq(target.n, 4);
	cr_assert_arr_eq(target.p, "text", 4);
	assert_trivial(FIND(in, layout4, ZPL_DACL_ACES), 0120777, false);

	sa_header_encode(wbytes_of(again, sizeof again, ORDER_LITTLE), 4, (uint16_t[]){ 24, 4 }, 2);
	cr_assert_arr_eq(again, in.p, sizeof again);

	/* The header's padding can be asked, what lies behind it cannot. */
	cr_assert_eq(sa_header_length(in, &h, 4, &n, NULL), 0);
	n = 99;
	cr_assert_eq(sa_header_length(in, &h, 5, &n, NULL), -1);
	cr_assert_eq(sa_header_length(in, &h, UINT32_MAX, &n, NULL), -1);
	cr_assert_eq(n, 99);
}

Test(sa, a_root_directory_has_no_project)
{
	uint8_t	     buf[512];
	struct bytes in = bonus("dnode-root-0755", buf);

	cr_assert_eq(get64(FIND(in, layout2, ZPL_LINKS), 0), 5);
	assert_trivial(FIND(in, layout2, ZPL_DACL_ACES), 0040755, true);
}

Test(sa, header_sizes_and_both_orders)
{
	static const uint16_t lengths[] = { 1, 2, 3, 4, 5, 6, 0xffff };

	cr_assert_eq(sa_header_size(0), 8);
	cr_assert_eq(sa_header_size(1), 8);
	cr_assert_eq(sa_header_size(2), 16);
	cr_assert_eq(sa_header_size(5), 16);
	cr_assert_eq(sa_header_size(6), 24);
	for (enum order o = ORDER_LITTLE; o <= ORDER_BIG; o++) {
		uint8_t		 buf[24];
		struct bytes	 in = bytes_of(buf, sizeof buf, o);
		struct sa_header h;

		sa_header_encode(wbytes_of(buf, sizeof buf, o), 1023, lengths, 7);
		cr_assert_eq(sa_header_decode(in, &h, NULL), 0);
		cr_assert_eq(h.layout, 1023);
		cr_assert_eq(h.size, 24);
		for (unsigned i = 0; i < 7; i++) {
			uint16_t n;

			cr_assert_eq(sa_header_length(in, &h, i, &n, NULL), 0);
			cr_assert_eq(n, lengths[i]);
		}
	}
}

Test(sa, headers_that_cannot_be_are_corrupt_and_leave_out_alone)
{
	uint8_t		 buf[512];
	struct bytes	 in = bonus("dnode-symlink", buf);
	struct sa_header h = { .layout = 77 };
	struct err	 e;

	for (size_t n = 0; n < 16; n++) {
		e.kind = ERR_NONE;
		cr_assert_eq(sa_header_decode(bytes_of(in.p, n, ORDER_LITTLE), &h, &e), -1);
		cr_assert_eq(e.kind, ERR_CORRUPT);
	}
	in.order = ORDER_BIG;
	cr_assert_eq(sa_header_decode(in, &h, NULL), -1);
	in.order = ORDER_LITTLE;
	buf[0xc0 + 5] = 0; /* a header of no size */
	cr_assert_eq(sa_header_decode(in, &h, NULL), -1);
	cr_assert_eq(h.layout, 77);
}

Test(sa, registry_values_of_openzfs_2_3)
{
	static const struct {
		enum zpl_attr_id id;
		uint64_t	 value;
	} known[] = {
		{ ZPL_DACL_COUNT, 0x8000010 }, { ZPL_SYMLINK, 0x30011 },
		{ ZPL_SCANSTAMP, 0x20030012 }, { ZPL_ZNODE_ACL, 0x5803000f },
		{ ZPL_ATIME, 0x10000000 },     { ZPL_DACL_ACES, 0x40013 },
		{ ZPL_DXATTR, 0x30014 },       { ZPL_PAD, 0x2000000e },
		{ ZPL_PROJID, 0x8000015 },     { ZPL_MODE, 0x8000005 },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct sa_attr_info *a = &zpl_attr_table[known[i].id];
		uint16_t		   number, length;
		uint8_t			   bswap;

		cr_assert_eq(sa_registry_value(known[i].id, a->bswap, a->length), known[i].value,
			     "%s", a->name);
		sa_registry_decode(known[i].value, &number, &bswap, &length);
		cr_assert_eq(number, known[i].id);
		cr_assert_eq(bswap, a->bswap);
		cr_assert_eq(length, a->length);
	}
	for (int i = 0; i < ZPL_ATTR_COUNT; i++)
		cr_assert_eq(strncmp(zpl_attr_table[i].name, "ZPL_", 4), 0);
}

Test(sa, equal_layouts_hash_equal_and_the_order_does_not_matter)
{
	static const uint16_t swapped[] = { 6, 5, 4, 12, 13, 7, 11, 0, 1, 2, 3, 8, 16, 19 };

	cr_assert_eq(sa_layout_hash(NULL, 0), UINT64_MAX);
	cr_assert_eq(sa_layout_hash(layout2, 14), sa_layout_hash(swapped, 14));
	cr_assert_neq(sa_layout_hash(layout3, 15), sa_layout_hash(layout4, 15));
}
