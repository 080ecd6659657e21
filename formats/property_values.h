/* Named values of properties. Private to formats/property*.c. */
#ifndef FORMATS_PROPERTY_VALUES_H
#define FORMATS_PROPERTY_VALUES_H

#include "formats/property.h"

extern const struct property_value switch_values[], yesno_values[], checksum_values[],
	dedup_values[], compression_values[], snapdir_values[], snapdev_values[], aclmode_values[],
	acltype_values[], aclinherit_values[], casesensitivity_values[], copies_values[],
	normalization_values[], version_values[], canmount_values[], xattr_values[],
	dnodesize_values[], redundant_values[], volmode_values[], direct_values[], cache_values[],
	sync_values[], logbias_values[], encryption_values[], keyformat_values[],
	keystatus_values[], failmode_values[];

#endif
