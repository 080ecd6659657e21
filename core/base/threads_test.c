#include <criterion/criterion.h>
#include <stdlib.h>

#include "core/base/threads.h"

static void *state_new(struct err *e)
{
	(void)e;
	return calloc(1, sizeof(int));
}

static void add_one(void *arg, void *state)
{
	int *n = arg;

	++*n;
	++*(int *)state;
}

static void run_many(unsigned threads)
{
	struct threads *t;
	struct job	jobs[100] = { 0 };
	int		counts[100] = { 0 };

	cr_assert_eq(threads_new(&(struct threads_options){ threads, state_new, free }, &t, NULL),
		     0);
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 100; i++)
			job_start(t, &jobs[i], add_one, &counts[i]);
		for (int i = 99; i >= 0; i--)
			job_wait(t, &jobs[i]);
	}
	threads_free(t);
	for (int i = 0; i < 100; i++)
		cr_assert_eq(counts[i], 20);
}

Test(threads, every_job_runs_once_with_one_thread_or_many)
{
	run_many(1);
	run_many(2);
	run_many(8);
}

Test(threads, waiting_for_a_job_never_started_returns)
{
	struct threads *t;
	struct job	j = { 0 };

	cr_assert_eq(threads_new(&(struct threads_options){ 2, state_new, free }, &t, NULL), 0);
	job_wait(t, &j);
	threads_free(t);
}

static void *no_state(struct err *e)
{
	err_nomem(e);
	return NULL;
}

Test(threads, a_state_that_cannot_be_made_is_an_error)
{
	struct threads *t = NULL;
	struct err	e;

	cr_assert_eq(threads_new(&(struct threads_options){ 3, no_state, free }, &t, &e), -1);
	cr_assert_eq(e.kind, ERR_NOMEM);
}
