/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events/symbols/directive.h"
#include "expr.h"

/* Reduces a print format to what it says of one field. */

/* Limits the bytes between two directives of one value, as the comma of "%d,%d". */
#define BETWEEN_MAX 2

/* Says whether an expression refers to no other field. Sets *ret when it refers to this one. */
static bool asks_only(const struct expr *e, const struct tsh_field *field, bool *ret)
{
	size_t i;

	if (e->field && e->field != field)
		return false;
	*ret |= e->field == field;
	for (i = 0; i < e->nargs; i++)
		if (!asks_only(e->arg[i], field, ret))
			return false;
	return true;
}

/* Returns how many arguments a directive needs. */
static size_t args_of(const struct directive *d)
{
	return (size_t)d->width_is_arg + d->precision_is_arg +
	       (d->kind != DIRECTIVE_NONE && d->kind != DIRECTIVE_BAD);
}

/* Says whether an expression is the field itself, or a macro of the kernel on it:
 * __print_flags(REC->x, ..). */
static bool is_plain(const struct expr *e, const struct tsh_field *field)
{
	while (e->kind == EXPR_CAST || e->kind == EXPR_INDEX || e->kind == EXPR_ADDRESS)
		e = e->arg[0];
	return e->field == field ||
	       (e->kind == EXPR_CALL && e->nargs && is_plain(e->arg[0], field));
}

/* Says whether the kernel has names for the values of an expression. */
static bool is_named(const struct expr *e, const struct tsh_field *field)
{
	return is_plain(e, field) && e->kind == EXPR_CALL &&
	       (!strncmp(e->text, "__print_symbolic", strlen("__print_symbolic")) ||
		!strncmp(e->text, "__print_flags", strlen("__print_flags")));
}

static bool is_any(const struct expr *e, const struct tsh_field *field)
{
	(void)e;
	(void)field;
	return true;
}

typedef bool is_wanted(const struct expr *e, const struct tsh_field *field);

static bool is_about(const struct print_fmt *fmt, size_t at, size_t n, const struct tsh_field *field,
		     is_wanted *wanted)
{
	bool asks = false;
	size_t i;

	if (!n || at + n > fmt->nargs || !wanted(fmt->arg[at + n - 1], field))
		return false;
	for (i = 0; i < n; i++)
		if (!asks_only(fmt->arg[at + i], field, &asks))
			return false;
	return asks;
}

/* Counts the directives that print something of the field. */
static size_t mentions(const struct print_fmt *fmt, const struct tsh_field *field)
{
	size_t i, n = 0;

	for (i = 0; i < fmt->nargs; i++) {
		bool asks = false;

		(void)asks_only(fmt->arg[i], field, &asks);
		n += asks;
	}
	return n;
}

/* Says whether the argument is an element of an array. */
static bool is_element(const struct expr *e)
{
	while (e->kind == EXPR_CAST)
		e = e->arg[0];
	return e->kind == EXPR_INDEX;
}

/* Says whether the directives print only a part of the field: "flags=%s idx=%u" of its bits, or
 * "(%lx, %lx" of some elements of an array. */
static bool is_part(const struct print_fmt *fmt, const struct tsh_field *field, size_t first, size_t used,
		    is_wanted *wanted)
{
	if (is_element(fmt->arg[first]))
		return field->kind == TSH_FIELD_DYNAMIC || !field->element_size ||
		       used < field->size / field->element_size;
	return wanted == is_any && used < mentions(fmt, field);
}

static bool narrow(struct print_fmt *fmt, const struct tsh_field *field, unsigned int long_size,
		   is_wanted *wanted)
{
	const char *text = fmt->format, *end = text + strnlen(text, fmt->format_len);
	const char *begin = NULL, *last = NULL;
	size_t literal_len, at = 0, first = 0, used = 0;
	struct directive d;

	while (text < end) {
		const char *next = directive_next(text, end, long_size, &literal_len, &d);
		size_t n = args_of(&d);

		if (d.kind == DIRECTIVE_BAD)
			break;
		if (begin && (literal_len > BETWEEN_MAX || memchr(text, ' ', literal_len) ||
			      !is_about(fmt, at, n, field, wanted)))
			break;
		if (!begin && is_about(fmt, at, n, field, wanted)) {
			begin = text + literal_len;
			/* keeps a "0x" before a hexadecimal number */
			if (literal_len >= 2 && !memcmp(begin - 2, "0x", 2))
				begin -= 2;
			first = at;
		}
		if (begin) {
			last = next;
			used += n;
		}
		at += n;
		text = next;
	}
	if (!begin || is_part(fmt, field, first, used, wanted))
		return false;
	if (is_element(fmt->arg[first]) && begin > fmt->format && begin[-1] == '{' && last < end && *last == '}') {
		begin--;
		last++;
	}
	fmt->format += begin - fmt->format;
	fmt->format_len = (size_t)(last - begin);
	fmt->arg += first;
	fmt->nargs = used;
	return true;
}

bool print_fmt_narrow(struct print_fmt *fmt, const struct tsh_field *field, unsigned int long_size)
{
	/*
	 * Prefers a directive that prints a name: in "vec=%u [action=%s]" the second one tells
	 * more. Then prefers one that prints the field itself: in "page=%p pfn=0x%lx" the first one
	 * prints a computed value.
	 */
	return narrow(fmt, field, long_size, is_named) || narrow(fmt, field, long_size, is_plain) ||
	       narrow(fmt, field, long_size, is_any);
}
