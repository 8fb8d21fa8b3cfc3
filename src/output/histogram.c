/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "draw.h"

/* Draws histograms as the tools of bcc do, because people know these. */

#define RANGE_WIDTH 24
#define COUNT_WIDTH 8
#define BAR_MAX	    40
#define BAR_MIN	    8

void tsh_histogram(struct tsh_strbuf *to, const char *title, const struct tsh_histogram_row *rows,
		   size_t n, size_t width)
{
	size_t range = RANGE_WIDTH, bar, i, stars;
	uint64_t max = 0;

	for (i = 0; i < n; i++) {
		if (rows[i].count > max)
			max = rows[i].count;
		if (strlen(rows[i].range) > range)
			range = strlen(rows[i].range);
	}
	/* subtracts " : ", " |", "|" */
	bar = width > range + COUNT_WIDTH + 6 + BAR_MIN ? width - range - COUNT_WIDTH - 6 : BAR_MIN;
	if (bar > BAR_MAX)
		bar = BAR_MAX;
	tsh_strbuf_addf(to, "%*s : %-*s  distribution\n", (int)range, title, COUNT_WIDTH, "count");
	for (i = 0; i < n; i++) {
		stars = max ? (size_t)((double)rows[i].count / (double)max * (double)bar) : 0;
		tsh_strbuf_addf(to, "%*s : %-*llu |", (int)range, rows[i].range, COUNT_WIDTH,
				(unsigned long long)rows[i].count);
		tsh_strbuf_addn(to, '*', stars);
		tsh_strbuf_addn(to, ' ', bar - stars);
		tsh_strbuf_adds(to, "|\n");
	}
}
