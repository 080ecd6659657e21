/* Datasets come to be, are opened and closed again around snapshots, and end together. */
#include "cmd/mkpool/datasets.h"

#include <stdlib.h>

#include "cmd/mkpool/raw.h"
#include "core/base/mem.h"

int datasets_begin(struct datasets *s, const struct options *o, struct pool_tx *tx, struct err *e)
{
	*s = (struct datasets){ .o = o, .tx = tx, .count = o->plan.dataset_count };
	s->list = mem_array(s->count, sizeof s->list[0], e);
	if (s->list == NULL)
		return -1;
	for (size_t i = 0; i < s->count; i++)
		s->list[i] = (struct made_dataset){ .plan = &o->plan.datasets[i] };
	return dsl_write_new(tx, &s->w, e);
}

/* Which of several it was. */
static int located(const struct datasets *s, size_t index, struct err *e)
{
	return s->count > 1 ? err_in(e, "%s", s->list[index].plan->name) : -1;
}

int datasets_create(struct datasets *s, size_t index, struct err *e)
{
	struct made_dataset *m = &s->list[index];
	struct dataset_spec  spec;

	if (props_spec(m->plan->props, m->plan->name, s->tx, &spec, e) < 0)
		return located(s, index, e);
	if (dataset_write_create(s->w, &spec, &m->d, e) < 0)
		return -1;
	return m->plan->volume ? raw_write(s->o, m->plan, m->d, e) : 0;
}

static struct zpl_written sum(struct zpl_written a, struct zpl_written b)
{
	return (struct zpl_written){ .files = a.files + b.files,
				     .directories = a.directories + b.directories,
				     .symlinks = a.symlinks + b.symlinks,
				     .hard_links = a.hard_links + b.hard_links,
				     .bytes = a.bytes + b.bytes,
				     .newest = a.newest > b.newest ? a.newest : b.newest };
}

struct zpl_written datasets_written(const struct datasets *s, size_t index)
{
	struct zpl_written w = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		const struct made_dataset *m = &s->list[i];

		if (index != SIZE_MAX && index != i)
			continue;
		w = sum(w, m->written);
		if (m->z != NULL)
			w = sum(w, zpl_write_counts(m->z));
	}
	return w;
}

int datasets_open(struct datasets *s, size_t index, struct err *e)
{
	struct made_dataset	*m = &s->list[index];
	const struct options	*o = s->o;
	struct zpl_write_options z = {
		.time_given = o->time_given,
		.time = o->time,
		.root_mode = o->root_mode,
		.root_uid = o->root_uid,
		.root_gid = o->root_gid,
	};

	if (m->z != NULL)
		return 0;
	if (!o->time_given)
		z.time = (uint64_t)datasets_written(s, SIZE_MAX).newest;
	props_files(m->plan->props, &z);
	if ((m->holds ? zpl_write_open(m->d, &z, &m->z, e)
		      : zpl_write_create(m->d, &z, &m->z, e)) < 0 ||
	    (!m->holds && props_quotas(m->plan->props, m->z, e) < 0))
		return located(s, index, e);
	m->layers.z = m->z;
	return 0;
}

/* Everything of the file system is written; even an empty one has something. */
static int close_files(struct datasets *s, size_t index, struct err *e)
{
	struct made_dataset *m = &s->list[index];
	struct entry_sink    sink;

	if (m->plan->volume || (m->z == NULL && m->holds))
		return 0;
	if (datasets_open(s, index, e) < 0)
		return -1;
	sink = zpl_write_sink(m->z);
	if (sink.finish(sink.self, e) < 0)
		return located(s, index, e);
	m->written = sum(m->written, zpl_write_counts(m->z));
	layers_fini(&m->layers);
	zpl_write_free(m->z);
	m->z = NULL;
	m->holds = true;
	return 0;
}

int datasets_snapshot(struct datasets *s, size_t index, const char *name, struct err *e)
{
	struct made_dataset *m = &s->list[index];

	if (close_files(s, index, e) < 0)
		return -1;
	return dataset_write_snapshot(m->d, name, NULL, 0, e);
}

int datasets_finish(struct datasets *s, uint64_t *used, struct err *e)
{
	for (size_t i = 0; i < s->count; i++) {
		if (close_files(s, i, e) < 0)
			return -1;
	}

	int64_t newest = datasets_written(s, SIZE_MAX).newest;

	/* The pool's time is what was asked for, else that of the newest thing in it. */
	if (!s->o->time_given)
		pool_tx_set_time(s->tx, newest < 0 ? 0 : (uint64_t)newest);
	for (size_t i = 0; i < s->count; i++) {
		if (dataset_write_finish(s->list[i].d, e) < 0)
			return located(s, i, e);
	}
	return dsl_write_finish(s->w, used, e);
}

void datasets_stop(struct datasets *s)
{
	for (size_t i = 0; s->list != NULL && i < s->count; i++) {
		layers_fini(&s->list[i].layers);
		zpl_write_free(s->list[i].z);
		s->list[i].z = NULL;
	}
}

void datasets_fini(struct datasets *s)
{
	dsl_write_free(s->w);
	free(s->list);
}
