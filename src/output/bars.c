/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/ioctl.h>

#include "draw.h"

static struct winsize window_of(const struct tsh_out *out)
{
	struct winsize size = { 0 };

	if (!out->is_terminal || ioctl(out->fd, TIOCGWINSZ, &size) < 0)
		size = (struct winsize){ 0 };
	return size;
}

size_t tsh_out_width(const struct tsh_out *out)
{
	struct winsize size = window_of(out);

	return size.ws_col ? size.ws_col : 80;
}

size_t tsh_out_rows(const struct tsh_out *out)
{
	struct winsize size = window_of(out);

	return size.ws_row ? size.ws_row : 24;
}

void tsh_bar(struct tsh_strbuf *to, uint64_t value, uint64_t max, size_t width, bool utf8)
{
	/* a full block, U+2588, and blocks of 7 to 1 eighths */
	static const char *const parts[] = { "",       "\u258f", "\u258e", "\u258d",
					     "\u258c", "\u258b", "\u258a", "\u2589" };
	size_t eighths = max ? (size_t)((double)value / (double)max * (double)width * 8 + 0.5) : 0;
	size_t i;

	if (value && !eighths)
		eighths = 1;
	if (!utf8) {
		tsh_strbuf_addn(to, '#', eighths / 8 + (eighths && eighths < 8));
		return;
	}
	for (i = 0; i < eighths / 8; i++)
		tsh_strbuf_adds(to, "\u2588");
	tsh_strbuf_adds(to, parts[eighths % 8]);
}
