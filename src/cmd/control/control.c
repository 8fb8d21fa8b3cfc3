/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/ask.h"
#include "session/flood-check.h"
#include "session/names.h"
#include "session/read-ahead.h"
#include "session/util.h"

/* Declares on, off, clear, tracer and option: each sets one file of tracefs. */

static const struct tsh_arg no_args[] = { { 0 } };

static int on_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	int r;

	(void)call;
	r = tsh_session_write(s, "tracing_on", TSH_WRITE_SET, "1", NULL, err);
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
	.see_also = "off status",
	.args = no_args, .examples = on_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = on_run,
};

static int off_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	int r;

	(void)call;
	r = tsh_session_write(s, "tracing_on", TSH_WRITE_SET, "0", NULL, err);
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
	.see_also = "on status",
	.args = no_args, .examples = off_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = off_run,
};

static int clear_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	unsigned int what = tsh_write_erases(s->in, "trace", TSH_WRITE_CLEAR, NULL);
	uint64_t entries = what & TSH_ERASES_SNAPSHOT ? tsh_snapshot_entries(s->in) : tsh_cmd_count_unread_of(s, s->in);

	(void)call;
	if (tsh_cmd_confirm_erase(s, s->in, what, "this", err) < 0 ||
	    tsh_file_write(s->in, "trace", TSH_WRITE_CLEAR, NULL, err) < 0)
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
	.description = "As echo > trace. Undo does not bring events back; how many went is said. At "
		       "the prompt it asks first when there are any (set confirm off does not).",
	.see_also = "buffer drain",
	.args = no_args, .examples = clear_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS,
	.run = clear_run,
};

static void list_tracers(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "present", TSH_COLUMN_BOOL }, { "tracer", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "tracer", columns);
	char *present = tsh_file_text(s->in, "current_tracer");
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_tracers(s, &names);
	tsh_strlist_sort(&names);
	for (i = 0; i < names.n; i++) {
		tsh_table_row(table);
		tsh_table_bool(table, present && !strcmp(names.v[i], present));
		tsh_table_text(table, names.v[i]);
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
	free(present);
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

/* Refuses a function tracer where policy forbids it: the write would fail and erase the buffer all
 * the same. Policy forbids it where the lists of the function tracers cannot be opened. */
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
	int r;

	if (!value) {
		list_tracers(s);
		return 0;
	}
	if (check_allowed(s, value, err) < 0 ||
	    (tsh_cmd_differs(s->in, "current_tracer", value->word.text) && !tsh_args_has(&call->args, "yes") &&
	     tsh_flood_check_tracer(s, value, err) < 0) ||
	    tsh_cmd_confirm_write(s, s->in, "current_tracer", TSH_WRITE_SET, value->word.text, err) < 0)
		return -1;
	r = tsh_session_write(s, "current_tracer", TSH_WRITE_SET, value->word.text, value, err);
	if (r < 0)
		return explain_tracer(s, value, err);
	tsh_out_note(s->out, "tracer of '%s' is %s%s", tsh_instance_label(s->in),
		     value->word.text, r ? "" : " (as before)");
	return 0;
}

static const struct tsh_arg tracer_args[] = {
	{ .name = "yes", .option = "--yes", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "also one that traces every function" },
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
	.description = "Another tracer erases the buffer; how many events went is said, and at the "
		       "prompt asked before. The same one changes nothing.\n"
		       "function and function_graph without a function filter (functions filter "
		       "GLOB..) trace every function of the kernel: that is asked at the prompt, and "
		       "needs --yes elsewhere.",
	.see_also = "functions option",
	.args = tracer_args, .examples = tracer_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = tracer_run,
};

static void option_row(struct tsh_session *s, struct tsh_table *table, const char *name)
{
	char *path = tsh_xasprintf("options/%s", name);
	char *text = tsh_file_text(s->in, path);

	tsh_table_texts(table, name, text ? (strcmp(text, "0") ? "on" : "off") : NULL);
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
		r = tsh_session_write(s, path, TSH_WRITE_SET, strcmp(state, "on") ? "0" : "1", name,
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
	.see_also = "tracer cat",
	.args = option_args, .examples = option_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = option_run,
};
