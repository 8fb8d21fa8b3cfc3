/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/setting.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/trigger.h"

/* Finds entries that use what a line of a list makes: a probe's event, a histogram's variables, and
 * the synthetic event of a histogram. */

static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static bool is_trigger(const struct tsh_journal_entry *entry)
{
	return tsh_file_class(entry->path)->flags & TSH_CLASS_TRIGGER;
}

/* Says whether a histogram triggers the synthetic event: ".trace(NAME,..)", ".NAME(..)". */
static bool makes_synthetic(const char *text, const char *name)
{
	const char *at = text;
	size_t len = strlen(name);
	bool makes = false;

	while (len && !makes && (at = strstr(at, name))) {
		makes = at > text && strchr(".(", at[-1]) && at[len] && strchr("(,)", at[len]);
		at += len;
	}
	return makes;
}

/* Says whether a trigger switches a file of the event, so that the event cannot be removed. */
static bool switches_file_in(const struct tsh_journal_entry *entry, const char *folder)
{
	struct tsh_strlist lines = { 0 };
	const char *to;
	bool does = false;
	char *file;
	size_t i;

	if (is_trigger(entry))
		tsh_lines_split(entry->text, &lines);
	for (i = 0; i < lines.n && !does; i++) {
		file = tsh_switched_file(lines.v[i], &to);
		does = file && !strncmp(file, folder, strlen(folder));
		free(file);
	}
	tsh_strlist_release(&lines);
	return does;
}

/* Says whether the entry has made a probe on the event: "e[:GROUP/NAME] SYSTEM/EVENT ..", or
 * SYSTEM.EVENT (kernel/trace/trace_eprobe.c). */
static bool is_event_probe_of(const struct tsh_journal_entry *entry, const char *folder)
{
	const char *event = folder + strlen("events/"), *at;
	size_t len = strlen(event) - 1, system = strcspn(event, "/"), i;
	struct tsh_strlist lines = { 0 };
	bool is = false;

	if (tsh_file_class(entry->path)->flags & TSH_CLASS_PROBE)
		tsh_lines_split(entry->text, &lines);
	for (i = 0; i < lines.n && !is; i++) {
		at = lines.v[i] + strcspn(lines.v[i], " \t");
		at += strspn(at, " \t");
		is = *lines.v[i] == 'e' && strcspn(at, " \t") == len && !strncmp(at, event, system) &&
		     strchr("/.", at[system]) && !strncmp(at + system + 1, event + system + 1, len - system - 1);
	}
	tsh_strlist_release(&lines);
	return is;
}

/* Says whether a command has enabled the event, or set a trigger of it, in its own instance. Writes
 * there are in no journal. */
static bool is_on_in_own(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *folder)
{
	struct tsh_instance top = { .dir = (struct tsh_dir *)dir, .fd = dir->fd };
	char *enable = tsh_xasprintf("instances/%s/%senable", entry->instance, folder);
	char *trigger = tsh_xasprintf("instances/%s/%strigger", entry->instance, folder), *text = NULL;
	bool is = tsh_file_number(&top, enable, 0) == 1;

	if (!is)
		text = tsh_file_text(&top, trigger);
	/* a comment, "# Available triggers:" */
	is = is || (text && *text && *text != '#');
	free(text);
	free(trigger);
	free(enable);
	return is;
}

bool tsh_share_uses_event(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *folder)
{
	char *enable, *name;
	bool uses;

	if (entry->op == TSH_JOURNAL_MKDIR)
		return entry->own && dir && is_on_in_own(dir, entry, folder);
	if (!strncmp(entry->path, folder, strlen(folder)) || switches_file_in(entry, folder) ||
	    is_event_probe_of(entry, folder))
		return true;
	if (strcmp(entry->path, "set_event") != 0)
		return false;
	enable = tsh_xasprintf("%senable", folder);
	name = tsh_enabled_event(enable);
	uses = tsh_share_names_line(entry, name);
	free(name);
	free(enable);
	return uses;
}

bool tsh_share_uses_probe(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *line)
{
	char *folder = tsh_probe_folder(line), *key;
	bool uses = folder && tsh_share_uses_event(dir, entry, folder);

	if (folder && !uses && !strchr(line, '/') && is_trigger(entry)) {
		key = tsh_xstrndup(line, strcspn(line, " \t;"));
		uses = makes_synthetic(entry->text, key);
		free(key);
	}
	free(folder);
	return uses;
}

/* Says whether the entry uses the event that a histogram triggers: "onmatch(EVENT).NAME(..)",
 * ".trace(NAME,..)". */
static bool uses_made_event(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *line)
{
	static const char traces[] = "trace(";
	const char *at = line;
	bool uses = false;
	char *folder;

	while (!uses && (at = strstr(at, ")."))) {
		at += strlen(").");
		if (!strncmp(at, traces, strlen(traces)))
			at += strlen(traces);
		folder = tsh_xasprintf("events/synthetic/%.*s/", (int)strspn(at, word), at);
		uses = tsh_share_uses_event(dir, entry, folder);
		free(folder);
	}
	return uses;
}

static bool names_variable(const char *text, const char *name, size_t len)
{
	while ((text = strchr(text, '$'))) {
		text++;
		if (strspn(text, word) == len && !strncmp(text, name, len))
			return true;
	}
	return false;
}

/* Says whether the text names a variable of the histogram:
 * "hist:keys=K:NAME=FIELD,NAME=FIELD:..". */
static bool uses_variable(const char *text, const char *line)
{
	size_t end = strcspn(line, " \t"), i, len;

	for (i = strcspn(line, ":,"); i < end; i += 1 + strcspn(line + i + 1, ":,")) {
		len = strspn(line + i + 1, word);
		if (len && line[i + 1 + len] == '=' && names_variable(text, line + i + 1, len))
			return true;
	}
	return false;
}

bool tsh_share_uses_trigger(const struct tsh_dir *dir, const struct tsh_journal_entry *entry,
			    const struct tsh_journal_entry *trigger, const char *text)
{
	struct tsh_strlist lines = { 0 };
	bool uses = false;
	size_t i;

	if (!strstr(text, "hist:"))
		return false;
	tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n && !uses; i++)
		uses = uses_made_event(dir, entry, lines.v[i]) ||
		       (is_trigger(entry) && tsh_same_instance(entry, trigger) &&
			uses_variable(entry->text, lines.v[i]));
	tsh_strlist_release(&lines);
	return uses;
}

bool tsh_share_needs_clock(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *mine)
{
	return !strcmp(mine->path, "trace_clock") && is_trigger(entry) && tsh_same_instance(entry, mine) &&
	       strstr(entry->text, "common_timestamp");
}

bool tsh_share_makes_event(const struct tsh_journal_entry *list, const struct tsh_journal_entry *file)
{
	const struct tsh_file_class *cls;
	struct tsh_strlist before = { 0 }, after = { 0 }, made = { 0 };
	bool makes = false;
	size_t i;

	/* Rejects files of events first: most entries are such files, and this is called for
	 * each. */
	if (strchr(list->path, '/'))
		return false;
	cls = tsh_file_class(list->path);
	if (!(cls->flags & TSH_CLASS_PROBE) || !list->before || *list->text == '-' || *list->text == '!')
		return false;
	tsh_lines_split(list->before, &before);
	tsh_lines_split(list->after ? list->after : list->text, &after);
	tsh_lines_without(cls, &after, &before, &made);
	for (i = 0; i < made.n && !makes; i++)
		makes = tsh_share_uses_probe(NULL, file, made.v[i]);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&made);
	return makes;
}
