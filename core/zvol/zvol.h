/*
 * What a volume consists of.
 * Source: OpenZFS zvol_impl.h, zvol.c (ZVOL_OBJ, ZVOL_ZAP_OBJ, zvol_create_cb, zvol_get_stats).
 */
#ifndef CORE_ZVOL_ZVOL_H
#define CORE_ZVOL_ZVOL_H

enum {
	ZVOL_DATA_OBJECT = 1, /* the bytes; its block size is volblocksize */
	ZVOL_ZAP_OBJECT = 2,  /* "size" -> bytes, a multiple of volblocksize */
};
#define ZVOL_SIZE_KEY "size"

#endif
