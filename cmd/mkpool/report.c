/* The summary of -n and -v: one line a fact, exact numbers. */
#include "cmd/mkpool/report.h"

#include <stdio.h>
#include <string.h>

#include "cmd/size.h"
#include "core/pool/sizing.h"
#include "formats/base/text.h"

static void put_bytes(const char *what, uint64_t bytes)
{
	char text[SIZE_TEXT];

	printf("%-11s %llu (%s)\n", what, (unsigned long long)bytes, size_text(bytes, 0, text));
}

/* At 80 columns. */
static void put_features(struct feature_set set)
{
	enum { WIDTH = 80, INDENT = 12 };
	int column = printf("%-11s", "features");

	for (size_t i = 0; i < feature_count(); i++) {
		const char *name = feature_table[i].name;

		if (!feature_set_has(set, &feature_table[i]))
			continue;
		if (column + 1 + snprintf(NULL, 0, "%s", name) > WIDTH) {
			putchar('\n');
			column = printf("%*s", INDENT - 1, "");
		}
		column += printf(" %s", name);
	}
	printf("%s\n", set.bits == 0 ? " none" : "");
}

static void put_property(void *ctx, char option, const char *name, const char *value)
{
	(void)ctx;
	(void)option;
	if (strncmp(name, "feature@", 8) == 0)
		return;

	char	    buf[1024];
	struct text t = text_in(buf, sizeof buf);

	text_name(&t, value, strlen(value));
	printf("%-11s %s=%s\n", "property", name, buf);
}

/* Each with what went into it, in the order of the command line, snapshots where they were taken.
 */
static void put_datasets(const struct options *o, const struct datasets *s)
{
	for (size_t i = 0; i < o->plan.step_count; i++) {
		const struct plan_step	  *step = &o->plan.steps[i];
		const struct plan_dataset *d;

		if (step->kind == PLAN_FILL)
			continue;
		d = &o->plan.datasets[step->dataset];
		if (step->kind == PLAN_SNAPSHOT) {
			printf("%-11s %s@%s\n", "snapshot", d->name, step->snapshot);
		} else if (d->volume) {
			printf("%-11s %s, %llu bytes\n", "volume", d->name,
			       (unsigned long long)dsl_props_number(d->props, PROP_VOLSIZE));
		} else {
			struct zpl_written w = datasets_written(s, step->dataset);

			printf("%-11s %s, %llu files, %llu bytes\n", "dataset", d->name,
			       (unsigned long long)w.files, (unsigned long long)w.bytes);
		}
	}
}

void report(const struct options *o, const struct pool_made *made, const struct datasets *s)
{
	struct zpl_written w = datasets_written(s, SIZE_MAX);
	uint64_t	   count = sizing_asize(made->size) >> made->metaslab_shift;

	printf("%-11s %s\n", "pool", o->pool);
	printf("%-11s %llu\n", "guid", (unsigned long long)made->pool_guid);
	printf("%-11s %s\n", "vdev type", o->vdev_type);
	put_bytes("size", made->size);
	printf("%-11s %u\n", "ashift", o->props.ashift);
	printf("%-11s %llu of %llu bytes\n", "metaslabs", (unsigned long long)count,
	       1ULL << made->metaslab_shift);
	put_features(o->props.features);
	props_each_word(&o->props, put_property, NULL);
	put_datasets(o, s);
	printf("%-11s %llu\n", "files", (unsigned long long)w.files);
	printf("%-11s %llu\n", "directories", (unsigned long long)w.directories);
	printf("%-11s %llu\n", "symlinks", (unsigned long long)w.symlinks);
	printf("%-11s %llu\n", "hard links", (unsigned long long)w.hard_links);
	put_bytes("contents", w.bytes);
	put_bytes("USED", made->used);
	put_bytes("AVAIL", made->avail);
}
