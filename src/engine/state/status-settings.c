/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "kernel/tracefs/defaults.h"
#include "session/snapshot-size.h"

/* A function filter can be megabytes: so much of a list is looked at. */
#define LIST_MAX 16384
#define NAMES_MAX 8

/* ---- the buffer ---- */

/* "1408", "7 (expanded: 1408)", or "X" when the CPUs differ */
static char *buffer_text(const char *size)
{
	const char *expanded = strstr(size, "(expanded: ");

	if (!strcmp(size, "X"))
		return tsh_xstrdup("not the same on each CPU; buffer shows them");
	if (expanded) {
		expanded += strlen("(expanded: ");
		return tsh_xasprintf("%.*s KB for each CPU, once something is enabled",
				     (int)strcspn(expanded, ")"), expanded);
	}
	return tsh_xasprintf("%s KB for each CPU", size);
}

/* The mask of the CPUs that are traced, when it lacks one that is there. */
static void add_cpumask(struct tsh_status_view *st)
{
	char *mask = tsh_file_text(st->in, "tracing_cpumask");
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };
	unsigned int *cpus = NULL;
	size_t i, n = 0, lacks = 0;

	if (mask && !tsh_cpuset_parse_mask(mask, &set)) {
		n = tsh_cpus_present(st->in, &cpus);
		for (i = 0; i < n; i++)
			lacks += !tsh_cpuset_has(&set, cpus[i]);
	}
	if (lacks) {
		tsh_cpuset_format_list(&set, &list);
		tsh_fields_text(st->fields, "cpus", list.len ? list.buf : "none");
	}
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&list);
	free(cpus);
	free(mask);
}

static void add_number(struct tsh_status_view *st, const char *path, const char *name,
		       uint64_t usual, const char *unit)
{
	uint64_t value = tsh_file_number(st->in, path, usual);
	char *text;

	if (value == usual)
		return;
	text = tsh_xasprintf("%llu%s", (unsigned long long)value, unit);
	tsh_fields_text(st->fields, name, text);
	free(text);
}

/* Its memory stays when a trigger has taken it, and with it this line. */
static void add_snapshot(struct tsh_status_view *st)
{
	enum tsh_snapshot_state state = tsh_snapshot_state(st->in);
	struct tsh_strbuf size = TSH_STRBUF_INIT;
	char *text;

	if (st->in->dir->kind == TSH_DIR_TREE || state < TSH_SNAPSHOT_EMPTY)
		return;
	tsh_format_size(tsh_snapshot_size(st->in), &size);
	text = tsh_xasprintf("%s, %s of memory", state == TSH_SNAPSHOT_FULL ? "holds events" :
			     "empty", size.buf);
	tsh_fields_text(st->fields, "snapshot", text);
	tsh_strbuf_release(&size);
	free(text);
}

void tsh_status_buffer(struct tsh_status_view *st)
{
	char *size = tsh_file_text(st->in, "buffer_size_kb"), *text;

	if (size) {
		text = buffer_text(size);
		tsh_fields_text(st->fields, "buffer", text);
		free(text);
	}
	free(size);
	add_snapshot(st);
	add_number(st, "buffer_subbuf_size_kb", "sub-buffer",
		   (uint64_t)sysconf(_SC_PAGESIZE) / 1024, " KB");
	add_number(st, "buffer_percent", "wakes readers at", 50, " % full");
	add_number(st, "tracing_thresh", "only what takes longer than", 0, " us");
	add_number(st, "max_graph_depth", "depth of graphs", 0, "");
	add_cpumask(st);
}

/* ---- lists of pids and functions ---- */

/* Tells lines of set_ftrace_filter apart: names, and functions with a command. */
enum part { ALL, NAMES, COMMANDS };

struct list_file {
	const char *path;
	const char *name;
	enum part part;
};

const char *const tsh_status_files[] = {
	"set_event_pid", "set_event_notrace_pid", "set_ftrace_pid", "set_ftrace_notrace_pid", "set_ftrace_filter",
	"set_ftrace_notrace", "set_graph_function", "set_graph_notrace", "stack_trace_filter", NULL
};

/* "vfs_open:traceoff:unlimited"; "vfs_open:mod:NAME" is a name. */
static bool is_in_part(const char *line, enum part part)
{
	bool command = strchr(line, ':') && !strstr(line, ":mod:");

	/* "#### all functions enabled ####" */
	return *line && *line != '#' && strcmp(line, "no pid") && (part == ALL || command == (part == COMMANDS));
}

/* Reads the beginning of a list; whether that was all. */
static bool read_some(const struct tsh_instance *in, const char *path, struct tsh_strbuf *text)
{
	int fd = tsh_file_open(in, path, 0);
	int r;

	if (fd < 0)
		return true;
	r = tsh_strbuf_read(text, fd, LIST_MAX);
	close(fd);
	return r != -EFBIG;
}

/* "a b c", "a b c .. and 12 more" */
static void add_list_file(struct tsh_status_view *st, const struct list_file *file)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	bool all = read_some(st->in, file->path, &text);
	size_t i, n = 0;

	if (text.len)
		tsh_strlist_split_lines(&lines, text.buf);
	for (i = 0; i < lines.n; i++) {
		if (is_in_part(lines.v[i], file->part) && n++ < NAMES_MAX)
			tsh_strbuf_addf(&out, "%s%s", n > 1 ? " " : "", lines.v[i]);
	}
	if (!all && n > NAMES_MAX)
		tsh_strbuf_addf(&out, " and more than %zu others", n - NAMES_MAX);
	else if (n > NAMES_MAX)
		tsh_strbuf_addf(&out, " and %zu more", n - NAMES_MAX);
	if (n)
		tsh_fields_text(st->fields, file->name, out.buf);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&out);
}

void tsh_status_lists(struct tsh_status_view *st)
{
	static const struct list_file files[] = {
		{ "set_event_pid", "events only of tasks", ALL },
		{ "set_event_notrace_pid", "events not of tasks", ALL },
		{ "set_ftrace_pid", "functions only of tasks", ALL },
		{ "set_ftrace_notrace_pid", "functions not of tasks", ALL },
		{ "set_ftrace_filter", "only functions", NAMES },
		{ "set_ftrace_filter", "functions with a command", COMMANDS },
		{ "set_ftrace_notrace", "not functions", ALL },
		{ "set_graph_function", "graph only functions", ALL },
		{ "set_graph_notrace", "graph not functions", ALL },
		{ "stack_trace_filter", "stack tracer only functions", ALL },
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		add_list_file(st, &files[i]);
}

/* ---- options ---- */

void tsh_status_options(struct tsh_status_view *st)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_options_changed(st->in, &words);
	for (i = 0; i < words.n; i++) {
		bool off = !strncmp(words.v[i], "no", 2);

		tsh_strbuf_addf(&out, "%s%s %s", out.len ? ", " : "", words.v[i] + (off ? 2 : 0), off ? "off" : "on");
	}
	if (out.len)
		tsh_fields_text(st->fields, "options", out.buf);
	tsh_strlist_release(&words);
	tsh_strbuf_release(&out);
}

/* ---- what has no line of its own, and what cannot be read ---- */

char *tsh_status_other(const struct tsh_instance *in, const struct tsh_default *d)
{
	static const char *const shown[] = {
		"buffer_subbuf_size_kb", "buffer_size_kb", "buffer_percent", "trace_clock", "tracing_cpumask",
		"tracing_thresh", "max_graph_depth", "current_tracer", "tracing_on", NULL
	};
	char *text, *plain = NULL;
	size_t i;

	if (strchr(d->path, '*') || d->kind == TSH_DEFAULT_LIST)
		return NULL;
	for (i = 0; shown[i]; i++)
		if (!strcmp(d->path, shown[i]))
			return NULL;
	text = tsh_file_text(in, d->path);
	if (text && !tsh_is_default(in, d->path, text))
		plain = tsh_class_normalize(tsh_file_class(d->path), text);
	free(text);
	return plain;
}

void tsh_status_unread(const struct tsh_instance *in, struct tsh_strlist *ret)
{
	const struct tsh_default *d;

	/* a recorded tree has no state */
	for (d = tsh_defaults; d->path && in->dir->kind != TSH_DIR_TREE; d++) {
		int fd = strchr(d->path, '*') ? -ENOENT : tsh_file_open(in, d->path, 0);

		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT)
			tsh_strlist_take(ret, tsh_xasprintf("%s (%s)", d->path, strerror(-fd)));
	}
}

void tsh_status_others(struct tsh_status_view *st)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist unread = { 0 };
	const struct tsh_default *d;
	char *text;
	size_t i;

	for (d = tsh_defaults; d->path; d++) {
		text = tsh_status_other(st->in, d);
		if (text)
			tsh_fields_text(st->fields, d->path, text);
		free(text);
	}
	tsh_status_unread(st->in, &unread);
	for (i = 0; i < unread.n; i++)
		tsh_strbuf_addf(&out, "%s%s", i ? ", " : "", unread.v[i]);
	if (out.len)
		tsh_fields_text(st->fields, "not looked at", out.buf);
	tsh_strlist_release(&unread);
	tsh_strbuf_release(&out);
}

/* ---- probes ---- */

static void add_probe_file(const struct tsh_instance *in, const char *path,
			   struct tsh_strlist *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	read_some(in, path, &text);
	/* "NAME\tFIELDS" of synthetic ones */
	for (i = 0; i < text.len; i++)
		if (text.buf[i] == '\t')
			text.buf[i] = ' ';
	if (text.len)
		tsh_strlist_split_lines(ret, text.buf);
	tsh_strbuf_release(&text);
}

/* They are everybody's, but the files stand in the top instance only. */
void tsh_status_probes(struct tsh_status_view *st)
{
	struct tsh_strlist probes = { 0 };
	char *more;
	size_t i;

	if (st->in->name)
		return;
	if (tsh_file_exists(st->in, "dynamic_events")) {
		add_probe_file(st->in, "dynamic_events", &probes);
	} else {
		add_probe_file(st->in, "kprobe_events", &probes);
		add_probe_file(st->in, "uprobe_events", &probes);
		add_probe_file(st->in, "synthetic_events", &probes);
	}
	if (probes.n > NAMES_MAX) {
		more = tsh_xasprintf("and %zu more", probes.n - NAMES_MAX);
		for (i = NAMES_MAX; i < probes.n; i++)
			free(probes.v[i]);
		probes.n = NAMES_MAX;
		tsh_strlist_take(&probes, more);
	}
	tsh_status_list(st, "probe", &probes);
	tsh_strlist_release(&probes);
}
