/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "file.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/pids.h"
#include "kernel/tracefs/probe-lines.h"
#include "kernel/tracefs/trigger.h"
#include "kernel/tracefs/write.h"

/* Restores files by class. */

/* ---- lists that are only added to: line by line ---- */

/* Returns the text that removes a probe. When several probes have its name, the place is added. The
 * caller frees it. */
static char *probe_removal(const struct tsh_file_class *cls, const char *line,
			   const struct tsh_strlist *now)
{
	char *key = tsh_line_key(cls, line), *text;

	if (!key)
		return NULL;
	if (tsh_lines_replaced(cls, now, line))
		text = tsh_xasprintf("-%s%s", key, strchr(line, ':') + strlen(key));
	else
		text = tsh_xasprintf("-%s", key);
	free(key);
	return text;
}

static char *trigger_removal(const char *line)
{
	struct tsh_trigger trigger;
	char *text = NULL;

	if (!tsh_trigger_parse(line, &trigger))
		text = tsh_trigger_removal(&trigger);
	tsh_trigger_release(&trigger);
	return text;
}

/* Returns the text that has to be written to remove a line. The caller frees it. */
static char *removal(const struct tsh_file_class *cls, const char *line,
		     const struct tsh_strlist *now)
{
	char *key, *text;

	switch (cls->inverse) {
	case TSH_BACK_TRIGGERS:
		return trigger_removal(line);
	case TSH_BACK_PROBES:
		return probe_removal(cls, line, now);
	case TSH_BACK_SYNTHETIC:
		key = tsh_line_key(cls, line);
		text = tsh_xasprintf("!%s", key);
		free(key);
		return text;
	default:
		return tsh_xasprintf("!%s", line);
	}
}

static void note_failure(int *first, int r)
{
	if (r < 0 && !*first)
		*first = r;
}

static int remove_line(const struct tsh_instance *in, const char *path, const char *line,
		       const struct tsh_strlist *now)
{
	char *text = removal(tsh_file_class(path), line, now);
	/* A script cannot know whether removing it will work, so it goes on as if it were busy. */
	int r = !text ? -EINVAL : tsh_dir_is_script(in->dir) ? -EBUSY : tsh_write_raw(in, path, false, text);
	struct tsh_event event;

	/* A session's own probe is removed even when somebody has enabled it. */
	if (r == -EBUSY && tsh_probe_owner(line) && tsh_probe_event(line, &event)) {
		tsh_probe_disable_event(in->dir, &event);
		tsh_probe_event_release(&event);
		r = tsh_write_raw(in, path, false, text);
	} else if (r == -EBUSY && tsh_dir_is_script(in->dir)) {
		r = tsh_write_raw(in, path, false, text);
	}
	free(text);
	return r;
}

static int add_line(const struct tsh_instance *in, const char *path, const char *line)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	char *text = tsh_line_text(cls, line);
	bool is_probe = cls->inverse == TSH_BACK_PROBES && !tsh_dir_is_script(in->dir);
	int r = is_probe ? tsh_probe_check_path(line) : 0;

	if (!r && is_probe)
		r = tsh_probe_check_group(in->dir, line);
	if (!r)
		r = tsh_write_raw(in, path, false, text);
	if (!r && is_probe)
		tsh_probe_hold(in->dir, line);
	free(text);
	return r;
}

/* Pauses or continues a histogram, so that it is as the line says. Removing and adding it again
 * would lose its rows. */
static int pause_hist(const struct tsh_instance *in, const char *path, const char *line)
{
	struct tsh_trigger trigger;
	int r = tsh_trigger_parse(line, &trigger);
	char *text = r ? NULL : tsh_trigger_pausing(&trigger);

	if (text)
		r = tsh_write_raw(in, path, false, text);
	tsh_trigger_release(&trigger);
	free(text);
	return r;
}

/* Removes our lines, newest first, because a later one may use an earlier one. Then adds the lines
 * that our write removed, oldest first. All other lines stay. */
static int restore_lines(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
			 const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strlist before = { 0 }, after = { 0 }, present = { 0 };
	struct tsh_strlist ours = { 0 }, went = { 0 }, gone = { 0 }, missing = { 0 };
	bool newest_first = cls->inverse == TSH_BACK_TRIGGERS;
	int failed = 0;
	size_t i;

	tsh_lines_split(entry->before, &before);
	tsh_lines_split(entry->after ? entry->after : now, &after);
	tsh_lines_split(now, &present);
	tsh_lines_without(cls, &after, &before, &ours);
	tsh_lines_without(cls, &before, &after, &went);
	tsh_lines_without(cls, &went, &present, &missing);
	tsh_lines_removed_since(cls, &ours, &went, &present, &gone);
	for (i = 0; i < ours.n; i++) {
		const char *line = ours.v[newest_first ? i : ours.n - 1 - i];
		const char *twin = tsh_lines_twin(cls, &missing, line);

		if (tsh_strlist_has(&gone, line))
			continue;
		note_failure(&failed, twin ? pause_hist(in, entry->path, twin) :
					     remove_line(in, entry->path, line, &present));
	}
	for (i = 0; i < missing.n; i++) {
		const char *line = missing.v[newest_first ? missing.n - 1 - i : i];

		/* A histogram that was only paused, and is missing now, was removed by somebody
		 * else. */
		if (!tsh_lines_twin(cls, &ours, line))
			note_failure(&failed, add_line(in, entry->path, line));
	}
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&present);
	tsh_strlist_release(&ours);
	tsh_strlist_release(&went);
	tsh_strlist_release(&gone);
	tsh_strlist_release(&missing);
	return failed;
}

/* ---- functions: names together, commands line by line ---- */

static void split_functions(const char *text, struct tsh_strlist *names,
			    struct tsh_strlist *commands)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++)
		tsh_strlist_add(tsh_line_is_command(lines.v[i]) ? commands : names, lines.v[i]);
	tsh_strlist_release(&lines);
}

static int replace_names(const struct tsh_instance *in, const char *path,
			 const struct tsh_strlist *names)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;
	int r;

	for (i = 0; i < names->n; i++) {
		char *line = tsh_line_text(cls, names->v[i]);

		tsh_strbuf_addf(&text, "%s%s", i ? "\n" : "", line);
		free(line);
	}
	r = tsh_write_raw(in, path, true, text.buf);
	tsh_strbuf_release(&text);
	return r;
}

/* Removes a command, since truncating leaves them. One with a count is removed with a count. */
static int remove_command(const struct tsh_instance *in, const char *path, const char *line)
{
	struct tsh_trigger command;
	int r = -EINVAL;
	char *text = tsh_line_text(tsh_file_class(path), line);

	if (!tsh_trigger_parse(text, &command)) {
		char *undo = tsh_xasprintf("!%s%s", command.command,
					   command.left >= 0 ? ":0" : "");

		r = tsh_write_raw(in, path, false, undo);
		free(undo);
	}
	tsh_trigger_release(&command);
	free(text);
	return r;
}

static int restore_functions(const struct tsh_instance *in,
			     const struct tsh_journal_entry *entry, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strlist names = { 0 }, commands = { 0 }, now_names = { 0 };
	struct tsh_strlist now_commands = { 0 }, some = { 0 };
	int failed = 0;
	size_t i;

	split_functions(entry->before, &names, &commands);
	split_functions(now, &now_names, &now_commands);
	tsh_lines_without(cls, &now_commands, &commands, &some);
	for (i = 0; i < some.n; i++)
		note_failure(&failed, remove_command(in, entry->path, some.v[i]));
	tsh_strlist_release(&some);
	tsh_lines_without(cls, &names, &now_names, &some);
	if (some.n || names.n != now_names.n)
		note_failure(&failed, replace_names(in, entry->path, &names));
	tsh_strlist_release(&some);
	tsh_lines_without(cls, &commands, &now_commands, &some);
	for (i = 0; i < some.n; i++)
		note_failure(&failed, add_line(in, entry->path, some.v[i]));
	tsh_strlist_release(&some);
	tsh_strlist_release(&names);
	tsh_strlist_release(&commands);
	tsh_strlist_release(&now_names);
	tsh_strlist_release(&now_commands);
	return failed;
}

/* ---- all others ---- */

/* Restores sizes from "X" and a line "CPU SIZE" for each CPU (tsh_image_sizes). */
static int restore_sizes(const struct tsh_instance *in, const char *path, const char *before)
{
	struct tsh_strlist lines = { 0 };
	int failed = 0;
	size_t i;

	tsh_strlist_split_lines(&lines, before);
	for (i = 1; i < lines.n; i++) {
		char *size = strchr(lines.v[i], ' '), *cpu;

		if (!size)
			continue;
		*size++ = '\0';
		cpu = tsh_xasprintf("per_cpu/cpu%s/%s", lines.v[i], path);
		note_failure(&failed, tsh_write_raw(in, cpu, false, size));
		free(cpu);
	}
	tsh_strlist_release(&lines);
	return failed;
}

/*
 * Records the pause of tsh_write_raw in the journal's file only, because the entries are being
 * walked. If we are killed, recover finds that recording was switched off. Returns the entry's
 * number, or 0 when there is no pause.
 */
static unsigned int record_pause(const struct tsh_instance *in)
{
	struct tsh_journal *j = in->dir->journal;
	struct tsh_journal_entry pause = {
		.instance = in->name, .path = (char *)"tracing_on", .identity = in->identity,
		.how = TSH_WRITE_EXPECTED, .before = (char *)"1", .text = (char *)"0",
		.after = (char *)"0",
	};

	if (tsh_dir_is_script(in->dir) || in->own || !j->file || tsh_file_number(in, "tracing_on", 0) != 1)
		return 0;
	pause.number = ++j->last_entry;
	pause.command = j->last_command;
	tsh_journal_file_append_entry(j, &pause);
	tsh_journal_file_append_done(j, &pause);
	return pause.number;
}

static int restore_pids(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
			const char *now)
{
	unsigned int pause;
	struct tsh_strlist before = { 0 }, after = { 0 }, present = { 0 }, wanted = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;
	int r;

	tsh_lines_split(entry->before, &before);
	tsh_lines_split(entry->after ? entry->after : now, &after);
	tsh_lines_split(now, &present);
	tsh_pids_before(&before, &after, &present, &wanted);
	for (i = 0; i < wanted.n; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? "\n" : "", wanted.v[i]);
	pause = text.len ? record_pause(in) : 0;
	r = tsh_write_raw(in, entry->path, true, text.buf);
	if (pause && tsh_file_number(in, "tracing_on", 0) == 1)
		tsh_journal_file_append_gone(in->dir->journal, &pause, 1);
	tsh_strbuf_release(&text);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	tsh_strlist_release(&present);
	tsh_strlist_release(&wanted);
	return r;
}

static int restore_value(const struct tsh_instance *in, const struct tsh_file_class *cls,
			 const struct tsh_journal_entry *entry)
{
	char *value = tsh_class_normalize(cls, entry->before);
	int r = tsh_write_raw(in, entry->path, cls->inverse == TSH_BACK_REPLACE, value);

	free(value);
	return r;
}

int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);

	if (!entry->before)
		return -EINVAL;
	switch (cls->inverse) {
	case TSH_BACK_NONE:
		return -EINVAL;
	case TSH_BACK_LINES:
	case TSH_BACK_TRIGGERS:
	case TSH_BACK_PROBES:
	case TSH_BACK_SYNTHETIC:
		return restore_lines(in, entry, now);
	case TSH_BACK_FUNCTIONS:
		return restore_functions(in, entry, now);
	case TSH_BACK_SIZES:
		if (entry->before[0] == 'X')
			return restore_sizes(in, entry->path, entry->before);
		return restore_value(in, cls, entry);
	case TSH_BACK_REPLACE:
		if (cls->compare == TSH_SAME_PIDS)
			return restore_pids(in, entry, now);
		return restore_value(in, cls, entry);
	case TSH_BACK_WRITE:
		break;
	}
	return restore_value(in, cls, entry);
}
