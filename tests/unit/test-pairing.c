/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pair/rows.h"

#include "output/sink.h"
#include "pair-events.h"

#include <stdio.h>
#include <stdlib.h>

/* Which events are pairs, and the rows that are made of them. */

static const struct tsh_event both[] = { { .system = (char *)"sched", .name = (char *)"waking" },
					 { .system = (char *)"sched", .name = (char *)"switch" } };
static const struct tsh_event one[] = { { .system = (char *)"sched", .name = (char *)"switch" },
					{ .system = (char *)"sched", .name = (char *)"switch" } };

/* ---- pairs ---- */

struct fixture {
	struct tsh_by by;
	struct synth_plan plan;
	struct pairing pairing;
	struct tsh_pairs_begin begin;
};

static void begin(struct fixture *f, const struct tsh_event *events, const char *start, const char *end)
{
	static const struct pairing_room room = { .starts = 8, .with = 0, .texts = 8 };
	const char *const names[LATENCY_ROLES] = { start, end };

	memset(f, 0, sizeof(*f));
	f->by.decoder = make_decoder();
	f->by.layout = &page_layout;
	f->by.age = 1;
	f->plan.spec = (struct pair_spec){ .events = events, .is_one = latency_is_same_event(events) };
	synth_plan_add_key(&f->plan, names);
	pairing_begin(&f->pairing, &f->plan.spec, &f->by, &room);
}

static void end(struct fixture *f)
{
	pairing_release(&f->pairing);
	pairing_release(&f->pairing);
	synth_plan_release(&f->plan);
	tsh_strbuf_release(&f->by.text);
	tsh_decoder_free(f->by.decoder);
}

/* Gives an event in that role; says whether it ends a pair. */
static bool give(struct fixture *f, enum latency_role role, uint64_t stamp, int pid, const char *comm)
{
	struct tsh_tally_part key[TSH_TALLY_PARTS_MAX];
	unsigned int id = f->plan.spec.is_one || role == LATENCY_END ? SWITCH : WAKING;
	struct pair_event data;
	struct tsh_record rec = make_event(&data, id, stamp, 0, pid, comm, 0);

	assert_int_equal(pairing_role(&f->pairing, id), f->plan.spec.is_one ? LATENCY_END : role);
	assert_true(pairing_key(&f->pairing, role, &rec, id, key));
	assert_true(pairing_is_traced(&f->pairing, key));
	if (role == LATENCY_END)
		return pairing_end(&f->pairing, key, stamp, &f->begin);
	f->begin = (struct tsh_pairs_begin){ .stamp = stamp };
	tsh_pairs_begin(f->pairing.pairs, key, &f->begin);
	return false;
}

static void test_pairs(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, both, "pid", "next_pid");
	assert_true(f.plan.spec.has_task);
	assert_int_equal(pairing_role(&f.pairing, 99), LATENCY_NEITHER);
	assert_false(give(&f, LATENCY_END, 5, 7, "x"));
	give(&f, LATENCY_BEGIN, 10, 7, "x");
	give(&f, LATENCY_BEGIN, 11, 8, "x");
	assert_true(give(&f, LATENCY_END, 20, 7, "x"));
	assert_int_equal(f.begin.stamp, 10);
	assert_false(give(&f, LATENCY_END, 30, 7, "x"));
	/* the later START takes the place */
	give(&f, LATENCY_BEGIN, 40, 8, "x");
	assert_true(give(&f, LATENCY_END, 50, 8, "x"));
	assert_int_equal(f.begin.stamp, 40);
	end(&f);
}

static void test_texts(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, both, "comm", "next_comm");
	assert_false(f.plan.spec.has_task);
	give(&f, LATENCY_BEGIN, 10, 7, "bash");
	assert_false(give(&f, LATENCY_END, 20, 7, "7"));
	assert_true(give(&f, LATENCY_END, 21, 8, "bash"));
	end(&f);
}

/* What the kernel calls so is no field. */
static void test_cpu(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, both, "common_cpu", "common_cpu");
	give(&f, LATENCY_BEGIN, 10, 7, "x");
	assert_true(give(&f, LATENCY_END, 20, 8, "x"));
	end(&f);
}

static void test_one_event(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, one, "common_pid", "next_pid");
	assert_true(f.plan.spec.is_one);
	give(&f, LATENCY_BEGIN, 10, 7, "x");	/* task 1 goes */
	assert_true(give(&f, LATENCY_END, 20, 1, "x"));
	end(&f);
}

static bool is_never(void *ctx, int pid)
{
	(void)ctx;
	return pid != 7;
}

static void test_not_traced(void **state)
{
	struct tsh_tally_part key[TSH_TALLY_PARTS_MAX];
	struct pair_event data;
	struct tsh_record rec = make_event(&data, WAKING, 10, 0, 7, "x", 0);
	struct fixture f;

	(void)state;
	begin(&f, both, "pid", "next_pid");
	tsh_decoder_set_whole(f.by.decoder, is_never, NULL);
	assert_true(pairing_key(&f.pairing, LATENCY_BEGIN, &rec, WAKING, key));
	assert_false(pairing_is_traced(&f.pairing, key));
	end(&f);
}

/* ---- rows ---- */

struct rows {
	struct tsh_consumer consumer;
	const struct tsh_rows *of;
	struct tsh_strbuf text;		/* the cells, but the time, a line each */
	uint64_t lost;
};

static bool take(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct rows *r = (struct rows *)to;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	(void)late;
	for (i = 1; i < r->of->n; i++) {
		struct tsh_cell cell = { .text = &text };

		tsh_strbuf_clear(&text);
		r->of->cell(r->of->ctx, rec, i, &cell);
		tsh_strbuf_addf(&r->text, "%s%s=%s", i > 1 ? " " : "", r->of->names[i], text.buf ? text.buf : "");
	}
	tsh_strbuf_addc(&r->text, '\n');
	tsh_strbuf_release(&text);
	return true;
}

static void lose(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)cpu;
	(void)stamp;
	((struct rows *)to)->lost += count;
}

static void take_note(void *ctx, const char *text)
{
	tsh_strbuf_adds(ctx, text);
}

static struct synth_operand field_of(const char *name, enum latency_role role, unsigned int size, bool is_signed)
{
	return (struct synth_operand){ .role = role, .name = strdup(name), .type = strdup("int"), .suffix = strdup(""),
				       .size = size, .is_signed = is_signed };
}

static void add_field(struct synth_plan *plan, const char *name, char op, struct synth_operand a,
		      struct synth_operand b)
{
	*tsh_vec_push(&plan->fields) = (struct synth_field){ .name = strdup(name), .op = op, .of = { a, b } };
}

/* Says whether it made a row. */
static bool give_row(struct tsh_consumer *to, unsigned int id, uint64_t stamp, int cpu, int pid, const char *comm,
		     unsigned int prio)
{
	struct pair_event data;
	struct tsh_record rec = make_event(&data, id, stamp, cpu, pid, comm, prio);

	return to->event(to, &rec, false);
}

/* Makes a plan of four fields, by pid. */
static void make_plan(struct synth_plan *ret)
{
	const char *const names[LATENCY_ROLES] = { "pid", "next_pid" };

	*ret = (struct synth_plan){ .name = "made", .spec = { .events = both } };
	synth_plan_add_key(ret, names);
	add_field(ret, "lat", '-', synth_operand_time(SYNTH_TIME, LATENCY_END),
		  synth_operand_time(SYNTH_TIME, LATENCY_BEGIN));
	add_field(ret, "comm", '\0', field_of("comm", LATENCY_BEGIN, 0, false), (struct synth_operand){ 0 });
	add_field(ret, "prio", '-', field_of("next_prio", LATENCY_END, 1, false),
		  field_of("prio", LATENCY_BEGIN, 1, false));
	add_field(ret, "cpu", '\0', field_of("common_cpu", LATENCY_BEGIN, 4, false), (struct synth_operand){ 0 });
}

static void test_rows(void **state)
{
	struct tsh_clock clock;
	struct tsh_stream_summary sum = { 0 };
	struct tsh_decoder *decoder = make_decoder();
	struct synth_plan plan;
	struct rows rows = { .consumer = { .event = take, .lost = lose } };
	struct tsh_err err = { 0 };
	struct tsh_strbuf note = TSH_STRBUF_INIT;
	struct tsh_open_stream stream = { .decoder = decoder, .layout = &page_layout, .clock = &clock, .sum = &sum };
	struct tsh_stages stages = { 0 };
	struct tsh_pair_rows *joined;
	struct tsh_consumer *to = &rows.consumer;
	struct tsh_out out;

	(void)state;
	tsh_clock_init(&clock, tsh_clock_kind("local"));
	make_plan(&plan);
	joined = tsh_pair_rows_new(&plan, &err);
	assert_non_null(joined);
	stream.out = &out;
	tsh_pair_rows_push(joined, &stages);
	assert_int_equal(tsh_stages_prepare(&stages, &stream, &err), 0);
	assert_int_equal(tsh_stages_begin(&stages, &stream, &to, &err), 0);
	rows.of = stream.rows;
	assert_false(give_row(to, SWITCH, 5, 0, 7, "alone", 1));
	give_row(to, WAKING, 10, 2, 7, "bash", 120);
	give_row(to, WAKING, 11, 3, 8, "cat", 1);
	assert_true(give_row(to, SWITCH, 30, 1, 7, "", 119));
	assert_string_equal(rows.text.buf, "lat=20 comm=bash prio=255 cpu=2\n");
	to->lost(to, 0, 3, 31);
	give_row(to, SWITCH, 40, 1, 8, "", 1);
	assert_string_equal(rows.text.buf, "lat=20 comm=bash prio=255 cpu=2\n");
	assert_int_equal(rows.lost, 3);
	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	out.note = take_note;
	out.note_ctx = &note;
	tsh_stages_finish(&stages);
	tsh_stages_end(&stages);
	assert_string_equal(note.buf, "1 pair not shown: events between the two were lost");
	tsh_strbuf_release(&note);
	tsh_out_release(&out);
	tsh_pair_rows_free(joined);
	synth_plan_release(&plan);
	tsh_strbuf_release(&rows.text);
	tsh_clock_release(&clock);
	tsh_decoder_free(decoder);
}

/* The same plan in the kernel's words. */
static void test_texts_of_the_kernel(void **state)
{
	struct synth_plan plan;
	struct synth_texts texts;

	(void)state;
	make_plan(&plan);
	plan.filters[LATENCY_END] = strdup("next_prio < 100");
	synth_texts_make(&plan, &texts);
	assert_string_equal(texts.definition, "made u64 lat; int comm; int prio; int cpu");
	assert_string_equal(texts.triggers[LATENCY_BEGIN],
			    "hist:keys=pid:b1=common_timestamp,b2=comm,b3=prio,b4=common_cpu");
	assert_string_equal(texts.triggers[LATENCY_END],
			    "hist:keys=next_pid:e1=common_timestamp-$b1,e3=next_prio-$b3:onmatch(sched.waking).trace(made,"
			    "$e1,$b2,$e3,$b4) if next_prio < 100");
	synth_texts_release(&texts);
	synth_plan_release(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),	   cmocka_unit_test(test_texts), cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_one_event), cmocka_unit_test(test_not_traced), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_texts_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
