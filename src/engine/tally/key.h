/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_TALLY_KEY_H
#define TRACESH_ENGINE_TALLY_KEY_H

#include "tally.h"

/* Is the finalizer of MurmurHash3: each bit of its result depends on each bit of x. */
static inline uint64_t tally_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/* Returns the kind by which keys are compared: a number that is not negative is the same key,
 * signed or unsigned. */
static inline uint8_t tally_kind_of(struct tsh_tally_part part)
{
	bool is_plain = part.kind == TSH_TALLY_SIGNED && (int64_t)part.number >= 0;

	return (uint8_t)(is_plain ? TSH_TALLY_UNSIGNED : part.kind);
}

#endif
