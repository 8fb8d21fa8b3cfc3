/* lang/lexer.h - words and expressions of the command language */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_LEXER_H
#define TRACESH_LANG_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * One grammar at the prompt, in -c, in files, on stdin, in arguments, after #!.
 * Outside quotes: a '#' at the start of a word starts a comment; ';' or a newline
 * ends a command; '\' before a newline continues the line; '|' (never "||") hands
 * the rest of the line to sh -c. '..' is literal; in ".." only variables are
 * replaced. Variables: ${name} $1..$9 $# $?; any other '$' is the kernel's. A '\'
 * before any other character is an ordinary character (the kernel's globs use it).
 *
 * A continuation is a blank, also between two letters. A variable's value is only
 * data: a blank in it splits no word, and it is neither an option, a clause word, a
 * quote nor the end of anything. ${10} and ${1} are arguments too.
 *
 * The readers leave lx->pos where the failed word, expression or text began.
 */

/* Text with the place in the source that each of its bytes came from. */
struct tsh_word {
	char *text;		/* NUL-terminated */
	size_t len;
	uint32_t *from;		/* len + 1 offsets into the source; [len] is the end */
	struct tsh_span span;	/* with its quotes */
	bool quoted;		/* began with a quote: never an option or a clause word */
};

/* Where in the source a stretch of the word's text stands (for kernel carets). */
struct tsh_span tsh_word_span(const struct tsh_word *word, size_t begin, size_t end);
void tsh_word_release(struct tsh_word *word);

/*
 * Values of variables, lent by the engine. Returns NULL when `name` ("name", "1",
 * "#", "?") is not set; the string is borrowed until the next call.
 */
struct tsh_vars {
	const char *(*get)(void *ctx, const char *name);
	void *ctx;
};

/* A cursor over a source text, which it borrows. */
struct tsh_lexer {
	const char *text;
	size_t len;
	size_t pos;
	const struct tsh_vars *vars;
	unsigned int paren;	/* depth inside the expression being read */
	size_t expanded;	/* bytes that the variables of the command stood for */
};

enum tsh_token {
	TSH_TOKEN_WORD,
	TSH_TOKEN_END,		/* ';', newline or the end of the text; not consumed */
	TSH_TOKEN_PIPE,		/* a lone '|'; not consumed */
};

void tsh_lexer_init(struct tsh_lexer *lx, const char *text, size_t len,
		    const struct tsh_vars *vars);
/* Skips blanks, continuations, comments, newlines and ';' up to the next command.
 * False at the end of the text. */
bool tsh_lexer_next_command(struct tsh_lexer *lx);
/*
 * Reads one word. Returns an enum tsh_token, or -1 with err (unterminated quote,
 * unknown variable). A NULL ret_word checks and skips.
 */
int tsh_lexer_word(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err);
/* Looks at the next word without reading it: its raw bytes when it is not quoted
 * and has no variable, an empty string otherwise. */
struct tsh_span tsh_lexer_peek(struct tsh_lexer *lx);
/*
 * Reads an expression as it was typed: quotes and blanks kept, variables replaced
 * (not inside '..'), blanks around it cut. It ends before the end of the command,
 * before an unquoted '|' outside parentheses that is not "||", and outside
 * parentheses before one of the `stops` words (NULL-terminated list, may be NULL).
 * One quoted string with an operator inside loses its outer quotes (one word that
 * is all in quotes, so that what tsh_lexer_quote made of a filter is read back).
 * Returns 0 (ret_word->len may be 0) or -1. The end of an expression is found in
 * the source, before variables have values.
 */
int tsh_lexer_expression(struct tsh_lexer *lx, const char *const *stops,
			 struct tsh_word *ret_word, struct tsh_err *err);
/* The rest of the command as typed, without blanks at its ends; variables
 * replaced, quotes kept unless the whole is one quoted string (for `marker TEXT`).
 * Ends as an expression does, but parentheses mean nothing. */
int tsh_lexer_text(struct tsh_lexer *lx, const char *const *stops,
		   struct tsh_word *ret_word, struct tsh_err *err);
/* A command inside a command (`try STATEMENT else ..`): the source as it is, without
 * blanks at its ends; no variable is replaced, as it is parsed again at its place.
 * Ends as an expression does. */
int tsh_lexer_statement(struct tsh_lexer *lx, const char *const *stops,
			struct tsh_word *ret_word, struct tsh_err *err);
/* After TSH_TOKEN_PIPE: the rest of the line untouched, as sh -c gets it
 * (`|` consumed; ends at the newline, not at ';' or '#'). -1 when nothing is there. */
int tsh_lexer_pipe(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err);
/* After an error: to the end of this command, quotes respected. An unterminated
 * quote gives up only its line, so that the errors behind it are found. */
void tsh_lexer_skip_command(struct tsh_lexer *lx);
/*
 * Whether the command that begins here has a lone '&' as its last word; *ret_end is where
 * that stands. A '&' in a filter is never the last word of it.
 */
bool tsh_lexer_is_background(const struct tsh_lexer *lx, size_t *ret_end);
/*
 * Whether the text ends inside a quote (then it is that: ' or ") or after a backslash (that),
 * so that a prompt must ask for another line; else '\0'.
 */
char tsh_lexer_unfinished(const char *text, size_t len);
/* Refuses a text that ends so; -1 with err, which blames the span. */
int tsh_lexer_refuse_quote(struct tsh_span span, char quote, struct tsh_err *err);
/* Whether the word has a variable, "${name}" or "$1", that is replaced outside '..'. */
bool tsh_lexer_has_variable(const char *word);
/*
 * Whether text that is put into a command as it is stays one piece of that command: its quotes
 * are closed, and outside of them is no ';', newline, comment or lone '|'; no variable in it
 * is replaced. `open` is the quote that it is put into, which it must not close; or '\0'.
 */
bool tsh_lexer_is_one_piece(const char *text, char open);
/* Quotes a word so that the lexer reads it back as it is; appends to out. Options,
 * clause words and operators (-n, if, &&, ||) need no quotes and get none. */
struct tsh_strbuf;
void tsh_lexer_quote(struct tsh_strbuf *out, const char *word);
/* The same for a value that somebody else has chosen: it is no option, no job's '&', no else. */
void tsh_lexer_quote_value(struct tsh_strbuf *out, const char *word);
/* The same in quotes, whatever it is: no option and no clause word. */
void tsh_lexer_quote_always(struct tsh_strbuf *out, const char *word);

/* 1-based line and byte column of an offset, and the bounds of that line. */
struct tsh_place {
	unsigned int line;
	unsigned int column;
	struct tsh_span text;
};
/* Counts on from `last`, a place in the same text, where that stands before; NULL or zeroed: none. */
struct tsh_place tsh_place_of(const char *text, size_t len, size_t offset,
			      const struct tsh_place *last);

#endif
