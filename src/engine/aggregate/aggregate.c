/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "engine/pipeline/where.h"
#include "events/recording/record.h"
#include "session/own-instance.h"
#include "session/util.h"

#define SIZE_USUAL    65536
#define SIZE_MAX_KEYS 16777216

static int read_keys(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *clause = tsh_args_get(&call->args, "KEYS");

	if (clause)
		return by_read_keys(s, call, clause, err);
	call->by->keys[0] =
		(struct by_item){ .title = tsh_xstrdup("event"), .modifier = BY_EVENT };
	call->by->nkeys = 1;
	return 0;
}

static bool lacks_filter(const struct tsh_by *by, const struct tsh_event *event)
{
	return by->engine->lacks_filter && by->engine->lacks_filter(by, event);
}

static bool note_gaps(struct tsh_session *s, const struct tsh_call *call)
{
	if (call->by->engine->note_gaps)
		call->by->engine->note_gaps(s, call);
	return call->by->engine->note_gaps;
}

static const struct tsh_by_ops by_ops = {
	.needs_all = tsh_by_needs_all, .lacks_filter = lacks_filter, .prepare = tsh_by_prepare,
	.needs_names = tsh_by_needs_names, .push = tsh_by_push, .note_gaps = note_gaps,
};

int by_new(struct tsh_call *call, const struct by_engine *engine, struct tsh_err *err)
{
	const struct tsh_value *top = tsh_args_get(&call->args, "TOP");
	const struct tsh_value *every = tsh_args_get(&call->args, "EVERY");
	const struct tsh_value *size = tsh_args_get(&call->args, "KEYS-MAX");
	struct tsh_by *by = call->by = tsh_xcalloc(1, sizeof(*by));

	by->engine = engine;
	call->by_ops = &by_ops;
	if (tsh_args_has(&call->args, "here"))
		by->only = &call->events;
	by->top = top ? top->number : 0;
	if (top && !top->number) {
		tsh_err_at(err, top->word.span, "--top 0 would show nothing");
		tsh_err_hint(err, "without --top all keys are shown");
		return -1;
	}
	by->every = every ? every->number : 0;
	if (every && every->number < 100000000)
		return tsh_err_at(err, every->word.span, "'%s' is less than 100ms",
				  every->word.text);
	by->size = size ? size->number : SIZE_USUAL;
	if (size && (!size->number || size->number > SIZE_MAX_KEYS))
		return tsh_err_at(err, size->word.span, "'%s' is not between 1 and %d keys",
				  size->word.text, SIZE_MAX_KEYS);
	return 0;
}

int by_check_coming(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	/* one that only checks a batch stands for its kernel */
	bool is_tree = s->dir && s->dir->kind == TSH_DIR_TREE && !s->check && !s->explains && !s->dir->dry;

	return is_tree || tsh_args_has(&call->args, "drain") ? tsh_own_refuse_coming(call, err) : 0;
}

/* Takes nothing out of a buffer for want of a word. */
static int check_source(const struct tsh_session *s, const struct tsh_call *call,
			struct tsh_err *err)
{
	const struct tsh_value *drain = tsh_args_get(&call->args, "drain");
	char *chosen, *hint;

	if (!s->dir)
		return 0;
	if (drain && call->events.n) {
		tsh_err_at(err, drain->word.span,
			   "EVENT is for those that come, --drain for all that are there");
		chosen = tsh_xasprintf("event == %s", call->events.v[0].name);
		hint = tsh_xasprintf("%s --drain where ", tsh_call_name(call));
		tsh_err_hint_word(err, hint, chosen, "");
		free(chosen);
		free(hint);
		return -1;
	}
	if (drain || call->events.n || s->dir->kind == TSH_DIR_TREE || s->explains)
		return 0;
	tsh_err_set(err, TSH_USAGE, "which events? EVENT is missing");
	tsh_err_hint(err, "%s --drain has those in the buffer of '%s', and takes them out",
		     tsh_call_name(call), tsh_instance_label(s->in));
	return -1;
}

int tsh_by_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	static const struct by_engine here;

	call->drains = !call->events.n;
	if (by_new(call, &here, err) < 0 || check_source(s, call, err) < 0)
		return -1;
	return read_keys(s, call, err) < 0 || by_read_values(s, call, err) < 0 ||
			       by_heat_resolve(call->by, call, err) < 0 || by_check_coming(s, call, err) < 0 ? -1 : 0;
}

/* ---- a stream ---- */

void by_forget_item(struct by_item *item)
{
	size_t i;

	if (item->value)
		tsh_query_forget(item->value);
	for (i = 0; i < item->texts.n; i++)
		tsh_field_text_free(item->texts.v[i].text);
	tsh_vec_release(&item->texts);
	tsh_vec_release(&item->places);
	item->text = NULL;
	free(item->shown);
	item->shown = NULL;
	item->jiffies = TSH_QUERY_NO_JIFFIES;
	item->is_pointer = item->has_text = item->is_learned = false;
}

void by_free_item(struct by_item *item)
{
	by_forget_item(item);
	tsh_query_free(item->value);
	free(item->title);
}

static void forget(struct tsh_by *by)
{
	size_t i;

	if (by->engine->forget)
		by->engine->forget(by);
	for (i = 0; i < by->nkeys; i++)
		by_forget_item(&by->keys[i]);
	for (i = 0; i < by->nvalues; i++)
		by_forget_item(&by->values[i]);
	tsh_vec_release(&by->wanted);
	tsh_vec_release(&by->minutes);
	tsh_strbuf_release(&by->text);
	by_window_release(&by->window);
	tsh_tally_free(by->tally);
	by->tally = NULL;
	by_stacks_free(by->stacks);
	by->stacks = NULL;
	by_calls_free(by->calls);
	by->calls = NULL;
}

void tsh_by_free(struct tsh_by *by)
{
	size_t i;

	if (!by)
		return;
	forget(by);
	for (i = 0; i < by->nkeys; i++)
		by_free_item(&by->keys[i]);
	for (i = 0; i < by->nvalues; i++)
		by_free_item(&by->values[i]);
	if (by->engine->free)
		by->engine->free(by);
	by_heat_free(by->heat);
	free(by);
}

static struct tsh_by *of(struct tsh_consumer *to)
{
	return by_of((struct tsh_stage *)(void *)to);
}

/* The losses are in the stream's own sum. */
static void take_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	by_window_lose(of(to), cpu);
	(void)count;
	(void)stamp;
}

static void take_note(struct tsh_consumer *to, const char *text)
{
	/* said of events that were there before, which are not counted */
	if (!of(to)->has_before)
		tsh_out_note(of(to)->out, "%s", text);
}

static int flush(struct tsh_consumer *to, struct tsh_err *err)
{
	struct tsh_by *by = of(to);
	int64_t now = tsh_now_ns(CLOCK_MONOTONIC);
	bool shows = by->every && now >= by->next;

	if (by->is_live) {
		tsh_decoder_renew(by->decoder);
		by->age++;
	}
	if (shows && by->engine->read && by->engine->read(by, err) < 0)
		return -1;
	if (shows) {
		by_show(by, (uint64_t)(now - by->shown), false);
		by->shown = now;
		/* what was missed is not made up for */
		while (by->next <= now)
			by->next += (int64_t)by->every;
	}
	if (by->out->data.len)
		(void)tsh_out_try(by->out);
	if (by->out->closed || tsh_out_is_deserted(by->out))
		return 1;
	return by->out->error ? tsh_out_finish(by->out, err) : 0;
}

/* A recording may be another machine's, which has other numbers. */
static bool has_our_syscalls(const struct tsh_instance *in)
{
	struct utsname here;
	char *machine;
	bool same;

	if (in->dir->kind != TSH_DIR_TREE)
		return true;
	machine = tsh_tree_info(in, "machine");
	same = machine && !uname(&here) && !strcmp(machine, here.machine);
	free(machine);
	return same;
}

/* How long the events of a recording were on; 0: that is not known. */
static uint64_t recorded_ns(const struct tsh_instance *in)
{
	char *instance = tsh_tree_info(in, "instance"), *pages = tsh_tree_info(in, "pages");
	char *text = tsh_tree_info(in, "nanoseconds");
	uint64_t ns = 0;

	/* Another one's buffer has events from before, and a ring has lost the first. */
	if (!text || !instance || strcmp(instance, "own") || !pages || strcmp(pages, "in order") ||
	    tsh_parse_u64(text, &ns) < 0)
		ns = 0;
	free(instance);
	free(pages);
	free(text);
	return ns;
}

static bool item_needs_names(const struct by_item *item)
{
	return item->value && tsh_query_needs_names(item->value);
}

static bool asks_for_names(const struct tsh_by *by)
{
	bool asks = by->engine->asks_for_names && by->engine->asks_for_names(by);
	size_t i;

	for (i = 0; i < by->nkeys; i++)
		asks |= item_needs_names(&by->keys[i]);
	for (i = 0; i < by->nvalues; i++)
		asks |= item_needs_names(&by->values[i]);
	return asks;
}

bool tsh_by_needs_all(const struct tsh_by *by)
{
	bool needs = false;
	size_t i;

	for (i = 0; by && i < by->nkeys; i++)
		needs |= by_item_needs_all(&by->keys[i]);
	for (i = 0; by && i < by->nvalues; i++)
		needs |= by_item_needs_all(&by->values[i]);
	return needs;
}

bool tsh_by_needs_names(const struct tsh_by *by)
{
	/* births are told with names: a number may be one task's after the other */
	return asks_for_names(by) || tsh_by_needs_all(by) ||
	       (by->engine->needs_names && by->engine->needs_names(by));
}

static void begin_item(struct tsh_by *by, struct by_item *item)
{
	if (!item->value)
		return;
	tsh_query_set_clock(item->value, by->clock);
	tsh_query_see_all(item->value);
}

static int begin(struct tsh_stage *stage, struct tsh_err *err)
{
	const struct tsh_open_stream *stream = stage->stream;
	const struct tsh_stream_options *opt = stream->options;
	struct tsh_out *out = stream->out;
	struct tsh_by *by = by_of(stage);
	size_t i;

	(void)err;
	stage->consumer.note = take_note;
	stage->consumer.flush = flush;
	by->tally = tsh_tally_new(by->nkeys, by->nvalues + by->engine->values, by->size);
	by->decoder = stream->decoder;
	by->layout = stream->layout;
	by->clock = stream->clock;
	by->out = out;
	by->age = 1;
	by->is_live = !opt->drain;
	by->has_before = opt->has_before;
	by->recorded_ns = recorded_ns(opt->in);
	by->has_syscalls = has_our_syscalls(opt->in);
	by->before = opt->before_stamp;
	by->counted = by->without = by->older = by->others = by->first = by->last = 0;
	by->began = by->shown = tsh_now_ns(CLOCK_MONOTONIC);
	by->redraws = out->is_terminal && out->format == TSH_FORMAT_TEXT && tsh_terminal_moves();
	by->rows = 0;
	by->tables = 0;
	by->second = 0;
	/* Who counts at a terminal wants to see how it changes; what is printed meanwhile would stand in between. */
	if (!by->every && by->redraws && !by->heat && !(by->engine->prints && by->engine->prints(by)))
		by->every = 1000000000;
	if (out->is_terminal && by->is_live && !opt->max_ns)
		tsh_out_note(out, "Ctrl-C ends it");
	if (opt->drain)
		by->every = 0;
	by->next = by->began + (int64_t)by->every;
	by->needs_all = tsh_by_needs_all(by);
	by_window_begin(by, opt->in);
	for (i = 0; i < by->nkeys; i++)
		begin_item(by, &by->keys[i]);
	for (i = 0; i < by->nvalues; i++)
		begin_item(by, &by->values[i]);
	if (by->engine->begin)
		by->engine->begin(by, opt);
	if (by->heat)
		by_heat_begin(by);
	return 0;
}

static void see(struct tsh_consumer *to, const struct tsh_record *rec)
{
	by_see(of(to), rec);
}

static bool is_done(struct tsh_stage *stage)
{
	const struct tsh_by *by = by_of(stage);

	return by->engine->done && by->engine->done(by);
}

static void show(struct tsh_stage *stage)
{
	by_show_last(by_of(stage));
}

static void forget_stream(struct tsh_stage *stage)
{
	forget(by_of(stage));
}

static const struct tsh_by *const_by_of(const struct tsh_stage *stage)
{
	return (const struct tsh_by *)(const void *)((const char *)stage - offsetof(struct tsh_by, stage));
}

static bool stage_asks_for_names(const struct tsh_stage *stage)
{
	return asks_for_names(const_by_of(stage));
}

static bool stage_needs_names(const struct tsh_stage *stage)
{
	return tsh_by_needs_names(const_by_of(stage));
}

/* Says whether it counts events of the tasks that are listed, and of no others. */
static bool is_of_tasks(const struct tsh_stage *stage)
{
	const struct tsh_by *by = const_by_of(stage);

	/* profile has the list of the function tracers */
	return !by->engine->asks_tasks && !by->are_times;
}

static const struct tsh_stage_kind kind = {
	.name = "aggregate", .begin = begin, .event = by_event, .lost = take_lost, .see = see, .is_done = is_done,
	.show = show, .forget = forget_stream, .asks_for_names = stage_asks_for_names,
	.needs_names = stage_needs_names, .is_of_tasks = is_of_tasks,
};

void tsh_by_push(struct tsh_by *by, struct tsh_stream_spec *follow)
{
	if (!by)
		return;
	by->stage.kind = &kind;
	tsh_stages_push(&follow->stages, by_stacks_stage(by));
	follow->sink = &by->stage;
}
