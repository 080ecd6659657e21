/*
 * Access control lists: entries in both their forms, the old znode's header, and the list that a
 * mode alone amounts to. Where a file keeps its list is core/zpl's matter.
 */
#include "formats/acl.h"

#include <assert.h>
#include <string.h>

enum {
	A_TYPE = 0x0,
	A_FLAGS = 0x2,
	A_MASK = 0x4,
	A_WHO = 0x8,
	A_OBJECT = 0x10,
	A_INHERITED = 0x20,
	GUID_SIZE = 16,

	OLD_WHO = 0x0,
	OLD_MASK = 0x4,
	OLD_FLAGS = 0x8,
	OLD_TYPE = 0xa,

	P_OBJECT = 0x00,
	P_SIZE = 0x08,
	P_VERSION = 0x0c,
	P_COUNT = 0x0e,
	P_HERE = 0x10,
};

/* -- entries ----------------------------------------------------------------------------------- */

static bool is_class(const struct ace *a)
{
	unsigned who = a->flags & ACE_FOR;

	return who == ACE_FOR_OWNER || who == ACE_FOR_GROUP || who == ACE_FOR_EVERYONE;
}

static bool is_object(const struct ace *a)
{
	return a->type >= ACE_OBJECT_FIRST && a->type <= ACE_OBJECT_LAST;
}

size_t ace_size(const struct ace *a)
{
	if (is_object(a))
		return ACE_OBJECT_SIZE;
	return a->type <= ACE_DENY && is_class(a) ? ACE_HEADER_SIZE : ACE_ID_SIZE;
}

void ace_encode(const struct ace *a, struct wbytes out)
{
	size_t size = ace_size(a);

	assert(out.n >= size);
	put16(out, A_TYPE, a->type);
	put16(out, A_FLAGS, a->flags);
	put32(out, A_MASK, a->mask);
	if (size > A_WHO)
		put64(out, A_WHO, a->who);
	if (size > A_OBJECT) {
		memcpy(out.p + A_OBJECT, a->object, GUID_SIZE);
		memcpy(out.p + A_INHERITED, a->inherited, GUID_SIZE);
	}
}

int ace_decode(struct bytes in, struct ace *out, size_t *size, struct err *e)
{
	if (in.n < ACE_HEADER_SIZE)
		return err_set(e, ERR_CORRUPT, "ACL entry needs %d bytes, has %zu", ACE_HEADER_SIZE,
			       in.n);

	struct ace a = { .type = get16(in, A_TYPE),
			 .flags = get16(in, A_FLAGS),
			 .mask = get32(in, A_MASK) };
	size_t	   need = ace_size(&a);

	if (in.n < need)
		return err_set(e, ERR_CORRUPT, "ACL entry needs %zu bytes, has %zu", need, in.n);
	if (need > A_WHO)
		a.who = get64(in, A_WHO);
	if (need > A_OBJECT) {
		memcpy(a.object, in.p + A_OBJECT, GUID_SIZE);
		memcpy(a.inherited, in.p + A_INHERITED, GUID_SIZE);
	}
	*out = a;
	*size = need;
	return 0;
}

int ace_old_decode(struct bytes in, struct ace *out, struct err *e)
{
	if (in.n < ACE_OLD_SIZE)
		return err_set(e, ERR_CORRUPT, "old ACL entry needs %d bytes, has %zu",
			       ACE_OLD_SIZE, in.n);
	*out = (struct ace){ .who = get32(in, OLD_WHO),
			     .mask = get32(in, OLD_MASK),
			     .flags = get16(in, OLD_FLAGS),
			     .type = get16(in, OLD_TYPE) };
	if (is_class(out))
		out->who = 0; /* it holds -1 */
	return 0;
}

int acl_next(struct acl_view *v, struct ace *out, struct err *e)
{
	size_t size = ACE_OLD_SIZE;

	if (v->left == 0)
		return 0;
	if (v->old ? ace_old_decode(v->data, out, e) < 0 : ace_decode(v->data, out, &size, e) < 0)
		return -1;
	v->data = bytes_from(v->data, size);
	v->left--;
	return 1;
}

int ace_check(const struct ace *a, struct err *e)
{
	unsigned who = a->flags & ACE_FOR;

	if (a->type > ACE_ALARM && !is_object(a))
		return err_set(e, ERR_UNSUPPORTED, "ACL entry of type %u", a->type);
	if (!is_class(a) && who != ACE_FOR_USER && who != ACE_FOR_GROUP_ID)
		return err_set(e, ERR_UNSUPPORTED, "ACL entry for 0x%x", who);
	if (a->mask & ~(uint32_t)ACE_ALL)
		return err_set(e, ERR_UNSUPPORTED, "ACL entry with permissions 0x%x", a->mask);
	return 0;
}

/* -- the old znode's header -------------------------------------------------------------------- */

int acl_phys_decode(struct bytes in, struct acl_phys *out, struct err *e)
{
	if (in.n < ACL_PHYS_SIZE)
		return err_set(e, ERR_CORRUPT, "ACL needs %d bytes, has %zu", ACL_PHYS_SIZE, in.n);

	struct acl_phys a = { .object = get64(in, P_OBJECT),
			      .size = get32(in, P_SIZE),
			      .version = get16(in, P_VERSION),
			      .count = get16(in, P_COUNT),
			      .here = bytes_sub(in, P_HERE, ACL_PHYS_INLINE) };

	if (a.version == 0) {
		a.count = a.size;
		a.size = a.count * ACE_OLD_SIZE;
	}
	if (a.object == 0 && a.size > ACL_PHYS_INLINE)
		return err_set(e, ERR_CORRUPT, "ACL of %llu bytes where %d have room",
			       (unsigned long long)a.size, ACL_PHYS_INLINE);
	*out = a;
	return 0;
}

void acl_phys_encode(const struct acl_phys *a, struct wbytes out)
{
	assert(out.n >= ACL_PHYS_SIZE && a->here.n <= ACL_PHYS_INLINE);
	memset(out.p, 0, ACL_PHYS_SIZE);
	put64(out, P_OBJECT, a->object);
	put32(out, P_SIZE, (uint32_t)(a->version == 0 ? a->count : a->size));
	put16(out, P_VERSION, a->version);
	put16(out, P_COUNT, a->version == 0 ? 0 : (uint16_t)a->count);
	if (a->here.n > 0)
		memcpy(out.p + P_HERE, a->here.p, a->here.n);
}

/* -- what a list says -------------------------------------------------------------------------- */

static bool is_plain(const struct ace *a)
{
	const uint32_t owners =
		ACE_WRITE_OWNER | ACE_WRITE_ACL | ACE_WRITE_ATTRIBUTES | ACE_WRITE_NAMED_ATTRS;

	if (!is_class(a) || a->flags & ACE_INHERITING || a->type > ACE_DENY)
		return false;
	if (a->mask & ACE_DELETE || (a->mask & ACE_DELETE_CHILD && !(a->mask & ACE_WRITE_DATA)))
		return false;
	if (a->type == ACE_DENY)
		return (a->mask & (ACE_READ_ACL | ACE_READ_ATTRIBUTES)) == 0;
	return (a->flags & ACE_FOR) == ACE_FOR_OWNER || (a->mask & owners) == 0;
}

bool acl_is_trivial(const struct ace *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_plain(&list[i]))
			return false;
	}
	return true;
}

/* Letters in getfacl's order: rwxpDdaARWcCos. */
static void put_mask(uint32_t mask, struct text *t)
{
	static const struct {
		uint32_t bit;
		char	 letter;
	} letters[] = {
		{ ACE_READ_DATA, 'r' },	       { ACE_WRITE_DATA, 'w' },
		{ ACE_EXECUTE, 'x' },	       { ACE_APPEND_DATA, 'p' },
		{ ACE_DELETE_CHILD, 'D' },     { ACE_DELETE, 'd' },
		{ ACE_READ_ATTRIBUTES, 'a' },  { ACE_WRITE_ATTRIBUTES, 'A' },
		{ ACE_READ_NAMED_ATTRS, 'R' }, { ACE_WRITE_NAMED_ATTRS, 'W' },
		{ ACE_READ_ACL, 'c' },	       { ACE_WRITE_ACL, 'C' },
		{ ACE_WRITE_OWNER, 'o' },      { ACE_SYNCHRONIZE, 's' },
	};

	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
		text_put(t, "%c", mask & letters[i].bit ? letters[i].letter : '-');
	if (mask & ~(uint32_t)ACE_ALL)
		text_put(t, "+0x%x", mask & ~(uint32_t)ACE_ALL);
}

void ace_describe(const struct ace *a, struct text *t)
{
	static const char *const types[] = { "allow", "deny", "audit", "alarm" };
	static const char	 inherit[] = "fdniSFI";
	static const uint16_t	 bits_of[] = { ACE_FILE_INHERIT, ACE_DIRECTORY_INHERIT,
					       ACE_NO_PROPAGATE, ACE_INHERIT_ONLY,
					       ACE_SUCCESSFUL,	 ACE_FAILED,
					       ACE_INHERITED };

	switch (a->flags & ACE_FOR) {
	case ACE_FOR_OWNER:
		text_put(t, "owner@:");
		break;
	case ACE_FOR_GROUP:
		text_put(t, "group@:");
		break;
	case ACE_FOR_EVERYONE:
		text_put(t, "everyone@:");
		break;
	default:
		text_put(t, "%s:%llu:", a->flags & ACE_FOR_GROUP_ID ? "group" : "user",
			 (unsigned long long)a->who);
	}
	put_mask(a->mask, t);
	text_put(t, ":");
	for (size_t i = 0; i < sizeof bits_of / sizeof bits_of[0]; i++)
		text_put(t, "%c", a->flags & bits_of[i] ? inherit[i] : '-');
	if (a->type <= ACE_ALARM)
		text_put(t, ":%s", types[a->type]);
	else
		text_put(t, ":type %u", a->type);
}

/* -- the list that a mode amounts to ----------------------------------------------------------- */

enum {
	ANYBODY = ACE_READ_ACL | ACE_READ_ATTRIBUTES | ACE_READ_NAMED_ATTRS | ACE_SYNCHRONIZE,
	OWNER_ALSO = ACE_WRITE_ACL | ACE_WRITE_ATTRIBUTES | ACE_WRITE_NAMED_ATTRS | ACE_WRITE_OWNER,
};

/* What the three bits of a mode allow. */
static uint32_t rwx_mask(unsigned rwx, bool is_dir)
{
	uint32_t mask = 0;

	if (rwx & 4)
		mask |= ACE_READ_DATA;
	if (rwx & 2)
		mask |= ACE_WRITE_DATA | ACE_APPEND_DATA | (is_dir ? ACE_DELETE_CHILD : 0);
	if (rwx & 1)
		mask |= ACE_EXECUTE;
	return mask;
}

/*
 * Entries are read in order and the first that speaks about a permission decides, while everyone@
 * includes owner and group. So what a wider class has and a narrower one lacks must be denied to
 * the narrower one first; and what the owner has, the group lacks and others have must be allowed
 * to the owner ahead of the group's denial, since the owner may be a member.
 * Source: OpenZFS zfs_acl.c, acl_trivial_access_masks and zfs_acl_chmod.
 */
unsigned acl_trivial(uint32_t mode, bool is_dir, struct ace out[ACL_TRIVIAL_MAX])
{
	unsigned owner = mode >> 6 & 7, group = mode >> 3 & 7, other = mode & 7, n = 0;
	unsigned owner_first = owner & ~group & other;
	unsigned owner_not = ~owner & (group | other);
	unsigned group_not = ~group & other;
	const struct {
		uint32_t mask;
		uint16_t flags, type;
	} all[ACL_TRIVIAL_MAX] = {
		{ rwx_mask(owner_first, is_dir), ACE_FOR_OWNER, ACE_ALLOW },
		{ rwx_mask(owner_not, is_dir), ACE_FOR_OWNER, ACE_DENY },
		{ rwx_mask(group_not, is_dir), ACE_FOR_GROUP, ACE_DENY },
		{ rwx_mask(owner, is_dir) | ANYBODY | OWNER_ALSO, ACE_FOR_OWNER, ACE_ALLOW },
		{ rwx_mask(group, is_dir) | ANYBODY, ACE_FOR_GROUP, ACE_ALLOW },
		{ rwx_mask(other, is_dir) | ANYBODY, ACE_FOR_EVERYONE, ACE_ALLOW },
	};

	for (unsigned i = 0; i < ACL_TRIVIAL_MAX; i++) {
		if (all[i].mask != 0)
			out[n++] = (struct ace){ .mask = all[i].mask,
						 .flags = all[i].flags,
						 .type = all[i].type };
	}
	return n;
}
