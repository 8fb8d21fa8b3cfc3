/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorded.h"

#include <stdlib.h>

#include "engine/pipeline/run.h"
#include "engine/pipeline/tail.h"
#include "engine/pipeline/task-names.h"
#include "events/source/stream.h"

/* Prints a recording: decodes its pages. */

/* ---- counting the events ---- */

static bool ignore_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	(void)to, (void)rec, (void)late;
	return true;
}

static void ignore_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)to, (void)cpu, (void)count, (void)stamp;
}

static void ignore_note(struct tsh_consumer *to, const char *text)
{
	(void)to, (void)text;
}

static int ignore_flush(struct tsh_consumer *to, struct tsh_err *err)
{
	(void)to, (void)err;
	return 0;
}

static int open_clock(struct tsh_session *s, const struct tsh_range *range,
		      struct tsh_clock *clock, struct tsh_err *err)
{
	char *name = tsh_clock_name(s->in);
	int r;

	tsh_clock_init(clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	if (!range->is_on)
		return 0;
	r = tsh_clock_sample_instance(clock, s->in, 1, err);
	if (r >= 0)
		r = tsh_range_check_time(clock, err);
	if (r < 0)
		tsh_clock_release(clock);
	return r < 0 ? -1 : 0;
}

static int count(struct tsh_session *s, const struct tsh_range *range, uint64_t *ret,
		 struct tsh_err *err)
{
	struct tsh_consumer nobody = { .event = ignore_event, .lost = ignore_lost,
				       .note = ignore_note, .flush = ignore_flush };
	const struct tsh_stream_options opt = { .waiter = s->waiter, .in = s->in, .drain = true };
	enum tsh_stream_end end = TSH_STREAM_EMPTY;
	struct tsh_range counted = *range;
	struct tsh_stream_summary sum = { 0 };
	struct tsh_live_provider *provider;
	struct tsh_range_stage ranged;
	struct tsh_consumer *to = &nobody;
	struct tsh_task_names task_names;
	struct tsh_clock clock;
	struct tsh_open_stream stream = { .in = s->in, .clock = &clock, .options = &opt, .sum = &sum };
	int r;

	if (open_clock(s, range, &clock, err) < 0)
		return -1;
	r = tsh_source_open(s->in, NULL, &stream.source, err);
	if (!r) {
		provider = tsh_live_provider_new(s->in);
		stream.layout = tsh_source_layout(stream.source);
		stream.decoder = tsh_decoder_new(tsh_live_provider(provider), stream.layout);
		tsh_task_names_find(s->in, &task_names);
		if (tsh_range_stage(&ranged, &counted))
			r = tsh_stage_begin(&ranged.stage, &stream, &to, err);
		if (!r)
			r = tsh_stage_begin(&task_names.stage, &stream, &to, err);
		if (!r)
			r = tsh_stream_run(stream.source, to, &opt, &sum, &end, err);
		tsh_decoder_free(stream.decoder);
		tsh_live_provider_free(provider);
		tsh_source_close(stream.source);
	}
	tsh_range_release(&counted);
	tsh_clock_release(&clock);
	*ret = sum.events;
	s->aborted = end == TSH_STREAM_ABORT;
	return r < 0 || s->aborted ? -1 : 0;
}

int tsh_tree_show(struct tsh_session *s, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err)
{
	struct tsh_stream_spec f = { .in = s->in, .drain = true };
	struct tsh_range_stage ranged;
	struct tsh_tail_stage tail;
	uint64_t all = 0;
	int r;

	if (last && count(s, range, &all, err) < 0)
		return -1;
	tsh_stages_push(&f.stages, tsh_range_stage(&ranged, range));
	if (last && all > *last)
		tsh_stages_push(&f.stages, tsh_tail_stage(&tail, all - *last));
	if (tsh_source_open(s->in, NULL, &f.source, err) < 0)
		return -1;
	r = tsh_print_stream(s, &f, err);
	tsh_source_close(f.source);
	return r;
}
