/* The registry and the layouts, read whole: both are small in every pool that makes sense. */
#include "core/zpl/sa_table.h"

#include "core/base/mem.h"
#include "core/dmu/zap_read.h"
#include "formats/base/limits.h"

enum {
	NUMBERS_MAX = 1024, /* ours: OpenZFS registers some 25 */
	UNKNOWN = 0xff,	    /* an attribute that is not one of the ZPL's we know */
};

struct attr {
	bool	 there;
	uint8_t	 id; /* enum zpl_attr_id or UNKNOWN */
	uint16_t length;
};

struct sa_table {
	struct attr	 attrs[NUMBERS_MAX]; /* by registered number */
	struct sa_layout layouts[SA_LAYOUTS_MAX];
};

void sa_table_free(struct sa_table *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; i < SA_LAYOUTS_MAX; i++)
		free(t->layouts[i].attrs);
	free(t);
}

static uint8_t id_of(struct bytes name)
{
	for (unsigned i = 0; i < ZPL_ATTR_COUNT; i++) {
		const char *known = zpl_attr_table[i].name;

		if (strlen(known) == name.n && memcmp(known, name.p, name.n) == 0)
			return (uint8_t)i;
	}
	return UNKNOWN;
}

static int add_attr(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct sa_table *t = ctx;
	uint16_t	 number, length;
	uint8_t		 bswap;

	if (entry->int_size != 8 || entry->value.n < 8)
		return err_set(e, ERR_CORRUPT, "a registered attribute without a value");
	sa_registry_decode(zap_entry_int(entry, 0), &number, &bswap, &length);
	if (number >= NUMBERS_MAX)
		return err_set(e, ERR_CORRUPT, "attribute number %u", number);
	t->attrs[number] =
		(struct attr){ .there = true, .id = id_of(entry->name), .length = length };
	return 0;
}

/* A layout's name is its number in decimal. */
static int layout_number(struct bytes name, unsigned *out)
{
	unsigned n = 0;

	if (name.n == 0 || name.n > 4)
		return -1;
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] < '0' || name.p[i] > '9')
			return -1;
		n = n * 10 + (name.p[i] - '0');
	}
	*out = n;
	return n < SA_LAYOUTS_MAX ? 0 : -1;
}

static int add_layout(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct sa_table	 *t = ctx;
	unsigned	  number;
	struct sa_layout *l;

	if (entry->int_size != 2 || layout_number(entry->name, &number) < 0)
		return err_set(e, ERR_CORRUPT, "a layout that is none");
	l = &t->layouts[number];
	free(l->attrs);
	*l = (struct sa_layout){ .count = entry->value.n / 2 };
	l->attrs = mem_array(l->count, sizeof *l->attrs, e);
	if (l->attrs == NULL)
		return -1;
	for (size_t i = 0; i < l->count; i++)
		l->attrs[i] = (uint16_t)zap_entry_int(entry, i);
	return 0;
}

int sa_table_open(struct objset *os, uint64_t master, struct sa_table **out, struct err *e)
{
	struct sa_table *t = mem_zero(sizeof *t, e);
	uint64_t	 registry, layouts;
	struct err	 why = { 0 };

	if (t == NULL || zap_u64_at(os, master, "REGISTRY", &registry, e) < 0 ||
	    zap_each_at(os, registry, add_attr, t, e) != 0)
		goto fail;
	/* There is none until the first file is made. */
	if (zap_u64_at(os, master, "LAYOUTS", &layouts, &why) < 0) {
		if (why.kind != ERR_NOTFOUND) {
			err_set(e, why.kind, "%s", why.text);
			goto fail;
		}
	} else if (zap_each_at(os, layouts, add_layout, t, e) != 0) {
		goto fail;
	}
	*out = t;
	return 0;
fail:
	sa_table_free(t);
	return err_in(e, "attribute tables");
}

const struct sa_layout *sa_table_layout(const struct sa_table *t, unsigned number)
{
	return number < SA_LAYOUTS_MAX && t->layouts[number].attrs != NULL ? &t->layouts[number]
									   : NULL;
}

bool sa_table_number(const struct sa_table *t, enum zpl_attr_id id, uint16_t *number)
{
	for (unsigned i = 0; i < NUMBERS_MAX; i++) {
		if (t->attrs[i].there && t->attrs[i].id == id) {
			*number = (uint16_t)i;
			return true;
		}
	}
	return false;
}

/*
 * Attributes keep the order of who wrote them, also when their block is written anew on a machine
 * of the other order: OpenZFS swaps them on use, by their magic (sa.c, sa_byteswap; dmu.c, dmu_ot).
 */
static struct bytes in_own_order(struct bytes in)
{
	if (in.n >= 4 && get32(in, 0) == __builtin_bswap32(SA_MAGIC))
		in.order = order_other(in.order);
	return in;
}

int sa_table_locate(const struct sa_table *t, struct bytes in, struct bytes found[ZPL_ATTR_COUNT],
		    struct err *e)
{
	struct sa_header	h;
	const struct sa_layout *l;
	size_t			at;
	unsigned		variable = 0;

	in = in_own_order(in);
	if (sa_header_decode(in, &h, e) < 0)
		return -1;
	l = sa_table_layout(t, h.layout);
	if (l == NULL)
		return err_set(e, ERR_CORRUPT, "attribute layout %u does not exist", h.layout);
	at = h.size;
	for (size_t i = 0; i < l->count; i++) {
		const struct attr *a = l->attrs[i] < NUMBERS_MAX ? &t->attrs[l->attrs[i]] : NULL;
		uint16_t	   length;

		if (a == NULL || !a->there)
			return err_set(e, ERR_CORRUPT, "attribute %u is not registered",
				       l->attrs[i]);
		length = a->length;
		if (length == 0 && sa_header_length(in, &h, variable++, &length, e) < 0)
			return -1;
		if (at > in.n || length > in.n - at)
			return err_set(e, ERR_CORRUPT, "attribute %u reaches past the end",
				       l->attrs[i]);
		if (a->id != UNKNOWN)
			found[a->id] = bytes_sub(in, at, length);
		at += (size_t)align_up(length, 8);
	}
	return 0;
}
