/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "matches.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/utf8.h"

/* Limits the number of names that are shown with their descriptions. */
#define DESCRIBED_MAX 40
#define NAME_WIDTH_MAX 40

void tsh_matches_release(struct tsh_matches *m)
{
	tsh_completion_release(&m->found);
	m->shown_from = 0;
}

/* Returns a candidate as a replacement of the editor's word, or NULL. The editor ends words at
 * blanks, also in quotes, and nowhere inside an expression. */
static char *as_match(const char *line, size_t start, size_t begin, const char *typed)
{
	size_t skip;

	if (begin >= start)
		return tsh_xasprintf("%.*s%s", (int)(begin - start), line + start, typed);
	skip = start - begin;
	if (strlen(typed) < skip || memcmp(typed, line + begin, skip) != 0)
		return NULL;
	return tsh_xstrdup(typed + skip);
}

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	/* never ends in the middle of a character */
	while (n && ((unsigned char)a[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Fills matches[1..] and returns how many there are. *ret_partial belongs to the last one. */
static size_t fill_matches(const struct tsh_completion *found, const char *line, size_t start,
			   char **matches, bool *ret_partial)
{
	size_t i, n = 0;

	for (i = 0; i < found->n; i++) {
		char *typed = tsh_completion_typed(found, i);
		char *match = as_match(line, start, found->begin, typed);

		free(typed);
		if (!match)
			continue;
		matches[++n] = match;
		*ret_partial = found->v[i].partial;
	}
	return n;
}

/*
 * Returns the common beginning of all candidates, with those that were dropped. Returns at least
 * the typed text: when the candidates have the typed text inside, there is nothing to insert yet.
 */
static char *common_start(const struct tsh_completion *found, const char *line, size_t start,
			  char **matches, size_t n)
{
	size_t i, common = strlen(matches[1]);
	const char *typed = line + start;

	for (i = 2; i <= n; i++) {
		size_t length = common_length(matches[1], matches[i]);

		common = length < common ? length : common;
	}
	if (found->more) {
		char *more = tsh_completion_quoted(found, found->more_start, true);
		char *match = as_match(line, start, found->begin, more);
		size_t length = match ? common_length(matches[1], match) : 0;

		common = length < common ? length : common;
		free(match);
		free(more);
	}
	if (common < strlen(typed) || memcmp(matches[1], typed, strlen(typed)) != 0)
		return tsh_xstrdup(typed);
	return tsh_xstrndup(matches[1], common);
}

/* Returns the length of the folder that was typed before the names in the list. */
static size_t directory_length(const struct tsh_completion *found, const char *line)
{
	const char *typed = line + found->begin, *slash;

	if (!found->is_exact || found->is_raw)
		return 0;
	typed += *typed == '\'' || *typed == '"';
	slash = strrchr(typed, '/');
	return slash ? (size_t)(slash - typed) + 1 : 0;
}

char **tsh_matches_find(struct tsh_matches *m, struct tsh_session *s, const char *line,
			size_t start, bool *ret_partial)
{
	char **matches;
	size_t n;

	tsh_matches_release(m);
	tsh_complete_line(s, line, strlen(line), &m->found);
	matches = tsh_xcalloc(m->found.n + 2, sizeof(*matches));
	n = fill_matches(&m->found, line, start, matches, ret_partial);
	if (!n) {
		free(matches);
		return NULL;
	}
	if (n == 1) {
		matches[0] = matches[1];
		matches[1] = NULL;
		return matches;
	}
	m->shown_from = directory_length(&m->found, line);
	matches[0] = common_start(&m->found, line, start, matches, n);
	return matches;
}

/* ---- the list ---- */

static const char *name_of(const struct tsh_matches *m, size_t i)
{
	const char *text = m->found.v[i].text;

	return strlen(text) > m->shown_from ? text + m->shown_from : text;
}

static size_t width_of(const char *text)
{
	return tsh_utf8_width(text, strlen(text));
}

static void pad(FILE *out, size_t n)
{
	while (n--)
		putc(' ', out);
}

/* Shows as much of the description as there is room for. */
static void show_help(FILE *out, const char *help, size_t room, bool color)
{
	bool cut = tsh_utf8_width(help, strlen(help)) > room;
	size_t len = strlen(help);

	room -= cut && room > 2 ? 2 : 0;
	while (len && (tsh_utf8_width(help, len) > room ||
		       ((unsigned char)help[len] & 0xc0) == 0x80))
		len--;
	fprintf(out, "%s%.*s%s%s", color ? "\033[2m" : "", (int)len, help, cut ? ".." : "",
		color ? "\033[0m" : "");
}

static void show_described(const struct tsh_matches *m, FILE *out, size_t widest,
			   size_t columns, bool color)
{
	size_t i, used, width = widest < NAME_WIDTH_MAX ? widest : NAME_WIDTH_MAX;

	for (i = 0; i < m->found.n; i++) {
		const char *name = name_of(m, i), *help = m->found.v[i].help;

		fputs(name, out);
		used = width_of(name);
		if (*help && width + 3 < columns) {
			pad(out, (used < width ? width - used : 0) + 2);
			used = (used < width ? width : used) + 3;
			show_help(out, help, columns > used ? columns - used : 0, color);
		}
		fputc('\n', out);
	}
}

/* Says whether the candidates are numbers with names, which only the names explain. */
static bool are_named_numbers(const struct tsh_matches *m)
{
	size_t i;

	for (i = 0; i < m->found.n; i++)
		if (*m->found.v[i].text < '0' || *m->found.v[i].text > '9')
			return false;
	return true;
}

/* Makes the texts of the columns. Returns the widest. */
static size_t make_cells(const struct tsh_matches *m, struct tsh_strlist *ret)
{
	bool named = are_named_numbers(m);
	size_t i, width, widest = 0;

	for (i = 0; i < m->found.n; i++) {
		const char *help = m->found.v[i].help;

		if (named && *help)
			tsh_strlist_add_owned(ret, tsh_xasprintf("%s %s", name_of(m, i), help));
		else
			tsh_strlist_add(ret, name_of(m, i));
		width = width_of(ret->v[i]);
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Shows the names downwards, then across, as ls does. Returns how many there was room for. */
static size_t show_columns(const struct tsh_matches *m, FILE *out, size_t room, size_t columns)
{
	struct tsh_strlist cells = { 0 };
	size_t widest = make_cells(m, &cells), across, down, row, i, n;

	across = columns / (widest + 2) ? columns / (widest + 2) : 1;
	n = cells.n < room * across ? cells.n : room * across;
	down = (n + across - 1) / across;
	for (row = 0; row < down; row++) {
		for (i = row; i < n; i += down) {
			fputs(cells.v[i], out);
			if (i + down < n)
				pad(out, widest + 2 - width_of(cells.v[i]));
		}
		fputc('\n', out);
	}
	tsh_strlist_release(&cells);
	return n;
}

/* Shows "... and 61,214 more, type more letters"; the dots are one character if possible. */
static void show_more(const struct tsh_matches *m, FILE *out, size_t shown)
{
	size_t hidden = m->found.n - shown + m->found.more;
	struct tsh_strbuf count = TSH_STRBUF_INIT;

	if (!hidden)
		return;
	tsh_format_count(hidden, &count);
	fprintf(out, "%s and %s more, type more letters\n", tsh_locale_is_utf8() ? "\xe2\x80\xa6" : "..",
		count.buf);
	tsh_strbuf_release(&count);
}

void tsh_matches_show(const struct tsh_matches *m, FILE *out, size_t rows, size_t columns,
		      bool color)
{
	size_t i, room, widest = 0;
	bool described = false;

	for (i = 0; i < m->found.n; i++) {
		size_t width = width_of(name_of(m, i));

		widest = width > widest ? width : widest;
		described |= *m->found.v[i].help != '\0';
	}
	/* leaves room for the line, and for the message that there is more */
	room = rows > 4 ? rows - 3 : 1;
	/* a name that is wider than the screen takes several rows */
	if (columns && widest >= columns)
		room = room / (1 + widest / columns) ? room / (1 + widest / columns) : 1;
	if (described && m->found.n <= DESCRIBED_MAX && m->found.n <= room) {
		show_described(m, out, widest, columns, color);
		return;
	}
	show_more(m, out, show_columns(m, out, room, columns));
}

bool tsh_matches_explain(struct tsh_matches *m, struct tsh_session *s, const char *line, FILE *out,
			 size_t rows, size_t columns, bool color)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool wanted = tsh_complete_explain(s, line, strlen(line), &text);

	if (wanted) {
		fputs(text.buf, out);
		tsh_matches_release(m);
		tsh_complete_line(s, line, strlen(line), &m->found);
		m->shown_from = directory_length(&m->found, line);
		if (m->found.n)
			tsh_matches_show(m, out, rows, columns, color);
	}
	tsh_strbuf_release(&text);
	return wanted;
}
