/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status-lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "kernel/tracefs/defaults.h"
#include "kernel/tracefs/lines.h"
#include "session/util.h"

/* Limit the bytes of a list that are read, and the names that are printed in words: a function
 * filter can have megabytes. */
#define LIST_MAX 16384
#define NAMES_MAX 8
/* Limit an array in JSON. */
#define ENTRIES_MAX 131072
#define BYTES_MAX (4u << 20)

/* ---- lists ---- */

void tsh_status_begin_array(struct tsh_json *js, const char *key, struct tsh_json_room *room)
{
	room->entries = ENTRIES_MAX;
	room->bytes = BYTES_MAX;
	tsh_json_key(js, key);
	tsh_json_array(js);
}

bool tsh_status_has_room(struct tsh_json_room *room, size_t len)
{
	if (!room->entries || len > room->bytes) {
		room->left_out++;
		return false;
	}
	room->entries--;
	room->bytes -= len;
	return true;
}

/* Adds words as an array. numbers: prints words that are numbers as numbers. */
static void add_array(struct tsh_json *js, const char *key, const struct tsh_strlist *list, bool numbers,
		      struct tsh_json_room *room)
{
	int number;
	size_t i;

	tsh_status_begin_array(js, key, room);
	for (i = 0; i < list->n; i++) {
		if (!tsh_status_has_room(room, strlen(list->v[i])))
			continue;
		if (numbers && !tsh_parse_int(list->v[i], &number))
			tsh_json_s64(js, number);
		else
			tsh_json_str(js, list->v[i]);
	}
	tsh_json_array_end(js);
}

static void add_joined(struct tsh_status_view *st, const char *name, const struct tsh_strlist *list,
		       const char *between)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < list->n; i++)
		tsh_strbuf_addf(&all, "%s%s", i ? between : "", list->v[i]);
	if (list->n)
		tsh_fields_text(st->fields, name, all.buf);
	tsh_strbuf_release(&all);
}

void tsh_status_names(struct tsh_status_view *st, const char *key, const char *name, const struct tsh_strlist *list)
{
	size_t i;

	if (st->js) {
		add_array(st->js, key, list, false, &st->room);
	} else if (st->s->out->format == TSH_FORMAT_CSV) {
		add_joined(st, name, list, "; ");
	} else {
		for (i = 0; i < list->n; i++)
			tsh_fields_text(st->fields, name, list->v[i]);
	}
}

/* ---- files with one task or function a line ---- */

/* Selects lines of set_ftrace_filter: names, or functions with a command. */
enum part {
	ALL,
	NAMES,
	COMMANDS,
};

/* Says whether a line is selected: "vfs_open:traceoff:unlimited" is a command,
 * "vfs_open:mod:NAME" is a name. */
static bool is_in_part(const char *line, enum part part)
{
	bool command = strchr(line, ':') && !strstr(line, ":mod:");

	return part == ALL || command == (part == COMMANDS);
}

/* Reads the beginning of a list. Returns true when that is all of it. */
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

/* Adds the first names of a list: "a b c", "a b c .. and 12 more". */
static void add_some(struct tsh_status_view *st, const char *path, const char *name, enum part part)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	bool all = read_some(st->in, path, &text);
	size_t i, n = 0;

	if (text.len)
		tsh_lines_split(text.buf, &lines);
	for (i = 0; i < lines.n; i++)
		if (is_in_part(lines.v[i], part) && n++ < NAMES_MAX)
			tsh_strbuf_addf(&out, "%s%s", n > 1 ? " " : "", lines.v[i]);
	if (n > NAMES_MAX)
		tsh_strbuf_addf(&out, all ? " and %zu more" : " and more than %zu others", n - NAMES_MAX);
	if (n)
		tsh_fields_text(st->fields, name, out.buf);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&out);
}

void tsh_status_json_list(struct tsh_json *js, const struct tsh_instance *in, const char *key,
			  const char *path, struct tsh_json_room *room)
{
	char *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };

	if (!text)
		return tsh_json_kstr(js, key, NULL);
	tsh_lines_split(text, &lines);
	add_array(js, key, &lines, true, room);
	tsh_strlist_release(&lines);
	free(text);
}

void tsh_status_lists(struct tsh_status_view *st)
{
	static const struct {
		const char *path, *name, *commands;
	} files[] = {
		{ "set_event_pid", "events only of tasks", NULL },
		{ "set_event_notrace_pid", "events not of tasks", NULL },
		{ "set_ftrace_pid", "functions only of tasks", NULL },
		{ "set_ftrace_notrace_pid", "functions not of tasks", NULL },
		{ "set_ftrace_filter", "only functions", "functions with a command" },
		{ "set_ftrace_notrace", "not functions", NULL },
		{ "set_graph_function", "graph only functions", NULL },
		{ "set_graph_notrace", "graph not functions", NULL },
		{ "stack_trace_filter", "stack tracer only functions", NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (st->js)
			tsh_status_json_list(st->js, st->in, files[i].path, files[i].path, &st->room);
		else
			add_some(st, files[i].path, files[i].name, files[i].commands ? NAMES : ALL);
		if (!st->js && files[i].commands)
			add_some(st, files[i].path, files[i].commands, COMMANDS);
	}
}

/* ---- options ---- */

void tsh_status_options(struct tsh_status_view *st)
{
	struct tsh_strlist words = { 0 }, texts = { 0 };
	size_t i;

	tsh_options_changed(st->in, &words);
	if (st->js) {
		tsh_json_key(st->js, "options");
		tsh_json_object(st->js);
	}
	for (i = 0; i < words.n; i++) {
		bool off = !strncmp(words.v[i], "no", 2);
		const char *name = words.v[i] + (off ? 2 : 0);

		if (st->js)
			tsh_json_kbool(st->js, name, !off);
		else
			tsh_strlist_add_owned(&texts, tsh_xasprintf("%s %s", name, off ? "off" : "on"));
	}
	if (st->js)
		tsh_json_object_end(st->js);
	else
		add_joined(st, "options", &texts, ", ");
	tsh_strlist_release(&words);
	tsh_strlist_release(&texts);
}

/* ---- other settings, and unreadable files ---- */

/* Returns the value of a setting without a line of its own that differs from the kernel's
 * default; the caller frees it. NULL otherwise. */
static char *read_other(const struct tsh_instance *in, const struct tsh_default *d)
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

void tsh_status_others(struct tsh_status_view *st)
{
	const struct tsh_default *d;
	char *text;

	if (st->js) {
		tsh_json_key(st->js, "others");
		tsh_json_object(st->js);
	}
	for (d = tsh_defaults; d->path; d++) {
		text = read_other(st->in, d);
		if (text && st->js)
			tsh_json_kstr(st->js, d->path, text);
		else if (text)
			tsh_fields_text(st->fields, d->path, text);
		free(text);
	}
	if (st->js)
		tsh_json_object_end(st->js);
}

void tsh_status_unread(struct tsh_status_view *st)
{
	struct tsh_strlist unread = { 0 };
	const struct tsh_default *d;

	/* a recording has no state */
	for (d = tsh_defaults; d->path && st->in->dir->kind != TSH_DIR_TREE; d++) {
		int fd = strchr(d->path, '*') ? -ENOENT : tsh_file_open(st->in, d->path, 0);

		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT)
			tsh_strlist_add_owned(&unread, tsh_xasprintf("%s (%s)", d->path, strerror(-fd)));
	}
	if (st->js)
		tsh_status_names(st, "unread", NULL, &unread);
	else
		add_joined(st, "not looked at", &unread, ", ");
	tsh_strlist_release(&unread);
}

/* ---- files of the top instance only ---- */

static void read_probes(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	read_some(in, path, &text);
	/* synthetic events are "NAME\tFIELDS" */
	for (i = 0; i < text.len; i++)
		if (text.buf[i] == '\t')
			text.buf[i] = ' ';
	if (text.len)
		tsh_strlist_split_lines(ret, text.buf);
	tsh_strbuf_release(&text);
}

/* Adds the probes. In words dynamic_events is enough, if it exists: it has all of them. */
void tsh_status_probes(struct tsh_status_view *st)
{
	static const char *const files[] = {
		"dynamic_events", "kprobe_events", "uprobe_events", "synthetic_events"
	};
	bool has_all = !st->js && tsh_file_exists(st->in, files[0]);
	struct tsh_strlist probes = { 0 };
	char *more;
	size_t i;

	for (i = 0; !st->in->name && i < (has_all ? 1 : sizeof(files) / sizeof(files[0])); i++) {
		if (st->js)
			tsh_status_json_list(st->js, st->in, files[i], files[i], &st->room);
		else
			read_probes(st->in, files[i], &probes);
	}
	if (probes.n > NAMES_MAX) {
		more = tsh_xasprintf("and %zu more", probes.n - NAMES_MAX);
		for (i = NAMES_MAX; i < probes.n; i++)
			free(probes.v[i]);
		probes.n = NAMES_MAX;
		tsh_strlist_add_owned(&probes, more);
	}
	if (!st->js)
		tsh_status_names(st, NULL, "probe", &probes);
	tsh_strlist_release(&probes);
}

void tsh_status_instances(struct tsh_status_view *st)
{
	struct tsh_strlist names = { 0 };

	if (st->in->name)
		return;
	tsh_instance_list(st->in->dir, &names);
	tsh_status_names(st, "instances", "instance of its own", &names);
	tsh_strlist_release(&names);
}
