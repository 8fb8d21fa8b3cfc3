/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TALLY_MIX_H
#define TRACESH_TALLY_MIX_H

#include <stdint.h>

/* The finalizer of MurmurHash3: every bit of it depends on every bit. */
static inline uint64_t tally_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

#endif
