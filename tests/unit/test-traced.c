/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake-kernel.h"

#include "engine/pipeline/traced.h"
#include "stages.h"

/* Which tasks an instance records, by its lists: events of others are dropped and counted. */

enum { NEWTASK = 400, FORK, SWITCH, WAKING };

static const struct event events[] = {
	OTHER_EVENTS,
	{ NEWTASK, "task", EVENT("task_newtask", 400, FIELD("pid_t", "pid", 8, 4, 1)) },
	{ FORK, "sched", EVENT("sched_process_fork", 401, FIELD("int", "x", 8, 4, 1)
				 FIELD("pid_t", "child_pid", 12, 4, 1)) },
	{ SWITCH, "sched", EVENT("sched_switch", 402, FIELD("int", "x", 8, 4, 1)
				   FIELD("long", "prev_state", 16, 8, 1)) },
	{ WAKING, "sched", EVENT("sched_waking", 403, FIELD("int", "x", 8, 4, 1)) },
	{ 0 }
};

struct traced {
	struct fake_kernel k;
	struct fake_session one;
	struct scene s;
	struct tsh_task_names names;
	struct tsh_traced t;
	struct tsh_stage *stage;
};

static void open_traced(struct traced *c, const char *only, const char *not, bool fork)
{
	memset(c, 0, sizeof(*c));
	kernel_begin(&c->k);
	fake_put("set_event_pid", only);
	fake_put("set_event_notrace_pid", not);
	fake_put("set_event", "");
	fake_put("options/event-fork", fork ? "1" : "0");
	session_begin(&c->one, 1);
	open_scene(&c->s, events);
	c->s.stream.in = &c->one.top;
}

/* Begins the stage; is_first: it is in the way of the events. */
static void begin_traced(struct traced *c, bool has_births, bool drops, bool is_first)
{
	struct tsh_err err = { 0 };

	c->names.has_births = has_births;
	c->stage = tsh_traced_stage(&c->t, &c->names, drops);
	assert_int_equal(tsh_stage_begin(c->stage, &c->s.stream, &c->s.to, &err), 0);
	assert_int_equal(c->s.to == &c->stage->consumer, is_first);
}

static void close_traced(struct traced *c)
{
	c->stage->kind->forget(c->stage);
	close_scene(&c->s);
	session_close(&c->one);
	kernel_end(&c->k);
}

/* An event of a task, with a number that the end writes down. */
static void come(struct traced *c, uint16_t id, int pid, int n)
{
	struct world *w = &c->s.w;

	add(w, 0, pid, id, 32);
	memcpy(last(w) + 8, &n, 4);
	c->s.sum.events += c->s.to->event(c->s.to, &w->rec[w->n - 1], false);
}

static void come_fork(struct traced *c, int parent, int child)
{
	struct world *w = &c->s.w;

	add(w, 0, parent, FORK, 32);
	memcpy(last(w) + 8, &child, 4);
	memcpy(last(w) + 12, &child, 4);
	c->s.sum.events += c->s.to->event(c->s.to, &w->rec[w->n - 1], false);
}

static void come_switch(struct traced *c, int pid, int n, long state)
{
	struct world *w = &c->s.w;
	int64_t prev_state = state;

	add(w, 0, pid, SWITCH, 32);
	memcpy(last(w) + 8, &n, 4);
	memcpy(last(w) + 16, &prev_state, 8);
	c->s.sum.events += c->s.to->event(c->s.to, &w->rec[w->n - 1], false);
}

/* Without a list every task is recorded, and the stage has nothing to do. */
static void test_no_list(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "", "", false);
	assert_null(tsh_traced_list(&c.one.top));
	begin_traced(&c, true, true, false);
	assert_true(tsh_decoder_is_whole(c.s.w.decoder, 7));
	come(&c, WAKEUP, 7, 1);
	came_out(&c.s, "1 ", 1);
	assert_null(tsh_traced_warning(&c.t));
	close_traced(&c);
}

static void test_listed(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "7\n9", "", false);
	assert_string_equal(tsh_traced_list(&c.one.top), "set_event_pid");
	begin_traced(&c, false, true, true);
	assert_true(tsh_decoder_is_whole(c.s.w.decoder, 7));
	assert_false(tsh_decoder_is_whole(c.s.w.decoder, 8));
	/* the idle task is never listed */
	assert_false(tsh_decoder_is_whole(c.s.w.decoder, 0));
	come(&c, WAKEUP, 7, 1);
	come(&c, WAKEUP, 8, 2);
	come(&c, SWITCH, 8, 3);
	come(&c, WAKING, 0, 4);
	come(&c, WAKEUP, 9, 5);
	came_out(&c.s, "1 5 ", 2);
	c.stage->kind->report(c.stage);
	assert_int_equal(tsh_summary_left_out(&c.s.sum, "others"), 3);
	expect_clause(&c.s, c.stage, "3 of other tasks not counted, ");
	close_traced(&c);
}

/* Without drops all go on: only the decoder is told. */
static void test_keeps(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "7", "", false);
	begin_traced(&c, false, false, true);
	come(&c, WAKEUP, 8, 1);
	came_out(&c.s, "1 ", 1);
	assert_false(tsh_decoder_is_whole(c.s.w.decoder, 8));
	expect_clause(&c.s, c.stage, "");
	close_traced(&c);
}

static void test_left_out(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "", "8", false);
	assert_string_equal(tsh_traced_list(&c.one.top), "set_event_notrace_pid");
	begin_traced(&c, false, true, false);
	assert_true(tsh_decoder_is_whole(c.s.w.decoder, 7));
	assert_false(tsh_decoder_is_whole(c.s.w.decoder, 8));
	close_traced(&c);
}

/* The kernel adds the children of listed tasks with event-fork, and only then; tasks that end leave the list. */
static void test_children(void **state)
{
	static const struct {
		bool fork;
		const char *out;
		uint64_t others;
	} cases[] = {
		{ true, "20 1 21 3 4 ", 1 },
		{ false, "20 21 ", 3 },
	};
	struct traced c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_traced(&c, "7", "", cases[i].fork);
		begin_traced(&c, true, true, true);
		come(&c, NEWTASK, 7, 20);
		come(&c, WAKEUP, 20, 1);
		come_fork(&c, 7, 21);
		/* a child of another task */
		come_fork(&c, 8, 22);
		come(&c, WAKEUP, 21, 3);
		if (cases[i].fork)
			come(&c, WAKEUP, 20, 4);
		came_out(&c.s, cases[i].out, cases[i].fork ? 5 : 2);
		assert_int_equal(c.t.others, cases[i].others);
		close_traced(&c);
	}
}

/* The event that ends a task is its own; its number may be that of another task then. */
static void test_ended(void **state)
{
	static const struct { long state; bool ends; } cases[] = {
		{ 0, false }, { 1, false }, { 0x10, true }, { 0x20, true }, { 0x80, false },
	};
	struct traced c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_traced(&c, "7\n9", "", false);
		begin_traced(&c, true, true, true);
		come(&c, WAKEUP, 8, 1);
		come_switch(&c, 7, 2, cases[i].state);
		come(&c, WAKEUP, 7, 3);
		came_out(&c.s, cases[i].ends ? "2 " : "2 3 ", cases[i].ends ? 1 : 2);
		close_traced(&c);
	}
}

/* When no event shows the children, a task that is not listed may be one: only switches and wakeups are known to be of
 * others, as they are recorded for either of two tasks. */
static void test_untold(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "7", "", true);
	begin_traced(&c, false, true, true);
	assert_string_equal(tsh_traced_warning(&c.t), "children of listed tasks may be counted as other tasks: only "
			    "task:task_newtask shows them");
	come(&c, WAKEUP, 8, 1);
	come(&c, SWITCH, 8, 2);
	come(&c, WAKING, 8, 3);
	came_out(&c.s, "1 ", 1);
	close_traced(&c);
	/* sched_process_fork tells, too */
	open_traced(&c, "7", "", true);
	fake_put("set_event", "sched:sched_process_fork");
	begin_traced(&c, false, true, true);
	assert_null(tsh_traced_warning(&c.t));
	close_traced(&c);
}

/* Where events were lost, the list may have become longer: it is read again. That of a recording has not. */
static void test_lost(void **state)
{
	struct traced c;

	(void)state;
	open_traced(&c, "7", "", true);
	begin_traced(&c, true, true, true);
	come(&c, WAKEUP, 11, 1);
	fake_put("set_event_pid", "7\n11");
	come(&c, WAKEUP, 11, 2);
	came_out(&c.s, "", 0);
	c.s.to->lost(c.s.to, 0, 5, STAMP);
	come(&c, WAKEUP, 11, 3);
	came_out(&c.s, "lost(5,0) 3 ", 1);
	close_traced(&c);
	open_traced(&c, "7", "", true);
	c.one.dir->kind = TSH_DIR_TREE;
	begin_traced(&c, true, true, true);
	fake_put("set_event_pid", "7\n11");
	c.s.to->lost(c.s.to, 0, 5, STAMP);
	come(&c, WAKEUP, 11, 3);
	came_out(&c.s, "lost(5,0) ", 0);
	close_traced(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_list),
		cmocka_unit_test(test_listed),
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_untold),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
