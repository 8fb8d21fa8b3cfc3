/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_QUERY_REGEX_CODE_H
#define TRACESH_QUERY_REGEX_CODE_H

#include <stdint.h>

#include "base/vec.h"
#include "regex.h"

#define REGEX_STEPS_MAX 4000
#define REGEX_DEPTH_MAX 100
#define REGEX_NO_CHAR	UINT32_MAX /* stands before the text, and behind it */

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

/* Is a step of the program. Steps refer to each other by distance, so that a run of steps can be
 * copied and moved. */
struct regex_step {
	enum regex_op op;
	int32_t arg;
};

struct regex_range {
	uint32_t low; /* characters are code points, */
	uint32_t high; /* or what regex_read_char returns for a stray byte */
};

struct regex_set {
	TSH_VEC(struct regex_range) ranges;	/* sorted and disjoint */
	bool is_negated;
};

struct query_regex {
	TSH_VEC(struct regex_step) steps;
	TSH_VEC(struct regex_set) sets;
	bool can_begin[256]; /* a match can begin with that byte, behind other bytes */
};

/* Sets can_begin, when all steps are there. */
void regex_find_begins(struct query_regex *regex);

/* Reads the character at *at, before `end`, and moves *at behind it. */
uint32_t regex_read_char(const char **at, const char *end);

/*
 * Parses a bracket expression behind its "[", and moves *at behind the "]". Returns NULL, or what
 * is wrong with it; the set then has what was read so far.
 */
const char *regex_parse_bracket(const char **at, struct regex_set *set);
/* Adds the characters of a class such as "digit". Returns false when there is no class of that
 * name. */
bool regex_add_class(struct regex_set *set, const char *name, size_t len);
void regex_add_range(struct regex_set *set, uint32_t low, uint32_t high);
/* Sorts the ranges, when all are there, and joins those that touch. */
void regex_sort_set(struct regex_set *set);

#endif
