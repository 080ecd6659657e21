/*
 * Properties of a dataset that exists, level by level: its own list, then those above it. Lists are
 * not trusted: what has a wrong shape is left out.
 * Source: OpenZFS dsl_prop.c (dsl_prop_get_all_ds, dsl_prop_get_all_impl).
 */
#include <string.h>

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "core/dsl/dsl_impl.h"
#include "core/dsl/props_impl.h"

/* One list being read. */
struct level {
	struct dsl_props *p;
	struct objset	 *mos;
	uint64_t	  zap;
	uint8_t		  index;
	bool		  inheriting;
	bool		  received; /* the second pass: NAME$recvd */
};

void props_set_odd(struct dsl_props *p, const struct err *why)
{
	if (p->odd.kind == ERR_NONE)
		p->odd = *why;
}

const struct err *dsl_props_odd(const struct dsl_props *p)
{
	return p->odd.kind != ERR_NONE ? &p->odd : NULL;
}

static void wrong_shape(struct level *l, const char *name)
{
	struct err why = { 0 };

	err_set(&why, ERR_CORRUPT, "%s: property %s has a value of a wrong shape",
		l->p->levels[l->index], name);
	props_set_odd(l->p, &why);
}

/* Its bytes up to the NUL; NULL when they are no text that a property can have (or no memory). */
static char *text_of(const struct zap_entry *entry, struct err *e)
{
	size_t n = entry->value.n;

	if (entry->int_size != 1 || n == 0 || n > PROPERTY_TEXT_MAX + 1 ||
	    memchr(entry->value.p, 0, n) == NULL) {
		err_set(e, ERR_CORRUPT, "no text");
		return NULL;
	}
	return mem_copy_text((const char *)entry->value.p, strlen((const char *)entry->value.p), e);
}

static enum dsl_prop_source source_at(const struct level *l)
{
	return l->inheriting ? DSL_PROP_INHERITED
	       : l->received ? DSL_PROP_RECEIVED
			     : DSL_PROP_LOCAL;
}

/* NAME$inherit: what was received is not to be used. */
static bool explicitly_inherited(struct level *l, const char *name)
{
	char	    full[PROPERTY_NAME_MAX + 16];
	struct text t = text_in(full, sizeof full);
	uint64_t    n;
	struct err  why = { 0 };

	text_put(&t, "%s$inherit", name);
	return zap_u64_at(l->mos, l->zap, full, &n, &why) == 0 || why.kind != ERR_NOTFOUND;
}

static int take_native(struct level *l, enum property id, const struct zap_entry *entry, bool iuv,
		       struct err *e)
{
	const struct property_info *info = &property_table[id];
	struct props_slot	   *s = &l->p->slots[id], now = { .source = source_at(l) };
	bool			    mine = s->source > DSL_PROP_DEFAULT && s->level == l->index;
	struct err		    why = { 0 };

	if (info->how == PROPERTY_READONLY || !props_applies(l->p, id) ||
	    (l->inheriting && info->how != PROPERTY_INHERITED) ||
	    (s->source > DSL_PROP_DEFAULT && !(iuv && mine)))
		return 0;
	now.level = l->index;
	if (info->kind == PROPERTY_TEXT) {
		now.text = text_of(entry, &why);
		if (now.text == NULL && why.kind == ERR_NOMEM)
			return err_nomem(e);
		if (now.text == NULL) {
			wrong_shape(l, info->name);
			return 0;
		}
	} else if (entry->int_size != 8 || entry->value.n < 8) {
		wrong_shape(l, info->name);
		return 0;
	} else {
		now.number = zap_entry_int(entry, 0);
	}
	if (iuv && property_value_name(info, now.number) == NULL)
		return 0;
	free(s->text);
	*s = now;
	return 0;
}

static int take_user(struct level *l, const char *name, const struct zap_entry *entry,
		     struct err *e)
{
	struct err why = { 0 };
	size_t	   at;
	char	  *text;
	int	   rc = 0;

	if (!property_is_user(name) || props_find_user(l->p, name, &at))
		return 0;
	text = text_of(entry, &why);
	if (text == NULL && why.kind == ERR_NOMEM)
		return err_nomem(e);
	if (text == NULL) {
		wrong_shape(l, name);
		return 0;
	}
	/* Too many of them are no reason to say nothing of the rest. */
	if (props_add_user(l->p, name, text, source_at(l), l->index, &why) < 0)
		props_set_odd(l->p, &why);
	free(text);
	return rc;
}

static int take_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct level *l = ctx;
	char	      name[PROPERTY_NAME_MAX + 16], *suffix;
	enum property id;
	bool	      iuv;

	if (entry->number_key || entry->name.n >= sizeof name ||
	    memchr(entry->name.p, 0, entry->name.n) != NULL)
		return 0;
	memcpy(name, entry->name.p, entry->name.n);
	name[entry->name.n] = '\0';
	suffix = strchr(name, '$');
	iuv = suffix != NULL && strcmp(suffix, "$iuv") == 0;
	if (l->received ? suffix == NULL || strcmp(suffix, "$recvd") != 0 : suffix != NULL && !iuv)
		return 0;
	if (suffix != NULL)
		*suffix = '\0';
	if (l->received && explicitly_inherited(l, name))
		return 0;
	id = property_by_name(name);
	if (id != PROP_NONE && strcmp(property_table[id].name, name) == 0)
		return take_native(l, id, entry, iuv, e);
	return take_user(l, name, entry, e);
}

/* A list that cannot be read leaves what was read of it. */
static int read_level(struct level *l, struct err *e)
{
	struct err why = { 0 };

	for (int pass = 0; l->zap != 0 && pass < 2; pass++) {
		l->received = pass == 1;
		if (zap_each_at(l->mos, l->zap, take_entry, l, &why) >= 0)
			continue;
		if (why.kind == ERR_NOMEM)
			return err_nomem(e);
		err_in(&why, "%s: properties", l->p->levels[l->index]);
		props_set_odd(l->p, &why);
	}
	return 0;
}

static int add_level(struct dsl_props *p, const char *name, size_t n, struct err *e)
{
	char *copy;

	if (p->level_count == PROPS_LEVELS)
		return err_set(e, ERR_CORRUPT, "dataset directories nest too deep");
	copy = mem_copy_text(name, n, e);
	if (copy == NULL)
		return -1;
	p->levels[p->level_count++] = copy;
	return 0;
}

/* Length of what stands before the last slash of n bytes; 0: there is none. */
static size_t parent_length(const char *name, size_t n)
{
	while (n > 0 && name[n - 1] != '/')
		n--;
	return n > 0 ? n - 1 : 0;
}

/* From the dataset's own directory up; names are cut at their slashes on the way. */
static int read_levels(struct dataset *ds, struct dsl_props *p, struct err *e)
{
	struct level   l = { .p = p, .mos = pool_mos(ds->pool), .zap = ds->phys.props };
	struct dsl_dir dir = ds->dir;
	size_t	       n = strlen(ds->name);

	if (ds->snapshot) {
		if (add_level(p, ds->name, n, e) < 0 || read_level(&l, e) < 0)
			return -1;
		n = strcspn(ds->name, "@");
		l.inheriting = true;
	}
	for (;;) {
		l.index = (uint8_t)p->level_count;
		l.zap = dir.props;
		if (add_level(p, ds->name, n, e) < 0 || read_level(&l, e) < 0)
			return -1;
		n = parent_length(ds->name, n);
		if (dir.parent == 0 || n == 0)
			return 0;
		if (dsl_dir_open(ds->pool, dir.parent, &dir, e) < 0)
			return err_in(e, "%.*s", (int)n, ds->name);
		l.inheriting = true;
	}
}

/* File system or volume: the object set's own block says it, in the clear also when encrypted. */
static unsigned kind_of(struct dataset *ds, struct dsl_props *p)
{
	struct objset os;
	struct err    why = { 0 };

	if (objset_open(pool_reader(ds->pool), &ds->phys.bp, ds->object, &os, &why) < 0) {
		err_in(&why, "%s", ds->name);
		props_set_odd(p, &why);
		return PROPERTY_FS;
	}
	return os.phys.type == OBJSET_ZVOL ? PROPERTY_VOL : PROPERTY_FS;
}

int dsl_props_read(struct dataset *ds, struct dsl_props **out, struct err *e)
{
	struct dsl_props *p = mem_zero(sizeof *p, e);

	if (p == NULL)
		return -1;
	p->kind = kind_of(ds, p);
	p->snapshot = ds->snapshot;
	for (int i = 0; i < PROP_COUNT; i++) {
		const struct property_info *info = &property_table[i];
		bool set = info->how != PROPERTY_READONLY && props_applies(p, (enum property)i);

		p->slots[i].number = info->number;
		p->slots[i].source = set ? DSL_PROP_DEFAULT : DSL_PROP_ABSENT;
	}
	if (read_levels(ds, p, e) < 0 || props_facts(ds, p, e) < 0) {
		dsl_props_free(p);
		return -1;
	}
	*out = p;
	return 0;
}
