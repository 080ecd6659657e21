/* The first record of the pool's history: what was asked for, in one order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/mkpool/options.h"
#include "core/base/mem.h"
#include "formats/base/text.h"

/* In quotes when a shell would take it apart. */
static void put_word(struct text *t, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_.,:=@%+/";
	bool quote = word[strspn(word, plain)] != '\0';

	text_put(t, quote ? " '" : " ");
	text_name(t, word, strlen(word));
	text_put(t, quote ? "'" : "");
}

static void put_pool_properties(struct text *t, const struct props *p)
{
	text_put(t, " -o ashift=%u", p->ashift);
	if (p->compatibility != NULL)
		text_put(t, " -o compatibility=%s", p->compatibility);
	if (p->comment != NULL)
		text_put(t, " -o comment='%s'", p->comment);
	for (size_t i = 0; i < p->word_count; i++)
		text_put(t, " -o feature@%s=%s", p->words[i].feature->name,
			 p->words[i].enable ? "enabled" : "disabled");
}

/* A volume's file is a path of this machine. */
static void put_dataset(struct text *t, const struct plan_dataset *d)
{
	char word[1024];

	snprintf(word, sizeof word, "%s%s", d->name, d->words != NULL ? d->words : "");
	text_put(t, d->volume ? " -V" : " -c");
	put_word(t, word);
}

static void put_steps(struct text *t, const struct plan *p)
{
	for (size_t i = 0; i < p->step_count; i++) {
		const struct plan_step *s = &p->steps[i];

		if (s->kind == PLAN_CREATE && s->dataset > 0)
			put_dataset(t, &p->datasets[s->dataset]);
		else if (s->kind == PLAN_SNAPSHOT)
			text_put(t, " -S %s@%s", p->datasets[s->dataset].name, s->snapshot);
	}
}

char *options_history(const struct options *o, struct err *e)
{
	enum { SIZE = 16384 };
	char	   *line = mem_raw(SIZE, e);
	const char *word;
	size_t	    at = 0;
	struct text t;

	if (line == NULL)
		return NULL;
	t = text_in(line, SIZE);
	text_put(&t, "mkpool");
	put_pool_properties(&t, &o->props);
	while ((word = options_root_word(o, &at)) != NULL) {
		text_put(&t, " -O");
		put_word(&t, word);
	}
	put_steps(&t, &o->plan);
	if (o->seed_given) {
		text_put(&t, " --seed ");
		text_name(&t, o->seed, strlen(o->seed));
	}
	text_put(&t, " %s", o->pool);
	return line;
}
