/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/why-busy.h"

/* Formats why a step was not undone: "FILE: WHY", or "FILE: WHICH: WHY" when a file has many
 * settings. */

/* Limits the lines of one write that are named; the others are counted. */
#define LINES_MAX 8

/* Adds the lines of a that are not in b. now: unless it is NULL, adds only those that it has
 * (there), or only those that it does not have (!there). */
static void add_lines(const struct tsh_file_class *cls, const char *a, const char *b, const char *now, bool there,
		      struct tsh_strlist *ret)
{
	struct tsh_strlist some = { 0 }, others = { 0 }, lines = { 0 };
	size_t i;

	tsh_lines_split(a, &some);
	tsh_lines_split(b, &others);
	tsh_lines_without(cls, &some, &others, &lines);
	for (i = 0; i < lines.n; i++)
		if (!now || tsh_has_line(cls, now, lines.v[i]) == there)
			tsh_strlist_add(ret, lines.v[i]);
	tsh_strlist_release(&some);
	tsh_strlist_release(&others);
	tsh_strlist_release(&lines);
}

/* Returns the option's name of a write to trace_options: its texts are "NAME" and "noNAME". */
static const char *option_of(const struct tsh_journal_entry *entry)
{
	return entry->before && strlen(entry->before) < strlen(entry->text) ? entry->before : entry->text;
}

/* Returns what an entry has set in a file with many settings, or NULL when the file has one. The
 * caller frees it. */
static char *setting_lines(const struct tsh_journal_entry *entry, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	char *clean;
	size_t i;

	if (entry->op != TSH_JOURNAL_WRITE)
		return NULL;
	if (cls->compare == TSH_SAME_OPTION)
		return tsh_sanitize_dup(option_of(entry));
	if (!(cls->flags & TSH_CLASS_ADD_ONLY))
		return NULL;
	if (entry->before && entry->after) {
		add_lines(cls, entry->after, entry->before, now, true, &lines);
		add_lines(cls, entry->before, entry->after, now, false, &lines);
	}
	if (!lines.n)
		tsh_strlist_add(&lines, entry->text);
	for (i = 0; i < lines.n && i < LINES_MAX; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? ", " : "", lines.v[i]);
	if (i < lines.n)
		tsh_strbuf_addf(&text, " and %zu more", lines.n - i);
	clean = tsh_sanitize_dup(text.buf);
	tsh_strbuf_release(&text);
	tsh_strlist_release(&lines);
	return clean;
}

void tsh_plan_problem_left(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *now,
			   const char *why)
{
	char *its = setting_lines(entry, now), *text;
	size_t i = 0;

	if (entry->op == TSH_JOURNAL_MKDIR)
		text = tsh_xasprintf("instance '%s': %s", entry->instance, why);
	else
		text = tsh_xasprintf("%s%s%s%s: %s%s%s", entry->instance ? "instances/" : "",
				     entry->instance ? entry->instance : "", entry->instance ? "/" : "",
				     entry->path, its ? its : "", its ? ": " : "", why);
	/* Steps are tried again when the plan is made anew, so a problem may have been reported
	 * already. */
	while (i < plan->reported && strcmp(plan->report->problems.v[i], text) != 0)
		i++;
	if (i < plan->reported)
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->problems, text);
	free(its);
}

void tsh_plan_problem(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *why)
{
	tsh_plan_problem_left(plan, entry, NULL, why);
}

void tsh_plan_problem_errno(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *what, int number)
{
	char *text = number > 0 ? tsh_xasprintf("%s: %s", what, strerror(number)) : tsh_xstrdup(what);

	tsh_plan_problem(plan, entry, text);
	free(text);
}

void tsh_plan_problem_busy(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *otherwise)
{
	char *why = tsh_instance_why_busy(plan->dir, entry->instance), *text;

	text = tsh_xasprintf("in use, not removed%s%s", why ? ": " : "", why ? why : otherwise);
	tsh_plan_problem(plan, entry, text);
	free(text);
	free(why);
}

void tsh_plan_note_once(struct tsh_plan *plan, char *text)
{
	if (tsh_strlist_has(&plan->report->notes, text))
		free(text);
	else
		tsh_strlist_add_owned(&plan->report->notes, text);
}
