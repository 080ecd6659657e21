/* The table first, as zpool status has it, then what was found, then one line that says it all. */
#include "cmd/poolcheck/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/size.h"
#include "cmd/table.h"
#include "core/base/mem.h"

enum { NAME_TEXT = 4096 };

void report_fini(struct report *r)
{
	for (size_t i = 0; i < r->count; i++) {
		free(r->lines[i].where);
		free(r->lines[i].text);
	}
	free(r->lines);
}

void report_finding(void *report, const struct finding *f)
{
	struct report	  *r = report;
	bool		   note = finding_severity(f->code) == FINDING_SEVERITY_NOTE;
	struct report_line line = { .code = f->code };

	if (note && r->cli->verbose <= 0)
		return;
	if (r->count == REPORT_FINDINGS_MAX ||
	    mem_grow(&r->lines, &r->cap, r->count + 1, sizeof *r->lines, NULL) < 0) {
		r->unlisted++;
		return;
	}
	line.where = mem_copy_text(f->where, strlen(f->where), NULL);
	line.text = mem_copy_text(f->text, strlen(f->text), NULL);
	if (line.where == NULL || line.text == NULL) {
		free(line.where);
		free(line.text);
		r->unlisted++;
		return;
	}
	r->lines[r->count++] = line;
}

static int print_row(struct table *t, const char *name, const char *state,
		     const struct check_device *d, struct err *e)
{
	char read[24], cksum[24];

	snprintf(read, sizeof read, "%" PRIu64, d->read);
	snprintf(cksum, sizeof cksum, "%" PRIu64, d->cksum);
	return table_row(t, (const char *const[]){ name, state, read, "0", cksum }, e);
}

static int print_devices(struct table *t, struct pool *p, const struct check_result *result,
			 struct err *e)
{
	struct vdev_tree   *vdevs = pool_vdevs(p);
	struct check_device all = { 0 };
	char		    name[NAME_TEXT];
	struct text	    text = text_in(name, sizeof name);
	bool		    missing = false;

	for (unsigned i = 0; i < result->device_count; i++) {
		all.read += result->devices[i].read;
		all.cksum += result->devices[i].cksum;
		missing |= vdev_leaf_dev(vdevs, i) == NULL;
	}
	text_name(&text, pool_name(p), strlen(pool_name(p)));
	if (print_row(t, name, missing ? "DEGRADED" : "ONLINE", &all, e) < 0)
		return -1;
	for (unsigned i = 0; i < result->device_count; i++) {
		const struct dev *d = vdev_leaf_dev(vdevs, i);

		text = text_in(name, sizeof name);
		if (d != NULL) {
			text_put(&text, "  ");
			text_name(&text, d->name, strlen(d->name));
		} else {
			text_put(&text, "  %" PRIu64, vdev_leaf_guid(vdevs, i));
		}
		if (print_row(t, name, d != NULL ? "ONLINE" : "UNAVAIL", &result->devices[i],
			      e) < 0)
			return -1;
	}
	return 0;
}

static int print_table(const struct report *r, struct pool *p, const struct check_result *result,
		       struct err *e)
{
	static const struct table_column columns[] = {
		{ "NAME", false }, { "STATE", false }, { "READ", true },
		{ "WRITE", true }, { "CKSUM", true },
	};
	struct table t;
	int	     rc;

	table_begin(&t, stdout, r->cli->tabs, columns, sizeof columns / sizeof columns[0]);
	rc = print_devices(&t, p, result, e);
	table_end(&t);
	return rc;
}

static void print_findings(const struct report *r)
{
	if (r->count > 0 && !r->cli->tabs)
		putchar('\n');
	for (size_t i = 0; i < r->count; i++) {
		const struct report_line *l = &r->lines[i];

		printf(r->cli->tabs ? "%s\t%s\t%s\t%s\n" : "%s: %s: %s: %s\n",
		       finding_severity_name(finding_severity(l->code)), finding_name(l->code),
		       l->where, l->text);
	}
	if (r->unlisted > 0)
		printf("and %" PRIu64 " more\n", r->unlisted);
	if (!r->cli->tabs)
		putchar('\n');
}

static void put_count(struct text *t, uint64_t n, const char *what)
{
	text_put(t, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

/* "clean", or how much was found. */
static void put_judgement(struct text *t, const struct check_result *result, bool whole)
{
	if (result->errors > 0)
		put_count(t, result->errors, "error");
	else
		text_put(t, "%s", result->unchecked > 0 || !whole ? "no error" : "clean");
	if (result->lost > 0) {
		text_put(t, ", ");
		put_count(t, result->lost, "block");
		text_put(t, " lost");
	}
	if (result->damaged > 0) {
		text_put(t, ", ");
		put_count(t, result->damaged, "block");
		text_put(t, " with another good copy");
	}
	if (result->unchecked > 0)
		text_put(t, ", not everything could be checked");
	if (!whole)
		text_put(t, ", interrupted");
}

static void print_verdict(const struct report *r, struct pool *p, const struct check_result *result,
			  bool whole)
{
	char	    line[NAME_TEXT], read[SIZE_TEXT], allocated[SIZE_TEXT];
	struct text t = text_in(line, sizeof line);

	text_name(&t, pool_name(p), strlen(pool_name(p)));
	text_put(&t, ": ");
	put_judgement(&t, result, whole);
	text_put(&t, ": ");
	put_count(&t, result->blocks, "block");
	text_put(&t, ", %" PRIu64 " copies, %s read", result->copies,
		 size_text(result->bytes, r->cli->exact, read));
	if (result->space_compared)
		text_put(&t, ", %s allocated",
			 size_text(result->allocated, r->cli->exact, allocated));
	puts(line);
}

int report_print(struct report *r, struct pool *p, const struct check_result *result, bool whole,
		 struct err *e)
{
	if (r->cli->verbose >= 0) {
		if (print_table(r, p, result, e) < 0)
			return -1;
		print_findings(r);
	}
	print_verdict(r, p, result, whole);
	return 0;
}
