/* Open addressing with linear probing; at most half full; nothing is ever removed. */
#include "core/base/idmap.h"

#include "core/base/mem.h"

void idmap_fini(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){ 0 };
}

/* Multiplicative mixing: object numbers are dense and would otherwise sit side by side. */
static size_t start_of(uint64_t key, size_t cap)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(key ^ key >> 32) & (cap - 1);
}

/* The slot that holds the key, or the free one where it would go. cap is not 0. */
static struct idmap_slot *slot_of(const struct idmap *m, uint64_t key)
{
	size_t i = start_of(key, m->cap);

	while (m->slots[i].key != 0 && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

bool idmap_get(const struct idmap *m, uint64_t key, uint64_t *value)
{
	uint64_t v;

	if (key == 0) {
		if (!m->has_zero)
			return false;
		v = m->zero;
	} else {
		if (m->cap == 0)
			return false;

		const struct idmap_slot *s = slot_of(m, key);

		if (s->key == 0)
			return false;
		v = s->value;
	}
	if (value != NULL)
		*value = v;
	return true;
}

static int grow(struct idmap *m, struct err *e)
{
	size_t		   cap = m->cap == 0 ? 64 : m->cap * 2;
	struct idmap_slot *slots = mem_array(cap, sizeof *slots, e);

	if (slots == NULL)
		return -1;

	struct idmap bigger = { .slots = slots, .cap = cap };

	for (size_t i = 0; i < m->cap; i++) {
		if (m->slots[i].key != 0)
			*slot_of(&bigger, m->slots[i].key) = m->slots[i];
	}
	free(m->slots);
	m->slots = slots;
	m->cap = cap;
	return 0;
}

int idmap_put(struct idmap *m, uint64_t key, uint64_t value, struct err *e)
{
	if (key == 0) {
		m->has_zero = true;
		m->zero = value;
		return 0;
	}
	if (m->count >= m->cap / 2 && grow(m, e) < 0)
		return -1;

	struct idmap_slot *s = slot_of(m, key);

	if (s->key == 0)
		m->count++;
	*s = (struct idmap_slot){ .key = key, .value = value };
	return 0;
}

int idmap_add(struct idmap *m, uint64_t key, struct err *e)
{
	if (idmap_get(m, key, NULL))
		return 0;
	return idmap_put(m, key, 1, e) < 0 ? -1 : 1;
}

bool idmap_next(const struct idmap *m, size_t *at, uint64_t *key, uint64_t *value)
{
	if (*at == 0) {
		++*at;
		if (m->has_zero) {
			*key = 0;
			*value = m->zero;
			return true;
		}
	}
	for (; *at <= m->cap; ++*at) {
		const struct idmap_slot *s = &m->slots[*at - 1];

		if (s->key == 0)
			continue;
		*key = s->key;
		*value = s->value;
		++*at;
		return true;
	}
	return false;
}
