/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stage.h"

#include <assert.h>

#include "events/clock/clock.h"

static struct tsh_consumer *behind(struct tsh_consumer *consumer)
{
	/* the consumer is the first member of its stage */
	return ((struct tsh_stage *)(void *)consumer)->next;
}

static void pass_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	behind(consumer)->lost(behind(consumer), cpu, count, stamp);
}

static void pass_dropped(struct tsh_consumer *consumer, const struct tsh_record *rec)
{
	behind(consumer)->dropped(behind(consumer), rec);
}

static void pass_note(struct tsh_consumer *consumer, const char *text)
{
	behind(consumer)->note(behind(consumer), text);
}

static int pass_flush(struct tsh_consumer *consumer, struct tsh_err *err)
{
	return behind(consumer)->flush(behind(consumer), err);
}

static int pass_stuck(struct tsh_consumer *consumer)
{
	struct tsh_consumer *to = behind(consumer);

	return to->stuck ? to->stuck(to) : -1;
}

static void pass_mute(struct tsh_consumer *consumer, bool on)
{
	behind(consumer)->mute(behind(consumer), on);
}

static void pass_skipped(struct tsh_consumer *consumer, uint64_t count, int cpu, uint64_t stamp)
{
	behind(consumer)->skipped(behind(consumer), count, cpu, stamp);
}

void tsh_stages_push(struct tsh_stages *stages, struct tsh_stage *stage)
{
	if (!stage)
		return;
	assert(stages->n < TSH_STAGES_MAX);
	stages->v[stages->n++] = stage;
}

int tsh_stage_begin(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_consumer **to,
		    struct tsh_err *err)
{
	const struct tsh_stage_kind *kind = stage->kind;
	struct tsh_consumer *next = *to;
	int r;

	stage->stream = stream;
	stage->next = next;
	stage->consumer = (struct tsh_consumer){ .event = kind->event, .lost = kind->lost, .dropped = kind->dropped };
	if (next) {
		stage->consumer.lost = kind->lost ? kind->lost : pass_lost;
		stage->consumer.dropped = kind->dropped ? kind->dropped : next->dropped ? pass_dropped : NULL;
		stage->consumer.note = pass_note;
		stage->consumer.flush = pass_flush;
		stage->consumer.stuck = pass_stuck;
		stage->consumer.mute = next->mute ? pass_mute : NULL;
		stage->consumer.skipped = next->skipped ? pass_skipped : NULL;
	}
	r = kind->begin ? kind->begin(stage, err) : 0;
	if (!r && kind->event)
		*to = &stage->consumer;
	return r < 0 ? -1 : 0;
}

int tsh_stages_prepare(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_err *err)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->prepare && stages->v[i]->kind->prepare(stages->v[i], stream, err) < 0)
			return -1;
	return 0;
}

int tsh_stages_begin(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_consumer **to,
		     struct tsh_err *err)
{
	size_t i;

	for (i = stages->n; i-- > 0;)
		if (tsh_stage_begin(stages->v[i], stream, to, err) < 0)
			return -1;
	return 0;
}

/* Goes through the stages twice: returns a stage with is_reported_last in the second round only, the
 * others in the first round only; otherwise NULL. */
static const struct tsh_stage *stage_of_round(const struct tsh_stages *stages, size_t i)
{
	const struct tsh_stage *stage = stages->v[i % stages->n];

	return stage->kind->is_reported_last == (i >= stages->n) ? stage : NULL;
}

void tsh_stages_finish(const struct tsh_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->last)
			stages->v[i]->kind->last(stages->v[i]);
	for (i = 0; i < 2 * stages->n; i++) {
		const struct tsh_stage *stage = stage_of_round(stages, i);

		if (stage && stage->kind->report)
			stage->kind->report(stage);
	}
}

void tsh_stages_append_clauses(const struct tsh_stages *stages, struct tsh_strbuf *text)
{
	size_t i;

	for (i = 0; i < 2 * stages->n; i++) {
		const struct tsh_stage *stage = stage_of_round(stages, i);

		if (stage && stage->kind->append_clause)
			stage->kind->append_clause(stage, text);
	}
}

void tsh_stages_end(const struct tsh_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->end)
			stages->v[i]->kind->end(stages->v[i]);
}

void tsh_stages_forget(const struct tsh_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->forget)
			stages->v[i]->kind->forget(stages->v[i]);
}

bool tsh_stages_ask_for_names(const struct tsh_stages *stages)
{
	bool ask = false;
	size_t i;

	for (i = 0; i < stages->n; i++)
		ask |= stages->v[i]->kind->asks_for_names && stages->v[i]->kind->asks_for_names(stages->v[i]);
	return ask;
}

bool tsh_stages_can_end(const struct tsh_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->is_done)
			return true;
	return false;
}

bool tsh_stages_are_done(const struct tsh_stages *stages)
{
	size_t i;

	for (i = 0; i < stages->n; i++)
		if (stages->v[i]->kind->is_done && stages->v[i]->kind->is_done(stages->v[i]))
			return true;
	return false;
}

void tsh_stage_pass_held(const struct tsh_stage *stage, const struct tsh_record *rec, bool late)
{
	if (stage->next->event(stage->next, rec, late)) {
		stage->stream->sum->events++;
		stage->stream->sum->late += late;
	}
}
