/* output/draw.h - bars, sparklines and histograms in text */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_DRAW_H
#define TRACESH_OUTPUT_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output.h"

/* Returns the columns of the terminal that out writes to; 80 for anything else. */
size_t tsh_out_width(const struct tsh_out *out);
/* Returns the rows of that terminal; 24 for anything else. */
size_t tsh_out_rows(const struct tsh_out *out);

/*
 * Appends a bar of value / max of `width` columns; a value that is not 0 has at least the smallest
 * part of a column. Uses blocks, or '#' where the locale has no UTF-8. Appends no blanks behind it.
 */
void tsh_bar(struct tsh_strbuf *to, uint64_t value, uint64_t max, size_t width, bool utf8);
/* Appends a character for each of n values, as high as the value is; that of the highest value
 * is a full block. */
void tsh_sparkline(struct tsh_strbuf *to, const uint32_t *values, size_t n, bool utf8);

struct tsh_histogram_row {
	char *range;			/* "4 -> 7" */
	uint64_t count;
};
/* Appends a line " 4 -> 7 : 12 |**** |" for each row, within `width` columns, and a line of
 * titles above. */
void tsh_histogram(struct tsh_strbuf *to, const char *title,
		   const struct tsh_histogram_row *rows, size_t n, size_t width);

#endif
