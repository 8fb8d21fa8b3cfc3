/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/histtrigger/triggers.h"
#include "engine/state/status.h"
#include "events/recording/record.h"
#include "events/source/stream.h"
#include "kernel/tracefs/defaults.h"
#include "session/filters.h"
#include "session/util.h"

/* status: what is not as the kernel starts it, in words. */

/* Limits how many filters are shown; the rest is counted. */
#define FILTERS_MAX 200
/* Of a longer list the names are not printed. */
#define NAMES_MAX 6

static char *text_of(const struct tsh_instance *in, const char *path)
{
	return tsh_file_text(in, path);
}

/* ---- events ---- */

/* "sched:sched_switch, ..", or "26: irq 2, sched 24" */
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

/* Limits what a recording may have. */
#define TRIGGERS_MAX 10000

static void add_triggers(const struct tsh_instance *in, const struct tsh_event *event,
			 struct tsh_strlist *ret)
{
	char *path = tsh_event_path(event, "trigger");
	struct tsh_strlist lines = { 0 };
	char *text = text_of(in, path);
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n && ret->n < TRIGGERS_MAX; i++)
		if (lines.v[i][0] && lines.v[i][0] != '#')
			tsh_strlist_take(ret, tsh_xasprintf("%s:%s: %s", event->system, event->name,
							    lines.v[i]));
	tsh_strlist_release(&lines);
	free(text);
	free(path);
}

/* What a traceoff has done is not to be seen in the switch. */
static void add_stop(struct tsh_status_view *st, const struct tsh_strlist *triggers)
{
	size_t i;

	for (i = 0; i < triggers->n && !strstr(triggers->v[i], ": traceoff"); i++)
		;
	if (i < triggers->n && st->in->dir->kind != TSH_DIR_TREE && tsh_trigger_stopped(st->in))
		tsh_fields_text(st->fields, "stopped", "by a traceoff trigger, or by somebody else");
}

static void add_filters(struct tsh_status_view *st)
{
	struct tsh_strlist texts = { 0 }, filters = { 0 };
	struct tsh_events events = { 0 };
	size_t i;

	tsh_filters_list(st->s, st->in, &events, &texts);
	for (i = 0; i < events.n && i < FILTERS_MAX; i++)
		tsh_strlist_take(&filters, tsh_xasprintf("%s:%s: %s", events.v[i].system, events.v[i].name,
							 texts.v[i]));
	if (events.n > FILTERS_MAX)
		tsh_strlist_take(&filters, tsh_xasprintf("and %zu more; filter lists them", events.n - FILTERS_MAX));
	tsh_status_list(st, "filter", &filters);
	tsh_strlist_release(&filters);
	tsh_strlist_release(&texts);
	tsh_events_release(&events);
}

/* events: with those that only carry a trigger */
static void add_events(struct tsh_status_view *st, const struct tsh_events *events,
		       const struct tsh_events *recording)
{
	struct tsh_strlist triggers = { 0 };
	char *text = events_text(recording);
	size_t i;

	tsh_fields_text(st->fields, "events", text);
	free(text);
	add_filters(st);
	for (i = 0; i < events->n && triggers.n < TRIGGERS_MAX && !tsh_cmd_is_aborted(st->s); i++)
		add_triggers(st->in, &events->v[i], &triggers);
	if (triggers.n == TRIGGERS_MAX)
		tsh_strlist_add(&triggers, "and more, which are not looked at");
	tsh_status_list(st, "trigger", &triggers);
	add_stop(st, &triggers);
	tsh_strlist_release(&triggers);
}

/* ---- the first sentence ---- */

static void add_sentence(const struct tsh_status_view *st, bool on, size_t nevents, bool has_tracer,
			 struct tsh_strbuf *out)
{
	if (st->in->dir->kind == TSH_DIR_TREE) {
		tsh_strbuf_addf(out, "a recorded tree%s: nothing happens here",
				tsh_tree_is_cut(st->in) ? " without an end (its record was killed, or goes on)" : "");
	} else if (!nevents && !has_tracer) {
		tsh_strbuf_addf(out, "nothing is being traced; tracing is %s, nothing is enabled",
				on ? "on" : "off");
	} else if (!on) {
		tsh_strbuf_adds(out, "nothing is recorded: tracing is off");
	} else {
		tsh_strbuf_adds(out, "recording: ");
		if (nevents)
			tsh_strbuf_addf(out, "%zu event%s", nevents, tsh_plural(nevents));
		if (nevents && has_tracer)
			tsh_strbuf_adds(out, " and ");
		if (has_tracer)
			tsh_strbuf_adds(out, "a tracer");
	}
}

static void add_basics(struct tsh_status_view *st)
{
	char *on = text_of(st->in, "tracing_on"), *tracer = text_of(st->in, "current_tracer");
	struct tsh_strbuf sentence = TSH_STRBUF_INIT;
	struct tsh_events events = { 0 }, recording = { 0 };
	struct tsh_err err = { 0 };
	char *clock = tsh_clock_name(st->in), *name = tsh_cmd_instance_name(st->in);

	/* a recorded tree has no state */
	if (tsh_events_armed(st->in, &events, &err) < 0)
		tsh_err_release(&err);
	tsh_events_recording(st->in, &events, SIZE_MAX, &recording);
	add_sentence(st, on && strcmp(on, "0"), recording.n, tracer && strcmp(tracer, "nop"),
		     &sentence);
	tsh_fields_text(st->fields, "instance", name);
	tsh_fields_text(st->fields, "state", sentence.buf);
	if (on)
		tsh_fields_text(st->fields, "tracing", strcmp(on, "0") ? "on" : "off");
	if (tracer)
		tsh_fields_text(st->fields, "tracer",
				strcmp(tracer, "nop") ? tracer : "none (nop)");
	add_events(st, &events, &recording);
	if (clock)
		tsh_fields_text(st->fields, "clock", clock);
	tsh_events_release(&events);
	tsh_events_release(&recording);
	tsh_strbuf_release(&sentence);
	free(name);
	free(clock);
	free(tracer);
	free(on);
}

/* ---- what there is beside the current instance ---- */

static void add_instances(struct tsh_status_view *st)
{
	struct tsh_strlist names = { 0 };

	if (!st->in->name)
		tsh_instance_list(st->in->dir, &names);
	tsh_status_list(st, "instance of its own", &names);
	tsh_strlist_release(&names);
}

/* /proc has to be searched for them: not without being asked. */
static void add_holders(struct tsh_status_view *st)
{
	struct tsh_strlist holders = { 0 };

	if (!tsh_pipe_holders(st->in, &holders))
		tsh_strlist_add(&holders, "(not all open files were looked at)");
	tsh_status_list(st, "trace_pipe is open in", &holders);
	tsh_strlist_release(&holders);
}

static void add_jobs(struct tsh_status_view *st, struct tsh_session *s)
{
	struct tsh_job_info first;
	size_t n = s->ops ? s->ops->jobs(s, &first, 1) : 0;
	char *text;

	if (!n)
		return;
	text = n > 1 ? tsh_xasprintf("%zu in the background; jobs lists them", n) :
		       tsh_xasprintf("[%u] %s", first.number, first.command);
	tsh_fields_text(st->fields, "jobs", text);
	free(text);
}

static void show_instance(struct tsh_session *s, const struct tsh_instance *in, bool holders)
{
	struct tsh_status_view st = { .s = s, .in = in, .one_object = s->out->format == TSH_FORMAT_CSV };

	if (s->out->format == TSH_FORMAT_JSON) {
		tsh_status_json(s, in, holders);
		return;
	}
	st.fields = tsh_fields_begin(s->out, "status");
	add_basics(&st);
	tsh_status_buffer(&st);
	tsh_status_lists(&st);
	tsh_status_options(&st);
	tsh_status_others(&st);
	tsh_status_probes(&st);
	add_instances(&st);
	if (in == s->in)
		add_jobs(&st, s);
	if (holders && in->dir->kind != TSH_DIR_TREE)
		add_holders(&st);
	tsh_fields_end(st.fields);
}

/* All instances but the current one, which is shown already. */
static void show_others(struct tsh_session *s)
{
	struct tsh_strlist names = { 0 };
	struct tsh_instance *in;
	struct tsh_err err = { 0 };
	size_t i;

	tsh_instance_list(s->dir, &names);
	for (i = 0; i <= names.n && !tsh_cmd_is_aborted(s); i++) {
		const char *name = i ? names.v[i - 1] : NULL;

		if (name ? s->in->name && !strcmp(name, s->in->name) : !s->in->name)
			continue;
		/* somebody may have removed it since */
		if (tsh_instance_open(s->dir, name, &in, &err) < 0) {
			tsh_err_release(&err);
			continue;
		}
		tsh_out_line(s->out, "%s", "");
		show_instance(s, in, true);
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
}

static int status_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool all = tsh_args_has(&call->args, "all");

	(void)err;
	/* elsewhere it is said at the start */
	if (s->interactive && s->in->dir->kind != TSH_DIR_TREE)
		tsh_cmd_note_left(s);
	show_instance(s, s->in, all);
	if (all)
		show_others(s);
	return s->aborted ? -1 : 0;
}

static const struct tsh_arg status_args[] = {
	{ .name = "all", .option = "-a", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "the other instances too, and who has a trace_pipe open" },
	{ 0 }
};

static const struct tsh_example status_examples[] = {
	{ "status", "what is set in this instance" },
	{ "status -a", "everywhere, and who reads" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_status = {
	.name = "status", .group = TSH_GROUP_SEE, .summary = "show what is set and enabled",
	.description =
		"One screen of what is not as the kernel starts it: events, filters (which an event "
		"keeps while it is off), triggers, tracer, pid lists, function filters, options (those of "
		"tracers that do not run, too), buffer, probes, other settings by the names of their "
		"files, and which of these files cannot be read. As JSON: "
		"every key each time, whole lists, null for what this kernel does not have; "
		"left_out counts entries of lists beyond 131,072, or 4 MB, and unread_files those "
		"of a recording that are too large, or list more than a kernel has.\n"
		"A pid list that the kernel has emptied itself mutes an instance and cannot be seen "
		"in any file; pid clear makes sure.",
	.see = "stats doctor journal",
	.args = status_args, .examples = status_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = status_run,
};
