/* Places: MEMBERS:DATASET[@[SNAPSHOT][/PATH]]. Leaves opening what they name to core/. */
#include "cmd/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/items.h"

bool place_is(const char *word)
{
	size_t n = strlen(word);

	return strncmp(word, "./", 2) != 0 && items_find_bare(word, n, ':') < n;
}

/* Moves the keys of a comma list into p->members. */
static int take_members(struct place *p, const char *text, size_t n, struct err *e)
{
	struct items items = { 0 };
	int	     rc = -1;

	if (n == 0)
		return 0;
	if (items_parse(text, n, &items, e) < 0)
		return -1;
	for (size_t i = 0; i < items.count; i++)
		if (items.list[i].value != NULL) {
			err_set(e, ERR_USAGE,
				"unknown member option '%s' (a name with = needs \\=)",
				items.list[i].key);
			goto out;
		}
	p->members = calloc(items.count, sizeof *p->members);
	if (p->members == NULL) {
		err_nomem(e);
		goto out;
	}
	for (size_t i = 0; i < items.count; i++) {
		p->members[p->member_count++] = items.list[i].key;
		items.list[i].key = NULL;
	}
	rc = 0;
out:
	items_free(&items);
	return rc;
}

/* Sets dataset, snapshot and path from NAME. */
static int take_name(struct place *p, const char *name, struct err *e)
{
	const char *at = strchr(name, '@');

	p->at = at != NULL;
	p->dataset = at != NULL ? strndup(name, (size_t)(at - name)) : strdup(name);
	if (p->dataset == NULL)
		return err_nomem(e);
	if (at == NULL)
		return 0;
	if (p->dataset[0] == '\0')
		return err_set(e, ERR_USAGE, "there is no dataset before the @");

	const char *slash = strchr(at + 1, '/');
	size_t	    snap_size = slash != NULL ? (size_t)(slash - at - 1) : strlen(at + 1);

	if (snap_size > 0 && (p->snapshot = strndup(at + 1, snap_size)) == NULL)
		return err_nomem(e);
	if (slash != NULL && (p->path = strdup(slash + 1)) == NULL)
		return err_nomem(e);
	return 0;
}

int place_parse(const char *word, struct place *out, struct err *e)
{
	size_t	     n = strlen(word), colon = items_find_bare(word, n, ':');
	struct place p = { 0 };

	if (colon == n)
		return err_set(e, ERR_USAGE, "'%s' is no place: it has no ':' after its members",
			       word);
	if (take_members(&p, word, colon, e) < 0 || take_name(&p, word + colon + 1, e) < 0) {
		place_free(&p);
		return err_in(e, "'%s'", word);
	}
	*out = p;
	return 0;
}

void place_free(struct place *p)
{
	for (size_t i = 0; i < p->member_count; i++)
		free(p->members[i]);
	free(p->members);
	free(p->dataset);
	free(p->snapshot);
	free(p->path);
	*p = (struct place){ 0 };
}

char *place_dataset_name(const struct place *p)
{
	size_t n = strlen(p->dataset) + (p->snapshot != NULL ? strlen(p->snapshot) + 1 : 0) + 1;
	char  *name = malloc(n);

	if (name != NULL)
		snprintf(name, n, "%s%s%s", p->dataset, p->snapshot != NULL ? "@" : "",
			 p->snapshot != NULL ? p->snapshot : "");
	return name;
}
