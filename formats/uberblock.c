/* Uberblocks. Choosing one among labels and devices is left to core/pool. */
#include "formats/uberblock.h"

#include <inttypes.h>
#include <time.h>

#include "formats/base/limits.h"

enum {
	UB_MAGIC = 0x00,
	UB_VERSION = 0x08,
	UB_TXG = 0x10,
	UB_GUID_SUM = 0x18,
	UB_TIMESTAMP = 0x20,
	UB_ROOTBP = 0x28,
	UB_SOFTWARE_VERSION = 0xa8,
	UB_MMP_MAGIC = 0xb0,
	UB_MMP_DELAY = 0xb8,
	UB_MMP_CONFIG = 0xc0,
	UB_CHECKPOINT_TXG = 0xc8,
	UB_REFLOW = 0xd0,

	/* Which parts of the MMP configuration are set: uberblock_impl.h, MMP_*_VALID_BIT */
	MMP_HAS_INTERVAL = 1,
	MMP_HAS_SEQ = 2,
	MMP_HAS_FAIL = 4,
	UB_MIN_SHIFT = 10,
};

static unsigned slot_shift(unsigned ashift)
{
	if (ashift < UB_MIN_SHIFT)
		return UB_MIN_SHIFT;
	return ashift > UBERBLOCK_MAX_SHIFT ? UBERBLOCK_MAX_SHIFT : ashift;
}

size_t uberblock_slot_size(unsigned ashift)
{
	return (size_t)1 << slot_shift(ashift);
}

unsigned uberblock_slot_count(unsigned ashift)
{
	return UBERBLOCK_RING_SIZE >> slot_shift(ashift);
}

static bool find_order(struct bytes *slot)
{
	slot->order = ORDER_LITTLE;
	if (get64(*slot, UB_MAGIC) == UBERBLOCK_MAGIC)
		return true;
	slot->order = ORDER_BIG;
	return get64(*slot, UB_MAGIC) == UBERBLOCK_MAGIC;
}

int uberblock_decode(struct bytes slot, uint64_t device_offset, struct uberblock *out,
		     struct err *e)
{
	const struct digest verifier = { .w = { device_offset } };
	enum order	    trailer_order;

	if (slot.n < UBERBLOCK_SIZE)
		return err_set(e, ERR_CORRUPT, "uberblock needs %d bytes, has %zu", UBERBLOCK_SIZE,
			       slot.n);
	if (!find_order(&slot))
		return err_set(e, ERR_NOTFOUND, "no uberblock here");
	if (checksum_trailer_verify(CHECKSUM_LABEL, slot, &verifier, &trailer_order, e) < 0)
		return -1;

	struct uberblock ub = {
		.version = get64(slot, UB_VERSION),
		.txg = get64(slot, UB_TXG),
		.guid_sum = get64(slot, UB_GUID_SUM),
		.timestamp = get64(slot, UB_TIMESTAMP),
		.software_version = get64(slot, UB_SOFTWARE_VERSION),
		.mmp_magic = get64(slot, UB_MMP_MAGIC),
		.mmp_delay = get64(slot, UB_MMP_DELAY),
		.mmp_config = get64(slot, UB_MMP_CONFIG),
		.checkpoint_txg = get64(slot, UB_CHECKPOINT_TXG),
		.raidz_reflow_info = get64(slot, UB_REFLOW),
		.order = slot.order,
	};

	if (blkptr_decode(bytes_from(slot, UB_ROOTBP), &ub.rootbp, e) < 0)
		return err_in(e, "root block pointer");
	*out = ub;
	return 0;
}

int uberblock_encode(const struct uberblock *ub, struct wbytes slot, uint64_t device_offset,
		     struct err *e)
{
	const struct digest verifier = { .w = { device_offset } };

	assert(slot.n >= UBERBLOCK_SIZE);
	memset(slot.p, 0, slot.n);
	put64(slot, UB_MAGIC, UBERBLOCK_MAGIC);
	put64(slot, UB_VERSION, ub->version);
	put64(slot, UB_TXG, ub->txg);
	put64(slot, UB_GUID_SUM, ub->guid_sum);
	put64(slot, UB_TIMESTAMP, ub->timestamp);
	blkptr_encode(&ub->rootbp, wbytes_from(slot, UB_ROOTBP));
	put64(slot, UB_SOFTWARE_VERSION, ub->software_version);
	put64(slot, UB_MMP_MAGIC, ub->mmp_magic);
	put64(slot, UB_MMP_DELAY, ub->mmp_delay);
	put64(slot, UB_MMP_CONFIG, ub->mmp_config);
	put64(slot, UB_CHECKPOINT_TXG, ub->checkpoint_txg);
	put64(slot, UB_REFLOW, ub->raidz_reflow_info);
	return checksum_trailer_seal(CHECKSUM_LABEL, slot, &verifier, e);
}

static bool mmp_has(const struct uberblock *ub, uint64_t part)
{
	return ub->mmp_magic == MMP_MAGIC && (ub->mmp_config & part) != 0;
}

uint64_t uberblock_mmp_seq(const struct uberblock *ub)
{
	return mmp_has(ub, MMP_HAS_SEQ) ? bits(ub->mmp_config, 32, 16) : 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int uberblock_compare(const struct uberblock *a, const struct uberblock *b)
{
	int order = compare_u64(a->txg, b->txg);

	if (order == 0)
		order = compare_u64(a->timestamp, b->timestamp);
	if (order == 0)
		order = compare_u64(uberblock_mmp_seq(a), uberblock_mmp_seq(b));
	return order;
}

/* Not strftime: its names follow the locale. */
static void put_date(uint64_t seconds, struct text *t)
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t		  when = (time_t)seconds;
	struct tm	  tm;

	if (when < 0 || gmtime_r(&when, &tm) == NULL)
		return;
	text_put(t, " UTC = %.3s %.3s %2d %02d:%02d:%02d %lld", days + 3 * tm.tm_wday,
		 months + 3 * tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		 tm.tm_year + 1900LL);
}

static void describe_mmp(const struct uberblock *ub, struct text *t)
{
	text_put(t, "\tmmp_magic = %016" PRIx64 "\n", ub->mmp_magic);
	if (ub->mmp_magic != MMP_MAGIC)
		return;
	text_put(t, "\tmmp_delay = %" PRIu64 "\n", ub->mmp_delay);
	if (mmp_has(ub, MMP_HAS_SEQ))
		text_put(t, "\tmmp_seq = %" PRIu64 "\n", bits(ub->mmp_config, 32, 16));
	if (mmp_has(ub, MMP_HAS_FAIL))
		text_put(t, "\tmmp_fail = %" PRIu64 "\n", bits(ub->mmp_config, 48, 16));
	if (mmp_has(ub, MMP_HAS_INTERVAL))
		text_put(t, "\tmmp_write = %" PRIu64 "\n", bits(ub->mmp_config, 8, 24));
	text_put(t, "\tmmp_valid = %" PRIx64 "\n", bits(ub->mmp_config, 0, 8));
}

void uberblock_describe(const struct uberblock *ub, struct text *t)
{
	text_put(t, "\tmagic = %016" PRIx64 "\n", UBERBLOCK_MAGIC);
	text_put(t, "\tversion = %" PRIu64 "\n", ub->version);
	text_put(t, "\ttxg = %" PRIu64 "\n", ub->txg);
	text_put(t, "\tguid_sum = %" PRIu64 "\n", ub->guid_sum);
	text_put(t, "\ttimestamp = %" PRIu64, ub->timestamp);
	put_date(ub->timestamp, t);
	text_put(t, "\n\tbp = ");
	blkptr_describe(&ub->rootbp, t);
	text_put(t, "\n");
	describe_mmp(ub, t);
	text_put(t, "\tcheckpoint_txg = %" PRIu64 "\n", ub->checkpoint_txg);
	text_put(t, "\traidz_reflow state=%" PRIu64 " off=%" PRIu64 "\n",
		 bits(ub->raidz_reflow_info, 55, 9), bits(ub->raidz_reflow_info, 0, 55) * SECTOR);
}
