/*
 * Hard links that come before what they link to. They wait, by path, until everything has come;
 * an entry of the same path that comes later takes their place.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/zpl/zpl_write_impl.h"

/* Where in `text` the target stands. Its names entry holds the link's number + 1 as object. */
struct late_link {
	size_t	 target;
	uint32_t target_size, entry;
	enum { LATE_WAITS, LATE_UNDER_WAY, LATE_DONE } state;
};

void zpl_late_fini(struct zpl_late *l)
{
	names_free(l->paths);
	free(l->links);
	free(l->text);
	*l = (struct zpl_late){ 0 };
}

static int new_paths(struct zpl_late *l, struct err *e)
{
	uint32_t dir;

	l->paths = names_new(e);
	if (l->paths == NULL)
		return -1;
	return names_new_dir(l->paths, &dir, e);
}

void zpl_late_forget(struct zpl_write *z, const char *path, size_t n)
{
	struct zpl_late *l = &z->late;
	uint32_t	 entry = l->paths != NULL ? names_find(l->paths, 0, path, n) : NAMES_NONE;

	if (entry == NAMES_NONE)
		return;
	l->links[names_entry(l->paths, entry)->object - 1].state = LATE_DONE;
	names_remove(l->paths, entry);
}

int zpl_late_add(struct zpl_write *z, const struct entry *in, struct err *e)
{
	struct zpl_late	 *l = &z->late;
	struct late_link *link;
	uint32_t	  entry;

	if (l->paths == NULL && new_paths(l, e) < 0)
		return -1;
	zpl_late_forget(z, in->path, in->path_size);
	if (mem_grow(&l->links, &l->cap, l->count + 1, sizeof l->links[0], e) < 0 ||
	    mem_grow(&l->text, &l->text_cap, l->text_size + in->target_size, 1, e) < 0 ||
	    names_add(l->paths, 0, in->path, in->path_size, l->count + 1, DT_REG, &entry, e) < 0)
		return -1;
	link = &l->links[l->count++];
	*link = (struct late_link){ .target = l->text_size,
				    .target_size = (uint32_t)in->target_size,
				    .entry = entry };
	memcpy(l->text + l->text_size, in->target, in->target_size);
	l->text_size += in->target_size;
	return 0;
}

static struct entry entry_of(const struct zpl_late *l, const struct late_link *link)
{
	const struct name_entry *x = names_entry(l->paths, link->entry);

	return (struct entry){ .kind = ENTRY_HARDLINK,
			       .path = names_text(l->paths, x),
			       .path_size = x->name_size,
			       .target = l->text + link->target,
			       .target_size = link->target_size };
}

/* The link that waits under this one's target, if one does. */
static struct late_link *waits_for(const struct zpl_late *l, const struct late_link *link)
{
	uint32_t entry = names_find(l->paths, 0, l->text + link->target, link->target_size);

	return entry == NAMES_NONE ? NULL : &l->links[names_entry(l->paths, entry)->object - 1];
}

/* A link, and before it the links that it leads through: they are turned round on the way down. */
static int resolve(struct zpl_write *z, struct late_link *first, struct late_link **stack,
		   struct err *e)
{
	struct zpl_late *l = &z->late;
	size_t		 depth = 0;

	for (struct late_link *at = first; at != NULL && at->state == LATE_WAITS;
	     at = waits_for(l, at)) {
		at->state = LATE_UNDER_WAY;
		stack[depth++] = at;
	}
	while (depth > 0) {
		struct late_link *at = stack[--depth];
		struct entry	  in = entry_of(l, at);

		at->state = LATE_DONE;
		if (zpl_write_hardlink(z, &in, e) < 0)
			return -1;
		names_remove(l->paths, at->entry);
	}
	return 0;
}

int zpl_late_resolve(struct zpl_write *z, struct err *e)
{
	struct zpl_late	  *l = &z->late;
	struct late_link **stack;
	int		   rc = 0;

	if (l->count == 0)
		return 0;
	stack = mem_array(l->count, sizeof(struct late_link *), e);
	if (stack == NULL)
		return -1;
	for (size_t i = 0; rc == 0 && i < l->count; i++)
		rc = resolve(z, &l->links[i], stack, e);
	free(stack);
	if (rc == 0)
		zpl_late_fini(l);
	return rc;
}
