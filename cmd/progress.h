/*
 * The progress line on standard error: bytes, rate, remaining time. On a terminal it is one line
 * written over and over; elsewhere (only when asked for) one line every few seconds. To be used
 * from one thread.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *what; /* NULL: not running */
	bool	    terminal, shown;
	uint64_t    total; /* 0: not known */
	uint64_t    start_ms, next_ms;
};

/* Starts when standard error is a terminal, or `asked`. `what` is borrowed: "reading". */
void progress_begin(struct progress *p, const char *what, uint64_t total, bool asked);

/* As often as one likes: the clock decides whether anything is printed. */
void progress_at(struct progress *p, uint64_t done);

/* Takes the line away (before a message); the end. Both may be called when nothing runs. */
void progress_hide(struct progress *p);
void progress_end(struct progress *p);

/* The line itself: "reading 1.50G of 3G, 120M/s, 0:13 left". */
enum { PROGRESS_TEXT = 128 };
void progress_line(const char *what, uint64_t done, uint64_t total, uint64_t elapsed_ms,
		   char out[PROGRESS_TEXT]);

#endif
