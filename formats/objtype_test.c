#include <criterion/criterion.h>

#include "formats/objtype.h"

Test(objtype, old_types_have_names_and_shapes)
{
	cr_assert_str_eq(objtype_name(OT_PLAIN_FILE), "ZFS plain file");
	cr_assert_str_eq(objtype_name(OT_BPOBJ_SUBOBJ), "bpobj subobj");
	cr_assert_eq(objtype_payload(OT_DNODE), PAYLOAD_DNODE);
	cr_assert_eq(objtype_payload(OT_MASTER_NODE), PAYLOAD_ZAP);
	for (unsigned t = 0; t < OT_COUNT; t++)
		cr_assert(objtype_known(t) && objtype_name(t) != NULL, "type %u", t);
}

Test(objtype, only_user_data_is_not_metadata)
{
	unsigned data = 0;

	for (unsigned t = 0; t < OT_COUNT; t++)
		data += !objtype_is_metadata(t);
	/* plain file, zvol, the two test types, deduplicated block */
	cr_assert_eq(data, 5);
	cr_assert_not(objtype_is_metadata(OT_PLAIN_FILE));
	cr_assert(objtype_is_metadata(OT_DIRECTORY));
}

Test(objtype, new_types_say_it_in_their_bits)
{
	cr_assert_str_eq(objtype_name(OTN_ZAP_METADATA), "zap");
	cr_assert_str_eq(objtype_name(OTN_UINT8_DATA), "uint8");
	cr_assert_eq(objtype_payload(OTN_UINT64_METADATA), PAYLOAD_UINT64);
	cr_assert(objtype_is_metadata(OTN_UINT64_METADATA));
	cr_assert_not(objtype_is_metadata(OTN_UINT64_DATA));
	cr_assert(objtype_is_encrypted(OTN_ZAP_DATA | OT_ENCRYPTED_BIT));
	cr_assert_not(objtype_is_encrypted(OTN_ZAP_DATA));
}

Test(objtype, numbers_that_mean_nothing_are_unknown)
{
	const unsigned numbers[] = { OT_COUNT, 0x7f, OT_NEWTYPE | 10, 0x9f, 0x100, 0x184 };

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		cr_assert_not(objtype_known(numbers[i]));
		cr_assert_str_eq(objtype_name(numbers[i]), "unknown");
		cr_assert_eq(objtype_payload(numbers[i]), PAYLOAD_UINT8);
	}
}
