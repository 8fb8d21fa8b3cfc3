/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "session/check-only.h"
#include "session/cmd.h"
#include "session/filters.h"
#include "session/names.h"
#include "session/script.h"
#include "session/util.h"
#include "session/when.h"

/* Resolves names after parsing and before running, so that an error with the nearest name comes
 * before anything is written. Under -n a command ends with this. */

/* Holds the events of the system that was looked for last. */
struct known_system {
	char *name;
	struct tsh_events events;
};

static void forget_system(struct known_system *known)
{
	free(known->name);
	tsh_events_release(&known->events);
	*known = (struct known_system){ 0 };
}

/* Resolves "sched:*" or "sched:sched_switch" by reading one directory. Returns false when that is
 * not enough: the whole list of events is needed. */
static bool resolve_in_system(struct tsh_session *s, const char *word,
			      struct known_system *known, struct tsh_events *ret)
{
	size_t len = strcspn(word, ":/");
	char *system = tsh_xstrndup(word, len);
	struct tsh_err ignored = { 0 };
	bool found = false;

	if (len && word[len] && !tsh_is_glob(system) && s->dir->kind != TSH_DIR_TREE) {
		if (!known->name || strcmp(known->name, system)) {
			forget_system(known);
			known->name = tsh_xstrdup(system);
			tsh_events_of_system(s->dir, system, &known->events);
		}
		found = known->events.n && !tsh_events_match(&known->events, word, ret, &ignored);
	}
	tsh_err_release(&ignored);
	free(system);
	return found;
}

/* Hints at `if` for `enable sched_switch prev_pid == 1`, where the field was read as an event. */
static void hint_filter(const struct tsh_call *call, size_t unknown, struct tsh_err *err)
{
	static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=", "&", "~", "=" };
	char *event, *field;
	size_t i;

	if (!unknown || unknown + 1 >= call->args.n)
		return;
	event = tsh_typed_word(call->args.v[unknown - 1].word.text);
	field = tsh_typed_word(call->args.v[unknown].word.text);
	for (i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strcmp(call->args.v[unknown + 1].word.text, operators[i]))
			tsh_err_hint(err, "a filter begins with if: %s %s if %s %s ..", call->cmd->name, event, field,
				     operators[i]);
	free(event);
	free(field);
}

/* Blames a word that begins a clause of other commands: it is no misspelt event. */
static void blame_clause(const struct tsh_call *call, const char *word, struct tsh_err *err)
{
	if (!tsh_grammar_is_clause(word))
		return;
	tsh_err_set(err, TSH_USAGE, "'%s' takes no '%s'", call->cmd->name, word);
	tsh_err_hint(err, "help %s", call->cmd->name);
}

static int resolve_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct known_system known = { 0 };
	struct tsh_events all = { 0 };
	int r = 0;
	size_t i;

	for (i = 0; !r && i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];

		if (value->arg->type != TSH_ARG_EVENT ||
		    resolve_in_system(s, value->word.text, &known, &call->events))
			continue;
		/*
		 * Checks for signals: a recording can have many events, and the command many words.
		 */
		if (tsh_cmd_is_aborted(s))
			r = tsh_err_set(err, TSH_FAILED, "interrupted");
		if (!r && !all.n)
			r = tsh_events_available(s->dir, &all, err);
		if (!r)
			r = tsh_events_match(&all, value->word.text, &call->events, err);
		if (r < 0) {
			blame_clause(call, value->word.text, err);
			tsh_err_blame(err, value->word.span);
			hint_filter(call, i, err);
		}
	}
	forget_system(&known);
	tsh_events_release(&all);
	return r;
}

static bool accepts_events(const struct tsh_cmd *cmd)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; arg->name && (arg->type != TSH_ARG_EVENT || strcmp(arg->name, "EVENT") != 0); arg++)
		;
	return arg->name;
}

/*
 * Refuses a filter without named events: the kernel filters only events that the command enables.
 */
static int refuse_filter(const struct tsh_call *call, const struct tsh_value *filter, struct tsh_err *err)
{
	const struct tsh_arg *arg;

	tsh_err_at(err, filter->word.span, "a filter is of events that are named before it");
	for (arg = call->cmd->args; arg->name && strcmp(arg->name, "EXPR") != 0; arg++)
		;
	tsh_err_hint(err, "%s EVENT if FILTER%s", call->cmd->name,
		     arg->name ? "; where EXPR chooses among what comes in any case" : "");
	return -1;
}

static int check_events(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_args_get(&call->args, "FILTER");

	if (call->events.n)
		return 0;
	if (filter && filter->arg->clause && accepts_events(call->cmd))
		return refuse_filter(call, filter, err);
	if (!(call->cmd->flags & TSH_CMD_NEEDS_EVENT))
		return 0;
	tsh_err_at(err, call->args.command, "missing EVENT");
	tsh_err_hint(err, "%s EVENT, or %s --probe FUNCTION; help %s", call->cmd->name, call->cmd->name,
		     call->cmd->name);
	return -1;
}

/* Says whether the name is one of tracesh, which is wrong on every kernel. */
static bool is_ours(const struct tsh_value *value)
{
	return value->arg->type == TSH_ARG_SETTING || value->arg->type == TSH_ARG_COMMAND_NAME;
}

static int check_name(struct tsh_session *s, const struct tsh_value *value,
		      struct tsh_err *err)
{
	const char *text = value->word.text;
	struct tsh_strlist names = { 0 };
	const char *what = NULL;
	int r = 0;

	switch (value->arg->type) {
	case TSH_ARG_TRACER:
		what = "tracer";
		tsh_names_tracers(s, &names);
		break;
	case TSH_ARG_CLOCK:
		what = "clock";
		tsh_names_clocks(s, &names);
		break;
	case TSH_ARG_OPTION:
		what = "option";
		tsh_names_options(s, &names);
		break;
	case TSH_ARG_SETTING:
		what = "setting";
		tsh_names_settings(&names);
		break;
	case TSH_ARG_COMMAND_NAME:
		what = "command or topic";
		if (tsh_alias_find(&s->aliases, text, strlen(text)))
			return 0;
		tsh_names_commands(s, &names);
		tsh_names_topics(s, &names);
		break;
	default:
		return 0;
	}
	if (!tsh_strlist_has(&names, text)) {
		r = tsh_err_at(err, value->word.span, "unknown %s '%s'", what, text);
		err->status = is_ours(value) ? TSH_USAGE : TSH_FAILED;
		tsh_cmd_suggest(err, text, &names);
		if (!err->hint && value->arg->type == TSH_ARG_OPTION)
			tsh_err_hint(err, "option lists them");
		if (!err->hint && value->arg->type == TSH_ARG_COMMAND_NAME)
			tsh_err_hint(err, "help lists the commands and the topics");
	}
	tsh_strlist_release(&names);
	return r;
}

/* Refuses an instance that was removed meanwhile. */
static int check_instance(struct tsh_session *s, const struct tsh_call *call,
			  struct tsh_err *err)
{
	bool another;

	if (call->cmd->group == TSH_GROUP_SESSION || tsh_instance_still_exists(s->in))
		return 0;
	another = tsh_instance_exists(s->dir, s->in->name);
	tsh_err_at(err, call->args.command, "the instance '%s' is gone: somebody deleted it%s",
		   s->in->name, another ? ", and made another one" : "");
	err->status = TSH_FAILED;
	tsh_err_hint(err, "instance use %s", another ? s->in->name : "top");
	return -1;
}

static size_t before_blanks(const char *text, size_t end)
{
	while (end && strchr(" \t\n", text[end - 1]))
		end--;
	return end;
}

/* Returns the last word of a clause; the caller frees it. *ret_before: end of the text before it.
 * NULL: the word is an operand, as an operator stands before it. */
static char *last_word(const char *text, size_t *ret_before)
{
	size_t end = before_blanks(text, strlen(text)), begin = end;

	while (begin && !strchr(" \t\n", text[begin - 1]))
		begin--;
	*ret_before = before_blanks(text, begin);
	if (*ret_before && strchr("=~!<>&|^+-*/%({,", text[*ret_before - 1]))
		return NULL;
	return tsh_xstrndup(text + begin, end - begin);
}

/* Hints at the order for `hist by comm sched_switch`, where an event stands behind a clause. */
static void hint_order(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool are_there = s->dir && ((s->dir->kind == TSH_DIR_TREE && !s->check) || tsh_args_has(&call->args, "drain"));
	struct tsh_events all = { 0 }, found = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i, before;

	if (!s->dir || call->events.n || !accepts_events(call->cmd) ||
	    tsh_events_available(s->dir, &all, &ignored) < 0)
		return tsh_err_release(&ignored);
	for (i = 0; i < call->args.n && !found.n; i++) {
		const struct tsh_value *value = &call->args.v[i];
		const char *text = value->word.text;
		char *word;

		if (!value->arg->clause || value->arg->type == TSH_ARG_ARGV || !(word = last_word(text, &before)))
			continue;
		if (tsh_events_match(&all, word, &found, &ignored) < 0)
			tsh_err_release(&ignored);
		else if (are_there)
			tsh_err_hint(err, "where event == %s chooses among those that are there", found.v[0].name);
		else
			tsh_err_hint(err, "events stand before '%s': %s %s %s %.*s", value->arg->clause, call->cmd->name,
				     word, value->arg->clause, before ? (int)before : 2, before ? text : "..");
		free(word);
	}
	tsh_events_release(&found);
	tsh_events_release(&all);
}

/* Refuses a limit of 0, and a buffer of 0 bytes. */
static int check_limits(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_arg *arg;

	for (arg = call->cmd->args; arg->name; arg++) {
		const struct tsh_value *value = tsh_args_get(&call->args, arg->name);

		if (!(arg->flags & TSH_ARG_NOT_ZERO) || !value || value->number)
			continue;
		if (arg->flags & TSH_ARG_KB)
			return tsh_err_at(err, value->word.span, "a buffer has at least 1K");
		return tsh_err_at(err, value->word.span, "'%s' is no limit: %s", value->word.text,
				  arg->type == TSH_ARG_TIME ? "it takes some time" : "at least 1");
	}
	return 0;
}

/* Refuses a command inside of watch that does not end by itself, because watch reads the keys. */
static int check_watched(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_strlist ends = { 0 };
	bool goes_on = s->is_watched && !call->drains && call->cmd->endless_without;
	size_t i;

	if (goes_on)
		tsh_strlist_split_words(&ends, call->cmd->endless_without);
	for (i = 0; i < ends.n; i++)
		goes_on &= !tsh_args_has(&call->args, ends.v[i]);
	tsh_strlist_release(&ends);
	return goes_on ? tsh_err_at(err, call->args.command, "'%s' goes on by itself: watch is for what ends",
				    call->cmd->name) : 0;
}

static int resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	size_t i;

	if (call->cmd->flags & TSH_CMD_NEEDS_TRACEFS) {
		if (!s->dir) {
			tsh_err_set(err, TSH_ENVIRONMENT, "%s", s->dir_err.message);
			if (s->dir_err.hint)
				tsh_err_hint(err, "%s", s->dir_err.hint);
			tsh_err_blame(err, call->args.command);
			return -1;
		}
		if ((call->cmd->flags & TSH_CMD_LIVE) && s->dir->kind == TSH_DIR_TREE &&
		    (!s->dir->dry || s->check)) {
			tsh_err_set(err, TSH_ENVIRONMENT,
				    "'%s' needs a running kernel, '%s' is a recorded tree",
				    call->cmd->name, s->dir->path);
			tsh_err_hint(err, "without --tracefs it is this machine's kernel");
			tsh_err_blame(err, call->args.command);
			return -1;
		}
		if (check_instance(s, call, err) < 0)
			return -1;
		if ((call->cmd->name_events ? call->cmd->name_events(s, call, err) :
					      resolve_events(s, call, err)) < 0 ||
		    check_events(call, err) < 0)
			return -1;
	}
	for (i = 0; i < call->args.n; i++)
		if (check_name(s, &call->args.v[i], err) < 0)
			return -1;
	if (tsh_moments_resolve(s, call, err) < 0)
		return -1;
	if (s->dir && !call->cmd->name_events && tsh_filters_check(s, call, err) < 0)
		return -1;
	if (call->cmd->prepare && call->cmd->prepare(s, call, err) < 0)
		return -1;
	if (check_limits(call, err) < 0 || (!s->explains && check_watched(s, call, err) < 0))
		return -1;
	/* Skips checks of tasks and programs for another machine's tree. */
	return s->check && s->dir && s->dir->kind != TSH_DIR_TREE ? tsh_cmd_check(s, call, err) : 0;
}

int tsh_cmd_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (!resolve(s, call, err))
		return 0;
	hint_order(s, call, err);
	return -1;
}
