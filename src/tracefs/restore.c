/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The inverse of each class: a value is written back, a list is replaced, a file
 * that one may only add to is changed line by line.
 */

/* Up to the count, the clock and the state that the kernel adds to a trigger. */
static size_t trigger_length(const char *line)
{
	static const char *const marks[] = { ":unlimited", " [active]", " [paused]" };
	size_t i, len = strlen(line);
	const char *found;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		found = strstr(line, marks[i]);
		/* ":unlimited" may be followed by " if FILTER": that part goes too, the
		 * kernel removes a plain trigger by its name. */
		if (found && (size_t)(found - line) < len)
			len = (size_t)(found - line);
	}
	return len;
}

/* The command that takes a line away again. */
static char *removal(const struct tsh_file_class *cls, const char *path, const char *line)
{
	const char *colon, *end;

	if (cls->flags & TSH_CLASS_TRIGGER)
		return tsh_xasprintf("!%.*s", (int)trigger_length(line), line);
	if (!(cls->flags & TSH_CLASS_PROBE))
		return tsh_xasprintf("!%s", line);
	if (!strcmp(path, "synthetic_events"))
		return tsh_xasprintf("!%.*s", (int)strcspn(line, " \t;"), line);
	colon = strchr(line, ':');
	if (!colon)
		return NULL;
	end = colon + strcspn(colon, " \t");
	return tsh_xasprintf("-%.*s", (int)(end - colon), colon);
}

static int apply_removal(const struct tsh_instance *in, const char *path, const char *line)
{
	char *text = removal(tsh_file_class(path), path, line);
	int r = text ? tsh_write_raw(in, path, false, text) : -EINVAL;

	free(text);
	return r;
}

/* Newest lines go first: a later one may use an earlier one. */
static int restore_lines(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
			 const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	char *before_text = tsh_class_normalize(cls, entry->before);
	char *now_text = tsh_class_normalize(cls, now);
	struct tsh_strlist before = { 0 }, present = { 0 };
	int r = 0;
	size_t i;

	tsh_strlist_split_lines(&before, before_text);
	tsh_strlist_split_lines(&present, now_text);
	for (i = present.n; !r && i-- > 0;)
		if (!tsh_strlist_has(&before, present.v[i]))
			r = apply_removal(in, entry->path, present.v[i]);
	for (i = 0; !r && i < before.n; i++)
		if (!tsh_strlist_has(&present, before.v[i]))
			r = tsh_write_raw(in, entry->path, false, before.v[i]);
	tsh_strlist_release(&before);
	tsh_strlist_release(&present);
	free(before_text);
	free(now_text);
	return r;
}

int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	char *value;
	int r;

	if (!entry->before)
		return -EINVAL;
	if (cls->flags & TSH_CLASS_ADD_ONLY)
		return restore_lines(in, entry, now);
	value = tsh_class_normalize(cls, entry->before);
	/* A list is always truncated: an emptied pid list lets nothing pass and reads
	 * like the default. */
	r = tsh_write_raw(in, entry->path, cls->flags & TSH_CLASS_LIST, value);
	free(value);
	return r;
}
