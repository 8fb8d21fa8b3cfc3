/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"

/* Are the columns to which the kernel pads texts. */
#define TEXT_WIDTH 50
#define COMM_WIDTH 16

static bool skip_text(const char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Parses "NAME:" with any name. */
static bool parse_name(const char **at)
{
	const char *p = *at;

	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.')
		p++;
	if (p == *at || !skip_text(&p, ":"))
		return false;
	*at = p;
	return true;
}

static bool parse_number(const char **at, uint64_t *ret)
{
	while (**at == ' ')
		(*at)++;
	return tsh_parse_u64_prefix(at, ret);
}

/* Parses " hitcount: 5  bytes: 7\n", behind which a row or the end of the rows has to follow. */
static bool parse_counts(const char **at, const struct tsh_hist_shape *shape,
			 struct tsh_hist_row *ret)
{
	const char *p = *at;
	size_t i;

	if (!skip_text(&p, " hitcount:") || !parse_number(&p, &ret->count))
		return false;
	for (i = 0; i < shape->nvalues; i++) {
		while (*p == ' ')
			p++;
		if (!parse_name(&p) || !parse_number(&p, &ret->values[i]))
			return false;
	}
	if (*p++ != '\n' || (*p != '\n' && strncmp(p, "{ ", 2) != 0))
		return false;
	*at = p;
	return true;
}

/*
 * Returns where a key that is a text ends: before the next key, or at the end of the keys; NULL:
 * nowhere.
 */
static const char *end_of_text(const char *begin, const char *end, size_t width, const char *next)
{
	const char *p = begin + ((size_t)(end - begin) < width ? (size_t)(end - begin) : width);

	if (!next)
		return end;
	for (; (p = memmem(p, (size_t)(end - p), ", ", 2)); p++) {
		const char *name = p + 2;

		if (parse_name(&name) && name < end)
			return p;
	}
	return NULL;
}

static void trim(const char *begin, const char *end, struct tsh_hist_row *ret, size_t key)
{
	while (end > begin && (end[-1] == ' ' || end[-1] == '\n'))
		end--;
	ret->keys[key].text = begin;
	ret->keys[key].len = (size_t)(end - begin);
}

/* Parses "bash            [       712]"; the name may have brackets, too. */
static bool trim_comm(const char *begin, const char *end, struct tsh_hist_row *ret, size_t key)
{
	const char *open = end > begin ? memrchr(begin, '[', (size_t)(end - begin)) : NULL;
	const char *p = open ? open + 1 : end;

	if (!open || !parse_number(&p, &ret->keys[key].number) || p + 1 != end || *p != ']')
		return false;
	trim(begin, open, ret, key);
	return true;
}

/* Parses the keys between "{ " and the end. */
static bool split_keys(const char *at, const char *end, const struct tsh_hist_shape *shape,
		       struct tsh_hist_row *ret)
{
	size_t i;

	for (i = 0; i < shape->nkeys; i++) {
		const char *next = i + 1 < shape->nkeys ? shape->keys[i + 1].name : NULL;
		enum tsh_hist_kind kind = shape->keys[i].kind;
		const char *stop;

		if ((i && !skip_text(&at, ", ")) || !parse_name(&at) || at > end)
			return false;
		if (kind == TSH_HIST_NUMBER) {
			if (!parse_number(&at, &ret->keys[i].number) || at > end)
				return false;
			continue;
		}
		at += *at == ' ' || *at == '\n';
		stop = end_of_text(at, end, kind == TSH_HIST_TEXT ? TEXT_WIDTH :
				   kind == TSH_HIST_COMM ? COMM_WIDTH : 0, next);
		if (!stop)
			return false;
		if (kind != TSH_HIST_COMM)
			trim(at, stop, ret, i);
		else if (!trim_comm(at, stop, ret, i))
			return false;
		at = stop;
	}
	while (at < end && (*at == ' ' || *at == '\n'))
		at++;
	return at == end;
}

bool tsh_hist_text_row(const char **at, const struct tsh_hist_shape *shape,
		       struct tsh_hist_row *ret)
{
	const char *p = *at, *begin, *close;

	while (*p == '#' || *p == '\n') {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!skip_text(&p, "{ "))
		return false;
	for (begin = p; (close = strstr(p, "} hitcount:")); p = close + 1) {
		const char *behind = close + 1;
		const char *end = close > begin && close[-1] == ' ' ? close - 1 : close;

		if (parse_counts(&behind, shape, ret) && split_keys(begin, end, shape, ret)) {
			*at = behind;
			return true;
		}
	}
	return false;
}

bool tsh_hist_text_totals(const char *at, uint64_t *ret_hits, uint64_t *ret_dropped)
{
	uint64_t entries;

	while (*at == '#' || *at == '\n') {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return skip_text(&at, "Totals:\n    Hits: ") && tsh_parse_u64_prefix(&at, ret_hits) &&
	       skip_text(&at, "\n    Entries: ") && tsh_parse_u64_prefix(&at, &entries) &&
	       skip_text(&at, "\n    Dropped: ") && tsh_parse_u64_prefix(&at, ret_dropped);
}
