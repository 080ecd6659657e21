/* The object set block: three dnodes and the intent log header around one type and its flags. */
#include "formats/objset.h"

enum {
	O_META = 0x000,
	O_ZIL = 0x200,
	O_TYPE = 0x2c0,
	O_FLAGS = 0x2c8,
	O_PORTABLE_MAC = 0x2d0,
	O_LOCAL_MAC = 0x2f0,
	O_USERUSED = 0x400,
	O_GROUPUSED = 0x600,
	O_PROJECTUSED = 0x800,

	ZIL_SIZE = 0xc0,
	Z_CLAIM_TXG = 0x00,
	Z_REPLAY_SEQ = 0x08,
	Z_LOG = 0x10,
	Z_CLAIM_BLK_SEQ = 0x90,
	Z_FLAGS = 0x98,
	Z_CLAIM_LR_SEQ = 0xa0,
};

static int zil_decode(struct bytes in, struct zil_header *out, struct err *e)
{
	struct zil_header z = {
		.claim_txg = get64(in, Z_CLAIM_TXG),
		.replay_seq = get64(in, Z_REPLAY_SEQ),
		.claim_blk_seq = get64(in, Z_CLAIM_BLK_SEQ),
		.flags = get64(in, Z_FLAGS),
		.claim_lr_seq = get64(in, Z_CLAIM_LR_SEQ),
	};

	if (blkptr_decode(bytes_sub(in, Z_LOG, BLKPTR_SIZE), &z.log, e) < 0)
		return err_in(e, "intent log header");
	*out = z;
	return 0;
}

static void zil_encode(const struct zil_header *z, struct wbytes out)
{
	put64(out, Z_CLAIM_TXG, z->claim_txg);
	put64(out, Z_REPLAY_SEQ, z->replay_seq);
	blkptr_encode(&z->log, wbytes_sub(out, Z_LOG, BLKPTR_SIZE));
	put64(out, Z_CLAIM_BLK_SEQ, z->claim_blk_seq);
	put64(out, Z_FLAGS, z->flags);
	put64(out, Z_CLAIM_LR_SEQ, z->claim_lr_seq);
}

/* One of the block's dnodes; `name` says where in errors. */
static int slot_decode(struct bytes in, size_t off, const char *name, struct dnode *out,
		       struct err *e)
{
	if (dnode_decode(bytes_sub(in, off, DNODE_MIN_SIZE), out, e) < 0)
		return err_in(e, "%s", name);
	return 0;
}

/* All objects are found by slot arithmetic over the meta-dnode, so its shape is not negotiable. */
static int meta_check(const struct dnode *meta, struct err *e)
{
	if (meta->type != OT_DNODE)
		return err_set(e, ERR_CORRUPT, "meta-dnode has type %u", meta->type);
	if (meta->block_size != DNODE_BLOCK_SIZE)
		return err_set(e, ERR_CORRUPT, "meta-dnode has blocks of %u bytes",
			       meta->block_size);
	return 0;
}

int objset_decode(struct bytes in, struct objset_phys *out, struct err *e)
{
	if (in.n != OBJSET_V1_SIZE && in.n != OBJSET_V2_SIZE && in.n != OBJSET_V3_SIZE)
		return err_set(e, ERR_CORRUPT, "object set block has %zu bytes, not %d, %d or %d",
			       in.n, OBJSET_V1_SIZE, OBJSET_V2_SIZE, OBJSET_V3_SIZE);

	struct objset_phys os = {
		.size = in.n,
		.type = get64(in, O_TYPE),
		.flags = get64(in, O_FLAGS),
	};

	if (slot_decode(in, O_META, "meta-dnode", &os.meta, e) < 0 || meta_check(&os.meta, e) < 0)
		return -1;
	if (zil_decode(bytes_sub(in, O_ZIL, ZIL_SIZE), &os.zil, e) < 0)
		return -1;
	memcpy(os.portable_mac, in.p + O_PORTABLE_MAC, sizeof os.portable_mac);
	memcpy(os.local_mac, in.p + O_LOCAL_MAC, sizeof os.local_mac);
	if (in.n >= OBJSET_V2_SIZE &&
	    (slot_decode(in, O_USERUSED, "userused dnode", &os.userused, e) < 0 ||
	     slot_decode(in, O_GROUPUSED, "groupused dnode", &os.groupused, e) < 0))
		return -1;
	if (in.n >= OBJSET_V3_SIZE &&
	    slot_decode(in, O_PROJECTUSED, "projectused dnode", &os.projectused, e) < 0)
		return -1;
	*out = os;
	return 0;
}

void objset_encode(const struct objset_phys *os, struct wbytes out)
{
	assert(os->size == OBJSET_V1_SIZE || os->size == OBJSET_V2_SIZE ||
	       os->size == OBJSET_V3_SIZE);
	assert(out.n >= os->size);
	memset(out.p, 0, os->size);
	dnode_encode(&os->meta, wbytes_sub(out, O_META, DNODE_MIN_SIZE));
	zil_encode(&os->zil, wbytes_sub(out, O_ZIL, ZIL_SIZE));
	put64(out, O_TYPE, os->type);
	put64(out, O_FLAGS, os->flags);
	memcpy(out.p + O_PORTABLE_MAC, os->portable_mac, sizeof os->portable_mac);
	memcpy(out.p + O_LOCAL_MAC, os->local_mac, sizeof os->local_mac);
	if (os->size >= OBJSET_V2_SIZE) {
		dnode_encode(&os->userused, wbytes_sub(out, O_USERUSED, DNODE_MIN_SIZE));
		dnode_encode(&os->groupused, wbytes_sub(out, O_GROUPUSED, DNODE_MIN_SIZE));
	}
	if (os->size >= OBJSET_V3_SIZE)
		dnode_encode(&os->projectused, wbytes_sub(out, O_PROJECTUSED, DNODE_MIN_SIZE));
}

bool objset_has_log(const struct objset_phys *os)
{
	return !blkptr_is_hole(&os->zil.log);
}

const char *objset_type_name(uint64_t type)
{
	static const char *const names[] = { "NONE", "META", "ZPL", "ZVOL" };

	return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

static void describe_zil(const struct zil_header *z, struct text *t)
{
	text_put(t, "ZIL header: claim_txg %llu, claim_blk_seq %llu, claim_lr_seq %llu, ",
		 (unsigned long long)z->claim_txg, (unsigned long long)z->claim_blk_seq,
		 (unsigned long long)z->claim_lr_seq);
	text_put(t, "replay_seq %llu, flags 0x%llx\n", (unsigned long long)z->replay_seq,
		 (unsigned long long)z->flags);
	if (!blkptr_is_hole(&z->log)) {
		text_put(t, "ZIL log: ");
		blkptr_describe(&z->log, t);
		text_put(t, "\n");
	}
}

void objset_describe(const struct objset_phys *os, struct text *t)
{
	static const char *const names[] = { "USERACCOUNTING", "USEROBJACCOUNTING",
					     "PROJECTQUOTA" };

	text_put(t, "type: %s (%llu)\nflags:", objset_type_name(os->type),
		 (unsigned long long)os->type);
	for (unsigned i = 0; i < 64; i++) {
		if (!(os->flags >> i & 1))
			continue;
		if (i < sizeof names / sizeof *names)
			text_put(t, " %s", names[i]);
		else
			text_put(t, " 0x%llx", 1ULL << i);
	}
	text_put(t, "\n");
	describe_zil(&os->zil, t);
	if (!bytes_zero(bytes_of(os->portable_mac, sizeof os->portable_mac, ORDER_LITTLE))) {
		text_put(t, "portable MAC: ");
		text_hex(t, os->portable_mac, sizeof os->portable_mac);
		text_put(t, "\nlocal MAC: ");
		text_hex(t, os->local_mac, sizeof os->local_mac);
		text_put(t, "\n");
	}
}
