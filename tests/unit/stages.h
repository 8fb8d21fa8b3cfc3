/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_STAGES_H
#define TESTS_UNIT_STAGES_H

#include "engine/pipeline/stage.h"

#include "engine/pipeline/attach-stacks.h"
#include "graphs.h"

/* Has a stream by hand: records go into a stage, and what is given on is written down. */

#define WALL INT64_C(1704206853843825123)
#define STAMP UINT64_C(12345678999)	/* of the record before the first: they are 1000 ns apart */
/* At the end of the stages: "3 " is an event with cpu=3, "!" before it says that it is late. */
struct end {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_strbuf text;
	const struct tsh_event_stacks *stacked;	/* what comes with an event is told, too */
};

static inline struct end *end_of(struct tsh_consumer *to)
{
	return (struct end *)(void *)to;
}

static inline int number(const struct tsh_record *rec)
{
	int n;

	memcpy(&n, rec->data + 8, sizeof(n));
	return n;
}

static inline bool end_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	const struct tsh_event_stacks *stacked = end_of(to)->stacked;

	tsh_strbuf_addf(&end_of(to)->text, "%s%d%s ", late ? "!" : "", number(rec),
			!stacked ? "" : stacked->stack ? "+" : "-");
	return true;
}

static inline void end_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)stamp;
	tsh_strbuf_addf(&end_of(to)->text, "lost(%d,%d) ", (int)count, cpu);
}

static inline void end_dropped(struct tsh_consumer *to, const struct tsh_record *rec)
{
	tsh_strbuf_addf(&end_of(to)->text, "(%d) ", number(rec));
}

static inline void end_note(struct tsh_consumer *to, const char *text)
{
	tsh_strbuf_addf(&end_of(to)->text, "[%s] ", text);
}

struct scene {
	struct world w;
	struct tsh_clock clock;
	struct tsh_out out;
	struct tsh_strbuf notes;
	struct tsh_instance in;
	struct tsh_stream_summary sum;
	struct tsh_open_stream stream;
	struct end end;
	struct tsh_consumer *to;
};

static inline void keep_note(void *ctx, const char *text)
{
	struct scene *s = ctx;

	tsh_strbuf_addf(&s->notes, "%s\n", text);
}

static inline void open_scene(struct scene *s, const struct event *events)
{
	/* exact, but for 180 ns */
	const struct tsh_clock_wall_sample wall = { .before = WALL - 179, .after = WALL + 179, .base = STAMP };
	const struct tsh_clock_sample line = {
		.before = (int64_t)STAMP, .after = (int64_t)STAMP, .stamp = STAMP, .cpu = -1,
	};

	memset(s, 0, sizeof(*s));
	begin(&s->w, events, "");
	setenv("TZ", "UTC0", 1);
	tzset();
	tsh_clock_init(&s->clock, tsh_clock_kind("mono_raw"));
	tsh_clock_add_wall(&s->clock, &wall);
	tsh_clock_add(&s->clock, &line);
	tsh_out_init(&s->out, -1, TSH_FORMAT_TEXT);
	s->out.note = keep_note;
	s->out.note_ctx = s;
	tsh_strbuf_init(&s->notes);
	s->end = (struct end){
		.consumer = { .event = end_event, .lost = end_lost, .dropped = end_dropped, .note = end_note },
		.text = TSH_STRBUF_INIT,
	};
	s->stream = (struct tsh_open_stream){
		.in = &s->in, .decoder = s->w.decoder, .layout = &s->w.layout, .clock = &s->clock, .out = &s->out,
		.sum = &s->sum,
	};
	s->to = &s->end.consumer;
}

static inline void begin_stage(struct scene *s, struct tsh_stage *stage)
{
	struct tsh_err err = { 0 };

	assert_non_null(stage);
	if (stage->kind->prepare)
		assert_int_equal(stage->kind->prepare(stage, &s->stream, &err), 0);
	assert_int_equal(tsh_stage_begin(stage, &s->stream, &s->to, &err), 0);
	assert_ptr_equal(s->to, &stage->consumer);
}

/* An event of that number, 1000 ns behind the one before. */
static inline void happen(struct scene *s, int cpu, int n, bool late)
{
	add(&s->w, cpu, 7, WAKEUP, 12);
	memcpy(last(&s->w) + 8, &n, 4);
	s->sum.events += s->to->event(s->to, &s->w.rec[s->w.n - 1], late);
}

static inline void came_out(struct scene *s, const char *text, uint64_t counted)
{
	assert_string_equal(s->end.text.len ? s->end.text.buf : "", text);
	assert_int_equal(s->sum.events, counted);
	tsh_strbuf_clear(&s->end.text);
}

/* What the sum line has of it. */
static inline void expect_clause(const struct scene *s, const struct tsh_stage *stage, const char *text)
{
	struct tsh_strbuf clause = TSH_STRBUF_INIT;

	(void)s;
	stage->kind->append_clause(stage, &clause);
	assert_string_equal(clause.len ? clause.buf : "", text);
	tsh_strbuf_release(&clause);
}

static inline void close_scene(struct scene *s)
{
	tsh_strbuf_release(&s->end.text);
	tsh_strbuf_release(&s->notes);
	tsh_out_release(&s->out);
	tsh_clock_release(&s->clock);
	end(&s->w);
}

#endif
