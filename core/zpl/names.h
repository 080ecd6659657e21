/*
 * The names of a file system being written: directories and what is in them, compact and
 * searchable. About 50 bytes an entry and its name.
 */
#ifndef CORE_ZPL_NAMES_H
#define CORE_ZPL_NAMES_H

#include "formats/base/bytes.h"
#include "formats/base/err.h"

#define NAMES_NONE UINT32_MAX

struct name_entry {
	uint64_t object; /* 0: removed */
	uint32_t dir, next; /* next entry of the same directory */
	uint32_t name;	    /* offset of the name */
	uint16_t name_size;
	uint8_t	 type;	  /* DT_* */
	uint32_t subdir;  /* of a directory: its index, else NAMES_NONE */
};

struct names_dir {
	uint32_t first; /* entry */
	uint64_t count, subdirs;
};

struct names;
struct names *names_new(struct err *e);
void	      names_free(struct names *n);

/* From now on names that differ in the case of ASCII letters only are one; when it is empty. */
void names_fold(struct names *n, bool fold);

/* A new directory without entries; index counts from 0. */
int names_new_dir(struct names *n, uint32_t *index, struct err *e) MUST_CHECK;
struct names_dir *names_dir(struct names *n, uint32_t index);
size_t		  names_dir_count(const struct names *n);

/* NAMES_NONE when it is not there. */
uint32_t names_find(const struct names *n, uint32_t dir, const void *name, size_t size);
/* The name must not be there. */
int names_add(struct names *n, uint32_t dir, const void *name, size_t size, uint64_t object,
	      unsigned type, uint32_t *entry, struct err *e) MUST_CHECK;
void names_remove(struct names *n, uint32_t entry);

struct name_entry *names_entry(struct names *n, uint32_t entry);
const void	  *names_text(const struct names *n, const struct name_entry *entry);

#endif
