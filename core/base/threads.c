/* A FIFO of jobs and the threads that take from it. Knows nothing of what the jobs do. */
#include "core/base/threads.h"

#include <pthread.h>
#include <stdlib.h>

struct worker {
	struct threads *owner;
	pthread_t	thread;
	void	       *state;
};

struct threads {
	pthread_mutex_t lock;
	pthread_cond_t	queued, done;
	struct job     *first, **last;
	bool		closing;
	void (*state_free)(void *state);
	void	     *own_state; /* the caller's */
	unsigned      worker_count;
	struct worker workers[];
};

/* The next job, taken off the queue; the lock is held. */
static struct job *take(struct threads *t)
{
	struct job *j = t->first;

	if (j == NULL)
		return NULL;
	t->first = j->next;
	if (t->first == NULL)
		t->last = &t->first;
	j->phase = JOB_RUNNING;
	return j;
}

/* Runs a job with the lock given up meanwhile. */
static void run(struct threads *t, struct job *j, void *state)
{
	pthread_mutex_unlock(&t->lock);
	j->fn(j->arg, state);
	pthread_mutex_lock(&t->lock);
	j->phase = JOB_DONE;
	pthread_cond_broadcast(&t->done);
}

static void *work(void *arg)
{
	struct worker  *w = arg;
	struct threads *t = w->owner;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		struct job *j = take(t);

		if (j != NULL)
			run(t, j, w->state);
		else if (t->closing)
			break;
		else
			pthread_cond_wait(&t->queued, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static int start_worker(struct threads *t, const struct threads_options *o, struct err *e)
{
	struct worker *w = &t->workers[t->worker_count];

	w->owner = t;
	w->state = o->state_new(e);
	if (w->state == NULL)
		return -1;

	int rc = pthread_create(&w->thread, NULL, work, w);

	if (rc != 0) {
		t->state_free(w->state);
		return err_errno(e, rc, "start a thread");
	}
	t->worker_count++;
	return 0;
}

int threads_new(const struct threads_options *o, struct threads **out, struct err *e)
{
	unsigned	extra = o->count > 1 ? o->count - 1 : 0;
	struct threads *t = calloc(1, sizeof *t + extra * sizeof t->workers[0]);

	if (t == NULL)
		return err_nomem(e);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->queued, NULL);
	pthread_cond_init(&t->done, NULL);
	t->last = &t->first;
	t->state_free = o->state_free;
	t->own_state = o->state_new(e);
	if (t->own_state == NULL)
		goto fail;
	for (unsigned i = 0; i < extra; i++) {
		if (start_worker(t, o, e) < 0)
			goto fail;
	}
	*out = t;
	return 0;
fail:
	threads_free(t);
	return -1;
}

void threads_free(struct threads *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	t->closing = true;
	pthread_cond_broadcast(&t->queued);
	pthread_mutex_unlock(&t->lock);
	for (unsigned i = 0; i < t->worker_count; i++) {
		pthread_join(t->workers[i].thread, NULL);
		t->state_free(t->workers[i].state);
	}
	if (t->own_state != NULL)
		t->state_free(t->own_state);
	pthread_cond_destroy(&t->queued);
	pthread_cond_destroy(&t->done);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void job_start(struct threads *t, struct job *j, job_fn *fn, void *arg)
{
	*j = (struct job){ .fn = fn, .arg = arg, .phase = JOB_QUEUED };
	if (t->worker_count == 0) {
		fn(arg, t->own_state);
		j->phase = JOB_DONE;
		return;
	}
	pthread_mutex_lock(&t->lock);
	*t->last = j;
	t->last = &j->next;
	pthread_cond_signal(&t->queued);
	pthread_mutex_unlock(&t->lock);
}

void job_wait(struct threads *t, struct job *j)
{
	pthread_mutex_lock(&t->lock);
	while (j->phase == JOB_QUEUED || j->phase == JOB_RUNNING) {
		struct job *other = take(t);

		if (other != NULL)
			run(t, other, t->own_state);
		else
			pthread_cond_wait(&t->done, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	j->phase = JOB_IDLE;
}
