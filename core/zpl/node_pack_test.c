#include "core/zpl/node_pack.h"
#include "core/zpl/rdev.h"
#include "formats/bonus_test.h"
#include "formats/nvlist.h"
#include "formats/znode.h"

/* Layouts of the file system that the golden bytes are from, and what a new one begins with. */
static struct node_layouts genuine, ours;

static void init(void)
{
	const uint32_t plain = 1u << ZPL_MODE | 1u << ZPL_SIZE | 1u << ZPL_GEN | 1u << ZPL_UID |
			       1u << ZPL_GID | 1u << ZPL_PARENT | 1u << ZPL_FLAGS |
			       1u << ZPL_ATIME | 1u << ZPL_MTIME | 1u << ZPL_CTIME |
			       1u << ZPL_CRTIME | 1u << ZPL_LINKS | 1u << ZPL_DACL_COUNT |
			       1u << ZPL_DACL_ACES;

	genuine = (struct node_layouts){ .list = { { plain, 2, false },
						   { plain | 1u << ZPL_SYMLINK, 4, false } },
					 .count = 2,
					 .next = 5 };
	node_layouts_init(&ours, NULL);
}

TestSuite(node_pack, .init = init);

enum { OLD = DNODE_OLD_BONUS_MAX };
static uint8_t spill[NODE_SPILL_MAX], data[65535];

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
	uint8_t		   buf[512];
	struct bytes	   in = bonus("dnode-root-0755", buf);
	struct node	   n = node_of(bytes_from(in, 8));
	struct node_packed p;

	cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
	cr_assert_eq(p.bonus_type, OT_SA);
	cr_assert_eq(p.spill_size, 0);
	cr_assert_eq(p.bonus_size, in.n);
	cr_assert_arr_eq(p.bonus, in.p, in.n);
}

Test(node_pack, a_symlink_as_openzfs_2_3_wrote_it)
{
	uint8_t		   buf[512];
	struct bytes	   in = bonus("dnode-symlink", buf);
	struct node	   n = node_of(bytes_from(in, 16));
	struct node_packed p;

	n.target = "text"; /* two variable lengths make the header 16 bytes long */
	n.target_size = 4;
	cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
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
		uint8_t		   buf[512], want[512];
		struct bytes	   in = bonus(names[i], buf);
		struct node	   n = node_of(bytes_from(in, 8));
		struct node_packed p;

		memcpy(want, in.p, PROJID_AT);
		memcpy(want + PROJID_AT, in.p + PROJID_AT + 8, in.n - PROJID_AT - 8);
		want[4] = 2;			 /* the layout's number: bits 0-9 */
		want[8 + FLAGS * 8 + 5] &= 0x7f; /* ZNODE_PROJID_FLAG */
		cr_assert_eq(node_pack(&n, &genuine, true, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
		cr_assert_eq(p.bonus_size, in.n - 8, "%s", names[i]);
		cr_assert_arr_eq(p.bonus, want, in.n - 8, "%s", names[i]);
	}
}

Test(node_pack, a_znode_as_zfs_fuse_wrote_it)
{
	static const char *const names[] = { "dnode-file-fuse", "dnode-root-fuse" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint8_t		   buf[512];
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

		cr_assert_eq(node_pack(&n, NULL, false, in.order, OLD, &p, spill, NULL), 0);
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

static uint32_t mask_of(unsigned number)
{
	for (unsigned i = 0; i < ours.count; i++) {
		if (ours.list[i].number == number)
			return ours.list[i].mask;
	}
	cr_assert_fail("layout %u", number);
	return 0;
}

/* Walks the layout that the header names and returns where an attribute is; n 0: not there. */
static struct bytes locate(struct bytes in, enum zpl_attr_id want)
{
	enum zpl_attr_id ids[ZPL_ATTR_COUNT];
	struct sa_header h;
	unsigned	 variable = 0;

	cr_assert_eq(sa_header_decode(in, &h, NULL), 0);

	size_t count = node_layout_attrs(mask_of(h.layout), ids), at = h.size;

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

/* In the bonus or, when it is not there, in the spill block. */
static struct bytes anywhere(struct bytes bonus, struct bytes rest, enum zpl_attr_id want)
{
	struct bytes there = locate(bonus, want);

	return there.p == NULL && rest.n > 0 ? locate(rest, want) : there;
}

static void check_pack(size_t target, size_t xattrs, size_t aces, size_t room, enum order order)
{
	static struct ace  list[ACL_ENTRIES_MAX];
	struct node	   n = some_node(0120777);
	struct node_packed p;
	uint64_t	   uid, gid;

	for (size_t i = 0; i < aces; i++)
		list[i] = (struct ace){ .mask = 1, .who = i };
	n.target = (const char *)data;
	n.target_size = target;
	n.xattrs = bytes_of(data, xattrs, ORDER_BIG);
	n.aces = aces > 0 ? list : NULL;
	n.ace_count = aces;
	n.xattr_object = aces + 5;
	cr_assert_eq(node_pack(&n, &ours, true, order, room, &p, spill, NULL), 0);
	cr_assert_leq(p.bonus_size, p.spill_size > 0 ? room - BLKPTR_SIZE : room);

	struct bytes bonus = bytes_of(p.bonus, p.bonus_size, order);
	struct bytes rest = bytes_of(spill, p.spill_size, order);
	struct bytes t = anywhere(bonus, rest, ZPL_SYMLINK), x = anywhere(bonus, rest, ZPL_DXATTR);
	struct bytes a = anywhere(bonus, rest, ZPL_DACL_ACES);

	cr_assert_eq(get64(locate(bonus, ZPL_LINKS), 0), 7);
	cr_assert_eq(get64(bonus, node_links_offset(bonus, true)), 7);
	node_owner(bonus, true, &uid, &gid);
	cr_assert(uid == 11 && gid == 12);
	cr_assert_eq(get64(anywhere(bonus, rest, ZPL_XATTR), 0), aces + 5);
	cr_assert(t.n == target && (target == 0 || memcmp(t.p, data, target) == 0));
	cr_assert(x.n == xattrs && (xattrs == 0 || memcmp(x.p, data, xattrs) == 0));
	cr_assert_eq(a.n, aces > 0 ? aces * ACE_ID_SIZE : 24);
	cr_assert(aces == 0 || get64(a, (aces - 1) * ACE_ID_SIZE + 8) == aces - 1);
}

/* Every length of target, xattrs and ACL, both orders, every dnode size: what is packed is found
 * again, in bonus or spill. */
Test(node_pack, every_layout_gives_back_what_went_in)
{
	static const size_t sizes[] = { 0,   1,	  8,   100, 119, 120, 121,  127,
					128, 129, 135, 136, 137, 200, 4095, 65535 };
	static const size_t lists[] = { 0, 1, 4, 5, 1024 };
	enum { COUNT = sizeof sizes / sizeof sizes[0] };

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (uint8_t)(i % 251);
	for (size_t i = 0; i < 2 * COUNT * COUNT * 5; i++) {
		size_t t = sizes[i / 10 % COUNT], x = sizes[i / 10 / COUNT], a = lists[i / 2 % 5];
		size_t room = (512u << i % 6) - DNODE_CORE_SIZE - BLKPTR_SIZE;

		if (t + x + a * ACE_ID_SIZE <= NODE_SPILL_MAX - 64)
			check_pack(t, x, a, room, i % 2 ? ORDER_BIG : ORDER_LITTLE);
	}
	cr_assert_lt(ours.count, NODE_LAYOUTS_MAX);
}

Test(node_pack, devices_as_every_system_reads_them)
{
	struct node	   n = some_node(0020600);
	struct node_packed p;
	struct bytes	   bonus;

	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 8, 10, &n.rdev, NULL), 0);
	cr_assert_eq(n.rdev, 0x80000a);
	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 4095, 0xfffff, &n.rdev, NULL), 0);
	cr_assert_eq(n.rdev, 0xffffffff);
	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 4096, 1, &n.rdev, NULL), 0);
	cr_assert_eq(n.rdev, UINT64_C(4096) << 32 | 1);
	cr_assert_eq(rdev_encode(RDEV_OPENZFS, 0, 1 << 20, &n.rdev, NULL), -1);
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_BIG, OLD, &p, spill, NULL), 0);
	bonus = bytes_of(p.bonus, p.bonus_size, ORDER_BIG);
	cr_assert_eq(get64(locate(bonus, ZPL_RDEV), 0), n.rdev);
}

Test(node_pack, flags_say_what_the_acl_says)
{
	struct ace list[] = { { .mask = ACE_EXECUTE, .flags = ACE_FOR_OWNER },
			      { .mask = ACE_EXECUTE, .flags = ACE_FILE_INHERIT, .who = 5 } };
	struct node	   n = some_node(0040755);
	struct node_packed p;

	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
	cr_assert_eq(get64(bytes_of(p.bonus, 400, ORDER_LITTLE), 8 + FLAGS * 8) & 0x1ff,
		     ZNODE_ACL_TRIVIAL | ZNODE_ACL_AUTO_INHERIT | ZNODE_NO_EXECS_DENIED);
	n.aces = list;
	n.ace_count = 2;
	n.in_xattrs = true;
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
	cr_assert_eq(get64(bytes_of(p.bonus, 400, ORDER_LITTLE), 8 + FLAGS * 8) & 0x1ff,
		     ZNODE_ACL_AUTO_INHERIT | ZNODE_INHERIT_ACE | ZNODE_XATTR);
}

Test(node_pack, what_does_not_fit_is_refused)
{
	static uint8_t	   more[65536];
	struct node	   n = some_node(0100644);
	struct node_packed p;
	struct err	   e = { 0 };

	n.xattrs = bytes_of(more, sizeof more, ORDER_BIG);
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, OLD, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	n.xattrs.n = 1;
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, OLD, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
	n = some_node(0120777);
	n.target = (const char *)more;
	n.target_size = sizeof more;
	cr_assert_eq(node_pack(&n, &ours, true, ORDER_LITTLE, OLD, &p, spill, &e), -1);
	cr_assert_str_eq(e.text, "a symlink target of 65536 bytes: 64 KiB is the limit");
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, OLD, &p, spill, &e), -1);
	/* An object for an ACL that needs none, and the other way around. */
	n = some_node(0100644);
	n.acl_object = 5;
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, OLD, &p, spill, &e), -1);
	cr_assert_eq(e.kind, ERR_UNSUPPORTED);
}

Test(node_pack, a_znode_is_followed_by_a_short_target_only)
{
	static const char  text[] = "0123456789012345678901234567890123456789012345678901234567";
	struct node	   n = some_node(0120777);
	struct node_packed p;

	n.target = text;
	n.target_size = 56;
	cr_assert(!node_target_outside(&n, false));
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
	cr_assert_eq(p.bonus_size, ZNODE_SIZE + 56);
	cr_assert_arr_eq(p.bonus + ZNODE_SIZE, text, 56);
	n.target_size = 57;
	cr_assert(node_target_outside(&n, false));
	cr_assert(!node_target_outside(&n, true));
	cr_assert_eq(node_pack(&n, NULL, false, ORDER_LITTLE, OLD, &p, spill, NULL), 0);
	cr_assert_eq(p.bonus_size, ZNODE_SIZE);
}

Test(node_pack, a_znode_names_the_object_of_a_long_acl)
{
	struct ace  list[5];
	struct node n = some_node(0100644);

	for (size_t i = 0; i < 5; i++)
		list[i] = (struct ace){ .mask = ACE_EXECUTE, .flags = 0, .who = 7 + i };
	n.aces = list;
	for (int order = ORDER_LITTLE; order <= ORDER_BIG; order++) {
		struct node_packed p;
		struct acl_phys	   acl;
		struct bytes	   out;
		struct acl_view	   v;
		struct ace	   got;
		uint8_t		   object[5 * ACE_ID_SIZE];

		n.ace_count = 4;
		n.acl_object = 0;
		cr_assert_eq(node_acl_outside(&n, false), 0);
		cr_assert_eq(node_pack(&n, NULL, false, order, OLD, &p, spill, NULL), 0);
		n.ace_count = 5;
		n.acl_object = 1234;
		cr_assert_eq(node_acl_outside(&n, false), sizeof object);
		cr_assert_eq(node_acl_outside(&n, true), 0);
		cr_assert_eq(node_pack(&n, NULL, false, order, OLD, &p, spill, NULL), 0);
		out = bytes_of(p.bonus, p.bonus_size, order);
		cr_assert_eq(acl_phys_decode(bytes_from(out, ZNODE_ACL_OFFSET), &acl, NULL), 0);
		cr_assert_eq(acl.object, 1234);
		cr_assert_eq(acl.count, 5);
		cr_assert_eq(acl.size, sizeof object);
		cr_assert_eq(acl.version, 1);
		node_acl_encode(&n, wbytes_of(object, sizeof object, order));
		v = (struct acl_view){ bytes_of(object, sizeof object, order), 5, false };
		for (size_t i = 0; i < 5; i++) {
			cr_assert_eq(acl_next(&v, &got, NULL), 1);
			cr_assert_eq(got.who, 7 + i);
		}
	}
}

Test(node_pack, xattrs_become_a_packed_list)
{
	struct entry_xattr x[] = { { "user.a", "one", 3 }, { "user.empty", "", 0 } };
	struct nvlist	  *list;
	uint8_t		  *packed;
	size_t		   n;

	cr_assert_eq(node_xattrs(x, 2, &packed, &n, NULL), 0);
	cr_assert_eq(n, NODE_XATTRS_EMPTY + node_xattr_size(&x[0]) + node_xattr_size(&x[1]));
	cr_assert_eq(nvlist_decode(bytes_of(packed, n, ORDER_BIG), &list, NULL, NULL), 0);
	cr_assert_eq(nvlist_count(list), 2);
	cr_assert_eq(nvlist_pair(list, 0)->count, 3);
	nvlist_free(list);
	free(packed);
	cr_assert_eq(node_xattrs(x, 0, &packed, &n, NULL), 0);
	cr_assert_null(packed);
	cr_assert_eq(n, 0);
}
