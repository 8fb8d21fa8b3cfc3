/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "events/recording/record.h"
#include "events/source/stream.h"
#include "kernel/tracefs/defaults.h"
#include "session/filters.h"
#include "session/memory.h"
#include "session/snapshot-size.h"
#include "session/util.h"

/*
 * status for programs: every key each time, lists as arrays, and whole as far as there is room,
 * null for what this kernel does not have. What the kernel has a file for bears the file's name.
 */

#define ENTRIES_MAX 131072
#define BYTES_MAX (4u << 20)

static void begin_array(struct tsh_json *js, const char *key, struct tsh_json_room *room)
{
	room->entries = ENTRIES_MAX;
	room->bytes = BYTES_MAX;
	tsh_json_key(js, key);
	tsh_json_array(js);
}

/* Whether there is room for an entry of that many bytes, which is taken then. */
static bool take_room(struct tsh_json_room *room, size_t len)
{
	if (!room->entries || len > room->bytes) {
		room->left_out++;
		return false;
	}
	room->entries--;
	room->bytes -= len;
	return true;
}

static void add_word(struct tsh_json *js, const char *word)
{
	int number;

	if (!tsh_parse_int(word, &number))
		tsh_json_s64(js, number);
	else
		tsh_json_str(js, word);
}

void tsh_status_json_list(struct tsh_json *js, const struct tsh_instance *in, const char *key,
			  const char *path, struct tsh_json_room *room)
{
	char *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (!text) {
		tsh_json_key(js, key);
		tsh_json_null(js);
		return;
	}
	tsh_strlist_split_lines(&lines, text);
	begin_array(js, key, room);
	for (i = 0; i < lines.n; i++)
		/* "#### all functions enabled ####" */
		if (lines.v[i][0] && lines.v[i][0] != '#' && strcmp(lines.v[i], "no pid") != 0 &&
		    take_room(room, strlen(lines.v[i])))
			add_word(js, lines.v[i]);
	tsh_json_array_end(js);
	tsh_strlist_release(&lines);
	free(text);
}

static void add_names(struct tsh_json *js, const char *key, const struct tsh_strlist *names,
		      struct tsh_json_room *room)
{
	size_t i;

	begin_array(js, key, room);
	for (i = 0; i < names->n; i++)
		if (take_room(room, strlen(names->v[i])))
			tsh_json_str(js, names->v[i]);
	tsh_json_array_end(js);
}

static void add_number(struct tsh_json *js, const struct tsh_instance *in, const char *path)
{
	uint64_t value = tsh_file_number(in, path, UINT64_MAX);

	tsh_json_key(js, path);
	if (value == UINT64_MAX)
		tsh_json_null(js);
	else
		tsh_json_u64(js, value);
}

/* ---- events ---- */

static void add_event_text(struct tsh_json *js, const struct tsh_event *event, const char *key,
			   const char *text, struct tsh_json_room *room)
{
	char *label = tsh_xasprintf("%s:%s", event->system, event->name);

	if (take_room(room, strlen(label) + strlen(text))) {
		tsh_json_object(js);
		tsh_json_kstr(js, "event", label);
		tsh_json_kstr(js, key, text);
		tsh_json_object_end(js);
	}
	free(label);
}

static void add_filters(struct tsh_json *js, struct tsh_session *s, const struct tsh_instance *in,
			struct tsh_json_room *room)
{
	struct tsh_strlist texts = { 0 };
	struct tsh_events events = { 0 };
	size_t i;

	tsh_filters_list(s, in, &events, &texts);
	begin_array(js, "filters", room);
	for (i = 0; i < events.n; i++)
		add_event_text(js, &events.v[i], "filter", texts.v[i], room);
	tsh_json_array_end(js);
	tsh_strlist_release(&texts);
	tsh_events_release(&events);
}

static void add_triggers(struct tsh_json *js, const struct tsh_instance *in,
			 const struct tsh_event *event, struct tsh_json_room *room)
{
	char *path = tsh_event_path(event, "trigger"), *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		if (lines.v[i][0] && lines.v[i][0] != '#')
			add_event_text(js, event, "trigger", lines.v[i], room);
	tsh_strlist_release(&lines);
	free(text);
	free(path);
}

static void add_events(struct tsh_json *js, struct tsh_session *s, const struct tsh_instance *in,
		       struct tsh_json_room *room)
{
	struct tsh_events armed = { 0 }, recording = { 0 };
	struct tsh_strlist names = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	/* a recorded tree has no state */
	if (tsh_events_armed(in, &armed, &ignored) < 0)
		tsh_err_release(&ignored);
	tsh_events_recording(in, &armed, SIZE_MAX, &recording);
	for (i = 0; i < recording.n; i++)
		tsh_strlist_take(&names, tsh_xasprintf("%s:%s", recording.v[i].system,
						       recording.v[i].name));
	add_names(js, "events", &names, room);
	add_filters(js, s, in, room);
	begin_array(js, "triggers", room);
	for (i = 0; i < armed.n && !tsh_cmd_is_aborted(s); i++)
		add_triggers(js, in, &armed.v[i], room);
	tsh_json_array_end(js);
	tsh_strlist_release(&names);
	tsh_events_release(&armed);
	tsh_events_release(&recording);
}

/* ---- the buffer and the rest ---- */

static void add_cpus(struct tsh_json *js, const struct tsh_instance *in)
{
	char *mask = tsh_file_text(in, "tracing_cpumask");
	struct tsh_cpuset set = { 0 };
	unsigned int *cpus = NULL;
	size_t i, n = tsh_cpus_present(in, &cpus);

	tsh_json_key(js, "cpus");
	if (!mask || tsh_cpuset_parse_mask(mask, &set) < 0) {
		tsh_json_null(js);
	} else {
		tsh_json_array(js);
		for (i = 0; i < n; i++)
			if (tsh_cpuset_has(&set, cpus[i]))
				tsh_json_u64(js, cpus[i]);
		tsh_json_array_end(js);
	}
	tsh_cpuset_release(&set);
	free(cpus);
	free(mask);
}

static void add_buffer(struct tsh_json *js, const struct tsh_instance *in)
{
	char *size = tsh_file_text(in, "buffer_size_kb");
	enum tsh_snapshot_state snapshot = in->dir->kind == TSH_DIR_TREE ? TSH_SNAPSHOT_NONE :
									   tsh_snapshot_state(in);

	/* of each CPU; X when they differ */
	tsh_json_key(js, "buffer_size_kb");
	if (size && *size != 'X')
		tsh_json_u64(js, tsh_memory_buffer_size(in, "buffer_size_kb") / 1024);
	else
		tsh_json_null(js);
	free(size);
	add_number(js, in, "buffer_total_size_kb");
	add_number(js, in, "buffer_subbuf_size_kb");
	add_number(js, in, "buffer_percent");
	add_number(js, in, "tracing_thresh");
	add_number(js, in, "max_graph_depth");
	tsh_json_key(js, "snapshot_bytes");
	if (snapshot == TSH_SNAPSHOT_NONE)
		tsh_json_null(js);
	else
		tsh_json_u64(js, snapshot == TSH_SNAPSHOT_FREE ? 0 : tsh_snapshot_size(in));
	add_cpus(js, in);
}

/* Those that are not as the kernel starts them. */
static void add_options(struct tsh_json *js, const struct tsh_instance *in)
{
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_options_changed(in, &words);
	tsh_json_key(js, "options");
	tsh_json_object(js);
	for (i = 0; i < words.n; i++) {
		bool off = !strncmp(words.v[i], "no", 2);

		tsh_json_kbool(js, words.v[i] + (off ? 2 : 0), !off);
	}
	tsh_json_object_end(js);
	tsh_strlist_release(&words);
}

/* Adds the settings that are not as the kernel starts them, each by its file. */
static void add_others(struct tsh_json *js, const struct tsh_instance *in)
{
	const struct tsh_default *d;
	char *text;

	tsh_json_key(js, "others");
	tsh_json_object(js);
	for (d = tsh_defaults; d->path; d++) {
		text = tsh_status_other(in, d);
		if (text)
			tsh_json_kstr(js, d->path, text);
		free(text);
	}
	tsh_json_object_end(js);
}

static void add_unread(struct tsh_json *js, const struct tsh_instance *in, struct tsh_json_room *room)
{
	struct tsh_strlist unread = { 0 };

	tsh_status_unread(in, &unread);
	add_names(js, "unread", &unread, room);
	tsh_strlist_release(&unread);
}

/* What stands in the top instance only. */
static void add_top(struct tsh_json *js, const struct tsh_instance *in,
		    struct tsh_json_room *room)
{
	struct tsh_strlist instances = { 0 };

	if (in->name)
		return;
	tsh_status_json_list(js, in, "dynamic_events", "dynamic_events", room);
	tsh_status_json_list(js, in, "kprobe_events", "kprobe_events", room);
	tsh_status_json_list(js, in, "uprobe_events", "uprobe_events", room);
	tsh_status_json_list(js, in, "synthetic_events", "synthetic_events", room);
	tsh_instance_list(in->dir, &instances);
	add_names(js, "instances", &instances, room);
	tsh_strlist_release(&instances);
}

static void add_basics(struct tsh_json *js, const struct tsh_instance *in)
{
	char *tracer = tsh_file_text(in, "current_tracer"), *clock = tsh_clock_name(in);
	uint64_t on = tsh_file_number(in, "tracing_on", UINT64_MAX);
	char *name = tsh_cmd_instance_name(in);

	tsh_json_kstr(js, "instance", name);
	if (tsh_tree_is_cut(in))
		tsh_json_kbool(js, "no_end", true);
	tsh_json_key(js, "tracing");
	if (on == UINT64_MAX)
		tsh_json_null(js);
	else
		tsh_json_bool(js, on != 0);
	tsh_json_kstr(js, "tracer", tracer && strcmp(tracer, "nop") != 0 ? tracer : NULL);
	tsh_json_kstr(js, "clock", clock);
	free(name);
	free(clock);
	free(tracer);
}

void tsh_status_json(struct tsh_session *s, const struct tsh_instance *in, bool holders)
{
	struct tsh_json_room room = { 0 };
	struct tsh_strlist pipes = { 0 };
	struct tsh_out *out = s->out;
	struct tsh_json js;
	size_t i;
	bool all;

	tsh_json_init(&js, &out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "status");
	add_basics(&js, in);
	add_events(&js, s, in, &room);
	add_buffer(&js, in);
	for (i = 0; tsh_status_files[i]; i++)
		tsh_status_json_list(&js, in, tsh_status_files[i], tsh_status_files[i], &room);
	add_options(&js, in);
	add_others(&js, in);
	add_unread(&js, in, &room);
	add_top(&js, in, &room);
	if (holders && in->dir->kind != TSH_DIR_TREE) {
		all = tsh_pipe_holders(in, &pipes);
		add_names(&js, "trace_pipe_holders", &pipes, &room);
		tsh_json_key(&js, "all_holders_seen");
		tsh_json_bool(&js, all);
		tsh_strlist_release(&pipes);
	}
	tsh_json_ku64(&js, "left_out", room.left_out);
	tsh_json_ku64(&js, "unread_files", tsh_dir_unread(in->dir));
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&out->data, '\n');
	tsh_out_flush_if_full(out);
}
