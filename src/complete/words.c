/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "lang/lexer.h"

void tsh_cut_release(struct tsh_cut *words)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		free(words->v[i].text);
	tsh_vec_release(words);
}

void tsh_cut_add(struct tsh_cut *words, char *text, size_t begin, bool quoted, char open)
{
	*tsh_vec_push(words) = (struct tsh_cut_word){ text, begin, quoted, open };
}

/* Returns an empty value, because completion does not depend on the values of variables. */
static const char *any_variable(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return "";
}

/* Reads the word at the cursor if a quote in the word is open. Returns false if no quote is
 * open. */
static bool read_open_word(const struct tsh_lexer *lx, struct tsh_cut *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;
	char quote = '\0';

	for (i = lx->pos; i < lx->len; i++) {
		char c = lx->text[i];

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? '\0' : c;
		else
			tsh_strbuf_addc(&text, c);
	}
	if (!quote) {
		tsh_strbuf_release(&text);
		return false;
	}
	tsh_cut_add(ret, tsh_strbuf_detach(&text), lx->pos, true, quote);
	return true;
}

static bool in_parentheses(const char *text, size_t begin, size_t end)
{
	int depth = 0;

	for (; begin < end; begin++)
		depth += (text[begin] == '(') - (text[begin] == ')');
	return depth > 0;
}

/* Reads the words of one command. Returns TSH_CUT_NOWHERE when the cursor is not in it. */
static enum tsh_cut_place read_words(struct tsh_lexer *lx, struct tsh_cut *ret)
{
	struct tsh_err err = { 0 };
	size_t begin = lx->pos;

	for (;;) {
		struct tsh_word word;
		int token = tsh_lexer_word(lx, &word, &err);

		if (token < 0) {
			tsh_err_release(&err);
			return read_open_word(lx, ret) ? TSH_CUT_COMMAND : TSH_CUT_NOWHERE;
		}
		if (token == TSH_TOKEN_END)
			return TSH_CUT_NOWHERE;
		if (token == TSH_TOKEN_PIPE && in_parentheses(lx->text, begin, lx->pos)) {
			lx->pos++;
			continue;
		}
		if (token == TSH_TOKEN_PIPE) {
			if (tsh_lexer_pipe(lx, &word, &err) < 0)
				tsh_err_release(&err);
			else
				tsh_word_release(&word);
			return lx->pos >= lx->len ? TSH_CUT_SHELL : TSH_CUT_NOWHERE;
		}
		tsh_cut_add(ret, tsh_xstrdup(word.text), word.span.begin, word.quoted, '\0');
		tsh_word_release(&word);
		if (lx->pos >= lx->len)
			return TSH_CUT_COMMAND;
	}
}

/* Appends a byte at the cursor, so that the last word is never empty; in a comment the byte makes
 * no word. */
enum tsh_cut_place tsh_cut_line(const char *line, size_t len, struct tsh_cut *ret)
{
	const struct tsh_vars vars = { any_variable, NULL };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	enum tsh_cut_place place = TSH_CUT_NOWHERE;
	struct tsh_lexer lx;

	tsh_strbuf_add(&text, line, len);
	tsh_strbuf_addc(&text, '_');
	tsh_lexer_init(&lx, text.buf, text.len, &vars);
	while (place == TSH_CUT_NOWHERE && tsh_lexer_next_command(&lx)) {
		tsh_cut_release(ret);
		place = read_words(&lx, ret);
		if (place == TSH_CUT_NOWHERE)
			tsh_lexer_skip_command(&lx);
	}
	if (place == TSH_CUT_COMMAND) {
		struct tsh_cut_word *last = &ret->v[ret->n - 1];

		last->text[strlen(last->text) - 1] = '\0';
		/* Finds no place behind a variable, whose value is not known. */
		if (memchr(line + last->begin, '$', len - last->begin))
			place = TSH_CUT_NOWHERE;
	}
	tsh_strbuf_release(&text);
	return place;
}

enum tsh_cut_place tsh_cut_unaliased(const struct tsh_aliases *aliases, const char *line,
				     size_t len, struct tsh_cut_text *ret_text,
				     struct tsh_cut *ret)
{
	enum tsh_cut_place place = tsh_cut_line(line, len, ret);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_cut_word *first = ret->v;
	const char *meaning;
	size_t name_len;

	*ret_text = (struct tsh_cut_text){ .text = line, .len = len };
	if (!ret->n || first->quoted || (ret->n == 1 && place == TSH_CUT_COMMAND))
		return place;
	name_len = strlen(first->text);
	meaning = tsh_alias_find(aliases, first->text, name_len);
	/* must be typed without quotes and variables to be an alias */
	if (!meaning || memcmp(line + first->begin, first->text, name_len) != 0 ||
	    (first->begin + name_len < len && !strchr(" \t\n|;", line[first->begin + name_len])))
		return place;
	tsh_strbuf_add(&text, line, first->begin);
	tsh_strbuf_adds(&text, meaning);
	ret_text->typed = text.len;
	ret_text->moved = (ptrdiff_t)strlen(meaning) - (ptrdiff_t)name_len;
	tsh_strbuf_add(&text, line + first->begin + name_len, len - first->begin - name_len);
	ret_text->len = text.len;
	ret_text->text = ret_text->made = tsh_strbuf_detach(&text);
	tsh_cut_release(ret);
	return tsh_cut_line(ret_text->text, ret_text->len, ret);
}

void tsh_cut_text_release(struct tsh_cut_text *text)
{
	free(text->made);
	text->made = NULL;
}
