/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_FILTER_SCAN_H
#define TRACESH_LANG_FILTER_SCAN_H

/* Shared by filter-hint.c (the expression) and filter-value.c (what stands behind an operator). */

#include "filter-hint.h"

struct filter_scan {
	const char *text;
	size_t pos;
	const struct tsh_filter_event *event;
	struct tsh_filter_fault *fault;
	const char *novelty;	/* a form that older kernels do not know */
};

/* Holds a comparison as far as it was read. */
struct filter_comparison {
	const struct tsh_filter_field *field;
	struct tsh_span name;
	struct tsh_span op;
	bool is_function;	/* FIELD.function */
};

/* Sets the fault; always returns false. */
bool filter_blame(struct filter_scan *s, size_t begin, size_t end, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Returns the field of that name, or NULL when the event has none. */
const struct tsh_filter_field *filter_field(const struct filter_scan *s, struct tsh_span name);
void filter_skip_blanks(struct filter_scan *s);
bool filter_at(const struct filter_scan *s, const char *text);
/* Says whether an operand ends here: at the end of the filter, "&&", "||" or ')'. */
bool filter_at_end_of_operand(const struct filter_scan *s);
/* Returns the letters, digits and '_' at the cursor; empty when there are none. */
struct tsh_span filter_word(const struct filter_scan *s);
/* Blames a '$', or a quotation mark of a word processor, and suggests what was meant. */
bool filter_blame_character(struct filter_scan *s);
/* Reads the value behind the operator. Returns false when the fault is set. */
bool filter_value(struct filter_scan *s, const struct filter_comparison *c);

#endif
