/* Opens the new pool as any reader does, and checks all of it. */
#include "cmd/mkpool/verify.h"

#include <stdlib.h>

#include "core/check/check.h"

enum { SAID_MAX = 20 }; /* findings told one by one */

struct verification {
	struct options *o;
	uint64_t	said;
};

static void on_finding(void *ctx, const struct finding *f)
{
	struct verification *v = ctx;

	if (finding_severity(f->code) == FINDING_SEVERITY_NOTE || v->said++ >= SAID_MAX)
		return;
	cli_say(&v->o->cli, "verify: %s: %s: %s", f->where, finding_name(f->code), f->text);
}

static int tick(void *ctx, uint64_t bytes, struct err *e)
{
	struct verification *v = ctx;

	progress_at(&v->o->cli.progress, bytes);
	return cli_check_interrupt(e);
}

static int check(struct options *o, struct pool *pool, struct err *e)
{
	struct verification  v = { .o = o };
	struct check_options how = { .pool = pool,
				     .threads = o->cli.threads,
				     .on_finding = on_finding,
				     .tick = tick,
				     .ctx = &v };
	struct check_result  result = { 0 };
	int		     rc;

	progress_begin(&o->cli.progress, "verifying", 0, o->cli.progress_given);
	rc = check_pool(&how, &result, e);
	progress_end(&o->cli.progress);
	free(result.devices);
	if (rc < 0)
		return -1;
	if (result.errors + result.unchecked > 0)
		return err_set(e, ERR_CORRUPT,
			       "%llu faults in what was written: nothing of it is left",
			       (unsigned long long)(result.errors + result.unchecked));
	return 0;
}

int verify(struct options *o, struct dev *dev, struct err *e)
{
	struct pool_options how = { .mode = DEV_READ };
	struct pool	   *pool;
	struct dev	   *again;
	int		    rc;

	if (dev_borrow_new(dev, &again, e) < 0)
		return -1;
	if (pool_open_devs(&again, 1, &how, &pool, e) < 0)
		return err_in(e, "verify");
	rc = check(o, pool, e);
	pool_close(pool);
	return rc < 0 ? err_in(e, "verify") : 0;
}
