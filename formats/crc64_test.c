#include <criterion/criterion.h>

#include "formats/crc64.h"

Test(crc64, the_check_value_of_crc_64_xz)
{
	/*
	 * CRC-64/XZ is this polynomial from all ones with a final inversion;
	 * its published check value.
	 */
	cr_assert_eq(~crc64_of(UINT64_MAX, "123456789", 9), UINT64_C(0x995dc9bbdf1939fa));
}

Test(crc64, every_entry_is_eight_steps_of_its_index)
{
	for (unsigned i = 0; i < 256; i++) {
		uint64_t v = i;

		for (int step = 0; step < 8; step++)
			v = v >> 1 ^ (v & 1 ? UINT64_C(0xc96c5795d7870f42) : 0);
		cr_assert_eq(crc64_table[i], v, "entry %u", i);
	}
}

Test(crc64, no_bytes_leave_the_start_value)
{
	cr_assert_eq(crc64_of(42, NULL, 0), 42);
}
