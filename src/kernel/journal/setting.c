/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "setting.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "kernel/tracefs/event.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"

/* Is the key of entries that can be about the same setting as any other, so that they are compared
 * completely. */
#define KEY_ANY 1

static const char options[] = "options/";

bool tsh_same_instance(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	if (a->identity && b->identity && a->identity != b->identity)
		return false;
	return a->instance && b->instance ? !strcmp(a->instance, b->instance) :
					    a->instance == b->instance;
}

static bool is_options(const struct tsh_journal_entry *entry)
{
	return !strcmp(entry->path, "trace_options");
}

/* Returns the option's name: "noirq-info" sets the option irq-info. */
static const char *option_name(const char *text)
{
	return text + (!strncmp(text, "no", 2) ? 2 : 0);
}

static bool is_option_file(const struct tsh_journal_entry *entry)
{
	return !strncmp(entry->path, options, strlen(options));
}

/* trace_options is one file for many settings. */
bool tsh_same_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	if (a->op != b->op || strcmp(a->path, b->path) != 0 || !tsh_same_instance(a, b))
		return false;
	return !is_options(a) || !strcmp(option_name(a->text), option_name(b->text));
}

/* ---- two files that are one setting ---- */

/* Says whether one entry writes options/NAME, and the other NAME to trace_options. */
static bool are_option(const struct tsh_journal_entry *file, const struct tsh_journal_entry *all)
{
	return is_option_file(file) && is_options(all) &&
	       !strcmp(file->path + strlen(options), option_name(all->text));
}

static bool are_event(const struct tsh_journal_entry *file, const struct tsh_journal_entry *all)
{
	return !strcmp(all->path, "set_event") && tsh_glob_match("events/*/*/enable", file->path);
}

static bool are_size(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	return tsh_is_size(a->path) && tsh_is_size(b->path) &&
	       (tsh_size_cpu(a->path) < 0 || tsh_size_cpu(b->path) < 0);
}

static bool is_probe(const struct tsh_journal_entry *entry)
{
	return tsh_file_class(entry->path)->flags & TSH_CLASS_PROBE;
}

bool tsh_is_one_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b)
{
	if (a->op != TSH_JOURNAL_WRITE || b->op != TSH_JOURNAL_WRITE || !tsh_same_instance(a, b) ||
	    !strcmp(a->path, b->path))
		return false;
	return are_option(a, b) || are_option(b, a) || are_event(a, b) || are_event(b, a) ||
	       are_size(a, b) || (is_probe(a) && is_probe(b));
}

/* ---- keys ---- */

static uint32_t key_of(const struct tsh_journal_entry *entry)
{
	const char *folder = "", *name = entry->path;
	uint32_t key;
	char *text;

	if (!strcmp(name, "set_event") || (*name && is_probe(entry)))
		return KEY_ANY;
	if (is_options(entry)) {
		folder = options;
		name = option_name(entry->text);
	} else if (tsh_is_size(name)) {
		name = "buffer_size_kb";
	}
	text = tsh_xasprintf("%s\n%s%s", entry->instance ? entry->instance : "", folder, name);
	key = tsh_crc32(text, strlen(text));
	free(text);
	return key > KEY_ANY ? key : KEY_ANY + 1;
}

uint32_t tsh_setting_key(struct tsh_journal_entry *entry)
{
	if (!entry->key)
		entry->key = key_of(entry);
	return entry->key;
}

bool tsh_may_be_related(struct tsh_journal_entry *a, struct tsh_journal_entry *b)
{
	uint32_t x = tsh_setting_key(a), y = tsh_setting_key(b);

	return x == y || x == KEY_ANY || y == KEY_ANY;
}

/* ---- one file's text as that of the other ---- */

/* Converts the text of an event's file into a line of set_event, or the other way round. */
static char *view_event(const struct tsh_journal_entry *from, const char *text,
			const struct tsh_journal_entry *to)
{
	bool to_line = are_event(from, to);
	char *event = tsh_enabled_event(to_line ? from->path : to->path), *view;

	if (to_line)
		view = tsh_xstrdup(*text == '1' ? event : "");
	else
		view = tsh_xstrdup(tsh_has_line(tsh_file_class(from->path), text, event) ? "1" : "0");
	free(event);
	return view;
}

/* Converts the text of an option's file into a word of trace_options, or the other way round. */
static char *view_option(const struct tsh_journal_entry *from, const char *text,
			 const struct tsh_journal_entry *to)
{
	if (are_option(from, to))
		return tsh_xasprintf("%s%s", *text == '0' ? "no" : "", from->path + strlen(options));
	return tsh_xstrdup(strcmp(text, to->path + strlen(options)) ? "0" : "1");
}

char *tsh_setting_convert_text(const struct tsh_journal_entry *from, const char *text,
			       const struct tsh_journal_entry *to)
{
	if (tsh_same_setting(from, to))
		return tsh_xstrdup(text);
	if (!tsh_same_instance(from, to))
		return NULL;
	if (is_probe(from) && is_probe(to))
		return tsh_xstrdup(text);
	if (are_event(from, to) || are_event(to, from))
		return view_event(from, text, to);
	if (are_option(from, to) || are_option(to, from))
		return view_option(from, text, to);
	if (are_size(from, to) && tsh_size_cpu(to->path) >= 0)
		return tsh_size_of_cpu(text, tsh_size_cpu(to->path));
	return NULL;
}

bool tsh_sets_subbuf(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *size)
{
	return entry->op == TSH_JOURNAL_WRITE && entry->before &&
	       !strcmp(entry->path, "buffer_subbuf_size_kb") && tsh_same_instance(entry, size);
}
