/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "events/decode/decode.h"
#include "session/util.h"

/* Declares events and systems: lists what can be traced. */

static bool has_event(const struct tsh_events *sorted, const struct tsh_event *event)
{
	size_t low = 0, high = sorted->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int r = strcmp(sorted->v[mid].system, event->system);

		if (!r)
			r = strcmp(sorted->v[mid].name, event->name);
		if (!r)
			return true;
		if (r < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* Finds the events that a command names; all where it names none. */
static int chosen_events(struct tsh_session *s, const struct tsh_call *call,
			 struct tsh_events *all, const struct tsh_events **ret,
			 struct tsh_err *err)
{
	*ret = &call->events;
	if (tsh_args_has(&call->args, "EVENT"))
		return 0;
	*ret = all;
	return tsh_events_available(s->dir, all, err);
}

/* Adds rows for the fields of one event whose name or type matches. */
static void field_rows(struct tsh_session *s, struct tsh_table *table,
		       const struct tsh_event *event, const char *glob)
{
	struct tsh_event_format *format = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "format");
	char *label = tsh_xasprintf("%s:%s", event->system, event->name);
	size_t i;

	if (!tsh_file_read(s->in, path, &text) &&
	    tsh_event_format_parse(event->system, text.buf, text.len, &format) < 0)
		format = NULL;
	for (i = 0; format && i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->is_common || (!tsh_glob_match(glob, field->name) &&
					 !tsh_glob_match(glob, field->type)))
			continue;
		tsh_table_texts(table, label, field->name, field->type);
	}
	tsh_event_format_free(format);
	tsh_strbuf_release(&text);
	free(label);
	free(path);
}

static int list_fields(struct tsh_session *s, const struct tsh_events *events,
		       const struct tsh_events *enabled, bool on, const char *glob)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "field", TSH_COLUMN_TEXT },
		{ "ctype", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "field", columns);
	size_t i;

	for (i = 0; i < events->n && !tsh_cmd_is_aborted(s); i++)
		if (!on || has_event(enabled, &events->v[i]))
			field_rows(s, table, &events->v[i], glob);
	tsh_table_end(table);
	return s->aborted ? -1 : 0;
}

/* Prints only names where the output is no terminal, as the lines of available_events. */
static void list_names(struct tsh_session *s, const struct tsh_events *events,
		       const struct tsh_events *enabled, bool on)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "enabled", TSH_COLUMN_BOOL }, { 0 }
	};
	static const struct tsh_column names_only[] = { { "event", TSH_COLUMN_TEXT }, { 0 } };
	bool with_state = s->out->is_terminal || s->out->format != TSH_FORMAT_TEXT;
	struct tsh_table *table = tsh_table_begin(s->out, "event",
						  with_state ? columns : names_only);
	struct tsh_strbuf label = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < events->n; i++) {
		bool state = has_event(enabled, &events->v[i]);

		if (on && !state)
			continue;
		tsh_strbuf_clear(&label);
		tsh_strbuf_adds(&label, events->v[i].system);
		tsh_strbuf_addc(&label, ':');
		tsh_strbuf_adds(&label, events->v[i].name);
		tsh_table_row(table);
		tsh_table_text(table, label.buf);
		if (with_state)
			tsh_table_bool(table, state);
	}
	tsh_table_end(table);
	tsh_strbuf_release(&label);
}

static int list_events(struct tsh_session *s, const struct tsh_call *call, bool on,
		       const char *field, struct tsh_err *err)
{
	struct tsh_events all = { 0 }, enabled = { 0 };
	const struct tsh_events *events;
	int r = chosen_events(s, call, &all, &events, err);

	/* Reads which events are on; a recorded tree has no such state. */
	if (!r && tsh_events_read_recording(s->in, &enabled, err) < 0)
		tsh_err_release(err);
	if (!r && field)
		r = list_fields(s, events, &enabled, on, field);
	else if (!r)
		list_names(s, events, &enabled, on);
	tsh_events_release(&all);
	tsh_events_release(&enabled);
	return r;
}

static int events_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	return list_events(s, call, tsh_args_has(&call->args, "on"),
			   tsh_args_text(&call->args, "GLOB"), err);
}

static const struct tsh_arg events_args[] = {
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "events to list: system:name, a system, or a glob" },
	{ .name = "on", .option = "--on", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "only those that are enabled" },
	{ .name = "GLOB", .option = "--field", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "only those with a field whose name or C type matches, with that field" },
	{ 0 }
};

static const struct tsh_example events_examples[] = {
	{ "events sched", "the events of the scheduler" },
	{ "events '*wakeup*'", "every event with that in its name" },
	{ "events --field '*addr*'", "where to find an address" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_events = {
	.name = "events", .group = TSH_GROUP_FIND, .summary = "list events",
	.description = "Away from a terminal the list is plain system:name lines, exactly the "
		       "set of available_events.",
	.see_also = "info systems filters",
	.args = events_args, .examples = events_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = events_run,
};

static int systems_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "system", TSH_COLUMN_TEXT }, { "events", TSH_COLUMN_NUMBER },
		{ "enabled", TSH_COLUMN_NUMBER }, { 0 }
	};
	struct tsh_events all = { 0 }, enabled = { 0 };
	struct tsh_table *table;
	size_t i, count = 0, on = 0;

	(void)call;
	if (tsh_events_available(s->dir, &all, err) < 0)
		return -1;
	if (tsh_events_read_recording(s->in, &enabled, err) < 0)
		tsh_err_release(err);
	table = tsh_table_begin(s->out, "system", columns);
	for (i = 0; i < all.n; i++) {
		count++;
		on += has_event(&enabled, &all.v[i]);
		if (i + 1 < all.n && !strcmp(all.v[i].system, all.v[i + 1].system))
			continue;
		tsh_table_row(table);
		tsh_table_text(table, all.v[i].system);
		tsh_table_number(table, count);
		tsh_table_number(table, on);
		count = on = 0;
	}
	tsh_table_end(table);
	tsh_events_release(&all);
	tsh_events_release(&enabled);
	return 0;
}

static const struct tsh_arg no_args[] = { { 0 } };

static const struct tsh_example systems_examples[] = {
	{ "systems", "how many events each has, and how many are on" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_systems = {
	.name = "systems", .group = TSH_GROUP_FIND, .summary = "list event systems",
	.see_also = "events",
	.args = no_args, .examples = systems_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = systems_run,
};
