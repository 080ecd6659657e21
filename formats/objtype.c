/* The object type table. What is true of "new" types is read from their bits instead. */
#include "formats/objtype.h"

#include <stddef.h>
#include <stdint.h>

enum { META = 1, CRYPT = 2 };

struct kind {
	const char  *name;
	enum payload payload;
	unsigned     flags;
};

/* clang-format off */
static const struct kind kinds[OT_COUNT] = {
	[OT_NONE]                 = { "unallocated", PAYLOAD_UINT8, META },
	[OT_OBJECT_DIRECTORY]     = { "object directory", PAYLOAD_ZAP, META },
	[OT_OBJECT_ARRAY]         = { "object array", PAYLOAD_UINT64, META },
	[OT_PACKED_NVLIST]        = { "packed nvlist", PAYLOAD_UINT8, META },
	[OT_PACKED_NVLIST_SIZE]   = { "packed nvlist size", PAYLOAD_UINT64, META },
	[OT_BPOBJ]                = { "bpobj", PAYLOAD_UINT64, META },
	[OT_BPOBJ_HDR]            = { "bpobj header", PAYLOAD_UINT64, META },
	[OT_SPACE_MAP_HEADER]     = { "SPA space map header", PAYLOAD_UINT64, META },
	[OT_SPACE_MAP]            = { "SPA space map", PAYLOAD_UINT64, META },
	[OT_INTENT_LOG]           = { "ZIL intent log", PAYLOAD_UINT64, META | CRYPT },
	[OT_DNODE]                = { "DMU dnode", PAYLOAD_DNODE, META | CRYPT },
	[OT_OBJSET]               = { "DMU objset", PAYLOAD_OBJSET, META },
	[OT_DSL_DIR]              = { "DSL directory", PAYLOAD_UINT64, META },
	[OT_DSL_DIR_CHILD_MAP]    = { "DSL directory child map", PAYLOAD_ZAP, META },
	[OT_DSL_DS_SNAP_MAP]      = { "DSL dataset snap map", PAYLOAD_ZAP, META },
	[OT_DSL_PROPS]            = { "DSL props", PAYLOAD_ZAP, META },
	[OT_DSL_DATASET]          = { "DSL dataset", PAYLOAD_UINT64, META },
	[OT_ZNODE]                = { "ZFS znode", PAYLOAD_ZNODE, META },
	[OT_OLDACL]               = { "ZFS V0 ACL", PAYLOAD_OLDACL, META | CRYPT },
	[OT_PLAIN_FILE]           = { "ZFS plain file", PAYLOAD_UINT8, CRYPT },
	[OT_DIRECTORY]            = { "ZFS directory", PAYLOAD_ZAP, META | CRYPT },
	[OT_MASTER_NODE]          = { "ZFS master node", PAYLOAD_ZAP, META },
	[OT_UNLINKED_SET]         = { "ZFS delete queue", PAYLOAD_ZAP, META | CRYPT },
	[OT_ZVOL]                 = { "zvol object", PAYLOAD_UINT8, CRYPT },
	[OT_ZVOL_PROP]            = { "zvol prop", PAYLOAD_ZAP, META },
	[OT_PLAIN_OTHER]          = { "other uint8[]", PAYLOAD_UINT8, CRYPT },
	[OT_UINT64_OTHER]         = { "other uint64[]", PAYLOAD_UINT64, CRYPT },
	[OT_ZAP_OTHER]            = { "other ZAP", PAYLOAD_ZAP, META },
	[OT_ERROR_LOG]            = { "persistent error log", PAYLOAD_ZAP, META },
	[OT_SPA_HISTORY]          = { "SPA history", PAYLOAD_UINT8, META },
	[OT_SPA_HISTORY_OFFSETS]  = { "SPA history offsets", PAYLOAD_UINT64, META },
	[OT_POOL_PROPS]           = { "Pool properties", PAYLOAD_ZAP, META },
	[OT_DSL_PERMS]            = { "DSL permissions", PAYLOAD_ZAP, META },
	[OT_ACL]                  = { "ZFS ACL", PAYLOAD_ACL, META | CRYPT },
	[OT_SYSACL]               = { "ZFS SYSACL", PAYLOAD_UINT8, META | CRYPT },
	[OT_FUID]                 = { "FUID table", PAYLOAD_UINT8, META | CRYPT },
	[OT_FUID_SIZE]            = { "FUID table size", PAYLOAD_UINT64, META },
	[OT_NEXT_CLONES]          = { "DSL dataset next clones", PAYLOAD_ZAP, META },
	[OT_SCAN_QUEUE]           = { "scan work queue", PAYLOAD_ZAP, META },
	[OT_USERGROUP_USED]       = { "ZFS user/group/project used", PAYLOAD_ZAP, META | CRYPT },
	[OT_USERGROUP_QUOTA]      = { "ZFS user/group/project quota", PAYLOAD_ZAP, META | CRYPT },
	[OT_USERREFS]             = { "snapshot refcount tags", PAYLOAD_ZAP, META },
	[OT_DDT_ZAP]              = { "DDT ZAP algorithm", PAYLOAD_ZAP, META },
	[OT_DDT_STATS]            = { "DDT statistics", PAYLOAD_ZAP, META },
	[OT_SA]                   = { "System attributes", PAYLOAD_UINT8, META | CRYPT },
	[OT_SA_MASTER_NODE]       = { "SA master node", PAYLOAD_ZAP, META | CRYPT },
	[OT_SA_ATTR_REGISTRATION] = { "SA attr registration", PAYLOAD_ZAP, META | CRYPT },
	[OT_SA_ATTR_LAYOUTS]      = { "SA attr layouts", PAYLOAD_ZAP, META | CRYPT },
	[OT_SCAN_XLATE]           = { "scan translations", PAYLOAD_ZAP, META },
	[OT_DEDUP]                = { "deduplicated block", PAYLOAD_UINT8, CRYPT },
	[OT_DEADLIST]             = { "DSL deadlist map", PAYLOAD_ZAP, META },
	[OT_DEADLIST_HDR]         = { "DSL deadlist map hdr", PAYLOAD_UINT64, META },
	[OT_DSL_CLONES]           = { "DSL dir clones", PAYLOAD_ZAP, META },
	[OT_BPOBJ_SUBOBJ]         = { "bpobj subobj", PAYLOAD_UINT64, META },
};

static const char *const payload_names[PAYLOAD_ACL + 1] = {
	[PAYLOAD_UINT8] = "uint8", [PAYLOAD_UINT16] = "uint16", [PAYLOAD_UINT32] = "uint32",
	[PAYLOAD_UINT64] = "uint64", [PAYLOAD_ZAP] = "zap", [PAYLOAD_DNODE] = "dnode",
	[PAYLOAD_OBJSET] = "objset", [PAYLOAD_ZNODE] = "znode", [PAYLOAD_OLDACL] = "oldacl",
	[PAYLOAD_ACL] = "acl",
};
/* clang-format on */

static bool is_new(unsigned type)
{
	return type <= UINT8_MAX && (type & OT_NEWTYPE) != 0;
}

bool objtype_known(unsigned type)
{
	if (is_new(type))
		return (type & OT_BYTESWAP_MASK) <= PAYLOAD_ACL;
	return type < OT_COUNT;
}

const char *objtype_name(unsigned type)
{
	if (!objtype_known(type))
		return "unknown";
	return is_new(type) ? payload_names[type & OT_BYTESWAP_MASK] : kinds[type].name;
}

bool objtype_is_metadata(unsigned type)
{
	if (is_new(type))
		return (type & OT_METADATA_BIT) != 0;
	/* What nobody knows is better kept in too many copies than in too few. */
	return type >= OT_COUNT || (kinds[type].flags & META) != 0;
}

bool objtype_is_encrypted(unsigned type)
{
	if (is_new(type))
		return (type & OT_ENCRYPTED_BIT) != 0;
	return type < OT_COUNT && (kinds[type].flags & CRYPT) != 0;
}

enum payload objtype_payload(unsigned type)
{
	if (!objtype_known(type))
		return PAYLOAD_UINT8;
	return is_new(type) ? (enum payload)(type & OT_BYTESWAP_MASK) : kinds[type].payload;
}
