/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracesh/stream.h"
#include "names.h"
#include "reader.h"
#include "util.h"

/* on, off, clear, marker, tracer, clock, option: one file of tracefs each. */

static const struct tsh_arg no_args[] = { { 0 } };

static int on_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	int r;

	(void)call;
	r = tsh_put_file(s, "tracing_on", TSH_WRITE_SET, "1", NULL, err);
	if (r >= 0)
		tsh_out_note(s->out, "tracing is on in '%s'%s", tsh_instance_label(s->in),
			     r ? "" : " (as before)");
	return r < 0 ? -1 : 0;
}

static const struct tsh_example on_examples[] = {
	{ "on", "the buffer takes events" }, { 0 }
};

const struct tsh_cmd tsh_cmd_on = {
	.name = "on", .alias = "start", .group = TSH_GROUP_CONTROL,
	.summary = "let the buffer take events",
	.args = no_args, .examples = on_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = on_run,
};

static int off_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	int r;

	(void)call;
	r = tsh_put_file(s, "tracing_on", TSH_WRITE_SET, "0", NULL, err);
	if (r >= 0)
		tsh_out_note(s->out, "tracing is off in '%s'%s", tsh_instance_label(s->in),
			     r ? "" : " (as before)");
	return r < 0 ? -1 : 0;
}

static const struct tsh_example off_examples[] = {
	{ "off", "freeze the buffer to look at it" }, { 0 }
};

const struct tsh_cmd tsh_cmd_off = {
	.name = "off", .alias = "stop", .group = TSH_GROUP_CONTROL,
	.summary = "freeze the buffer",
	.description = "Events stay enabled and cost what they cost; disable turns them off.",
	.args = no_args, .examples = off_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = off_run,
};

static int clear_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	uint64_t entries = tsh_cmd_entries(s->in);

	(void)call;
	if (tsh_put_file(s, "trace", TSH_WRITE_CLEAR, NULL, NULL, err) < 0)
		return -1;
	tsh_reader_drop(s, s->in->name);
	tsh_out_note(s->out, "%llu event%s erased in '%s'", (unsigned long long)entries,
		     tsh_plural(entries), tsh_instance_label(s->in));
	return 0;
}

static const struct tsh_example clear_examples[] = {
	{ "clear", "an empty buffer" }, { 0 }
};

const struct tsh_cmd tsh_cmd_clear = {
	.name = "clear", .group = TSH_GROUP_CONTROL, .summary = "erase the events of the buffer",
	.description = "As echo > trace. Undo does not bring events back.",
	.args = no_args, .examples = clear_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = clear_run,
};

static int marker_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *text = tsh_args_get(&call->args, "TEXT");

	if (tsh_put_file(s, "trace_marker", TSH_WRITE_SET, text->word.text, text, err) >= 0)
		return 0;
	if (err->number == EBADF) {
		tsh_err_set(err, TSH_FAILED, "tracing is off in '%s': the marker was not taken",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "on");
	} else if (err->number == EINVAL) {
		tsh_err_set(err, TSH_FAILED, "the option 'markers' is off in '%s'",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "option markers on");
	}
	return -1;
}

static const struct tsh_arg marker_args[] = {
	{ .name = "TEXT", .type = TSH_ARG_TEXT, .help = "the rest of the command" },
	{ 0 }
};

static const struct tsh_example marker_examples[] = {
	{ "marker the test begins here", "a line of one's own in the trace" }, { 0 }
};

const struct tsh_cmd tsh_cmd_marker = {
	.name = "marker", .group = TSH_GROUP_CONTROL, .summary = "write a line into the trace",
	.args = marker_args, .examples = marker_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_LIVE,
	.run = marker_run,
};

/* A list of names with the present one marked. */
static void list_names(struct tsh_session *s, const char *type, struct tsh_strlist *names,
		       const char *present, const char *(*summary)(const char *name))
{
	const struct tsh_column columns[] = {
		{ "present", TSH_COLUMN_BOOL }, { type, TSH_COLUMN_TEXT },
		{ "summary", TSH_COLUMN_TEXT }, { 0 }
	};
	const struct tsh_column short_columns[] = {
		{ "present", TSH_COLUMN_BOOL }, { type, TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, type,
						  summary ? columns : short_columns);
	size_t i;

	for (i = 0; i < names->n; i++) {
		tsh_table_row(table);
		tsh_table_bool(table, present && !strcmp(names->v[i], present));
		tsh_table_text(table, names->v[i]);
		if (summary)
			tsh_table_text(table, summary(names->v[i]));
	}
	tsh_table_end(table);
}

/* Changing tracer or clock empties the buffer: how much went. */
static void note_erased(struct tsh_session *s, uint64_t before)
{
	uint64_t now = tsh_cmd_entries(s->in);

	if (before > now)
		tsh_out_warn(s->out, "the change erased %llu event%s of '%s'",
			     (unsigned long long)(before - now), tsh_plural(before - now),
			     tsh_instance_label(s->in));
}

static int explain_tracer(struct tsh_session *s, const struct tsh_value *value,
			  struct tsh_err *err)
{
	struct tsh_strlist holders = { 0 };

	if (err->number == EBUSY) {
		tsh_err_set(err, TSH_FAILED, "the tracer cannot be changed while a trace_pipe "
			    "of '%s' is open", tsh_instance_label(s->in));
		tsh_pipe_holders(s->in, &holders);
		if (holders.n)
			tsh_err_hint(err, "%s has it open", holders.v[0]);
		tsh_strlist_release(&holders);
	} else if (err->number == EINVAL && s->in->name) {
		tsh_err_set(err, TSH_FAILED, "the kernel does not allow the tracer '%s' in an "
			    "instance", value->word.text);
		tsh_err_hint(err, "instance use top; tracer %s", value->word.text);
	}
	tsh_err_blame(err, value->word.span);
	return -1;
}

/*
 * Where policy forbids function tracing the write fails and erases the buffer all the
 * same. There the lists of the function tracers cannot even be opened.
 */
static int check_allowed(struct tsh_session *s, const struct tsh_value *value,
			 struct tsh_err *err)
{
	int fd;

	if (strncmp(value->word.text, "function", strlen("function")))
		return 0;
	fd = tsh_file_open(s->in, "set_ftrace_filter", 0);
	if (fd >= 0)
		close(fd);
	if (fd != -EPERM && fd != -EACCES)
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "the kernel refuses the tracer '%s', even to root",
		    value->word.text);
	tsh_err_hint(err, "its security policy forbids function tracing");
	tsh_err_blame(err, value->word.span);
	return -1;
}

static int tracer_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "TRACER");
	struct tsh_strlist names = { 0 };
	uint64_t before;
	char *present;
	int r;

	if (!value) {
		present = tsh_file_text(s->in, "current_tracer");
		tsh_names_tracers(s, &names);
		tsh_strlist_sort(&names);
		list_names(s, "tracer", &names, present, NULL);
		tsh_strlist_release(&names);
		free(present);
		return 0;
	}
	if (check_allowed(s, value, err) < 0)
		return -1;
	before = tsh_cmd_entries(s->in);
	r = tsh_put_file(s, "current_tracer", TSH_WRITE_SET, value->word.text, value, err);
	if (r < 0)
		return explain_tracer(s, value, err);
	if (r)
		note_erased(s, before);
	tsh_out_note(s->out, "tracer of '%s' is %s%s", tsh_instance_label(s->in),
		     value->word.text, r ? "" : " (as before)");
	return 0;
}

static const struct tsh_arg tracer_args[] = {
	{ .name = "TRACER", .type = TSH_ARG_TRACER, .flags = TSH_ARG_OPTIONAL,
	  .help = "one of available_tracers; nop is none" },
	{ 0 }
};

static const struct tsh_example tracer_examples[] = {
	{ "tracer", "what there is, the present one marked" },
	{ "tracer nop", "none" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_tracer = {
	.name = "tracer", .group = TSH_GROUP_CONTROL, .summary = "show or set the tracer",
	.description = "Another tracer erases the buffer; how many events went is said. The same "
		       "one changes nothing.",
	.args = tracer_args, .examples = tracer_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = tracer_run,
};

static const char *clock_summary(const char *name)
{
	return tsh_clock_kind(name)->summary;
}

static int clock_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "CLOCK");
	struct tsh_strlist names = { 0 };
	uint64_t before;
	char *present;
	int r;

	if (!value) {
		present = tsh_clock_name(s->in);
		tsh_names_clocks(s, &names);
		list_names(s, "clock", &names, present, clock_summary);
		tsh_strlist_release(&names);
		free(present);
		return 0;
	}
	before = tsh_cmd_entries(s->in);
	r = tsh_put_file(s, "trace_clock", TSH_WRITE_SET, value->word.text, value, err);
	if (r < 0)
		return -1;
	if (r)
		note_erased(s, before);
	tsh_out_note(s->out, "clock of '%s' is %s%s", tsh_instance_label(s->in),
		     value->word.text, r ? "" : " (as before)");
	return 0;
}

static const struct tsh_arg clock_args[] = {
	{ .name = "CLOCK", .type = TSH_ARG_CLOCK, .flags = TSH_ARG_OPTIONAL,
	  .help = "one of trace_clock" },
	{ 0 }
};

static const struct tsh_example clock_examples[] = {
	{ "clock", "what there is, the present one marked" },
	{ "clock boot", "the one that converts best to wall-clock time" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_clock = {
	.name = "clock", .group = TSH_GROUP_CONTROL, .summary = "show or set the trace clock",
	.description = "Another clock erases the buffer; how many events went is said. The same "
		       "one changes nothing.",
	.args = clock_args, .examples = clock_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = clock_run,
};

static void option_row(struct tsh_session *s, struct tsh_table *table, const char *name)
{
	char *path = tsh_xasprintf("options/%s", name);
	char *text = tsh_file_text(s->in, path);

	tsh_table_row(table);
	tsh_table_text(table, name);
	tsh_table_text(table, text ? (strcmp(text, "0") ? "on" : "off") : NULL);
	free(text);
	free(path);
}

static int option_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "option", TSH_COLUMN_TEXT }, { "state", TSH_COLUMN_TEXT }, { 0 }
	};
	const struct tsh_value *name = tsh_args_get(&call->args, "OPTION");
	const char *state = tsh_args_text(&call->args, "STATE");
	struct tsh_strlist names = { 0 };
	struct tsh_table *table;
	char *path;
	size_t i;
	int r;

	if (state) {
		path = tsh_xasprintf("options/%s", name->word.text);
		r = tsh_put_file(s, path, TSH_WRITE_SET, strcmp(state, "on") ? "0" : "1", name,
				  err);
		free(path);
		if (r >= 0)
			tsh_out_note(s->out, "option %s is %s in '%s'%s", name->word.text, state,
				     tsh_instance_label(s->in), r ? "" : " (as before)");
		return r < 0 ? -1 : 0;
	}
	if (name)
		tsh_strlist_add(&names, name->word.text);
	else
		tsh_names_options(s, &names);
	table = tsh_table_begin(s->out, "option", columns);
	for (i = 0; i < names.n; i++)
		option_row(s, table, names.v[i]);
	tsh_table_end(table);
	tsh_strlist_release(&names);
	return 0;
}

static const char *const on_off[] = { "on", "off", NULL };

static const struct tsh_arg option_args[] = {
	{ .name = "OPTION", .type = TSH_ARG_OPTION, .flags = TSH_ARG_OPTIONAL,
	  .help = "one of the files in options/" },
	{ .name = "STATE", .type = TSH_ARG_CHOICE, .choices = on_off, .flags = TSH_ARG_OPTIONAL,
	  .help = "on or off" },
	{ 0 }
};

static const struct tsh_example option_examples[] = {
	{ "option", "all of them" },
	{ "option record-tgid on", "process ids in the trace" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_option = {
	.name = "option", .group = TSH_GROUP_CONTROL, .summary = "show or set trace options",
	.args = option_args, .examples = option_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = option_run,
};
