/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "engine/histtrigger/triggers.h"
#include "events/recording/record.h"
#include "events/source/stream.h"
#include "kernel/tracefs/lines.h"
#include "session/filters.h"
#include "session/memory.h"
#include "session/snapshot-size.h"
#include "session/util.h"
#include "status-lists.h"

/* Prints the settings of an instance: reads each once, and prints it in words or as JSON. */

/* Limit the filters and triggers that are printed in words; the other filters are counted. */
#define FILTERS_MAX 200
#define TRIGGERS_MAX 10000
/* Limits the list of events with names; of a longer one, only the numbers are printed. */
#define NAMES_MAX 6

static bool is_tree(const struct tsh_status_view *st)
{
	return st->in->dir->kind == TSH_DIR_TREE;
}

/* ---- state, tracer and clock ---- */

static bool is_on(const struct tsh_status_view *st)
{
	return st->on && strcmp(st->on, "0") != 0;
}

static bool has_tracer(const struct tsh_status_view *st)
{
	return st->tracer && strcmp(st->tracer, "nop") != 0;
}

static char *make_sentence(const struct tsh_status_view *st)
{
	size_t n = st->recording.n;

	if (is_tree(st))
		return tsh_xasprintf("a recorded tree%s: nothing happens here", tsh_tree_is_cut(st->in) ?
				     " without an end (its record was killed, or goes on)" : "");
	if (!n && !has_tracer(st))
		return tsh_xasprintf("nothing is being traced; tracing is %s, nothing is enabled",
				     is_on(st) ? "on" : "off");
	if (!is_on(st))
		return tsh_xstrdup("nothing is recorded: tracing is off");
	if (!n)
		return tsh_xstrdup("recording: a tracer");
	return tsh_xasprintf("recording: %zu event%s%s", n, tsh_plural(n), has_tracer(st) ? " and a tracer" : "");
}

static void add_names_of(struct tsh_status_view *st)
{
	char *name = tsh_cmd_instance_name(st->in), *sentence;

	if (st->js) {
		tsh_json_kstr(st->js, "instance", name);
		if (tsh_tree_is_cut(st->in))
			tsh_json_kbool(st->js, "no_end", true);
	} else {
		sentence = make_sentence(st);
		tsh_fields_text(st->fields, "instance", name);
		tsh_fields_text(st->fields, "state", sentence);
		free(sentence);
	}
	free(name);
}

static void add_tracing(struct tsh_status_view *st)
{
	uint64_t on;

	if (!st->js) {
		if (st->on)
			tsh_fields_text(st->fields, "tracing", is_on(st) ? "on" : "off");
		if (st->tracer)
			tsh_fields_text(st->fields, "tracer", has_tracer(st) ? st->tracer : "none (nop)");
		return;
	}
	tsh_json_key(st->js, "tracing");
	on = tsh_file_number(st->in, "tracing_on", UINT64_MAX);
	if (on == UINT64_MAX)
		tsh_json_null(st->js);
	else
		tsh_json_bool(st->js, on != 0);
	tsh_json_kstr(st->js, "tracer", has_tracer(st) ? st->tracer : NULL);
}

static void add_clock(struct tsh_status_view *st)
{
	char *clock = tsh_clock_name(st->in);

	if (st->js)
		tsh_json_kstr(st->js, "clock", clock);
	else if (clock)
		tsh_fields_text(st->fields, "clock", clock);
	free(clock);
}

/* ---- events ---- */

/* Returns "sched:sched_switch, ..", or "26 enabled: irq 2, sched 24"; the caller frees it. */
static char *events_text(const struct tsh_events *events)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i, count = 0;
	bool first = true;

	if (events->n > NAMES_MAX)
		tsh_strbuf_addf(&out, "%zu enabled: ", events->n);
	else
		tsh_strbuf_addf(&out, "%s", events->n ? "" : "none enabled");
	for (i = 0; i < events->n; i++) {
		const struct tsh_event *event = &events->v[i];

		count++;
		if (events->n <= NAMES_MAX) {
			tsh_strbuf_addf(&out, "%s%s:%s", i ? ", " : "", event->system, event->name);
		} else if (i + 1 == events->n || strcmp(event->system, events->v[i + 1].system)) {
			tsh_strbuf_addf(&out, "%s%s %zu", first ? "" : ", ", event->system, count);
			first = false;
			count = 0;
		}
	}
	return tsh_strbuf_detach(&out);
}

static void add_events(struct tsh_status_view *st)
{
	const struct tsh_events *events = &st->recording;
	struct tsh_strlist names = { 0 };
	char *text;
	size_t i;

	if (st->js) {
		for (i = 0; i < events->n; i++)
			tsh_strlist_add_owned(&names, tsh_xasprintf("%s:%s", events->v[i].system, events->v[i].name));
		tsh_status_names(st, "events", NULL, &names);
		tsh_strlist_release(&names);
		return;
	}
	text = events_text(events);
	tsh_fields_text(st->fields, "events", text);
	free(text);
}

/* Adds a text of an event: in JSON at once, in words to `lines`. */
static void add_text(struct tsh_status_view *st, const struct tsh_event *event, const char *name, const char *text,
		     struct tsh_strlist *lines)
{
	char *label = tsh_xasprintf("%s:%s", event->system, event->name);

	if (!st->js) {
		tsh_strlist_add_owned(lines, tsh_xasprintf("%s: %s", label, text));
	} else if (tsh_status_has_room(&st->room, strlen(label) + strlen(text))) {
		tsh_json_object(st->js);
		tsh_json_kstr(st->js, "event", label);
		tsh_json_kstr(st->js, name, text);
		tsh_json_object_end(st->js);
	}
	free(label);
}

static void end_texts(struct tsh_status_view *st, const char *name, const struct tsh_strlist *lines)
{
	if (st->js)
		tsh_json_array_end(st->js);
	else
		tsh_status_names(st, NULL, name, lines);
}

static void add_filters(struct tsh_status_view *st)
{
	struct tsh_strlist texts = { 0 }, lines = { 0 };
	struct tsh_events events = { 0 };
	size_t i;

	tsh_filters_list(st->s, st->in, &events, &texts);
	if (st->js)
		tsh_status_begin_array(st->js, "filters", &st->room);
	for (i = 0; i < events.n && (st->js || i < FILTERS_MAX); i++)
		add_text(st, &events.v[i], "filter", texts.v[i], &lines);
	if (i < events.n)
		tsh_strlist_add_owned(&lines, tsh_xasprintf("and %zu more; filter lists them", events.n - i));
	end_texts(st, "filter", &lines);
	tsh_strlist_release(&lines);
	tsh_strlist_release(&texts);
	tsh_events_release(&events);
}

/* Adds that a traceoff trigger may have stopped tracing, which tracing_on does not show. */
static void add_stop(struct tsh_status_view *st, const struct tsh_strlist *triggers)
{
	size_t i;

	for (i = 0; i < triggers->n && !strstr(triggers->v[i], ": traceoff"); i++)
		;
	if (i < triggers->n && !is_tree(st) && tsh_trigger_has_stopped(st->in))
		tsh_fields_text(st->fields, "stopped", "by a traceoff trigger, or by somebody else");
}

/* Reads the triggers of one event. A recording can have more triggers than fit into memory, so
 * those of each event are read and added separately. */
static void read_triggers(struct tsh_status_view *st, const struct tsh_event *event, struct tsh_strlist *lines)
{
	char *path = tsh_event_path(event, "trigger");
	struct tsh_strlist all = { 0 };
	size_t i;

	tsh_file_lines(st->in, path, &all);
	for (i = 0; i < all.n && lines->n < TRIGGERS_MAX; i++)
		add_text(st, event, "trigger", all.v[i], lines);
	tsh_strlist_release(&all);
	free(path);
}

static void add_triggers(struct tsh_status_view *st)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (st->js)
		tsh_status_begin_array(st->js, "triggers", &st->room);
	for (i = 0; i < st->armed.n && lines.n < TRIGGERS_MAX && !tsh_cmd_is_aborted(st->s); i++)
		read_triggers(st, &st->armed.v[i], &lines);
	if (lines.n == TRIGGERS_MAX)
		tsh_strlist_add(&lines, "and more, which are not looked at");
	end_texts(st, "trigger", &lines);
	if (!st->js)
		add_stop(st, &lines);
	tsh_strlist_release(&lines);
}

/* ---- the buffer ---- */

/* Returns words for the contents of buffer_size_kb: "1408", "7 (expanded: 1408)", or "X" when
 * the CPUs differ. The caller frees them. */
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

static void add_buffer(struct tsh_status_view *st)
{
	char *size = tsh_file_text(st->in, "buffer_size_kb"), *text;

	bool is_same = size && *size != 'X';

	if (st->js) {
		tsh_json_kmaybe(st->js, "buffer_size_kb", is_same,
				is_same ? tsh_memory_buffer_size(st->in, "buffer_size_kb") / 1024 : 0);
	} else if (size) {
		text = buffer_text(size);
		tsh_fields_text(st->fields, "buffer", text);
		free(text);
	}
	free(size);
}

static void add_numbers(struct tsh_status_view *st)
{
	const struct {
		const char *path, *name;
		uint64_t usual;
		const char *unit;
	} numbers[] = {
		{ "buffer_total_size_kb", NULL, 0, NULL },
		{ "buffer_subbuf_size_kb", "sub-buffer", (uint64_t)sysconf(_SC_PAGESIZE) / 1024, " KB" },
		{ "buffer_percent", "wakes readers at", 50, " % full" },
		{ "tracing_thresh", "only what takes longer than", 0, " us" },
		{ "max_graph_depth", "depth of graphs", 0, "" },
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t value = tsh_file_number(st->in, numbers[i].path, UINT64_MAX);

		if (st->js) {
			tsh_json_kmaybe(st->js, numbers[i].path, value != UINT64_MAX, value);
		} else if (numbers[i].name && value != UINT64_MAX && value != numbers[i].usual) {
			text = tsh_xasprintf("%llu%s", (unsigned long long)value, numbers[i].unit);
			tsh_fields_text(st->fields, numbers[i].name, text);
			free(text);
		}
	}
}

/* Adds the snapshot. Its memory, and so this line, stays after a trigger has taken a snapshot. */
static void add_snapshot(struct tsh_status_view *st)
{
	enum tsh_snapshot_state state = is_tree(st) ? TSH_SNAPSHOT_NONE : tsh_snapshot_state(st->in);
	uint64_t bytes = state < TSH_SNAPSHOT_EMPTY ? 0 : tsh_snapshot_size(st->in);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (st->js) {
		tsh_json_kmaybe(st->js, "snapshot_bytes", state != TSH_SNAPSHOT_NONE, bytes);
	} else if (state >= TSH_SNAPSHOT_EMPTY) {
		tsh_strbuf_adds(&text, state == TSH_SNAPSHOT_FULL ? "holds events, " : "empty, ");
		tsh_format_size(bytes, &text);
		tsh_strbuf_adds(&text, " of memory");
		tsh_fields_text(st->fields, "snapshot", text.buf);
	}
	tsh_strbuf_release(&text);
}

/* Adds the CPUs that are traced; in words only when one is missing. */
static void add_cpus(struct tsh_status_view *st)
{
	char *mask = tsh_file_text(st->in, "tracing_cpumask");
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };
	unsigned int *cpus = NULL;
	bool known = mask && !tsh_cpuset_parse_mask(mask, &set);
	size_t n = known ? tsh_cpus_present(st->in, &cpus) : 0, lacks = 0, i;

	if (st->js)
		tsh_json_key(st->js, "cpus");
	if (st->js && known)
		tsh_json_array(st->js);
	else if (st->js)
		tsh_json_null(st->js);
	for (i = 0; i < n; i++) {
		if (!tsh_cpuset_has(&set, cpus[i]))
			lacks++;
		else if (st->js)
			tsh_json_u64(st->js, cpus[i]);
	}
	if (st->js && known)
		tsh_json_array_end(st->js);
	if (!st->js && lacks) {
		tsh_cpuset_format_list(&set, &list);
		tsh_fields_text(st->fields, "cpus", list.len ? list.buf : "none");
	}
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&list);
	free(cpus);
	free(mask);
}

/* ---- jobs and readers ---- */

static void add_jobs(struct tsh_status_view *st)
{
	struct tsh_job_info first;
	size_t n = st->in == st->s->in && st->s->ops ? st->s->ops->jobs(st->s, &first, 1) : 0;
	char *text;

	if (!n)
		return;
	text = n > 1 ? tsh_xasprintf("%zu in the background; jobs lists them", n) :
		       tsh_xasprintf("[%u] %s", first.number, first.command);
	tsh_fields_text(st->fields, "jobs", text);
	free(text);
}

/* Adds the processes that have the trace_pipe open. Only when asked for: it has to search /proc. */
static void add_holders(struct tsh_status_view *st)
{
	struct tsh_strlist holders = { 0 };
	bool all;

	if (!st->holders || is_tree(st))
		return;
	all = tsh_pipe_holders(st->in, &holders);
	if (!st->js && !all)
		tsh_strlist_add(&holders, "(not all open files were looked at)");
	tsh_status_names(st, "trace_pipe_holders", "trace_pipe is open in", &holders);
	if (st->js)
		tsh_json_kbool(st->js, "all_holders_seen", all);
	tsh_strlist_release(&holders);
}

/* ---- all settings ---- */

typedef void add_fact(struct tsh_status_view *st);

static add_fact *const in_words[] = {
	add_names_of, add_tracing, add_events, add_filters, add_triggers, add_clock, add_buffer, add_snapshot,
	add_numbers, add_cpus, tsh_status_lists, tsh_status_options, tsh_status_others, tsh_status_unread,
	tsh_status_probes, tsh_status_instances, add_jobs, add_holders, NULL
};

static add_fact *const as_json[] = {
	add_names_of, add_tracing, add_clock, add_events, add_filters, add_triggers, add_buffer, add_numbers,
	add_snapshot, add_cpus, tsh_status_lists, tsh_status_options, tsh_status_others, tsh_status_unread,
	tsh_status_probes, tsh_status_instances, add_holders, NULL
};

static void add_facts(struct tsh_status_view *st)
{
	add_fact *const *add = st->js ? as_json : in_words;
	struct tsh_err ignored = { 0 };

	/* a recording has no state */
	if (tsh_events_armed(st->in, &st->armed, &ignored) < 0)
		tsh_err_release(&ignored);
	tsh_events_add_recording(st->in, &st->armed, SIZE_MAX, &st->recording);
	st->on = tsh_file_text(st->in, "tracing_on");
	st->tracer = tsh_file_text(st->in, "current_tracer");
	for (; *add; add++)
		(*add)(st);
	tsh_events_release(&st->armed);
	tsh_events_release(&st->recording);
	free(st->on);
	free(st->tracer);
}

void tsh_status_print(struct tsh_session *s, const struct tsh_instance *in, bool holders)
{
	struct tsh_status_view st = { .s = s, .in = in, .holders = holders };
	struct tsh_out *out = s->out;
	struct tsh_json js;

	if (out->format != TSH_FORMAT_JSON) {
		st.fields = tsh_fields_begin(out, "status");
		add_facts(&st);
		tsh_fields_end(st.fields);
		return;
	}
	st.js = &js;
	tsh_json_line(&js, &out->data, "status");
	add_facts(&st);
	tsh_json_ku64(&js, "left_out", st.room.left_out);
	tsh_json_ku64(&js, "unread_files", tsh_dir_unread(in->dir));
	tsh_json_line_end(&js);
	tsh_out_flush_if_full(out);
}
