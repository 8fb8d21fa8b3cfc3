/* complete/complete.h - what can stand at the cursor */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_COMPLETE_H
#define TRACESH_COMPLETE_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

struct tsh_session;
struct tsh_strbuf;

/* A word that could stand there, by the declared arguments and by what there is. */
struct tsh_candidate {
	char *text;		/* all of the word, without quotes */
	char *help;		/* one line, sanitized; may be empty */
	bool partial;		/* more of the word will follow ("sched:", "events/") */
};

/* Sorted, each once. Zeroed memory is empty. */
struct tsh_completion {
	struct tsh_candidate *v;
	size_t n;
	size_t cap;
	size_t more;		/* that there are beside these, not kept */
	char *more_start;	/* what all of those begin with; NULL when more is 0 */
	size_t begin;		/* they stand for the line's bytes from here to the cursor */
	char quote;		/* the quote that is open there, or '\0' */
	bool is_raw;		/* part of an expression: nothing is quoted */
	bool is_shell;		/* part of a line for sh: quoted as sh has it */
	bool is_exact;		/* they begin with what is typed; false: it is somewhere in them */
};

/*
 * The candidates for the end of `line`, which may begin with earlier lines of an
 * unfinished command. Those that begin with what is typed; when there are none those
 * that have it inside, or are called so; and only such as can be shown on a terminal.
 * At most 1000 are kept. Reads tracefs and /proc, writes nothing; what cannot be read
 * offers nothing.
 */
void tsh_complete_line(struct tsh_session *s, const char *line, size_t len,
		       struct tsh_completion *ret);
/* Candidate i as it stands in the line from ret->begin on, quoted as it must be; the
 * caller frees it. */
char *tsh_completion_typed(const struct tsh_completion *c, size_t i);
/* The same for any text in its place. */
char *tsh_completion_quoted(const struct tsh_completion *c, const char *text, bool partial);
void tsh_completion_release(struct tsh_completion *c);

/*
 * The same for another shell, which has cut the command into words and taken the
 * quotes away: completes the last of them (NULL-terminated; no words: a command's
 * name). Appends a line "VALUE<TAB>DESCRIPTION" for each candidate that begins with it,
 * all of them.
 */
void tsh_complete_words(struct tsh_session *s, char *const *words, struct tsh_strbuf *out);

/* Appends the usage of the command that the end of `line` is in; when it is in none what
 * helps to find one. One line without a newline, never empty. */
void tsh_complete_usage(struct tsh_session *s, const char *line, size_t len,
			struct tsh_strbuf *out);
/*
 * Appends what comes next in the command at the end of `line`: "EVENT.. [if FILTER]". One
 * line, may be nothing; begins with a blank when one is to be typed first. Reads no file:
 * it is asked for at every key.
 */
void tsh_complete_hint(const struct tsh_session *s, const char *line, size_t len,
		       struct tsh_strbuf *out);
/*
 * Appends lines that explain the position at the end of `line`: the usage, and what the
 * argument there is. False, and nothing: the position is inside a text that tracesh does
 * not read (a marker's, a line for sh, a comment, a string).
 */
bool tsh_complete_explain(struct tsh_session *s, const char *line, size_t len,
			  struct tsh_strbuf *out);

#endif
