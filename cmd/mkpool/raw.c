/* Holes of the file are stepped over; zeros that are stored become holes in the volume. */
#include "cmd/mkpool/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/entries/file_in.h"
#include "core/zvol/zvol_write.h"
#include "formats/base/limits.h"

/* A block device has no holes, and no size in its status. */
static int take(struct file_in *f, const char *path, struct err *e)
{
	struct stat st;
	int	    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t	    end;

	if (fd < 0)
		return err_errno(e, errno, "%s", path);
	end = lseek(fd, 0, SEEK_END);
	if (end < 0 || fstat(fd, &st) < 0) {
		err_errno(e, errno, "%s", path);
		close(fd);
		return -1;
	}
	file_in_take(f, fd, (uint64_t)end,
		     S_ISREG(st.st_mode) && (uint64_t)st.st_blocks < (uint64_t)end / 512);
	return 0;
}

static int copy(struct zvol_write *z, const char *path, struct err *e)
{
	struct file_in f;
	struct bytes   piece;
	uint64_t       offset;
	int	       rc;

	if (file_in_init(&f, e) < 0)
		return -1;
	rc = take(&f, path, e);
	while (rc == 0 && (rc = file_in_data(&f, &offset, &piece, e)) > 0) {
		rc = cli_check_interrupt(e);
		if (rc == 0)
			rc = zvol_write_piece(z, offset, piece, e);
	}
	file_in_fini(&f);
	return rc < 0 ? -1 : 0;
}

int raw_write(const struct options *o, const struct plan_dataset *plan, struct dataset_write *d,
	      struct err *e)
{
	struct zvol_write z;
	uint64_t	  size = dsl_props_number(plan->props, PROP_VOLSIZE);
	uint64_t	  block = dsl_props_number(plan->props, PROP_VOLBLOCKSIZE);
	size_t		  index = (size_t)(plan - o->plan.datasets);
	uint64_t	  salt = pool_tx_salt(dataset_write_tx(d), "zvol", index);

	if (block > BLOCK_OLD_MAX &&
	    dataset_write_feature(d, "org.open-zfs:large_blocks", e) < 0)
		return err_in(e, "%s", plan->name);
	if (zvol_write_begin(dataset_write_objset(d), size, (uint32_t)block, salt, &z, e) < 0 ||
	    (plan->raw != NULL && copy(&z, plan->raw, e) < 0) || zvol_write_end(&z, e) < 0)
		return err_in(e, "%s", plan->name);
	return 0;
}
