/* lang/contradiction.h - filters that can never be true */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_CONTRADICTION_H
#define TRACESH_LANG_CONTRADICTION_H

#include <stdbool.h>
#include <stdint.h>

enum tsh_compare_op {
	TSH_COMPARE_EQ, TSH_COMPARE_NE, TSH_COMPARE_LT, TSH_COMPARE_GE, TSH_COMPARE_GT,
	TSH_COMPARE_LE, TSH_COMPARE_MATCH, TSH_COMPARE_NO_MATCH, TSH_COMPARE_BITS,
	TSH_COMPARE_NO_BITS
};

/* Holds one comparison of a filter; a '!' before it is already applied. */
struct tsh_comparison {
	char *field;
	enum tsh_compare_op op;
	char *value;		/* without its quotes */
	bool quoted;
	bool has_number;	/* the value is a number, and fits int64 */
	int64_t number;
	bool inverted;		/* a '!' stood before it */
};

/* Holds functions that know the fields of the event. Each function may be NULL. */
struct tsh_contradiction_facts {
	/* Returns why this comparison alone is never true ("no task has this pid"), or NULL. The
	 * caller frees it. */
	char *(*why_never)(void *ctx, const struct tsh_comparison *c);
	/* Narrows the numbers that a field can have. *lowest is INT64_MIN and *highest INT64_MAX
	 * before. */
	void (*range)(void *ctx, const char *field, int64_t *lowest, int64_t *highest);
	/* Changes the number to what the kernel compares with. */
	void (*as_kernel)(void *ctx, struct tsh_comparison *c);
	void *ctx;
};

/*
 * Returns why a filter in the kernel's grammar can never be true, such as "'pid < 0' is never
 * true"; the caller frees the text. Returns NULL when the filter can be true or is too complex, and
 * when it has a fault, which the kernel reports.
 */
char *tsh_contradiction(const char *filter, const struct tsh_contradiction_facts *facts);

#endif
