/* Any word: no crash, and what parses keeps every byte of PATH and re-parses to the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/items.h"
#include "cmd/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	    *word = malloc(size + 1);
	struct place p;
	struct err   e;

	if (word == NULL)
		return 0;
	memcpy(word, data, size);
	word[size] = '\0';
	place_is(word);
	if (place_parse(word, &p, &e) == 0) {
		char *name = place_dataset_name(&p);

		if (p.dataset == NULL || (p.path != NULL && !p.at) || (p.snapshot != NULL && !p.at))
			abort();
		if (p.path != NULL && strcmp(p.path, word + strlen(word) - strlen(p.path)) != 0)
			abort();
		free(name);
		place_free(&p);
	}
	free(word);
	return 0;
}
