/* complete/complete.h - words that can stand at the cursor */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_COMPLETE_H
#define TRACESH_COMPLETE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct tsh_session;
struct tsh_strbuf;

/* Describes a word that could stand at the cursor. */
struct tsh_candidate {
	char *text;		/* the whole word, without quotes */
	char *help;		/* one line, sanitized; may be empty */
	bool partial;		/* more of the word will follow ("sched:", "events/") */
};

/* Holds candidates in order, each once. Zeroed memory is empty. */
struct tsh_completion {
	struct tsh_candidate *v;
	size_t n;
	size_t cap;
	size_t more;		/* further candidates that were dropped */
	char *more_start;	/* common beginning of the dropped ones; NULL when more is 0 */
	size_t begin;		/* candidates replace the line's bytes from here to the cursor */
	char quote;		/* quote that is open at `begin`, or '\0' */
	bool is_raw;		/* part of an expression: candidates are not quoted */
	bool is_shell;		/* part of a line for sh: candidates are quoted for sh */
	/* Says whether candidates begin with the typed text, or only contain the text elsewhere. */
	bool is_exact;
};

/*
 * Finds the candidates for the end of `line`, which may begin with earlier lines of an unfinished
 * command. Candidates begin with the typed text; only if there are none, they contain the text or
 * are numbers whose names begin with the text. Leaves out names that a terminal cannot show.
 * Returns at most 1000. Reads tracefs and /proc, but writes to no file; skips files that cannot be
 * read. The caller releases *ret.
 */
void tsh_complete_line(struct tsh_session *s, const char *line, size_t len,
		       struct tsh_completion *ret);
/* Returns candidate i as it stands in the line from ret->begin on, in quotes if necessary. The
 * caller frees it. */
char *tsh_completion_typed(const struct tsh_completion *c, size_t i);
/* Returns another text in quotes as a candidate has them. partial: more of the word will follow, so
 * the closing quote is left out. The caller frees it. */
char *tsh_completion_quoted(const struct tsh_completion *c, const char *text, bool partial);
void tsh_completion_release(struct tsh_completion *c);

/*
 * Completes for another shell, which has cut the command into words and removed the quotes. `words`
 * ends with NULL; without words, names of commands are completed. Appends a line
 * "VALUE<TAB>DESCRIPTION" for each candidate that begins with the last word, without a limit as at
 * the prompt.
 */
void tsh_complete_words(struct tsh_session *s, char *const *words, struct tsh_strbuf *out);

/* Appends the usage of the command at the end of `line`, or a text that helps to find a command.
 * One line without a newline, never empty. */
void tsh_complete_usage(struct tsh_session *s, const char *line, size_t len,
			struct tsh_strbuf *out);
/*
 * Appends the arguments that can follow in the command at the end of `line`: "EVENT.. [if FILTER]".
 * Appends at most one line, which begins with a blank when the user has to type a blank first.
 * Reads no file, because every key calls this function.
 */
void tsh_complete_hint(const struct tsh_session *s, const char *line, size_t len,
		       struct tsh_strbuf *out);
/*
 * Appends lines that explain the argument at the end of `line`, and the command's usage. Returns
 * false, and appends no text, when the position is inside a text that tracesh does not parse (a
 * marker's text, a line for sh, a comment, a string).
 */
bool tsh_complete_explain(struct tsh_session *s, const char *line, size_t len,
			  struct tsh_strbuf *out);

#endif
