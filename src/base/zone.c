/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "zone.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "safe-file.h"
#include "strbuf.h"
#include "suggest.h"
#include "xmalloc.h"

/*
 * Checks names of time zones, because tzset(3) silently uses UTC for a name that it does not know.
 */

#define TABLE_MAX (1u << 20)
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* ---- rules: CET-1CEST,M3.5.0,M10.5.0/3 and <+08>-8, as POSIX has them for TZ ---- */

static bool skip_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static bool parse_number(const char **p, unsigned int least, unsigned int most)
{
	size_t digits = strspn(*p, DIGITS);
	unsigned long value = strtoul(*p, NULL, 10);

	*p += digits;
	return digits && digits <= 3 && value >= least && value <= most;
}

static bool parse_name(const char **p)
{
	bool quoted = skip_char(p, '<');
	size_t len = strspn(*p, quoted ? LETTERS DIGITS "+-" : LETTERS);

	*p += len;
	return len >= 3 && (!quoted || skip_char(p, '>'));
}

/* Reads "[+-]hh[:mm[:ss]]". */
static bool parse_time(const char **p, unsigned int hours)
{
	if (!skip_char(p, '+'))
		skip_char(p, '-');
	if (!parse_number(p, 0, hours))
		return false;
	if (!skip_char(p, ':'))
		return true;
	if (!parse_number(p, 0, 59))
		return false;
	return !skip_char(p, ':') || parse_number(p, 0, 59);
}

/* Reads ",Mm.w.d", ",Jn" or ",n", and "/time" of that day. */
static bool parse_change(const char **p)
{
	bool good;

	if (!skip_char(p, ','))
		return false;
	if (skip_char(p, 'M'))
		good = parse_number(p, 1, 12) && skip_char(p, '.') && parse_number(p, 1, 5) &&
		       skip_char(p, '.') && parse_number(p, 0, 6);
	else if (skip_char(p, 'J'))
		good = parse_number(p, 1, 365);
	else
		good = parse_number(p, 0, 365);
	return good && (!skip_char(p, '/') || parse_time(p, 167));
}

static bool is_rule(const char *p)
{
	if (!parse_name(&p) || !parse_time(&p, 24))
		return false;
	if (!*p)
		return true;
	if (!parse_name(&p) || (*p && *p != ',' && !parse_time(&p, 24)))
		return false;
	return !*p || (parse_change(&p) && parse_change(&p) && !*p);
}

/* ---- names: files of the zone database ---- */

static const char *database(void)
{
	const char *dir = getenv("TZDIR");

	return dir && *dir ? dir : "/usr/share/zoneinfo";
}

/* Says whether it is a regular file: among the zones there are also tables and folders. */
static bool is_file(const char *name)
{
	char *path, magic[4] = "";
	bool good;
	int fd;

	if (*name == '/' || strstr(name, ".."))
		return false;
	path = tsh_xasprintf("%s/%s", database(), name);
	fd = tsh_open_regular(path);
	free(path);
	if (fd < 0)
		return false;
	good = read(fd, magic, sizeof(magic)) == sizeof(magic) && !memcmp(magic, "TZif", 4);
	close(fd);
	return good;
}

/* Reads lines "CODES<TAB>COORDINATES<TAB>NAME[<TAB>COMMENT]". */
void tsh_zone_names(struct tsh_strlist *ret)
{
	char *path = tsh_xasprintf("%s/zone.tab", database());
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	int fd = tsh_open_regular(path);
	char *name;
	size_t i;

	free(path);
	tsh_strlist_add(ret, "UTC");
	if (fd >= 0) {
		(void)tsh_strbuf_read(&text, fd, TABLE_MAX);
		close(fd);
	}
	tsh_strlist_split_lines(&lines, text.buf);
	for (i = 0; i < lines.n; i++) {
		name = *lines.v[i] == '#' ? NULL : strchr(lines.v[i], '\t');
		name = name ? strchr(name + 1, '\t') : NULL;
		if (!name)
			continue;
		name++;
		name[strcspn(name, "\t\n")] = '\0';
		tsh_strlist_add(ret, name);
	}
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
	tsh_strlist_sort(ret);
}

/* Says whether a word is the last part of a name: "berlin" means Europe/Berlin. */
static bool is_last_part(const char *word, const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash && !strcasecmp(slash + 1, word);
}

static void add_hint(const char *name, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	const char *nearest = NULL;
	struct tsh_suggest s;
	size_t i;

	tsh_zone_names(&names);
	tsh_suggest_init(&s, name);
	for (i = 0; i < names.n; i++) {
		if (is_last_part(name, names.v[i]))
			nearest = names.v[i];
		tsh_suggest_offer(&s, names.v[i]);
	}
	if (!nearest)
		nearest = tsh_suggest_best(&s);
	if (nearest)
		tsh_err_hint(err, "did you mean '%s'?", nearest);
	else
		tsh_err_hint(err, "a zone is a file below %s, as Europe/Berlin, or a rule, as "
			     "UTC0, <+08>-8, CET-1CEST", database());
	tsh_suggest_release(&s);
	tsh_strlist_release(&names);
}

int tsh_zone_check(const char *name, struct tsh_err *err)
{
	if (!strcmp(name, "UTC") || !strcmp(name, "GMT") || is_rule(name) || is_file(name))
		return 0;
	tsh_err_set(err, TSH_USAGE, "unknown time zone '%s'", name);
	add_hint(name, err);
	return -1;
}
