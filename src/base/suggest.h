/* base/suggest.h - the nearest name */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SUGGEST_H
#define TRACESH_BASE_SUGGEST_H

#include <stddef.h>

/*
 * Returns the Damerau-Levenshtein distance with weights: swap 0, substitution 2, insertion 1,
 * deletion 3 (people forget letters more often than they add some).
 */
unsigned int tsh_edit_distance(const char *typed, const char *name);

/*
 * Finds the best match among names that are offered one by one. Case counts little. The typed word
 * may be the start of a name, or a `system:name` without its system. Of two that are equally near
 * the shorter wins, then the first by bytes, so that the order of the offers does not matter.
 */
struct tsh_suggest {
	const char *typed;	/* borrowed until release */
	char *best;		/* owned; NULL when nothing is near enough */
	unsigned int distance;
};

/* Begin with the typed word, which is borrowed, and offer a name. */
void tsh_suggest_init(struct tsh_suggest *s, const char *typed);
void tsh_suggest_offer(struct tsh_suggest *s, const char *name);
/* Returns the best name, or NULL; valid until release. */
const char *tsh_suggest_best(const struct tsh_suggest *s);
void tsh_suggest_release(struct tsh_suggest *s);

/*
 * Matches a shell glob as fnmatch(3) without flags: * ? [a-z] [!a] and backslash, on bytes; '*'
 * matches '/' too, and there are no classes ([:alpha:]). Returns 1 when all of `text` matches.
 * Takes no exponential time for any pattern.
 */
int tsh_glob_match(const char *glob, const char *text);
/* Says whether a word has a glob character. */
int tsh_is_glob(const char *word);

#endif
