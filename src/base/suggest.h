/* base/suggest.h - the nearest name */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SUGGEST_H
#define TRACESH_BASE_SUGGEST_H

#include <stddef.h>

/*
 * Damerau-Levenshtein distance with weights: swap 0, substitution 2, insertion
 * 1, deletion 3 (typing errors drop letters more often than they add some).
 */
unsigned int tsh_edit_distance(const char *typed, const char *name);

/*
 * Collects the best match over candidates that are offered one by one. Case
 * counts little; the typed word may be the start of a name, and the name of a
 * `system:name` without the system. Of two that are equally near the shorter wins,
 * then the first by bytes, so the order of the offers does not matter.
 */
struct tsh_suggest {
	const char *typed;	/* borrowed until release */
	char *best;		/* owned; NULL when nothing is near enough */
	unsigned int distance;
};

void tsh_suggest_init(struct tsh_suggest *s, const char *typed);
void tsh_suggest_offer(struct tsh_suggest *s, const char *name);
/* The best candidate or NULL; borrowed until release. */
const char *tsh_suggest_best(const struct tsh_suggest *s);
void tsh_suggest_release(struct tsh_suggest *s);

/*
 * Shell glob as fnmatch(3) without flags: * ? [a-z] [!a] and backslash, on bytes;
 * '*' matches '/' too, and there are no classes ([:alpha:]). True when all of
 * `text` matches. No pattern takes exponential time.
 */
int tsh_glob_match(const char *glob, const char *text);
/* Whether the word has a glob character. */
int tsh_is_glob(const char *word);

#endif
