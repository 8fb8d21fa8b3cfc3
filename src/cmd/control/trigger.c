/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/histtrigger/triggers.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/tracefs/errlog.h"
#include "session/ask.h"
#include "session/snapshot-size.h"
#include "session/util.h"

/* trigger: what the kernel does by itself when an event happens. */

/* ---- the list ---- */

/* What a list of them has. */
struct seen {
	size_t n;		/* of them TSH_TRIGGERS_MAX are listed */
	bool stops;		/* a traceoff */
};

static void add_rows(struct tsh_session *s, struct tsh_table *table,
		     const struct tsh_event *event, struct seen *seen)
{
	struct tsh_triggers triggers = { 0 };
	size_t i;

	tsh_triggers_read(s->in, event, &triggers);
	for (i = 0; i < triggers.n && seen->n + i < TSH_TRIGGERS_MAX; i++) {
		const struct tsh_trigger *trigger = &triggers.v[i];
		char *label = tsh_xasprintf("%s:%s", event->system, event->name);
		char *left = trigger->left < 0 ? NULL :
			     tsh_xasprintf("%lld", (long long)trigger->left);

		tsh_table_texts(table, label, trigger->command,
				left ? left : trigger->is_paused ? "paused" : NULL, trigger->filter);
		seen->stops = seen->stops || !strcmp(trigger->command, "traceoff");
		free(left);
		free(label);
	}
	seen->n += triggers.n;
	tsh_triggers_release(&triggers);
}

static int check_listed(struct tsh_session *s, const struct tsh_events *events,
			const struct seen *seen, struct tsh_err *err)
{
	/* Leaves these out of the count: nobody knows how many they have. */
	if (tsh_dir_check_unread(s->dir, err) < 0)
		return -1;
	if (seen->n <= TSH_TRIGGERS_MAX)
		return 0;
	tsh_err_set(err, TSH_FAILED, "%zu more triggers are not listed", seen->n - TSH_TRIGGERS_MAX);
	if (events->n > 1)
		tsh_err_hint(err, "trigger SYSTEM:EVENT lists those of one event");
	else
		tsh_err_hint(err, "cat events/%s/%s/trigger", events->v[0].system,
			     events->v[0].name);
	return -1;
}

static int list_triggers(struct tsh_session *s, const struct tsh_events *events,
			 struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "trigger", TSH_COLUMN_TEXT },
		{ "left", TSH_COLUMN_TEXT }, { "filter", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "trigger", columns);
	struct seen seen = { 0 };
	char *name;
	size_t i;

	for (i = 0; i < events->n && !tsh_cmd_is_aborted(s); i++)
		add_rows(s, table, &events->v[i], &seen);
	tsh_table_end(table);
	if (s->aborted)
		return -1;
	name = tsh_cmd_instance_name(s->in);
	if (!seen.n)
		tsh_out_note(s->out, "there is no trigger in '%s'", name);
	free(name);
	if (seen.stops && tsh_trigger_stopped(s->in))
		tsh_out_note(s->out, "tracing is off in '%s', and not by this session: a traceoff "
			     "trigger has fired, or somebody did it; on", tsh_instance_label(s->in));
	return check_listed(s, events, &seen, err);
}

/* A trigger arms its event: it stands in the list of those that are enabled. */
static int list_all(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_events armed = { 0 };
	int r = tsh_events_enabled(s->in, &armed, err);

	if (!r)
		r = list_triggers(s, &armed, err);
	tsh_events_release(&armed);
	return r;
}

/* ---- removing ---- */

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

/* "!traceoff": the kernel would remove a traceon for it as well, and say yes to nothing. */
static int remove_triggers(struct tsh_session *s, const struct tsh_call *call,
			   const struct tsh_trigger *wanted, bool filtered, struct tsh_err *err)
{
	size_t i, k, removed = 0;
	int r = 0;

	for (i = 0; !r && i < call->events.n; i++) {
		struct tsh_triggers now = { 0 };

		if (s->dir->dry) {
			r = tsh_trigger_remove(s, &call->events.v[i], wanted, err);
			removed++;
		}
		tsh_triggers_read(s->in, &call->events.v[i], &now);
		for (k = 0; !r && !s->dir->dry && k < now.n; k++) {
			if (strcmp(now.v[k].command, wanted->command) != 0 ||
			    ((filtered || wanted->is_hist) && !tsh_trigger_same(&now.v[k], wanted)))
				continue;
			r = tsh_trigger_remove(s, &call->events.v[i], &now.v[k], err);
			removed += !r;
		}
		tsh_triggers_release(&now);
	}
	if (!r && !removed) {
		tsh_err_set(err, TSH_FAILED, "there is no trigger '%s' to remove",
			    wanted->command);
		tsh_err_hint(err, "trigger %s lists what there is",
			     tsh_args_text(&call->args, "EVENT"));
		tsh_err_blame(err, tsh_args_get(&call->args, "ACTION")->word.span);
		return -1;
	}
	if (!r)
		tsh_out_note(s->out, "%zu trigger%s removed in '%s'", removed, tsh_plural(removed),
			     tsh_instance_label(s->in));
	return r;
}

/* ---- setting ---- */

/* One of a kind: the kernel only says that a file exists. 1: it is there already. */
static int check_rival(struct tsh_session *s, const struct tsh_event *event,
		       const struct tsh_trigger *wanted, struct tsh_err *err)
{
	struct tsh_triggers now = { 0 };
	const struct tsh_trigger *rival;
	char *text, *behind;
	int r = 0;

	tsh_triggers_read(s->in, event, &now);
	rival = tsh_triggers_rival(&now, wanted);
	if (rival && tsh_trigger_same(rival, wanted) && rival->left == wanted->left) {
		r = 1;
	} else if (rival) {
		text = tsh_trigger_text(rival);
		tsh_err_set(err, TSH_FAILED, "'%s:%s' has a trigger of this kind already: %s",
			    event->system, event->name, text);
		free(text);
		text = tsh_xasprintf("%s:%s", event->system, event->name);
		behind = tsh_xasprintf(" !%s", rival->command);
		tsh_err_hint_word(err, "trigger ", text, behind);
		free(behind);
		free(text);
		r = -1;
	}
	tsh_triggers_release(&now);
	return r;
}

/* A place in "ACTION if FILTER" as one in what was typed. */
static void reanchor(const struct tsh_value *action, const struct tsh_value *filter,
		     struct tsh_err *err)
{
	size_t behind = action->word.len + strlen(" if ");

	if (!err->span.end)
		err->span = action->word.span;
	else if (err->span.begin < action->word.len || !filter)
		err->span = tsh_word_span(&action->word, err->span.begin, err->span.end);
	else if (err->span.begin >= behind)
		err->span = tsh_word_span(&filter->word, err->span.begin - behind,
					  err->span.end - behind);
	else
		err->span = filter->word.span;
}

static int explain(struct tsh_session *s, const struct tsh_call *call,
		   const struct tsh_event *event, const char *mark, const char *text,
		   struct tsh_err *err)
{
	const struct tsh_value *action = tsh_args_get(&call->args, "ACTION");

	if (!err->number || err->number == ENODEV || err->number == EACCES ||
	    err->number == EROFS || err->number == ENOENT) {
		tsh_err_blame(err, action->word.span);
		return -1;
	}
	if (tsh_errlog_explain(s->in, mark, "the trigger", text, err)) {
		reanchor(action, tsh_args_get(&call->args, "FILTER"), err);
		return -1;
	}
	if (err->number == EEXIST)
		tsh_err_set(err, TSH_FAILED, "'%s:%s' has this trigger already", event->system,
			    event->name);
	else if (err->number == ENOMEM)
		tsh_err_set(err, TSH_FAILED, "there is not enough memory for the trigger");
	else
		tsh_err_set(err, TSH_FAILED, "the kernel refuses the trigger: %s",
			    strerror(err->number));
	tsh_err_blame(err, action->word.span);
	return -1;
}

/*
 * A histogram of times sets the instance's clock, and leaves it so: it is set here, so
 * that undo knows. The kernel sets it once more, which erases the buffer in any case, and the snapshot.
 */
static int set_hist_clock(struct tsh_session *s, const struct tsh_trigger *trigger,
			  struct tsh_err *err)
{
	static const char mark[] = ":clock=";
	const char *found;
	char *clock;
	int r;

	if (!trigger->is_hist || !strstr(trigger->command, "common_timestamp"))
		return 0;
	found = strstr(trigger->command, mark);
	clock = found ? tsh_xstrndup(found + strlen(mark), strcspn(found + strlen(mark), ":")) :
			tsh_xstrdup("global");
	r = tsh_cmd_confirm_erase(s, s->in, TSH_ERASES_ALL, "a histogram of times", err);
	if (!r)
		r = tsh_put_file(s, "trace_clock", TSH_WRITE_SET, clock, NULL, err);
	if (r > 0)
		tsh_out_note(s->out, "a histogram of times sets the clock of '%s' to %s", tsh_instance_label(s->in), clock);
	free(clock);
	return r < 0 ? -1 : 0;
}

/* 0: it is there already. */
static int set_trigger(struct tsh_session *s, const struct tsh_call *call,
		       const struct tsh_event *event, const struct tsh_trigger *wanted,
		       struct tsh_err *err)
{
	char *text = tsh_trigger_text(wanted), *mark = tsh_errlog_mark(s->in);
	int r = tsh_trigger_write(s, event, text, err);

	if (r < 0)
		explain(s, call, event, mark, text, err);
	else if (!wanted->is_hist && !tsh_trigger_is_there(s->in, event, wanted))
		r = tsh_err_set(err, TSH_FAILED, "the kernel took '%s' for '%s:%s' and does not "
				"list it", text, event->system, event->name);
	free(mark);
	free(text);
	return r < 0 ? -1 : r;
}

/* All are asked about at once. */
static int confirm_emptying(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
			    struct tsh_err *err)
{
	char *text = tsh_trigger_text(wanted), *event = NULL;
	size_t i, histograms, n = 0;
	uint64_t rows = 0;
	int r;

	for (i = 0; s->interactive && wanted->is_hist && i < events->n; i++) {
		char *path = tsh_event_path(&events->v[i], "trigger");
		uint64_t its = tsh_hist_rows_emptied(s->in, path, text, &histograms);

		if (its && !n++)
			event = tsh_trigger_event(path);
		rows += its;
		free(path);
	}
	r = tsh_cmd_confirm_rows(s, s->in, n > 1 ? NULL : event, rows, err);
	free(event);
	free(text);
	return r;
}

static int set_triggers(struct tsh_session *s, const struct tsh_call *call,
			const struct tsh_trigger *wanted, struct tsh_err *err)
{
	const struct tsh_value *action = tsh_args_get(&call->args, "ACTION");
	bool *there = tsh_xcalloc(call->events.n, sizeof(*there));
	size_t i, set = 0;
	int r = 0;

	/* All are looked at before the first is set. */
	for (i = 0; r >= 0 && i < call->events.n; i++) {
		r = check_rival(s, &call->events.v[i], wanted, err);
		there[i] = r > 0;
	}
	if (r < 0)
		tsh_err_blame(err, action->word.span);
	else if (!strcmp(wanted->command, "snapshot"))
		r = tsh_snapshot_check_memory(s, action, err);
	if (r >= 0)
		r = confirm_emptying(s, &call->events, wanted, err);
	if (r >= 0)
		r = set_hist_clock(s, wanted, err);
	/* Writes also what is there, for the journal: who has set it may end before us. */
	for (i = 0; r >= 0 && i < call->events.n; i++) {
		if (there[i] && s->dir->dry)
			continue;
		r = set_trigger(s, call, &call->events.v[i], wanted, err);
		set += r > 0;
	}
	free(there);
	if (r < 0)
		return -1;
	tsh_out_note(s->out, "trigger %s on %zu event%s in '%s'%s", wanted->command,
		     call->events.n, tsh_plural(call->events.n), tsh_instance_label(s->in),
		     set ? "" : " (as before)");
	return 0;
}

/* ---- the command ---- */

static int trigger_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
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
	if (!tsh_args_has(&call->args, "EVENT"))
		return list_all(s, err);
	if (!action)
		return list_triggers(s, &call->events, err);
	if (!strcmp(action->word.text, "clear"))
		return clear_triggers(s, call, err);
	r = tsh_trigger_check(s, call, action, filter, &wanted, err);
	if (!r && *action->word.text == '!')
		r = remove_triggers(s, call, &wanted, filter != NULL, err);
	else if (!r)
		r = set_triggers(s, call, &wanted, err);
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
	.see = "filter snapshot filters",
	.args = trigger_args, .examples = trigger_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = trigger_run,
};
