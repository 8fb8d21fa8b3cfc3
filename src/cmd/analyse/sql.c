/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sql/sql.h"

#include <stdlib.h>

#include "cmd/commands.h"
#include "engine/histtrigger/count.h"
#include "session/commands.h"
#include "session/script.h"

/* Declares sql: SELECT over events. */

/* Makes the plan of a JOIN, which borrows *ret_name. Returns 0, or -1 with err. Release both in any
 * case. */
static int make_plan(const struct sql_query *q, char **ret_name, struct synth_plan *ret, struct tsh_err *err)
{
	const char *name = tsh_args_text(&q->call->args, "NAME");

	*ret = (struct synth_plan){ 0 };
	*ret_name = name ? tsh_xstrdup(name) : synth_free_name(q->session, "sql", err);
	return *ret_name ? sql_plan(q, *ret_name, ret, err) : -1;
}

/* ---- two events ---- */

/* Makes the event of --as, which stays, as that of synth. */
static int make_event(const struct sql_query *q, const struct synth_plan *plan, struct tsh_err *err)
{
	const struct tsh_word *name = &tsh_args_get(&q->call->args, "NAME")->word;

	if (synth_check_name(q->session, name, err) < 0 ||
	    synth_make(q->session, plan, q->word->span, err) < 0)
		return -1;
	tsh_out_note(q->session->out,
		     "the event 'synthetic:%s' is there: stream %s; synth delete %s", plan->name,
		     plan->name, plan->name);
	return 0;
}

/* Makes the event, and prints its rows; the event is removed at the end. */
static int print_rows(const struct sql_query *q, const struct synth_plan *plan, struct tsh_err *err)
{
	struct tsh_session *s = q->session;
	unsigned int mark = tsh_cmd_mark(s);
	struct tsh_call rows = { 0 };
	int r = synth_make(s, plan, q->word->span, err);

	if (!r)
		r = sql_stream(q, plan, &rows, err);
	if (!r)
		r = rows.cmd->run(s, &rows, err);
	tsh_call_release(&rows);
	tsh_cmd_undo_since(s, mark);
	return r;
}

static bool passes_stacks(const struct sql_query *q, const struct synth_plan *plan)
{
	struct tsh_err ignored = { 0 };
	bool does = !synth_check_stacks(q->session, plan, (struct tsh_span){ 0 }, &ignored);

	tsh_err_release(&ignored);
	return does;
}

/* Returns the reason why tracesh makes the pairs of a JOIN; NULL: the kernel makes them. */
static const char *why_here(const struct sql_query *q, const struct synth_plan *plan)
{
	if (tsh_args_has(&q->call->args, "no-kernel"))
		return "--no-kernel";
	if (!sql_has_events(q->session))
		return "this kernel has no synthetic events";
	if (!passes_stacks(q, plan))
		return "this kernel passes no stacks: since 6.4";
	return synth_is_self_pair(plan) ? "the kernel would pair each event with itself" : NULL;
}

static int run_join(const struct sql_query *q, struct tsh_err *err)
{
	bool stays = tsh_args_has(&q->call->args, "NAME");
	struct synth_plan plan;
	char *name;
	int r = make_plan(q, &name, &plan, err);

	if (!r && (stays || tsh_args_has(&q->call->args, "in-kernel"))) {
		r = synth_check_pair(&plan, q->word->span, err);
		if (!r)
			r = synth_check_stacks(q->session, &plan, q->word->span, err);
	}
	if (!r)
		r = stays	? make_event(q, &plan, err) :
		    why_here(q, &plan) ? sql_join_here(q, &plan, err) :
				  print_rows(q, &plan, err);
	synth_plan_release(&plan);
	free(name);
	return r;
}

/* ---- the command ---- */

static int check_options(const struct sql_query *q, struct tsh_err *err)
{
	const struct tsh_value *name = tsh_args_get(&q->call->args, "NAME");
	const struct tsh_value *every = tsh_args_get(&q->call->args, "EVERY");
	const struct tsh_value *kernel = tsh_args_get(&q->call->args, "in-kernel");
	const struct tsh_value *here = tsh_args_get(&q->call->args, "no-kernel");
	bool prints = q->sql.items.v[0].kind == TSH_SQL_ALL;

	if (name && !q->sql.join.text) {
		tsh_err_at(err, name->word.span, "an event is made of two: there is no JOIN");
		return -1;
	}
	if (every && (q->sql.join.text || prints))
		return tsh_err_at(err, every->word.span, prints ? "SELECT * prints the events as they come" :
				  "a JOIN prints its rows as they come");
	if (!q->sql.join.text && prints && (kernel || here))
		return tsh_err_at(err, kernel ? kernel->word.span : here->word.span,
				  "SELECT * prints the events: nothing is counted or paired");
	/* a limit ends the printing of events, but not their counting */
	if (!q->sql.join.text && q->session->is_watched && !q->session->explains &&
	    !tsh_args_has(&q->call->args, "TIME") && !(prints && sql_limit(q)))
		return tsh_err_at(err, q->call->args.command, "'%s' goes on by itself: watch is for what ends",
				  prints ? "stream" : "hist");
	if (here && (kernel || name))
		return tsh_err_at(err, here->word.span,
				  kernel ? "in the kernel or not: one of the two" :
					   "an event is made by the kernel");
	return 0;
}

static int sql_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct sql_query q;
	int r;

	if (tsh_args_has(&call->args, "sqlhist"))
		return sql_check_sqlhist(s, call, err);
	r = sql_open(s, call, &q, err);
	if (!r)
		r = check_options(&q, err);
	if (!r && q.sql.join.text &&
	    (tsh_args_has(&call->args, "NAME") || tsh_args_has(&call->args, "in-kernel")))
		r = synth_check_file(s, call->args.command, err);
	if (!r)
		r = sql_find_events(&q, &call->events, err);
	sql_close(&q);
	return r;
}

static int sql_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct sql_query q;
	int r;

	if (tsh_args_has(&call->args, "sqlhist"))
		return 0;
	r = sql_open(s, call, &q, err);
	if (!r && !q.sql.join.text)
		r = sql_select(&q, call, err);
	else if (!r && s->check)
		r = sql_check(&q, err);
	sql_close(&q);
	return r;
}

/* Counts or prints events as hist or stream does: messages name that command. */
static int run_one(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_call one = *call;

	one.cmd = tsh_cmd_find_in(s->commands, tsh_by_of(call) ? "hist" : "stream");
	return one.cmd->run(s, &one, err);
}

static int explain_one(const struct sql_query *q, struct tsh_call *call, struct tsh_err *err)
{
	char *text = sql_select_text(q, call);

	if (text)
		tsh_out_note(q->session->out, "it is: %s", text);
	else
		tsh_out_note(q->session->out, "hist has no words for it: it takes one sum, avg, min and max, in this order");
	free(text);
	return tsh_by_of(call) ? tsh_by_explain(q->session, call, err) : 0;
}

static int sql_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct sql_query q;
	int r;

	if (tsh_args_has(&call->args, "sqlhist"))
		return sql_print_sqlhist(s, call, err);
	r = sql_open(s, call, &q, err);
	if (!r)
		r = q.sql.join.text ? run_join(&q, err) : run_one(s, call, err);
	sql_close(&q);
	return r;
}

static int explain_join(const struct sql_query *q, struct tsh_err *err)
{
	struct synth_plan plan;
	char *name;
	int r = make_plan(q, &name, &plan, err);

	if (!r && why_here(q, &plan))
		sql_explain_here(q, &plan, why_here(q, &plan));
	else if (!r)
		synth_explain_writes(q->session, &plan);
	synth_plan_release(&plan);
	free(name);
	return r;
}

static int sql_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct sql_query q;
	int r;

	if (tsh_args_has(&call->args, "sqlhist")) {
		tsh_out_note(s->out, "the commands of sqlhist are printed, and nothing is written");
		return 0;
	}
	r = sql_open(s, call, &q, err);
	if (!r)
		r = q.sql.join.text ? explain_join(&q, err) : explain_one(&q, call, err);
	sql_close(&q);
	return r;
}

static const struct tsh_arg sql_args[] = {
	{ .name = "N",
	  .option = "-n",
	  .type = TSH_ARG_NUMBER,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "so many rows, as LIMIT N" },
	{ .name = "TIME",
	  .option = "--for",
	  .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "stop after this time: 500ms, 2s, 1m" },
	{ .name = "EVERY",
	  .option = "--every",
	  .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "without JOIN: show the table that often" },
	{ .name = "in-kernel",
	  .option = "--in-kernel",
	  .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "by what the kernel has: a histogram, or with JOIN a synthetic event" },
	{ .name = "no-kernel",
	  .option = "--no-kernel",
	  .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "with JOIN: make the pairs here, as where the kernel has no such events" },
	{ .name = "NAME",
	  .option = "--as",
	  .type = TSH_ARG_WORD,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "with JOIN: make the event of that name, which stays, and print nothing" },
	{ .name = "sqlhist",
	  .option = "--sqlhist",
	  .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "print the commands that sqlhist would write, for sh, and run none" },
	{ .name = "STATEMENT",
	  .type = TSH_ARG_TEXT,
	  .completes = TSH_COMPLETES_SELECT,
	  .help = "SELECT .. FROM .., in quotes or not" },
	{ 0 }
};

static const struct tsh_example sql_examples[] = {
	{ "sql --for 2s 'SELECT next_comm, COUNT(*) FROM sched_switch WHERE next_pid > 0 LIMIT 5'",
	  "who runs most often" },
	{ "sql -n 5 SELECT * FROM sched_switch WHERE prev_prio < 100", "events as they come" },
	{ "sql --for 2s 'SELECT CAST(ret AS log2), MAX(ret) FROM sys_exit_read WHERE ret > 0'",
	  "the sizes of what is read" },
	{ "try sql --for 1s 'SELECT end.next_comm AS task, (end.TIMESTAMP_USECS - "
	  "start.TIMESTAMP_USECS) AS usecs FROM sched_waking AS start JOIN sched_switch AS end "
	  "ON start.pid = end.next_pid WHERE start.target_cpu = 0'",
	  "from each wakeup until the task runs, in rows" },
	{ "sql --sqlhist --as wake 'SELECT end.next_pid AS pid FROM sched_waking AS start JOIN sched_switch AS end "
	  "ON start.pid = end.next_pid'", "a script that makes the event with sh alone" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_sql = {
	.name = "sql",
	.group = TSH_GROUP_ANALYSE,
	.summary = "ask for events with SELECT",
	.description =
		"SELECT ITEM,.. FROM EVENT [[AS] NAME] [JOIN EVENT [[AS] NAME] ON FIELD = FIELD,..] "
		"[WHERE FILTER] [GROUP BY FIELD,..] [LIMIT N], as tracefs_sql(3) has it.\n"
		"With JOIN the kernel pairs the first event with the second where the fields behind ON "
		"are equal, and makes an event of each pair, as synth does: its fields are the items, "
		"and each is a row, until Ctrl-C, --for or -n; where it has no synthetic events both are recorded, "
		"and tracesh makes the pairs. Items are NAME.FIELD, sums and differences "
		"of two, NAME.TIMESTAMP (in ns) or NAME.TIMESTAMP_USECS, TIMESTAMP_DELTA or TIMESTAMP_DELTA_USECS between the "
		"two, and NAME.STACKTRACE, how the kernel came to it (passed on by kernels since 6.4; before, tracesh makes "
		"the pairs). Where two CPUs have one key at once, the kernel "
		"may take a time that is just being written: rows of more than the machine's uptime are left out. --as NAME makes "
		"that event and leaves it there, for stream, hist and count.\n"
		"Without JOIN it is counted, as by hist: the items tell the rows apart, in CAST(FIELD AS "
		"TYPE) as hex, sym, sym-offset, syscall, comm (of common_pid), log2 or buckets=N, and STACKTRACE; COUNT(*), SUM, "
		"AVG, MIN and MAX are of each row, CAST(FIELD AS _COUNTER_) is its SUM. SELECT * prints the events, as stream does.\n"
		"WHERE is the kernel's filter, also with AND, OR, NOT, = and <>. Of two events each has "
		"its own: only AND can stand between conditions about different ones. What it leaves out did not happen: "
		"it neither ends what waits nor takes its place.\n"
		"--sqlhist takes the statement to libtracefs, and prints what sqlhist would write, with --as for an event of "
		"that name. It is of the top-level instance, whose buffer the kernel empties when a time is asked for.\n"
		"explain sql shows what is written, or which of the other commands it is.",
	.see_also = "synth hist stream latency filters",
	.args = sql_args,
	.examples = sql_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE |
		 TSH_CMD_JOB,
	.run = sql_run,
	.script = tsh_script_none,
	.writes_with = "NAME",
	.name_events = sql_name_events,
	.prepare = sql_prepare,
	.explain = sql_explain,
};
