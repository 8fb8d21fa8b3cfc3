/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "regex-code.h"

/* Follows all ways through the program at once, a character at a time (K. Thompson, CACM 11,
 * 1968). */

/* Holds a set of steps. */
struct ways {
	uint16_t step[REGEX_STEPS_MAX];
	size_t n;
	uint64_t seen[(REGEX_STEPS_MAX + 63) / 64];
};

static void clear(struct ways *ways, const struct query_regex *regex)
{
	ways->n = 0;
	memset(ways->seen, 0, (regex->steps.n + 63) / 64 * sizeof(ways->seen[0]));
}

static void add_step(struct ways *ways, size_t step)
{
	uint64_t bit = UINT64_C(1) << step % 64;

	if (ways->seen[step / 64] & bit)
		return;
	ways->seen[step / 64] |= bit;
	ways->step[ways->n++] = (uint16_t)step;
}

static bool is_word(uint32_t c)
{
	return c < 0x80 && (isalnum((int)c) || c == '_');
}

static bool holds(int32_t kind, uint32_t before, uint32_t behind)
{
	switch (kind) {
	case REGEX_BEGIN:
		return before == REGEX_NO_CHAR;
	case REGEX_END:
		return behind == REGEX_NO_CHAR;
	case REGEX_WORD_EDGE:
		return is_word(before) != is_word(behind);
	case REGEX_NO_WORD_EDGE:
		return is_word(before) == is_word(behind);
	case REGEX_WORD_BEGIN:
		return !is_word(before) && is_word(behind);
	default:
		return is_word(before) && !is_word(behind);
	}
}

static bool has(const struct regex_set *set, uint32_t c)
{
	size_t low = 0, high = set->ranges.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c > set->ranges.v[middle].high)
			low = middle + 1;
		else
			high = middle;
	}
	return (low < set->ranges.n && c >= set->ranges.v[low].low) != set->is_negated;
}

/*
 * Adds the steps that can be reached between two characters without consuming one. Returns true
 * when the end of the program is reached. A step that is added goes to the end of the list, where
 * the loop comes to it later.
 */
static bool spread(const struct query_regex *regex, struct ways *ways, uint32_t before,
		   uint32_t behind)
{
	size_t i;

	for (i = 0; i < ways->n; i++) {
		size_t at = ways->step[i];
		const struct regex_step *step = &regex->steps.v[at];

		switch (step->op) {
		case REGEX_SPLIT:
			add_step(ways, at + 1);
			add_step(ways, at + (size_t)step->arg);
			break;
		case REGEX_JUMP:
			add_step(ways, at + (size_t)step->arg);
			break;
		case REGEX_ASSERT:
			if (holds(step->arg, before, behind))
				add_step(ways, at + 1);
			break;
		case REGEX_FOUND:
			return true;
		default:
			break;
		}
	}
	return false;
}

static bool matches_char(const struct query_regex *regex, size_t at, uint32_t c)
{
	const struct regex_step *step = &regex->steps.v[at];

	return step->op == REGEX_ANY || (step->op == REGEX_CHAR && (uint32_t)step->arg == c) ||
	       (step->op == REGEX_SET && has(&regex->sets.v[step->arg], c));
}

static void step_over(const struct query_regex *regex, const struct ways *from, uint32_t c,
		      struct ways *to)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		if (matches_char(regex, from->step[i], c))
			add_step(to, from->step[i] + 1U);
}

/* Says whether a match can begin with a character that follows another. */
static bool begins(const struct query_regex *regex, uint32_t before, uint32_t c)
{
	struct ways ways;
	size_t i;

	clear(&ways, regex);
	add_step(&ways, 0);
	if (spread(regex, &ways, before, c))
		return true;
	for (i = 0; i < ways.n; i++)
		if (matches_char(regex, ways.step[i], c))
			return true;
	return false;
}

void regex_find_begins(struct query_regex *regex)
{
	uint32_t c;

	for (c = 0; c < 0x100; c++)
		regex->can_begin[c] = c >= 0x80 || begins(regex, 'a', c) || begins(regex, ' ', c);
}

bool query_regex_matches(const struct query_regex *regex, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	uint32_t before = REGEX_NO_CHAR, c;
	struct ways ways[2], *now = &ways[0], *next = &ways[1], *other;

	clear(now, regex);
	for (;;) {
		while (!now->n && at > text && at < end && !regex->can_begin[(unsigned char)*at])
			before = (unsigned char)*at++;
		c = at < end ? regex_read_char(&at, end) : REGEX_NO_CHAR;
		add_step(now, 0); /* a match may begin here */
		if (spread(regex, now, before, c))
			return true;
		if (c == REGEX_NO_CHAR)
			return false;
		clear(next, regex);
		step_over(regex, now, c, next);
		other = now;
		now = next;
		next = other;
		before = c;
	}
}
