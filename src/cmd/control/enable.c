/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/filters.h"
#include "session/flood-check.h"
#include "session/util.h"

/* Declares enable, disable and filter. */

static int write_event(struct tsh_session *s, const struct tsh_event *event, const char *file,
		       const char *text, const struct tsh_value *value, struct tsh_err *err)
{
	char *path = tsh_event_path(event, file);
	int r = tsh_session_write(s, path, TSH_WRITE_SET, text, value, err);

	/* checks for the file: ENOENT of a filter can also mean a '(' too many */
	if (r < 0 && err->number == ENOENT && !tsh_file_exists(s->in, path))
		tsh_err_set(err, TSH_FAILED, "the event '%s:%s' cannot be %s", event->system,
			    event->name, strcmp(file, "filter") ? "enabled" : "filtered");
	free(path);
	return r;
}

/* Lists enabled events with their filters. */
static int list_enabled(struct tsh_session *s, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "filter", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_events enabled = { 0 };
	struct tsh_table *table;
	char *name;
	size_t i;

	if (tsh_events_read_recording(s->in, &enabled, err) < 0)
		return -1;
	table = tsh_table_begin(s->out, "event", columns);
	for (i = 0; i < enabled.n && !tsh_cmd_is_aborted(s); i++) {
		char *label = tsh_xasprintf("%s:%s", enabled.v[i].system, enabled.v[i].name);
		char *filter = tsh_event_filter(s->in, &enabled.v[i]);

		tsh_table_texts(table, label, filter);
		free(filter);
		free(label);
	}
	tsh_table_end(table);
	name = tsh_cmd_instance_name(s->in);
	if (!enabled.n)
		tsh_out_note(s->out, "no event is enabled in '%s'", name);
	free(name);
	tsh_events_release(&enabled);
	return s->aborted ? -1 : 0;
}

/* Holds filters that events had before the command wrote its own. */
struct old_filters {
	size_t n;
	char *event, *text;	/* the first of them */
};

/* Writes the filter of an event as write_event does; NULL clears it. */
static int replace_filter(struct tsh_session *s, const struct tsh_event *event,
			  const struct tsh_value *filter, const struct tsh_value *clause,
			  struct old_filters *old, struct tsh_err *err)
{
	char *text = tsh_event_filter(s->in, event);
	int r = write_event(s, event, "filter", filter ? filter->word.text : "0", clause, err);

	if (r <= 0 || !text || old->n++) {
		free(text);
		return r;
	}
	old->event = tsh_xasprintf("%s:%s", event->system, event->name);
	old->text = text;
	return r;
}

static void note_old_filters(struct tsh_session *s, const struct old_filters *old, bool replaced)
{
	const char *what = replaced ? "replaced" : "cleared";

	if (old->n == 1)
		tsh_out_note(s->out, "the filter of %s was %s: %s", old->event, what, old->text);
	else if (old->n)
		tsh_out_note(s->out, "the filters of %zu events were %s", old->n, what);
}

static void release_old_filters(struct old_filters *old)
{
	free(old->event);
	free(old->text);
}

/* Writes the filter first: without it the event would flood the buffer for a moment. */
static int enable_event(struct tsh_session *s, const struct tsh_event *event,
			const struct tsh_call *call, struct old_filters *old, bool *filtered,
			struct tsh_err *err)
{
	const struct tsh_value *clause = tsh_args_get(&call->args, "FILTER");
	int r = clause ? replace_filter(s, event, tsh_filters_value(call), clause, old, err) : 0;

	*filtered = *filtered || r > 0;
	return r < 0 ? r : write_event(s, event, "enable", "1", tsh_args_get(&call->args, "EVENT"),
				       err);
}

static void note_enabled(struct tsh_session *s, const struct tsh_call *call, size_t changed,
			 bool filtered, const struct old_filters *old)
{
	const char *before = filtered && !old->n ? " (as before, with a filter now)" :
						   " (as before)";

	if (!tsh_args_has(&call->args, "FILTER"))
		tsh_filters_note_kept(s, &call->events);
	note_old_filters(s, old, tsh_filters_value(call) != NULL);
	tsh_out_note(s->out, "%zu event%s enabled in '%s'%s", call->events.n,
		     tsh_plural(call->events.n), tsh_instance_label(s->in), changed ? "" : before);
}

static int enable_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool clears = tsh_args_has(&call->args, "FILTER") && !tsh_filters_value(call);
	struct old_filters old = { 0 };
	bool filtered = false;
	size_t i, changed = 0;
	int r = 0;

	if (!tsh_args_has(&call->args, "EVENT"))
		return list_enabled(s, err);
	/* passes NULL for "if clear": it removes the present filters, so none of them counts */
	if (!tsh_args_has(&call->args, "yes") &&
	    tsh_flood_check_events(s, clears ? NULL : s->in, call, err) < 0)
		return -1;
	for (i = 0; r >= 0 && i < call->events.n; i++) {
		r = enable_event(s, &call->events.v[i], call, &old, &filtered, err);
		changed += r > 0;
	}
	if (r >= 0)
		note_enabled(s, call, changed, filtered, &old);
	release_old_filters(&old);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg enable_args[] = {
	{ .name = "yes", .option = "--yes", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "also what can flood the machine" },
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, a glob, or all" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "the kernel's filter: prev_pid == 5 && next_comm ~ \"a*\"" },
	{ 0 }
};

static const struct tsh_example enable_examples[] = {
	{ "enable sched:sched_process_exec", "one event" },
	{ "enable sched_switch if prev_state != 0 && next_pid > 1", "with the kernel's filter" },
	{ "enable 'sched:*fork' signal", "a glob and a whole system" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_enable = {
	.name = "enable", .group = TSH_GROUP_CONTROL, .summary = "enable events",
	.description = "Without an argument: the enabled events and their filters.\n"
		       "A filter is refused before anything is written when one of the events "
		       "cannot take it.\n"
		       "Without a filter, all events at once and the systems lock, preemptirq, rcu, "
		       "kmem and irq_vectors can flood a machine: they are asked about at the "
		       "prompt, and need --yes elsewhere. So they do for append set_event, stream, "
		       "run and record.",
	.see_also = "disable filter stream filters",
	.args = enable_args, .examples = enable_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = enable_run,
};

static int disable_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = tsh_args_get(&call->args, "EVENT");
	size_t i, changed = 0;

	for (i = 0; i < call->events.n; i++) {
		int r = write_event(s, &call->events.v[i], "enable", "0", word, err);

		if (r < 0)
			return -1;
		changed += (size_t)r;
	}
	tsh_out_note(s->out, "%zu event%s disabled in '%s'", changed, tsh_plural(changed),
		     tsh_instance_label(s->in));
	return 0;
}

static const struct tsh_arg disable_args[] = {
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_MANY,
	  .help = "system:name, a system, a unique name, a glob, or all" },
	{ 0 }
};

static const struct tsh_example disable_examples[] = {
	{ "disable sched", "every event of the system" },
	{ "disable all", "every event" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_disable = {
	.name = "disable", .group = TSH_GROUP_CONTROL, .summary = "disable events",
	.description = "Filters stay; filter EVENT clear takes them away.",
	.see_also = "enable reset",
	.args = disable_args, .examples = disable_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = disable_run,
};

static int list_filters(struct tsh_session *s, const struct tsh_events *events, bool all)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "filter", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "filter", columns);
	size_t i;

	for (i = 0; i < events->n && !tsh_cmd_is_aborted(s); i++) {
		char *filter = tsh_event_filter(s->in, &events->v[i]);
		char *label = tsh_xasprintf("%s:%s", events->v[i].system, events->v[i].name);

		if (filter || !all) {
			tsh_table_texts(table, label, filter ? filter : "none");
		}
		free(label);
		free(filter);
	}
	tsh_table_end(table);
	return s->aborted ? -1 : 0;
}

static int filter_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *expression = tsh_args_get(&call->args, "FILTER");
	const struct tsh_value *filter = tsh_filters_value(call);
	struct old_filters old = { 0 };
	struct tsh_events all = { 0 };
	bool changed = false;
	size_t i;
	int r = 0;

	if (!tsh_args_has(&call->args, "EVENT")) {
		if (tsh_events_available(s->dir, &all, err) < 0)
			return -1;
		r = list_filters(s, &all, true);
		tsh_events_release(&all);
		return r;
	}
	if (!expression)
		return list_filters(s, &call->events, false);
	if (!filter && tsh_flood_check_clear(s, call, err) < 0)
		return -1;
	for (i = 0; r >= 0 && i < call->events.n; i++) {
		r = replace_filter(s, &call->events.v[i], filter, expression, &old, err);
		changed = changed || r > 0;
	}
	if (r >= 0) {
		note_old_filters(s, &old, filter != NULL);
		tsh_out_note(s->out, "filter of %zu event%s %s in '%s'%s", call->events.n,
			     tsh_plural(call->events.n), filter ? "set" : "cleared",
			     tsh_instance_label(s->in), changed ? "" : " (as before)");
	}
	release_old_filters(&old);
	return r < 0 ? -1 : 0;
}

static const char *const filter_words[] = { "clear", NULL };

static const struct tsh_arg filter_args[] = {
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "system:name, a system, a unique name, a glob, or all" },
	{ .name = "FILTER", .type = TSH_ARG_EXPRESSION, .flags = TSH_ARG_OPTIONAL,
	  .choices = filter_words,
	  .help = "the kernel's filter, as typed to the end of the command; clear removes it" },
	{ 0 }
};

static const struct tsh_example filter_examples[] = {
	{ "filter sched_switch prev_pid == 0 || next_pid == 0", "set" },
	{ "filter sched_switch", "show" },
	{ "filter sched_switch clear", "remove" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_filter = {
	.name = "filter", .group = TSH_GROUP_CONTROL, .summary = "show, set or clear filters",
	.description = "The kernel judges a filter before it is written: one that it refuses "
		       "leaves the event with the filter that it had.",
	.see_also = "enable info filters",
	.args = filter_args, .examples = filter_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = filter_run,
};
