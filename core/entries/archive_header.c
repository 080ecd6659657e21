/* Entries as libarchive's headers: what goes in, in which form, and what is left out. */
#include "core/entries/archive_header.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/sysmacros.h>

#include "core/entries/acls.h"
#include "formats/base/limits.h"

/* Ours: stepping over larger holes takes minutes, and no host file is larger. */
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

/* What the format has no room for; true when the whole entry goes. */
bool archive_header_loses(struct archive_header *h, const struct entry *n)
{
	if (!h->format.xattrs)
		h->lost.count[LOST_XATTRS] += has_plain_xattrs(n);
	if (!h->format.pax)
		h->lost.count[LOST_ACLS] += acls_any(n);
	if (n->kind == ENTRY_SOCKET && !h->sockets)
		h->lost.count[LOST_SOCKETS]++;
	else if (n->kind == ENTRY_HARDLINK && !h->format.links)
		h->lost.count[LOST_LINKS]++;
	else if (n->kind == ENTRY_FIFO && !h->format.nodes)
		h->lost.count[LOST_FIFOS]++;
	else if ((n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK) && !h->format.nodes)
		h->lost.count[LOST_DEVICES]++;
	else
		return false;
	return true;
}

static void give_xattrs(struct archive_header *h, const struct entry *n)
{
	bool lost = false;

	if (!h->format.xattrs)
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
	if (n->kind == ENTRY_HARDLINK) {
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

int archive_header_fill(struct archive_header *h, const struct entry *n, struct err *e)
{
	struct archive_entry *ae = h->ae;

	if (n->kind == ENTRY_FILE && n->size > SIZE_TOLD_MAX)
		return err_set(e, ERR_REFUSED, "over 2^53 bytes: too large for an archive");
	archive_entry_clear(ae);
	if (give_names(h, n, e) < 0)
		return -1;
	archive_entry_set_filetype(ae, file_type(n->kind));
	archive_entry_set_perm(ae, n->mode & 07777);
	archive_entry_set_uid(ae, (int64_t)n->uid);
	archive_entry_set_gid(ae, (int64_t)n->gid);
	archive_entry_set_mtime(ae, n->mtime.sec, n->mtime.ns);
	archive_entry_set_size(ae, n->kind == ENTRY_FILE ? (int64_t)n->size : 0);
	archive_entry_set_nlink(ae, 1);
	if (n->kind == ENTRY_CHAR || n->kind == ENTRY_BLOCK)
		archive_entry_set_rdev(ae, makedev(n->major, n->minor));
	give_xattrs(h, n);
	if (h->format.pax && !acls_give(n, ae))
		h->lost.count[LOST_ACLS]++;
	if (n->kind == ENTRY_FILE)
		give_ranges(h, n);
	return 0;
}
