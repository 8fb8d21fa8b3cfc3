/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "engine/histtrigger/triggers.h"
#include "kernel/journal/others.h"
#include "kernel/tracefs/defaults.h"
#include "kernel/tracefs/probe.h"
#include "session/ask.h"
#include "session/defaults.h"
#include "session/util.h"

/* Resets settings to the kernel's defaults, or lists those that differ. */

static void add_failure(struct tsh_reset *r, const char *path, struct tsh_err *err)
{
	tsh_strlist_add_owned(&r->left, tsh_xasprintf("%s: %s", path, err->message));
	tsh_err_release(err);
}

/* Writes a file, or lists it with its present value `now`. */
static void reset_file(struct tsh_reset *r, const char *path, enum tsh_write_how how,
		       const char *text, const char *now)
{
	struct tsh_err err = { 0 };

	if (r->list) {
		tsh_table_texts(r->list, path, now, text);
		r->counts[r->kind]++;
		return;
	}
	if (tsh_cmd_confirm_write(r->s, r->s->in, path, how, text, &err) < 0 ||
	    tsh_session_write(r->s, path, how, text, NULL, &err) < 0)
		add_failure(r, path, &err);
	else
		r->counts[r->kind]++;
}

/* Returns a file's text, which the caller frees. NULL: there is no such file, or it cannot be
 * read; then adds it to r->unseen. */
static char *read_text(struct tsh_reset *r, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int e = tsh_file_read(r->s->in, path, &text);

	if (e < 0) {
		tsh_strbuf_release(&text);
		if (e != -ENOENT)
			tsh_strlist_add_owned(&r->unseen, tsh_xasprintf("%s (%s)", path, strerror(-e)));
		return NULL;
	}
	tsh_strbuf_rtrim(&text);
	return tsh_strbuf_detach(&text);
}

/* Resets a file with a single value. */
static void reset_value(struct tsh_reset *r, const char *path, const char *value)
{
	char *now = read_text(r, path);

	if (now && !tsh_class_equal(tsh_file_class(path), value, now)) {
		char *plain = tsh_class_normalize(tsh_file_class(path), now);

		reset_file(r, path, TSH_WRITE_SET, value, plain);
		free(plain);
	}
	free(now);
}

/* ---- events ---- */

static void reset_events(struct tsh_reset *r)
{
	struct tsh_events armed = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (tsh_events_enabled(r->s->in, &armed, &err) < 0)
		add_failure(r, "set_event", &err);
	for (i = 0; i < armed.n; i++) {
		char *path = tsh_event_path(&armed.v[i], "enable");

		reset_value(r, path, "0");
		free(path);
	}
	tsh_events_release(&armed);
}

static void list_triggers(struct tsh_reset *r, const struct tsh_events *events)
{
	size_t i, k;

	for (i = 0; i < events->n && !tsh_cmd_is_aborted(r->s); i++) {
		struct tsh_triggers triggers = { 0 };
		char *path = tsh_event_path(&events->v[i], "trigger");

		tsh_triggers_read(r->s->in, &events->v[i], &triggers);
		for (k = 0; k < triggers.n; k++) {
			char *text = tsh_trigger_text(&triggers.v[k]);

			reset_file(r, path, TSH_WRITE_ADD, NULL, text);
			free(text);
		}
		tsh_triggers_release(&triggers);
		free(path);
	}
}

static void reset_triggers(struct tsh_reset *r)
{
	struct tsh_events armed = { 0 };
	struct tsh_err err = { 0 };
	int removed;

	if (tsh_events_armed(r->s->in, &armed, &err) < 0)
		add_failure(r, "set_event", &err);
	if (r->list) {
		list_triggers(r, &armed);
	} else {
		removed = tsh_triggers_clear(r->s, &armed, &err);
		if (removed < 0)
			add_failure(r, "trigger", &err);
		else
			r->counts[r->kind] += (uint64_t)removed;
	}
	tsh_events_release(&armed);
}

static void reset_filters(struct tsh_reset *r)
{
	struct tsh_events all = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (tsh_events_available(r->s->dir, &all, &err) < 0)
		add_failure(r, "available_events", &err);
	for (i = 0; i < all.n && !tsh_cmd_is_aborted(r->s); i++) {
		char *filter = tsh_event_filter(r->s->in, &all.v[i]);
		char *path = tsh_event_path(&all.v[i], "filter");

		if (filter)
			reset_file(r, path, TSH_WRITE_SET, "0", filter);
		free(path);
		free(filter);
	}
	tsh_events_release(&all);
}

/* ---- probes of tracesh ---- */

/*
 * Says whether a line is a probe of tracesh: its group is tracesh, tracesh_.., our own, or
 * tracesh_PID of a session that has ended. A synthetic event has no such group; there the name is
 * checked. Lines are "p:GROUP/NAME ..", or "NAME ..".
 */
static bool is_our_probe(const struct tsh_reset *r, const char *line, bool synthetic)
{
	const char *colon = strchr(line, ':'), *name = synthetic ? line : colon ? colon + 1 : "";
	struct tsh_dir *dir = r->s->dir;
	char *group;
	pid_t pid;
	bool ours;

	if (!strncmp(name, "synthetic/", strlen("synthetic/"))) {
		name += strlen("synthetic/");
		synthetic = true;
	}
	if (strncmp(name, "tracesh", strlen("tracesh")) != 0)
		return false;
	group = tsh_xasprintf("%s%.*s", synthetic ? "synthetic/" : "", (int)strcspn(name, "/ \t;"),
			      name);
	pid = tsh_probe_group_owner(group);
	/* Our pid is not enough: a process in another pid namespace may have the same one. */
	ours = !pid || tsh_probe_is_ours(dir, group) || tsh_probe_is_abandoned(dir, group, pid) ||
	       (pid == getpid() && tsh_probe_is_unused(dir, group));
	free(group);
	return ours;
}

static void reset_probe_file(struct tsh_reset *r, const char *path, bool synthetic)
{
	char *text = read_text(r, path), *removal;
	struct tsh_strlist lines = { 0 };
	const char *colon;
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	/* Remove the last one first: it may use an earlier one. */
	for (i = lines.n; i-- > 0;) {
		const char *line = lines.v[i];

		if (!is_our_probe(r, line, synthetic)) {
			r->others += *line != '\0';
			continue;
		}
		colon = synthetic ? line : strchr(line, ':');
		removal = tsh_xasprintf("%s%.*s", synthetic ? "!" : "-",
					(int)strcspn(colon, " \t;"), colon);
		reset_file(r, path, TSH_WRITE_ADD, removal, line);
		free(removal);
	}
	tsh_strlist_release(&lines);
	free(text);
}

/* Resets the probe files, which only the top instance has. */
static void reset_probes(struct tsh_reset *r)
{
	if (r->s->in->name)
		return;
	if (tsh_file_exists(r->s->in, "dynamic_events")) {
		reset_probe_file(r, "dynamic_events", false);
	} else {
		reset_probe_file(r, "synthetic_events", true);
		reset_probe_file(r, "kprobe_events", false);
		reset_probe_file(r, "uprobe_events", false);
	}
}

/* ---- lists ---- */

/* Describes how much a list contains, for the user; the caller frees it. NULL: it is empty. */
static char *list_size(const struct tsh_strlist *lines)
{
	size_t i, n = 0, last = 0;

	for (i = 0; i < lines->n; i++) {
		if (!lines->v[i][0] || lines->v[i][0] == '#' || !strcmp(lines->v[i], "no pid"))
			continue;
		n++;
		last = i;
	}
	if (!n)
		return NULL;
	return n == 1 ? tsh_xstrdup(lines->v[last]) : tsh_xasprintf("%zu lines", n);
}

static void reset_list(struct tsh_reset *r, const char *path, bool always)
{
	char *text = read_text(r, path), *size;
	struct tsh_strlist lines = { 0 };
	struct tsh_err err = { 0 };

	if (!text)
		return;
	tsh_strlist_split_lines(&lines, text);
	size = list_size(&lines);
	if (size)
		reset_file(r, path, TSH_WRITE_CLEAR, NULL, size);
	else if (always && !r->list && tsh_session_write(r->s, path, TSH_WRITE_CLEAR, NULL, NULL,
						    &err) < 0)
		add_failure(r, path, &err);
	tsh_strlist_release(&lines);
	free(size);
	free(text);
}

/* Removes functions with a command ("FUNCTION:COMMAND:count=3"), which truncating the file does
 * not remove. Returns true when there are names too. */
static bool reset_commands(struct tsh_reset *r, const char *path, const struct tsh_strlist *lines)
{
	struct tsh_trigger command;
	bool names = false;
	size_t i;

	for (i = 0; i < lines->n; i++) {
		const char *line = lines->v[i];
		char *text;

		if (!*line || *line == '#')
			continue;
		if (!strchr(line, ':')) {
			names = true;
			continue;
		}
		if (!tsh_trigger_parse(line, &command)) {
			text = tsh_xasprintf("!%s%s", command.command,
					     command.left >= 0 ? ":0" : "");
			reset_file(r, path, TSH_WRITE_ADD, text, line);
			free(text);
		}
		tsh_trigger_release(&command);
	}
	return names;
}

static void reset_functions(struct tsh_reset *r)
{
	static const char filter[] = "set_ftrace_filter";
	struct tsh_strlist lines = { 0 };
	char *text = read_text(r, filter);

	if (text) {
		tsh_strlist_split_lines(&lines, text);
		if (reset_commands(r, filter, &lines)) {
			char *size = list_size(&lines);

			reset_file(r, filter, TSH_WRITE_CLEAR, NULL, size);
			free(size);
		}
	}
	tsh_strlist_release(&lines);
	free(text);
	reset_list(r, "set_ftrace_notrace", false);
	reset_list(r, "set_graph_function", false);
	reset_list(r, "set_graph_notrace", false);
}

/* Resets the lists of tasks. Truncates them in any case: a list that was emptied in another way
 * reads as the default, but excludes all tasks. */
static void reset_pids(struct tsh_reset *r)
{
	reset_list(r, "set_event_pid", true);
	reset_list(r, "set_event_notrace_pid", true);
	reset_list(r, "set_ftrace_pid", true);
	reset_list(r, "set_ftrace_notrace_pid", true);
	reset_value(r, "options/event-fork", "0");
	reset_value(r, "options/function-fork", "0");
}

/* ---- other settings ---- */

static void reset_options(struct tsh_reset *r)
{
	struct tsh_strlist words = { 0 };
	size_t i;

	/* note it when the file cannot be read */
	free(read_text(r, "trace_options"));
	tsh_options_changed(r->s->in, &words);
	for (i = 0; i < words.n; i++) {
		bool off = !strncmp(words.v[i], "no", 2);
		const char *name = words.v[i] + (off ? 2 : 0);
		char *path = tsh_xasprintf("options/%s", name);

		/* event-fork and function-fork are reset with the pids. */
		if (!strstr(name, "-fork") && tsh_file_exists(r->s->in, path))
			reset_file(r, path, TSH_WRITE_SET, off ? "1" : "0", off ? "0" : "1");
		free(path);
	}
	tsh_strlist_release(&words);
}

static void reset_others(struct tsh_reset *r)
{
	const struct tsh_default_number *number;
	struct tsh_strbuf mask = TSH_STRBUF_INIT;

	for (number = tsh_default_numbers; number->path; number++)
		reset_value(r, number->path, number->value);
	tsh_default_cpumask(r->s->in, &mask);
	if (mask.len)
		reset_value(r, "tracing_cpumask", mask.buf);
	else
		tsh_strlist_add(&r->unseen, "per_cpu");
	tsh_strbuf_release(&mask);
}

/* Resets the clock. Leaves 'global' when the kernel's log no longer shows who has set it. */
static void reset_clock(struct tsh_reset *r)
{
	char *usual = tsh_default_clock(r->s->in), *now = usual ? NULL : read_text(r, "trace_clock");

	if (now && tsh_class_equal(tsh_file_class("trace_clock"), "global", now))
		tsh_strlist_add(&r->unseen, "trace_clock (its log no longer tells whether the kernel has started with "
				"'global'; clock local sets it)");
	else
		reset_value(r, "trace_clock", usual ? usual : "local");
	free(usual);
	free(now);
}

void tsh_reset_step(struct tsh_reset *r, enum tsh_reset_kind kind)
{
	static void (*const steps[])(struct tsh_reset *) = {
		[TSH_RESET_EVENTS] = reset_events,
		[TSH_RESET_TRIGGERS] = reset_triggers,
		[TSH_RESET_FILTERS] = reset_filters,
		[TSH_RESET_PROBES] = reset_probes,
		[TSH_RESET_FUNCTIONS] = reset_functions,
		[TSH_RESET_PIDS] = reset_pids,
		[TSH_RESET_OPTIONS] = reset_options,
		[TSH_RESET_OTHERS] = reset_others,
	};

	r->kind = kind;
	if (kind == TSH_RESET_TRACER)
		reset_value(r, "current_tracer", "nop");
	else if (kind == TSH_RESET_CLOCK)
		reset_clock(r);
	else if (kind == TSH_RESET_ON)
		reset_value(r, "tracing_on", "1");
	else
		steps[kind](r);
}
