/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_REGEX_CODE_H
#define TRACESH_QUERY_REGEX_CODE_H

#include <stdint.h>

#include "base/vec.h"
#include "regex.h"

#define REGEX_STEPS_MAX 4000
#define REGEX_DEPTH_MAX 100
#define REGEX_NO_CHAR	UINT32_MAX /* before the text, and behind it */

enum regex_op {
	REGEX_CHAR, /* takes the character `arg` */
	REGEX_ANY, /* takes any */
	REGEX_SET, /* takes one of the set `arg` */
	REGEX_ASSERT, /* goes on if `arg` holds here, an enum regex_assert */
	REGEX_JUMP, /* goes on `arg` steps from here */
	REGEX_SPLIT, /* goes on with the next step, and `arg` steps from here */
	REGEX_FOUND,
};

enum regex_assert {
	REGEX_BEGIN,
	REGEX_END,
	REGEX_WORD_EDGE,
	REGEX_NO_WORD_EDGE,
	REGEX_WORD_BEGIN,
	REGEX_WORD_END,
};

/* Steps name each other by distance: a run of them can be copied and moved. */
struct regex_step {
	enum regex_op op;
	int32_t arg;
};

struct regex_range {
	uint32_t low; /* characters: code points, */
	uint32_t high; /* or what regex_take makes of a stray byte */
};

struct regex_set {
	TSH_VEC(struct regex_range) ranges;	/* sorted, with gaps between them */
	bool is_negated;
};

struct query_regex {
	TSH_VEC(struct regex_step) steps;
	TSH_VEC(struct regex_set) sets;
	bool can_begin[256]; /* a match, with that byte, behind others */
};

/* Sets can_begin, once all steps are there. */
void regex_find_begins(struct query_regex *regex);

/* The character at `at`, before `end`, which moves behind it. */
uint32_t regex_take(const char **at, const char *end);

/*
 * A bracket expression, from behind its "[": *at moves behind the "]". NULL, or what is wrong
 * with it; what has been taken of it is in the set all the same.
 */
const char *regex_parse_bracket(const char **at, struct regex_set *set);
/* Adds the characters of a class, "digit". False: there is none of that name. */
bool regex_add_class(struct regex_set *set, const char *name, size_t len);
void regex_add_range(struct regex_set *set, uint32_t low, uint32_t high);
/* Sorts the ranges when all of them are there, and makes one of those that touch. */
void regex_sort_set(struct regex_set *set);

#endif
