/* Name-value lists: what is true of each type, and the walk over nested lists. */
#include "formats/nvlist_impl.h"

unsigned nv_width(enum nv_type type)
{
	switch (type) {
	case NV_BYTE:
	case NV_INT8:
	case NV_UINT8:
	case NV_BYTE_ARRAY:
	case NV_INT8_ARRAY:
	case NV_UINT8_ARRAY:
		return 1;
	case NV_INT16:
	case NV_UINT16:
	case NV_INT16_ARRAY:
	case NV_UINT16_ARRAY:
		return 2;
	case NV_INT32:
	case NV_UINT32:
	case NV_BOOLEAN_VALUE:
	case NV_INT32_ARRAY:
	case NV_UINT32_ARRAY:
	case NV_BOOLEAN_ARRAY:
		return 4;
	case NV_INT64:
	case NV_UINT64:
	case NV_HRTIME:
	case NV_DOUBLE:
	case NV_INT64_ARRAY:
	case NV_UINT64_ARRAY:
		return 8;
	default:
		return 0;
	}
}

bool nv_is_signed(enum nv_type type)
{
	return type == NV_INT8 || type == NV_INT16 || type == NV_INT32 || type == NV_INT64 ||
	       type == NV_HRTIME || type == NV_INT8_ARRAY || type == NV_INT16_ARRAY ||
	       type == NV_INT32_ARRAY || type == NV_INT64_ARRAY;
}

bool nv_is_array(enum nv_type type)
{
	return (type >= NV_BYTE_ARRAY && type <= NV_STRING_ARRAY) || type == NV_NVLIST_ARRAY ||
	       (type >= NV_BOOLEAN_ARRAY && type <= NV_UINT8_ARRAY);
}

static void walk_push(struct nvwalk *w, const struct nvpair *pair,
		      const struct nvlist *const *lists, size_t count)
{
	/* Decoding and building both keep lists within this depth. */
	assert(w->depth <= NVLIST_DEPTH_MAX);
	w->stack[w->depth++] =
		(struct nvwalk_level){ .pair = pair, .lists = lists, .count = count };
}

void nvwalk_start(struct nvwalk *w, const struct nvlist *root)
{
	w->depth = 0;
	w->root = root;
	walk_push(w, NULL, &w->root, 1);
}

static enum nvwalk_event walk_pair(struct nvwalk *w, struct nvwalk_level *level)
{
	w->pair = &level->lists[level->index]->pairs[level->next++];
	if (w->pair->type == NV_NVLIST)
		walk_push(w, w->pair, &w->pair->list, 1);
	else if (w->pair->type == NV_NVLIST_ARRAY)
		walk_push(w, w->pair, w->pair->lists, w->pair->count);
	return NVWALK_PAIR;
}

enum nvwalk_event nvwalk_next(struct nvwalk *w)
{
	struct nvwalk_level *level = &w->stack[w->depth - 1];

	w->pair = level->pair;
	if (!level->open && level->index == level->count)
		return --w->depth == 0 ? NVWALK_DONE : NVWALK_END;

	w->list = level->lists[level->index];
	w->index = level->index;
	if (!level->open) {
		level->open = true;
		level->next = 0;
		return NVWALK_OPEN;
	}
	if (level->next == w->list->count) {
		level->open = false;
		level->index++;
		return NVWALK_CLOSE;
	}
	return walk_pair(w, level);
}
