/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter-scan.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* kernel/trace/trace_events_filter.c, MAX_FILTER_STR_VAL, counting the NUL */
#define STRING_MAX 256

static int width(struct tsh_span word)
{
	return (int)(word.end - word.begin);
}

static bool op_is(const struct filter_scan *s, const struct filter_comparison *c, const char *op)
{
	return (size_t)width(c->op) == strlen(op) &&
	       !memcmp(s->text + c->op.begin, op, strlen(op));
}

/* Returns the text up to the end of the operand, to show a value as a whole. */
static struct tsh_span bare_value(const struct filter_scan *s)
{
	struct filter_scan at = *s;

	while (!filter_at_end_of_operand(&at) && !isspace((unsigned char)at.text[at.pos]))
		at.pos++;
	return (struct tsh_span){ s->pos, at.pos };
}

/* ---- strings ---- */

static bool check_string_operator(struct filter_scan *s, const struct filter_comparison *c)
{
	if (op_is(s, c, "==") || op_is(s, c, "!=") || op_is(s, c, "~"))
		return true;
	return filter_blame(s, c->op.begin, c->op.end,
			    "'%.*s' is a string (%s): it is compared with == != or ~",
			    width(c->name), s->text + c->name.begin, c->field->type);
}

static bool blame_quoted_number(struct filter_scan *s, const struct filter_comparison *c,
				struct tsh_span quoted)
{
	const char *inside = s->text + quoted.begin + 1;
	struct tsh_span text = { quoted.begin + 1, quoted.end - 1 };
	bool number = isdigit((unsigned char)*inside) || *inside == '-';

	if (number && !op_is(s, c, "~"))
		return filter_blame(s, quoted.begin, quoted.end,
				    "write numbers without quotes: %.*s %.*s %.*s", width(c->name),
				    s->text + c->name.begin, width(c->op), s->text + c->op.begin,
				    width(text), inside);
	return filter_blame(s, quoted.begin, quoted.end,
			    "'%.*s' is a number (%s), no string", width(c->name),
			    s->text + c->name.begin, c->field->type);
}

static bool read_string(struct filter_scan *s, const struct filter_comparison *c)
{
	const char *close = strchr(s->text + s->pos + 1, s->text[s->pos]);
	struct tsh_span quoted = { s->pos, 0 };

	/* Quotes are balanced, but one may stand inside a value that has none around it. */
	if (!close)
		return filter_blame(s, s->pos, s->pos + 1, "this quote has no end");
	quoted.end = (size_t)(close - s->text) + 1;
	if (c->field->kind == TSH_FILTER_NUMBER || c->field->kind == TSH_FILTER_CPUS)
		return blame_quoted_number(s, c, quoted);
	if (quoted.end - quoted.begin - 2 >= STRING_MAX)
		return filter_blame(s, quoted.begin, quoted.end,
				    "the kernel compares with %d bytes at most", STRING_MAX - 1);
	s->pos = quoted.end;
	return true;
}

static bool blame_bare_string(struct filter_scan *s, const struct filter_comparison *c)
{
	struct tsh_span value = bare_value(s);
	char quote = memchr(s->text + value.begin, '"', value.end - value.begin) ? '\'' : '"';

	return filter_blame(s, value.begin, value.end, "strings need quotes: %.*s %.*s %c%.*s%c",
			    width(c->name), s->text + c->name.begin, width(c->op),
			    s->text + c->op.begin, quote, width(value), s->text + value.begin,
			    quote);
}

/* ---- numbers ---- */

/* Returns why strtoull(3) cannot read the digits, or NULL when it can. */
static const char *fault_of_number(const char *digits, bool is_signed)
{
	bool negative = *digits == '-';
	const char *magnitude = digits + negative;
	unsigned long long value;
	char *end;

	if (negative && !is_signed)
		return "the field is unsigned";
	if (!isdigit((unsigned char)*magnitude))
		return negative ? "a '-' stands right before its number" :
				  "numbers are 10, 0x1f or 017 (octal)";
	errno = 0;
	value = strtoull(magnitude, &end, 0);
	if (errno == ERANGE ||
	    (is_signed && value > (unsigned long long)INT64_MAX + negative))
		return is_signed ? "the largest number here is 9223372036854775807" :
				   "the largest number here is 18446744073709551615";
	/* refuses 0b1, which newer C libraries read; the kernel does not */
	if (*end || (magnitude[0] == '0' && (magnitude[1] == 'b' || magnitude[1] == 'B')))
		return *magnitude == '0' && isdigit((unsigned char)magnitude[1]) ?
			       "a number that begins with 0 is octal" :
			       "numbers are 10, 0x1f or 017 (octal), without a unit";
	return NULL;
}

static bool read_number(struct filter_scan *s, const struct filter_comparison *c)
{
	struct tsh_span number = { s->pos, s->pos };
	const char *fault;
	char *digits;

	if (c->field->kind == TSH_FILTER_STRING)
		return blame_bare_string(s, c);
	s->pos += s->text[s->pos] == '-';
	number.end = filter_word(s).end;
	if (op_is(s, c, "~"))
		return filter_blame(s, c->op.begin, c->op.end,
				    "'%.*s' is a number (%s): ~ is for strings", width(c->name),
				    s->text + c->name.begin, c->field->type);
	if (s->text[number.end] == '.' && isdigit((unsigned char)s->text[number.end + 1]))
		return filter_blame(s, number.begin, bare_value(s).end, "numbers are whole");
	digits = tsh_xstrndup(s->text + number.begin, number.end - number.begin);
	fault = c->field->kind == TSH_FILTER_OTHER ? NULL :
						     fault_of_number(digits, c->field->is_signed);
	free(digits);
	if (fault)
		return filter_blame(s, number.begin, number.end, "%s", fault);
	s->pos = number.end;
	return true;
}

/* ---- CPUS{1-3} ---- */

static bool read_cpus(struct filter_scan *s, const struct filter_comparison *c)
{
	size_t begin = s->pos, open = begin + strlen("CPUS"), close;

	if (c->field->kind == TSH_FILTER_STRING)
		return filter_blame(s, begin, open, "CPUS{..} is for the number of a CPU, not for "
				    "a string");
	if (!op_is(s, c, "==") && !op_is(s, c, "!=") && !op_is(s, c, "&"))
		return filter_blame(s, c->op.begin, c->op.end,
				    "CPUS{..} is compared with == != or &");
	if (s->text[open] != '{')
		return filter_blame(s, begin, open, "a list of CPUs looks like CPUS{0-3,7}");
	close = open + strcspn(s->text + open, "}");
	if (!s->text[close])
		return filter_blame(s, open, open + 1, "there is no '}' for this '{'");
	if (close == open + 1 || strspn(s->text + open + 1, "0123456789-,:/ ") != close - open - 1)
		return filter_blame(s, begin, close + 1, "a list of CPUs looks like CPUS{0-3,7}");
	s->pos = close + 1;
	s->novelty = "kernels before 6.6 know no CPUS{..}";
	return true;
}

/* ---- a name ---- */

static bool blame_word(struct filter_scan *s, const struct filter_comparison *c)
{
	struct tsh_span word = filter_word(s);

	if (c->field->kind == TSH_FILTER_OTHER && !filter_field(s, word))
		return filter_blame(s, word.begin, word.end,
				    "a value is a number, or a string in quotes");
	if (filter_field(s, word))
		return filter_blame(s, word.begin, word.end,
				    "the kernel cannot compare two fields, and '%.*s' is a field%s",
				    width(word), s->text + word.begin,
				    c->field->kind == TSH_FILTER_STRING ?
					    "; a string of that name needs quotes" : "");
	if (c->field->kind == TSH_FILTER_STRING)
		return blame_bare_string(s, c);
	s->fault->value_of = c->field;
	return filter_blame(s, word.begin, word.end,
			    "'%.*s' is a number (%s), and filters have no names for its values",
			    width(c->name), s->text + c->name.begin, c->field->type);
}

/* Reads a function's name or an address, which the kernel resolves. */
static bool read_function(struct filter_scan *s, const struct filter_comparison *c)
{
	if (!op_is(s, c, "==") && !op_is(s, c, "!="))
		return filter_blame(s, c->op.begin, c->op.end,
				    "a function is compared with == or !=");
	s->pos = bare_value(s).end;
	return true;
}

bool filter_value(struct filter_scan *s, const struct filter_comparison *c)
{
	char first = s->text[s->pos];

	if (c->field->kind == TSH_FILTER_STRING && !check_string_operator(s, c))
		return false;
	if (filter_at_end_of_operand(s))
		return filter_blame(s, c->op.begin, c->op.end, "a value is missing behind '%.*s'",
				    width(c->op), s->text + c->op.begin);
	if (!filter_blame_character(s))
		return false;
	if (c->is_function)
		return read_function(s, c);
	if (!strncmp(s->text + s->pos, "CPUS", 4) && filter_word(s).end == s->pos + 4)
		return read_cpus(s, c);
	if (first == '"' || first == '\'')
		return read_string(s, c);
	if (isdigit((unsigned char)first) || first == '-')
		return read_number(s, c);
	if (isalpha((unsigned char)first) || first == '_')
		return blame_word(s, c);
	if (first == '(')
		return filter_blame(s, s->pos, s->pos + 1, "write the value without parentheses");
	if (first == '+')
		return filter_blame(s, s->pos, s->pos + 1, "write the number without a '+'");
	if (c->field->kind == TSH_FILTER_STRING)
		return blame_bare_string(s, c);
	return filter_blame(s, s->pos, bare_value(s).end,
			    "a value is a number, or a string in quotes");
}
