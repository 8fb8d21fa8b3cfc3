/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pieces.h"

void tsh_word_release(struct tsh_word *word)
{
	free(word->text);
	free(word->from);
	*word = (struct tsh_word){ 0 };
}

struct tsh_span tsh_word_span(const struct tsh_word *word, size_t begin, size_t end)
{
	struct tsh_span span = word->span;
	size_t last;

	if (!word->from)
		return span;
	if (end > word->len)
		end = word->len;
	if (begin > end)
		begin = end;
	span.begin = word->from[begin];
	if (begin == end) {
		span.end = span.begin;
		return span;
	}
	/* all bytes of a value came from one '$': go to the end of the variable */
	last = word->from[end - 1];
	while (end < word->len && word->from[end] == last)
		end++;
	span.end = word->from[end];
	return span;
}

static bool is_variable(const char *p)
{
	return *p == '$' && p[1] && strchr("{#?123456789", p[1]);
}

/* Says whether the lexer reads a word as it is, without quotes. */
static bool is_plain(const char *word)
{
	const char *p;

	if (!*word || *word == '#')
		return false;
	for (p = word; *p; p++) {
		if (strchr(" \t\r\n;'\"", *p))
			return false;
		if (is_variable(p))
			return false;
		/* refuses a last '\': a newline may follow */
		if (*p == '\\' && !p[1])
			return false;
		if (*p == '|' && *++p != '|')
			return false;
	}
	return true;
}

bool tsh_lexer_has_variable(const char *word)
{
	while (*word && !is_variable(word))
		word++;
	return *word != '\0';
}

bool tsh_lexer_is_one_piece(const char *text, char open)
{
	char quote = open;
	const char *p;

	for (p = text; *p; p++) {
		if (quote != '\'' && is_variable(p))
			return false;
		if (quote && *p == open)
			return false;
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == ';' || *p == '\n')
			return false;
		else if (*p == '#' && (p == text || p[-1] == ' ' || p[-1] == '\t'))
			return false;
		else if (*p == '|' && *++p != '|')
			return false;
	}
	return quote == open;
}

void tsh_lexer_quote_always(struct tsh_strbuf *out, const char *word)
{
	size_t n;
	char quote;

	if (strchr(word, '\'') && !strchr(word, '"') && !tsh_lexer_has_variable(word)) {
		tsh_strbuf_addc(out, '"');
		tsh_strbuf_adds(out, word);
		tsh_strbuf_addc(out, '"');
		return;
	}
	/* the word has both kinds of quotes: puts each apostrophe in double quotes, and the rest
	 * in single ones */
	do {
		n = strspn(word, "'");
		quote = n ? '"' : '\'';
		if (!n)
			n = strcspn(word, "'");
		tsh_strbuf_addc(out, quote);
		tsh_strbuf_add(out, word, n);
		tsh_strbuf_addc(out, quote);
		word += n;
	} while (*word);
}

void tsh_lexer_quote(struct tsh_strbuf *out, const char *word)
{
	if (is_plain(word))
		tsh_strbuf_adds(out, word);
	else
		tsh_lexer_quote_always(out, word);
}

void tsh_lexer_quote_value(struct tsh_strbuf *out, const char *word)
{
	if (*word == '-' || !strcmp(word, "&") || !strcmp(word, "else"))
		tsh_lexer_quote_always(out, word);
	else
		tsh_lexer_quote(out, word);
}

struct tsh_place tsh_place_of(const char *text, size_t len, size_t offset,
			      const struct tsh_place *last)
{
	struct tsh_place place = { .line = 1 };
	const char *newline;
	size_t pos;

	if (offset > len)
		offset = len;
	if (last && last->line && last->text.begin <= offset)
		place = *last;
	for (pos = place.text.begin; pos < offset; pos++) {
		if (text[pos] == '\n') {
			place.line++;
			place.text.begin = pos + 1;
		}
	}
	place.column = (unsigned int)(offset - place.text.begin) + 1;
	newline = len > offset ? memchr(text + offset, '\n', len - offset) : NULL;
	place.text.end = newline ? (size_t)(newline - text) : len;
	return place;
}
