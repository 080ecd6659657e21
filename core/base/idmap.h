/*
 * A map from 64-bit numbers to 64-bit values, 16 bytes a slot: objects seen, paths of hard links.
 * Owned by its user: { 0 } is an empty map, idmap_fini gives the memory back.
 */
#ifndef CORE_BASE_IDMAP_H
#define CORE_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/err.h"

struct idmap_slot {
	uint64_t key, value;
};

struct idmap {
	struct idmap_slot *slots; /* a power of two of them; key 0 is a free one */
	size_t		   cap, count;
	bool		   has_zero; /* key 0 lives outside the table */
	uint64_t	   zero;
};

void idmap_fini(struct idmap *m);

/* False when the key is not there. value may be NULL. */
bool idmap_get(const struct idmap *m, uint64_t key, uint64_t *value);

/* Sets the key's value. */
int idmap_put(struct idmap *m, uint64_t key, uint64_t value, struct err *e) MUST_CHECK;

/* For sets: 1 when the key is new (and now there), 0 when it was there, -1. */
int idmap_add(struct idmap *m, uint64_t key, struct err *e) MUST_CHECK;

/* Walks all pairs in no useful order: start with *at = 0; false at the end. */
bool idmap_next(const struct idmap *m, size_t *at, uint64_t *key, uint64_t *value);

#endif
