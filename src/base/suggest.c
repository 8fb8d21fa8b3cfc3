/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suggest.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "xmalloc.h"

#define TYPED_MAX 256

enum {
	COST_SWAP = 0,
	COST_SUBSTITUTION = 2,
	COST_INSERTION = 1,
	COST_DELETION = 3,
	COST_CASE = 1,		/* once, for any number of letters whose case differs */
	COST_REST = 1,		/* once, for all letters of the name that were not typed */
};

static char as_is(char c)
{
	return c;
}

/* Does ASCII's tolower(), in every locale. */
static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Computes the distance row by row: row i, column j is the cost of turning the first i typed
 * letters into the first j of the name. Keeps three rows, because a swap needs the row before the
 * last one.
 */
static unsigned int distance(const char *typed, const char *name, char (*fold)(char))
{
	size_t n_typed = strlen(typed), n_name = strlen(name);
	unsigned int *rows = tsh_xreallocarray(NULL, 3 * (n_name + 1), sizeof(*rows));
	unsigned int *before = rows, *above = before + n_name + 1, *row = above + n_name + 1;
	unsigned int *spare, result;
	size_t i, j;

	for (j = 0; j <= n_name; j++)
		above[j] = (unsigned int)j * COST_INSERTION;
	for (i = 1; i <= n_typed; i++) {
		row[0] = (unsigned int)i * COST_DELETION;
		for (j = 1; j <= n_name; j++) {
			char t = fold(typed[i - 1]), c = fold(name[j - 1]);

			row[j] = above[j - 1] + (t == c ? 0 : COST_SUBSTITUTION);
			row[j] = least(row[j], row[j - 1] + COST_INSERTION);
			row[j] = least(row[j], above[j] + COST_DELETION);
			if (i > 1 && j > 1 && t != c && t == fold(name[j - 2]) &&
			    fold(typed[i - 2]) == c)
				row[j] = least(row[j], before[j - 2] + COST_SWAP);
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	result = above[n_name];
	free(rows);
	return result;
}

unsigned int tsh_edit_distance(const char *typed, const char *name)
{
	return distance(typed, name, as_is);
}

/* Returns how far a name may be from `len` typed letters; what is farther would be a wild guess. */
static unsigned int limit(size_t len)
{
	if (len < 3)
		return 1;
	return len < 14 ? 1 + (unsigned int)len / 2 : 8;
}

static bool is_start(const char *typed, const char *name, char (*fold)(char))
{
	while (*typed) {
		if (fold(*typed++) != fold(*name++))
			return false;
	}
	return true;
}

/* Returns the distance of a name, or UINT_MAX when it is too far. */
static unsigned int nearness(const char *typed, const char *name, char (*fold)(char))
{
	size_t n_typed = strlen(typed), n_name = strlen(name);
	unsigned int most = limit(n_typed);
	unsigned int near;

	if (is_start(typed, name, fold))
		return n_name > n_typed ? COST_REST : 0;
	/* checks the lengths first: most names are ruled out here, before any allocation */
	if (n_name > n_typed ? (n_name - n_typed) * COST_INSERTION > most :
			       (n_typed - n_name) * COST_DELETION > most)
		return UINT_MAX;
	/* refuses a word of three letters whose first and last letter differ from those that
	 * were typed: foo, off */
	if (n_typed == 3 && n_name == 3 && fold(typed[0]) != fold(name[0]) &&
	    fold(typed[2]) != fold(name[2]))
		most = 0;
	near = distance(typed, name, fold);
	return near <= most ? near : UINT_MAX;
}

static bool has_capital(const char *text)
{
	while (*text && lower_case(*text) == *text)
		text++;
	return *text;
}

/* Does the same without regard to case. */
static unsigned int any_nearness(const char *typed, const char *name)
{
	unsigned int near = nearness(typed, name, as_is);
	unsigned int folded;

	/* saves time: few of the kernel's thousands of functions have capitals */
	if (near <= COST_CASE || (!has_capital(name) && !has_capital(typed)))
		return near;
	folded = nearness(typed, name, lower_case);
	return folded == UINT_MAX ? near : least(near, folded + COST_CASE);
}

void tsh_suggest_init(struct tsh_suggest *s, const char *typed)
{
	/* ignores long words: they are other mistakes, and cost time with each name */
	if (strlen(typed) > TYPED_MAX)
		typed = "";
	*s = (struct tsh_suggest){ .typed = typed, .distance = UINT_MAX };
}

static bool is_better(const struct tsh_suggest *s, const char *name, unsigned int near)
{
	size_t n_best, n_name;
	bool starts, best_starts;

	if (!s->best || near != s->distance)
		return near < s->distance;
	/* prefers the beginning: stat means status rather than start, which changes something */
	starts = is_start(s->typed, name, as_is);
	best_starts = is_start(s->typed, s->best, as_is);
	if (starts != best_starts)
		return starts;
	n_best = strlen(s->best);
	n_name = strlen(name);
	return n_name != n_best ? n_name < n_best : strcmp(name, s->best) < 0;
}

void tsh_suggest_offer(struct tsh_suggest *s, const char *name)
{
	unsigned int near;
	const char *colon;

	if (!*s->typed || !*name)
		return;
	near = any_nearness(s->typed, name);
	colon = strchr(name, ':');
	if (colon && colon[1])
		near = least(near, any_nearness(s->typed, colon + 1));
	if (near == UINT_MAX || !is_better(s, name, near))
		return;
	free(s->best);
	s->best = tsh_xstrdup(name);
	s->distance = near;
}

const char *tsh_suggest_best(const struct tsh_suggest *s)
{
	return s->best;
}

void tsh_suggest_release(struct tsh_suggest *s)
{
	free(s->best);
	s->best = NULL;
	s->distance = UINT_MAX;
}

/*
 * Says whether c is in the set that begins behind the '[' at glob; *end moves behind its ']'. When
 * there is no ']', it is no set, and *end stays NULL.
 */
static bool in_set(const char *glob, char c, const char **end)
{
	const char *p = glob;
	bool negated = *p == '!' || *p == '^';
	bool found = false;
	bool first;

	*end = NULL;
	p += negated;
	/* a ']' that comes first is a member of the set */
	for (first = true; first || *p != ']'; first = false) {
		unsigned char low, high;

		if (*p == '\\' && p[1])
			p++;
		if (!*p)
			return false;
		low = high = (unsigned char)*p++;
		if (*p == '-' && p[1] && p[1] != ']') {
			p++;
			if (*p == '\\' && p[1])
				p++;
			high = (unsigned char)*p++;
		}
		found |= low <= (unsigned char)c && (unsigned char)c <= high;
	}
	*end = p + 1;
	return found != negated;
}

/* Says whether the element at glob, which is no '*', matches c; *next points to the next
 * element. */
static bool match_one(const char *glob, char c, const char **next)
{
	const char *end;
	bool found;

	*next = glob + 1;
	switch (*glob) {
	case '?':
		return true;
	case '[':
		found = in_set(glob + 1, c, &end);
		if (!end)
			return c == '[';
		*next = end;
		return found;
	case '\\':
		if (glob[1]) {
			*next = glob + 2;
			return c == glob[1];
		}
		break;
	}
	return c == *glob;
}

int tsh_glob_match(const char *glob, const char *text)
{
	const char *star = NULL;	/* behind the last '*' */
	const char *rest = NULL;	/* the text behind what that '*' has matched */

	/*
	 * When a match fails, only the last '*' takes one more byte. All before it has matched as
	 * little as possible, so that no match is missed, and the time is at most the product of
	 * the lengths.
	 */
	while (*text || *glob == '*') {
		const char *next;

		if (*glob == '*') {
			star = ++glob;
			rest = text;
		} else if (*glob && match_one(glob, *text, &next)) {
			glob = next;
			text++;
		} else if (star) {
			glob = star;
			text = ++rest;
		} else {
			return 0;
		}
	}
	return !*glob;
}

int tsh_is_glob(const char *word)
{
	return strpbrk(word, "*?[") != NULL;
}
