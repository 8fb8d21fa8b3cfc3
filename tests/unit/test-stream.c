/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

/* ---- how a stream ends ---- */

static enum tsh_wait_result stop_at_once(struct script *script)
{
	(void)script;
	return TSH_WAIT_STOP;
}

static enum tsh_wait_result abort_at_once(struct script *script)
{
	(void)script;
	return TSH_WAIT_ABORT;
}

static void test_stop(void **state)
{
	struct counter c = { .consumer = { .event = count_event, .flush = count_flush } };
	struct script script = { .step = stop_at_once };
	struct tsh_waiter waiter = { script_wait, &script };
	struct tsh_stream_options opt = { .waiter = &waiter };
	struct tsh_stream_summary sum;
	enum tsh_stream_end end;
	struct tsh_err err = { 0 };
	struct tsh_source *src;
	uint32_t total;
	struct tree t;

	(void)state;
	tree_open(&t, false, MAX_CPUS);
	total = put_many(&t);
	src = source_of(&t);
	assert_int_equal(tsh_stream_run(src, &c.consumer, &opt, &sum, &end, &err), 0);
	assert_int_equal(end, TSH_STREAM_STOP);
	assert_true(c.next > 0 && c.next < total);
	script.step = abort_at_once;
	assert_int_equal(tsh_stream_run(src, &c.consumer, &opt, &sum, &end, &err), 0);
	assert_int_equal(end, TSH_STREAM_ABORT);
	script.step = NULL;
	assert_int_equal(tsh_stream_run(src, &c.consumer, &opt, &sum, &end, &err), 0);
	assert_int_equal(end, TSH_STREAM_EMPTY);
	assert_int_equal(c.next, total);
	tsh_source_close(src);
	tree_close(&t);
}

static void test_output_ends(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_summary sum;
	enum tsh_stream_end end;
	struct script script = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_source *src;
	struct diary d;
	struct tree t;

	(void)state;
	tree_open(&t, true, 1);
	put_events(&t, 0, 1, 0, STAMPS(100));
	src = source_of(&t);
	diary_init(&d);
	d.flush_result = 1;
	run_stream(src, &d, &script, &opt, &sum, TSH_STREAM_CLOSED);
	assert_int_equal(script.tick, 0);
	d.flush_result = -1;
	assert_int_equal(tsh_stream_run(src, &d.consumer, &opt, &sum, &end, &err), -1);
	assert_string_equal(err.message, "the disk is full");
	tsh_err_release(&err);
	tsh_strbuf_release(&d.text);
	tsh_source_close(src);
	tree_close(&t);
}

static void test_before(void **state)
{
	struct tsh_stream_options opt = { .has_before = true, .before_stamp = 200 };
	struct tsh_stream_summary sum;
	struct script script = { 0 };
	struct tsh_source *src;
	struct diary d;
	struct tree t;

	(void)state;
	tree_open(&t, false, 1);
	put_events(&t, 0, 1, 0, STAMPS(100, 200, 201, 202));
	src = source_of(&t);
	diary_init(&d);
	run_stream(src, &d, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_string_equal(d.text.buf, "<events from before this command:> 1 2 "
			    "<events from now on:> 3 4 ");
	tsh_source_close(src);
	/* Nothing was there before: no line says so. */
	tsh_strbuf_clear(&d.text);
	opt.before_stamp = 99;
	src = source_of(&t);
	run_stream(src, &d, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_string_equal(d.text.buf, "1 2 3 4 ");
	tsh_strbuf_release(&d.text);
	tsh_source_close(src);
	tree_close(&t);
}

/* ---- live ---- */

struct live {
	struct tree t;
	struct tsh_clock clock;
	struct tsh_source *src;
	struct tsh_stream_options opt;
	struct tsh_stream_summary sum;
	struct script script;
	struct diary d;
};

static void live_open(struct live *l, const char *clock, unsigned int ncpus)
{
	memset(l, 0, sizeof(*l));
	tree_open(&l->t, true, ncpus);
	l->src = source_of(&l->t);
	tsh_clock_init(&l->clock, tsh_clock_kind(clock));
	l->opt.clock = &l->clock;
	l->opt.in = l->t.in;
	l->script.tree = &l->t;
	diary_init(&l->d);
}

static void live_close(struct live *l)
{
	tsh_strbuf_release(&l->d.text);
	tsh_clock_release(&l->clock);
	tsh_source_close(l->src);
	tree_close(&l->t);
}

static void live_run(struct live *l, enum tsh_stream_end expected)
{
	l->script.tick = 0;
	run_stream(l->src, &l->d, &l->script, &l->opt, &l->sum, expected);
}

/* `drain` takes what was there when it began, however much comes meanwhile. */
static void test_drain(void **state)
{
	uint64_t now, later;
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	now = boot_now();
	later = now + 3600 * UINT64_C(1000000000);
	put_events(&l.t, 0, 1, 0, STAMPS(now - 5000, now - 3000, later));
	put_events(&l.t, 1, 10, 0, STAMPS(now - 4000));
	put_events(&l.t, 1, 11, 3, STAMPS(later - 1));
	l.opt.drain = true;
	live_run(&l, TSH_STREAM_EMPTY);
	assert_string_equal(l.d.text.buf, "1 10 2 ");
	assert_int_equal(l.sum.events, 3);
	assert_int_equal(l.sum.lost, 0);
	/* The rest is still there, in order, the loss in its place. */
	assert_int_equal(tsh_source_pending(l.src), 2);
	tsh_strbuf_clear(&l.d.text);
	l.opt.drain = false;
	l.opt.max_events = 2;
	live_run(&l, TSH_STREAM_LIMIT);
	assert_string_equal(l.d.text.buf, "lost(1,3) 11 3 ");
	live_close(&l);
}

/* More than one pass can read. */
static void test_drain_much(void **state)
{
	const uint64_t now = boot_now();
	struct live l;
	uint32_t i;

	(void)state;
	live_open(&l, "boot", 2);
	for (i = 0; i < 500; i++)
		put_events(&l.t, i % 2, i, 0, STAMPS(now - 1000 + i));
	l.opt.drain = true;
	live_run(&l, TSH_STREAM_EMPTY);
	assert_int_equal(l.sum.events, 500);
	assert_int_equal(l.sum.late, 0);
	live_close(&l);
}

static void test_drain_nothing(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	l.opt.drain = true;
	live_run(&l, TSH_STREAM_EMPTY);
	assert_string_equal(l.d.text.buf, "");
	live_close(&l);
	live_open(&l, "global", 2);
	l.opt.drain = true;
	live_run(&l, TSH_STREAM_EMPTY);
	put_events(&l.t, 1, 10, 0, STAMPS(7));
	put_events(&l.t, 0, 1, 0, STAMPS(9));
	live_run(&l, TSH_STREAM_EMPTY);
	assert_string_equal(l.d.text.buf, "10 1 ");
	live_close(&l);
}

/* The other CPU commits an older event after ours was read. */
static enum tsh_wait_result commit_older(struct script *script)
{
	if (script->tick == 1)
		put_events(script->tree, 1, 10, 0, STAMPS(script->stamp - 10));
	return TSH_WAIT_TIMEOUT;
}

static void expect_waits(const char *clock, uint64_t stamp)
{
	struct live l;

	live_open(&l, clock, 3);
	/* The first pass must find it younger than the slop of 2 ms. */
	if (!stamp)
		stamp = boot_now() + 5000000;
	l.script.stamp = stamp;
	put_events(&l.t, 0, 1, 0, STAMPS(stamp - 1000, stamp));
	l.script.step = commit_older;
	l.opt.max_events = 3;
	live_run(&l, TSH_STREAM_LIMIT);
	assert_string_equal(l.d.text.buf, "1 10 2 ");
	assert_int_equal(l.sum.late, 0);
	live_close(&l);
}

static void test_live_order(void **state)
{
	(void)state;
	expect_waits("boot", 0);
	expect_waits("global", 5000);
	expect_waits("counter", 5000);
}

/* A clock far off must not keep an event for ever. */
static void test_bounded_delay(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	put_events(&l.t, 0, 1, 0, STAMPS(boot_now() + 3600 * UINT64_C(1000000000)));
	l.opt.max_events = 1;
	live_run(&l, TSH_STREAM_LIMIT);
	assert_true(l.sum.ns < UINT64_C(1000000000));
	live_close(&l);
}

/* One CPU waits for nobody. */
static void test_one_cpu(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 1);
	put_events(&l.t, 0, 1, 0, STAMPS(boot_now() + 1000000000));
	l.opt.max_events = 1;
	live_run(&l, TSH_STREAM_LIMIT);
	assert_int_equal(l.script.tick, 0);
	live_close(&l);
}

static bool done_after_five(void *ctx)
{
	struct live *l = ctx;
	uint64_t now = boot_now();

	if (l->script.tick < 5)
		return false;
	/* its last words */
	put_events(&l->t, 1, 2, 0, STAMPS(now - 100));
	put_events(&l->t, 0, 3, 0, STAMPS(now - 50));
	put_events(&l->t, 0, 4, 0, STAMPS(now + 3600 * UINT64_C(1000000000)));
	return true;
}

static void test_done(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	put_events(&l.t, 0, 1, 0, STAMPS(boot_now()));
	l.opt.done = done_after_five;
	l.opt.done_ctx = &l;
	live_run(&l, TSH_STREAM_DONE);
	assert_string_equal(l.d.text.buf, "1 2 3 ");
	live_close(&l);
}

static enum tsh_wait_result drop_some(struct script *script)
{
	set_stats(script->tree, 0, 30);
	set_stats(script->tree, 1, 4);
	return TSH_WAIT_TIMEOUT;
}

static void test_time_and_kernel_losses(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	put_events(&l.t, 0, 1, 6, STAMPS(boot_now()));
	l.opt.max_ns = 30 * 1000 * 1000;
	l.script.step = drop_some;
	live_run(&l, TSH_STREAM_TIME);
	assert_true(l.sum.ns >= l.opt.max_ns);
	assert_string_equal(l.d.text.buf, "lost(0,6) 1 ");
	/* 6 that the page told of, and what was dropped while we looked */
	assert_int_equal(l.sum.lost, 40);
	live_close(&l);
}

/* ---- the clock ---- */

static void test_clock(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_clock clock, other;
	int64_t wall, again;
	struct tree t;
	char *name;

	(void)state;
	tree_open(&t, true, 2);
	put_text(&t, "trace_clock", "local global [boot] tai x86-tsc\n");
	name = tsh_clock_name(t.in);
	assert_string_equal(name, "boot");
	free(name);
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	assert_int_equal(tsh_clock_sample_instance(&clock, t.in, 32, &err), 0);
	assert_true(tsh_clock_is_ready(&clock));
	assert_true(tsh_clock_error(&clock) < 1000000);
	assert_true(tsh_clock_wall(&clock, 1, boot_now(), &wall, NULL));
	/* The tree of that recording tells the same time. */
	t.dir->kind = TSH_DIR_TREE;
	tsh_clock_save(&clock, &text);
	make_folder(&t, "tracesh");
	put_text(&t, "tracesh/clock", text.buf);
	tsh_clock_init(&other, tsh_clock_kind("boot"));
	assert_int_equal(tsh_clock_sample_instance(&other, t.in, 1, &err), 0);
	assert_true(tsh_clock_wall(&clock, 1, 123456789, &wall, NULL));
	assert_true(tsh_clock_wall(&other, 1, 123456789, &again, NULL));
	assert_true(wall == again);
	put_text(&t, "tracesh/clock", "rubbish\n1 2");
	assert_int_equal(tsh_clock_sample_instance(&other, t.in, 1, &err), -1);
	tsh_err_release(&err);
	tsh_clock_release(&clock);
	tsh_clock_release(&other);
	tsh_strbuf_release(&text);
	tree_close(&t);
}

/* 120.000007 s and 120000007 cycles */
static void test_clock_of_stats(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_clock clock;
	struct tree t;
	int64_t wall;

	(void)state;
	tree_open(&t, true, 2);
	tsh_clock_init(&clock, tsh_clock_kind("global"));
	assert_int_equal(tsh_clock_sample_instance(&clock, t.in, 1, &err), 0);
	assert_true(tsh_clock_wall(&clock, 0, UINT64_C(120000007000), &wall, NULL));
	assert_true(wall / 1000000000 - time(NULL) <= 1);
	assert_true(time(NULL) - wall / 1000000000 <= 1);
	assert_true(tsh_clock_error(&clock) >= 500);
	tsh_clock_release(&clock);
	tsh_clock_init(&clock, tsh_clock_kind("counter"));
	assert_int_equal(tsh_clock_sample_instance(&clock, t.in, 4, &err), 0);
	assert_false(tsh_clock_is_ready(&clock));
	tsh_clock_release(&clock);
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_output_ends),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_drain_much),
		cmocka_unit_test(test_drain_nothing),
		cmocka_unit_test(test_live_order),
		cmocka_unit_test(test_bounded_delay),
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_done),
		cmocka_unit_test(test_time_and_kernel_losses),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_of_stats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
