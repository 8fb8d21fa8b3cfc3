/* lang/filter-place.h - where in a filter the cursor stands */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_FILTER_PLACE_H
#define TRACESH_LANG_FILTER_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "lexer.h"

enum tsh_filter_at {
	TSH_FILTER_AT_FIELD,	/* a comparison begins, or '!' or '(' */
	TSH_FILTER_AT_OPERATOR,
	TSH_FILTER_AT_VALUE,
	TSH_FILTER_AT_JUNCTION,	/* behind a comparison: && || ) or the end */
	TSH_FILTER_AT_NOWHERE,	/* the text so far is no filter */
};

/* Says where the cursor is. Spans are bytes of the filter; {0, 0} when there is no such word. */
struct tsh_filter_place {
	enum tsh_filter_at at;
	size_t word;		/* start of the word that is being typed */
	struct tsh_span field;	/* field of the comparison, without a ".function" behind it */
	struct tsh_span op;
	bool is_function;	/* FIELD.function */
	char quote;		/* of a string that is open, or '\0' */
	unsigned int depth;	/* of open parentheses */
};

/* Finds the place at the end of the first `len` bytes of a filter in the kernel's grammar. */
void tsh_filter_place_find(const char *text, size_t len, struct tsh_filter_place *ret);

#endif
