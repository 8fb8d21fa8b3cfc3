/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "draw.h"

#define LEVELS 8

void tsh_sparkline(struct tsh_strbuf *to, const uint32_t *values, size_t n, bool utf8)
{
	static const char *const blocks[LEVELS + 1] = {
		" ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
	};
	static const char ascii[] = " .,:;+*%#";
	uint32_t max = 0;
	size_t i, level;

	for (i = 0; i < n; i++)
		if (values[i] > max)
			max = values[i];
	for (i = 0; i < n; i++) {
		/* rounds up, so that what is not 0 can be seen */
		level = max ? (size_t)(((uint64_t)values[i] * LEVELS + max - 1) / max) : 0;
		if (utf8)
			tsh_strbuf_adds(to, blocks[level]);
		else
			tsh_strbuf_addc(to, ascii[level]);
	}
}
