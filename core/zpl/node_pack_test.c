#include "core/zpl/node_pack.h"
#include "formats/bonus_test.h"
#include "formats/nvlist.h"
#include "formats/znode.h"

/* Layout numbers of the file system that the golden bytes are from. */
static const struct node_layouts genuine = { { [LAYOUT_PLAIN] = 2, [LAYOUT_SYMLINK] = 4 } };
static const struct node_layouts ours = { { 2, 3, 4, 5, 6, 7, 8 } };

enum {
	MODE,
	SIZE,
	GEN,
	UID,
	GID,
	PARENT,
	FLAGS,
	ATIME,
	MTIME = ATIME + 2,
	CTIME = MTIME + 2,
	CRTIME = CTIME + 2,
	LINKS = CRTIME + 2
};

static struct entry_time time_at(struct bytes b, size_t word)
{
	return (struct entry_time){ (int64_t)get64(b, word * 8), (uint32_t)get64(b, word * 8 + 8) };
}

/* The node that a genuine bonus says, attributes from word 0 of `b` on. */
static struct node node_of(struct bytes b)
{
	return (struct node){
		.mode = get64(b, MODE * 8),
		.size = get64(b, SIZE * 8),
		.gen = get64(b, GEN * 8),
		.uid = get64(b, UID * 8),
		.gid = get64(b, GID * 8),
		.parent = get64(b, PARENT * 8),
		.links = get64(b, LINKS * 8),
		.atime = time_at(b, ATIME),
		.mtime = time_at(b, MTIME),
		.ctime = time_at(b, CTIME),
		.crtime = time_at(b, CRTIME),
	};
}

Test(node_pack, the_root_directory_as_openzfs_2_3_wrote_it)
{
	uint8_t		   buf[512], spill[1];
	struct bytes	   in = bonus("dnode-root-0755", buf);
	struct node	   n = node_of(bytes_from(in, 8));
	struct node_packed p;

	cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, &p, spill, NULL), 0);
	cr_assert_eq(p.bonus_type, OT_SA);
	cr_assert_eq(p.spill_size, 0);
	cr_assert_eq(p.bonus_size, in.n);
	cr_assert_arr_eq(p.bonus, in.p, in.n);
}

Test(node_pack, a_symlink_as_openzfs_2_3_wrote_it)
{
	uint8_t		   buf[512], spill[1];
	struct bytes	   in = bonus("dnode-symlink", buf);
	struct node	   n = node_of(bytes_from(in, 16));
	struct node_packed p;

	n.target = "text"; /* two variable lengths make the header 16 bytes long */
	n.target_size = 4;
	cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, &p, spill, NULL), 0);
	cr_assert_eq(p.bonus_size, in.n);
	cr_assert_arr_eq(p.bonus, in.p, in.n);
}

/* These have a project (8 bytes behind the links) and the layout for it; the rest must be what we
 * write. */
Test(node_pack, files_and_directories_as_openzfs_2_3_wrote_them)
{
	static const char *const names[] = { "dnode-file-0644", "dnode-file-0000",
					     "dnode-file-4755", "dnode-dir-0755",
					     "dnode-dir-1777" };
	enum { PROJID_AT = 8 + (LINKS + 1) * 8 };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint8_t		   buf[512], want[512], spill[1];
		struct bytes	   in = bonus(names[i], buf);
		struct node	   n = node_of(bytes_from(in, 8));
		struct node_packed p;

		memcpy(want, in.p, PROJID_AT);
		memcpy(want + PROJID_AT, in.p + PROJID_AT + 8, in.n - PROJID_AT - 8);
		want[4] = 2;			 /* the layout's number: bits 0-9 */
		want[8 + FLAGS * 8 + 5] &= 0x7f; /* ZNODE_PROJID_FLAG */
		cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, &p, spill, NULL), 0);
		cr_assert_eq(p.bonus_size, in.n - 8, "%s", names[i]);
		cr_assert_arr_eq(p.bonus, want, in.n - 8, "%s", names[i]);
	}
}

Test(node_pack, a_znode_as_zfs_fuse_wrote_it)
{
	static const char *const names[] = { "dnode-file-fuse", "dnode-root-fuse" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint8_t		   buf[512], spill[1];
		struct bytes	   in = bonus(names[i], buf);
		struct znode	   z, got;
		struct node_packed p;
		uint64_t	   uid, gid;

		cr_assert_eq(znode_decode(in, &z, NULL), 0);

		struct node n = {
			.mode = z.mode,
			.size = z.size,
			.gen = z.gen,
			.uid = z.uid,
			.gid = z.gid,
			.parent = z.parent,
			.links = z.links,
			.atime = { (int64_t)z.atime[0], (uint32_t)z.atime[1] },
			.mtime = { (int64_t)z.mtime[0], (uint32_t)z.mtime[1] },
			.ctime = { (int64_t)z.ctime[0], (uint32_t)z.ctime[1] },
			.crtime = { (int64_t)z.crtime[0], (uint32_t)z.crtime[1] },
		};

		cr_assert_eq(node_pack(&n, NULL, false, in.order, &p, spill, NULL), 0);
		cr_assert_eq(p.bonus_type, OT_ZNODE);
		cr_assert_eq(p.bonus_size, ZNODE_SIZE);

		struct bytes out = bytes_of(p.bonus, p.bonus_size, in.order);

		cr_assert_eq(znode_decode(out, &got, NULL), 0);
		cr_assert_eq(got.mode, z.mode);
		cr_assert_eq(got.links, z.links);
		cr_assert_eq(got.atime[1], z.atime[1]);
		cr_assert_eq(get64(out, node_links_offset(out, false)), z.links);
		node_owner(out, false, &uid, &gid);
		cr_assert_eq(uid, z.uid);
		cr_assert_eq(gid, z.gid);
		/* The inline ACL: of the same version; zfs-fuse says with six entries what now
		 * takes three. */
		struct bytes acl = bytes_of(got.acl, ZNODE_ACL_SIZE, in.order);

		cr_assert_eq(get16(acl, 12), get16(bytes_of(z.acl, ZNODE_ACL_SIZE, in.order), 12));
		cr_assert_eq(get32(acl, 8), get16(acl, 14) * 8u);
		cr_assert_eq(get16(acl, 14), 3);
	}
}

static struct node some_node(uint64_t mode)
{
	return (struct node){ .mode = mode,
			      .size = 1,
			      .links = 7,
			      .parent = 3,
			      .gen = 4,
			      .uid = 11,
			      .gid = 12,
			      .mtime = { -1, 999999999 } };
}

/* Walks the layout that the header names and returns where an attribute is; n 0: not there. */
static struct bytes locate(struct bytes in, enum zpl_attr_id want)
{
	enum zpl_attr_id ids[LAYOUT_ATTRS_MAX];
	struct sa_header h;
	unsigned	 variable = 0;

	cr_assert_eq(sa_header_decode(in, &h, NULL), 0);

	size_t count = node_layout_attrs(h.layout - 2u, ids), at = h.size;

	for (size_t i = 0; i < count; i++) {
		uint16_t n = zpl_attr_table[ids[i]].length;

		if (n == 0)
			cr_assert_eq(sa_header_length(in, &h, variable++, &n, NULL), 0);
		cr_assert_leq(at + n, in.n);
		if (ids[i] == want)
			return bytes_sub(in, at, n);
		at += (n + 7u) & ~7u;
	}
	return (struct bytes){ 0 };
}

/* Every length of target and of xattrs, both orders: what is packed is found again, in bonus or
 * spill. */
Test(node_pack, every_layout_gives_back_what_went_in)
{
	static uint8_t	    spill[NODE_SPILL_MAX], data[65535];
	static const size_t sizes[] = { 0,   1,	  8,   100, 119, 120, 121,  127,
					128, 129, 135, 136, 137, 200, 4095, 65535 };
	enum { COUNT = sizeof sizes / sizeof sizes[0] };

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < 2 * COUNT * COUNT; i++) {
		enum order	   order = i % 2 ? ORDER_BIG : ORDER_LITTLE;
		struct node	   n = some_node(0120777);
		struct node_packed p;
		uint64_t	   uid, gid;

		n.target = (const char *)data;
		n.target_size = sizes[i / 2 % COUNT];
		n.xattrs = bytes_of(data, sizes[i / 2 / COUNT], ORDER_BIG);
		if (n.target_size + n.xattrs.n > NODE_SPILL_MAX - 16)
			continue;
		cr_assert_eq(node_pack(&n, &ours, true, order, &p, spill, NULL), 0);
		cr_assert_leq(p.bonus_size, p.spill_size > 0 ? DNODE_OLD_BONUS_MAX - BLKPTR_SIZE
							     : DNODE_OLD_BONUS_MAX);

		struct bytes bonus = bytes_of(p.bonus, p.bonus_size, order);
		struct bytes rest = p.spill_size > 0 ? bytes_of(spill, p.spill_size, order) : bonus;
		struct bytes target = locate(rest, ZPL_SYMLINK), xattrs = locate(rest, ZPL_DXATTR);

		cr_assert_eq(get64(locate(bonus, ZPL_LINKS), 0), 7);
		cr_assert_eq(get64(bonus, node_links_offset(bonus, true)), 7);
		node_owner(bonus, true, &uid, &gid);
		cr_assert_eq(uid, 11);
		cr_assert_eq(gid, 12);
		cr_assert_eq(target.n, n.target_size);
		cr_assert_eq(xattrs.n, n.xattrs.n);
		cr_assert(target.n == 0 || memcmp(target.p, data, target.n) == 0);
		cr_assert(xattrs.n == 0 || memcmp(xattrs.p, data, xattrs.n) == 0);
	}
}

Test(node_pack, what_does_not_fit_is_refused)
{
	static uint8_t	   spill[NODE_SPILL_MAX], data[65536];
	struct node	   n = some_node(0100644);
	struct node_packed p;
	struct err	   e = { 0 };

	n.xattrs = bytes_of(data, sizeof data, ORDER_BIG);
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	n.xattrs.n = 1;
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	n = some_node(0120777);
	n.target = (const char *)data;
	n.target_size = sizeof data;
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, &p, spill, &e), -1);
	cr_assert_str_eq(e.text, "a symlink target of 65536 bytes: 64 KiB is the limit");
	n.target_size = DNODE_OLD_BONUS_MAX - ZNODE_SIZE;
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, &p, spill, &e), 0);
	n.target_size++;
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
}

Test(node_pack, xattrs_become_a_packed_list)
{
	struct entry_xattr x[] = { { "user.a", "one", 3 }, { "user.empty", "", 0 } };
	struct entry	   in = { .xattrs = x, .xattr_count = 2 };
	struct nvlist	  *list;
	uint8_t		  *packed;
	size_t		   n;

	cr_assert_eq(node_xattrs(&in, &packed, &n, NULL), 0);
	cr_assert_eq(n % 4, 0);
	cr_assert_eq(nvlist_decode(bytes_of(packed, n, ORDER_BIG), &list, NULL, NULL), 0);
	cr_assert_eq(nvlist_count(list), 2);
	cr_assert_eq(nvlist_pair(list, 0)->count, 3);
	nvlist_free(list);
	free(packed);
	in.xattr_count = 0;
	cr_assert_eq(node_xattrs(&in, &packed, &n, NULL), 0);
	cr_assert_null(packed);
	cr_assert_eq(n, 0);
}
