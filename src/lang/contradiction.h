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

/* One comparison of a filter, a '!' before it already taken into account. */
struct tsh_comparison {
	char *field;
	enum tsh_compare_op op;
	char *value;		/* without its quotes */
	bool quoted;
	bool has_number;	/* and it fits int64 */
	int64_t number;
	bool inverted;		/* by a '!' */
};

/* What is known about the fields. Each may be NULL. */
struct tsh_contradiction_facts {
	/* Why this comparison alone is never true ("no task has this pid"), or NULL; the
	 * caller frees it. */
	char *(*never)(void *ctx, const struct tsh_comparison *c);
	/* The numbers that the field can have; both ends are preset with those of int64. */
	void (*range)(void *ctx, const char *field, int64_t *lowest, int64_t *highest);
	/* Makes the number what the kernel makes of it. */
	void (*as_kernel)(void *ctx, struct tsh_comparison *c);
	void *ctx;
};

/*
 * Why a filter in the kernel's grammar can never be true, as text that the caller frees:
 * "'pid < 0' is never true". NULL: it can be, or it is too involved to tell, or it is no
 * filter: the kernel judges that.
 */
char *tsh_contradiction(const char *filter, const struct tsh_contradiction_facts *facts);

#endif
