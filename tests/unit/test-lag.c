/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "events/source/lag.h"
#include "events/source/source.h"

/* A slow output: what is left out, and that every event is printed, left out or lost. */

#define SECOND UINT64_C(1000000000)
#define BEGIN (1000 * SECOND)		/* of these times */

struct slow {
	struct diary d;			/* the first member */
	struct tsh_stream_summary sum;
	struct tree t;
	struct tsh_source *src;
	struct lag lag;
	uint32_t unwanted;		/* this number, as a filter does */
	unsigned int left_out;
	bool is_off;
	unsigned int room;		/* tests of the whole: events until it is stuck */
	int fds[2];
};

static struct slow *slow_of(struct tsh_consumer *to)
{
	return (struct slow *)(void *)to;
}

static bool slow_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct slow *s = slow_of(to);

	s->room -= s->room && !s->is_off;
	if (number_of(rec) == s->unwanted)
		return false;
	if (!s->is_off)
		return diary_event(to, rec, late);
	s->left_out++;
	return true;
}

static void slow_leave_out(struct tsh_consumer *to, bool on)
{
	slow_of(to)->is_off = on;
}

static void slow_skipped(struct tsh_consumer *to, uint64_t count, int cpu, uint64_t stamp)
{
	(void)cpu;
	tsh_strbuf_addf(diary_of(to), "skipped(%d,%d) ", (int)count, (int)stamp);
}

static void slow_note(struct tsh_consumer *to, const char *text)
{
	static const char begin[] = "the output takes about ";

	if (strncmp(text, begin, sizeof(begin) - 1) != 0) {
		assert_non_null(strstr(text, "slower than the events: "));
		tsh_strbuf_adds(diary_of(to), "<slow> ");
		return;
	}
	tsh_strbuf_addf(diary_of(to), "<%d> ", atoi(text + sizeof(begin) - 1));
}

static void slow_init(struct slow *s, unsigned int ncpus)
{
	memset(s, 0, sizeof(*s));
	diary_init(&s->d);
	s->d.consumer.event = slow_event;
	s->d.consumer.note = slow_note;
	s->d.consumer.mute = slow_leave_out;
	s->d.consumer.skipped = slow_skipped;
	tree_open(&s->t, true, ncpus);
}

static void slow_read(struct slow *s)
{
	unsigned int i;
	bool drained;

	s->src = source_of(&s->t);
	/* It stops where the writer seems to be. */
	for (i = 0; i < 4; i++)
		assert_true(tsh_source_fill(s->src, 64, &drained) >= 0);
	lag_begin(&s->lag, s->src, &s->d.consumer, &s->sum, SECOND);
}

/* What is left is given, and all that was told until then compared. */
static void expect_told(struct slow *s, const char *expected)
{
	enum tsh_source_item item;
	struct tsh_record rec;
	uint64_t lost;
	bool late;

	lag_report(&s->lag);
	while ((item = tsh_source_next(s->src, UINT64_MAX, &rec, &lost, &late)) != TSH_ITEM_NONE) {
		if (item == TSH_ITEM_LOST)
			lag_lost(&s->lag, rec.cpu, lost, rec.stamp);
		else
			slow_event(&s->d.consumer, &rec, late);
	}
	lag_end(&s->lag);
	assert_string_equal(s->d.text.buf, expected);
}

static void slow_close(struct slow *s)
{
	close_stream(&s->t, s->src, &s->d);
}

/* Ten events, 1 to 5 and 11 to 15, one after the other. */
static void put_ten(struct slow *s)
{
	put_events(&s->t, 0, 1, 0, STAMPS(101, 103, 105, 107, 109));
	put_events(&s->t, 1, 11, 0, STAMPS(102, 104, 106, 108, 110));
}

static void test_fast(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN);
	/* Behind, but not for as long as may be; not behind any more. */
	lag_note_output(&s.lag, true, BEGIN);
	s.sum.events = 2;
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + SECOND - 1);
	lag_note_output(&s.lag, false, BEGIN + SECOND - 1);
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + 9 * SECOND);
	/* At the end of a fast one all is printed. */
	lag_skip_waiting(&s.lag, UINT64_MAX, true, BEGIN + 9 * SECOND);
	expect_told(&s, "1 11 2 12 3 13 4 14 5 15 ");
	assert_int_equal(s.sum.skipped, 0);
	slow_close(&s);
}

/* Two are printed in a second, so of those that wait one and the part of another are. */
static void test_slow(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	lag_note_output(&s.lag, true, BEGIN);
	s.sum.events = 2;
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + SECOND);
	assert_int_equal(s.sum.events, 2);
	assert_int_equal(s.sum.skipped, 8);
	assert_int_equal(s.left_out, 8);
	assert_int_equal(lag_portion(&s.lag), 1);
	expect_told(&s, "<2> skipped(8,108) 5 15 ");
	slow_close(&s);
}

/* Only what is old enough to be printed, and what a filter lets through. */
static void test_slow_filter(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	s.unwanted = 2;
	lag_note_output(&s.lag, true, BEGIN);
	s.sum.events = 2;
	lag_skip_waiting(&s.lag, 104, false, BEGIN + 2 * SECOND);
	assert_int_equal(s.sum.events, 2);
	assert_int_equal(s.sum.skipped, 3);
	expect_told(&s, "<1> skipped(3,104) 3 13 4 14 5 15 ");
	slow_close(&s);
}

/* Ctrl-S: as long as nothing is taken it is not slow, and keeps what there is room for. */
static void test_stopped(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	lag_note_output(&s.lag, true, BEGIN);
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + 5 * SECOND);
	lag_note_output(&s.lag, true, BEGIN + 5 * SECOND);
	/* It goes on: a second from there. */
	s.sum.events = 4;
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + 6 * SECOND - 1);
	assert_int_equal(s.sum.skipped, 0);
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + 6 * SECOND);
	expect_told(&s, "<4> skipped(7,107) 14 5 15 ");
	slow_close(&s);
}

static void test_full(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	s.lag.to_print = 3;
	s.src->queue_max = 1;
	lag_note_output(&s.lag, true, BEGIN);
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN);
	/* How much it takes nobody knows yet. */
	expect_told(&s, "<slow> skipped(7,107) 14 5 15 ");
	slow_close(&s);
}

/* A CPU's losses are told once, behind what was left out. */
static void test_losses(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_events(&s.t, 0, 1, 7, STAMPS(101));
	put_events(&s.t, 0, 2, 3, STAMPS(103));
	/* as many as its overruns */
	put_events(&s.t, 1, 11, TSH_LOST_UNKNOWN, STAMPS(102));
	put_events(&s.t, 0, 3, 5, STAMPS(105));
	slow_read(&s);
	lag_note_output(&s.lag, true, BEGIN);
	s.sum.events = 1;
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + SECOND);
	assert_int_equal(s.sum.lost, 0);
	expect_told(&s, "<1> skipped(3,103) lost(0,10) lost(1,5) lost(0,5) 3 ");
	assert_int_equal(s.sum.skipped, 3);
	assert_int_equal(s.sum.lost, 20);
	slow_close(&s);
}

/* Those, where a filter wants none of what lies around them. */
static void test_losses_alone(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 1);
	put_events(&s.t, 0, 1, 7, STAMPS(101));
	put_events(&s.t, 0, 2, 0, STAMPS(103));
	slow_read(&s);
	s.unwanted = 1;
	lag_note_output(&s.lag, true, BEGIN);
	s.sum.events = 1;
	lag_skip_waiting(&s.lag, UINT64_MAX, false, BEGIN + SECOND);
	expect_told(&s, "<1> lost(0,7) 2 ");
	assert_int_equal(s.sum.skipped, 0);
	slow_close(&s);
}

/* What is there at the end of a slow one, however much comes at a time, is one gap. */
static void test_end(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	lag_note_output(&s.lag, true, BEGIN);
	s.lag.is_slow = true;
	lag_skip_waiting(&s.lag, 103, true, BEGIN);
	lag_note_output(&s.lag, false, BEGIN);
	lag_report(&s.lag);
	lag_skip_waiting(&s.lag, UINT64_MAX, true, BEGIN);
	lag_report(&s.lag);
	assert_false(lag_skip_all(&s.lag));
	expect_told(&s, "skipped(10,110) ");
	slow_close(&s);
}

static void test_give_up(void **state)
{
	struct slow s;

	(void)state;
	slow_init(&s, 2);
	put_ten(&s);
	slow_read(&s);
	assert_true(lag_skip_all(&s.lag));
	lag_skip_waiting(&s.lag, UINT64_MAX, true, BEGIN);
	assert_false(lag_skip_all(&s.lag));
	expect_told(&s, "skipped(10,110) ");
	/* Without a limit there is nothing to win. */
	lag_begin(&s.lag, s.src, &s.d.consumer, &s.sum, 0);
	assert_false(lag_skip_all(&s.lag));
	slow_close(&s);
}

/* ---- of the whole stream ---- */

static int slow_stuck(struct tsh_consumer *to)
{
	return slow_of(to)->room ? -1 : slow_of(to)->fds[1];
}

/* An event a tick, until much was left out; then Ctrl-C. */
static enum tsh_wait_result an_event_a_tick(struct script *script)
{
	struct slow *s = (struct slow *)(void *)((char *)(uintptr_t)script->tree -
						 offsetof(struct slow, t));

	s->room = 1;
	return s->sum.skipped > 1000 ? TSH_WAIT_STOP : TSH_WAIT_TIMEOUT;
}

/* A page that is so full that the writer is elsewhere. */
static void put_much(const struct tree *t, unsigned int cpu, uint64_t lost, uint64_t stamp,
		     uint32_t *next)
{
	struct page_maker p;
	unsigned int i;

	page_begin(&p, stamp);
	for (i = 0; i < 200; i++)
		add_event(&p, stamp + i, (*next)++, cpu);
	put_page(t, cpu, &p, lost, PAGE);
}

static void test_stream(void **state)
{
	struct tsh_stream_options opt = { .lag_ns = 1 };
	struct script script = { .step = an_event_a_tick };
	uint64_t now = boot_now() - SECOND;
	struct tsh_clock clock;
	struct slow s;
	uint32_t i, n = 0;

	(void)state;
	slow_init(&s, 2);
	s.d.consumer.stuck = slow_stuck;
	assert_int_equal(pipe(s.fds), 0);
	for (i = 0; i < 100; i++)
		put_much(&s.t, i % 2, i == 50 ? 9 : 0, now + 1000 * i, &n);
	s.src = source_of(&s.t);
	s.unwanted = UINT32_MAX;
	tsh_clock_init(&clock, tsh_clock_kind("boot"));
	opt.clock = &clock;
	opt.in = s.t.in;
	script.tree = &s.t;
	s.room = 3;
	run_stream(s.src, &s.d.consumer, &script, &opt, &s.sum, TSH_STREAM_STOP);
	assert_int_equal(s.sum.events + s.sum.skipped, n);
	assert_true(s.sum.events >= 3 && s.sum.skipped > 1000);
	assert_int_equal(s.sum.skipped, s.left_out);
	assert_int_equal(s.sum.lost, 9);
	assert_false(s.sum.unread);
	tsh_clock_release(&clock);
	close(s.fds[0]);
	close(s.fds[1]);
	slow_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_slow_filter),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_losses_alone),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_give_up),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
