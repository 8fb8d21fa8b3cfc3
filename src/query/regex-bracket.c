/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "regex-code.h"

/* Parses what stands in [..], by XBD 9.3.5; the collation is that of the code points. */

#define STRAY_BYTE 0x110000 /* added to the byte, so that it lies behind all code points */

uint32_t regex_read_char(const char **at, const char *end)
{
	uint32_t code = (unsigned char)**at;
	size_t len = 1;

	if (code >= 0x80) {
		len = tsh_utf8_decode(*at, (size_t)(end - *at), &code);
		if (!len) {
			len = 1;
			code = STRAY_BYTE + (unsigned char)**at;
		}
	}
	*at += len;
	return code;
}

void regex_add_range(struct regex_set *set, uint32_t low, uint32_t high)
{
	*tsh_vec_push(&set->ranges) = (struct regex_range){ low, high };
}

/* ---- classes ---- */

static int is_word(int c)
{
	return isalnum(c) || c == '_';
}

static const struct {
	const char *name;
	int (*is)(int c);
} classes[] = {
	{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl },
	{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower }, { "print", isprint },
	{ "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit },
	{ "word", is_word },
};

bool regex_add_class(struct regex_set *set, const char *name, size_t len)
{
	size_t i, n = sizeof(classes) / sizeof(classes[0]);
	int c, low = -1;

	for (i = 0; i < n; i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			break;
	if (i == n)
		return false;
	for (c = 0; c <= 0x80; c++) {
		bool is = c < 0x80 && classes[i].is(c);

		if (is && low < 0)
			low = c;
		if (!is && low >= 0)
			regex_add_range(set, (uint32_t)low, (uint32_t)c - 1);
		low = is ? low : -1;
	}
	return true;
}

/* ---- the bracket ---- */

static const char unmatched[] = "the [ has no ]";

/* Returns the end of "[:", "[." or "[=": the same mark and a "]". */
static const char *find_end(const char *p, char mark)
{
	for (; *p; p++)
		if (p[0] == mark && p[1] == ']')
			return p;
	return NULL;
}

/* Parses one end of a range, or a single character. */
static const char *parse_member(const char **at, uint32_t *ret)
{
	const char *p = *at, *name, *end;
	char mark;

	if (p[0] != '[' || !p[1] || !strchr(".=", p[1])) {
		*ret = regex_read_char(at, p + strlen(p));
		return NULL;
	}
	mark = p[1];
	name = p + 2;
	end = find_end(name, mark);
	if (!end || end == name)
		return unmatched;
	*ret = regex_read_char(&name, end);
	if (name != end)
		return "[. .] and [= =] hold one character here";
	*at = end + 2;
	return NULL;
}

static const char *parse_class(const char **at, struct regex_set *set)
{
	const char *name = *at + 2, *end = find_end(name, ':');

	if (!end)
		return unmatched;
	if (!regex_add_class(set, name, (size_t)(end - name)))
		return "no class of that name: it is one of alnum alpha blank cntrl digit graph lower "
		       "print punct space upper xdigit";
	*at = end + 2;
	return NULL;
}

static const char *parse_range(const char **at, struct regex_set *set)
{
	uint32_t low, high;
	const char *why = parse_member(at, &low);

	if (why)
		return why;
	high = low;
	if ((*at)[0] == '-' && (*at)[1] && (*at)[1] != ']') {
		(*at)++;
		if ((*at)[0] == '[' && (*at)[1] == ':')
			return "a range ends with a character, not with a class";
		why = parse_member(at, &high);
		if (why)
			return why;
		if (high < low)
			return "the range ends before it begins";
	}
	regex_add_range(set, low, high);
	return NULL;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct regex_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

void regex_sort_set(struct regex_set *set)
{
	struct regex_range *all = set->ranges.v;
	size_t i, n = 0;

	if (!set->ranges.n)
		return;
	qsort(all, set->ranges.n, sizeof(*all), compare_ranges);
	for (i = 1; i < set->ranges.n; i++) {
		if (all[i].low > all[n].high + 1)
			all[++n] = all[i];
		else if (all[i].high > all[n].high)
			all[n].high = all[i].high;
	}
	set->ranges.n = n + 1;
}

const char *regex_parse_bracket(const char **at, struct regex_set *set)
{
	const char *first, *why = NULL;

	set->is_negated = **at == '^';
	*at += set->is_negated;
	first = *at;
	while (!why && **at && (**at != ']' || *at == first)) {
		if ((*at)[0] == '[' && (*at)[1] == ':')
			why = parse_class(at, set);
		else if ((*at)[0] == '-' && *at != first && (*at)[1] != ']')
			why = "a - in [ ] stands first, last, or between two characters";
		else
			why = parse_range(at, set);
	}
	if (!why && !**at)
		why = unmatched;
	regex_sort_set(set);
	*at += !why;
	return why;
}
