/*
 * The object type table: numbers, names, and what kind of payload each holds.
 * Source: OpenZFS dmu.h (dmu_object_type_t, DMU_OTN_*), dmu.c (dmu_ot).
 */
#ifndef FORMATS_OBJTYPE_H
#define FORMATS_OBJTYPE_H

#include <stdbool.h>

enum objtype {
	OT_NONE = 0,
	OT_OBJECT_DIRECTORY = 1,
	OT_OBJECT_ARRAY = 2,
	OT_PACKED_NVLIST = 3,
	OT_PACKED_NVLIST_SIZE = 4,
	OT_BPOBJ = 5,
	OT_BPOBJ_HDR = 6,
	OT_SPACE_MAP_HEADER = 7,
	OT_SPACE_MAP = 8,
	OT_INTENT_LOG = 9,
	OT_DNODE = 10,
	OT_OBJSET = 11,
	OT_DSL_DIR = 12,
	OT_DSL_DIR_CHILD_MAP = 13,
	OT_DSL_DS_SNAP_MAP = 14,
	OT_DSL_PROPS = 15,
	OT_DSL_DATASET = 16,
	OT_ZNODE = 17,
	OT_OLDACL = 18,
	OT_PLAIN_FILE = 19,
	OT_DIRECTORY = 20,
	OT_MASTER_NODE = 21,
	OT_UNLINKED_SET = 22,
	OT_ZVOL = 23,
	OT_ZVOL_PROP = 24,
	OT_PLAIN_OTHER = 25,
	OT_UINT64_OTHER = 26,
	OT_ZAP_OTHER = 27,
	OT_ERROR_LOG = 28,
	OT_SPA_HISTORY = 29,
	OT_SPA_HISTORY_OFFSETS = 30,
	OT_POOL_PROPS = 31,
	OT_DSL_PERMS = 32,
	OT_ACL = 33,
	OT_SYSACL = 34,
	OT_FUID = 35,
	OT_FUID_SIZE = 36,
	OT_NEXT_CLONES = 37,
	OT_SCAN_QUEUE = 38,
	OT_USERGROUP_USED = 39,
	OT_USERGROUP_QUOTA = 40,
	OT_USERREFS = 41,
	OT_DDT_ZAP = 42,
	OT_DDT_STATS = 43,
	OT_SA = 44,
	OT_SA_MASTER_NODE = 45,
	OT_SA_ATTR_REGISTRATION = 46,
	OT_SA_ATTR_LAYOUTS = 47,
	OT_SCAN_XLATE = 48,
	OT_DEDUP = 49,
	OT_DEADLIST = 50,
	OT_DEADLIST_HDR = 51,
	OT_DSL_CLONES = 52,
	OT_BPOBJ_SUBOBJ = 53,
	OT_COUNT = 54,

	/* "new" types carry their meaning in bits: dmu.h, DMU_OT() */
	OT_NEWTYPE = 0x80,
	OT_METADATA_BIT = 0x40,
	OT_ENCRYPTED_BIT = 0x20,
	OT_BYTESWAP_MASK = 0x1f,
	OTN_UINT8_DATA = 0x80,
	OTN_UINT64_DATA = 0x83,
	OTN_ZAP_DATA = 0x84,
	OTN_UINT8_METADATA = 0xc0,
	OTN_UINT64_METADATA = 0xc3,
	OTN_ZAP_METADATA = 0xc4,
};

/* Shape of the payload; also how OpenZFS byte-swaps it (DMU_BSWAP_*). */
enum payload {
	PAYLOAD_UINT8 = 0,
	PAYLOAD_UINT16 = 1,
	PAYLOAD_UINT32 = 2,
	PAYLOAD_UINT64 = 3,
	PAYLOAD_ZAP = 4,
	PAYLOAD_DNODE = 5,
	PAYLOAD_OBJSET = 6,
	PAYLOAD_ZNODE = 7,
	PAYLOAD_OLDACL = 8,
	PAYLOAD_ACL = 9,
};

/* "ZFS plain file", as zdb prints it; for new types the kind ("zap", "uint64"); never NULL
 * ("unknown" when the number means nothing). */
const char *objtype_name(unsigned type);

bool objtype_known(unsigned type);

/* Metadata gets one more copy and metadata compression. */
bool	     objtype_is_metadata(unsigned type);
enum payload objtype_payload(unsigned type);

/* In an encrypted dataset, are level-0 blocks of this type encrypted (else only authenticated)? */
bool objtype_is_encrypted(unsigned type);

#endif
