/*
 * Entries in one array, names in another, and an open hash table of entry numbers over (directory,
 * name). A byte of hash beside every slot answers most probes without touching entries and names.
 */
#include "core/zpl/names.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct names {
	struct name_entry *entries;
	size_t		   entry_count, entry_cap;
	struct names_dir  *dirs;
	size_t		   dir_count, dir_cap;
	char		  *text;
	size_t		   text_size, text_cap;
	uint32_t	  *table; /* entry numbers */
	uint8_t		  *tags;  /* of the slots in use; 0: free */
	size_t		   table_size; /* a power of two */
	bool		   fold;
};

struct names *names_new(struct err *e)
{
	return mem_zero(sizeof(struct names), e);
}

void names_free(struct names *n)
{
	if (n == NULL)
		return;
	free(n->entries);
	free(n->dirs);
	free(n->text);
	free(n->table);
	free(n->tags);
	free(n);
}

int names_new_dir(struct names *n, uint32_t *index, struct err *e)
{
	if (n->dir_count == NAMES_NONE)
		return err_set(e, ERR_UNSUPPORTED, "more than 2^32 directories");
	if (mem_grow(&n->dirs, &n->dir_cap, n->dir_count + 1, sizeof n->dirs[0], e) < 0)
		return -1;
	n->dirs[n->dir_count] = (struct names_dir){ .first = NAMES_NONE };
	*index = (uint32_t)n->dir_count++;
	return 0;
}

struct names_dir *names_dir(struct names *n, uint32_t index)
{
	return &n->dirs[index];
}

size_t names_dir_count(const struct names *n)
{
	return n->dir_count;
}

struct name_entry *names_entry(struct names *n, uint32_t entry)
{
	return &n->entries[entry];
}

const void *names_text(const struct names *n, const struct name_entry *entry)
{
	return n->text + entry->name;
}

void names_fold(struct names *n, bool fold)
{
	n->fold = fold;
}

static uint8_t upper(uint8_t c)
{
	return c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
}

static bool same(const struct names *n, const char *a, const char *b, size_t size)
{
	if (!n->fold)
		return memcmp(a, b, size) == 0;
	for (size_t i = 0; i < size; i++) {
		if (upper((uint8_t)a[i]) != upper((uint8_t)b[i]))
			return false;
	}
	return true;
}

/* FNV-1a over the directory and the name, finished so that the low bits depend on all of it. */
static uint64_t hash_of(const struct names *n, uint32_t dir, const void *name, size_t size)
{
	const uint8_t *p = name;
	uint64_t       h = UINT64_C(0xcbf29ce484222325) ^ dir;

	for (size_t i = 0; i < size; i++)
		h = (h ^ (n->fold ? upper(p[i]) : p[i])) * UINT64_C(0x100000001b3);
	h = (h ^ dir) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint8_t tag_of(uint64_t hash)
{
	return (uint8_t)(1 + (hash >> 57));
}

/* The table's slot of this name: where it is, or where it would go. */
static size_t slot_of(const struct names *n, uint32_t dir, const void *name, size_t size,
		      uint64_t hash)
{
	size_t mask = n->table_size - 1, at = hash & mask;

	for (; n->tags[at] != 0; at = (at + 1) & mask) {
		const struct name_entry *x;

		if (n->tags[at] != tag_of(hash))
			continue;
		x = &n->entries[n->table[at]];
		if (x->dir == dir && x->name_size == size &&
		    same(n, n->text + x->name, name, size))
			break;
	}
	return at;
}

uint32_t names_find(const struct names *n, uint32_t dir, const void *name, size_t size)
{
	size_t at;

	if (n->table_size == 0)
		return NAMES_NONE;
	at = slot_of(n, dir, name, size, hash_of(n, dir, name, size));
	return n->tags[at] != 0 && n->entries[n->table[at]].object != 0 ? n->table[at] : NAMES_NONE;
}

/* Twice the table, three quarters full at most. */
static int grow_table(struct names *n, struct err *e)
{
	size_t	  size = n->table_size == 0 ? 1024 : n->table_size * 2;
	uint32_t *table;
	uint8_t	 *tags;

	if (n->entry_count + 1 < n->table_size / 4 * 3)
		return 0;
	table = mem_raw(size * sizeof *table, e);
	tags = mem_zero(size, e);
	if (table == NULL || tags == NULL) {
		free(table);
		free(tags);
		return -1;
	}
	free(n->table);
	free(n->tags);
	n->table = table;
	n->tags = tags;
	n->table_size = size;
	/* No two are the same, so a free slot is all that each needs. */
	for (uint32_t i = 0; i < n->entry_count; i++) {
		const struct name_entry *x = &n->entries[i];
		uint64_t		 hash = hash_of(n, x->dir, n->text + x->name, x->name_size);
		size_t			 at = hash & (size - 1);

		while (tags[at] != 0)
			at = (at + 1) & (size - 1);
		table[at] = i;
		tags[at] = tag_of(hash);
	}
	return 0;
}

static void count(struct names *n, uint32_t dir, unsigned type, int delta)
{
	n->dirs[dir].count += (uint64_t)delta;
	if (type == 4) /* DT_DIR */
		n->dirs[dir].subdirs += (uint64_t)delta;
}

int names_add(struct names *n, uint32_t dir, const void *name, size_t size, uint64_t object,
	      unsigned type, uint32_t *entry, struct err *e)
{
	uint64_t hash = hash_of(n, dir, name, size);
	size_t	 at;

	if (n->entry_count >= NAMES_NONE || n->text_size > UINT32_MAX - size)
		return err_set(e, ERR_UNSUPPORTED, "more names than 4 GiB or 2^32");
	if (grow_table(n, e) < 0 ||
	    mem_grow(&n->entries, &n->entry_cap, n->entry_count + 1, sizeof n->entries[0], e) < 0 ||
	    mem_grow(&n->text, &n->text_cap, n->text_size + size, 1, e) < 0)
		return -1;
	at = slot_of(n, dir, name, size, hash);
	if (n->tags[at] == 0) {
		n->tags[at] = tag_of(hash);
		n->table[at] = (uint32_t)n->entry_count;
		n->entries[n->entry_count++] = (struct name_entry){
			.dir = dir, .next = n->dirs[dir].first, .name = (uint32_t)n->text_size,
			.name_size = (uint16_t)size,
		};
		memcpy(n->text + n->text_size, name, size);
		n->text_size += size;
		n->dirs[dir].first = n->table[at];
	}

	struct name_entry *x = &n->entries[n->table[at]]; /* new, or one that was removed */

	x->object = object;
	x->type = (uint8_t)type;
	x->subdir = NAMES_NONE;
	count(n, dir, type, 1);
	*entry = n->table[at];
	return 0;
}

void names_remove(struct names *n, uint32_t entry)
{
	struct name_entry *x = &n->entries[entry];

	count(n, x->dir, x->type, -1);
	x->object = 0;
}
