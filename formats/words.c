/* Records made of 64-bit words, by table. */
#include "formats/words.h"

void words_decode(const struct word *table, size_t count, struct bytes in, void *record)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t v = get64(in, table[i].disk);

		memcpy((char *)record + table[i].mem, &v, sizeof v);
	}
}

static uint64_t word_of(const struct word *w, const void *record)
{
	uint64_t v;

	memcpy(&v, (const char *)record + w->mem, sizeof v);
	return v;
}

void words_encode(const struct word *table, size_t count, const void *record, struct wbytes out)
{
	for (size_t i = 0; i < count; i++)
		put64(out, table[i].disk, word_of(&table[i], record));
}

void words_describe(const struct word *table, size_t count, const void *record, struct text *t)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t v = word_of(&table[i], record);

		text_put(t, "%s = ", table[i].name);
		switch (table[i].form) {
		case WORD_NUMBER:
			text_put(t, "%llu", (unsigned long long)v);
			break;
		case WORD_HEX:
			text_put(t, "%llx", (unsigned long long)v);
			break;
		case WORD_TIME:
			text_time(t, v);
			break;
		}
		text_put(t, "\n");
	}
}

/* Names of our own: strftime would follow the host's locale. */
bool text_day(struct text *t, uint64_t seconds, struct tm *tm)
{
	static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t		  when = (time_t)seconds;

	if (seconds > INT64_MAX || gmtime_r(&when, tm) == NULL) {
		text_put(t, "%llu", (unsigned long long)seconds);
		return false;
	}
	text_put(t, "%s %s %2d", days[tm->tm_wday], months[tm->tm_mon], tm->tm_mday);
	return true;
}

void text_time(struct text *t, uint64_t seconds)
{
	struct tm tm;

	if (text_day(t, seconds, &tm))
		text_put(t, " %02d:%02d:%02d %lld", tm.tm_hour, tm.tm_min, tm.tm_sec,
			 tm.tm_year + 1900LL);
}
