/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contradiction.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"

/*
 * Holds a filter as alternatives (its disjunctive normal form): the filter can be true when one
 * alternative can. Each alternative is a set of comparisons that hold at once.
 */

#define COMPARISONS_MAX 32
#define ALTERNATIVES_MAX 256
#define DEPTH_MAX 32

/* Bit i: comparison i holds; bit 32 + i: it does not. */
struct alternatives {
	uint64_t *v;
	size_t n, cap;
};

struct filter {
	const char *p;
	unsigned int depth;
	bool failed;
	unsigned int n;
	struct tsh_comparison comparisons[COMPARISONS_MAX];
};

static void parse_or(struct filter *f, bool negated, struct alternatives *ret);

static void skip_blanks(struct filter *f)
{
	while (isspace((unsigned char)*f->p))
		f->p++;
}

static bool skip_token(struct filter *f, const char *text)
{
	size_t len = strlen(text);

	skip_blanks(f);
	if (strncmp(f->p, text, len))
		return false;
	f->p += len;
	return true;
}

static bool parse_op(struct filter *f, enum tsh_compare_op *ret)
{
	static const struct {
		const char *text;
		enum tsh_compare_op op;
	} ops[] = {
		{ "~", TSH_COMPARE_MATCH }, { "!=", TSH_COMPARE_NE }, { "==", TSH_COMPARE_EQ },
		{ "<=", TSH_COMPARE_LE },   { "<", TSH_COMPARE_LT },  { ">=", TSH_COMPARE_GE },
		{ ">", TSH_COMPARE_GT },    { "&", TSH_COMPARE_BITS },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (skip_token(f, ops[i].text)) {
			*ret = ops[i].op;
			return true;
		}
	return false;
}

/* Parses a number as kstrtoll() with base 0. Returns false when it does not fit. */
static bool parse_number(const char *text, int64_t *ret)
{
	char *end;
	long long value;

	/* Skips numbers that may not fit, such as an address with "0x" and 16 digits. */
	if (strlen(text) > 17 || (!isdigit((unsigned char)*text) && *text != '-'))
		return false;
	value = strtoll(text, &end, 0);
	*ret = value;
	return end != text && !*end;
}

static void parse_value(struct filter *f, struct tsh_comparison *c)
{
	const char *end;

	skip_blanks(f);
	c->quoted = *f->p == '"' || *f->p == '\'';
	if (c->quoted) {
		end = strchr(f->p + 1, *f->p);
		f->failed |= !end;
		if (end) {
			c->value = tsh_xstrndup(f->p + 1, (size_t)(end - f->p - 1));
			f->p = end + 1;
		}
		return;
	}
	for (end = f->p; isalnum((unsigned char)*end) || strchr("_-+.{},:", *end); end++)
		if (!*end)
			break;
	f->failed |= end == f->p;
	c->value = tsh_xstrndup(f->p, (size_t)(end - f->p));
	c->has_number = parse_number(c->value, &c->number);
	f->p = end;
}

/* Parses a comparison such as "next_pid == 5"; the field may have a ".ustring" or ".function"
 * behind it. */
static void parse_comparison(struct filter *f, bool negated, struct alternatives *ret)
{
	struct tsh_comparison *c = &f->comparisons[f->n];
	const char *begin;

	skip_blanks(f);
	begin = f->p;
	while (isalnum((unsigned char)*f->p) || *f->p == '_' || *f->p == '.')
		f->p++;
	if (f->n == COMPARISONS_MAX || f->p == begin) {
		f->failed = true;
		return;
	}
	*c = (struct tsh_comparison){ .field = tsh_xstrndup(begin, (size_t)(f->p - begin)) };
	f->n++;
	if (!parse_op(f, &c->op)) {
		f->failed = true;
		return;
	}
	parse_value(f, c);
	*tsh_vec_push(ret) = UINT64_C(1) << (f->n - 1 + (negated ? 32 : 0));
}

static void parse_not(struct filter *f, bool negated, struct alternatives *ret)
{
	while (skip_token(f, "!"))
		negated = !negated;
	if (!skip_token(f, "(")) {
		parse_comparison(f, negated, ret);
		return;
	}
	if (++f->depth > DEPTH_MAX)
		f->failed = true;
	else
		parse_or(f, negated, ret);
	f->depth--;
	f->failed |= !skip_token(f, ")");
}

/* Combines two filters that must both hold: each alternative of one with each of the other. */
static void combine(struct filter *f, struct alternatives *ret, const struct alternatives *other)
{
	struct alternatives old = *ret;
	size_t i, k;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < old.n && !f->failed; i++)
		for (k = 0; k < other->n; k++)
			*tsh_vec_push(ret) = old.v[i] | other->v[k];
	f->failed |= ret->n > ALTERNATIVES_MAX;
	tsh_vec_release(&old);
}

static void unite_alternatives(struct filter *f, struct alternatives *ret, const struct alternatives *other)
{
	size_t i;

	for (i = 0; i < other->n; i++)
		*tsh_vec_push(ret) = other->v[i];
	f->failed |= ret->n > ALTERNATIVES_MAX;
}

/* Parses "a && b"; negated, that is "!a || !b". parse_or does it the other way round. */
static void parse_and(struct filter *f, bool negated, struct alternatives *ret)
{
	parse_not(f, negated, ret);
	while (!f->failed && skip_token(f, "&&")) {
		struct alternatives next = { 0 };

		parse_not(f, negated, &next);
		if (negated)
			unite_alternatives(f, ret, &next);
		else
			combine(f, ret, &next);
		tsh_vec_release(&next);
	}
}

static void parse_or(struct filter *f, bool negated, struct alternatives *ret)
{
	parse_and(f, negated, ret);
	while (!f->failed && skip_token(f, "||")) {
		struct alternatives next = { 0 };

		parse_and(f, negated, &next);
		if (negated)
			combine(f, ret, &next);
		else
			unite_alternatives(f, ret, &next);
		tsh_vec_release(&next);
	}
}

/* ---- whether an alternative can be true ---- */

static const char *const op_names[] = {
	[TSH_COMPARE_EQ] = "==", [TSH_COMPARE_NE] = "!=", [TSH_COMPARE_LT] = "<",
	[TSH_COMPARE_GE] = ">=", [TSH_COMPARE_GT] = ">", [TSH_COMPARE_LE] = "<=",
	[TSH_COMPARE_MATCH] = "~", [TSH_COMPARE_NO_MATCH] = "!~", [TSH_COMPARE_BITS] = "&",
	[TSH_COMPARE_NO_BITS] = "!&",
};

/* Returns the opposite of an operator; the two stand beside each other in the enum. */
static enum tsh_compare_op opposite(enum tsh_compare_op op)
{
	return op ^ 1;
}

static char *comparison_text(const struct tsh_comparison *c)
{
	const char *quote = !c->quoted ? "" : strchr(c->value, '"') ? "'" : "\"";

	return tsh_xasprintf("%s %s %s%s%s", c->field, op_names[c->op], quote, c->value, quote);
}

/* Returns the comparison of bit `bit`, or its opposite. Returns false when the alternative does
 * not have it. */
static bool literal(const struct filter *f, uint64_t alternative, unsigned int bit,
		    struct tsh_comparison *ret)
{
	if (!(alternative >> bit & 1))
		return false;
	*ret = f->comparisons[bit % 32];
	ret->inverted = bit >= 32;
	if (ret->inverted)
		ret->op = opposite(ret->op);
	return true;
}

struct span {
	int64_t lowest, highest;
};

/* Returns the numbers for which a comparison holds. Returns false when they are no single span. */
static bool span_of(const struct tsh_comparison *c, struct span *ret)
{
	*ret = (struct span){ INT64_MIN, INT64_MAX };
	if (!c->has_number)
		return false;
	switch (c->op) {
	case TSH_COMPARE_EQ:
		ret->lowest = ret->highest = c->number;
		return true;
	case TSH_COMPARE_LT:
		ret->highest = c->number - 1;
		return true;
	case TSH_COMPARE_LE:
		ret->highest = c->number;
		return true;
	case TSH_COMPARE_GT:
		ret->lowest = c->number + 1;
		return true;
	case TSH_COMPARE_GE:
		ret->lowest = c->number;
		return true;
	default:
		return false;
	}
}

static bool are_apart(struct span a, struct span b)
{
	return a.lowest > b.highest || b.lowest > a.highest;
}

/* Says whether two comparisons of strings exclude each other: two different strings, or a string
 * and not that string. */
static bool strings_exclude(const struct tsh_comparison *a, const struct tsh_comparison *b)
{
	bool same = !strcmp(a->value, b->value);

	if (!a->quoted || !b->quoted)
		return false;
	if (a->op == TSH_COMPARE_EQ && b->op == TSH_COMPARE_EQ)
		return !same;
	return same && a->op == opposite(b->op);
}

static bool exclude(const struct tsh_comparison *a, const struct tsh_comparison *b)
{
	struct span x, y;

	if (strcmp(a->field, b->field))
		return false;
	if (span_of(a, &x) && span_of(b, &y))
		return are_apart(x, y);
	if (a->has_number && b->has_number && a->number == b->number)
		return a->op == opposite(b->op);
	return strings_exclude(a, b);
}

static char *never_alone(const struct tsh_comparison *c,
			 const struct tsh_contradiction_facts *facts)
{
	struct span possible = { INT64_MIN, INT64_MAX }, wanted;
	char *why = facts->why_never ? facts->why_never(facts->ctx, c) : NULL, *text, *out = NULL;
	bool out_of_range = false;

	if (!why && facts->range && span_of(c, &wanted)) {
		facts->range(facts->ctx, c->field, &possible.lowest, &possible.highest);
		out_of_range = are_apart(possible, wanted);
	}
	text = comparison_text(c);
	if (why)
		out = tsh_xasprintf("'%s': %s", text, why);
	else if (out_of_range)
		out = tsh_xasprintf("'%s' is never true", text);
	free(text);
	free(why);
	return out;
}

static char *never_both(const struct tsh_comparison *a, const struct tsh_comparison *b)
{
	char *x, *y, *out;

	if (!exclude(a, b))
		return NULL;
	x = comparison_text(a);
	y = comparison_text(b);
	out = tsh_xasprintf("'%s' and '%s' are never true at once", x, y);
	free(x);
	free(y);
	return out;
}

static char *never(const struct filter *f, uint64_t alternative,
		   const struct tsh_contradiction_facts *facts)
{
	struct tsh_comparison a, b;
	unsigned int i, k;
	char *why = NULL;

	for (i = 0; i < 64 && !why; i++) {
		if (!literal(f, alternative, i, &a))
			continue;
		why = never_alone(&a, facts);
		for (k = i + 1; k < 64 && !why; k++)
			if (literal(f, alternative, k, &b))
				why = never_both(&a, &b);
	}
	return why;
}

/* Returns why no alternative can be true: the reason for the first alternative. Returns NULL
 * when one of them can. */
static char *never_any(const struct filter *f, const struct alternatives *all,
		       const struct tsh_contradiction_facts *facts)
{
	char *first = NULL;
	size_t i;

	for (i = 0; i < all->n; i++) {
		char *why = never(f, all->v[i], facts);

		if (!why) {
			free(first);
			return NULL;
		}
		if (first)
			free(why);
		else
			first = why;
	}
	return first;
}

char *tsh_contradiction(const char *filter, const struct tsh_contradiction_facts *facts)
{
	struct filter f = { .p = filter };
	struct alternatives all = { 0 };
	char *why = NULL;
	unsigned int i;

	parse_or(&f, false, &all);
	skip_blanks(&f);
	for (i = 0; facts->as_kernel && !f.failed && !*f.p && i < f.n; i++)
		if (f.comparisons[i].has_number)
			facts->as_kernel(facts->ctx, &f.comparisons[i]);
	if (!f.failed && !*f.p)
		why = never_any(&f, &all, facts);
	for (i = 0; i < f.n; i++) {
		free(f.comparisons[i].field);
		free(f.comparisons[i].value);
	}
	tsh_vec_release(&all);
	return why;
}
