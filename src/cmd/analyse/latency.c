/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/histtrigger/pair.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "engine/aggregate/aggregate.h"
#include "engine/pipeline/events.h"
#include "engine/pipeline/traced.h"
#include "session/explain-table.h"
#include "session/filters.h"
#include "session/script.h"
#include "session/util.h"

/* Declares latency: how long it takes from one event to another. */

/* Refuses a filter for events that are in the buffer already. */
static int check_drain(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_filters_value(call);

	if (call->drains && filter) {
		tsh_err_at(err, filter->word.span, "what is recorded already cannot be filtered");
		tsh_err_hint(err, "by KEY tells them apart");
		return -1;
	}
	return 0;
}

/* Sets the hint: the command with which all tasks are recorded again. */
static void hint_tasks(const struct tsh_session *s, const char *list, struct tsh_err *err)
{
	if (s->dir->kind == TSH_DIR_TREE)
		tsh_err_hint(err, "only some tasks were recorded: 'record DIR EVENT..' has those of all");
	else if (!strcmp(list, TSH_TRACED_ONLY))
		tsh_err_hint(err, "'pid clear' first, as 'pid' lists some in '%s'", tsh_instance_label(s->in));
	else
		tsh_err_hint(err, "write %s '' first, as it leaves some out in '%s'", list, tsh_instance_label(s->in));
}

/* Refuses pairs that could lack one of their events, because the current instance or recording has
 * only some tasks or CPUs. */
static int check_current(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_span span = tsh_args_get(&call->args, "START")->word.span;
	const char *list;

	if (tsh_own_lacks_cpus(s->in) && latency_check_cpus(call, span, err) < 0) {
		tsh_err_hint(err, s->dir->kind == TSH_DIR_TREE ? "only some CPUs were recorded" :
			     "'cpus all' first, as 'cpus' has left some out in '%s'", tsh_instance_label(s->in));
		return -1;
	}
	list = tsh_traced_list(s->in);
	if (!list || !latency_check_tasks(call, span, err))
		return 0;
	/* record leaves out itself and its parents: these are few events, mostly */
	if (s->dir->kind == TSH_DIR_TREE && strcmp(list, TSH_TRACED_ONLY) != 0) {
		tsh_err_release(err);
		tsh_out_warn(s->out, "some tasks were left out of the recording (%s): a pair may seem longer "
			     "than it was", list);
		return 0;
	}
	hint_tasks(s, list, err);
	return -1;
}

static int latency_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (latency_resolve(s, call, err) < 0)
		return -1;
	return s->dir && tsh_args_has(&call->args, "in-kernel") ? latency_kernel_resolve(s, call, err) : 0;
}

static int latency_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	if (check_drain(call, err) < 0)
		return -1;
	if ((call->drains || tsh_args_has(&call->args, "here")) && check_current(s, call, err) < 0)
		return -1;
	return latency_of(call)->made ? latency_kernel_run(s, call, err) :
					 tsh_stream_call(s, call, call->drains, err);
}

/*
 * Returns "sched:sched_waking and sched:sched_switch on pid=next_pid by comm"; the caller frees it.
 */
static char *pair_terms(const struct tsh_call *call)
{
	const struct by_latency *l = latency_of(call);
	const struct tsh_by *by = tsh_by_of(call);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_addf(&text, "%s:%s and %s:%s", call->events.v[LATENCY_BEGIN].system,
			call->events.v[LATENCY_BEGIN].name, call->events.v[LATENCY_END].system,
			call->events.v[LATENCY_END].name);
	for (i = 0; i < l->spec.nkeys; i++)
		tsh_strbuf_addf(&text, "%s%s=%s", i ? "," : " on ", l->spec.keys[LATENCY_BEGIN][i].title,
				l->spec.keys[LATENCY_END][i].title);
	for (i = 0; i < by->spec.nkeys; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? "," : " by ", by->spec.keys[i].title);
	return tsh_strbuf_detach(&text);
}

static int latency_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct by_latency *l = latency_of(call);
	struct tsh_table *table = tsh_explain_begin(s);
	char *terms = pair_terms(call);
	const char *of = l->queries[LATENCY_BEGIN] || (l->lacks_filter[LATENCY_END] &&
						       !l->lacks_filter[LATENCY_BEGIN]) ?
				   "of the start" :
			 l->lacks_filter[LATENCY_BEGIN] ? "of the end" : "of both";

	(void)err;
	if (l->queries[LATENCY_BEGIN] || l->queries[LATENCY_END])
		tsh_explain_row(table, TSH_EXPLAIN_HERE, tsh_filters_value(call)->word.text, of);
	else
		tsh_explain_filter(table, call, of);
	tsh_explain_option(table, call, "TASK", TSH_EXPLAIN_KERNEL, "");
	if (l->made)
		tsh_explain_row(table, TSH_EXPLAIN_KERNEL, terms,
				"an event of each pair, which is counted here");
	else
		tsh_explain_row(table, TSH_EXPLAIN_HERE, terms,
				"a filter sees one event; pairs are made of what is recorded");
	tsh_explain_option(table, call, "SLOW", TSH_EXPLAIN_HERE, "known at the end of a pair");
	tsh_explain_option(table, call, "WORST", TSH_EXPLAIN_HERE, "");
	tsh_explain_option(table, call, "LIMIT", TSH_EXPLAIN_HERE,
			   "tracing is stopped when the pair is read");
	tsh_table_end(table);
	if (l->made)
		latency_kernel_explain(s, call);
	free(terms);
	return 0;
}

static const struct tsh_arg latency_args[] = {
	{ .name = "SLOW", .option = "--slower", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE,
	  .help = "print each pair that takes that long when it comes: 5ms" },
	{ .name = "WORST", .option = "--worst", .type = TSH_ARG_NUMBER,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE,
	  .help = "print the longest so many at the end, with what happened in them" },
	{ .name = "LIMIT", .option = "--stop-at", .type = TSH_ARG_TIME,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE,
	  .help = "stop at the first pair that takes that long, and print it: 20ms" },
	{ .name = "in-kernel", .option = "--in-kernel", .type = TSH_ARG_FLAG,
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_LATE, .help = "the kernel makes the pairs, and records only them" },
	TSH_BY_OPTIONS,
	TSH_BY_HEAT,
	TSH_OWN_CPUS, TSH_OWN_TASK, TSH_OWN_BUFFER, TSH_OWN_PROBE, TSH_OWN_HERE,
	TSH_BY_DRAIN("pairs of what is in the current buffer, which is taken out"),
	{ .name = "START", .type = TSH_ARG_EVENT, .completes = TSH_COMPLETES_PAIRS,
	  .help = "the event that begins it; or block, irq, off-cpu, softirq, syscall, wakeup" },
	{ .name = "END", .type = TSH_ARG_EVENT, .completes = TSH_COMPLETES_PAIRS, .flags = TSH_ARG_OPTIONAL,
	  .help = "the event that ends it; behind syscall its name; FUNCTION%return of that START" },
	{ .name = "KEY", .clause = "on", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "what the two have in common: a field, or A=B: A of START, B of END" },
	{ .name = "KEYS", .clause = "by", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "a row for each: up to three keys as those of hist, of START or of END" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION, .flags = TSH_ARG_OPTIONAL,
	  .help = "a filter, of START if it has its fields, else of END" },
	{ 0 }
};

static const struct tsh_example latency_examples[] = {
	{ "latency --for 2s wakeup by comm --top 10", "how long each waits for a CPU" },
	{ "latency --for 2s sched_waking sched_switch on pid=next_pid --worst 5",
	  "the same as two events, and the longest" },
	{ "latency --for 2s syscall read --slower 5ms", "each read that takes 5 ms" },
	{ "latency --for 2s off-cpu by comm --top 10", "how long each does not run" },
	{ "latency --for 2s irq", "interrupt handlers" },
	{ "try latency --for 2s vfs_read vfs_read%return", "a function of the kernel" },
	{ "try latency --in-kernel --for 2s syscall read by comm", "the kernel makes the pairs" },
	{ "latency --for 2s --heat --every 500ms wakeup", "how it changes" },
	{ "latency --for 2s sched_process_fork sched_process_exec on child_pid=pid",
	  "from a fork to its exec" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_latency = {
	.name = "latency", .group = TSH_GROUP_ANALYSE,
	.summary = "how long it takes from one event to another",
	.description = "Pairs START with the END that has the same key, on whatever CPU: until Ctrl-C "
		       "or --for, in an instance of its own, as stream. With --drain those in the "
		       "current buffer; of a recorded tree what was recorded (what is refused there: hist).\n"
		       "Known by name: block (requests), irq and softirq (handlers), off-cpu "
		       "(from a sched_switch from a task until one to it), wakeup (from "
		       "sched_waking until the task runs), syscall NAME, and syscall for all of them. "
		       "Of any other two, on says what they have in common: fields of both, or A=B; up "
		       "to three, with commas between. Without on: the task that both are of. One event can be "
		       "both, on A=B. A function and FUNCTION%return, of the kernel or PATH:FUNCTION of "
		       "a program, are probes for as long as it takes.\n"
		       "Without by: a histogram; but irq and softirq have a row for each handler, "
		       "and syscall alone one for each call. With by: a row for each key, the most "
		       "frequent first. "
		       "A key is of START, or of END where START has no such field. Percentiles are at "
		       "most a sixteenth (6.25%) too large; min, avg and max are exact.\n"
		       "A START again takes the place of the one that waits; but a return is that of the last "
		       "call, so a function that calls itself has all of them. An END without one began "
		       "before, or its START was left out by a filter, or it needs none: a "
		       "sched_switch to a task that was preempted, or to idle. Both are counted. At most --size of them wait, then "
		       "the oldest is given up. A pair is not counted when events were lost between its "
		       "two, as its own may have been among them; with cpu among the keys only those of "
		       "that CPU matter. A task that is woken while it runs waits for nothing, so no "
		       "pair comes of that.\n"
		       "With --in-kernel the kernel makes the pairs, by histograms and a synthetic event "
		       "(synth), and records an event of each: half the events or less, so that fewer are "
		       "lost. It has room for 2048 keys that wait, counts no STARTs and ENDs that stay alone, knows "
		       "nothing of calls in calls, and of a task that was woken while it ran it makes a pair "
		       "when that runs again. Its times are the difference of its global clock.\n"
		       "Where no key is a task's number, as of block and irq, tracesh and the processes above "
		       "it are recorded as well: what happens while they run may be the half of a pair.\n"
		       "Of some tasks (--pid, or pid with --here) the pairs are those in whose key one of them is, of "
		       "wakeup who is woken; of some CPUs (--cpu) there are none but where the CPU is in the key, "
		       "as of irq: others begin on one and end on another.\n"
		       "The filter is for START if it has the fields, else for END; where the key is common_pid it is the "
		       "kernel's, and for both if it asks for comm or common_pid. Else all of both is recorded, and tracesh "
		       "asks, as each event ends what waits, also one that the filter leaves out.\n"
		       "The line of a pair is that of its END; behind since is its START. Below those of --worst "
		       "stand the events in between, on the CPU where it ended and of its task: of a wakeup who "
		       "ran there instead (tracesh, too, whose switches are recorded for it); with --drain and --here all that is enabled in the instance. With CSV and "
		       "--slower or --worst the rows are pairs.",
	.see_also = "hist stream stacks fields",
	.args = latency_args, .examples = latency_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_JOB,
	.prepare = latency_prepare, .endless_without = "TIME",
	.run = latency_run, .script = tsh_script_none, .explain = latency_explain, .name_events = latency_name_events,
};
