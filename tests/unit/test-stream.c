/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

/* ---- time passes ---- */

#define HOUR_NS (3600 * UINT64_C(1000000000))

static uint64_t passed_ns;

bool __real_tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp);
bool __wrap_tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp);

bool __wrap_tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp)
{
	bool known = __real_tsh_clock_now(kind, ret_stamp);

	*ret_stamp += known ? passed_ns : 0;
	return known;
}

/* What comes after the mark may come an hour later. */
static bool mark_lasts;

void __real_tsh_source_mark(struct tsh_source *src, const uint64_t *stamp);
void __wrap_tsh_source_mark(struct tsh_source *src, const uint64_t *stamp);

void __wrap_tsh_source_mark(struct tsh_source *src, const uint64_t *stamp)
{
	__real_tsh_source_mark(src, stamp);
	passed_ns = mark_lasts ? 2 * HOUR_NS : 0;
}

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
	struct counter c = COUNTER;
	struct script script = { .step = stop_at_once };
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_summary sum;
	struct tsh_source *src;
	uint32_t total;
	struct tree t;

	(void)state;
	tree_open(&t, false, MAX_CPUS);
	total = put_many(&t);
	src = source_of(&t);
	run_stream(src, &c.consumer, &script, &opt, &sum, TSH_STREAM_STOP);
	assert_true(c.next > 0 && c.next < total);
	script.step = abort_at_once;
	run_stream(src, &c.consumer, &script, &opt, &sum, TSH_STREAM_ABORT);
	script.step = NULL;
	run_stream(src, &c.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
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
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_CLOSED);
	assert_int_equal(script.tick, 0);
	d.flush_result = -1;
	assert_int_equal(tsh_stream_run(src, &d.consumer, &opt, &sum, &end, &err), -1);
	assert_string_equal(err.message, "the disk is full");
	tsh_err_release(&err);
	close_stream(&t, src, &d);
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
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_string_equal(d.text.buf, "<events from before this command:> 1 2 "
			    "<events from now on:> 3 4 ");
	tsh_source_close(src);
	/* Nothing was there before: no line says so. */
	tsh_strbuf_clear(&d.text);
	opt.before_stamp = 99;
	src = source_of(&t);
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_string_equal(d.text.buf, "1 2 3 4 ");
	close_stream(&t, src, &d);
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
	unsigned int portions;
	bool fails;
};

/* "now ts" stands still in these trees: a run of more than 8 ms looks at it, and says so. */
static void note_all_but_jumps(struct tsh_consumer *to, const char *text)
{
	static const char jump[] = "the trace clock jumped";

	if (strncmp(text, jump, strlen(jump)) != 0)
		diary_note(to, text);
}

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
	if (strcmp(clock, "boot") != 0)
		l->d.consumer.note = note_all_but_jumps;
}

static void live_close(struct live *l)
{
	mark_lasts = false;
	passed_ns = 0;
	close_stream(&l->t, l->src, &l->d);
	tsh_clock_release(&l->clock);
}

static void live_run(struct live *l, enum tsh_stream_end expected)
{
	l->script.tick = 0;
	run_stream(l->src, &l->d.consumer, &l->script, &l->opt, &l->sum, expected);
}

/* `drain` takes what was there when it began, however much comes meanwhile. */
static void test_drain(void **state)
{
	uint64_t now, later;
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	now = boot_now();
	later = now + HOUR_NS;
	mark_lasts = true;
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
	/* The first pass must find it younger than the slop of 2 ms, however late it comes. */
	if (!stamp)
		stamp = boot_now() + 500000000;
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
	assert_true(l.sum.ns < UINT64_C(60000000000));
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
	put_events(&l->t, 0, 4, 0, STAMPS(now + HOUR_NS));
	return true;
}

static void test_done(void **state)
{
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	mark_lasts = true;
	put_events(&l.t, 0, 1, 0, STAMPS(boot_now()));
	l.opt.done = done_after_five;
	l.opt.done_ctx = &l;
	live_run(&l, TSH_STREAM_DONE);
	assert_string_equal(l.d.text.buf, "1 2 3 ");
	live_close(&l);
}

/* The caller's work: an event of each portion. */
static int work_five_times(void *ctx, struct tsh_err *err)
{
	struct live *l = ctx;

	put_events(&l->t, 0, l->portions++ + 2, 0, STAMPS(boot_now()));
	if (l->fails && l->portions == 3)
		return tsh_err_set(err, TSH_FAILED, "it cannot be enabled");
	usleep(10 * 1000);
	return l->portions < 5;
}

static void test_work(void **state)
{
	struct tsh_err err = { 0 };
	enum tsh_stream_end end;
	struct live l;

	(void)state;
	live_open(&l, "boot", 2);
	put_events(&l.t, 0, 1, 0, STAMPS(boot_now()));
	l.opt.work = work_five_times;
	l.opt.work_ctx = &l;
	l.opt.max_ns = 30 * 1000 * 1000;
	/* The time counts from its end. */
	live_run(&l, TSH_STREAM_TIME);
	assert_string_equal(l.d.text.buf, "1 2 3 4 5 6 ");
	assert_true(l.sum.ns >= l.opt.max_ns + 50 * 1000 * 1000);
	l.portions = 0;
	l.fails = true;
	assert_int_equal(tsh_stream_run(l.src, &l.d.consumer, &l.opt, &l.sum, &end, &err), -1);
	assert_string_equal(err.message, "it cannot be enabled");
	tsh_err_release(&err);
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
	l.opt.max_ns = 300 * 1000 * 1000;
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
	/* it is looked at twice, and stands still here */
	assert_int_equal(tsh_clock_sample_instance(&clock, t.in, 1, &err), TSH_CLOCK_RESTARTED);
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

/* ---- an output that is stuck ---- */

#define STUCK_PAGES 2500	/* more than the pool holds */

struct plug {
	struct tsh_consumer consumer;
	uint64_t events;
	uint64_t lost;
	uint32_t next;			/* the number that comes if none is lost */
	unsigned int ticks;		/* stuck for so long */
	int fds[2];
};

static struct plug *plug_of(struct tsh_consumer *to)
{
	return (struct plug *)(void *)to;
}

static bool plug_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	assert_false(late);
	assert_int_equal(number_of(rec), plug_of(to)->next);
	plug_of(to)->next++;
	plug_of(to)->events++;
	return true;
}

static void plug_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)cpu;
	(void)stamp;
	plug_of(to)->lost += count;
	plug_of(to)->next += (uint32_t)count;
}

static int plug_flush(struct tsh_consumer *to, struct tsh_err *err)
{
	(void)err;
	if (plug_of(to)->ticks)
		plug_of(to)->ticks--;
	return 0;
}

static int plug_stuck(struct tsh_consumer *to)
{
	return plug_of(to)->ticks ? plug_of(to)->fds[1] : -1;
}

static enum tsh_wait_result stop_when_empty(struct script *script)
{
	return script->tick > 400 ? TSH_WAIT_STOP : TSH_WAIT_TIMEOUT;
}

/* The reading goes on, the oldest events are dropped and counted where they are missing. */
static void test_stuck(void **state)
{
	struct plug plug = { .consumer = { .event = plug_event, .lost = plug_lost,
					   .flush = plug_flush, .stuck = plug_stuck },
			     .ticks = 200 };
	struct script script = { .step = stop_when_empty };
	struct tsh_waiter waiter = { script_wait, &script };
	struct tsh_stream_options opt = { .waiter = &waiter };
	struct tsh_stream_summary sum;
	struct tsh_err err = { 0 };
	enum tsh_stream_end end;
	struct tsh_source *src;
	uint32_t number = 0;
	struct tree t;
	int i;

	(void)state;
	assert_int_equal(pipe(plug.fds), 0);
	tree_open(&t, true, 1);
	for (i = 0; i < STUCK_PAGES; i++) {
		struct page_maker page;
		uint64_t at = 1000 * (uint64_t)i + 1;
		int j;

		page_begin(&page, at);
		for (j = 0; j < 200; j++)
			add_event(&page, at + (uint64_t)j, number++, 0);
		put_page(&t, 0, &page, 0, PAGE);
	}
	src = source_of(&t);
	assert_int_equal(tsh_stream_run(src, &plug.consumer, &opt, &sum, &end, &err), 0);
	assert_int_equal(plug.next, number);
	assert_true(plug.lost > 0 && plug.events > plug.lost);
	assert_int_equal(plug.events + plug.lost, number);
	assert_int_equal(sum.lost, plug.lost);
	assert_int_equal(sum.events, plug.events);
	close(plug.fds[0]);
	close(plug.fds[1]);
	tsh_source_close(src);
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
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_time_and_kernel_losses),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_clock_of_stats),
		cmocka_unit_test(test_stuck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
