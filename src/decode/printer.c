/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "btf.h"
#include "print-lex.h"
#include "tracesh/strbuf.h"

void tsh_decoder_set_printer(struct tsh_decoder *d, const struct tsh_printer *printer)
{
	d->printer = *printer;
}

const struct tsh_page_layout *tsh_decoder_layout(const struct tsh_decoder *d)
{
	return &d->layout;
}

struct tsh_symbols *tsh_decoder_symbols(const struct tsh_decoder *d)
{
	return d->symbols;
}

bool format_may_go(const struct tsh_event_format *format)
{
	size_t i;

	for (i = 0; i < format->nfields; i++)
		if (!strncmp(format->fields[i].name, "__probe_", strlen("__probe_")))
			return true;
	return !strcmp(format->system, "synthetic");
}

bool printer_is_for(const struct tsh_decoder *d, const struct tsh_event_format *format)
{
	return d->printer.ctx && (format->unprintable || d->printer.all) &&
	       !format_may_go(format) && strcmp(format->system, "ftrace") != 0;
}

/* Appends a word of the print format; of an enumerator, which the kernel may name without its number, that. */
static void add_word(const struct tsh_decoder *d, const struct token *word, bool is_member, struct tsh_strbuf *out)
{
	char *name = tsh_xasprintf("%.*s", (int)word->len, word->text);
	const char *next = word->text + word->len;
	int64_t value;

	if (word->kind == TOKEN_NAME && isupper((unsigned char)name[0]) && !is_member && next[strspn(next, " ")] != '(' &&
	    strcmp(name, "REC") != 0 && tsh_enums_value(d->env.enums, name, &value))
		tsh_strbuf_addf(out, "%lld", (long long)value);
	else
		tsh_strbuf_adds(out, name);
	free(name);
}

/* Appends a string of the print format; "%#x" as "0x%x", and "%#06x" as "0x%04x", for the kernel prints 0x0 where the C
 * library prints 0. */
static void add_string(const char *p, const char *end, struct tsh_strbuf *out)
{
	while (p < end) {
		size_t zero, digits, size, len;
		int width;

		if (p[0] != '%' || p[1] != '#') {
			tsh_strbuf_addc(out, *p++);
			continue;
		}
		zero = p[2] == '0';
		digits = strspn(p + 2, "0123456789");
		size = strspn(p + 2 + digits, "lhz");
		len = 2 + digits + size;
		width = digits ? (int)strtoul(p + 2, NULL, 10) - 2 : 0;
		if (p[len] == 'x' && (zero || !digits) && digits < 4 && width >= 0) {
			tsh_strbuf_adds(out, "0x%");
			if (width)
				tsh_strbuf_addf(out, "0%d", width);
			tsh_strbuf_add(out, p + 2 + digits, size);
		} else {
			tsh_strbuf_add(out, p, len);
		}
		p += len;
	}
}

char *printer_text(const struct tsh_decoder *d, const char *text)
{
	const char *p = strstr(text, "print fmt:"), *end = text + strlen(text), *from;
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	bool is_member = false;
	struct token token;

	if (!p)
		return tsh_xstrdup(text);
	p += strlen("print fmt:");
	tsh_strbuf_add(&out, text, (size_t)(p - text));
	for (from = p; p = token_next(p, end, d->layout.long_size, &token), token.kind != TOKEN_END; from = p) {
		tsh_strbuf_add(&out, from, (size_t)(token.text - from));
		if (token.kind == TOKEN_STRING)
			add_string(token.text, p, &out);
		else
			add_word(d, &token, is_member, &out);
		is_member = token.punct == '.' || token.punct == PUNCT2('-', '>');
	}
	tsh_strbuf_addc(&out, '\n');
	return tsh_strbuf_detach(&out);
}
