/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tally.h"

int tsh_tally_log2(uint64_t number, bool is_signed)
{
	if (is_signed && (int64_t)number < 0)
		return TSH_TALLY_NEGATIVE;
	return number < 2 ? 0 : 63 - __builtin_clzll(number);
}

void tsh_tally_log2_range(int bucket, struct tsh_tally_number *ret_low,
			  struct tsh_tally_number *ret_high)
{
	if (bucket == TSH_TALLY_NEGATIVE) {
		*ret_low = (struct tsh_tally_number){ (uint64_t)INT64_MIN, true };
		*ret_high = (struct tsh_tally_number){ UINT64_MAX, true };
		return;
	}
	ret_low->bits = bucket ? UINT64_C(1) << bucket : 0;
	ret_high->bits = (UINT64_C(2) << bucket) - 1;
	ret_low->is_negative = ret_high->is_negative = false;
}

struct tsh_tally_part tsh_tally_linear(uint64_t number, bool is_signed, uint64_t width)
{
	uint64_t below;

	if (!is_signed || (int64_t)number >= 0)
		return (struct tsh_tally_part){ is_signed ? TSH_TALLY_SIGNED : TSH_TALLY_UNSIGNED,
						number / width };
	/* the first bucket below 0 has -1 to -width */
	below = (UINT64_MAX - number) / width + 1;
	return (struct tsh_tally_part){ TSH_TALLY_SIGNED, 0 - below };
}

void tsh_tally_linear_range(struct tsh_tally_part bucket, uint64_t width,
			    struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high)
{
	bool is_signed = bucket.kind == TSH_TALLY_SIGNED;

	if (is_signed && (int64_t)bucket.number < 0) {
		uint64_t steps = 0 - bucket.number, low;

		/* the bucket ends at INT64_MIN */
		if (__builtin_mul_overflow(steps, width, &low) || low > UINT64_C(1) << 63)
			low = UINT64_C(1) << 63;
		*ret_low = (struct tsh_tally_number){ 0 - low, true };
		*ret_high = (struct tsh_tally_number){ 0 - (steps - 1) * width - 1, true };
		return;
	}
	*ret_low = (struct tsh_tally_number){ bucket.number * width, false };
	*ret_high = *ret_low;
	if (__builtin_add_overflow(ret_low->bits, width - 1, &ret_high->bits))
		ret_high->bits = UINT64_MAX;
}

size_t tsh_tally_percentile(const uint64_t *counts, size_t n, unsigned int percent)
{
	uint64_t all = 0, rank, seen = 0;
	size_t i;

	for (i = 0; i < n; i++)
		all += counts[i];
	/* round up, without a product that overflows */
	rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
	for (i = 0; i + 1 < n; i++) {
		seen += counts[i];
		if (seen >= rank && seen)
			break;
	}
	return i;
}
