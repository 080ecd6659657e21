#include <criterion/criterion.h>

#include <string.h>

#include "formats/acl.h"

/* Who may do what by the list: entries in order, the first that names a permission decides. */
static unsigned allowed(const struct ace *list, unsigned n, bool owner, bool group)
{
	static const uint32_t rwx[] = { 0x20, 0x2, 0x1 }; /* execute, write, read: bits 0, 1, 2 */
	unsigned	      got = 0;

	for (unsigned bit = 0; bit < 3; bit++) {
		for (unsigned i = 0; i < n; i++) {
			if ((list[i].flags == 0x1000 && !owner) ||
			    (list[i].flags == 0x2040 && !group))
				continue;
			if (list[i].mask & rwx[bit]) {
				got |= list[i].type == 0 ? 1u << bit : 0;
				break;
			}
		}
	}
	return got;
}

Test(acl, a_trivial_acl_says_what_its_mode_says)
{
	for (unsigned mode = 0; mode < 01000; mode++) {
		struct ace list[6];
		unsigned   n = acl_trivial(0100000 | mode, false, list);

		cr_assert(n >= 3 && n <= 6);
		cr_assert_eq(allowed(list, n, true, false), mode >> 6, "%o", mode);
		cr_assert_eq(allowed(list, n, true, true), mode >> 6, "%o", mode);
		cr_assert_eq(allowed(list, n, false, true), mode >> 3 & 7, "%o", mode);
		cr_assert_eq(allowed(list, n, false, false), mode & 7, "%o", mode);
	}
}

Test(acl, modes_that_need_denials_get_them_in_order)
{
	struct ace a[6];

	cr_assert_eq(acl_trivial(0644, false, a), 3);
	cr_assert_eq(acl_trivial(0077, false, a), 4);
	cr_assert(a[0].type == 1 && a[0].flags == 0x1000 && a[0].mask == 0x27);
	cr_assert_eq(acl_trivial(0707, true, a), 5);
	cr_assert(a[0].type == 0 && a[0].flags == 0x1000 && a[0].mask == 0x67);
	cr_assert(a[1].type == 1 && a[1].flags == 0x2040 && a[1].mask == 0x67);
	cr_assert_eq(acl_trivial(0406, false, a), 6);
}

Test(acl, entries_in_both_orders)
{
	struct ace a = { .mask = 0x11223344, .type = ACE_DENY };
	uint8_t	   le[8], be[8];

	a.flags = ACE_FOR_OWNER | ACE_INHERITED;
	cr_assert_eq(ace_size(&a), 8);
	ace_encode(&a, wbytes_of(le, 8, ORDER_LITTLE));
	ace_encode(&a, wbytes_of(be, 8, ORDER_BIG));
	cr_assert_arr_eq(le, "\x01\x00\x80\x10\x44\x33\x22\x11", 8);
	cr_assert_arr_eq(be, "\x00\x01\x10\x80\x11\x22\x33\x44", 8);
}

static struct ace of_size(size_t size)
{
	struct ace a = { .mask = ACE_READ_DATA | ACE_DELETE,
			 .flags = ACE_FILE_INHERIT | ACE_FOR_GROUP_ID,
			 .type = ACE_ALLOW,
			 .who = 4294967294u };

	if (size == ACE_HEADER_SIZE) {
		a.flags = ACE_FOR_EVERYONE;
		a.who = 0;
	} else if (size == ACE_OBJECT_SIZE) {
		a.type = ACE_OBJECT_FIRST;
		memcpy(a.object, "0123456789abcdef", 16);
		memcpy(a.inherited, "ABCDEFGHIJKLMNOP", 16);
	}
	return a;
}

Test(acl, every_size_there_and_back_and_no_shorter)
{
	static const size_t sizes[] = { ACE_HEADER_SIZE, ACE_ID_SIZE, ACE_OBJECT_SIZE };

	for (unsigned i = 0; i < 6; i++) {
		enum order order = i < 3 ? ORDER_LITTLE : ORDER_BIG;
		struct ace a = of_size(sizes[i % 3]), b;
		uint8_t	   buf[ACE_OBJECT_SIZE];
		size_t	   size;

		cr_assert_eq(ace_size(&a), sizes[i % 3]);
		ace_encode(&a, wbytes_of(buf, sizeof buf, order));
		for (size_t n = 0; n < ace_size(&a); n++)
			cr_assert_eq(ace_decode(bytes_of(buf, n, order), &b, &size, NULL), -1);
		cr_assert_eq(ace_decode(bytes_of(buf, sizeof buf, order), &b, &size, NULL), 0);
		cr_assert_eq(size, ace_size(&a));
		cr_assert_eq(memcmp(&a, &b, sizeof a), 0);
		cr_assert_eq(ace_check(&b, NULL), 0);
	}
}

Test(acl, an_audit_entry_of_a_class_has_room_for_an_id)
{
	struct ace a = { .type = ACE_AUDIT, .flags = ACE_FOR_OWNER };

	cr_assert_eq(ace_size(&a), ACE_ID_SIZE);
}

Test(acl, entries_before_version_3)
{
	static const uint8_t raw[] = { 0xe8, 3,	   0,	 0,    1, 0, 0, 0, 0x40, 0,    1, 0,
				       0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0,	 0x10, 0, 0 };
	struct acl_view	     v = { bytes_of(raw, sizeof raw, ORDER_LITTLE), 3, true };
	struct ace	     a;
	struct err	     e = { 0 };

	cr_assert_eq(acl_next(&v, &a, &e), 1);
	cr_assert(a.who == 1000 && a.mask == 1 && a.flags == ACE_FOR_GROUP_ID &&
		  a.type == ACE_DENY);
	cr_assert_eq(acl_next(&v, &a, &e), 1);
	cr_assert(a.who == 0 && a.mask == 2 && a.flags == ACE_FOR_OWNER && a.type == ACE_ALLOW);
	cr_assert_eq(acl_next(&v, &a, &e), -1);
	cr_assert_eq(e.kind, ERR_CORRUPT);
}

Test(acl, the_old_znode_s_header)
{
	uint8_t		buf[ACL_PHYS_SIZE];
	struct acl_phys a = { .size = 24,
			      .count = 3,
			      .version = 1,
			      .here = bytes_of("abcdefghijklmnopqrstuvwx", 24, ORDER_BIG) };
	struct acl_phys b;

	acl_phys_encode(&a, wbytes_of(buf, sizeof buf, ORDER_BIG));
	cr_assert_eq(acl_phys_decode(bytes_of(buf, sizeof buf, ORDER_BIG), &b, NULL), 0);
	cr_assert(b.object == 0 && b.size == 24 && b.count == 3 && b.version == 1);
	cr_assert_eq(memcmp(b.here.p, a.here.p, 24), 0);
	for (size_t n = 0; n < sizeof buf; n++)
		cr_assert_eq(acl_phys_decode(bytes_of(buf, n, ORDER_BIG), &b, NULL), -1);
	put16(wbytes_of(buf, sizeof buf, ORDER_BIG), 12, 0);
	put32(wbytes_of(buf, sizeof buf, ORDER_BIG), 8, 6);
	cr_assert_eq(acl_phys_decode(bytes_of(buf, sizeof buf, ORDER_BIG), &b, NULL), 0);
	cr_assert(b.count == 6 && b.size == 72 && b.version == 0);
	put32(wbytes_of(buf, sizeof buf, ORDER_BIG), 8, 7);
	cr_assert_eq(acl_phys_decode(bytes_of(buf, sizeof buf, ORDER_BIG), &b, NULL), -1);
	put64(wbytes_of(buf, sizeof buf, ORDER_BIG), 0, 99);
	cr_assert_eq(acl_phys_decode(bytes_of(buf, sizeof buf, ORDER_BIG), &b, NULL), 0);
	cr_assert_eq(b.object, 99);
}

Test(acl, what_a_mode_could_say_is_trivial)
{
	static const struct ace more[] = {
		{ .mask = ACE_READ_DATA, .flags = ACE_FOR_USER, .who = 5 },
		{ .mask = ACE_READ_DATA, .flags = ACE_FOR_GROUP_ID, .who = 5 },
		{ .mask = ACE_READ_DATA, .flags = ACE_FOR_OWNER | ACE_FILE_INHERIT },
		{ .mask = ACE_READ_ACL, .flags = ACE_FOR_OWNER, .type = ACE_DENY },
		{ .mask = ACE_DELETE, .flags = ACE_FOR_OWNER },
		{ .mask = ACE_DELETE_CHILD, .flags = ACE_FOR_OWNER },
		{ .mask = ACE_WRITE_ACL, .flags = ACE_FOR_GROUP },
		{ .mask = ACE_READ_DATA, .flags = ACE_FOR_OWNER, .type = ACE_AUDIT },
	};

	for (unsigned mode = 0; mode < 02000; mode++) {
		struct ace list[ACL_TRIVIAL_MAX];

		cr_assert(acl_is_trivial(list, acl_trivial(mode, mode & 01000, list)));
	}
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		cr_assert_not(acl_is_trivial(&more[i], 1), "%zu", i);
}

Test(acl, entries_in_words)
{
	char	    buf[256];
	struct text t = text_in(buf, sizeof buf);
	struct ace  a = { .mask = ACE_READ_DATA | ACE_WRITE_DATA | ACE_APPEND_DATA |
				  ACE_READ_ATTRIBUTES | ACE_SYNCHRONIZE,
			  .flags = ACE_FOR_OWNER };

	ace_describe(&a, &t);
	text_put(&t, " ");
	a = (struct ace){ .mask = ACE_EXECUTE | 0x80000000u,
			  .type = ACE_DENY,
			  .who = 1000,
			  .flags = ACE_DIRECTORY_INHERIT | ACE_INHERITED | ACE_FOR_GROUP_ID };
	ace_describe(&a, &t);
	cr_assert_str_eq(buf, "owner@:rw-p--a------s:-------:allow "
			      "group:1000:--x-----------+0x80000000:-d----I:deny");
	cr_assert_eq(ace_check(&a, NULL), -1);
	a = (struct ace){ .flags = ACE_FOR_OWNER | ACE_FOR_EVERYONE };
	cr_assert_eq(ace_check(&a, NULL), -1);
	a = (struct ace){ .type = 4 };
	cr_assert_eq(ace_check(&a, NULL), -1);
}
