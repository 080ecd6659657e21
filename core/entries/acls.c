/* Lists of both kinds, entry by entry. */
#include "core/entries/acls.h"

#include <archive.h>
#include <archive_entry.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/posix_acl.h"

void acl_buffers_fini(struct acl_buffers *b)
{
	free(b->posix);
	free(b->values);
	free(b->aces);
}

struct pair {
	uint32_t ours;
	int	 theirs;
};

static const struct pair posix_tags[] = {
	{ POSIX_USER_OBJ, ARCHIVE_ENTRY_ACL_USER_OBJ },	  { POSIX_USER, ARCHIVE_ENTRY_ACL_USER },
	{ POSIX_GROUP_OBJ, ARCHIVE_ENTRY_ACL_GROUP_OBJ }, { POSIX_GROUP, ARCHIVE_ENTRY_ACL_GROUP },
	{ POSIX_MASK, ARCHIVE_ENTRY_ACL_MASK },		  { POSIX_OTHER, ARCHIVE_ENTRY_ACL_OTHER },
};

static const struct pair types[] = {
	{ ACE_ALLOW, ARCHIVE_ENTRY_ACL_TYPE_ALLOW },
	{ ACE_DENY, ARCHIVE_ENTRY_ACL_TYPE_DENY },
	{ ACE_AUDIT, ARCHIVE_ENTRY_ACL_TYPE_AUDIT },
	{ ACE_ALARM, ARCHIVE_ENTRY_ACL_TYPE_ALARM },
};

static const struct pair tags[] = {
	{ ACE_FOR_OWNER, ARCHIVE_ENTRY_ACL_USER_OBJ },
	{ ACE_FOR_GROUP, ARCHIVE_ENTRY_ACL_GROUP_OBJ },
	{ ACE_FOR_EVERYONE, ARCHIVE_ENTRY_ACL_EVERYONE },
	{ ACE_FOR_USER, ARCHIVE_ENTRY_ACL_USER },
	{ ACE_FOR_GROUP_ID, ARCHIVE_ENTRY_ACL_GROUP },
};

static const struct pair permissions[] = {
	{ ACE_EXECUTE, ARCHIVE_ENTRY_ACL_EXECUTE },
	{ ACE_READ_DATA, ARCHIVE_ENTRY_ACL_READ_DATA },
	{ ACE_WRITE_DATA, ARCHIVE_ENTRY_ACL_WRITE_DATA },
	{ ACE_APPEND_DATA, ARCHIVE_ENTRY_ACL_APPEND_DATA },
	{ ACE_READ_NAMED_ATTRS, ARCHIVE_ENTRY_ACL_READ_NAMED_ATTRS },
	{ ACE_WRITE_NAMED_ATTRS, ARCHIVE_ENTRY_ACL_WRITE_NAMED_ATTRS },
	{ ACE_DELETE_CHILD, ARCHIVE_ENTRY_ACL_DELETE_CHILD },
	{ ACE_READ_ATTRIBUTES, ARCHIVE_ENTRY_ACL_READ_ATTRIBUTES },
	{ ACE_WRITE_ATTRIBUTES, ARCHIVE_ENTRY_ACL_WRITE_ATTRIBUTES },
	{ ACE_DELETE, ARCHIVE_ENTRY_ACL_DELETE },
	{ ACE_READ_ACL, ARCHIVE_ENTRY_ACL_READ_ACL },
	{ ACE_WRITE_ACL, ARCHIVE_ENTRY_ACL_WRITE_ACL },
	{ ACE_WRITE_OWNER, ARCHIVE_ENTRY_ACL_WRITE_OWNER },
	{ ACE_SYNCHRONIZE, ARCHIVE_ENTRY_ACL_SYNCHRONIZE },
};

static const struct pair flags[] = {
	{ ACE_FILE_INHERIT, ARCHIVE_ENTRY_ACL_ENTRY_FILE_INHERIT },
	{ ACE_DIRECTORY_INHERIT, ARCHIVE_ENTRY_ACL_ENTRY_DIRECTORY_INHERIT },
	{ ACE_NO_PROPAGATE, ARCHIVE_ENTRY_ACL_ENTRY_NO_PROPAGATE_INHERIT },
	{ ACE_INHERIT_ONLY, ARCHIVE_ENTRY_ACL_ENTRY_INHERIT_ONLY },
	{ ACE_SUCCESSFUL, ARCHIVE_ENTRY_ACL_ENTRY_SUCCESSFUL_ACCESS },
	{ ACE_FAILED, ARCHIVE_ENTRY_ACL_ENTRY_FAILED_ACCESS },
	{ ACE_INHERITED, ARCHIVE_ENTRY_ACL_ENTRY_INHERITED },
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* 0 when there is none, also for a kind that is 0. */
static uint32_t to_ours(const struct pair *table, size_t count, int theirs)
{
	for (size_t i = 0; i < count; i++) {
		if (table[i].theirs == theirs)
			return table[i].ours;
	}
	return 0;
}

static int to_theirs(const struct pair *table, size_t count, uint32_t ours)
{
	for (size_t i = 0; i < count; i++) {
		if (table[i].ours == ours)
			return table[i].theirs;
	}
	return 0;
}

static uint32_t bits_to_ours(const struct pair *table, size_t count, int theirs)
{
	uint32_t out = 0;

	for (size_t i = 0; i < count; i++)
		out |= theirs & table[i].theirs ? table[i].ours : 0;
	return out;
}

static int bits_to_theirs(const struct pair *table, size_t count, uint32_t ours)
{
	int out = 0;

	for (size_t i = 0; i < count; i++)
		out |= ours & table[i].ours ? table[i].theirs : 0;
	return out;
}

/* -- in ---------------------------------------------------------------------------------------- */

/* An entry as libarchive tells it. */
struct told {
	int	    type, permissions, tag, id;
	const char *name;
};

/* Tars of GNU tar have names without numbers: what they are here, as for tar itself. */
static int id_of(const struct told *t, uint32_t *out, struct err *e)
{
	bool user = t->tag == ARCHIVE_ENTRY_ACL_USER;

	*out = (uint32_t)t->id;
	if (t->id == INT_MAX)
		return err_set(e, ERR_UNSUPPORTED,
			       "access control list: a %s above 2147483646, which libarchive "
			       "does not keep",
			       user ? "user" : "group");
	if (*out != UINT32_MAX)
		return 0;

	const struct passwd *p = user && t->name != NULL ? getpwnam(t->name) : NULL;
	const struct group  *g = !user && t->name != NULL ? getgrnam(t->name) : NULL;
	char		     quoted[256];
	struct text	     text = text_in(quoted, sizeof quoted);

	if (p != NULL || g != NULL) {
		*out = p != NULL ? p->pw_uid : g->gr_gid;
		return 0;
	}
	if (t->name != NULL)
		text_name(&text, t->name, strlen(t->name));
	else
		text_put(&text, "without name or number");
	return err_set(e, ERR_UNSUPPORTED, "access control list: %s %s is not known here",
		       user ? "user" : "group", quoted);
}

static bool next(struct archive_entry *ae, int want, struct told *t)
{
	return archive_entry_acl_next(ae, want, &t->type, &t->permissions, &t->tag, &t->id,
				      &t->name) == ARCHIVE_OK;
}

static int take_posix(struct acl_buffers *b, struct archive_entry *ae, int want, size_t *count,
		      struct err *e)
{
	struct told t;

	*count = 0;
	archive_entry_acl_reset(ae, want);
	while (next(ae, want, &t)) {
		struct posix_ace a = { (uint16_t)to_ours(posix_tags, COUNT(posix_tags), t.tag),
				       (uint16_t)(t.permissions & 7), POSIX_ACE_NO_ID };

		if ((a.tag == POSIX_USER || a.tag == POSIX_GROUP) && id_of(&t, &a.id, e) < 0)
			return -1;
		if (mem_grow(&b->posix, &b->posix_cap, *count + 1, sizeof a, e) < 0)
			return -1;
		b->posix[(*count)++] = a;
	}
	return 0;
}

/* With a list, the mode's group bits are the mask's; libarchive makes them the group's. */
static void mask_mode(const struct posix_ace *list, size_t count, struct entry *out)
{
	for (size_t i = 0; i < count; i++) {
		if (list[i].tag == POSIX_MASK)
			out->mode = (out->mode & ~070u) | (uint32_t)list[i].permissions << 3;
	}
}

/* The list as one more attribute; its value lies at `at` in b->values until all are there. */
static int add_posix(struct acl_buffers *b, size_t *at, const char *name, size_t count,
		     struct entry_xattr *out, struct err *e)
{
	size_t size = POSIX_ACL_HEADER + count * POSIX_ACE_SIZE;

	if (mem_grow(&b->values, &b->values_cap, *at + size, 1, e) < 0)
		return -1;
	posix_acl_encode(b->posix, count, b->values + *at);
	if (posix_acl_check(bytes_of(b->values + *at, size, ORDER_LITTLE), e) < 0)
		return -1;
	*out = (struct entry_xattr){ .name = name, .size = size };
	*at += size;
	return 0;
}

static int take_both_posix(struct acl_buffers *b, struct archive_entry *ae, int present,
			   struct entry_xattr *xattrs, struct entry *out, struct err *e)
{
	size_t at = 0, count, n = out->xattr_count;

	if (present & ARCHIVE_ENTRY_ACL_TYPE_ACCESS) {
		if (take_posix(b, ae, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, &count, e) < 0 ||
		    add_posix(b, &at, POSIX_ACL_ACCESS, count, &xattrs[n++], e) < 0)
			return -1;
		mask_mode(b->posix, count, out);
	}
	if (present & ARCHIVE_ENTRY_ACL_TYPE_DEFAULT) {
		if (take_posix(b, ae, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, &count, e) < 0 ||
		    add_posix(b, &at, POSIX_ACL_DEFAULT, count, &xattrs[n++], e) < 0)
			return -1;
	}
	at = 0;
	for (; out->xattr_count < n; out->xattr_count++) {
		xattrs[out->xattr_count].value = b->values + at;
		at += xattrs[out->xattr_count].size;
	}
	return 0;
}

static int take_aces(struct acl_buffers *b, struct archive_entry *ae, struct entry *out,
		     struct err *e)
{
	const int   want = ARCHIVE_ENTRY_ACL_TYPE_NFS4;
	size_t	    count = 0;
	struct told t;

	archive_entry_acl_reset(ae, want);
	while (next(ae, want, &t)) {
		struct ace a = {
			.type = (uint16_t)to_ours(types, COUNT(types), t.type),
			.mask = bits_to_ours(permissions, COUNT(permissions), t.permissions),
			.flags = (uint16_t)bits_to_ours(flags, COUNT(flags), t.permissions)
		};
		uint32_t id = 0;

		a.flags |= (uint16_t)to_ours(tags, COUNT(tags), t.tag);
		if ((t.tag == ARCHIVE_ENTRY_ACL_USER || t.tag == ARCHIVE_ENTRY_ACL_GROUP) &&
		    id_of(&t, &id, e) < 0)
			return -1;
		a.who = id;
		if (mem_grow(&b->aces, &b->aces_cap, count + 1, sizeof a, e) < 0)
			return -1;
		b->aces[count++] = a;
	}
	if (acl_is_trivial(b->aces, count))
		return 0;
	out->aces = b->aces;
	out->ace_count = count;
	return 0;
}

int acls_take(struct acl_buffers *b, struct archive_entry *ae, struct entry_xattr *xattrs,
	      struct entry *out, struct err *e)
{
	int present = archive_entry_acl_types(ae);

	if (present & ARCHIVE_ENTRY_ACL_TYPE_NFS4)
		return take_aces(b, ae, out, e);
	return present != 0 ? take_both_posix(b, ae, present, xattrs, out, e) : 0;
}

/* -- out --------------------------------------------------------------------------------------- */

bool acls_is_xattr(const char *name)
{
	return strcmp(name, POSIX_ACL_ACCESS) == 0 || strcmp(name, POSIX_ACL_DEFAULT) == 0;
}

bool acls_any(const struct entry *n)
{
	bool any = n->aces != NULL;

	for (size_t i = 0; i < n->xattr_count; i++)
		any = any || acls_is_xattr(n->xattrs[i].name);
	return any;
}

/* libarchive reads larger numbers as INT_MAX. */
static bool id_fits(uint64_t id)
{
	return id < INT_MAX;
}

static bool is_named(struct posix_ace a)
{
	return a.tag == POSIX_USER || a.tag == POSIX_GROUP;
}

static bool give_posix(const struct entry_xattr *x, struct archive_entry *ae)
{
	struct bytes value = bytes_of(x->value, x->size, ORDER_LITTLE);
	int	     type = strcmp(x->name, POSIX_ACL_ACCESS) == 0 ? ARCHIVE_ENTRY_ACL_TYPE_ACCESS
								   : ARCHIVE_ENTRY_ACL_TYPE_DEFAULT;
	size_t	     count;

	if (posix_acl_check(value, NULL) < 0 || posix_acl_decode(value, &count, NULL) < 0)
		return false;
	/* All of it or nothing: a list that lacks an entry says something else. */
	for (size_t i = 0; i < count; i++) {
		struct posix_ace a = posix_acl_entry(value, i);

		if (is_named(a) && !id_fits(a.id))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		struct posix_ace a = posix_acl_entry(value, i);

		archive_entry_acl_add_entry(ae, type, a.permissions,
					    to_theirs(posix_tags, COUNT(posix_tags), a.tag),
					    is_named(a) ? (int)a.id : -1, NULL);
	}
	return true;
}

static bool can_give_ace(const struct ace *a)
{
	return to_theirs(tags, COUNT(tags), a->flags & ACE_FOR) != 0 &&
	       to_theirs(types, COUNT(types), a->type) != 0 &&
	       (a->mask & ~(uint32_t)ACE_ALL) == 0 && id_fits(a->who);
}

static void give_ace(const struct ace *a, struct archive_entry *ae)
{
	int  tag = to_theirs(tags, COUNT(tags), a->flags & ACE_FOR);
	bool named = tag == ARCHIVE_ENTRY_ACL_USER || tag == ARCHIVE_ENTRY_ACL_GROUP;

	archive_entry_acl_add_entry(ae, to_theirs(types, COUNT(types), a->type),
				    bits_to_theirs(permissions, COUNT(permissions), a->mask) |
					    bits_to_theirs(flags, COUNT(flags), a->flags),
				    tag, named ? (int)a->who : -1, NULL);
}

static bool give_aces(const struct entry *n, struct archive_entry *ae)
{
	for (size_t i = 0; i < n->ace_count; i++) {
		if (!can_give_ace(&n->aces[i]))
			return false;
	}
	for (size_t i = 0; i < n->ace_count; i++)
		give_ace(&n->aces[i], ae);
	return true;
}

bool acls_give(const struct entry *n, struct archive_entry *ae)
{
	bool kept = true, posix = false;

	for (size_t i = 0; i < n->xattr_count; i++) {
		if (!acls_is_xattr(n->xattrs[i].name))
			continue;
		posix = true;
		kept = give_posix(&n->xattrs[i], ae) && kept;
	}
	if (n->aces == NULL)
		return kept;
	return !posix && give_aces(n, ae);
}
