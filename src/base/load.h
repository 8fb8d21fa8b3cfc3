/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_LOAD_H
#define TRACESH_BASE_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TSH_HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Read numbers of a ring buffer, in either byte order. They are aligned to 4 bytes at best. */
static inline uint16_t load_u16(const void *p, bool big_endian)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TSH_HOST_BIG_ENDIAN ? v : __builtin_bswap16(v);
}

static inline uint32_t load_u32(const void *p, bool big_endian)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TSH_HOST_BIG_ENDIAN ? v : __builtin_bswap32(v);
}

static inline uint64_t load_u64(const void *p, bool big_endian)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big_endian == TSH_HOST_BIG_ENDIAN ? v : __builtin_bswap64(v);
}

/* Reads a number of 1, 2, 4 or 8 bytes. */
static inline uint64_t load_unsigned(const void *p, uint32_t size, bool big_endian)
{
	switch (size) {
	case 1:
		return *(const unsigned char *)p;
	case 2:
		return load_u16(p, big_endian);
	case 4:
		return load_u32(p, big_endian);
	default:
		return load_u64(p, big_endian);
	}
}

static inline int64_t load_signed(const void *p, uint32_t size, bool big_endian)
{
	switch (size) {
	case 1:
		return *(const signed char *)p;
	case 2:
		return (int16_t)load_u16(p, big_endian);
	case 4:
		return (int32_t)load_u32(p, big_endian);
	default:
		return (int64_t)load_u64(p, big_endian);
	}
}

#endif
