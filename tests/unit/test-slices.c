/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "base/team.h"
#include "events/source/slices.h"

/* ---- slices are what one thread passes on ---- */

/* Is a crew of one thread: it reads lanes in any order, and passes on some slices. */
struct lonely {
	struct tsh_crew functions;
	struct tsh_source *src;
	struct tsh_slices *slices;
	struct tsh_slice_reader *reader;
	struct diary *diary;
	struct tsh_stream_summary *sum;
	unsigned int seed;
	size_t cuts, passed;
};

static unsigned int dice(unsigned int *seed, unsigned int n)
{
	*seed = *seed * 1103515245U + 12345U;
	return (*seed >> 8) % n;
}

static int lonely_fill(void *ctx, unsigned int budget, bool *ret_drained)
{
	struct lonely *l = ctx;
	size_t n, i;

	(void)budget;
	n = tsh_source_begin_read(l->src, 1 + dice(&l->seed, 8));
	assert_int_not_equal(n, 0);
	for (i = n; i-- > 0;)
		tsh_source_read_lane(l->src, i);
	return tsh_source_end_read(l->src, ret_drained);
}

static void note_event(void *ctx, const struct tsh_record *rec, bool late)
{
	struct lonely *l = ctx;

	l->sum->events++;
	l->sum->late += late;
	l->diary->consumer.event(&l->diary->consumer, rec, late);
}

static void note_lost(void *ctx, int cpu, uint64_t lost, uint64_t stamp)
{
	struct lonely *l = ctx;

	if (lost == TSH_LOST_UNKNOWN)
		l->sum->lost_unknown = true;
	else
		l->sum->lost += lost;
	l->diary->consumer.lost(&l->diary->consumer, cpu, lost, stamp);
}

static uint64_t lonely_pass(void *ctx, uint64_t watermark, const struct tsh_crew_caller *caller)
{
	struct lonely *l = ctx;
	size_t n = tsh_slices_cut(l->slices, watermark, 1 + dice(&l->seed, 9), PAGE * (1 + dice(&l->seed, 4)), false);
	size_t end = dice(&l->seed, 3) ? n : dice(&l->seed, (unsigned int)n + 1), i;

	(void)caller;
	if (!n)
		return watermark;
	l->cuts++;
	l->passed += end;
	for (i = 0; i < end; i++)
		tsh_slice_read(l->reader, i, note_event, note_lost, l);
	if (end < n)
		watermark = tsh_slices_until(l->slices, end);
	tsh_slices_end(l->slices, end);
	return watermark;
}

/* Ignores a note of a damaged page, which comes when the page is read. */
static void ignore_note(struct tsh_consumer *to, const char *text)
{
	(void)to;
	(void)text;
}

/* Streams a recording twice: as it is, and in slices. Returns how many slices were passed on. */
static size_t compare(struct tree *t, unsigned int seed)
{
	struct tsh_stream_summary plain, sliced;
	struct tsh_stream_options opt = { 0 };
	struct script script = { 0 };
	struct diary one, other;
	struct lonely l = { .seed = seed };
	struct tsh_source *src = source_of(t);

	diary_init(&one);
	one.consumer.note = ignore_note;
	run_stream(src, &one.consumer, &script, &opt, &plain, TSH_STREAM_EMPTY);
	tsh_source_close(src);

	diary_init(&other);
	other.consumer.note = ignore_note;
	l.src = source_of(t);
	l.slices = tsh_slices_new(l.src);
	l.reader = tsh_slice_reader_new(l.slices);
	l.diary = &other;
	l.sum = &sliced;
	l.functions = (struct tsh_crew){ lonely_fill, lonely_pass, &l };
	opt.crew = &l.functions;
	script.tick = 0;
	run_stream(l.src, &other.consumer, &script, &opt, &sliced, TSH_STREAM_EMPTY);
	assert_string_equal(other.text.buf, one.text.buf);
	assert_int_equal(sliced.events, plain.events);
	assert_int_equal(sliced.late, plain.late);
	assert_int_equal(sliced.lost, plain.lost);
	assert_int_equal(sliced.lost_unknown, plain.lost_unknown);
	assert_int_equal(tsh_source_pending(l.src), 0);
	tsh_slice_reader_free(l.reader);
	tsh_slices_free(l.slices);
	tsh_source_close(l.src);
	tsh_strbuf_release(&one.text);
	tsh_strbuf_release(&other.text);
	return l.passed;
}

enum fault { NONE, TIES, LOSSES, STEPS, DAMAGE, FAULTS };

/* Writes pages of three CPUs, whose stamps go on from page to page. */
static void put_random(struct tree *t, enum fault fault, unsigned int *seed)
{
	uint64_t at[MAX_CPUS] = { 1, 1, 1 };
	unsigned int page, cpu, i;

	for (page = 0; page < 90; page++) {
		uint64_t lost = 0;
		struct page_maker p;

		cpu = dice(seed, 3);
		at[cpu] += 1 + dice(seed, 300);
		page_begin(&p, at[cpu]);
		for (i = dice(seed, 12); i > 0; i--) {
			add_event(&p, at[cpu], page * 100 + i, cpu);
			at[cpu] += fault == TIES ? dice(seed, 2) : 1 + dice(seed, 40);
			if (fault == STEPS && !dice(seed, 60))
				at[cpu] -= at[cpu] < 500 ? 0 : dice(seed, 400);
		}
		if (fault == LOSSES && !dice(seed, 3))
			lost = dice(seed, 4) ? 1 + dice(seed, 9) : TSH_LOST_UNKNOWN;
		if (fault == DAMAGE && !dice(seed, 20))
			add_u32(&p, 28 | 5u << 5);
		put_page(t, cpu, &p, lost, PAGE);
	}
}

static void test_random(void **state)
{
	size_t passed[FAULTS] = { 0 };
	unsigned int seed, random;
	int fault;

	(void)state;
	for (seed = 1; seed <= 40; seed++) {
		for (fault = NONE; fault < FAULTS; fault++) {
			struct tree t;

			random = seed;
			tree_open(&t, false, 3);
			put_random(&t, (enum fault)fault, &random);
			passed[fault] += compare(&t, seed);
			tree_close(&t);
		}
	}
	/* stamps that go back, and damaged pages, leave little to slices */
	assert_in_range(passed[NONE], 500, SIZE_MAX);
	assert_in_range(passed[TIES], 100, SIZE_MAX);
	assert_in_range(passed[LOSSES], 500, SIZE_MAX);
}

/* ---- the cuts ---- */

static void test_small(void **state)
{
	struct tree t;
	struct tsh_slices *slices;
	struct tsh_source *src;
	bool drained;

	(void)state;
	tree_open(&t, false, 2);
	put_events(&t, 0, 1, 0, STAMPS(100, 200));
	put_events(&t, 1, 10, 3, STAMPS(150, 260, 400));
	put_events(&t, 1, 20, 0, STAMPS(500));
	src = source_of(&t);
	slices = tsh_slices_new(src);
	/* pages that tsh_source_fill has read are not measured */
	assert_int_equal(tsh_source_fill(src, 1, &drained), 2);
	assert_int_equal(tsh_slices_cut(slices, UINT64_MAX, 2, PAGE, false), 0);
	tsh_source_close(src);
	tsh_slices_free(slices);
	src = source_of(&t);
	slices = tsh_slices_new(src);
	assert_int_equal(tsh_source_begin_read(src, 8), 2);
	tsh_source_read_lane(src, 0);
	tsh_source_read_lane(src, 1);
	assert_int_equal(tsh_source_end_read(src, &drained), 3);
	assert_true(drained);
	/* events are missing before one of them */
	assert_int_equal(tsh_slices_cut(slices, UINT64_MAX, 2, PAGE, true), 0);
	assert_int_equal(tsh_slices_cut(slices, UINT64_MAX, 3, PAGE, false), 3);
	assert_int_equal(tsh_slices_until(slices, 0), 149);
	assert_int_equal(tsh_slices_until(slices, 1), 499);
	assert_int_equal(tsh_slices_until(slices, 2), UINT64_MAX);
	tsh_slices_end(slices, 1);
	assert_int_equal(tsh_source_pending(src), 5);
	/* nothing is as old as that */
	assert_int_equal(tsh_slices_cut(slices, 120, 3, PAGE, false), 0);
	tsh_slices_free(slices);
	tsh_source_close(src);
	tree_close(&t);
}

/* ---- a team ---- */

struct task {
	unsigned int calls[TSH_TEAM_MAX];
};

static void count_call(void *ctx, unsigned int member)
{
	struct task *task = ctx;

	task->calls[member]++;
}

static void test_team(void **state)
{
	static const unsigned int sizes[] = { 1, 2, 5 };
	struct task task;
	size_t i;
	unsigned int round, k;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tsh_team *team = tsh_team_new(sizes[i]);

		assert_int_equal(tsh_team_size(team), sizes[i]);
		for (k = 1; k < sizes[i]; k++)
			assert_int_not_equal(tsh_team_tid(team, k), getpid());
		memset(&task, 0, sizeof(task));
		for (round = 0; round < 100; round++) {
			tsh_team_begin(team, count_call, &task);
			tsh_team_end(team);
		}
		for (k = 1; k < sizes[i]; k++)
			assert_int_equal(task.calls[k], 100);
		assert_int_equal(task.calls[0], 0);
		tsh_team_free(team);
	}
	tsh_team_free(NULL);
	assert_in_range(tsh_usable_cpus(), 1, 65536);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_team),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
