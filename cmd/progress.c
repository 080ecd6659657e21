/* The progress line. */
#include "cmd/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cmd/size.h"

enum { TERMINAL_MS = 200, PLAIN_MS = 5000, FIRST_MS = 500 };

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_begin(struct progress *p, const char *what, uint64_t total, bool asked)
{
	bool terminal = isatty(STDERR_FILENO) != 0;

	*p = (struct progress){ .terminal = terminal, .total = total };
	if (!terminal && !asked)
		return;
	p->what = what;
	p->start_ms = now_ms();
	/* Short runs show nothing on a terminal; who asked for progress gets the first line at
	 * once. */
	p->next_ms = p->start_ms + (asked ? 0 : FIRST_MS);
}

void progress_line(const char *what, uint64_t done, uint64_t total, uint64_t elapsed_ms,
		   char out[PROGRESS_TEXT])
{
	char	 a[SIZE_TEXT], b[SIZE_TEXT], r[SIZE_TEXT];
	double	 rate = elapsed_ms > 0 ? (double)done * 1000.0 / (double)elapsed_ms : 0;
	uint64_t left = total > done && rate >= 1 ? (uint64_t)((double)(total - done) / rate) : 0;

	size_text(done, 0, a);
	size_text((uint64_t)rate, 0, r);
	if (total == 0)
		snprintf(out, PROGRESS_TEXT, "%s %s, %s/s", what, a, r);
	else
		snprintf(out, PROGRESS_TEXT, "%s %s of %s, %s/s, %llu:%02u left", what, a,
			 size_text(total, 0, b), r, (unsigned long long)(left / 60),
			 (unsigned)(left % 60));
}

void progress_at(struct progress *p, uint64_t done)
{
	if (p->what == NULL)
		return;

	uint64_t now = now_ms();
	char	 line[PROGRESS_TEXT];

	if (now < p->next_ms)
		return;
	p->next_ms = now + (p->terminal ? TERMINAL_MS : PLAIN_MS);
	progress_line(p->what, done, p->total, now - p->start_ms, line);
	if (p->terminal)
		fprintf(stderr, "\r%s\033[K", line);
	else
		fprintf(stderr, "%s\n", line);
	p->shown = p->terminal;
}

void progress_hide(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void progress_end(struct progress *p)
{
	progress_hide(p);
	p->what = NULL;
}
