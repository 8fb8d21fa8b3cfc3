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

static const struct tsh_counter_ops ops;

/* Is the engine of hist, which has nothing of its own to do. */
static const struct by_engine as_hist;

struct count_spec *by_add_to_call(struct tsh_call *call, const struct by_engine *engine)
{
	struct tsh_by *by = tsh_xcalloc(1, sizeof(*by));

	by->counter.ops = &ops;
	by->engine = engine ? engine : &as_hist;
	by->spec.events = &call->events;
	tsh_counter_add(call, &by->counter);
	return &by->spec;
}

/* ---- a stream ---- */

void by_item_release(struct by_item *item)
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
	item->is_pointer = item->has_text = item->has_pair_text = false;
}

void by_free_item(struct by_item *item)
{
	by_item_release(item);
	tsh_query_free(item->value);
	free(item->title);
	free(item->column);
}

static void forget(struct tsh_by *by)
{
	struct by_item *item;
	size_t i;

	if (by->engine->forget)
		by->engine->forget(by);
	for (i = 0; (item = count_spec_item(&by->spec, i)); i++)
		by_item_release(item);
	tsh_vec_release(&by->wanted);
	tsh_vec_release(&by->minutes);
	tsh_strbuf_release(&by->text);
	by_window_release(&by->window);
	tsh_tally_free(by->tally);
	by->tally = NULL;
	by_stacks_free(by->stacks);
	by->stacks = NULL;
	by_syscall_tasks_free(by->tasks);
	by->tasks = NULL;
	by_heat_free(by->heat);
	by->heat = NULL;
}

static void free_by(struct tsh_counter *counter)
{
	struct tsh_by *by = (struct tsh_by *)counter;
	struct by_item *item;
	size_t i;

	forget(by);
	for (i = 0; (item = count_spec_item(&by->spec, i)); i++)
		by_free_item(item);
	if (by->engine->free)
		by->engine->free(by);
	free(by->spec.count_column);
	free(by);
}

static struct tsh_by *of(struct tsh_consumer *to)
{
	return by_of((struct tsh_stage *)(void *)to);
}

/* Passes missing events to the window. The stream's summary counts them. */
static void handle_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	by_window_note_loss(of(to), cpu);
	(void)count;
	(void)stamp;
}

static void print_note(struct tsh_consumer *to, const char *text)
{
	/* no notes about events that are older than the command, which are not counted */
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
		/* rounds that were missed are skipped */
		while (by->next <= now)
			by->next += (int64_t)by->every;
	}
	if (by->out->data.len)
		(void)tsh_out_write_some(by->out);
	if (by->out->closed || tsh_out_check_reader(by->out))
		return 1;
	return by->out->error ? tsh_out_finish(by->out, err) : 0;
}

/* Says whether system calls have the numbers of this machine: a recording may be of another one. */
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

/* Returns how many ns the events of a recording were enabled; 0: that is not known. */
static uint64_t recorded_ns(const struct tsh_instance *in)
{
	char *instance = tsh_tree_info(in, "instance"), *pages = tsh_tree_info(in, "pages");
	char *text = tsh_tree_info(in, "nanoseconds");
	uint64_t ns = 0;

	/* a buffer that is not tracesh's own has older events; pages that are not in order are a
	 * ring, which has lost its first events */
	if (!text || !instance || strcmp(instance, "own") || !pages || strcmp(pages, "in order") ||
	    tsh_parse_u64(text, &ns) < 0)
		ns = 0;
	free(instance);
	free(pages);
	free(text);
	return ns;
}

static bool asks_for_names(const struct tsh_by *by)
{
	bool asks = by->engine->asks_for_names && by->engine->asks_for_names(by);
	const struct by_item *item;
	size_t i;

	for (i = 0; (item = count_spec_item(&by->spec, i)); i++)
		asks |= item->value && tsh_query_needs_names(item->value);
	return asks;
}

static bool needs_all(const struct tsh_counter *counter)
{
	const struct tsh_by *by = (const struct tsh_by *)counter;
	const struct by_item *item;
	bool needs = false;
	size_t i;

	for (i = 0; (item = count_spec_item(&by->spec, i)); i++)
		needs |= by_item_needs_all(item);
	return needs;
}

static bool needs_names(const struct tsh_counter *counter)
{
	const struct tsh_by *by = (const struct tsh_by *)counter;

	/* delta needs task_newtask, because a pid may be used again; it is recorded for the
	 * names */
	return asks_for_names(by) || needs_all(counter) ||
	       (by->engine->needs_names && by->engine->needs_names(by));
}

static int begin(struct tsh_stage *stage, struct tsh_err *err)
{
	const struct tsh_open_stream *stream = stage->stream;
	const struct tsh_stream_options *opt = stream->options;
	struct tsh_out *out = stream->out;
	struct tsh_by *by = by_of(stage);
	struct by_item *item;
	size_t i;

	(void)err;
	stage->consumer.note = print_note;
	stage->consumer.flush = flush;
	by->tally = tsh_tally_new(by->spec.nkeys, by->spec.nvalues + by->engine->values, count_spec_size(&by->spec));
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
	by->redraws = out->is_terminal && out->format == TSH_FORMAT_TEXT && tsh_terminal_can_move_cursor();
	by->rows = 0;
	by->tables = 0;
	by->second = 0;
	/* a terminal shows the table once a second, unless lines are printed meanwhile */
	by->every = opt->drain ? 0 : by->spec.every;
	if (!by->every && !opt->drain && by->redraws && !by->spec.has_heat &&
	    !(by->engine->prints && by->engine->prints(by)))
		by->every = 1000000000;
	if (out->is_terminal && by->is_live && !opt->max_ns)
		tsh_out_note(out, "Ctrl-C ends it");
	by->next = by->began + (int64_t)by->every;
	by->needs_all = needs_all(&by->counter);
	by_window_begin(by, opt->in);
	for (i = 0; (item = count_spec_item(&by->spec, i)); i++) {
		if (!item->value)
			continue;
		tsh_query_set_clock(item->value, by->clock);
		tsh_query_set_observes_all(item->value);
	}
	if (by->engine->begin)
		by->engine->begin(by, opt);
	if (by->spec.has_heat)
		by_heat_begin(by);
	return 0;
}

static void note_dropped(struct tsh_consumer *to, const struct tsh_record *rec)
{
	by_observe(of(to), rec);
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
	return needs_names(&const_by_of(stage)->counter);
}

/* Says whether the stage counts only events of the listed tasks. */
static bool is_of_tasks(const struct tsh_stage *stage)
{
	const struct tsh_by *by = const_by_of(stage);

	/* profile uses the function tracers' own list of tasks */
	return !by->spec.are_pairs && !by->spec.are_times;
}

static const struct tsh_stage_kind kind = {
	.name = "aggregate", .begin = begin, .event = by_event, .lost = handle_lost, .dropped = note_dropped, .is_done = is_done,
	.show = show, .forget = forget_stream, .asks_for_names = stage_asks_for_names,
	.needs_names = stage_needs_names, .is_of_tasks = is_of_tasks,
};

void tsh_by_push(struct tsh_by *by, struct tsh_stream_spec *spec)
{
	by->stage.kind = &kind;
	tsh_stages_push(&spec->stages, by_stacks_stage(by));
	/* -n of sql limits rows, not events */
	spec->max_events = 0;
	spec->sink = &by->stage;
}

static void push(struct tsh_counter *counter, struct tsh_stream_spec *spec)
{
	tsh_by_push((struct tsh_by *)counter, spec);
}

static bool lacks_filter(const struct tsh_counter *counter, const struct tsh_event *event)
{
	const struct tsh_by *by = (const struct tsh_by *)counter;

	return by->engine->lacks_filter && by->engine->lacks_filter(by, event);
}

static bool note_gaps(struct tsh_session *s, const struct tsh_call *call)
{
	const struct by_engine *engine = tsh_by_of(call)->engine;

	if (engine->note_gaps)
		engine->note_gaps(s, call);
	return engine->note_gaps;
}

static const struct tsh_counter_ops ops = {
	.free = free_by, .needs_all = needs_all, .lacks_filter = lacks_filter, .prepare = by_stacks_prepare,
	.needs_names = needs_names, .push = push, .note_gaps = note_gaps,
};
