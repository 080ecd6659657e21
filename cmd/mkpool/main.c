/* quick */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd/cli.h"
#include "cmd/size.h"
#include "core/entries/archive_in.h"
#include "core/entries/dirtree_in.h"
#include "core/zpl/zpl_write.h"
#include "formats/base/limits.h"

int main(int argc, char **argv)
{
	struct err e = { 0 };
	struct dev *dev;
	struct pool_tx *tx = NULL;
	struct dataset_write *d = NULL;
	struct zpl_write *z = NULL;
	struct feature_set set;
	struct pool_made made;
	struct entry_source src;
	struct entry in;
	int rc = 1;
	(void)argc;
	if (checksum_init(&e) < 0 || dev_file_open(argv[3], DEV_CREATE, &dev, &e) < 0)
		goto fail;
	feature_set_by_name("openzfs-2.1-linux", &set, NULL);
	struct pool_create_options o = { .name = argv[2], .features = feature_set_close(set), .ashift = 12,
		.size = { .rule = POOL_SIZE_AVAIL, .avail = 16 * MIB, .avail_percent = 5 },
		.vdev_type = getenv("VT") ? getenv("VT") : "disk", .vdev_path = "/dev/poolkit", .seed = "", .history = "mkpool", .tx = { .threads = getenv("J") ? atoi(getenv("J")) : 1, .time = 1700000000 } };
	if (pool_tx_create(dev, &o, &tx, &e) < 0)
		goto fail;
	struct store_policy p = pool_tx_mos_policy(tx);
	p.data_copies = 1; p.meta_copies = 2;
	struct zpl_write_options zo = { .record_size = 128 << 10, .root_mode = 0755 };
	if (dsl_create(tx, NULL, 0, &p, &d, &e) < 0 || zpl_write_create(d, &zo, &z, &e) < 0)
		goto fail;
	struct entry_sink sink = zpl_write_sink(z);
	if (strcmp(argv[1], "-") != 0) {
		size_t n = strlen(argv[1]);
		if (n > 4 && strcmp(argv[1] + n - 4, ".tar") == 0 ? archive_in_open(argv[1], &(struct archive_in_options){0}, &src, &e) < 0 : dirtree_in_open(argv[1], &src, &e) < 0)
			goto fail;
		int got;
		while ((got = src.next(src.self, &in, &e)) > 0) {
			if (sink.begin(sink.self, &in, &e) < 0)
				goto fail;
			if (in.kind == ENTRY_FILE) {
				uint64_t off; struct bytes b; int g;
				while ((g = src.data(src.self, &off, &b, &e)) > 0)
					if (sink.data(sink.self, off, b, &e) < 0)
						goto fail;
				if (g < 0) goto fail;
			}
			if (sink.end(sink.self, NULL, &e) < 0) goto fail;
		}
		if (got < 0) goto fail;
		src.close(src.self);
	}
	uint64_t used;
	if (sink.finish(sink.self, &e) < 0 || dataset_write_finish(d, &used, &e) < 0 || pool_tx_commit(tx, used, &made, &e) < 0)
		goto fail;
	printf("size %llu used %llu avail %llu\n", (unsigned long long)made.size, (unsigned long long)made.used, (unsigned long long)made.avail);
	rc = 0;
fail:
	if (rc) fprintf(stderr, "mkpool: %s\n", e.text);
	zpl_write_free(z);
	dataset_write_free(d);
	pool_tx_free(tx);
	return rc;
}
