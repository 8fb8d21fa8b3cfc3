/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include "base/utf8.h"

static size_t count_digits(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= '0' && text[n] <= '9')
		n++;
	return n;
}

/* Says whether a text is a number: [+-]digits[.digits][e[+-]digits]. */
static bool is_number(const char *text, size_t len)
{
	size_t i = len && (*text == '-' || *text == '+');
	size_t n = count_digits(text + i, len - i);

	if (!n)
		return false;
	i += n;
	if (i < len && text[i] == '.') {
		n = count_digits(text + i + 1, len - i - 1);
		if (!n)
			return false;
		i += 1 + n;
	}
	if (i < len && (text[i] == 'e' || text[i] == 'E')) {
		i++;
		i += i < len && (text[i] == '-' || text[i] == '+');
		n = count_digits(text + i, len - i);
		if (!n)
			return false;
		i += n;
	}
	return i == len;
}

/* Says whether a spreadsheet would run a text as a formula, perhaps after removing something
 * before it. */
static bool is_formula(const char *text, size_t len)
{
	if (!len || (unsigned char)*text > '@')
		return false;
	return (*text == '=' || *text == '+' || *text == '-' || *text == '@' || *text == '\t' || *text == '\r') &&
	       !is_number(text, len);
}

/* Appends a text of any kind. */
static void __attribute__((noinline)) add_any(struct tsh_strbuf *out, const char *text, size_t len, bool is_run)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;
	size_t i;

	if (is_run)
		tsh_strbuf_addc(&clean, '\'');
	tsh_sanitize(&clean, text, len);
	if (!memchr(clean.buf, ',', clean.len) && !memchr(clean.buf, '"', clean.len)) {
		tsh_strbuf_add(out, clean.buf, clean.len);
	} else {
		tsh_strbuf_addc(out, '"');
		for (i = 0; i < clean.len; i++) {
			if (clean.buf[i] == '"')
				tsh_strbuf_addc(out, '"');
			tsh_strbuf_addc(out, clean.buf[i]);
		}
		tsh_strbuf_addc(out, '"');
	}
	tsh_strbuf_release(&clean);
}

void tsh_csv_make_cell(struct tsh_strbuf *out, size_t begin)
{
	struct tsh_strbuf copy = TSH_STRBUF_INIT;
	char *text = out->buf + begin;
	size_t len = out->len - begin;
	bool is_run = is_formula(text, len);
	size_t plain = tsh_plain_run(text, len, ',', '"');

	if (plain == len && !is_run)
		return;
	/* only needs quotes around it */
	if (!is_run && text[plain] == ',' && tsh_plain_run(text + plain, len - plain, '"', '"') == len - plain) {
		tsh_strbuf_grow(out, 2);
		text = out->buf + begin;
		memmove(text + 1, text, len);
		*text = text[len + 1] = '"';
		text[len + 2] = '\0';
		out->len += 2;
		return;
	}
	tsh_strbuf_add(&copy, text, len);
	tsh_strbuf_truncate(out, begin);
	add_any(out, copy.buf, len, is_run);
	tsh_strbuf_release(&copy);
}

void tsh_csv_cell(struct tsh_strbuf *out, const char *text, size_t len)
{
	size_t begin = out->len;

	tsh_strbuf_add(out, text, len);
	tsh_csv_make_cell(out, begin);
}
