/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

#define SUB_BITS 4
#define SUB	 (1U << SUB_BITS) /* buckets for each power of two */

static size_t bucket_of(uint64_t number)
{
	unsigned int power;

	if (number < SUB)
		return (size_t)number;
	power = 63 - (unsigned int)__builtin_clzll(number);
	return (power - SUB_BITS + 1) * SUB + (number >> (power - SUB_BITS) & (SUB - 1));
}

static uint64_t high_of(size_t bucket)
{
	unsigned int shift;

	if (bucket < SUB)
		return bucket;
	shift = (unsigned int)(bucket / SUB) - 1;
	return ((uint64_t)(SUB + bucket % SUB) << shift) + ((UINT64_C(1) << shift) - 1);
}

/* Makes room for a bucket, and for the others of its power of two, which will probably be used
 * too. */
static void make_room(struct tsh_distribution *s, size_t bucket)
{
	size_t begin = bucket / SUB * SUB, end = begin + SUB;
	uint32_t *counts;

	if (s->len && s->first < begin)
		begin = s->first;
	if (s->len && s->first + s->len > end)
		end = s->first + s->len;
	counts = tsh_xcalloc(end - begin, sizeof(*counts));
	if (s->len)
		memcpy(counts + (s->first - begin), s->counts, s->len * sizeof(*counts));
	free(s->counts);
	s->counts = counts;
	s->first = begin;
	s->len = end - begin;
}

void tsh_distribution_add(struct tsh_distribution *s, uint64_t number)
{
	size_t bucket = bucket_of(number);
	uint32_t *count;

	if (bucket - s->first >= s->len)
		make_room(s, bucket);
	count = &s->counts[bucket - s->first];
	s->n += *count < UINT32_MAX;
	*count += *count < UINT32_MAX;
}

uint64_t tsh_distribution_percentile(const struct tsh_distribution *s, unsigned int permille)
{
	uint64_t rank = s->n / 1000 * permille + (s->n % 1000 * permille + 999) / 1000, sum = 0;
	size_t i;

	if (!rank)
		rank = 1;
	for (i = 0; i < s->len; i++) {
		sum += s->counts[i];
		if (sum >= rank)
			break;
	}
	return high_of(s->first + i);
}

uint64_t tsh_distribution_log2(const struct tsh_distribution *s, unsigned int bucket)
{
	size_t i, begin, end;
	uint64_t sum = 0;

	if (bucket < SUB_BITS) {
		begin = bucket ? (size_t)1 << bucket : 0;
		end = (size_t)2 << bucket;
	} else {
		begin = (size_t)(bucket - SUB_BITS + 1) * SUB;
		end = begin + SUB;
	}
	for (i = begin; i < end; i++)
		if (i - s->first < s->len)
			sum += s->counts[i - s->first];
	return sum;
}

void tsh_distribution_release(struct tsh_distribution *s)
{
	free(s->counts);
	*s = (struct tsh_distribution){ 0 };
}
