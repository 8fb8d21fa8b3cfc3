/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "when.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/xmalloc.h"
#include "events/recording/record.h"
#include "events/source/stream.h"
#include "cmd.h"

/* Parses moments in the arguments of commands: 22:47:33, -5s. */

/* Finds the time of the last clock sample, for a recording without a time of its end. */
static bool read_last_sample(const struct tsh_session *s, int64_t *ret)
{
	char *name = tsh_clock_name(s->in);
	struct tsh_err ignored = { 0 };
	struct tsh_clock clock;
	bool found;

	tsh_clock_init(&clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	found = !tsh_clock_sample_instance(&clock, s->in, 0, &ignored) &&
		tsh_clock_last_sample(&clock, ret);
	tsh_err_release(&ignored);
	tsh_clock_release(&clock);
	return found;
}

/* Finds the time at which a recording ended. Returns false for a running kernel, and when the time
 * is not known. */
static bool end_of_recording(const struct tsh_session *s, int64_t *ret)
{
	bool is_tree = s->in && s->dir->kind == TSH_DIR_TREE;
	char *text = is_tree ? tsh_tree_info(s->in, "ended") : NULL;
	struct tsh_err ignored = { 0 };
	struct tsh_moment ended;
	bool found = text && !tsh_moment_parse(text, 0, &ended, &ignored) && !ended.is_stamp;

	if (found)
		*ret = tsh_moment_end(&ended);
	tsh_err_release(&ignored);
	found = found || (is_tree && !text && read_last_sample(s, ret));
	free(text);
	return found;
}

int64_t tsh_moments_now(const struct tsh_session *s)
{
	int64_t now;

	return end_of_recording(s, &now) ? now : tsh_now_ns(CLOCK_REALTIME);
}

/* Blames the part of the word that the message is about, or all of it. */
static void blame(const struct tsh_word *word, struct tsh_err *err)
{
	if (err->span.end)
		err->span = tsh_word_span(word, err->span.begin, err->span.end);
	else
		err->span = word->span;
}

const struct tsh_value *tsh_moments_value(const struct tsh_call *call, const char *option)
{
	size_t i;

	for (i = 0; i < call->args.n; i++)
		if (call->args.v[i].arg->type == TSH_ARG_MOMENT && call->args.v[i].arg->option &&
		    !strcmp(call->args.v[i].arg->option, option))
			return &call->args.v[i];
	return NULL;
}

static int check_wall(const struct tsh_call *call, const struct tsh_value *value,
		      struct tsh_err *err)
{
	const struct tsh_moment *m = value ? tsh_call_moment(call, value->arg->option) : NULL;

	if (!m || !m->is_stamp)
		return 0;
	tsh_err_at(err, value->word.span, "'%s' is no wall-clock time", value->word.text);
	if (m->bare)
		tsh_err_hint(err, "-%ss is that many seconds ago, @%s that many seconds after 1970",
			     value->word.text, value->word.text);
	else
		tsh_err_hint(err,
			     "'time %s' prints the wall-clock time of this time of the trace clock",
			     value->word.text);
	return -1;
}

static int check_range(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *since = tsh_moments_value(call, "--since"), *until = tsh_moments_value(call, "--until");

	if (check_wall(call, since, err) < 0 || check_wall(call, until, err) < 0)
		return -1;
	if (!since || !until ||
	    tsh_call_moment(call, "--since")->wall <=
		    tsh_moment_end(tsh_call_moment(call, "--until")))
		return 0;
	tsh_err_at(err, until->word.span, "'%s' is before '%s': nothing can be between them",
		   until->word.text, since->word.text);
	tsh_err_hint(err, "a time of day that is far ahead counts as yesterday's; type its date, "
			  "too");
	return -1;
}

static void find_now(const struct tsh_session *s, struct tsh_call *call)
{
	call->is_past = (call->cmd->find_end && call->cmd->find_end(call, &call->now)) ||
			end_of_recording(s, &call->now);
	if (!call->is_past)
		call->now = tsh_now_ns(CLOCK_REALTIME);
}

int tsh_moments_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	size_t i;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];

		if (value->arg->type != TSH_ARG_MOMENT)
			continue;
		if (!call->moments) {
			call->moments = tsh_xcalloc(call->args.n, sizeof(*call->moments));
			find_now(s, call);
		}
		if (tsh_moment_parse(value->word.text, call->now, &call->moments[i], err) < 0) {
			blame(&value->word, err);
			return -1;
		}
	}
	return call->moments ? check_range(call, err) : 0;
}

const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name)
{
	size_t i;

	for (i = 0; call->moments && i < call->args.n; i++) {
		const struct tsh_arg *arg = call->args.v[i].arg;

		if (arg->type == TSH_ARG_MOMENT &&
		    !strcmp(arg->option ? arg->option : arg->name, name))
			return &call->moments[i];
	}
	return NULL;
}
