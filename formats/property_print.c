/*
 * Values as `zfs get` and `zpool get` print them.
 * Source: OpenZFS libzfs_dataset.c (zfs_prop_get), libzfs_pool.c (zpool_get_prop), libzutil
 * (zfs_nicenum_format).
 */
#include <string.h>

#include "formats/property.h"
#include "formats/words.h"

/* Whole units plain, others with as many of two decimals as keep five characters. */
void property_nice(uint64_t n, bool bytes, struct text *t)
{
	static const char units[] = "BKMGTPE";
	unsigned	  power = 0;
	char		  buf[32];

	while (power < sizeof units - 2 && n >> 10 * power >= 1024)
		power++;

	uint64_t unit = UINT64_C(1) << 10 * power;
	char	 suffix[2] = { power == 0 && !bytes ? '\0' : units[power], '\0' };

	if (n % unit == 0) {
		text_put(t, "%llu%s", (unsigned long long)(n / unit), suffix);
		return;
	}
	for (int decimals = 2; decimals >= 0; decimals--) {
		struct text b = text_in(buf, sizeof buf);

		text_put(&b, "%.*f%s", decimals, (double)n / (double)unit, suffix);
		if (b.n <= 5)
			break;
	}
	text_put(t, "%s", buf);
}

/* "Mon Nov 30  7:58 2026", UTC; the number when no calendar has it. */
static void put_time(uint64_t seconds, bool with_seconds, struct text *t)
{
	struct tm tm;

	if (!text_day(t, seconds, &tm))
		return;
	text_put(t, " %2d:%02d", tm.tm_hour, tm.tm_min);
	if (with_seconds)
		text_put(t, ":%02d", tm.tm_sec);
	text_put(t, " %lld", tm.tm_year + 1900LL);
}

static void put_exact(uint64_t n, struct text *t)
{
	text_put(t, "%llu", (unsigned long long)n);
}

static void put_number(enum property_form form, uint64_t n, bool exact, struct text *t)
{
	switch (form) {
	case FORM_RATIO:
		text_put(t, "%llu.%02llu%s", (unsigned long long)(n / 100),
			 (unsigned long long)(n % 100), exact ? "" : "x");
		return;
	case FORM_PERCENT:
		text_put(t, "%llu%s", (unsigned long long)n, exact ? "" : "%");
		return;
	case FORM_MINUTE:
	case FORM_SECOND:
		if (exact)
			put_exact(n, t);
		else
			put_time(n, form == FORM_SECOND, t);
		return;
	case FORM_COUNT:
	case FORM_LIMIT:
	case FORM_DDT_QUOTA:
		if (exact)
			put_exact(n, t);
		else
			property_nice(n, false, t);
		return;
	case FORM_SIZE:
	case FORM_SIZE_NONE:
	case FORM_SPARSE:
		if (exact)
			put_exact(n, t);
		else
			property_nice(n, true, t);
		return;
	default:
		put_exact(n, t);
	}
}

/* A word instead of a number; NULL: none. */
static const char *word_for(enum property_form form, uint64_t n, bool exact)
{
	switch (form) {
	case FORM_LIMIT:
		return n == UINT64_MAX ? "none" : NULL;
	case FORM_DDT_QUOTA:
		return n == UINT64_MAX ? "auto" : n == 0 && !exact ? "none" : NULL;
	case FORM_SIZE_NONE:
		return n == 0 && !exact ? "none" : NULL;
	case FORM_SPARSE:
		return n == 0 ? "-" : NULL;
	case FORM_VERSION:
		return n >= 5000 ? "-" : NULL;
	default:
		return NULL;
	}
}

void property_print(const struct property_info *p, uint64_t number, const char *text, bool exact,
		    struct text *t)
{
	const char *word;

	if (p->kind == PROPERTY_TEXT) {
		if (text != NULL)
			text_name(t, text, strlen(text));
		else
			text_put(t, "-");
		return;
	}
	word = p->kind == PROPERTY_NAMED ? property_value_name(p, number)
					 : word_for(p->form, number, exact);
	if (word != NULL)
		text_put(t, "%s", word);
	else
		put_number(p->kind == PROPERTY_NAMED ? FORM_EXACT : p->form, number, exact, t);
}
