/* mkpool's command line as a struct. */
#ifndef CMD_MKPOOL_OPTIONS_H
#define CMD_MKPOOL_OPTIONS_H

#include "cmd/cli.h"
#include "cmd/edit.h"
#include "cmd/mkpool/plan.h"
#include "cmd/mkpool/props.h"
#include "core/pool/tx.h"

/* -d, -c, -V or -S, as it was given. */
struct ordered {
	int	    id;
	const char *word;
	const char *file; /* of -F; NULL: the command line */
	unsigned    line;
};

struct options {
	struct cli   cli;
	struct props props;
	struct edit  edit;

	const char	*pool; /* argv's */
	char		*path; /* of the member */
	bool		 size_given;
	struct pool_size size;
	struct plan	 plan;
	struct ordered	*ordered; /* words whose order counts, until the plan is made of them */
	size_t		 ordered_count, ordered_cap;
	const char	*file; /* while one is read */
	unsigned	 line;
	char	       **files; /* texts of -F, which words point into */
	size_t		 file_count, file_cap;

	const char *vdev_type;
	char	    seed[256];
	bool	    seed_given, time_given;
	uint64_t    time;
	uint32_t    root_mode;
	uint64_t    root_uid, root_gid;
	bool	    dry_run, force, layers, verify;
};

/* ERR_USAGE for what is no use, before anything is touched. options_fini in any case. */
int  options_parse(struct options *o, int argc, char **argv, struct err *e) MUST_CHECK;
void options_fini(struct options *o);

/*
 * history.c. The line that the pool's history keeps: what makes a difference to the pool, in one
 * order, without host paths. New memory, NULL with ERR_NOMEM.
 */
char *options_history(const struct options *o, struct err *e);

#endif
