/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lexer.h"

#include <string.h>

#include "pieces.h"

void tsh_lexer_init(struct tsh_lexer *lx, const char *text, size_t len,
		    const struct tsh_vars *vars)
{
	*lx = (struct tsh_lexer){ .text = text, .len = len, .vars = vars };
}

bool tsh_lexer_next_command(struct tsh_lexer *lx)
{
	struct tsh_piece piece;

	lx->expanded = 0;
	for (;;) {
		piece = tsh_piece_at(lx, lx->pos);
		if (piece.kind == TSH_PIECE_BLANK)
			lx->pos = piece.end;
		else if (piece.kind != TSH_PIECE_END)
			return true;
		else if (lx->pos >= lx->len)
			return false;
		else if (lx->text[lx->pos] == '#')
			lx->pos = tsh_skip_line(lx, lx->pos, false);
		else
			lx->pos++;
	}
}

int tsh_lexer_refuse_quote(struct tsh_span span, char quote, struct tsh_err *err)
{
	tsh_err_at(err, span, "unterminated quote");
	tsh_err_hint(err, quote == '"' ? "close it with another \"; for the character itself write '\"'" :
					 "close it with another '; for the character itself write \"'\"");
	return -1;
}

/* Adds a piece of a word, without its quotes, and with variables replaced. */
static int add_to_word(struct tsh_builder *b, struct tsh_lexer *lx, size_t pos,
		       struct tsh_piece piece, struct tsh_err *err)
{
	switch (piece.kind) {
	case TSH_PIECE_SINGLE:
		tsh_builder_copy(b, lx, pos + 1, piece.end - 1);
		return 0;
	case TSH_PIECE_DOUBLE:
		return tsh_builder_expand(b, lx, pos + 1, piece.end - 1, err);
	case TSH_PIECE_VARIABLE:
		return tsh_builder_expand(b, lx, pos, piece.end, err);
	case TSH_PIECE_MALFORMED:
		return tsh_builder_expand(b, lx, pos, lx->len, err);
	case TSH_PIECE_OPEN:
		return tsh_lexer_refuse_quote((struct tsh_span){ pos, pos + 1 }, lx->text[pos], err);
	default:
		tsh_builder_copy(b, lx, pos, piece.end);
		return 0;
	}
}

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

int tsh_lexer_word(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err)
{
	size_t start = tsh_skip_blanks(lx, lx->pos), pos = start, end = start;
	struct tsh_builder b = { 0 };
	struct tsh_piece piece;

	if (ret_word)
		*ret_word = (struct tsh_word){ 0 };
	lx->pos = start;
	for (;;) {
		piece = tsh_piece_at(lx, pos);
		if (piece.kind == TSH_PIECE_END || piece.kind == TSH_PIECE_PIPE ||
		    piece.kind == TSH_PIECE_BLANK)
			break;
		if (add_to_word(&b, lx, pos, piece, err) < 0) {
			tsh_builder_release(&b);
			return -1;
		}
		pos = piece.end;
		end = is_quote(lx->text[pos - 1]) ? pos - 1 : pos;
	}
	if (pos == start)
		return piece.kind == TSH_PIECE_PIPE ? TSH_TOKEN_PIPE : TSH_TOKEN_END;
	lx->pos = pos;
	tsh_builder_finish(&b, end, (struct tsh_span){ start, pos }, is_quote(lx->text[start]),
			   ret_word);
	return TSH_TOKEN_WORD;
}

struct tsh_span tsh_lexer_peek(struct tsh_lexer *lx)
{
	return tsh_raw_word(lx, tsh_skip_blanks(lx, lx->pos));
}

/* Say how the rest of a command is read. */
enum rest_flags {
	REST_PARENS = 1 << 0,		/* parentheses protect '|' and the words that end an expression */
	REST_EXPAND = 1 << 1,		/* replace variables, and a continuation by a blank */
	REST_UNQUOTE = 1 << 2,		/* remove the quotes when all of it stands in them, */
	REST_OPERATOR = 1 << 3,		/* but only with an operator inside */
};

static bool is_stop(const struct tsh_lexer *lx, size_t pos, const char *const *stops)
{
	struct tsh_span word;

	if (!stops || !*stops)
		return false;
	for (word = tsh_raw_word(lx, pos); *stops; stops++) {
		if (tsh_span_is(lx, word, *stops))
			return true;
	}
	return false;
}

/* Adds a piece with its quotes. */
static int add_to_rest(struct tsh_builder *b, struct tsh_lexer *lx, size_t pos,
		       struct tsh_piece piece, unsigned int flags, struct tsh_err *err)
{
	if (piece.kind == TSH_PIECE_OPEN)
		return tsh_lexer_refuse_quote((struct tsh_span){ pos, pos + 1 }, lx->text[pos], err);
	if (flags & REST_EXPAND) {
		if (piece.kind == TSH_PIECE_BLANK && lx->text[pos] == '\\') {
			tsh_builder_add(b, ' ', pos);
			return 0;
		}
		if (piece.kind == TSH_PIECE_DOUBLE || piece.kind == TSH_PIECE_VARIABLE)
			return tsh_builder_expand(b, lx, pos, piece.end, err);
		if (piece.kind == TSH_PIECE_MALFORMED)
			return tsh_builder_expand(b, lx, pos, lx->len, err);
	}
	tsh_builder_copy(b, lx, pos, piece.end);
	return 0;
}

static void count_parens(struct tsh_lexer *lx, char c)
{
	if (c == '(')
		lx->paren++;
	else if (c == ')' && lx->paren)
		lx->paren--;
}

static bool has_operator(const char *text)
{
	return strpbrk(text, "<>&~!") || strstr(text, "==") || strstr(text, "||") ||
	       strstr(text, " in ");
}

/* Replaces `rest`, which is all in quotes, by the same text without quotes; with REST_OPERATOR
 * only when it has an operator. */
static int unquote(struct tsh_lexer *lx, struct tsh_word *rest, unsigned int flags,
		   struct tsh_err *err)
{
	size_t end = lx->pos;
	struct tsh_word word;

	lx->pos = rest->span.begin;
	if (tsh_lexer_word(lx, &word, err) != TSH_TOKEN_WORD) {
		tsh_word_release(rest);
		return -1;
	}
	lx->pos = end;
	if (!(flags & REST_OPERATOR) || has_operator(word.text)) {
		tsh_word_release(rest);
		*rest = word;
	} else {
		tsh_word_release(&word);
	}
	return 0;
}

static int read_rest(struct tsh_lexer *lx, const char *const *stops, unsigned int flags,
		     struct tsh_word *ret_word, struct tsh_err *err)
{
	size_t start = tsh_skip_blanks(lx, lx->pos), pos = start, end = start, len = 0;
	bool all_quoted = true, after_blank = true;
	struct tsh_builder b = { 0 };
	struct tsh_piece piece;

	*ret_word = (struct tsh_word){ 0 };
	lx->pos = start;
	lx->paren = 0;
	for (;; pos = piece.end) {
		piece = tsh_piece_at(lx, pos);
		if (piece.kind == TSH_PIECE_END || (piece.kind == TSH_PIECE_PIPE && !lx->paren))
			break;
		if (after_blank && !lx->paren && is_stop(lx, pos, stops))
			break;
		if (add_to_rest(&b, lx, pos, piece, flags, err) < 0) {
			tsh_builder_release(&b);
			return -1;
		}
		after_blank = piece.kind == TSH_PIECE_BLANK;
		if (after_blank)
			continue;
		if (end != start && end != pos)
			all_quoted = false;
		if (piece.kind != TSH_PIECE_SINGLE && piece.kind != TSH_PIECE_DOUBLE)
			all_quoted = false;
		if (piece.kind == TSH_PIECE_PLAIN && (flags & REST_PARENS))
			count_parens(lx, lx->text[pos]);
		end = piece.end;
		len = b.text.len;
	}
	lx->pos = pos;
	tsh_builder_truncate(&b, len);
	tsh_builder_finish(&b, end, (struct tsh_span){ start, end },
			   end > start && is_quote(lx->text[start]), ret_word);
	if (all_quoted && end > start && (flags & REST_UNQUOTE))
		return unquote(lx, ret_word, flags, err);
	return 0;
}

int tsh_lexer_expression(struct tsh_lexer *lx, const char *const *stops,
			 struct tsh_word *ret_word, struct tsh_err *err)
{
	return read_rest(lx, stops, REST_PARENS | REST_EXPAND | REST_UNQUOTE | REST_OPERATOR,
			 ret_word, err);
}

int tsh_lexer_text(struct tsh_lexer *lx, const char *const *stops,
		   struct tsh_word *ret_word, struct tsh_err *err)
{
	return read_rest(lx, stops, REST_EXPAND | REST_UNQUOTE, ret_word, err);
}

int tsh_lexer_statement(struct tsh_lexer *lx, const char *const *stops,
			struct tsh_word *ret_word, struct tsh_err *err)
{
	return read_rest(lx, stops, REST_PARENS, ret_word, err);
}

int tsh_lexer_pipe(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err)
{
	size_t bar = tsh_skip_blanks(lx, lx->pos), end;
	struct tsh_builder b = { 0 };

	*ret_word = (struct tsh_word){ 0 };
	end = tsh_skip_line(lx, bar + 1, true);
	lx->pos = end;
	if (end > bar + 1 && lx->text[end - 1] == '\r')
		end--;
	if (tsh_skip_blanks(lx, bar + 1) >= end)
		return tsh_err_at(err, (struct tsh_span){ bar, bar + 1 },
				  "missing program after '|'");
	tsh_builder_copy(&b, lx, bar + 1, end);
	tsh_builder_finish(&b, end, (struct tsh_span){ bar + 1, end }, false, ret_word);
	return 0;
}

/* Says whether the text ends in "\\", or in "\\" and a newline. */
static bool ends_in_backslash(const struct tsh_lexer *lx)
{
	size_t len = lx->len;

	if (len && lx->text[len - 1] == '\n')
		len--;
	if (len && len < lx->len && lx->text[len - 1] == '\r')
		len--;
	return len && lx->text[len - 1] == '\\';
}

/*
 * Skips one command without its grammar; a '|' in parentheses is part of an expression. Returns the
 * quote that is open when the text ends before the command does, else '\0'.
 */
static char skip_command(struct tsh_lexer *lx)
{
	struct tsh_piece piece;

	for (lx->paren = 0;; lx->pos = piece.end) {
		piece = tsh_piece_at(lx, lx->pos);
		if (piece.kind == TSH_PIECE_OPEN) {
			char quote = lx->text[lx->pos];

			/* goes on with the next line: an open quote could end anywhere */
			lx->pos = tsh_skip_line(lx, piece.end, false);
			return quote;
		}
		if (piece.kind == TSH_PIECE_PIPE && !lx->paren) {
			lx->pos = tsh_skip_line(lx, piece.end, true);
			break;
		}
		if (piece.kind == TSH_PIECE_END) {
			if (lx->pos >= lx->len || lx->text[lx->pos] != '#')
				break;
			lx->pos = tsh_skip_line(lx, lx->pos, false);
			return '\0';
		}
		if (piece.kind == TSH_PIECE_PLAIN)
			count_parens(lx, lx->text[lx->pos]);
	}
	return lx->pos >= lx->len && ends_in_backslash(lx) ? '\\' : '\0';
}

void tsh_lexer_skip_command(struct tsh_lexer *lx)
{
	skip_command(lx);
}

bool tsh_lexer_is_background(const struct tsh_lexer *at, size_t *ret_end)
{
	struct tsh_lexer lx = *at;
	struct tsh_piece piece;
	size_t end = lx.pos;

	for (lx.paren = 0;; lx.pos = piece.end) {
		piece = tsh_piece_at(&lx, lx.pos);
		/* The rest of the line is for sh, unless the '|' is in parentheses. */
		if (piece.kind == TSH_PIECE_PIPE && !lx.paren)
			end = tsh_skip_line(&lx, piece.end, true);
		if (piece.kind == TSH_PIECE_OPEN || piece.kind == TSH_PIECE_END ||
		    (piece.kind == TSH_PIECE_PIPE && !lx.paren))
			break;
		if (piece.kind == TSH_PIECE_PLAIN)
			count_parens(&lx, lx.text[lx.pos]);
		if (piece.kind != TSH_PIECE_BLANK)
			end = piece.end;
	}
	while (end > at->pos && strchr(" \t", lx.text[end - 1]))
		end--;
	if (end < at->pos + 2 || lx.text[end - 1] != '&' || !strchr(" \t", lx.text[end - 2]))
		return false;
	*ret_end = end - 1;
	return true;
}

char tsh_lexer_unfinished(const char *text, size_t len)
{
	struct tsh_lexer lx;
	char open = '\0';

	tsh_lexer_init(&lx, text, len, NULL);
	for (; !open && lx.pos < len; lx.pos++)
		open = skip_command(&lx);
	return open;
}
