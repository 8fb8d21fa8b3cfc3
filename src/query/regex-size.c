/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "regex-size.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	100
#define NODES_MAX	3000	/* of nested ones glibc takes memory by their square */
#define AGAIN		4	/* a repetition of a repetition: time by its cube */

struct sizes {
	uint64_t sum[DEPTH_MAX + 1];	/* of what stands before the last atom, by open group */
	size_t depth;
	uint64_t atom;			/* what a repetition would be of */
};

static void begin_atom(struct sizes *s, uint64_t size)
{
	s->sum[s->depth] += s->atom;
	s->atom = size;
}

static void repeat(struct sizes *s, uint64_t times)
{
	s->atom *= times ? times : 1;
	if (s->atom > NODES_MAX)
		s->atom = NODES_MAX + 1;
}

/* Behind "[": where the bracket ends. */
static const char *skip_bracket(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']') {
		if (p[0] == '[' && p[1] && strchr(":.=", p[1])) {
			const char *end = strchr(p + 2, ']');

			p = end ? end + 1 : p + strlen(p);
		} else {
			p++;
		}
	}
	return *p ? p + 1 : p;
}

/* Behind "{": "3}", "3,}" or "3,5}"; NULL: it stands for itself. */
static const char *read_times(const char *p, uint64_t *ret)
{
	char *end;
	uint64_t most;

	*ret = strtoull(p, &end, 10);
	if (end == p && *end != ',')
		return NULL;
	if (*end == ',') {
		most = strtoull(end + 1, &end, 10);
		*ret = most > *ret ? most : *ret + 1;
	}
	if (*ret > NODES_MAX)
		*ret = NODES_MAX + 1;
	return *end == '}' ? end + 1 : NULL;
}

bool query_regex_is_small(const char *text)
{
	struct sizes s = { .atom = 0 };
	const char *p = text, *end;
	bool is_repeated = false;
	uint64_t times;

	while (*p) {
		char c = *p++;
		bool again = is_repeated;

		is_repeated = c == '*' || c == '+' || c == '?' || c == '{';
		if (is_repeated && again)
			repeat(&s, AGAIN);
		if (c == '\\' && *p) {
			p++;
			begin_atom(&s, 1);
		} else if (c == '[') {
			p = skip_bracket(p);
			begin_atom(&s, 1);
		} else if (c == '(') {
			begin_atom(&s, 0);
			if (s.depth == DEPTH_MAX)
				return false;
			s.sum[++s.depth] = 0;
		} else if (c == ')' && s.depth) {
			uint64_t group = s.sum[s.depth] + s.atom + 1;

			s.depth--;
			s.atom = group;
		} else if (c == '+') {
			repeat(&s, 2);
		} else if (c == '{' && (end = read_times(p, &times))) {
			p = end;
			repeat(&s, times);
		} else if (c != '*' && c != '?') {
			begin_atom(&s, 1);
		}
		if (s.sum[s.depth] + s.atom > NODES_MAX)
			return false;
	}
	return true;
}
