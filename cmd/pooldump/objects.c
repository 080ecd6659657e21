/* The verbs objects, object and block. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/pooldump/run.h"
#include "cmd/size.h"
#include "cmd/table.h"
#include "core/base/mem.h"
#include "core/dump/object.h"
#include "formats/base/limits.h"

static const struct table_column object_columns[] = {
	{ "OBJECT", true }, { "LEVELS", true }, { "IBLOCK", true }, { "DBLOCK", true },
	{ "USED", true },   { "DNODE", true },	{ "SIZE", true },   { "FULL", true },
	{ "TYPE", false },  { "BONUS", false },
};

/* How much of the object's size has blocks, in percent: zdb's %full. Embedded data count as a
 * block. */
static double percent_full(const struct dnode *dn)
{
	double blocks = (double)dn->max_blkid + 1, fill = 0;

	for (unsigned i = 0; i < dn->nblkptr && i < 3; i++)
		fill += dn->bp[i].embedded ? 1 : (double)dn->bp[i].fill;
	return 100 * fill / blocks;
}

static int object_row(struct run *r, struct table *t, uint64_t number, const struct dnode *dn,
		      struct err *e)
{
	char	    cells[8][SIZE_TEXT], bonus[64];
	const char *row[10];
	uint64_t    size;

	if (!mul_ok(dn->max_blkid + 1, dn->block_size, &size))
		size = UINT64_MAX;
	snprintf(cells[0], SIZE_TEXT, "%" PRIu64, number);
	snprintf(cells[1], SIZE_TEXT, "%u", dn->levels);
	size_text(UINT64_C(1) << (dn->indirect_shift & 63), r->cli.exact, cells[2]);
	size_text(dn->block_size, r->cli.exact, cells[3]);
	size_text(dn->used, r->cli.exact, cells[4]);
	size_text(dnode_size(dn), r->cli.exact, cells[5]);
	size_text(size, r->cli.exact, cells[6]);
	snprintf(cells[7], SIZE_TEXT, "%.2f", percent_full(dn));
	if (dn->bonus.n > 0)
		snprintf(bonus, sizeof bonus, "%s", objtype_name(dn->bonus_type));
	else
		snprintf(bonus, sizeof bonus, "-");
	for (unsigned i = 0; i < 8; i++)
		row[i] = cells[i];
	row[8] = objtype_name(dn->type);
	row[9] = bonus;
	return table_row(t, row, e);
}

static int list_objects(struct run *r, struct table *t, struct err *e)
{
	uint64_t   number = 0;
	struct err why;

	for (;;) {
		struct object o;

		if (cli_check_interrupt(e) < 0)
			return -1;
		number++;
		if (objset_next(&r->objset, &number, &why) < 0) {
			if (why.kind == ERR_NOTFOUND)
				return 0;
			run_trouble(r, &why);
			return 0;
		}
		if (object_open(&r->objset, number, &o, &why) < 0) {
			err_in(&why, "object %" PRIu64, number);
			run_trouble(r, &why);
			continue;
		}

		int rc = object_row(r, t, number, &o.dn, e);

		object_close(&o);
		if (rc < 0)
			return -1;
	}
}

int verb_objects(struct run *r, struct err *e)
{
	struct table t;

	if (run_open_place(r, r->cli.args[1], false, e) < 0)
		return -1;
	if (r->place.at && (r->place.path != NULL && r->place.path[0] != '\0'))
		return err_set(e, ERR_USAGE, "'%s' names a file, not a dataset", r->cli.args[1]);
	table_begin(&t, stdout, r->cli.tabs, object_columns,
		    sizeof object_columns / sizeof object_columns[0]);

	int rc = list_objects(r, &t, e);

	table_end(&t);
	return rc;
}

/* "12", "meta", or one of the three accounting objects. */
static int parse_object(const char *word, uint64_t *out, struct err *e)
{
	static const struct {
		const char *name;
		uint64_t    number;
	} special[] = {
		{ "meta", 0 },
		{ "userused", OBJECT_USERUSED },
		{ "groupused", OBJECT_GROUPUSED },
		{ "projectused", OBJECT_PROJECTUSED },
	};

	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (strcmp(word, special[i].name) == 0) {
			*out = special[i].number;
			return 0;
		}
	return parse_number(word, out, e);
}

/* The object that the words name; 0 and *whole when it is the object set itself. */
static int choose_object(struct run *r, uint64_t *number, bool *whole, struct err *e)
{
	bool path = r->place.at && r->place.snapshot == NULL ? true : r->place.path != NULL;

	*whole = false;
	if (r->cli.arg_count > 2) {
		if (path && r->place.path != NULL)
			return err_set(e, ERR_USAGE, "'%s' names a file already: no number",
				       r->cli.args[1]);
		return parse_object(r->cli.args[2], number, e);
	}
	*whole = !path;
	*number = 0;
	if (*whole)
		return 0;
	if (r->zpl == NULL)
		return err_set(e, ERR_UNSUPPORTED, "%s is no file system that could be read",
			       r->dataset.name);
	return zpl_lookup(r->zpl, r->place.path != NULL ? r->place.path : "", number, e);
}

int verb_object(struct run *r, struct err *e)
{
	struct dump   d = run_dump(r);
	struct object o;
	uint64_t      number;
	bool	      whole;

	if (run_open_place(r, r->cli.args[1], false, e) < 0 ||
	    choose_object(r, &number, &whole, e) < 0)
		return -1;
	if (whole)
		return dump_objset(&d, &r->objset, e);
	if (object_open(&r->objset, number, &o, e) < 0)
		return err_in(e, "object %" PRIu64, number);

	int rc = dump_object(&d, r->pool, &o, r->zpl, e);

	object_close(&o);
	return rc;
}

struct range {
	uint64_t vdev, offset, size;
};

/* VDEV:OFFSET:SIZE, the vdev decimal, the others hex, as in a block pointer that pooldump or zdb
 * prints. */
static int parse_range(const char *word, struct range *out, struct err *e)
{
	unsigned long long vdev, offset, size;
	int		   end = 0;

	if (strspn(word, "0123456789abcdefABCDEF:") != strlen(word) || strlen(word) > 50 ||
	    sscanf(word, "%10llu:%16llx:%16llx%n", &vdev, &offset, &size, &end) != 3 ||
	    word[end] != '\0')
		return err_set(e, ERR_USAGE, "'%s' is not VDEV:OFFSET:SIZE", word);
	if (size == 0 || size > BLOCK_MAX || vdev > UINT32_MAX)
		return err_set(e, ERR_USAGE, "'%s': the size must be 1 to %x", word, BLOCK_MAX);
	*out = (struct range){ .vdev = vdev, .offset = offset, .size = size };
	return 0;
}

/* The first way that works; a mirror's other side is worth a try, and a word. */
static int read_range(struct run *r, const struct range *at, uint8_t *buf, struct err *e)
{
	struct vdev_tree *t = pool_vdevs(r->pool);
	unsigned	  ways;

	if (vdev_tree_top(t, (unsigned)at->vdev) == NULL)
		return err_set(e, ERR_NOTFOUND, "there is no vdev %" PRIu64, at->vdev);
	ways = vdev_ways(t, (unsigned)at->vdev);
	for (unsigned way = 0; way < ways; way++) {
		if (vdev_read(t, (unsigned)at->vdev, at->offset, way, buf, (size_t)at->size, e) ==
		    0)
			return 0;
		if (way + 1 < ways)
			run_trouble(r, e);
	}
	return err_in(e, "vdev %" PRIu64 " offset %" PRIx64, at->vdev, at->offset);
}

int verb_block(struct run *r, struct err *e)
{
	struct dump  d = run_dump(r);
	struct range at = { 0 };
	uint8_t	    *buf;

	if (parse_range(r->cli.args[2], &at, e) < 0 ||
	    run_open_place(r, r->cli.args[1], false, e) < 0)
		return -1;
	if (r->place.dataset[0] != '\0')
		return err_set(e, ERR_USAGE, "block wants the pool alone: 'MEMBERS:'");
	buf = mem_raw((size_t)at.size, e);
	if (buf == NULL)
		return -1;

	int rc = read_range(r, &at, buf, e);

	if (rc == 0)
		rc = dump_hex(&d, 0, at.offset, bytes_of(buf, (size_t)at.size, ORDER_NATIVE), e);
	free(buf);
	return rc;
}
