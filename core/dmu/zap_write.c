/* ZAPs from entries. The forms themselves are formats/zap.c's and zap_fat_build.c's. */
#include "core/dmu/zap_write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum {
	MICRO_MAX = (BLOCK_OLD_MAX - ZAP_MICRO_HEADER) / ZAP_MICRO_ENTRY,
	FAT_BLOCK_SIZE = 16 << 10, /* zap.c, fzap_default_block_shift */
};

static bool fits_micro(const struct zap_head *head, const struct zap_item *items, size_t count)
{
	if (count > MICRO_MAX || head->flags != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (items[i].int_size != 8 || items[i].value_count != 1 ||
		    items[i].name_size > ZAP_MICRO_NAME_MAX)
			return false;
	}
	return true;
}

static uint32_t micro_size(size_t count)
{
	return (uint32_t)align_up(ZAP_MICRO_HEADER + count * ZAP_MICRO_ENTRY, SECTOR);
}

static void fill_micro(struct wbytes block, const struct zap_head *head,
		       const struct zap_item *items, size_t count)
{
	zap_micro_init(block, head->salt, head->normflags);
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, items[i].value, sizeof value);
		zap_micro_put(block, i, items[i].name, items[i].name_size, value, items[i].cd);
	}
}

static int write_micro(struct objset_write *w, struct object_spec *spec,
		       const struct zap_head *head, const struct zap_item *items, size_t count,
		       struct err *e)
{
	struct object_write *o;
	uint8_t		    *to;

	spec->block_size = micro_size(count);
	if (object_write_begin(w, spec, &o, e) < 0 || object_write_reserve(o, &to, e) < 0)
		return -1;
	fill_micro(wbytes_of(to, spec->block_size, block_writer_order(objset_write_writer(w))),
		   head, items, count);
	if (object_write_submit(o, 0, e) < 0)
		return -1;
	return object_write_end(o, 0, e);
}

static int emit(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	struct object_write *o = ctx;
	uint8_t		    *to;

	if (object_write_reserve(o, &to, e) < 0)
		return -1;
	memcpy(to, block.p, block.n);
	return object_write_submit(o, blkid, e);
}

static struct zap_fat_plan fat_plan(struct objset_write *w, const struct zap_head *head)
{
	return (struct zap_fat_plan){ .salt = head->salt, .normflags = head->normflags,
				      .flags = head->flags, .block_size = FAT_BLOCK_SIZE,
				      .order = block_writer_order(objset_write_writer(w)) };
}

static int write_fat(struct objset_write *w, struct object_spec *spec, const struct zap_head *head,
		     const struct zap_item *items, size_t count, struct err *e)
{
	struct zap_fat_plan  plan = fat_plan(w, head);
	struct object_write *o;
	uint64_t	     blocks;

	spec->block_size = FAT_BLOCK_SIZE;
	if (object_write_begin(w, spec, &o, e) < 0 ||
	    zap_fat_build(&plan, items, count, emit, o, &blocks, e) < 0)
		return -1;
	return object_write_end(o, blocks - 1, e);
}

/* What is hashed of an ASCII name: the name itself, in upper case where the ZAP says so. */
static int hash_normal(const struct zap_head *head, struct zap_item *item, struct err *e)
{
	const char *name = item->name;
	char	    normal[ZAP_FAT_NAME_MAX];

	if (item->name_size > sizeof normal)
		return err_set(e, ERR_UNSUPPORTED, "a normalised name of %u bytes",
			       item->name_size);
	for (uint32_t i = 0; i < item->name_size; i++) {
		bool lower = name[i] >= 'a' && name[i] <= 'z';

		if ((uint8_t)name[i] > 0x7f)
			return err_set(e, ERR_UNSUPPORTED, "a normalised name that is not ASCII");
		normal[i] = (char)(name[i] -
				   (lower && (head->normflags & ZAP_NORM_UPPER) ? 'a' - 'A' : 0));
	}
	item->hash = zap_hash(head->salt, head->flags, normal, item->name_size);
	return 0;
}

int zap_hash_items(const struct zap_head *head, struct zap_item *items, size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (head->normflags == 0)
			items[i].hash = zap_hash(head->salt, head->flags, items[i].name,
						 items[i].name_size);
		else if (hash_normal(head, &items[i], e) < 0)
			return -1;
	}
	return 0;
}

int zap_write(struct objset_write *w, const struct object_spec *spec, const struct zap_head *head,
	      struct zap_item *items, size_t count, struct err *e)
{
	struct object_spec s = *spec;

	if (zap_hash_items(head, items, count, e) < 0)
		return -1;
	zap_items_sort(items, count);
	if (fits_micro(head, items, count))
		return write_micro(w, &s, head, items, count, e);
	return write_fat(w, &s, head, items, count, e);
}

/* -- edits ------------------------------------------------------------------------------------- */

struct zap_edit {
	struct objset_write *w;
	uint64_t	     number;
	bool		     existed;
	uint8_t		     type, bonus_type, flags;
	uint32_t	     dnode_size;
	struct zap_head	     head;
	struct zap_item	    *items; /* each owns its name and value */
	size_t		     count, cap;
	size_t		     bonus_size;
	uint8_t		     bonus[]; /* as much as the dnode has room for */
};

static void free_item(struct zap_item *item)
{
	free((void *)item->name);
	free((void *)item->value);
}

void zap_edit_clear(struct zap_edit *z)
{
	for (size_t i = 0; i < z->count; i++)
		free_item(&z->items[i]);
	z->count = 0;
}

void zap_edit_free(struct zap_edit *z)
{
	if (z == NULL)
		return;
	zap_edit_clear(z);
	free(z->items);
	free(z);
}

void zap_edit_bonus(struct zap_edit *z, uint8_t bonus_type, struct bytes bonus)
{
	assert(bonus.n <= dnode_bonus_room(z->dnode_size));
	z->bonus_type = bonus_type;
	z->bonus_size = bonus.n;
	if (bonus.n > 0)
		memcpy(z->bonus, bonus.p, bonus.n);
}

void zap_edit_normalise(struct zap_edit *z, uint64_t normflags)
{
	z->head.normflags = normflags;
}

void zap_edit_flags(struct zap_edit *z, uint8_t flags)
{
	z->flags = flags;
}

size_t zap_edit_count(const struct zap_edit *z)
{
	return z->count;
}

const struct zap_item *zap_edit_item(const struct zap_edit *z, size_t i)
{
	return &z->items[i];
}

uint64_t zap_edit_number(const struct zap_edit *z)
{
	return z->number;
}

uint8_t zap_edit_type(const struct zap_edit *z)
{
	return z->type;
}

static struct zap_item *find(const struct zap_edit *z, const void *name, size_t n)
{
	for (size_t i = 0; i < z->count; i++) {
		if (z->items[i].name_size == n && memcmp(z->items[i].name, name, n) == 0)
			return &z->items[i];
	}
	return NULL;
}

bool zap_edit_get(const struct zap_edit *z, const char *name, uint64_t *out)
{
	const struct zap_item *item = find(z, name, strlen(name));

	if (item == NULL || item->int_size != 8 || item->value_count < 1)
		return false;
	memcpy(out, item->value, sizeof *out);
	return true;
}

static int add_item(struct zap_edit *z, const struct zap_item *like, struct err *e)
{
	struct zap_item item = *like;

	if (mem_grow(&z->items, &z->cap, z->count + 1, sizeof z->items[0], e) < 0)
		return -1;
	item.name = mem_copy_text(like->name, like->name_size, e);
	item.value = mem_copy_text(like->value, (size_t)like->value_count * like->int_size, e);
	if (item.name == NULL || item.value == NULL) {
		free_item(&item);
		return -1;
	}
	z->items[z->count++] = item;
	return 0;
}

int zap_edit_set_key(struct zap_edit *z, const void *name, size_t name_size, unsigned int_size,
		     const void *value, size_t count, struct err *e)
{
	struct zap_item *there = find(z, name, name_size);
	struct zap_item	 item = { .cd_new = true, .int_size = (uint8_t)int_size,
				  .name_size = (uint32_t)name_size, .name = name,
				  .value_count = (uint32_t)count, .value = value };

	if (there == NULL)
		return add_item(z, &item, e);

	void *copy = mem_copy_text(value, count * int_size, e);

	if (copy == NULL)
		return -1;
	free((void *)there->value);
	there->value = copy;
	there->int_size = (uint8_t)int_size;
	there->value_count = (uint32_t)count;
	return 0;
}

int zap_edit_set(struct zap_edit *z, const char *name, uint64_t value, struct err *e)
{
	return zap_edit_set_key(z, name, strlen(name), 8, &value, 1, e);
}

int zap_edit_remove(struct zap_edit *z, const void *name, size_t name_size, struct err *e)
{
	struct zap_item *item = find(z, name, name_size);

	if (item == NULL)
		return err_set(e, ERR_NOTFOUND, "no such ZAP entry");
	free_item(item);
	*item = z->items[--z->count];
	return 0;
}

/* Values arrive in their block's order; items hold native integers. */
static int load_entry(void *ctx, const struct zap_entry *entry, struct err *e)
{
	struct zap_edit *z = ctx;
	uint8_t		 value[ZAP_FAT_VALUE_MAX];
	size_t		 count = entry->value.n / entry->int_size;
	struct zap_item	 item = { .cd = entry->cd, .int_size = (uint8_t)entry->int_size,
				  .name_size = (uint32_t)entry->name.n, .name = entry->name.p,
				  .value_count = (uint32_t)count, .value = value };

	if (entry->value.n > sizeof value)
		return err_set(e, ERR_UNSUPPORTED, "a ZAP value of %zu bytes", entry->value.n);
	for (size_t i = 0; i < count; i++) {
		uint64_t v = zap_entry_int(entry, i);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		v <<= 64 - 8 * entry->int_size;
#endif
		memcpy(value + i * entry->int_size, &v, entry->int_size);
	}
	return add_item(z, &item, e);
}

static struct zap_edit *new_edit(struct objset_write *w, uint64_t number, uint32_t dnode_size,
				 struct err *e)
{
	struct zap_edit *z = mem_zero(sizeof *z + dnode_bonus_room(dnode_size), e);

	if (z == NULL)
		return NULL;
	z->w = w;
	z->number = number;
	z->dnode_size = dnode_size;
	return z;
}

int zap_edit_new(struct objset_write *w, uint64_t number, uint8_t type, uint64_t salt,
		 struct zap_edit **out, struct err *e)
{
	struct zap_edit *z = new_edit(w, number, DNODE_MIN_SIZE, e);

	if (z == NULL)
		return -1;
	z->type = type;
	z->head.salt = salt;
	*out = z;
	return 0;
}

/* Everything of an object that will be written anew. */
static int load(struct objset_write *w, struct object *o, struct zap_edit **out, struct err *e)
{
	struct zap_edit *z;

	if (o->dn.flags & DNODE_FLAG_SPILL)
		return err_set(e, ERR_UNSUPPORTED, "ZAP %llu has a spill block",
			       (unsigned long long)o->number);
	z = new_edit(w, o->number, (uint32_t)dnode_size(&o->dn), e);
	if (z == NULL)
		return -1;
	z->existed = true;
	z->type = o->dn.type;
	z->flags = o->dn.flags & ~DNODE_FLAG_USED_BYTES;
	zap_edit_bonus(z, o->dn.bonus_type, o->dn.bonus);
	if (zap_head_of(o, &z->head, e) < 0 || zap_each(o, load_entry, z, e) < 0) {
		zap_edit_free(z);
		return -1;
	}
	*out = z;
	return 0;
}

int zap_edit_open(struct objset_write *w, uint64_t number, struct zap_edit **out, struct err *e)
{
	struct object o;

	if (object_open(objset_write_old(w), number, &o, e) < 0)
		return -1;

	int rc = load(w, &o, out, e);

	object_close(&o);
	return rc;
}

int zap_edit_write(struct zap_edit *z, struct err *e)
{
	struct object_spec spec = {
		.number = z->number,
		.type = z->type,
		.bonus_type = z->bonus_type,
		.flags = z->flags,
		.dnode_size = z->dnode_size,
		.bonus = bytes_of(z->bonus, z->bonus_size,
				  block_writer_order(objset_write_writer(z->w))),
		.replace = z->existed,
	};

	return zap_write(z->w, &spec, &z->head, z->items, z->count, e);
}

struct image {
	uint8_t *p;
	size_t	 n, cap;
};

static int emit_image(void *ctx, uint64_t blkid, struct bytes block, struct err *e)
{
	struct image *i = ctx;

	if (mem_grow(&i->p, &i->cap, (blkid + 1) * block.n, 1, e) < 0)
		return -1;
	memcpy(i->p + blkid * block.n, block.p, block.n);
	i->n = (blkid + 1) * block.n;
	return 0;
}

int zap_edit_image(struct zap_edit *z, uint8_t **image, size_t *size, uint32_t *block_size,
		   struct err *e)
{
	struct zap_fat_plan plan = fat_plan(z->w, &z->head);
	struct image	    i = { 0 };
	uint64_t	    blocks;

	if (zap_hash_items(&z->head, z->items, z->count, e) < 0)
		return -1;
	zap_items_sort(z->items, z->count);
	if (fits_micro(&z->head, z->items, z->count)) {
		i.n = *block_size = micro_size(z->count);
		i.p = mem_raw(i.n, e);
		if (i.p == NULL)
			return -1;
		fill_micro(wbytes_of(i.p, i.n, plan.order), &z->head, z->items, z->count);
	} else {
		*block_size = FAT_BLOCK_SIZE;
		if (zap_fat_build(&plan, z->items, z->count, emit_image, &i, &blocks, e) < 0) {
			free(i.p);
			return -1;
		}
	}
	*image = i.p;
	*size = i.n;
	return 0;
}
