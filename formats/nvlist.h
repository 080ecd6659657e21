/*
 * Name-value lists: parsed from XDR (labels, config objects, history) or native
 * encoding, looked up, built.
 *
 * A parsed list owns all its memory. Parsing is bounded: depth by NVLIST_DEPTH_MAX, everything else
 * by the bytes that are really there. Order of pairs is kept; names may repeat (the first wins).
 * Source: OpenZFS sys/nvpair.h, module/nvpair/nvpair.c (nvs_header_t, nvs_xdr_*).
 */
#ifndef FORMATS_NVLIST_H
#define FORMATS_NVLIST_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"
#include "formats/base/text.h"

enum nv_type { /* sys/nvpair.h, data_type_t */
	NV_BOOLEAN = 1,
	NV_BYTE = 2,
	NV_INT16 = 3,
	NV_UINT16 = 4,
	NV_INT32 = 5,
	NV_UINT32 = 6,
	NV_INT64 = 7,
	NV_UINT64 = 8,
	NV_STRING = 9,
	NV_BYTE_ARRAY = 10,
	NV_INT16_ARRAY = 11,
	NV_UINT16_ARRAY = 12,
	NV_INT32_ARRAY = 13,
	NV_UINT32_ARRAY = 14,
	NV_INT64_ARRAY = 15,
	NV_UINT64_ARRAY = 16,
	NV_STRING_ARRAY = 17,
	NV_HRTIME = 18,
	NV_NVLIST = 19,
	NV_NVLIST_ARRAY = 20,
	NV_BOOLEAN_VALUE = 21,
	NV_INT8 = 22,
	NV_UINT8 = 23,
	NV_BOOLEAN_ARRAY = 24,
	NV_INT8_ARRAY = 25,
	NV_UINT8_ARRAY = 26,
	NV_DOUBLE = 27,
};

struct nvlist;

struct nvlist *nvlist_new(struct err *e);
void	       nvlist_free(struct nvlist *l);

/* *used, when not NULL, is the number of bytes that the list takes. */
int nvlist_decode(struct bytes in, struct nvlist **out, size_t *used, struct err *e) MUST_CHECK;

/* XDR encoding into a new buffer (free() it). */
int nvlist_encode(const struct nvlist *l, uint8_t **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Lookups: false when the name is missing or of another type. Results are borrowed from the list.
 */
bool nvlist_u64(const struct nvlist *l, const char *name, uint64_t *out);
bool nvlist_string(const struct nvlist *l, const char *name, const char **out);
bool nvlist_list(const struct nvlist *l, const char *name, const struct nvlist **out);
bool nvlist_lists(const struct nvlist *l, const char *name, const struct nvlist *const **out,
		  size_t *count);
bool nvlist_u64s(const struct nvlist *l, const char *name, const uint64_t **out, size_t *count);
/* an NV_BOOLEAN of that name is there */
bool nvlist_flag(const struct nvlist *l, const char *name);

/*
 * Walking: pairs in order. NV_STRING: data is the text with its NUL;
 * NV_NVLIST(_ARRAY): use the lookups.
 */
struct nvpair {
	const char  *name;
	enum nv_type type;
	size_t	     count;
	union {
		uint64_t		    u64; /* every scalar number, sign-extended */
		const char		   *string;
		const struct nvlist	   *list;
		const struct nvlist *const *lists;
		const uint64_t		   *u64s; /* every array of numbers, widened */
		const char *const	   *strings;
		const uint8_t		   *bytes; /* NV_BYTE_ARRAY, also (U)INT8_ARRAY: xattrs */
	};
};
size_t		     nvlist_count(const struct nvlist *l);
const struct nvpair *nvlist_pair(const struct nvlist *l, size_t i);

/*
 * Building: appends; everything is copied, lists too. A name that is there
 * is replaced in its place.
 */
int nvlist_add_u64(struct nvlist *l, const char *name, uint64_t v, struct err *e) MUST_CHECK;
int nvlist_add_string(struct nvlist *l, const char *name, const char *v, struct err *e) MUST_CHECK;
int nvlist_add_flag(struct nvlist *l, const char *name, struct err *e) MUST_CHECK;
int nvlist_add_list(struct nvlist *l, const char *name, const struct nvlist *v,
		    struct err *e) MUST_CHECK;
int nvlist_add_lists(struct nvlist *l, const char *name, const struct nvlist *const *v,
		     size_t count, struct err *e) MUST_CHECK;
int nvlist_add_bytes(struct nvlist *l, const char *name, const void *p, size_t n,
		     struct err *e) MUST_CHECK;
int nvlist_add_u64s(struct nvlist *l, const char *name, const uint64_t *v, size_t count,
		    struct err *e) MUST_CHECK;
int nvlist_remove(struct nvlist *l, const char *name); /* 0, or -1 when it is not there */

/* Indented lines "name: value" as `zdb -C` prints them. */
void nvlist_describe(const struct nvlist *l, unsigned indent, struct text *t);

#endif
