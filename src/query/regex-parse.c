/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "regex-code.h"

/* Compiles a pattern by recursive descent, directly into steps. */

struct parser {
	struct query_regex *regex;
	const char *at;
	const char *end;
	const char *why; /* not NULL when it has failed */
	size_t depth;
};

static void parse_choice(struct parser *p);

static bool fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

/* ---- steps ---- */

static size_t step_count(const struct parser *p)
{
	return p->regex->steps.n;
}

static bool has_room(struct parser *p, size_t n)
{
	return step_count(p) + n <= REGEX_STEPS_MAX || fail(p, "the pattern has too many repetitions");
}

static void emit(struct parser *p, enum regex_op op, int32_t arg)
{
	if (has_room(p, 1))
		*tsh_vec_push(&p->regex->steps) = (struct regex_step){ op, arg };
}

/* Inserts a step before those from `start` on. */
static void emit_at(struct parser *p, size_t start, enum regex_op op, int32_t arg)
{
	struct regex_step *v;
	size_t len = step_count(p) - start;

	emit(p, op, arg);
	if (p->why)
		return;
	v = p->regex->steps.v + start;
	memmove(v + 1, v, len * sizeof(*v));
	*v = (struct regex_step){ op, arg };
}

/* Appends a copy of the steps at start. */
static void copy(struct parser *p, size_t start, size_t len)
{
	size_t i;

	for (i = 0; i < len && !p->why; i++) {
		struct regex_step step = p->regex->steps.v[start + i];

		emit(p, step.op, step.arg);
	}
}

static struct regex_set *emit_set(struct parser *p)
{
	emit(p, REGEX_SET, (int32_t)p->regex->sets.n);
	return tsh_vec_push(&p->regex->sets);
}

/* ---- repetitions, of the steps from `start` on ---- */

static void make_optional(struct parser *p, size_t start)
{
	emit_at(p, start, REGEX_SPLIT, (int32_t)(step_count(p) - start) + 1);
}

static void repeat_forever(struct parser *p, size_t start, bool once)
{
	int32_t len = (int32_t)(step_count(p) - start);

	if (once) {
		emit(p, REGEX_SPLIT, -len);
		return;
	}
	emit_at(p, start, REGEX_SPLIT, len + 2);
	emit(p, REGEX_JUMP, -len - 1);
}

static void repeat(struct parser *p, size_t start, size_t least, size_t most)
{
	size_t i, len = step_count(p) - start, last = start;

	if (!most)
		p->regex->steps.n = start;
	for (i = 1; i < (least ? least : 1) && !p->why && len; i++) {
		last = step_count(p);
		copy(p, start, len);
	}
	if (most == SIZE_MAX) {
		repeat_forever(p, last, least > 0);
		return;
	}
	/* copies the steps at `start` before these become optional themselves, below */
	for (i = least ? least : 1; i < most && !p->why && len; i++) {
		last = step_count(p);
		copy(p, start, len);
		make_optional(p, last);
	}
	if (!least && most)
		make_optional(p, start);
}

static size_t read_number(struct parser *p)
{
	size_t n = 0;

	for (; isdigit((unsigned char)*p->at); p->at++)
		n = n > REGEX_STEPS_MAX ? n : n * 10 + (size_t)(*p->at - '0');
	return n;
}

/* Parses what stands behind "{": {3}, {3,}, {3,5}; a missing first number is 0, as in {,5}. */
static void parse_interval(struct parser *p, size_t start)
{
	const char *begin = p->at;
	size_t least = read_number(p), most = least;

	if (*p->at == ',') {
		p->at++;
		most = isdigit((unsigned char)*p->at) ? read_number(p) : SIZE_MAX;
	}
	if (*p->at != '}' || p->at == begin)
		fail(p, "a repetition is {N}, {N,} or {N,M}; for a plain { write \\{");
	else if (most < least)
		fail(p, "{N,M} with N above M");
	else if (least > REGEX_STEPS_MAX || (most != SIZE_MAX && most > REGEX_STEPS_MAX))
		has_room(p, REGEX_STEPS_MAX + 1);
	else
		repeat(p, start, least, most);
	p->at += !p->why;
}

static void parse_repetitions(struct parser *p, size_t start)
{
	while (!p->why && *p->at && strchr("*+?{", *p->at)) {
		switch (*p->at++) {
		case '*':
			repeat(p, start, 0, SIZE_MAX);
			break;
		case '+':
			repeat(p, start, 1, SIZE_MAX);
			break;
		case '?':
			repeat(p, start, 0, 1);
			break;
		default:
			parse_interval(p, start);
		}
	}
}

/* ---- atoms ---- */

static void parse_group(struct parser *p)
{
	if (p->depth == REGEX_DEPTH_MAX) {
		fail(p, "groups within groups, more than a hundred deep");
		return;
	}
	p->depth++;
	parse_choice(p);
	p->depth--;
	if (*p->at == ')')
		p->at++;
	else
		fail(p, "the ( has no )");
}

/* Parses what stands behind a backslash. Returns false for an assertion, which cannot be
 * repeated. */
static bool parse_escape(struct parser *p)
{
	static const char asserts[] = "bB<>";
	static const enum regex_assert kinds[] = {
		REGEX_WORD_EDGE,
		REGEX_NO_WORD_EDGE,
		REGEX_WORD_BEGIN,
		REGEX_WORD_END,
	};
	const char *kind;
	struct regex_set *set;
	char c = *p->at;

	if (!c)
		return fail(p, "the pattern ends in a \\");
	p->at++;
	kind = strchr(asserts, c);
	if (kind) {
		emit(p, REGEX_ASSERT, (int32_t)kinds[kind - asserts]);
		return false;
	}
	switch (c) {
	case 'w':
	case 'W':
	case 's':
	case 'S':
		set = emit_set(p);
		set->is_negated = isupper((unsigned char)c);
		regex_add_class(set, tolower((unsigned char)c) == 'w' ? "word" : "space",
				tolower((unsigned char)c) == 'w' ? 4 : 5);
		regex_sort_set(set);
		return true;
	case 'd':
	case 'D':
		return fail(p, "\\d is not POSIX: write [0-9], or [^0-9] for \\D");
	default:
		if (isdigit((unsigned char)c))
			return fail(p, "back-references such as \\1 are not supported");
		if (isalpha((unsigned char)c))
			return fail(p, "\\ may only stand before the letters w W s S b B");
	}
	p->at--;
	emit(p, REGEX_CHAR, (int32_t)regex_read_char(&p->at, p->end));
	return true;
}

/* Parses an atom. Returns false when it cannot be repeated, or on a failure. */
static bool parse_atom(struct parser *p)
{
	const char *why;

	switch (*p->at++) {
	case '^':
		emit(p, REGEX_ASSERT, REGEX_BEGIN);
		return false;
	case '$':
		emit(p, REGEX_ASSERT, REGEX_END);
		return false;
	case '*':
	case '+':
	case '?':
	case '{':
		return fail(p, "there is nothing before this * + ? or { to repeat");
	case '\\':
		return parse_escape(p);
	case '(':
		parse_group(p);
		return true;
	case '[':
		why = regex_parse_bracket(&p->at, emit_set(p));
		return !why || fail(p, why);
	case '.':
		emit(p, REGEX_ANY, 0);
		return true;
	default:
		p->at--;
		emit(p, REGEX_CHAR, (int32_t)regex_read_char(&p->at, p->end));
		return true;
	}
}

/* Says whether a branch ends here. A ")" without its "(" is an ordinary character. */
static bool at_end_of_branch(const struct parser *p)
{
	return p->why || !*p->at || *p->at == '|' || (*p->at == ')' && p->depth);
}

static void parse_branch(struct parser *p)
{
	while (!at_end_of_branch(p)) {
		size_t start = step_count(p);

		if (parse_atom(p))
			parse_repetitions(p, start);
	}
}

/* Parses branches between "|". Each one is joined with those before it. */
static void parse_choice(struct parser *p)
{
	size_t start = step_count(p), jump;

	parse_branch(p);
	while (*p->at == '|' && !p->why) {
		p->at++;
		emit_at(p, start, REGEX_SPLIT, (int32_t)(step_count(p) - start) + 2);
		jump = step_count(p);
		emit(p, REGEX_JUMP, 0);
		parse_branch(p);
		if (!p->why)
			p->regex->steps.v[jump].arg = (int32_t)(step_count(p) - jump);
	}
}

struct query_regex *query_regex_new(const char *pattern, const char **ret_why)
{
	struct query_regex *regex = tsh_xcalloc(1, sizeof(*regex));
	struct parser p = { .regex = regex, .at = pattern, .end = pattern + strlen(pattern) };

	parse_choice(&p);
	emit(&p, REGEX_FOUND, 0);
	*ret_why = p.why;
	if (p.why) {
		query_regex_free(regex);
		return NULL;
	}
	regex_find_begins(regex);
	return regex;
}

void query_regex_free(struct query_regex *regex)
{
	size_t i;

	if (!regex)
		return;
	for (i = 0; i < regex->sets.n; i++)
		tsh_vec_release(&regex->sets.v[i].ranges);
	tsh_vec_release(&regex->sets);
	tsh_vec_release(&regex->steps);
	free(regex);
}
