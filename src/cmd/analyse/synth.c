/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pair/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe.h"
#include "session/util.h"

/* Declares synth: events that the kernel makes of two others. */

/* ---- list ---- */

/* Adds a row for a line as "wakeup_lat\tu64 lat; pid_t next_pid;". */
static void add_row(struct tsh_session *s, struct tsh_table *table, const char *line)
{
	size_t len = strcspn(line, " \t");
	char *name = tsh_xstrndup(line, len);
	char *instance = synth_instance_of(name);

	tsh_table_texts(table, name, line + len + strspn(line + len, " \t"),
			tsh_instance_exists(s->dir, instance) ? instance : NULL);
	free(instance);
	free(name);
}

static int list_synths(struct tsh_session *s)
{
	static const struct tsh_column columns[] = { { "event", TSH_COLUMN_TEXT },
						     { "fields", TSH_COLUMN_TEXT },
						     { "made in", TSH_COLUMN_TEXT }, { 0 } };
	struct tsh_instance top = tsh_top(s->dir);
	struct tsh_strlist lines = { 0 };
	struct tsh_table *table;
	size_t i;

	tsh_file_lines(&top, SYNTH_LIST, &lines);
	table = tsh_table_begin(s->out, "synth", columns);
	for (i = 0; i < lines.n; i++)
		add_row(s, table, lines.v[i]);
	tsh_table_end(table);
	if (!lines.n)
		tsh_out_note(s->out, "there is no synthetic event; synth NAME START END makes one");
	tsh_strlist_release(&lines);
	return 0;
}

/* ---- delete and make ---- */

static int delete_synth(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");

	if (!name) {
		tsh_err_at(err, call->args.whole, "missing the event's name");
		tsh_err_hint(err, "synth delete NAME; synth list shows them");
		return -1;
	}
	if (!synth_exists(s, name->word.text)) {
		tsh_err_at(err, name->word.span, "there is no synthetic event '%s'", name->word.text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "synth list shows what there is");
		return -1;
	}
	if (synth_delete(s, name->word.text, err) < 0) {
		tsh_err_blame(err, name->word.span);
		return -1;
	}
	tsh_out_note(s->out, "the event 'synthetic:%s' is deleted", name->word.text);
	return 0;
}

/*
 * Refuses an event of a probe that is removed with its command or session: the synthetic event
 * would stay, and never come.
 */
static int check_lasting(const struct tsh_call *call, struct tsh_err *err)
{
	unsigned int role;

	for (role = 0; role < LATENCY_ROLES; role++) {
		const struct tsh_value *word = tsh_args_get(&call->args, role == LATENCY_BEGIN ? "START" :
											       "END");

		if (!tsh_probe_is_group(call->events.v[role].system))
			continue;
		tsh_err_at(err, (word ? word : tsh_args_get(&call->args, "START"))->word.span,
			   "'%s' is a probe, which goes before the event would",
			   call->events.v[role].name);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "latency --in-kernel START END pairs probes in the kernel for as "
				  "long as it runs");
		return -1;
	}
	return 0;
}

static int make_synth(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_word *name = &tsh_args_get(&call->args, "NAME")->word;
	const struct tsh_span start = tsh_args_get(&call->args, "START")->word.span;
	struct synth_plan plan;
	int r;

	if (synth_check_name(s, name, err) < 0 || check_lasting(call, err) < 0)
		return -1;
	r = synth_plan_of(s, call, &plan, err);
	if (!r)
		r = synth_check_pair(&plan, start, err);
	if (!r)
		r = synth_make(s, &plan, start, err);
	if (!r)
		tsh_out_note(s->out, "the event 'synthetic:%s' is there: stream %s; lat is in ns",
			     name->text, name->text);
	synth_plan_release(&plan);
	return r;
}

/* ---- the command ---- */

static int synth_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (synth_check_file(s, call->args.command, err) < 0)
		return -1;
	return tsh_args_has(&call->args, "START") ? latency_name_events(s, call, err) : 0;
}

static int synth_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	return tsh_args_has(&call->args, "START") ? synth_resolve(s, call, err) : 0;
}

static int synth_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	const struct tsh_value *name = tsh_args_get(&call->args, "NAME");
	const struct tsh_value *start = tsh_args_get(&call->args, "START");

	if (action && start)
		return tsh_err_at(err, start->word.span, "%s takes no events", action);
	if (action && !strcmp(action, "delete"))
		return delete_synth(s, call, err);
	if (action && name)
		return tsh_err_at(err, name->word.span, "list takes no name");
	if (!name)
		return list_synths(s);
	if (start)
		return make_synth(s, call, err);
	tsh_err_at(err, name->word.span, "missing the two events that it is made of");
	tsh_err_hint(err, "synth %s START END on KEY, or wakeup, syscall NAME ..", name->word.text);
	return -1;
}

static int synth_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct synth_plan plan;
	int r;

	if (!tsh_args_has(&call->args, "START"))
		return tsh_err_at(err, call->args.whole, "there is nothing to explain");
	r = synth_plan_of(s, call, &plan, err);
	if (!r)
		synth_explain_writes(s, &plan);
	synth_plan_release(&plan);
	return r;
}

static const char *const synth_actions[] = { "list", "delete", NULL };

static const struct tsh_arg synth_args[] = {
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = synth_actions,
	  .flags = TSH_ARG_OPTIONAL, .help = "list (the default), or delete NAME, for good" },
	{ .name = "NAME", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "what the event is to be called" },
	{ .name = "START", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "the event that begins it; or block, irq, off-cpu, softirq, syscall, wakeup" },
	{ .name = "END", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "the event that ends it; behind syscall its name" },
	{ .name = "KEY", .clause = "on", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "what the two have in common: a field, or A=B: A of START, B of END" },
	{ .name = "KEYS", .clause = "with", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "up to three fields more that it has, of START or of END" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION, .flags = TSH_ARG_OPTIONAL,
	  .help = "the kernel's filter, of START if it has its fields, else of END" },
	{ 0 }
};

static const struct tsh_example synth_examples[] = {
	{ "try synth wakeup_lat wakeup with comm", "from each wakeup until the task runs" },
	{ "try synth slow_read syscall read with fd,count", "reads, with their arguments" },
	{ "try synth delete wakeup_lat", "and its triggers" },
	{ "try synth list", "what there is" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_synth = {
	.name = "synth", .group = TSH_GROUP_ANALYSE,
	.summary = "make events of two others, with the time between them",
	.description =
		"The kernel pairs START with the END that has the same key, as latency does, and makes an "
		"event of each pair: with lat, the time between them in ns, the keys, and the fields "
		"behind with. It is an event like any other: stream NAME if lat > 1000000, hist NAME by "
		"lat.log2, in each instance. What is recorded is only that, in place of all the events "
		"of both.\n"
		"Its histograms are in an instance of their own, synth-NAME, and have room for 2048 keys "
		"that wait for their END. To them an event that the filter leaves out did not happen: it neither ends what "
		"waits nor takes its place, which latency without --in-kernel has it do. They go with undo and restore; synth delete takes them away "
		"without.",
	.see_also = "latency stream hist trigger",
	.args = synth_args, .examples = synth_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = synth_run, .name_events = synth_name_events, .prepare = synth_prepare, .explain = synth_explain,
};
