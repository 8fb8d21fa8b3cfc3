/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pipeline/stage.h"

#include "engine/pipeline/attach-stacks.h"
#include "engine/pipeline/fields.h"
#include "engine/pipeline/flight-recorder.h"
#include "engine/pipeline/range.h"
#include "engine/pipeline/rate.h"
#include "engine/pipeline/tail.h"
#include "engine/pipeline/task-names.h"
#include "engine/pipeline/where.h"
#include "stages.h"

/* Stages, each by itself: records made by hand go in; what is given on, counts, clauses and losses come out. */

#define NEWTASK 400

static const struct event events[] = {
	OTHER_EVENTS,
	{ NEWTASK, "task", EVENT("task_newtask", 400, FIELD("pid_t", "pid", 8, 4, 1)
				 FIELD("char", "comm[16]", 12, 16, 0)) },
	{ 0 }
};

/* ---- range ---- */

static void test_range(void **state)
{
	struct tsh_range range = { .is_on = true, .since = WALL + 2000, .until = WALL + 3000 };
	struct tsh_range_stage r;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_range_stage(&r, &range));
	s.to->lost(s.to, 0, 3, STAMP + 500);
	happen(&s, 0, 1, false);
	happen(&s, 0, 2, false);
	s.to->lost(s.to, 0, 4, STAMP + 2500);
	happen(&s, 1, 3, true);
	happen(&s, 0, 4, false);
	/* between the CPU's last event and one that is outside as well */
	s.to->lost(s.to, 0, 5, STAMP + 5000);
	/* of a CPU that has been nowhere: they may be in it */
	s.to->lost(s.to, 1, 6, STAMP + 5000);
	came_out(&s, "(1) 2 lost(4,0) !3 (4) lost(6,1) ", 2);
	r.stage.kind->report(&r.stage);
	assert_int_equal(tsh_summary_left_out(&s.sum, TSH_OUTSIDE), 2);
	expect_clause(&s, &r.stage, "2 outside of the range not printed, ");
	s.sum.events = 0;
	expect_clause(&s, &r.stage, "2 outside of the range not printed, from 2024-01-02 14:47:33.843826 to "
		      "2024-01-02 14:47:33.843829, ");
	tsh_range_release(&range);
	assert_null(tsh_range_stage(&r, &range));
	close_scene(&s);
}

/* Without a time nothing can be in a range of it. */
static void test_range_clock(void **state)
{
	struct tsh_range range = { .is_on = true };
	struct tsh_err err = { 0 };
	struct tsh_range_stage r;
	struct tsh_clock counter;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	tsh_clock_init(&counter, tsh_clock_kind("counter"));
	s.stream.clock = &counter;
	tsh_range_stage(&r, &range);
	assert_int_equal(r.stage.kind->prepare(&r.stage, &s.stream, &err), -1);
	assert_non_null(strstr(err.message, "'counter' is no time"));
	tsh_err_release(&err);
	tsh_clock_release(&counter);
	close_scene(&s);
}

/* ---- where ---- */

static struct tsh_query *query_of(const char *text)
{
	struct tsh_err err = { 0 };
	struct tsh_query *query = tsh_query_new(text, strlen(text), &err);

	assert_non_null(query);
	return query;
}

static void test_where(void **state)
{
	struct tsh_query *query = query_of("cpu > 2");
	struct tsh_where_stage w;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_where_stage(&w, query));
	expect_clause(&s, &w.stage, "");
	happen(&s, 0, 1, false);
	happen(&s, 0, 3, true);
	happen(&s, 0, 2, false);
	s.to->lost(s.to, 0, 4, STAMP);
	happen(&s, 0, 4, false);
	came_out(&s, "(1) !3 (2) lost(4,0) 4 ", 2);
	w.stage.kind->report(&w.stage);
	assert_int_equal(tsh_summary_left_out(&s.sum, TSH_UNMATCHED), 2);
	expect_clause(&s, &w.stage, "2 not matching, ");
	assert_false(w.stage.kind->asks_for_names(&w.stage));
	assert_null(tsh_where_stage(&w, NULL));
	tsh_query_free(query);
	close_scene(&s);
}

/* What an event does not have is unknown, and said once. */
static void test_where_unknown(void **state)
{
	struct tsh_query *query = query_of("prio > 2 || 1 / (cpu - cpu) == 1");
	struct tsh_where_stage w;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_where_stage(&w, query));
	happen(&s, 0, 1, false);
	happen(&s, 0, 2, false);
	came_out(&s, "(1) (2) ", 0);
	expect_clause(&s, &w.stage, "2 not matching (2 unknown), 2 divided by zero, ");
	assert_string_equal(s.notes.buf, "sched:wakeup has no 'prio': comparisons with it are unknown, and "
			    "events for which the where is unknown are not printed\n");
	tsh_query_free(query);
	close_scene(&s);
}

/* Delta counts from the event before, be it outside of a range. */
static void test_where_delta(void **state)
{
	struct tsh_range range = { .is_on = true, .since = WALL + 2000, .until = WALL + 9000 };
	struct tsh_query *query = query_of("delta < 2us");
	struct tsh_range_stage r;
	struct tsh_where_stage w;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_where_stage(&w, query));
	begin_stage(&s, tsh_range_stage(&r, &range));
	happen(&s, 0, 1, false);
	happen(&s, 0, 2, false);
	came_out(&s, "(1) 2 ", 1);
	tsh_query_free(query);
	tsh_range_release(&range);
	close_scene(&s);
}

/* ---- rate and tail ---- */

static void test_rate(void **state)
{
	struct tsh_rate_stage r;
	struct scene s;
	int i;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_rate_stage(&r, 2));
	for (i = 1; i <= 5; i++)
		happen(&s, 0, i, false);
	came_out(&s, "1 2 ", 2);
	/* the next second, and a late one of the second before */
	add(&s.w, 0, 7, WAKEUP, 12)->stamp = STAMP + UINT64_C(1000000000);
	s.sum.events += s.to->event(s.to, &s.w.rec[s.w.n - 1], false);
	happen(&s, 0, 6, true);
	happen(&s, 0, 7, false);
	came_out(&s, "[3 more events in that second not printed (--limit-rate 2)] 0 !6 ", 4);
	r.stage.kind->report(&r.stage);
	r.stage.kind->end(&r.stage);
	came_out(&s, "[1 more event in that second not printed (--limit-rate 2)] ", 4);
	assert_int_equal(tsh_summary_left_out(&s.sum, "over_rate"), 4);
	expect_clause(&s, &r.stage, "4 over the rate not printed, ");
	assert_null(tsh_rate_stage(&r, 0));
	close_scene(&s);
}

static void test_tail(void **state)
{
	struct tsh_tail_stage t;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_tail_stage(&t, 2));
	happen(&s, 0, 1, false);
	s.to->lost(s.to, 0, 3, STAMP);
	happen(&s, 0, 2, true);
	s.to->lost(s.to, 0, 4, STAMP);
	happen(&s, 0, 3, true);
	came_out(&s, "lost(4,0) !3 ", 1);
	assert_null(tsh_tail_stage(&t, 0));
	close_scene(&s);
}

/* ---- the flight recorder ---- */

static const struct tsh_arg flight_args[] = { TSH_FLIGHT_STOP, TSH_FLIGHT_BEFORE, TSH_FLIGHT_AFTER };

/* Makes a flight recorder, which goes with *ret. before_ns 0: without --before; after_ns 0: without --after. */
static struct tsh_flight_recorder *flight_of(struct tsh_call *ret, uint64_t before_ns, uint64_t after_ns)
{
	static char stop[] = "cpu == 5";
	struct tsh_value values[3] = { { .arg = &flight_args[0], .word = { .text = stop, .len = sizeof(stop) - 1 } } };
	struct tsh_call call = { .args = { .v = values, .n = 1 } };
	struct tsh_session session = { 0 };
	struct tsh_err err = { 0 };

	if (before_ns)
		values[call.args.n++] = (struct tsh_value){ .arg = &flight_args[1], .number = before_ns };
	if (after_ns)
		values[call.args.n++] = (struct tsh_value){ .arg = &flight_args[2], .number = after_ns };
	assert_int_equal(tsh_flight_recorder_resolve(&session, &call, &err), 0);
	*ret = (struct tsh_call){ .states = call.states };
	return tsh_flight_recorder_of(ret);
}

static void test_flight(void **state)
{
	struct tsh_call call;
	struct tsh_flight_recorder *flight = flight_of(&call, 2500, 1500);
	struct tsh_stage *stage = tsh_flight_recorder_stage(flight);
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, stage);
	assert_false(stage->kind->asks_for_names(stage));
	happen(&s, 0, 1, false);
	happen(&s, 0, 2, false);
	happen(&s, 0, 3, false);
	s.to->lost(s.to, 0, 4, STAMP + 3500);
	happen(&s, 0, 4, true);
	/* none counts before it is given on */
	came_out(&s, "", 0);
	assert_int_equal(s.sum.late, 0);
	assert_false(stage->kind->is_done(stage));
	stage->kind->report(stage);
	assert_int_equal(s.sum.held_back, 4);
	happen(&s, 0, 5, false);
	came_out(&s, "3 lost(4,0) !4 5 ", 3);
	assert_int_equal(s.sum.late, 1);
	happen(&s, 0, 6, false);
	assert_false(stage->kind->is_done(stage));
	happen(&s, 0, 7, false);
	s.to->lost(s.to, 0, 5, STAMP + 8000);
	came_out(&s, "6 ", 4);
	assert_true(stage->kind->is_done(stage));
	stage->kind->report(stage);
	assert_int_equal(s.sum.held_back, 0);
	stage->kind->end(stage);
	assert_int_equal(s.notes.len, 0);
	tsh_call_release(&call);
	close_scene(&s);
}

static bool is_never(struct tsh_stage *stage)
{
	(void)stage;
	return false;
}

static bool is_always(struct tsh_stage *stage)
{
	(void)stage;
	return true;
}

/* Each stage that can end the stream is asked. */
static void test_ending(void **state)
{
	static const struct tsh_stage_kind passes = { .name = "passes" }, never = { .is_done = is_never },
					   always = { .is_done = is_always };
	struct tsh_stage v[] = { { .kind = &passes }, { .kind = &never }, { .kind = &always } };
	struct tsh_stages stages = { 0 };

	(void)state;
	tsh_stages_push(&stages, &v[0]);
	assert_false(tsh_stages_can_end(&stages) || tsh_stages_are_done(&stages));
	tsh_stages_push(&stages, &v[1]);
	assert_true(tsh_stages_can_end(&stages) && !tsh_stages_are_done(&stages));
	tsh_stages_push(&stages, &v[2]);
	assert_true(tsh_stages_can_end(&stages) && tsh_stages_are_done(&stages));
}

/* What does not come is said at the end, with how much was kept for it. */
static void test_flight_in_vain(void **state)
{
	struct tsh_call call;
	struct tsh_flight_recorder *flight = flight_of(&call, UINT64_C(1000000000), 0);
	struct tsh_stage *stage = tsh_flight_recorder_stage(flight);
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, stage);
	happen(&s, 0, 1, false);
	happen(&s, 0, 2, false);
	stage->kind->end(stage);
	came_out(&s, "", 0);
	assert_string_equal(s.notes.buf, "--stop-when was true for no event: the last 2 are not printed\n");
	tsh_call_release(&call);
	assert_null(tsh_flight_recorder_stage(NULL));
	close_scene(&s);
}

/* Of what stands before it and drops events only what is given on counts, also of what it kept. */
static void test_flight_and_where(void **state)
{
	struct tsh_query *query = query_of("cpu != 3");
	struct tsh_call call;
	struct tsh_flight_recorder *flight = flight_of(&call, UINT64_C(1000000000), 0);
	struct tsh_where_stage w;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	begin_stage(&s, tsh_where_stage(&w, query));
	begin_stage(&s, tsh_flight_recorder_stage(flight));
	happen(&s, 0, 3, true);
	happen(&s, 0, 4, true);
	happen(&s, 0, 5, false);
	came_out(&s, "(3) !4 5 ", 2);
	assert_int_equal(s.sum.late, 1);
	tsh_call_release(&call);
	tsh_query_free(query);
	close_scene(&s);
}

/* ---- fields ---- */

static void test_fields(void **state)
{
	static const struct tsh_arg arg = TSH_FIELDS_CLAUSE;
	static char list[] = "cpu twice=cpu*2, prio";
	struct tsh_value clause = { .arg = &arg, .word = { .text = list, .len = sizeof(list) - 1 } };
	struct tsh_call call = { .args = { .v = &clause, .n = 1 } };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_session session = { 0 };
	struct tsh_cell cell = { .text = &text };
	struct tsh_err err = { 0 };
	struct tsh_stage *stage;
	struct scene s;

	(void)state;
	assert_int_equal(tsh_field_list_resolve(&session, &call, &err), 0);
	stage = tsh_field_list_stage(tsh_field_list_of(&call));
	open_scene(&s, events);
	assert_int_equal(stage->kind->prepare(stage, &s.stream, &err), 0);
	assert_int_equal(tsh_stage_begin(stage, &s.stream, &s.to, &err), 0);
	/* no event goes through it */
	assert_ptr_equal(s.to, &s.end.consumer);
	happen(&s, 0, 21, false);
	assert_int_equal(s.stream.rows->n, 3);
	assert_string_equal(s.stream.rows->names[0], "cpu");
	assert_string_equal(s.stream.rows->names[1], "twice");
	s.stream.rows->cell(s.stream.rows->ctx, &s.w.rec[0], 1, &cell);
	assert_int_equal(cell.kind, TSH_CELL_NUMBER);
	assert_string_equal(text.buf, "42");
	s.stream.rows->cell(s.stream.rows->ctx, &s.w.rec[0], 2, &cell);
	assert_int_equal(cell.kind, TSH_CELL_NONE);
	assert_false(stage->kind->asks_for_names(stage));
	stage->kind->forget(stage);
	call.args = (struct tsh_args){ 0 };
	tsh_call_release(&call);
	assert_null(tsh_field_list_stage(NULL));
	tsh_strbuf_release(&text);
	close_scene(&s);
}

/* ---- names of tasks ---- */

/* A task begins; the number is its pid. */
static void begin_task(struct scene *s, int cpu, int pid, const char *comm)
{
	add(&s->w, cpu, 7, NEWTASK, 28);
	memcpy(last(&s->w) + 8, &pid, 4);
	strncpy((char *)last(&s->w) + 12, comm, 16);
	s->sum.events += s->to->event(s->to, &s->w.rec[s->w.n - 1], false);
}

static void test_names(void **state)
{
	struct tsh_cpuset cpus = { 0 };
	struct tsh_task_names task_names;
	struct scene s;

	(void)state;
	open_scene(&s, events);
	/* of an instance that is not our own it enables nothing */
	tsh_task_names_enable(&s.in, NULL, &task_names);
	task_names.ids[0] = NEWTASK;
	task_names.hides[0] = true;
	begin_stage(&s, &task_names.stage);
	begin_task(&s, 0, 77, "newcomer");
	happen(&s, 0, 1, true);
	came_out(&s, "!1 ", 1);
	assert_string_equal(tsh_decoder_comm(s.w.decoder, 77), "newcomer");
	/* of a CPU that is read for names alone; its losses are none of those that were asked for */
	tsh_cpuset_add(&cpus, 0);
	task_names.cpus = &cpus;
	happen(&s, 1, 2, false);
	begin_task(&s, 1, 78, "other");
	s.sum.lost = 9;
	s.to->lost(s.to, 1, 4, STAMP);
	assert_int_equal(s.sum.lost, 5);
	assert_false(s.sum.lost_hidden);
	s.to->lost(s.to, 0, 5, STAMP);
	assert_true(s.sum.lost_hidden);
	came_out(&s, "lost(5,0) ", 1);
	/* who has asked for it gets it */
	task_names.hides[0] = false;
	begin_task(&s, 0, 79, "wanted");
	came_out(&s, "79 ", 2);
	tsh_cpuset_release(&cpus);
	close_scene(&s);
}

/* ---- stacks ---- */

static void come_stack(struct scene *s, int cpu)
{
	int depth = 1;
	uint64_t caller = OUTER;

	add(&s->w, cpu, 7, STACK, 24);
	memcpy(last(&s->w) + 8, &depth, 4);
	memcpy(last(&s->w) + 16, &caller, 8);
	s->sum.events += s->to->event(s->to, &s->w.rec[s->w.n - 1], false);
}

static void count_alone(void *ctx)
{
	++*(unsigned int *)ctx;
}

static void test_stacks(void **state)
{
	struct tsh_event_stacks stacked;
	unsigned int alone = 0;
	struct tsh_stage *stage = tsh_event_stacks_stage(&stacked);
	struct scene s;

	(void)state;
	open_scene(&s, events);
	s.end.stacked = &stacked;
	stacked.lone_stack = count_alone;
	stacked.ctx = &alone;
	begin_stage(&s, stage);
	assert_true(stage->kind->is_raw);
	happen(&s, 0, 1, true);
	came_out(&s, "", 0);
	/* each CPU has its own */
	happen(&s, 1, 2, false);
	come_stack(&s, 0);
	came_out(&s, "!1+ ", 1);
	assert_int_equal(s.sum.late, 1);
	/* behind a gap it will not come any more */
	s.to->lost(s.to, 1, 3, STAMP);
	came_out(&s, "2- lost(3,1) ", 2);
	come_stack(&s, 1);
	assert_int_equal(alone, 1);
	happen(&s, 0, 3, false);
	stage->kind->last(stage);
	came_out(&s, "3- ", 3);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_range_clock),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_where_unknown),
		cmocka_unit_test(test_where_delta),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_flight),
		cmocka_unit_test(test_ending),
		cmocka_unit_test(test_flight_in_vain),
		cmocka_unit_test(test_flight_and_where),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
