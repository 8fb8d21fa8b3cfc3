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
	return len && memchr("=+-@\t\r", *text, 6) && !is_number(text, len);
}

void tsh_csv_cell(struct tsh_strbuf *out, const char *text, size_t len)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;
	bool is_run = is_formula(text, len);
	size_t i;

	/* appends most texts directly, without a copy */
	if (!is_run && len && tsh_plain_run(text, len, ',', '"') == len) {
		tsh_strbuf_add(out, text, len);
		return;
	}
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
