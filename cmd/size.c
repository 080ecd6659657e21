/* Numbers and sizes: text to bytes and back. */
#include "cmd/size.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/limits.h"

static const char units[] = "BKMGTPE";

static int digit_value(char ch, unsigned base)
{
	int v = ch >= '0' && ch <= '9'	 ? ch - '0'
		: ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
		: ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
					 : -1;

	return v < (int)base ? v : -1;
}

/* Reads digits up to the first that is none; false when there is none or they overflow. */
static bool read_digits(const char **at, unsigned base, uint64_t *out)
{
	const char *p = *at;
	uint64_t    v = 0;
	int	    d;

	for (; (d = digit_value(*p, base)) >= 0; p++)
		if (!mul_ok(v, base, &v) || !add_ok(v, (uint64_t)d, &v))
			return false;
	if (p == *at)
		return false;
	*at = p;
	*out = v;
	return true;
}

int parse_number(const char *word, uint64_t *out, struct err *e)
{
	bool	    hex = word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
	const char *p = hex ? word + 2 : word;
	uint64_t    v;

	if (!read_digits(&p, hex ? 16 : 10, &v) || *p != '\0')
		return err_set(e, ERR_USAGE, "'%s' is no number", word);
	*out = v;
	return 0;
}

/* "K", "KB", "KiB", "B", "": the power of 1024, or -1. */
static int read_suffix(const char *p)
{
	if (*p == '\0')
		return 0;

	const char *u = strchr(units, toupper((unsigned char)*p));

	if (u == NULL)
		return -1;

	int	    power = (int)(u - units);
	const char *rest = p + 1;

	if (power > 0 && (*rest == 'i' || *rest == 'I') && rest[1] != '\0')
		rest++;
	if (power > 0 && (*rest == 'b' || *rest == 'B'))
		rest++;
	return *rest == '\0' ? power : -1;
}

/* The digits after the point, as a share of `unit`. Digits past the 18th change no byte worth
 * having. */
static uint64_t read_fraction(const char **at, uint64_t unit)
{
	uint64_t digits = 0, scale = 1;

	for (int n = 0; **at >= '0' && **at <= '9'; (*at)++, n++)
		if (n < 18) {
			digits = digits * 10 + (uint64_t)(**at - '0');
			scale *= 10;
		}
	return (uint64_t)((unsigned __int128)digits * unit / scale);
}

int parse_size(const char *word, uint64_t *out, struct err *e)
{
	const char *p = word;
	uint64_t    whole, bytes;

	if (!read_digits(&p, 10, &whole))
		return err_set(e, ERR_USAGE, "'%s' is no size", word);

	const char *point = *p == '.' ? p + 1 : NULL;
	const char *suffix = point != NULL ? point + strspn(point, "0123456789") : p;
	int	    power = read_suffix(suffix);

	if (power < 0 || (point != NULL && (point == suffix || power == 0)))
		return err_set(e, ERR_USAGE, "'%s' is no size", word);

	uint64_t unit = UINT64_C(1) << 10 * power;

	if (!mul_ok(whole, unit, &bytes) ||
	    (point != NULL && !add_ok(bytes, read_fraction(&point, unit), &bytes)))
		return err_set(e, ERR_USAGE, "'%s' is too large", word);
	*out = bytes;
	return 0;
}

/* As OpenZFS's zfs_nicenum_format does: whole units plain, others with as many of two decimals as
 * keep five characters. */
const char *size_text(uint64_t bytes, int exact, char out[SIZE_TEXT])
{
	unsigned power = 0;

	if (exact) {
		snprintf(out, SIZE_TEXT, "%llu", (unsigned long long)bytes);
		return out;
	}
	while (power < sizeof units - 2 && bytes >> 10 * power >= 1024)
		power++;

	uint64_t unit = UINT64_C(1) << 10 * power;

	if (bytes % unit == 0) {
		snprintf(out, SIZE_TEXT, "%llu%c", (unsigned long long)(bytes / unit),
			 units[power]);
		return out;
	}
	for (int decimals = 2; decimals >= 0; decimals--)
		if (snprintf(out, SIZE_TEXT, "%.*f%c", decimals, (double)bytes / (double)unit,
			     units[power]) <= 5)
			break;
	return out;
}
