/* tracesh/complete.h - what can stand at the cursor (src/cmd) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_H
#define TRACESH_COMPLETE_H

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
	size_t begin;		/* they stand for the line's bytes from here to the cursor */
	char quote;		/* the quote that is open there, or '\0' */
};

/*
 * The candidates for the end of `line`, which may begin with earlier lines of an
 * unfinished command. Only words that begin with what is typed, and only such as
 * can be shown on a terminal. Reads tracefs and /proc, writes nothing; what cannot
 * be read offers nothing.
 */
void tsh_complete_line(struct tsh_session *s, const char *line, size_t len,
		       struct tsh_completion *ret);
/* Candidate i as it stands in the line from ret->begin on, quoted as it must be; the
 * caller frees it. */
char *tsh_completion_typed(const struct tsh_completion *c, size_t i);
void tsh_completion_release(struct tsh_completion *c);

/*
 * The same for another shell, which has cut the command into words and taken the
 * quotes away: completes the last of them (NULL-terminated; no words: a command's
 * name). Appends a line "VALUE<TAB>DESCRIPTION" for each candidate.
 */
void tsh_complete_words(struct tsh_session *s, char *const *words, struct tsh_strbuf *out);

#endif
