/* Effective properties: the table of slots, and a dataset that is being made. */
#include "core/dsl/props.h"

#include <string.h>

#include "core/base/mem.h"
#include "core/dsl/props_impl.h"
#include "core/pool/layout.h"

enum { VOLUME_LEVELS = 7, INDIRECT_POINTERS_SHIFT = 10, INDIRECT_SHIFT = 17 };

/* -- the table --------------------------------------------------------------------------------- */

void dsl_props_free(struct dsl_props *p)
{
	if (p == NULL)
		return;
	for (int i = 0; i < PROP_COUNT; i++)
		free(p->slots[i].text);
	for (size_t i = 0; i < p->user_count; i++) {
		free(p->users[i].name);
		free(p->users[i].text);
	}
	for (size_t i = 0; i < p->level_count; i++)
		free(p->levels[i]);
	free(p->users);
	free(p->accounts);
	free(p->local);
	free(p);
}

bool props_applies(const struct dsl_props *p, enum property id)
{
	unsigned applies = property_table[id].applies;

	/* Of a snapshot: what its head has, too, and what only snapshots have. */
	if (p->snapshot)
		return (applies & PROPERTY_SNAP) != 0 &&
		       (applies == PROPERTY_SNAP || (applies & p->kind) != 0);
	return (applies & p->kind) != 0;
}

bool dsl_props_is_volume(const struct dsl_props *p)
{
	return p->kind == PROPERTY_VOL;
}

/*
 * What a volume of one disk can cost at most: its data and all indirect blocks, with copies.
 * Source: OpenZFS libzfs_dataset.c (zvol_volsize_to_reservation).
 */
static uint64_t auto_reservation(const struct dsl_props *p)
{
	uint64_t size = p->slots[PROP_VOLSIZE].number, copies = p->slots[PROP_COPIES].number;
	uint64_t block = p->slots[PROP_VOLBLOCKSIZE].number, indirect = VOLUME_LEVELS, bytes;

	if (block == 0)
		return 0;
	for (uint64_t n = size / block; n > 1;) {
		n = (n >> INDIRECT_POINTERS_SHIFT) +
		    ((n & ((1 << INDIRECT_POINTERS_SHIFT) - 1)) != 0);
		indirect += n;
	}
	indirect *= copies + 1 < 3 ? copies + 1 : 3;
	if (!mul_ok(size, copies, &bytes) || !add_ok(bytes, indirect << INDIRECT_SHIFT, &bytes))
		return UINT64_MAX;
	return bytes;
}

uint64_t dsl_props_number(const struct dsl_props *p, enum property id)
{
	uint64_t n = p->slots[id].number;

	return id == PROP_REFRESERVATION && n == UINT64_MAX ? auto_reservation(p) : n;
}

const char *dsl_props_text(const struct dsl_props *p, enum property id)
{
	return p->slots[id].text != NULL ? p->slots[id].text : property_table[id].text;
}

enum dsl_prop_source dsl_props_source(const struct dsl_props *p, enum property id)
{
	return p->slots[id].source;
}

const char *dsl_props_from(const struct dsl_props *p, enum property id)
{
	const struct props_slot *s = &p->slots[id];

	return s->source == DSL_PROP_INHERITED && s->level < p->level_count ? p->levels[s->level]
									    : NULL;
}

/* -- user properties --------------------------------------------------------------------------- */

bool props_find_user(const struct dsl_props *p, const char *name, size_t *at)
{
	size_t low = 0, high = p->user_count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int    c = strcmp(p->users[mid].name, name);

		if (c == 0) {
			*at = mid;
			return true;
		}
		if (c < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*at = low;
	return false;
}

int props_add_user(struct dsl_props *p, const char *name, const char *text,
		   enum dsl_prop_source source, uint8_t level, struct err *e)
{
	struct props_user u = { .source = source, .level = level };
	size_t		  at, bytes = strlen(name) + strlen(text) + 2;

	if (props_find_user(p, name, &at))
		return 0;
	if (p->user_count >= PROPS_USERS_MAX || bytes > PROPS_USER_BYTES_MAX - p->user_bytes)
		return err_set(e, ERR_NOMEM, "more than %d user properties, or %d MiB of them",
			       PROPS_USERS_MAX, PROPS_USER_BYTES_MAX >> 20);
	if (mem_grow(&p->users, &p->user_cap, p->user_count + 1, sizeof p->users[0], e) < 0)
		return -1;
	u.name = mem_copy_text(name, strlen(name), e);
	u.text = mem_copy_text(text, strlen(text), e);
	if (u.name == NULL || u.text == NULL) {
		free(u.name);
		free(u.text);
		return -1;
	}
	memmove(p->users + at + 1, p->users + at, (p->user_count - at) * sizeof p->users[0]);
	p->users[at] = u;
	p->user_count++;
	p->user_bytes += bytes;
	return 0;
}

size_t dsl_props_users(const struct dsl_props *p)
{
	return p->user_count;
}

struct dsl_user_property dsl_props_user(const struct dsl_props *p, size_t i)
{
	const struct props_user *u = &p->users[i];
	bool inherited = u->source == DSL_PROP_INHERITED && u->level < p->level_count;

	return (struct dsl_user_property){ .name = u->name,
					   .text = u->text,
					   .source = u->source,
					   .from = inherited ? p->levels[u->level] : NULL };
}

/* -- a new one --------------------------------------------------------------------------------- */

bool props_of_master_node(enum property id)
{
	switch (id) {
	case PROP_NORMALIZATION:
	case PROP_UTF8ONLY:
	case PROP_CASESENSITIVITY:
	case PROP_DEFAULTUSERQUOTA:
	case PROP_DEFAULTGROUPQUOTA:
	case PROP_DEFAULTPROJECTQUOTA:
	case PROP_DEFAULTUSEROBJQUOTA:
	case PROP_DEFAULTGROUPOBJQUOTA:
	case PROP_DEFAULTPROJECTOBJQUOTA:
		return true;
	default:
		return false;
	}
}

static int inherit(struct dsl_props *p, const struct dsl_props *parent, enum property id,
		   struct err *e)
{
	struct props_slot	*to = &p->slots[id];
	const struct props_slot *from = &parent->slots[id];
	bool			 inherited = property_table[id].how == PROPERTY_INHERITED;

	/* What the master node keeps is taken over from the parent's, though not inherited. */
	if (!props_applies(p, id) || (!inherited && !props_of_master_node(id)))
		return 0;
	to->number = from->number;
	if (inherited && from->source > DSL_PROP_DEFAULT)
		to->source = DSL_PROP_INHERITED;
	if (from->text == NULL)
		return 0;
	to->text = mem_copy_text(from->text, strlen(from->text), e);
	return to->text != NULL ? 0 : -1;
}

static int inherit_all(struct dsl_props *p, const struct dsl_props *parent, struct err *e)
{
	for (int i = 0; i < PROP_COUNT; i++) {
		if (inherit(p, parent, (enum property)i, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < parent->user_count; i++) {
		if (props_add_user(p, parent->users[i].name, parent->users[i].text,
				   DSL_PROP_INHERITED, PROPS_LEVELS - 1, e) < 0)
			return -1;
	}
	return 0;
}

static int make(const struct dsl_props *parent, unsigned kind, struct dsl_props **out,
		struct err *e)
{
	struct dsl_props *p;

	if (parent != NULL && (parent->kind != PROPERTY_FS || parent->snapshot))
		return err_set(e, ERR_USAGE, "the parent is not a filesystem");
	p = mem_zero(sizeof *p, e);
	if (p == NULL)
		return -1;
	p->kind = kind;
	for (int i = 0; i < PROP_COUNT; i++) {
		p->slots[i].number = property_table[i].number;
		p->slots[i].source =
			props_applies(p, (enum property)i) ? DSL_PROP_DEFAULT : DSL_PROP_ABSENT;
	}
	if (parent != NULL && inherit_all(p, parent, e) < 0) {
		dsl_props_free(p);
		return -1;
	}
	*out = p;
	return 0;
}

int dsl_props_new(const struct dsl_props *parent, struct dsl_props **out, struct err *e)
{
	return make(parent, PROPERTY_FS, out, e);
}

int dsl_props_new_volume(const struct dsl_props *parent, struct dsl_props **out, struct err *e)
{
	return make(parent, PROPERTY_VOL, out, e);
}

unsigned dsl_props_zpl_version(const struct dsl_props *p, uint64_t pool_version)
{
	uint64_t set = p->slots[PROP_VERSION].number;

	if (set != 0)
		return (unsigned)set;
	return pool_layout_of(pool_version).zpl_version;
}

/* What follows the dataset that has the mountpoint is put behind it. */
void dsl_props_mountpoint(const struct dsl_props *p, struct text *t)
{
	const struct props_slot *s = &p->slots[PROP_MOUNTPOINT];
	const char		*at = dsl_props_text(p, PROP_MOUNTPOINT), *rest = "";

	if (p->level_count > 0 && s->source == DSL_PROP_DEFAULT)
		rest = p->levels[0];
	else if (s->source == DSL_PROP_INHERITED && s->level < p->level_count)
		rest = p->levels[0] + strlen(p->levels[s->level]);
	rest += *rest == '/';
	if (at[0] != '/') {
		text_name(t, at, strlen(at));
		return;
	}
	if (at[1] != '\0' || *rest == '\0')
		text_name(t, at, strlen(at));
	if (*rest != '\0') {
		text_put(t, "/");
		text_name(t, rest, strlen(rest));
	}
}
