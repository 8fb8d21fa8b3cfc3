/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call.h"

#include <string.h>

#include "base/suggest.h"
#include "kernel/dryrun/dryrun.h"
#include "kernel/journal/journal.h"
#include "misses.h"
#include "probe.h"
#include "session/util.h"

/* Makes probes for one command: --probe 'TARGET ARG..', and the functions of latency. */

struct tsh_call_probe {
	const struct tsh_value *value;	/* the word for which it was made */
	struct tsh_event event;
};
struct call_probes {
	TSH_VEC(struct tsh_call_probe) list;
};

static void free_probes(void *state)
{
	struct call_probes *probes = state;
	size_t i;

	for (i = 0; i < probes->list.n; i++) {
		free(probes->list.v[i].event.system);
		free(probes->list.v[i].event.name);
	}
	tsh_vec_release(&probes->list);
	free(probes);
}

/* Returns the probes of a call; NULL: none were made. */
static struct call_probes *probes_of(const struct tsh_call *call)
{
	return tsh_call_state(call, free_probes);
}

static bool ends_in_return(const char *text)
{
	unsigned int at_once;

	return tsh_target_return(text, &at_once);
}

/* Says whether a value is the START of a pair whose END is its return: `latency vfs_read
 * vfs_read%return`. */
static bool is_entry_of(const struct tsh_call *call, const struct tsh_value *value)
{
	const char *end = tsh_args_text(&call->args, "END"), *mark;
	size_t len = value->word.len;
	unsigned int at_once;

	mark = end ? tsh_target_return(end, &at_once) : NULL;
	return !strcmp(value->arg->name, "START") && mark && (size_t)(mark - end) == len &&
	       !strncmp(end, value->word.text, len);
}

static bool is_probe(const struct tsh_call *call, const struct tsh_value *value)
{
	if (!strcmp(value->arg->name, "PROBE"))
		return true;
	/* a slash begins the path of a program, and no event's name */
	return tsh_call_names_events(call) && value->arg->type == TSH_ARG_EVENT &&
	       (ends_in_return(value->word.text) || is_entry_of(call, value) ||
		*value->word.text == '/');
}

bool tsh_call_has_probes(const struct tsh_call *call)
{
	size_t i;

	for (i = 0; i < call->args.n; i++)
		if (is_probe(call, &call->args.v[i]))
			return true;
	return false;
}

const struct tsh_event *tsh_call_probe(const struct tsh_call *call, const struct tsh_value *value)
{
	const struct call_probes *probes = probes_of(call);
	size_t i;

	for (i = 0; probes && i < probes->list.n; i++)
		if (probes->list.v[i].value == value)
			return &probes->list.v[i].event;
	return NULL;
}

bool tsh_call_is_function_pair(const struct tsh_call *call)
{
	const struct tsh_value *start = tsh_args_get(&call->args, "START");

	return start && tsh_call_probe(call, start) && is_entry_of(call, start);
}

/* Converts the span of an error, which counts in the word, to one of the command line. */
static void convert_span(const struct tsh_value *value, struct tsh_err *err)
{
	if (err->span.end)
		err->span = tsh_word_span(&value->word, err->span.begin, err->span.end);
	else
		tsh_err_blame(err, value->word.span);
}

static int make_one(struct tsh_session *s, struct tsh_call *call, const struct tsh_value *value,
		    struct tsh_err *err)
{
	const struct tsh_vars none = { 0 };
	struct tsh_call probe = { .cmd = call->cmd };
	struct tsh_events made = { 0 };
	struct tsh_lexer line;
	size_t i;
	int r;

	tsh_lexer_init(&line, value->word.text, value->word.len, &none);
	r = tsh_grammar_parse(&line, "probe", tsh_probe_words, NULL, false, &probe.args, err);
	if (!r && tsh_call_names_events(call) && tsh_is_glob(tsh_args_text(&probe.args, "TARGET")))
		r = tsh_err_set(err, TSH_USAGE, "a pair is of one function, and a glob is of many");
	if (!r)
		r = tsh_probe_make(s, &probe, &made, err);
	tsh_args_release(&probe.args);
	if (r < 0)
		convert_span(value, err);
	for (i = 0; !r && i < made.n; i++) {
		*tsh_vec_push(&probes_of(call)->list) = (struct tsh_call_probe){
			value, { tsh_xstrdup(made.v[i].system), tsh_xstrdup(made.v[i].name) }
		};
		/* the other commands name the two events of the pair themselves */
		if (!tsh_call_names_events(call))
			tsh_events_add(&call->events, made.v[i].system, made.v[i].name);
	}
	tsh_events_release(&made);
	return r < 0 ? -1 : 0;
}

int tsh_call_make_probes(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	size_t i;
	int r = 0;

	tsh_call_add_state(call, tsh_xcalloc(1, sizeof(struct call_probes)), free_probes);
	for (i = 0; !r && i < call->args.n; i++)
		if (is_probe(call, &call->args.v[i]))
			r = make_one(s, call, &call->args.v[i], err);
	return r;
}

/* Warns of hits of these probes that the kernel has missed. */
static void note_misses(struct tsh_session *s, const struct call_probes *of)
{
	struct tsh_probes probes = { 0 };
	struct tsh_probe_counts *counts;
	uint64_t missed = 0;
	size_t i, at = 0, tries, those = 0, one = 0;
	bool of_return = false;

	tsh_probes_read(s->dir, &probes);
	counts = tsh_xcalloc(probes.n + 1, sizeof(*counts));
	tsh_probes_count(s->dir, &probes, counts);
	for (i = 0; i < of->list.n; i++) {
		const struct tsh_event *event = &of->list.v[i].event;

		/* the kernel lists them in the order in which they were made: continue from the
		 * last one */
		for (tries = 0; tries < probes.n; tries++, at = (at + 1) % probes.n)
			if (!strcmp(probes.v[at].name, event->name) &&
			    !strcmp(probes.v[at].group, event->system))
				break;
		if (tries == probes.n || !counts[at].has_misses || !counts[at].misses)
			continue;
		missed += counts[at].misses;
		those++;
		one = i;
		of_return = probes.v[at].letter == 'r';
	}
	if (those)
		tsh_misses_note(s, missed, those, of->list.v[one].event.name, of_return);
	free(counts);
	tsh_probes_release(&probes);
}

static void forget_imagined_probe(struct tsh_session *s, const struct tsh_event *event)
{
	struct tsh_instance top = tsh_top(s->dir);
	struct tsh_probes probes = { 0 };
	const struct tsh_probe *probe;
	char *line = tsh_xasprintf("-:%s/%s", event->system, event->name);

	tsh_probes_read(s->dir, &probes);
	probe = tsh_probes_find(&probes, event->system, event->name);
	if (probe)
		tsh_dry_run_add_probe_line(&top, probe->file, line);
	tsh_probes_release(&probes);
	free(line);
}

void tsh_call_remove_probes(struct tsh_session *s, const struct tsh_call *call, unsigned int mark)
{
	const struct call_probes *probes = probes_of(call);
	bool in_script = s->dir->dry && !s->check;
	size_t i;

	for (i = 0; s->check && i < probes->list.n; i++)
		forget_imagined_probe(s, &probes->list.v[i].event);
	if (!s->dir->dry)
		note_misses(s, probes);
	if (in_script)
		tsh_dry_run_back_begin(s->dir->dry);
	tsh_cmd_undo_since(s, mark);
	if (in_script)
		tsh_dry_run_back_end(s->dir);
}
