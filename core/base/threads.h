/*
 * Threads that do pure work. Jobs are taken in the order they were given; whoever waits for one
 * helps with the queue instead of sleeping. With one thread everything runs in the caller, through
 * the same calls, at the same points of the program.
 */
#ifndef CORE_BASE_THREADS_H
#define CORE_BASE_THREADS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/base/err.h"

/* `state` belongs to the thread that runs the job: codec states and the like. */
typedef void job_fn(void *arg, void *state);

/* In the caller's memory; may be given again after job_wait. */
struct job {
	job_fn	   *fn;
	void	   *arg;
	struct job *next;
	enum { JOB_IDLE, JOB_QUEUED, JOB_RUNNING, JOB_DONE } phase;
};

struct threads;

struct threads_options {
	unsigned count; /* threads that work, the caller among them; at least 1 */
	void *(*state_new)(struct err *e);
	void (*state_free)(void *state);
};
int  threads_new(const struct threads_options *o, struct threads **out, struct err *e) MUST_CHECK;
void threads_free(struct threads *t); /* every job must have been waited for */

void job_start(struct threads *t, struct job *j, job_fn *fn, void *arg);
/* Returns when the job is done (at once for one that was never started). Only the thread that made
 * `t` may start and wait. */
void job_wait(struct threads *t, struct job *j);

#endif
