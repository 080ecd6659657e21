/* A hash table with chains. Only files with several names come here, so a name each is not much. */
#include "core/entries/linkset.h"

#include <stdlib.h>
#include <string.h>

struct link {
	struct link *next;
	uint64_t     dev, ino;
	size_t	     n;
	char	     path[];
};

static size_t slot_of(const struct linkset *s, uint64_t dev, uint64_t ino)
{
	uint64_t h = (ino ^ dev << 32) * UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(h >> 32) & (s->slot_count - 1);
}

static int grow(struct linkset *s, struct err *e)
{
	if (s->count < s->slot_count)
		return 0;

	struct linkset bigger = { .slot_count = s->slot_count > 0 ? s->slot_count * 2 : 64,
				  .count = s->count };

	bigger.slots = calloc(bigger.slot_count, sizeof *bigger.slots);
	if (bigger.slots == NULL)
		return err_nomem(e);
	for (size_t i = 0; i < s->slot_count; i++) {
		while (s->slots[i] != NULL) {
			struct link  *l = s->slots[i];
			struct link **slot = &bigger.slots[slot_of(&bigger, l->dev, l->ino)];

			s->slots[i] = l->next;
			l->next = *slot;
			*slot = l;
		}
	}
	free(s->slots);
	*s = bigger;
	return 0;
}

static int add(struct linkset *s, uint64_t dev, uint64_t ino, const char *path, size_t n,
	       struct err *e)
{
	if (grow(s, e) < 0)
		return -1;

	struct link  *l = malloc(sizeof *l + n + 1);
	struct link **slot = &s->slots[slot_of(s, dev, ino)];

	if (l == NULL)
		return err_nomem(e);
	*l = (struct link){ .next = *slot, .dev = dev, .ino = ino, .n = n };
	memcpy(l->path, path, n);
	l->path[n] = '\0';
	*slot = l;
	s->count++;
	return 0;
}

int linkset_see(struct linkset *s, uint64_t dev, uint64_t ino, const char *path, size_t n,
		const char **first, size_t *first_size, struct err *e)
{
	struct link *l = s->slot_count > 0 ? s->slots[slot_of(s, dev, ino)] : NULL;

	while (l != NULL && (l->dev != dev || l->ino != ino))
		l = l->next;
	if (l == NULL) {
		*first = NULL;
		return add(s, dev, ino, path, n, e);
	}
	*first = l->path;
	*first_size = l->n;
	return 0;
}

void linkset_fini(struct linkset *s)
{
	for (size_t i = 0; i < s->slot_count; i++) {
		while (s->slots[i] != NULL) {
			struct link *l = s->slots[i];

			s->slots[i] = l->next;
			free(l);
		}
	}
	free(s->slots);
}
