/* Clauses of a symbolic mode, one after the other. No umask: it is the caller's machine's. */
#include "cmd/chmode.h"

#include <stdlib.h>
#include <string.h>

enum {
	USER = 04700,
	GROUP = 02070,
	OTHER = 01007,
	ALL = USER | GROUP | OTHER,
};

static bool is_octal(const char *word)
{
	size_t n = strlen(word);

	return n > 0 && n <= 5 && strspn(word, "01234567") == n && strtoul(word, NULL, 8) <= 07777;
}

/* The bits of one clause's letters, before who they are for. */
static uint32_t letter_bits(char c, uint32_t mode, bool dir)
{
	switch (c) {
	case 'r':
		return 0444;
	case 'w':
		return 0222;
	case 'x':
		return 0111;
	case 'X':
		return dir || mode & 0111 ? 0111 : 0;
	case 's':
		return 06000;
	default:
		return 01000;
	}
}

static uint32_t who_bits(const char **p)
{
	uint32_t who = 0;

	for (; **p != '\0' && strchr("ugoa", **p) != NULL; (*p)++)
		who |= **p == 'u' ? USER : **p == 'g' ? GROUP : **p == 'o' ? OTHER : ALL;
	return who != 0 ? who : ALL;
}

/* One action, "+rw", for these. */
static uint32_t act(const char **p, uint32_t who, uint32_t mode, bool dir)
{
	char	 how = *(*p)++;
	uint32_t bits = 0;

	for (; **p != '\0' && strchr("rwxXst", **p) != NULL; (*p)++)
		bits |= letter_bits(**p, mode, dir);
	bits &= who;
	if (how == '-')
		return mode & ~bits;
	/* A directory's set-id bits stay unless they are named, as with GNU chmod. */
	if (how == '=')
		mode &= ~(dir ? who & 01777 : who);
	return mode | bits;
}

uint32_t chmode_apply(const char *word, uint32_t mode, bool dir)
{
	const char *p = word;

	if (is_octal(word))
		return (uint32_t)strtoul(word, NULL, 8);
	while (*p != '\0') {
		uint32_t who = who_bits(&p);

		while (*p != '\0' && *p != ',')
			mode = act(&p, who, mode, dir);
		p += *p == ',';
	}
	return mode;
}

int chmode_check(const char *word, struct err *e)
{
	const char *p = word;

	if (is_octal(word))
		return 0;
	do {
		p += strspn(p, "ugoa");
		if (*p == '\0' || strchr("+-=", *p) == NULL)
			break;
		while (*p != '\0' && strchr("+-=", *p) != NULL)
			p += 1 + strspn(p + 1, "rwxXst");
		if (*p == '\0')
			return 0;
	} while (*p++ == ',');
	return err_set(e, ERR_USAGE, "'%s' is no mode: 0644, or u+rwX,go-w as chmod takes it",
		       word);
}
