/*
 * ZAP objects: written whole from entries; edited by reading all of them, changing some,
 * writing whole. Write half.
 */
#ifndef CORE_DMU_ZAP_WRITE_H
#define CORE_DMU_ZAP_WRITE_H

#include "core/dmu/object_write.h"
#include "core/dmu/zap_read.h"
#include "formats/zap_fat.h"

enum { ZAP_NORM_UPPER = 2 }; /* normflags: u8_textprep.h, U8_TEXTPREP_TOUPPER */

/* Facts of the ZAP that survive an edit. */
struct zap_head {
	uint64_t salt, normflags, flags; /* ZAP_FLAG_* */
};

/* Of a ZAP as it is, from its block 0. */
int zap_head_of(struct object *o, struct zap_head *head, struct err *e) MUST_CHECK;

/*
 * Sets the items' `hash`, which is that of the name's normal form when there are normflags. OpenZFS
 * has that from tables of Unicode 5.0; here only names of ASCII have one (else ERR_UNSUPPORTED):
 * for them every form is the name itself, and upper case the letters' own.
 * Source: OpenZFS zap_impl.c (zap_name_init_str), u8_textprep.c.
 */
int zap_hash_items(const struct zap_head *head, struct zap_item *items, size_t count,
		   struct err *e) MUST_CHECK;

/*
 * Writes the object's contents: a micro ZAP when every entry fits that form and there are at most
 * 2047, else a fat one. Items are hashed, sorted and given differentiators here, and
 * spec->block_size is chosen.
 */
int zap_write(struct objset_write *w, const struct object_spec *spec, const struct zap_head *head,
	      struct zap_item *items, size_t count, struct err *e) MUST_CHECK;

/* An edit of one ZAP object. A new object has no entries. */
struct zap_edit;
int  zap_edit_open(struct objset_write *w, uint64_t number, struct zap_edit **out,
		   struct err *e) MUST_CHECK;
int  zap_edit_new(struct objset_write *w, uint64_t number, uint8_t type, uint64_t salt,
		  struct zap_edit **out, struct err *e) MUST_CHECK;
void zap_edit_free(struct zap_edit *z);

/* The bonus and bonus type that the object is to have; by default what it has. */
void zap_edit_bonus(struct zap_edit *z, uint8_t bonus_type, struct bytes bonus);

/* Of a new object: 0 or ZAP_NORM_UPPER (ASCII names only). */
void zap_edit_normalise(struct zap_edit *z, uint64_t normflags);

/* The object's dnode flags, DNODE_FLAG_*. */
void zap_edit_flags(struct zap_edit *z, uint8_t flags);

bool zap_edit_get(const struct zap_edit *z, const char *name, uint64_t *out);
int  zap_edit_set(struct zap_edit *z, const char *name, uint64_t value, struct err *e) MUST_CHECK;
int  zap_edit_set_key(struct zap_edit *z, const void *name, size_t name_size, unsigned int_size,
		      const void *value, size_t count, struct err *e) MUST_CHECK;
int	 zap_edit_remove(struct zap_edit *z, const void *name, size_t name_size,
			 struct err *e) MUST_CHECK;
void   zap_edit_clear(struct zap_edit *z);
size_t zap_edit_count(const struct zap_edit *z);
/* The i'th entry as it stands now, in no useful order; borrowed until the next change. */
const struct zap_item *zap_edit_item(const struct zap_edit *z, size_t i);
uint64_t zap_edit_number(const struct zap_edit *z);
uint8_t	 zap_edit_type(const struct zap_edit *z);

/*
 * The blocks that the object will have, in memory (free() it): *size is a multiple of *block_size.
 */
int zap_edit_image(struct zap_edit *z, uint8_t **image, size_t *size, uint32_t *block_size,
		   struct err *e) MUST_CHECK;

/* Writes the object. Once per commit and object. */
int zap_edit_write(struct zap_edit *z, struct err *e) MUST_CHECK;

#endif
