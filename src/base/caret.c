/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "caret.h"

#include "utf8.h"

void tsh_caret_source(struct tsh_strbuf *out, const char *text, size_t len)
{
	size_t i, from = 0;

	for (i = 0; i <= len; i++) {
		if (i < len && text[i] != '\t')
			continue;
		tsh_sanitize(out, text + from, i - from);
		if (i < len)
			tsh_strbuf_addc(out, ' ');
		from = i + 1;
	}
}

static size_t shown_width(const char *text, size_t len)
{
	struct tsh_strbuf shown = TSH_STRBUF_INIT;
	size_t width;

	tsh_caret_source(&shown, text, len);
	width = tsh_utf8_width(shown.buf, shown.len);
	tsh_strbuf_release(&shown);
	return width;
}

void tsh_caret_add(struct tsh_strbuf *out, const char *text, size_t begin, size_t end,
		   struct tsh_span span)
{
	size_t from = span.begin < begin ? begin : span.begin;
	size_t to = span.end > end ? end : span.end;
	size_t width;

	tsh_strbuf_addn(out, ' ', shown_width(text + begin, from - begin));
	tsh_strbuf_addc(out, '^');
	width = to > from ? shown_width(text + from, to - from) : 1;
	if (width > 1)
		tsh_strbuf_addn(out, '~', width - 1);
	tsh_strbuf_addc(out, '\n');
}
