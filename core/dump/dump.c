/* Lines out, damage aside. */
#include "core/dump/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "formats/base/limits.h"

enum { LINE_MAX_SIZE = 64 << 10, DESCRIBE_FIRST = 16 << 10, DESCRIBE_MAX = 64 << 20 };

static int put(struct dump *d, const char *text, size_t n, struct err *e)
{
	if (d->put(d->ctx, text, n, e) == 0)
		return 0;
	d->stopped = true;
	return -1;
}

int dump_line(struct dump *d, struct err *e, const char *fmt, ...)
{
	char	line[1024], *p = line;
	va_list ap;

	va_start(ap, fmt);

	int n = vsnprintf(line, sizeof line - 1, fmt, ap);

	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof line - 1) {
		n = n < LINE_MAX_SIZE ? n : LINE_MAX_SIZE;
		p = mem_raw((size_t)n + 2, e);
		if (p == NULL)
			return -1;
		va_start(ap, fmt);
		vsnprintf(p, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	p[n] = '\n';

	int rc = put(d, p, (size_t)n + 1, e);

	if (p != line)
		free(p);
	return rc;
}

int dump_lines(struct dump *d, unsigned indent, const char *text, struct err *e)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t";

	while (*text != '\0') {
		size_t n = strcspn(text, "\n");

		if (put(d, tabs, indent < 8 ? indent : 8, e) < 0 || put(d, text, n, e) < 0 ||
		    put(d, "\n", 1, e) < 0)
			return -1;
		text += n + (text[n] == '\n');
	}
	return 0;
}

int dump_described(struct dump *d, unsigned indent, dump_describe_fn *fn, const void *what,
		   struct err *e)
{
	for (size_t cap = DESCRIBE_FIRST; cap <= DESCRIBE_MAX; cap *= 8) {
		char *buf = mem_raw(cap, e);

		if (buf == NULL)
			return -1;

		struct text t = text_in(buf, cap);
		int	    rc = 1;

		fn(what, &t);
		if (!t.cut)
			rc = dump_lines(d, indent, buf, e);
		free(buf);
		if (rc <= 0)
			return rc;
	}
	return err_set(e, ERR_NOMEM, "its description is over %d MiB long", DESCRIBE_MAX >> 20);
}

static void describe_nvlist(const void *what, struct text *t)
{
	nvlist_describe(what, 0, t);
}

int dump_nvlist(struct dump *d, unsigned indent, const struct nvlist *l, struct err *e)
{
	return dump_described(d, indent, describe_nvlist, l, e);
}

int dump_hex(struct dump *d, unsigned indent, uint64_t at, struct bytes in, struct err *e)
{
	for (size_t i = 0; i < in.n; i += 16) {
		char	    line[128];
		struct text t = text_in(line, sizeof line);

		text_put(&t, "%012llx ", (unsigned long long)(at + i));
		for (size_t k = i; k < i + 16; k++) {
			if (k % 8 == 0)
				text_put(&t, " ");
			if (k < in.n)
				text_put(&t, "%02x ", in.p[k]);
			else
				text_put(&t, "   ");
		}
		text_put(&t, " ");
		for (size_t k = i; k < i + 16 && k < in.n; k++)
			text_put(&t, "%c", in.p[k] >= 0x20 && in.p[k] < 0x7f ? in.p[k] : '.');
		if (dump_lines(d, indent, line, e) < 0)
			return -1;
	}
	return 0;
}

int dump_go_on(struct dump *d, int rc, const struct err *why, struct err *e)
{
	if (rc == 0)
		return 0;
	if (d->stopped) {
		if (e != NULL && e != why)
			*e = *why;
		return -1;
	}
	d->trouble(d->ctx, why);
	return 0;
}
