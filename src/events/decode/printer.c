/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "events/printfmt/print-lex.h"
#include "events/symbols/btf-internal.h"

void tsh_decoder_set_printer(struct tsh_decoder *d, const struct tsh_printer *printer)
{
	d->printer = *printer;
}

const struct tsh_page_layout *tsh_decoder_layout(const struct tsh_decoder *d)
{
	return &d->layout;
}

char *tsh_decoder_printk_formats(const struct tsh_decoder *d)
{
	return d->provider->printk_formats ? d->provider->printk_formats(d->provider->ctx) : NULL;
}

struct tsh_symbols *tsh_decoder_symbols(const struct tsh_decoder *d)
{
	return d->symbols;
}

bool format_is_removable(const struct tsh_event_format *format)
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
	       !format_is_removable(format) && strcmp(format->system, "ftrace") != 0;
}

/* Appends a word of the print format. Replaces an enumerator that the format does not explain by
 * its number. */
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

/* Appends a string of the print format, with "%#x" as "0x%x" and "%#06x" as "0x%04x", because the
 * kernel prints 0x0 where the C library prints 0. */
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

/* ---- what libtraceevent's parser misreads ---- */

#define LEVELS 32

struct level {
	/* where the else part of a condition begins in the text; 0: nowhere */
	size_t colon;
	unsigned int opened;	/* parentheses that were added */
	bool has_operator;
	bool is_operand;	/* the token stands behind an operator */
};

struct brackets {
	struct level levels[LEVELS];
	unsigned int depth;
	bool was_operand;	/* is_operand of the token before */
	/* more than one operator, or a sign that the parser does not know */
	bool is_doubtful;
};

static void end_operand(struct level *level, struct tsh_strbuf *out)
{
	tsh_strbuf_addn(out, ')', level->opened);
	level->opened = 0;
	level->colon = 0;
	level->has_operator = false;
}

static void begin_condition(struct brackets *b, struct level *level, struct tsh_strbuf *out)
{
	b->is_doubtful |= level->is_operand;
	if (level->colon) {
		tsh_strbuf_addc(out, '(');
		memmove(out->buf + level->colon + 1, out->buf + level->colon, out->len - 1 - level->colon);
		out->buf[level->colon] = '(';
		level->opened++;
	}
	level->colon = 0;
	level->has_operator = false;
}

static void note_operator(struct brackets *b, struct level *level, unsigned int punct)
{
	b->is_doubtful |= level->has_operator || level->is_operand || punct == '<' || punct == '>' ||
			  punct == PUNCT2('<', '=') || punct == PUNCT2('>', '=');
	level->has_operator = true;
}

/* Adds parentheses before a token around the second condition of `a ? b : c ? d : e`: without them
 * libtraceevent before 1.9 compares with the last value. */
static void add_brackets(struct brackets *b, const struct token *token, struct tsh_strbuf *out)
{
	struct level *level = &b->levels[b->depth];
	bool was_operand = b->was_operand;

	b->was_operand = token->kind != TOKEN_PUNCT || token->punct == ')' || token->punct == ']';
	if (token->kind != TOKEN_PUNCT)
		return;
	switch (token->punct) {
	case '(': case '[': case '{':
		b->is_doubtful |= b->depth == LEVELS - 1;
		if (b->depth < LEVELS - 1)
			b->levels[++b->depth] = (struct level){ .is_operand = level->has_operator && !was_operand };
		break;
	case ')': case ']': case '}':
		end_operand(level, out);
		if (b->depth)
			b->depth--;
		break;
	case ',': case ';':
		end_operand(level, out);
		break;
	case '?':
		begin_condition(b, level, out);
		break;
	case ':':
		level->colon = out->len + 1;
		level->has_operator = false;
		break;
	case '.': case PUNCT2('-', '>'):
		break;
	default:
		if (was_operand)
			note_operator(b, level, token->punct);
	}
}

char *printer_text(const struct tsh_decoder *d, const char *text, bool *ret_doubtful)
{
	struct brackets brackets = { .depth = 0 };
	const char *p = strstr(text, "print fmt:"), *end = text + strlen(text), *from;
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	bool is_member = false;
	struct token token;

	*ret_doubtful = false;
	if (!p)
		return tsh_xstrdup(text);
	p += strlen("print fmt:");
	tsh_strbuf_add(&out, text, (size_t)(p - text));
	for (from = p; p = token_next(p, end, d->layout.long_size, &token), token.kind != TOKEN_END; from = p) {
		tsh_strbuf_add(&out, from, (size_t)(token.text - from));
		add_brackets(&brackets, &token, &out);
		if (token.kind == TOKEN_STRING)
			add_string(token.text, p, &out);
		else
			add_word(d, &token, is_member, &out);
		is_member = token.punct == '.' || token.punct == PUNCT2('-', '>');
	}
	end_operand(&brackets.levels[0], &out);
	tsh_strbuf_addc(&out, '\n');
	*ret_doubtful = brackets.is_doubtful;
	return tsh_strbuf_detach(&out);
}
