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
	bool		  quote = word[strspn(word, plain)] != '\0';

	text_put(t, quote ? " '" : " ");
	text_name(t, word, strlen(word));
	text_put(t, quote ? "'" : "");
}

static void put_property(void *ctx, char option, const char *name, const char *value)
{
	char word[9216]; /* the longest name and value, PROPERTY_TEXT_MAX */

	snprintf(word, sizeof word, "%s=%s", name, value);
	text_put(ctx, " -%c", option);
	put_word(ctx, word);
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
	struct text t;

	if (line == NULL)
		return NULL;
	t = text_in(line, SIZE);
	text_put(&t, "mkpool -o ashift=%u", o->props.ashift);
	props_each_word(&o->props, put_property, &t);
	put_steps(&t, &o->plan);
	if (o->seed_given) {
		text_put(&t, " --seed ");
		text_name(&t, o->seed, strlen(o->seed));
	}
	text_put(&t, " %s", o->pool);
	return line;
}
