/* Name-value lists in memory: lookup, building, copying. Packed forms are next door. */
#include "formats/nvlist.h"

#include <stdlib.h>

#include "formats/nvlist_impl.h"

enum { CHUNK_SIZE = 2048, FIRST_PAIRS = 4 };

void *nvlist_alloc(struct nvlist_arena *a, size_t count, size_t size, struct err *e)
{
	struct nvlist_chunk *c = a->chunks;

	if (size != 0 && count > (SIZE_MAX / 2) / size) {
		err_nomem(e);
		return NULL;
	}

	size_t n = (size_t)align_up(count * size, sizeof(max_align_t));

	if (c == NULL || n > c->size - c->used) {
		size_t room = n > CHUNK_SIZE ? n : CHUNK_SIZE;

		c = malloc(sizeof *c + room);
		if (c == NULL) {
			err_nomem(e);
			return NULL;
		}
		*c = (struct nvlist_chunk){ .next = a->chunks, .size = room };
		a->chunks = c;
	}
	c->used += n;
	return (uint8_t *)c->bytes + (c->used - n);
}

static void list_init(struct nvlist *l, struct nvlist_arena *a)
{
	*l = (struct nvlist){ .arena = a, .flags = NVLIST_UNIQUE_NAMES, .endian = 1 };
}

struct nvlist **nvlist_alloc_lists(struct nvlist_arena *a, size_t count, struct err *e)
{
	struct nvlist **pointers = nvlist_alloc(a, count, sizeof(struct nvlist *), e);
	struct nvlist  *lists = nvlist_alloc(a, count, sizeof(struct nvlist), e);

	if (pointers == NULL || lists == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		list_init(&lists[i], a);
		pointers[i] = &lists[i];
	}
	return pointers;
}

int nvlist_append(struct nvlist *l, const struct nvpair *pair, struct err *e)
{
	if (l->count == l->cap) {
		size_t	       cap = l->cap == 0 ? FIRST_PAIRS : 2 * l->cap;
		struct nvpair *pairs = nvlist_alloc(l->arena, cap, sizeof *pairs, e);

		if (pairs == NULL)
			return -1;
		if (l->count > 0)
			memcpy(pairs, l->pairs, l->count * sizeof *pairs);
		l->pairs = pairs;
		l->cap = cap;
	}
	l->pairs[l->count++] = *pair;
	return 0;
}

struct nvlist *nvlist_new(struct err *e)
{
	struct nvlist *l = malloc(sizeof *l);

	if (l == NULL) {
		err_nomem(e);
		return NULL;
	}
	list_init(l, NULL);
	l->arena = &l->own;
	return l;
}

void nvlist_free(struct nvlist *l)
{
	if (l == NULL)
		return;
	for (struct nvlist_chunk *c = l->own.chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(l);
}

/* Levels of lists, the outermost counted. */
static unsigned height(const struct nvlist *l)
{
	struct nvwalk w;
	unsigned      most = 0;

	nvwalk_start(&w, l);
	while (nvwalk_next(&w) != NVWALK_DONE)
		most = w.depth > most ? w.depth : most;
	return most;
}

/* Lookup. */

static struct nvpair *find(const struct nvlist *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++) {
		if (strcmp(l->pairs[i].name, name) == 0)
			return &l->pairs[i];
	}
	return NULL;
}

static const struct nvpair *find_typed(const struct nvlist *l, const char *name, enum nv_type type)
{
	const struct nvpair *pair = find(l, name);

	return pair != NULL && pair->type == type ? pair : NULL;
}

bool nvlist_u64(const struct nvlist *l, const char *name, uint64_t *out)
{
	const struct nvpair *pair = find_typed(l, name, NV_UINT64);

	if (pair != NULL)
		*out = pair->u64;
	return pair != NULL;
}

bool nvlist_string(const struct nvlist *l, const char *name, const char **out)
{
	const struct nvpair *pair = find_typed(l, name, NV_STRING);

	if (pair != NULL)
		*out = pair->string;
	return pair != NULL;
}

bool nvlist_list(const struct nvlist *l, const char *name, const struct nvlist **out)
{
	const struct nvpair *pair = find_typed(l, name, NV_NVLIST);

	if (pair != NULL)
		*out = pair->list;
	return pair != NULL;
}

bool nvlist_lists(const struct nvlist *l, const char *name, const struct nvlist *const **out,
		  size_t *count)
{
	const struct nvpair *pair = find_typed(l, name, NV_NVLIST_ARRAY);

	if (pair == NULL)
		return false;
	*out = pair->lists;
	*count = pair->count;
	return true;
}

bool nvlist_u64s(const struct nvlist *l, const char *name, const uint64_t **out, size_t *count)
{
	const struct nvpair *pair = find_typed(l, name, NV_UINT64_ARRAY);

	if (pair == NULL)
		return false;
	*out = pair->u64s;
	*count = pair->count;
	return true;
}

bool nvlist_flag(const struct nvlist *l, const char *name)
{
	return find_typed(l, name, NV_BOOLEAN) != NULL;
}

size_t nvlist_count(const struct nvlist *l)
{
	return l->count;
}

const struct nvpair *nvlist_pair(const struct nvlist *l, size_t i)
{
	assert(i < l->count);
	return &l->pairs[i];
}

/* Building. */

static void *copy_bytes(struct nvlist_arena *a, const void *p, size_t count, size_t size,
			struct err *e)
{
	void *copy = nvlist_alloc(a, count, size, e);

	if (copy != NULL && count > 0)
		memcpy(copy, p, count * size);
	return copy;
}

static const char *copy_string(struct nvlist_arena *a, const char *s, struct err *e)
{
	return copy_bytes(a, s, strlen(s) + 1, 1, e);
}

static int copy_strings(struct nvlist_arena *a, struct nvpair *pair, struct err *e)
{
	const char **copy = nvlist_alloc(a, pair->count, sizeof *copy, e);

	if (copy == NULL)
		return -1;
	for (size_t i = 0; i < pair->count; i++) {
		copy[i] = copy_string(a, pair->strings[i], e);
		if (copy[i] == NULL)
			return -1;
	}
	pair->strings = copy;
	return 0;
}

/* Moves all that the pair points to into the arena; its lists become empty ones, in *lists. */
static int copy_value(struct nvlist_arena *a, struct nvpair *pair, struct nvlist ***lists,
		      struct err *e)
{
	switch (pair->type) {
	case NV_STRING:
		pair->string = copy_string(a, pair->string, e);
		return pair->string == NULL ? -1 : 0;
	case NV_STRING_ARRAY:
		return copy_strings(a, pair, e);
	case NV_NVLIST:
	case NV_NVLIST_ARRAY:
		*lists = nvlist_alloc_lists(a, pair->count, e);
		if (*lists == NULL)
			return -1;
		if (pair->type == NV_NVLIST)
			pair->list = **lists;
		else
			pair->lists = (const struct nvlist *const *)*lists;
		return 0;
	default:
		if (!nv_is_array(pair->type))
			return 0;
		if (nv_is_bytes(pair->type))
			pair->bytes = copy_bytes(a, pair->bytes, pair->count, 1, e);
		else
			pair->u64s = copy_bytes(a, pair->u64s, pair->count, sizeof(uint64_t), e);
		return pair->u64s == NULL ? -1 : 0;
	}
}

static int copy_pair(struct nvlist *to, struct nvpair pair, struct nvlist ***lists, struct err *e)
{
	pair.name = copy_string(to->arena, pair.name, e);
	if (pair.name == NULL || copy_value(to->arena, &pair, lists, e) < 0)
		return -1;
	return nvlist_append(to, &pair, e);
}

/* Fills the empty list `to` with all that is in `from`, lists within included. */
static int copy_list(struct nvlist *to, const struct nvlist *from, struct err *e)
{
	struct nvlist **copies[NVLIST_DEPTH_MAX + 2] = { [1] = &to };
	struct nvlist  *at = to;
	struct nvwalk	w;

	nvwalk_start(&w, from);
	for (;;) {
		switch (nvwalk_next(&w)) {
		case NVWALK_OPEN:
			at = copies[w.depth][w.index];
			at->version = w.list->version;
			at->flags = w.list->flags;
			break;
		case NVWALK_PAIR:
			if (copy_pair(at, *w.pair, &copies[w.depth], e) < 0)
				return -1;
			break;
		case NVWALK_END:
			at = copies[w.depth][w.stack[w.depth - 1].index];
			break;
		case NVWALK_CLOSE:
			break;
		case NVWALK_DONE:
			return 0;
		}
	}
}

/* Puts a copy of the pair where one of its name is, else at the end. */
static int add(struct nvlist *l, const struct nvpair *given, struct err *e)
{
	struct nvpair  *old = find(l, given->name);
	struct nvpair	pair = *given;
	struct nvlist **lists = NULL;

	if (old == NULL)
		pair.name = copy_string(l->arena, given->name, e);
	else
		pair.name = old->name;
	if (pair.name == NULL || copy_value(l->arena, &pair, &lists, e) < 0)
		return -1;
	for (size_t i = 0; lists != NULL && i < pair.count; i++) {
		const struct nvlist *from = pair.type == NV_NVLIST ? given->list : given->lists[i];

		if (copy_list(lists[i], from, e) < 0)
			return -1;
	}
	if (old == NULL)
		return nvlist_append(l, &pair, e);
	*old = pair;
	return 0;
}

int nvlist_add_u64(struct nvlist *l, const char *name, uint64_t v, struct err *e)
{
	return add(l, &(struct nvpair){ .name = name, .type = NV_UINT64, .count = 1, .u64 = v }, e);
}

int nvlist_add_string(struct nvlist *l, const char *name, const char *v, struct err *e)
{
	return add(l, &(struct nvpair){ .name = name, .type = NV_STRING, .count = 1, .string = v },
		   e);
}

int nvlist_add_flag(struct nvlist *l, const char *name, struct err *e)
{
	return add(l, &(struct nvpair){ .name = name, .type = NV_BOOLEAN }, e);
}

static int check_height(const struct nvlist *v, const char *name, struct err *e)
{
	if (height(v) >= NVLIST_DEPTH_MAX)
		return err_set(e, ERR_UNSUPPORTED, "name-value list '%s' nests too deep", name);
	return 0;
}

int nvlist_add_list(struct nvlist *l, const char *name, const struct nvlist *v, struct err *e)
{
	if (check_height(v, name, e) < 0)
		return -1;
	return add(l, &(struct nvpair){ .name = name, .type = NV_NVLIST, .count = 1, .list = v },
		   e);
}

int nvlist_add_lists(struct nvlist *l, const char *name, const struct nvlist *const *v,
		     size_t count, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (check_height(v[i], name, e) < 0)
			return -1;
	}
	return add(l,
		   &(struct nvpair){
			   .name = name, .type = NV_NVLIST_ARRAY, .count = count, .lists = v },
		   e);
}

int nvlist_add_bytes(struct nvlist *l, const char *name, const void *p, size_t n, struct err *e)
{
	return add(l,
		   &(struct nvpair){ .name = name, .type = NV_BYTE_ARRAY, .count = n, .bytes = p },
		   e);
}

int nvlist_add_u64s(struct nvlist *l, const char *name, const uint64_t *v, size_t count,
		    struct err *e)
{
	return add(l,
		   &(struct nvpair){
			   .name = name, .type = NV_UINT64_ARRAY, .count = count, .u64s = v },
		   e);
}

int nvlist_remove(struct nvlist *l, const char *name)
{
	struct nvpair *pair = find(l, name);

	if (pair == NULL)
		return -1;

	size_t after = l->count - (size_t)(pair - l->pairs) - 1;

	memmove(pair, pair + 1, after * sizeof *pair);
	l->count--;
	return 0;
}
