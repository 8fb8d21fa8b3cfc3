/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "events/source/source.h"
#include "kernel/tracefs/event.h"

/* Copies the settings of an instance, and the formats of its events, into a recording. */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Lists files of each instance. */
static const char *const own_files[] = {
	"events/header_page", "trace_clock", "current_tracer", "tracing_on", "buffer_size_kb",
	"buffer_subbuf_size_kb", "set_event_notrace_pid", "tracing_cpumask",
};

#define TASKS "set_event_pid"
#define TASKS_MAX (1024 * 1024)

/* Lists files of the top instance only. */
static const char *const top_files[] = {
	"saved_cmdlines", "saved_tgids", "printk_formats", "dynamic_events", "kprobe_events",
	"uprobe_events", "events/header_event",
};

static int write_options(const struct tsh_tree *tree, const struct tsh_instance *in)
{
	struct tsh_strlist names = { 0 };
	int r = 0;
	size_t i;

	tsh_file_list(in, "options", &names);
	for (i = 0; i < names.n && !r; i++) {
		char *path = tsh_xasprintf("options/%s", names.v[i]);

		r = tsh_tree_copy(tree, in, path);
		free(path);
	}
	tsh_strlist_release(&names);
	return r;
}

int tsh_tree_write_filter(const struct tsh_tree *tree, const struct tsh_instance *in, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "filter"), *text = NULL, *line;
	int r = 0;

	/* The event was added by tracesh: it has no filter of the user. */
	if (!tsh_tree_is_hidden(tree, event->system, event->name))
		text = tree->filter ? tsh_xstrdup(tree->filter) : tsh_event_filter(in, event);
	if (text && *text) {
		line = tsh_xasprintf("%s\n", text);
		r = tsh_tree_write(tree, path, line, strlen(line));
		free(line);
	}
	free(text);
	free(path);
	return r;
}

static int write_event(const struct tsh_tree *tree, const struct tsh_instance *in,
		       const char *system, const char *name)
{
	const struct tsh_event event = { (char *)system, (char *)name };
	char *format = tsh_event_path(&event, "format"), *id = tsh_event_path(&event, "id");
	int r = tsh_tree_copy(tree, in, format);

	if (!r)
		r = tsh_tree_copy(tree, in, id);
	free(format);
	free(id);
	return r;
}

/* Copies the events of tracers and markers; they cannot be enabled, and always exist. */
static int write_ftrace_events(const struct tsh_tree *tree, const struct tsh_instance *top)
{
	struct tsh_strlist names = { 0 };
	int r = 0;
	size_t i;

	tsh_file_list(top, "events/ftrace", &names);
	for (i = 0; i < names.n && !r; i++)
		if (strcmp(names.v[i], "enable") && strcmp(names.v[i], "filter"))
			r = write_event(tree, top, "ftrace", names.v[i]);
	tsh_strlist_release(&names);
	return r;
}

static int write_events(const struct tsh_tree *tree, const struct tsh_instance *in)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };
	int r = 0;
	size_t i;

	if (tsh_events_enabled(in, &events, &err) < 0)
		tsh_err_release(&err);
	for (i = 0; i < events.n && !r; i++) {
		r = write_event(tree, in, events.v[i].system, events.v[i].name);
		if (!r)
			r = tsh_tree_write_filter(tree, in, &events.v[i]);
		if (!tsh_tree_is_hidden(tree, events.v[i].system, events.v[i].name))
			tsh_strbuf_addf(&list, "%s:%s\n", events.v[i].system, events.v[i].name);
	}
	if (!r)
		r = tsh_tree_write(tree, "available_events", list.buf, list.len);
	if (!r)
		r = tsh_tree_write(tree, "set_event", list.buf, list.len);
	tsh_events_release(&events);
	tsh_strbuf_release(&list);
	return r;
}

/* Adds the present tasks to the list in the recording. Tasks that were listed at the beginning stay
 * in it, because they may have ended. */
static int write_tasks(const struct tsh_tree *tree, const struct tsh_instance *in)
{
	int fd = tsh_open_beneath(tree->fd, TASKS, O_RDONLY), r = 0;
	struct tsh_strlist before = { 0 }, now = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	if (fd >= 0) {
		r = tsh_strbuf_read(&text, fd, TASKS_MAX);
		close(fd);
	}
	tsh_strlist_split_words(&before, text.buf ? text.buf : "");
	tsh_file_words(in, TASKS, &now);
	for (i = 0; i < now.n; i++)
		if (!tsh_strlist_has(&before, now.v[i]))
			tsh_strbuf_addf(&text, "%s\n", now.v[i]);
	if (r >= 0 && tsh_file_exists(in, TASKS))
		r = tsh_tree_write(tree, TASKS, text.buf ? text.buf : "", text.len);
	tsh_strlist_release(&before);
	tsh_strlist_release(&now);
	tsh_strbuf_release(&text);
	return r < 0 ? r : 0;
}

int tsh_tree_write_settings(const struct tsh_tree *tree, const struct tsh_instance *in)
{
	const struct tsh_instance top = tsh_top(in->dir);
	int r = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(own_files) && !r; i++)
		r = tsh_tree_copy(tree, in, own_files[i]);
	if (!r)
		r = write_tasks(tree, in);
	for (i = 0; i < ARRAY_SIZE(top_files) && !r; i++)
		r = tsh_tree_copy(tree, &top, top_files[i]);
	if (!r)
		r = write_options(tree, in);
	if (!r)
		r = write_ftrace_events(tree, &top);
	return r ? r : write_events(tree, in);
}

/* ---- per_cpu/cpuN/stats ---- */

/* Adds a line of the kernel's stats. Replaces the number by that of the recorded events for
 * entries, bytes, read events and the oldest stamp. */
static void add_stat(struct tsh_strbuf *out, const char *line, const struct tsh_tree_cpu *cpu,
		     bool in_ns)
{
	if (!strncmp(line, "entries:", 8))
		tsh_strbuf_addf(out, "entries: %llu\n", (unsigned long long)(cpu->events - cpu->hidden));
	else if (!strncmp(line, "bytes:", 6))
		tsh_strbuf_addf(out, "bytes: %llu\n", (unsigned long long)cpu->bytes);
	else if (!strncmp(line, "read events:", 12))
		tsh_strbuf_adds(out, "read events: 0\n");
	else if (!strncmp(line, "oldest event ts:", 16) && in_ns)
		tsh_strbuf_addf(out, "oldest event ts: %5llu.%06llu\n",
				(unsigned long long)(cpu->oldest + 500) / 1000 / 1000000,
				(unsigned long long)(cpu->oldest + 500) / 1000 % 1000000);
	else if (!strncmp(line, "oldest event ts:", 16))
		tsh_strbuf_addf(out, "oldest event ts: %llu\n", (unsigned long long)cpu->oldest);
	else
		tsh_strbuf_addf(out, "%s\n", line);
}

int tsh_tree_write_stats(const struct tsh_tree *tree, const struct tsh_instance *in,
			 const struct tsh_tree_cpu *cpu)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/stats", cpu->cpu);
	char *text = tsh_file_text(in, path);
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	uint64_t now;
	bool in_ns = false;
	int r = 0;
	size_t i;

	if (text) {
		tsh_stats_value(text, "now ts", &now, &in_ns);
		tsh_strlist_split_lines(&lines, text);
		for (i = 0; i < lines.n; i++)
			add_stat(&out, lines.v[i], cpu, in_ns);
		r = tsh_tree_write(tree, path, out.buf, out.len);
	}
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&out);
	free(text);
	free(path);
	return r;
}
