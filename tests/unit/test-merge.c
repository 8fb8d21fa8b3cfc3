/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

static void test_order(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t, false, 3);
	put_events(&t, 0, 1, 0, STAMPS(100, 200, 300, 700));
	put_events(&t, 2, 20, 0, STAMPS(50, 250));
	put_events(&t, 1, 10, 0, STAMPS(150, 260, 400));
	put_events(&t, 2, 22, 0, STAMPS(800, 1ULL << 40));
	expect_tree(&t, "20 1 10 2 21 11 3 12 4 22 23 ");
}

static void test_ties(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t, false, 3);
	put_events(&t, 2, 20, 0, STAMPS(100, 100, 200));
	put_events(&t, 1, 10, 0, STAMPS(100, 200));
	put_events(&t, 0, 1, 0, STAMPS(100, 100, 200, 200));
	expect_tree(&t, "1 2 10 20 21 3 4 11 22 ");
}

static void test_backwards(void **state)
{
	struct tree t;

	(void)state;
	/* The kernel's order within a CPU stays, and what is older is marked. */
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 0, STAMPS(100, 300, 250, 400));
	put_events(&t, 1, 10, 0, STAMPS(200, 280, 350));
	expect_tree(&t, "1 10 11 2 !3 12 4 ");
}

/* One wrong stamp is not what all that comes behind it is measured by. */
static void test_far_future(void **state)
{
	struct tree t;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 0, STAMPS(100, 1ULL << 40, 200, 300, 500));
	put_events(&t, 1, 10, 0, STAMPS(150, 250, 1ULL << 41, 400, 600));
	expect_tree(&t, "1 10 11 2 !3 4 5 12 !13 14 ");
}

struct seen {
	struct tsh_consumer consumer;
	unsigned int n, jumps;
	uint64_t last;
};

static bool see(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct seen *s = (struct seen *)(void *)to;

	s->n++;
	(void)late;
	s->jumps += rec->stamp < s->last;
	s->last = rec->stamp;
	return true;
}

static void see_note(struct tsh_consumer *to, const char *text)
{
	(void)to;
	fail_msg("note: %s", text);
}

/*
 * What is read of a recording at once is bounded. A page, or all up to the moment when a
 * clock was set back, lies in the future of that: it comes in its place, and all else, too.
 */
static void test_wrong_page(void **state)
{
	enum { PAGES = 600, EVENTS = 20 };
	static const struct {
		uint64_t by;
		unsigned int cpus, first, last;	/* the CPUs and pages that it is in */
	} cases[] = {
		{ 10 * UINT64_C(1000000000), 2, 10, 10 },
		{ 50000, 2, 10, 10 },
		{ UINT64_C(1) << 58, 2, 10, 10 },
		{ UINT64_C(1) << 58, 2, 0, 0 },
		{ UINT64_C(1) << 58, 2, PAGES - 1, PAGES - 1 },
		{ 10 * UINT64_C(1000000000), 2, 200, 500 },
		{ 3600 * UINT64_C(1000000000), 3, 0, 300 },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct seen s = { .consumer = { .event = see, .note = see_note, .flush = count_flush } };
		struct tsh_stream_options opt = { 0 };
		struct tsh_stream_summary sum;
		struct script script = { 0 };
		struct tsh_source *src;
		struct tree t;
		unsigned int cpu, page, i;

		tree_open(&t, false, 2);
		for (page = 0; page < PAGES; page++) {
			for (cpu = 0; cpu < 2; cpu++) {
				uint64_t stamps[EVENTS + 1] = { 0 };

				for (i = 0; i < EVENTS; i++) {
					stamps[i] = 1000 * page + 20 * i + 10 * cpu + 1;
					if (cases[k].cpus & (1 << cpu) && page >= cases[k].first &&
					    page <= cases[k].last)
						stamps[i] += cases[k].by;
				}
				put_events(&t, cpu, page, 0, stamps);
			}
		}
		src = source_of(&t);
		run_stream(src, &s.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
		assert_int_equal(sum.events, 2 * PAGES * EVENTS);
		assert_int_equal(s.n, sum.events);
		/* The order is one but where it was wrong, and 50 us are not. */
		assert_true(s.jumps <= cases[k].cpus - 1);
		tsh_source_close(src);
		tree_close(&t);
	}
}

static void test_losses(void **state)
{
	struct page_maker empty;
	struct tree t;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 0, STAMPS(100, 200));
	put_events(&t, 0, 3, 77, STAMPS(500, 600));
	put_events(&t, 1, 10, TSH_LOST_UNKNOWN, STAMPS(300, 550));
	/* Losses before a page without events belong to the next event. */
	page_begin(&empty, 700);
	put_page(&t, 1, &empty, 5, PAGE);
	put_events(&t, 1, 12, 6, STAMPS(800));
	expect_tree(&t, "1 2 lost(1,?) 10 lost(0,77) 3 11 4 lost(1,11) 12 ");
}

static void test_loss_summary(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_summary sum;
	struct script script = { 0 };
	struct tsh_source *src;
	struct diary d;
	struct tree t;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 40, STAMPS(100, 300, 200));
	put_events(&t, 1, 10, 2, STAMPS(150));
	src = source_of(&t);
	diary_init(&d);
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_int_equal(sum.events, 4);
	assert_int_equal(sum.lost, 42);
	assert_int_equal(sum.late, 1);
	assert_false(sum.lost_unknown);
	assert_true(d.flushes >= 1);
	close_stream(&t, src, &d);
}

static void test_damage(void **state)
{
	struct page_maker p;
	struct tree t;

	(void)state;
	tree_open(&t, false, 2);
	/* An event that is longer than its page. */
	page_begin(&p, 100);
	add_event(&p, 100, 1, 0);
	add_event(&p, 110, 2, 0);
	p.bytes[HEAD + 12] = 28;
	put_page(&t, 0, &p, 0, PAGE);
	put_events(&t, 0, 3, 0, STAMPS(120));
	put_events(&t, 1, 10, 0, STAMPS(105));
	/* The recording stopped in the middle of a page. */
	page_begin(&p, 130);
	add_event(&p, 130, 11, 1);
	add_event(&p, 140, 12, 1);
	put_page(&t, 1, &p, 0, 1000);
	expect_tree(&t, "<cpu 1: the recording ends inside a page (1000 of 4096 bytes)> "
		    "1 10 3 11 12 <cpu 0: a page is damaged, the rest of it is skipped> ");
}

static void test_open(void **state)
{
	struct tsh_cpuset cpus = { 0 };
	struct tsh_source *src = NULL;
	struct tsh_err err = { 0 };
	struct tsh_record rec;
	struct tree t;
	bool drained, late;
	uint64_t lost;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 0, STAMPS(100));
	put_events(&t, 1, 10, 0, STAMPS(90));
	tsh_cpuset_add(&cpus, 0);
	assert_int_equal(tsh_source_open(t.in, &cpus, &src, &err), 0);
	assert_false(tsh_source_is_live(src));
	assert_int_equal(tsh_source_layout(src)->page_size, PAGE);
	assert_int_equal(tsh_source_fill(src, 16, &drained), 1);
	assert_true(drained);
	assert_int_equal(tsh_source_next(src, 99, &rec, &lost, &late), TSH_ITEM_NONE);
	assert_int_equal(tsh_source_next(src, 100, &rec, &lost, &late), TSH_ITEM_EVENT);
	assert_int_equal(number_of(&rec), 1);
	assert_int_equal(rec.stamp, 100);
	assert_int_equal(tsh_source_next(src, UINT64_MAX, &rec, &lost, &late), TSH_ITEM_NONE);
	tsh_source_close(src);
	tsh_cpuset_release(&cpus);
	tsh_cpuset_add(&cpus, 7);
	assert_int_equal(tsh_source_open(t.in, &cpus, &src, &err), -1);
	assert_string_equal(err.message, "the recording has no such CPU");
	tsh_cpuset_release(&cpus);
	put_text(&t, "events/header_page", "no page\n");
	assert_int_equal(tsh_source_open(t.in, NULL, &src, &err), -1);
	assert_string_equal(err.message, "'events/header_page' cannot be parsed");
	tsh_err_release(&err);
	tree_close(&t);
}

static void test_watermark(void **state)
{
	struct tsh_source *src;
	struct tsh_record rec;
	struct tree t;
	bool drained, late;
	uint64_t lost;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 9, STAMPS(100, 200));
	put_events(&t, 1, 10, 0, STAMPS(150));
	src = source_of(&t);
	tsh_source_fill(src, 16, &drained);
	assert_int_equal(tsh_source_pending(src), 3);
	assert_int_equal(tsh_source_next(src, 99, &rec, &lost, &late), TSH_ITEM_NONE);
	/* A loss is as old as the event behind it. */
	assert_int_equal(tsh_source_next(src, 100, &rec, &lost, &late), TSH_ITEM_LOST);
	assert_int_equal(lost, 9);
	assert_int_equal(rec.cpu, 0);
	assert_int_equal(rec.stamp, 100);
	assert_int_equal(tsh_source_pending(src), 3);
	assert_int_equal(tsh_source_next(src, 100, &rec, &lost, &late), TSH_ITEM_EVENT);
	assert_int_equal(tsh_source_next(src, 149, &rec, &lost, &late), TSH_ITEM_NONE);
	/* A record outlives the next ones, up to a fill. */
	assert_int_equal(number_of(&rec), 1);
	assert_int_equal(tsh_source_next(src, 150, &rec, &lost, &late), TSH_ITEM_EVENT);
	assert_int_equal(tsh_source_next(src, 199, &rec, &lost, &late), TSH_ITEM_NONE);
	assert_int_equal(number_of(&rec), 10);
	assert_int_equal(tsh_source_pending(src), 1);
	tsh_source_close(src);
	tree_close(&t);
}

/* -n takes exactly n; going on takes the rest: nothing twice, nothing missing. */
static void test_limit(void **state)
{
	static const uint64_t limits[] = { 1, 1, 339, 340, 7, 10000, 1, 0 };
	struct counter c = COUNTER;
	struct script script = { 0 };
	struct tsh_stream_summary sum;
	struct tsh_source *src;
	uint32_t total, before;
	struct tree t;
	size_t i;

	(void)state;
	tree_open(&t, false, MAX_CPUS);
	total = put_many(&t);
	src = source_of(&t);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct tsh_stream_options opt = { .max_events = limits[i] };

		before = c.next;
		run_stream(src, &c.consumer, &script, &opt, &sum,
			   limits[i] ? TSH_STREAM_LIMIT : TSH_STREAM_EMPTY);
		assert_int_equal(sum.events, c.next - before);
		if (limits[i])
			assert_int_equal(sum.events, limits[i]);
	}
	assert_int_equal(c.next, total);
	tsh_source_close(src);
	tree_close(&t);
}

/* A consumer that takes the event behind an even one along, as a leaf's exit. */
static bool take_pair(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct tsh_record next;

	diary_event(to, rec, late);
	if (number_of(rec) % 2 || !to->ahead->peek(to->ahead->ctx, rec->cpu, &next))
		return true;
	tsh_strbuf_addf(diary_of(to), "+%u ", number_of(&next));
	(to->ahead->skip)(to->ahead->ctx, rec->cpu);	/* cmocka has a macro of that name */
	return true;
}

static void test_ahead(void **state)
{
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_summary sum;
	struct script script = { 0 };
	struct tsh_source *src;
	struct diary d;
	struct tree t;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 2, 0, STAMPS(100, 200));
	put_events(&t, 0, 4, 0, STAMPS(300));		/* its pair is on the next page */
	put_events(&t, 0, 5, 0, STAMPS(600, 700));
	put_events(&t, 0, 8, 3, STAMPS(800));
	put_events(&t, 1, 11, 0, STAMPS(150, 160, 550));	/* 12 goes with 13 */
	src = source_of(&t);
	diary_init(&d);
	d.consumer.event = take_pair;
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
	/* What is missing before 8 is seen by nobody who looks ahead from 6. */
	assert_string_equal(d.text.buf, "2 +3 11 12 +13 4 +5 6 lost(0,3) 8 ");
	assert_int_equal(sum.events, 9);
	assert_null(d.consumer.ahead);
	close_stream(&t, src, &d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_backwards),
		cmocka_unit_test(test_far_future),
		cmocka_unit_test(test_wrong_page),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_loss_summary),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_watermark),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
