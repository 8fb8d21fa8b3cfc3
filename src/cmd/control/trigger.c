/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <string.h>

#include "engine/histtrigger/triggers.h"
#include "session/util.h"

/* Declares trigger: lists, sets and removes what the kernel does when an event happens. */

static int clear_triggers(struct tsh_session *s, const struct tsh_call *call,
			  struct tsh_err *err)
{
	int removed = tsh_triggers_clear(s, &call->events, err);

	if (removed < 0)
		return -1;
	if (removed)
		tsh_out_note(s->out, "%d trigger%s removed in '%s'", removed,
			     tsh_plural((uint64_t)removed), tsh_instance_label(s->in));
	else
		tsh_out_note(s->out, "there is no trigger to remove in '%s'",
			     tsh_instance_label(s->in));
	return 0;
}

static int remove_triggers(struct tsh_session *s, const struct tsh_call *call, const struct tsh_trigger *wanted,
			   struct tsh_err *err)
{
	size_t removed;

	if (tsh_triggers_remove(s, &call->events, wanted, tsh_args_has(&call->args, "FILTER"), &removed, err) < 0)
		return -1;
	if (!removed) {
		tsh_err_set(err, TSH_FAILED, "there is no trigger '%s' to remove", wanted->command);
		tsh_err_hint(err, "trigger %s lists what there is", tsh_args_text(&call->args, "EVENT"));
		tsh_err_blame(err, tsh_args_get(&call->args, "ACTION")->word.span);
		return -1;
	}
	tsh_out_note(s->out, "%zu trigger%s removed in '%s'", removed, tsh_plural(removed),
		     tsh_instance_label(s->in));
	return 0;
}

/* Checks the words of the action, also under -n. */
static int trigger_prepare(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *action = tsh_args_get(&call->args, "ACTION");
	const struct tsh_value *filter = tsh_args_get(&call->args, "FILTER");
	struct tsh_trigger wanted;
	int r;

	if (filter && (!action || !strcmp(action->word.text, "clear"))) {
		tsh_err_at(err, filter->word.span, "a filter stands behind an action");
		tsh_err_hint(err, "trigger EVENT traceoff if FILTER");
		return -1;
	}
	if (!action || !strcmp(action->word.text, "clear"))
		return 0;
	r = tsh_trigger_check(s, call, action, filter, &wanted, err);
	tsh_trigger_release(&wanted);
	return r;
}

static int trigger_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *action = tsh_args_get(&call->args, "ACTION");
	const struct tsh_value *filter = tsh_args_get(&call->args, "FILTER");
	struct tsh_trigger wanted;
	int r;

	if (!tsh_args_has(&call->args, "EVENT"))
		return tsh_triggers_list_all(s, err);
	if (!action)
		return tsh_triggers_list(s, &call->events, err);
	if (!strcmp(action->word.text, "clear"))
		return clear_triggers(s, call, err);
	r = tsh_trigger_check(s, call, action, filter, &wanted, err);
	if (!r && *action->word.text == '!')
		r = remove_triggers(s, call, &wanted, err);
	else if (!r)
		r = tsh_triggers_set(s, &call->events, &wanted, action, filter, err);
	tsh_trigger_release(&wanted);
	return r;
}

static const struct tsh_arg trigger_args[] = {
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "system:name, a system, a unique name, a glob, or all" },
	{ .name = "ACTION", .type = TSH_ARG_TRIGGER, .flags = TSH_ARG_OPTIONAL,
	  .help = "traceoff, stacktrace:3, enable_event:S:E, ..; !ACTION removes it; clear all" },
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION,
	  .flags = TSH_ARG_OPTIONAL, .help = "the kernel's filter: prev_pid == 5" },
	{ 0 }
};

static const struct tsh_example trigger_examples[] = {
	{ "trigger", "those that there are" },
	{ "trigger sched_process_exit stacktrace:3 if comm == \"make\"", "the first three" },
	{ "trigger oom:mark_victim traceoff", "keep what led there" },
	{ "trigger oom:mark_victim enable_event:sched:sched_process_exit", "start something" },
	{ "trigger oom:mark_victim clear", "remove all of the event" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_trigger = {
	.name = "trigger", .group = TSH_GROUP_CONTROL,
	.summary = "show, set or remove what the kernel does when an event happens",
	.description =
		"The actions are traceon, traceoff, stacktrace, snapshot, enable_event:SYSTEM:EVENT, "
		"disable_event:SYSTEM:EVENT, and hist:.. as the kernel has it; :COUNT limits how "
		"often. An event takes one of each kind; traceon and traceoff are one kind.\n"
		"They fire also where the event is not enabled. Other people's triggers stay. "
		"Undo brings back what was removed with the count that was left, a histogram empty. "
		"hist:..:clear empties one; at the prompt it is asked before, and how many rows went is said.\n"
		"Undo takes back that enable_event has enabled its event. What else a trigger did when "
		"it fired (tracing is off) is said, and not taken back.",
	.see_also = "filter snapshot filters",
	.args = trigger_args, .examples = trigger_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.prepare = trigger_prepare,
	.run = trigger_run,
};
