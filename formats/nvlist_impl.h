/*
 * What the parts of nvlist.h share: the list, its arena, and a walk over nested lists without
 * recursion. For nvlist*.c alone.
 *
 * A list and all lists within it live in one arena, owned by the outermost; what is replaced or
 * removed is given back with it.
 */
#ifndef FORMATS_NVLIST_IMPL_H
#define FORMATS_NVLIST_IMPL_H

#include "formats/base/limits.h"
#include "formats/nvlist.h"

struct nvlist_chunk {
	struct nvlist_chunk *next;
	size_t		     used, size;
	max_align_t	     bytes[];
};

struct nvlist_arena {
	struct nvlist_chunk *chunks; /* the first has room, perhaps */
};

struct nvlist {
	struct nvlist_arena *arena;
	struct nvlist_arena  own; /* of the outermost list: what `arena` points to */
	struct nvpair	    *pairs;
	size_t		     count, cap;
	uint32_t	     version, flags; /* nvl_version, nvl_nvflag: kept as they were */
	uint8_t		     endian; /* second byte of the packed form: of the writer's host */
};

enum {
	NVLIST_UNIQUE_NAMES = 1, /* nvl_nvflag of new lists: sys/nvpair.h, NV_UNIQUE_NAME */
	NVLIST_ENCODE_NATIVE = 0,
	NVLIST_ENCODE_XDR = 1,
	NVLIST_HEADER = 4,

	/* The in-memory form that native encoding copies, and whose sizes XDR records. */
	NVPAIR_FIXED = 16, /* sizeof nvpair_t */
	NVLIST_FIXED = 24, /* sizeof nvlist_t */
	NVLIST_POINTER = 8,
};

/* Memory that lives as long as the outermost list; not cleared. NULL: ERR_NOMEM is set. */
void *nvlist_alloc(struct nvlist_arena *a, size_t count, size_t size, struct err *e);

/* `count` empty lists in the arena. NULL when memory is short. */
struct nvlist **nvlist_alloc_lists(struct nvlist_arena *a, size_t count, struct err *e);

/* Appends; the pair's memory must be in the list's arena already. */
int nvlist_append(struct nvlist *l, const struct nvpair *pair, struct err *e) MUST_CHECK;

static inline bool nv_is_list(enum nv_type type)
{
	return type == NV_NVLIST || type == NV_NVLIST_ARRAY;
}

/* Bytes of one number of this (scalar or array) type in memory, 0 when it does not hold numbers. */
unsigned nv_width(enum nv_type type);
bool	 nv_is_signed(enum nv_type type);
bool	 nv_is_array(enum nv_type type);

/* Arrays whose elements are kept as bytes. */
static inline bool nv_is_bytes(enum nv_type type)
{
	return type == NV_BYTE_ARRAY || type == NV_INT8_ARRAY || type == NV_UINT8_ARRAY;
}

/*
 * The walk. Each list gives OPEN, its pairs, CLOSE. A pair that holds lists gives PAIR, then each
 * of its lists, then END.
 */
enum nvwalk_event { NVWALK_PAIR, NVWALK_OPEN, NVWALK_CLOSE, NVWALK_END, NVWALK_DONE };

struct nvwalk {
	struct nvwalk_level {
		const struct nvpair	   *pair; /* that holds these lists; NULL: the outermost */
		const struct nvlist *const *lists;
		size_t			    index, count, next;
		bool			    open;
	} stack[NVLIST_DEPTH_MAX + 1];
	unsigned	     depth; /* levels on the stack */
	const struct nvlist *root;

	/* What the last event was about. */
	const struct nvpair
		*pair; /* PAIR, END: this one; OPEN, CLOSE: the one that holds the list */
	const struct nvlist *list;  /* OPEN, CLOSE */
	size_t		     index; /* OPEN, CLOSE: which of the pair's lists */
};

void		  nvwalk_start(struct nvwalk *w, const struct nvlist *root);
enum nvwalk_event nvwalk_next(struct nvwalk *w);

#endif
