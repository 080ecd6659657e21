/* For tests: what a check of the rig's pool finds, as lines of text. */
#ifndef CORE_CHECK_CHECK_RIG_TEST_H
#define CORE_CHECK_CHECK_RIG_TEST_H

#include "core/check/check.h"
#include "core/zpl/pool_rig_test.h"

enum { LINES_CAP = 1 << 16 };

/* Findings as lines "code where: text". */
struct found {
	char		    text[LINES_CAP];
	size_t		    n;
	struct check_result result;
};

static void add_line(void *ctx, const struct finding *f)
{
	struct found *out = ctx;

	if (finding_severity(f->code) == FINDING_SEVERITY_NOTE || out->n > LINES_CAP - 8192)
		return;
	out->n += (size_t)snprintf(out->text + out->n, LINES_CAP - out->n, "%s %s: %s\n",
				   finding_name(f->code), f->where, f->text);
}

static inline void check(struct rig *r, unsigned threads, struct found *out)
{
	struct dev	    *dev = kept_open(r->disk);
	struct pool_options  o = { .mode = DEV_READ };
	struct check_options how = { .threads = threads, .on_finding = add_line, .ctx = out };
	struct pool	    *p;

	*out = (struct found){ 0 };
	cr_assert_eq(pool_open_devs(&dev, 1, &o, &p, &r->e), 0, "%s", r->e.text);
	how.pool = p;
	cr_assert_eq(check_pool(&how, &out->result, &r->e), 0, "%s", r->e.text);
	free(out->result.devices);
	pool_close(p);
}

/* The same with one thread and with three. */
static inline struct found *check_twice(struct rig *r)
{
	static struct found one, three;

	check(r, 1, &one);
	check(r, 3, &three);
	cr_assert_str_eq(one.text, three.text);
	cr_assert_eq(one.result.copies, three.result.copies);
	return &one;
}

#define cr_assert_clean(r)                                      \
	do {                                                    \
		struct found *f_ = check_twice(r);              \
		cr_assert_str_eq(f_->text, "", "%s", f_->text); \
		cr_assert(f_->result.space_compared);           \
	} while (0)

#define cr_assert_finds(f, line) \
	cr_assert(strstr((f)->text, line) != NULL, "no '%s' in\n%s", line, (f)->text)
#define cr_assert_no_finding(f, line) \
	cr_assert(strstr((f)->text, line) == NULL, "'%s' in\n%s", line, (f)->text)

#endif
