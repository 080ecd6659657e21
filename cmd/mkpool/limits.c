/*
 * Quotas and reservations, checked when everything is written: a quota smaller than the contents
 * could not have come about with zfs.
 * Source: OpenZFS dsl_dir.c (dsl_dir_set_quota_check, dsl_dir_set_reservation_check,
 * dsl_dir_space_available), dsl_dataset.c (dsl_dataset_set_refquota_check, dsl_dataset_space),
 * libzfs_dataset.c (zfs_setprop_error).
 */
#include "cmd/mkpool/limits.h"

#include "core/pool/sizing.h"
#include "formats/base/limits.h"

static uint64_t number(const struct made_dataset *m, enum property id)
{
	return dsl_props_number(m->plan->props, id);
}

static int refuse(const struct made_dataset *m, enum property id, enum err_kind kind,
		  const char *why, struct err *e)
{
	char	    value[64];
	struct text t = text_in(value, sizeof value);

	property_print(&property_table[id], number(m, id), NULL, false, &t);
	return err_set(e, kind, "%s: %s=%s: %s", m->plan->name, property_table[id].name, value,
		       why);
}

/* `there`: bytes that it limits; `least`: those that are reserved, whether used or not. */
static int check_quota(const struct made_dataset *m, enum property id, uint64_t there,
		       uint64_t least, struct err *e)
{
	uint64_t quota = number(m, id);

	if (quota == 0 || quota >= max64(there, least))
		return 0;
	return refuse(m, id, ERR_REFUSED, "size is less than current used or reserved space", e);
}

static int check_one(const struct made_dataset *m, struct err *e)
{
	struct dataset_cost c;

	if (dataset_write_cost(m->d, &c, e) < 0)
		return -1;
	if (m->plan->volume)
		return 0;
	if (check_quota(m, PROP_REFQUOTA, c.referenced, number(m, PROP_REFRESERVATION), e) < 0)
		return -1;
	return check_quota(m, PROP_QUOTA, c.used, number(m, PROP_RESERVATION), e);
}

int limits_check(const struct datasets *s, struct err *e)
{
	const struct made_dataset *root = &s->list[0];
	struct dataset_cost	   c;
	uint64_t		   ref = number(root, PROP_REFRESERVATION);

	for (size_t i = 0; i < s->count; i++) {
		if (check_one(&s->list[i], e) < 0)
			return -1;
	}
	if (dataset_write_cost(root->d, &c, e) < 0)
		return -1;
	/* The root's refreservation is used up, but for the root to fill. */
	pool_tx_set_room(s->tx, ref - min64(ref, c.unique), number(root, PROP_RESERVATION));
	return 0;
}

/* Everything reserved is used, so much must be there. */
static int check_reservations(const struct datasets *s, const struct pool_made *made, struct err *e)
{
	uint64_t room = sizing_avail(made->size, 0, made->metaslab_shift);
	/* The root's own costs nobody anything but must be there, too. */
	uint64_t used = max64(made->used, number(&s->list[0], PROP_RESERVATION));

	for (size_t i = 0; used > room && i < s->count; i++) {
		struct dataset_cost c;
		enum property	    id = PROP_RESERVATION;

		if (dataset_write_cost(s->list[i].d, &c, e) < 0)
			return -1;
		if (c.set_aside == 0)
			continue;
		if (number(&s->list[i], PROP_REFRESERVATION) > c.unique)
			id = PROP_REFRESERVATION;
		return refuse(&s->list[i], id, ERR_NOSPACE,
			      "size is greater than available space", e);
	}
	return 0;
}

int limits_check_made(const struct datasets *s, struct pool_made *made, struct err *e)
{
	const struct made_dataset *root = &s->list[0];
	struct dataset_cost	   c;
	uint64_t		   quota = number(root, PROP_QUOTA);
	uint64_t		   ref = number(root, PROP_REFQUOTA);
	uint64_t		   room = made->avail - made->own;

	if (check_quota(root, PROP_QUOTA, made->used, 0, e) < 0 ||
	    check_reservations(s, made, e) < 0 || dataset_write_cost(root->d, &c, e) < 0)
		return -1;
	if (quota != 0)
		room = min64(room, quota - made->used);
	made->avail = room + made->own;
	if (ref != 0)
		made->avail = min64(made->avail, ref - c.referenced);
	return 0;
}
