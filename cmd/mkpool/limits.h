/* Quotas and reservations against what is there: what zfs refuses to set is not made. */
#ifndef CMD_MKPOOL_LIMITS_H
#define CMD_MKPOOL_LIMITS_H

#include "cmd/mkpool/datasets.h"

/* After datasets_finish, before the commit. ERR_REFUSED names dataset and property. */
int limits_check(const struct datasets *s, struct err *e) MUST_CHECK;

/*
 * After the commit, when the pool's size is known: the root's quota, and whether the pool holds
 * what is reserved (ERR_NOSPACE). made->avail becomes what the root dataset shows.
 */
int limits_check_made(const struct datasets *s, struct pool_made *made, struct err *e) MUST_CHECK;

#endif
