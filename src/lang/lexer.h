/* lang/lexer.h - words and expressions of the command language */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_LEXER_H
#define TRACESH_LANG_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Reads the command language, which is the same at the prompt, in -c, in files, on stdin, in the
 * arguments of tracesh, and in scripts that begin with #!.
 *
 * Outside of quotes a '#' at the start of a word starts a comment; ';' or a newline ends a command;
 * '\' before a newline continues the line; '|' (not "||") gives the rest of the line to sh -c. '..'
 * is literal; in ".." only variables are replaced. Variables are ${name} $1..$9 $# $?; any other
 * '$' is the kernel's. A '\' before any other character is an ordinary character (the kernel's
 * globs use it).
 *
 * A continuation is a blank, also between two letters. A variable's value is only data: a blank in
 * it splits no word, and it is never an option, a clause word, a quote, or the end of anything.
 * ${10} and ${1} are arguments too.
 *
 * When a reader fails, it leaves lx->pos where the word, expression or text began.
 */

/* Holds a text, and for each of its bytes the place in the source that it came from. */
struct tsh_word {
	char *text;		/* NUL-terminated */
	size_t len;
	uint32_t *from;		/* len + 1 offsets into the source; [len] is the end */
	struct tsh_span span;	/* place in the source, with its quotes */
	bool quoted;		/* began with a quote: is no option and no clause word */
};

/* Returns where bytes [begin, end) of the word's text stand in the source (for carets of the
 * kernel's errors). */
struct tsh_span tsh_word_span(const struct tsh_word *word, size_t begin, size_t end);
void tsh_word_release(struct tsh_word *word);

/*
 * Holds the function that looks up variables (src/shell). `name` is "name", "1", "#" or "?".
 * Returns the value, which is valid until the next call, or NULL when the variable is not set.
 */
struct tsh_vars {
	const char *(*get)(void *ctx, const char *name);
	void *ctx;
};

/* Is a cursor in a source text, which it borrows. */
struct tsh_lexer {
	const char *text;
	size_t len;
	size_t pos;
	const struct tsh_vars *vars;
	unsigned int paren;	/* depth of parentheses inside the expression that is being read */
	size_t expanded;	/* bytes that the command's variables were replaced by */
};

enum tsh_token {
	TSH_TOKEN_WORD,
	TSH_TOKEN_END,		/* ';', newline or the end of the text; not consumed */
	TSH_TOKEN_PIPE,		/* a lone '|'; not consumed */
};

/* Prepares a lexer; borrows text and vars. */
void tsh_lexer_init(struct tsh_lexer *lx, const char *text, size_t len,
		    const struct tsh_vars *vars);
/* Skips blanks, continuations, comments, newlines and ';' up to the next command. Returns false
 * at the end of the text. */
bool tsh_lexer_next_command(struct tsh_lexer *lx);
/*
 * Reads one word. Returns an enum tsh_token, or -1 with err (open quote, unknown variable). With a
 * NULL ret_word, only checks and skips.
 */
int tsh_lexer_word(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err);
/* Looks at the next word without reading it. Returns its bytes in the source; an empty span when
 * it is quoted or has a variable. */
struct tsh_span tsh_lexer_peek(struct tsh_lexer *lx);
/*
 * Reads an expression as it was typed: keeps quotes and blanks, replaces variables (not inside
 * '..'), removes blanks around it. It ends before the end of the command; before an unquoted '|'
 * outside of parentheses that is not "||"; and outside of parentheses before one of the `stops`
 * words (a NULL-terminated list, may be NULL). The end is found in the source, before variables are
 * replaced. One quoted string with an operator inside loses its outer quotes; so does one word that
 * is all in quotes, so that what tsh_lexer_quote made of a filter is read back. Returns 0
 * (ret_word->len may be 0) or -1.
 */
int tsh_lexer_expression(struct tsh_lexer *lx, const char *const *stops,
			 struct tsh_word *ret_word, struct tsh_err *err);
/*
 * Reads the rest of the command as typed (for `marker TEXT`), without blanks at its ends, with
 * variables replaced. Removes the quotes only when all of it is one quoted string. Ends as an
 * expression does, but parentheses mean nothing.
 */
int tsh_lexer_text(struct tsh_lexer *lx, const char *const *stops,
		   struct tsh_word *ret_word, struct tsh_err *err);
/*
 * Reads a command inside a command (`try STATEMENT else ..`) as the source has it, without blanks
 * at its ends. Replaces no variables, because it is parsed again at its place. Ends as an
 * expression does.
 */
int tsh_lexer_statement(struct tsh_lexer *lx, const char *const *stops,
			struct tsh_word *ret_word, struct tsh_err *err);
/* Reads the rest of the line behind a TSH_TOKEN_PIPE for sh -c, unchanged, and consumes the '|'.
 * Ends at the newline, not at ';' or '#'. Returns -1 when the rest is empty. */
int tsh_lexer_pipe(struct tsh_lexer *lx, struct tsh_word *ret_word, struct tsh_err *err);
/* Skips to the end of this command after an error. Does not end inside of quotes. Skips a quote
 * that nothing closes to the end of its line only, so that errors on later lines are found too. */
void tsh_lexer_skip_command(struct tsh_lexer *lx);
/*
 * Says whether the last word of the command that begins here is a lone '&'; *ret_end is its place.
 * A '&' in a filter is never the last word.
 */
bool tsh_lexer_is_background(const struct tsh_lexer *lx, size_t *ret_end);
/*
 * Returns what is open at the end of a text, so that a prompt asks for another line: the quote ' or
 * ", or a backslash; '\0' when nothing is.
 */
char tsh_lexer_unfinished(const char *text, size_t len);
/* Refuses a text that ends in an open quote. Returns -1 with err, which blames the span. */
int tsh_lexer_refuse_quote(struct tsh_span span, char quote, struct tsh_err *err);
/* Says whether a word has a variable, "${name}" or "$1", that is replaced outside of '..'. */
bool tsh_lexer_has_variable(const char *word);
/*
 * Says whether text that is put into a command stays one piece of that command: its quotes are
 * closed, there is no ';', newline, comment or lone '|' outside of them, and no variable that is
 * replaced. `open` is the quote that the text is put into and must not close, or '\0'.
 */
bool tsh_lexer_is_one_piece(const char *text, char open);

struct tsh_strbuf;

/* Appends a word, quoted so that the lexer reads it back. Options, clause words and operators
 * (-n, if, &&, ||) get no quotes. */
void tsh_lexer_quote(struct tsh_strbuf *out, const char *word);
/* Appends a value that may be any text, quoted so that it is read as no option, no '&' of a job
 * and no else. */
void tsh_lexer_quote_value(struct tsh_strbuf *out, const char *word);
/* Appends a word in quotes in any case, so that it is no option and no clause word. */
void tsh_lexer_quote_always(struct tsh_strbuf *out, const char *word);

/* Holds the line and the byte column of an offset, both from 1, and the bounds of that line. */
struct tsh_place {
	unsigned int line;
	unsigned int column;
	struct tsh_span text;
};
/* Finds the place of an offset. Counts on from `last`, an earlier place in the same text; NULL
 * or zeroed: from the start. */
struct tsh_place tsh_place_of(const char *text, size_t len, size_t offset,
			      const struct tsh_place *last);

#endif
