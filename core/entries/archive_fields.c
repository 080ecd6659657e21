/*
 * One header of an archive as an entry: names as bytes and made safe, kinds told apart, numbers
 * kept within what an entry can hold.
 */
#include "core/entries/archive_fields.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/base/mem.h"

static int reserve(struct buffer *b, size_t n, struct err *e)
{
	return mem_grow(&b->p, &b->cap, n, 1, e);
}

static size_t utf8_put(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}

	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((0xf00 >> n & 0xff) | c);
	return n;
}

/* Formats that store UTF-16 give wide names only, outside a UTF-8 locale. */
static const char *narrow(struct archive_fields *f, const wchar_t *w, struct err *e)
{
	if (w == NULL) {
		err_set(e, ERR_CORRUPT, "an entry without a name");
		return NULL;
	}

	size_t n = 0;

	if (reserve(&f->wide, wcslen(w) * 4 + 1, e) < 0)
		return NULL;
	for (; *w != L'\0'; w++)
		n += utf8_put(f->wide.p + n, (uint32_t)*w & 0x1fffff);
	f->wide.p[n] = '\0';
	return f->wide.p;
}

static int take_path(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
		     struct err *e)
{
	const char *raw = archive_entry_pathname(ae);

	if (raw == NULL)
		raw = narrow(f, archive_entry_pathname_w(ae), e);
	if (raw == NULL)
		return -1;

	size_t size = strlen(raw);

	if (reserve(&f->path, size + 1, e) < 0 ||
	    entry_path_clean(raw, size, f->path.p, &f->path_n, e) < 0)
		return -1;
	out->path = f->path.p;
	out->path_size = f->path_n;
	return 0;
}

static int take_hardlink(struct archive_fields *f, const char *raw, struct entry *out,
			 struct err *e)
{
	size_t size = strlen(raw);

	out->kind = ENTRY_HARDLINK;
	if (reserve(&f->target, size + 1, e) < 0 ||
	    entry_path_clean(raw, size, f->target.p, &out->target_size, e) < 0)
		return err_in(e, "hard link to");
	out->target = f->target.p;
	return 0;
}

static int take_symlink(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
			struct err *e)
{
	out->target = archive_entry_symlink(ae);
	if (out->target == NULL)
		out->target = narrow(f, archive_entry_symlink_w(ae), e);
	if (out->target == NULL)
		return -1;
	out->target_size = strlen(out->target);
	if (out->target_size == 0)
		return err_set(e, ERR_CORRUPT, "a symbolic link to nothing");
	return 0;
}

static int take_size(struct archive_entry *ae, struct entry *out, struct err *e)
{
	int64_t size = archive_entry_size(ae);

	if (!archive_entry_size_is_set(ae))
		return err_set(e, ERR_UNSUPPORTED,
			       "its size comes after its contents; give the archive as a file, not "
			       "a pipe");
	if (size < 0)
		return err_set(e, ERR_CORRUPT, "a size below zero");
	out->size = (uint64_t)size;
	return 0;
}

static int take_device(struct archive_entry *ae, struct entry *out, struct err *e)
{
	uint64_t major = archive_entry_rdevmajor(ae), minor = archive_entry_rdevminor(ae);

	if (major > UINT32_MAX || minor > UINT32_MAX)
		return err_set(e, ERR_UNSUPPORTED, "device %llu,%llu: numbers have 32 bits",
			       (unsigned long long)major, (unsigned long long)minor);
	out->major = (uint32_t)major;
	out->minor = (uint32_t)minor;
	return 0;
}

static int take_kind(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
		     struct err *e)
{
	const char *hardlink = archive_entry_hardlink(ae);
	unsigned    type = archive_entry_filetype(ae);

	if (hardlink != NULL)
		return take_hardlink(f, hardlink, out, e);

	/* zip and others do without a type for files */
	int kind = type == 0 ? ENTRY_FILE : entry_kind_of_mode(type);

	if (kind == 0)
		return err_set(e, ERR_CORRUPT, "file type 0%o is unknown", type);
	out->kind = (enum entry_kind)kind;
	if (out->path_size == 0 && kind != ENTRY_DIR)
		return err_set(e, ERR_CORRUPT, "the root is not a directory");
	if (kind == ENTRY_SYMLINK)
		return take_symlink(f, ae, out, e);
	if (kind == ENTRY_FILE)
		return take_size(ae, out, e);
	return kind == ENTRY_CHAR || kind == ENTRY_BLOCK ? take_device(ae, out, e) : 0;
}

/* Old tars hold -2 for nobody. */
static uint64_t owner(int64_t id)
{
	return id < 0 ? (uint32_t)id : (uint64_t)id;
}

static void take_times(struct archive_entry *ae, struct entry *out)
{
	out->mtime = (struct entry_time){ archive_entry_mtime(ae),
					  (uint32_t)archive_entry_mtime_nsec(ae) };
	out->have_atime = archive_entry_atime_is_set(ae);
	if (out->have_atime)
		out->atime = (struct entry_time){ archive_entry_atime(ae),
						  (uint32_t)archive_entry_atime_nsec(ae) };
	out->have_ctime = archive_entry_ctime_is_set(ae);
	if (out->have_ctime)
		out->ctime = (struct entry_time){ archive_entry_ctime(ae),
						  (uint32_t)archive_entry_ctime_nsec(ae) };
	out->have_crtime = archive_entry_birthtime_is_set(ae);
	if (out->have_crtime)
		out->crtime = (struct entry_time){ archive_entry_birthtime(ae),
						   (uint32_t)archive_entry_birthtime_nsec(ae) };
}

static int take_xattrs(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
		       struct err *e)
{
	size_t count = (size_t)archive_entry_xattr_reset(ae);

	if (mem_grow(&f->xattrs, &f->xattr_cap, count + 2, sizeof f->xattrs[0], e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct entry_xattr *x = &f->xattrs[i];

		if (archive_entry_xattr_next(ae, &x->name, &x->value, &x->size) != ARCHIVE_OK)
			break;
		out->xattr_count = i + 1;
	}
	out->xattrs = f->xattrs;
	return acls_take(&f->acls, ae, f->xattrs, out, e);
}

void archive_fields_fini(struct archive_fields *f)
{
	free(f->path.p);
	free(f->target.p);
	free(f->wide.p);
	free(f->xattrs);
	acl_buffers_fini(&f->acls);
}

int archive_fields_take(struct archive_fields *f, struct archive_entry *ae, struct entry *out,
			struct err *e)
{
	*out = (struct entry){ .mode = archive_entry_perm(ae),
			       .uid = owner(archive_entry_uid(ae)),
			       .gid = owner(archive_entry_gid(ae)) };
	take_times(ae, out);
	if (take_path(f, ae, out, e) < 0)
		return -1; /* the name is in the sentence */
	if (take_kind(f, ae, out, e) < 0 || take_xattrs(f, ae, out, e) < 0)
		return entry_err_in(e, f->path.p, f->path_n);
	return 0;
}
