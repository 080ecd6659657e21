/* Entries as libarchive's headers: what goes in, in which form, and what is left out. */
#include "core/entries/archive_header.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/sysmacros.h>

#include "core/entries/acls.h"
#include "formats/base/limits.h"

/* Ours: stepping over larger holes takes minutes, and no host file is larger. */
enum { NLINK_MAX = 65535 }; /* what the oldest cpio has room for */
#define SIZE_TOLD_MAX (UINT64_C(1) << 53)

static unsigned file_type(enum entry_kind kind)
{
	switch (kind) {
	case ENTRY_DIR:
		return AE_IFDIR;
	case ENTRY_SYMLINK:
		return AE_IFLNK;
	case ENTRY_FIFO:
		return AE_IFIFO;
	case ENTRY_CHAR:
		return AE_IFCHR;
	case ENTRY_BLOCK:
		return AE_IFBLK;
	case ENTRY_SOCKET:
		return AE_IFSOCK;
	default:
		return AE_IFREG;
	}
}

static bool has_plain_xattrs(const struct entry *n)
{
	for (size_t i = 0; i < n->xattr_count; i++) {
		if (!acls_is_xattr(n->xattrs[i].name))
			return true;
	}
	return false;
}

/* Names with one number are of files with contents only: readers link nothing else. */
static bool by_inode(const struct archive_header *h, const struct entry *n)
{
	uint64_t number;

	return h->format.keeps & KEEPS_INODES && n->serial != 0 &&
	       idmap_get(&h->inodes, n->serial, &number);
}

/* What an entry of this kind needs of a format, and what is lost without it. */
static bool kind_lost(const struct archive_header *h, const struct entry *n, enum lost_kind *what)
{
	unsigned keeps = h->format.keeps;

	switch (n->kind) {
	case ENTRY_SOCKET:
		*what = LOST_SOCKETS;
		return !h->sockets;
	case ENTRY_DIR:
		*what = LOST_DIRS;
		return !(keeps & KEEPS_DIRS);
	case ENTRY_SYMLINK:
		*what = LOST_SYMLINKS;
		return !(keeps & KEEPS_SYMLINKS);
	case ENTRY_HARDLINK:
		*what = LOST_LINKS;
		return !(keeps & KEEPS_LINKS) && !by_inode(h, n);
	case ENTRY_FIFO:
		*what = LOST_FIFOS;
		return !(keeps & KEEPS_FIFOS);
	case ENTRY_CHAR:
	case ENTRY_BLOCK:
		*what = LOST_DEVICES;
		return !(keeps & KEEPS_DEVICES);
	default:
		return false;
	}
}

/* Attributes of an entry that is kept. The modes of links mean nothing. */
static void count_attributes(struct archive_header *h, const struct entry *n)
{
	unsigned  keeps = h->format.keeps;
	uint64_t *lost = h->lost.count;

	if (n->kind == ENTRY_HARDLINK)
		return;
	lost[LOST_XATTRS] += has_plain_xattrs(n) && !(keeps & KEEPS_XATTRS);
	lost[LOST_ACLS] += acls_any(n) && !h->format.pax;
	lost[LOST_OWNERS] += (n->uid | n->gid) != 0 && !(keeps & KEEPS_OWNERS);
	lost[LOST_TIMES] += !(keeps & KEEPS_TIMES);
	lost[LOST_FRACTIONS] +=
		n->mtime.ns != 0 && keeps & KEEPS_TIMES && !(keeps & KEEPS_FRACTIONS);
	if (n->kind != ENTRY_SYMLINK)
		lost[LOST_MODES] +=
			!(keeps & KEEPS_MODES) || (n->mode & 07000 && !(keeps & KEEPS_SETID));
}

bool archive_header_loses(struct archive_header *h, const struct entry *n)
{
	enum lost_kind what;

	/* The root itself is nothing but attributes. */
	if (n->path_size == 0 && !(h->format.keeps & KEEPS_ROOT)) {
		h->lost.count[LOST_ROOT]++;
		return true;
	}
	if (kind_lost(h, n, &what)) {
		h->lost.count[what]++;
		return true;
	}
	count_attributes(h, n);
	return false;
}

static int too_large(const struct archive_header *h, const char *what, uint64_t is, uint64_t max,
		     struct err *e)
{
	return err_set(e, ERR_REFUSED, "its %s, %llu, is over the %llu that %s can hold", what,
		       (unsigned long long)is, (unsigned long long)max, h->format.name);
}

/* Numbers that would be cut: some writers would do so and not tell. */
static int check_numbers(const struct archive_header *h, const struct entry *n, struct err *e)
{
	const struct archive_format *f = &h->format;

	if (n->kind == ENTRY_FILE && f->size_max > 0 && n->size > f->size_max)
		return too_large(h, "size", n->size, f->size_max, e);
	if (n->kind == ENTRY_HARDLINK && f->keeps & KEEPS_LINKS)
		return 0;
	if (f->id_max > 0 && (n->uid > f->id_max || n->gid > f->id_max))
		return too_large(h, "owner or group", max64(n->uid, n->gid), f->id_max, e);
	if (f->time_max > 0 && (n->mtime.sec < f->time_min || n->mtime.sec > f->time_max))
		return err_set(
			e, ERR_REFUSED,
			"its time, %lld seconds after 1970, is not from the %lld to %lld that "
			"%s can hold",
			(long long)n->mtime.sec, (long long)f->time_min, (long long)f->time_max,
			f->name);
	if (f->rdev_max > 0 && (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK) &&
	    makedev(n->major, n->minor) > f->rdev_max)
		return err_set(e, ERR_REFUSED, "device %u,%u is over what %s can hold", n->major,
			       n->minor, f->name);
	return 0;
}

static int check_path(const struct archive_header *h, const struct entry *n, struct err *e)
{
	if (h->format.keeps & KEEPS_PATHS || memchr(n->path, '/', n->path_size) == NULL)
		return 0;
	return err_set(e, ERR_REFUSED, "is in a directory, which %s cannot hold", h->format.name);
}

static void give_xattrs(struct archive_header *h, const struct entry *n)
{
	bool lost = false;

	if (!(h->format.keeps & KEEPS_XATTRS))
		return;
	for (size_t i = 0; i < n->xattr_count; i++) {
		const struct entry_xattr *x = &n->xattrs[i];

		if (acls_is_xattr(x->name))
			continue;
		/* In a pax header, '=' ends the name. */
		if (strchr(x->name, '=') == NULL)
			archive_entry_xattr_add_entry(h->ae, x->name, x->value, x->size);
		else
			lost = true;
	}
	h->lost.count[LOST_XATTRS] += lost;
}

/*
 * GNU tar reads every run of a sparse file from a 512-byte block of its own, libarchive writes them
 * one after the other: the two agree when runs start and end on such blocks.
 */
static void give_ranges(struct archive_header *h, const struct entry *n)
{
	uint64_t start = 0, end = 0;

	if (!h->format.pax || !n->have_ranges || n->size == 0)
		return;
	for (size_t i = 0; i < n->range_count; i++) {
		uint64_t from = align_down(n->ranges[i].offset, SECTOR);
		uint64_t to =
			min64(align_up(n->ranges[i].offset + n->ranges[i].size, SECTOR), n->size);

		if (from > end) {
			if (end > start)
				archive_entry_sparse_add_entry(h->ae, (int64_t)start,
							       (int64_t)(end - start));
			start = from;
		}
		end = max64(end, to);
	}
	/* All hole: one empty run says so. */
	archive_entry_sparse_add_entry(h->ae, (int64_t)start, (int64_t)(end - start));
}

static int give_names(struct archive_header *h, const struct entry *n, struct err *e)
{
	if (entry_path_copy(n->path, n->path_size, h->path, e) < 0)
		return -1;
	h->path_n = n->path_size;
	archive_entry_copy_pathname(h->ae, n->path_size == 0 ? "./" : h->path);
	if (n->kind == ENTRY_HARDLINK && h->format.keeps & KEEPS_LINKS) {
		if (entry_path_copy(n->target, n->target_size, h->target, e) < 0)
			return -1;
		archive_entry_copy_hardlink(h->ae, h->target);
	} else if (n->kind == ENTRY_SYMLINK) {
		if (n->target_size > ENTRY_PATH_MAX ||
		    memchr(n->target, '\0', n->target_size) != NULL)
			return err_set(e, ERR_REFUSED, "a symbolic link that no archive can hold");
		memcpy(h->target, n->target, n->target_size);
		h->target[n->target_size] = '\0';
		archive_entry_copy_symlink(h->ae, h->target);
	}
	return 0;
}

/*
 * How many names it has: some writers look for other names only then. Where names are told by a
 * number, it is counted from 1, since there is little room for it. What has no number of its own
 * must not look as if it had several names: readers would take all of them for one file.
 */
static int give_links(struct archive_header *h, const struct entry *n, struct err *e)
{
	bool	 file = n->kind == ENTRY_FILE || n->kind == ENTRY_HARDLINK;
	uint64_t links = file ? max64(n->links, 1 + (n->kind == ENTRY_HARDLINK)) : 1;
	uint64_t number;

	archive_entry_set_nlink(h->ae, (unsigned)min64(links, NLINK_MAX));
	if (!(h->format.keeps & KEEPS_INODES) || links < 2 || n->serial == 0 || !file)
		return 0;
	if (!idmap_get(&h->inodes, n->serial, &number)) {
		number = h->inodes.count + 1;
		if (idmap_put(&h->inodes, n->serial, number, e) < 0)
			return -1;
	}
	archive_entry_set_ino64(h->ae, (int64_t)number);
	return 0;
}

int archive_header_fill(struct archive_header *h, const struct entry *n, struct err *e)
{
	struct archive_entry *ae = h->ae;

	if (n->kind == ENTRY_FILE && n->size > SIZE_TOLD_MAX)
		return err_set(e, ERR_REFUSED, "over 2^53 bytes: too large for an archive");
	if (check_numbers(h, n, e) < 0 || check_path(h, n, e) < 0)
		return -1;
	archive_entry_clear(ae);
	if (give_names(h, n, e) < 0)
		return -1;
	archive_entry_set_filetype(ae, file_type(n->kind));
	archive_entry_set_perm(ae, n->mode & 07777);
	archive_entry_set_uid(ae, (int64_t)n->uid);
	archive_entry_set_gid(ae, (int64_t)n->gid);
	archive_entry_set_mtime(ae, n->mtime.sec, n->mtime.ns);
	archive_entry_set_size(ae, n->kind == ENTRY_FILE ? (int64_t)n->size : 0);
	if (give_links(h, n, e) < 0)
		return -1;
	if (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK)
		archive_entry_set_rdev(ae, makedev(n->major, n->minor));
	give_xattrs(h, n);
	if (h->format.pax && !acls_give(n, ae))
		h->lost.count[LOST_ACLS]++;
	if (n->kind == ENTRY_FILE)
		give_ranges(h, n);
	return 0;
}
