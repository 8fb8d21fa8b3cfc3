/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pipeline/whole-calls.h"

#include "graphs.h"
#include "output/output.h"

/* What comes out: "outer<7 " is an entry of task 7, "outer>7 " its return, "[..]" a note. */
struct taker {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_decoder *decoder;
	struct tsh_strbuf text;
	bool takes_leaves;		/* with what lies ahead: "inner<>7 " */
};

static bool take(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct taker *taker = (struct taker *)(void *)to;
	struct tsh_common common;
	struct tsh_record next;
	uint64_t func;
	bool is_leaf;

	assert_true(tsh_decoder_common(taker->decoder, rec, &common));
	if (common.id != ENTRY && common.id != EXIT) {
		tsh_strbuf_adds(&taker->text, "other ");
		return true;
	}
	memcpy(&func, rec->data + 8, 8);
	tsh_decoder_symbol_name(taker->decoder, func, &taker->text);
	is_leaf = taker->takes_leaves && common.id == ENTRY && to->ahead &&
		  to->ahead->peek(to->ahead->ctx, rec->cpu, &next) && next.data[0] == EXIT;
	if (is_leaf)
		(to->ahead->skip)(to->ahead->ctx, rec->cpu);
	tsh_strbuf_addf(&taker->text, "%s%d%s ", is_leaf ? "<>" : common.id == ENTRY ? "<" : ">",
			common.pid, late ? "!" : "");
	return true;
}

static void take_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)stamp;
	tsh_strbuf_addf(&((struct taker *)(void *)to)->text, "%d lost on %d ", (int)count, cpu);
}

static void take_note(struct tsh_consumer *to, const char *text)
{
	tsh_strbuf_addf(&((struct taker *)(void *)to)->text, "[%s] ", text);
}

struct scene {
	struct world w;
	struct taker taker;
	struct tsh_stream_summary sum;
	struct tsh_open_stream stream;
	struct tsh_out out;
	struct tsh_whole_calls *calls;
	struct tsh_consumer *to;
};

static void open_scene(struct scene *scene, uint64_t slower, uint64_t max, const char *name)
{
	struct tsh_strlist names = { 0 };

	memset(scene, 0, sizeof(*scene));
	begin(&scene->w, retval_kernel, "");
	scene->taker = (struct taker){
		.consumer = { .event = take, .lost = take_lost, .note = take_note },
		.decoder = scene->w.decoder, .text = TSH_STRBUF_INIT,
	};
	if (name)
		tsh_strlist_add(&names, name);
	scene->calls = tsh_whole_calls_new(slower, max, &names);
	tsh_strlist_release(&names);
	tsh_out_init(&scene->out, -1, TSH_FORMAT_TEXT);
	scene->out.quiet = true;
	scene->stream = (struct tsh_open_stream){ .decoder = scene->w.decoder, .out = &scene->out, .sum = &scene->sum };
	scene->to = &scene->taker.consumer;
	assert_int_equal(tsh_stage_begin(tsh_whole_calls_stage(scene->calls), &scene->stream, &scene->to, NULL), 0);
}

/* Gives what was added since, as the stream does. */
static void give(struct scene *scene)
{
	for (; scene->w.next < scene->w.n; scene->w.next++)
		scene->sum.events += scene->to->event(scene->to, &scene->w.rec[scene->w.next], false);
	scene->w.n = scene->w.next = 0;
}

/* And what has come out of it, with how much is counted. */
static void check(struct scene *scene, const char *text, uint64_t events)
{
	give(scene);
	assert_string_equal(scene->taker.text.buf ? scene->taker.text.buf : "", text);
	assert_int_equal(scene->sum.events, events);
	tsh_strbuf_clear(&scene->taker.text);
}

static bool is_done(const struct scene *scene)
{
	struct tsh_stage *stage = tsh_whole_calls_stage(scene->calls);

	return stage->kind->is_done(stage);
}

static void close_scene(struct scene *scene)
{
	struct tsh_stage *stage = tsh_whole_calls_stage(scene->calls);

	stage->kind->end(stage);
	tsh_out_release(&scene->out);
	tsh_whole_calls_free(scene->calls);
	tsh_strbuf_release(&scene->taker.text);
	end(&scene->w);
}

/* Nothing before it has returned; then all of it, whatever other tasks did in between. */
static void test_whole(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, 0, 0, NULL);
	entry(&s.w, 0, 7, OUTER, 0);
	entry(&s.w, 1, 8, OUTER, 0);
	entry(&s.w, 0, 7, INNER, 1);
	leave(&s.w, 0, 7, INNER, 1, 10);
	check(&s, "", 0);
	leave(&s.w, 1, 8, OUTER, 0, 30);
	check(&s, "outer<8 outer>8 ", 2);
	/* on another CPU */
	leave(&s.w, 1, 7, OUTER, 0, 20);
	check(&s, "outer<7 inner<7 inner>7 outer>7 ", 6);
	s.taker.takes_leaves = true;
	leaf(&s.w, INNER, 0, 5);
	entry(&s.w, 0, 7, OUTER, 0);
	leave(&s.w, 1, 7, OUTER, 0, 5);
	check(&s, "inner<>7 outer<7 outer>7 ", 10);
	close_scene(&s);
}

static void test_slower(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, 100, 2, NULL);
	leaf(&s.w, OUTER, 0, 99);
	check(&s, "", 0);
	leaf(&s.w, OUTER, 0, 100);
	check(&s, "outer<7 outer>7 ", 2);
	assert_false(is_done(&s));
	entry(&s.w, 1, 7, OUTER, 0);
	/* a slow one inside does not count */
	leaf(&s.w, INNER, 1, 1000);
	leave(&s.w, 1, 7, OUTER, 0, 50);
	check(&s, "", 2);
	leaf(&s.w, INNER, 0, 2000);
	check(&s, "inner<7 inner>7 ", 4);
	assert_true(is_done(&s));
	leaf(&s.w, INNER, 0, 2000);
	check(&s, "", 4);
	close_scene(&s);
}

/* The kernel also graphs what nobody asked for. */
static void test_names(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, 0, 0, "ext4_*");
	entry(&s.w, 1, 7, OUTER, 0);
	leaf(&s.w, IGET, 1, 1);
	leave(&s.w, 1, 7, OUTER, 0, 3);
	check(&s, "", 0);
	entry(&s.w, 1, 7, IGET, 0);
	leaf(&s.w, OUTER, 1, 1);
	leave(&s.w, 1, 7, IGET, 0, 3);
	check(&s, "ext4_iget [ext4]<7 outer<7 outer>7 ext4_iget [ext4]>7 ", 4);
	close_scene(&s);
}

/* What began before, what is not all there, what is no call. */
static void test_torn(void **state)
{
	struct scene s;

	(void)state;
	open_scene(&s, 0, 0, NULL);
	leave(&s.w, 1, 7, INNER, 1, 1);
	leave(&s.w, 1, 7, OUTER, 0, 1);
	check(&s, "", 0);
	entry(&s.w, 1, 7, OUTER, 0);
	entry(&s.w, 0, 8, OUTER, 0);
	give(&s);
	s.to->lost(s.to, 1, 5, 1);
	leave(&s.w, 1, 7, OUTER, 0, 1);
	leave(&s.w, 0, 8, OUTER, 0, 1);
	check(&s, "5 lost on 1 outer<8 outer>8 ", 2);
	/* a return is missing, then an entry */
	entry(&s.w, 1, 7, OUTER, 0);
	entry(&s.w, 1, 7, INNER, 0);
	leave(&s.w, 1, 7, INNER, 0, 1);
	check(&s, "inner<7 inner>7 ", 4);
	entry(&s.w, 1, 7, INNER, 3);
	leave(&s.w, 1, 7, OUTER, 1, 1);
	check(&s, "", 4);
	other(&s.w, 1, 7, PRINT, "marker");
	check(&s, "other ", 5);
	/* idle is another task on each CPU */
	entry(&s.w, 0, 0, OUTER, 0);
	entry(&s.w, 1, 0, INNER, 0);
	leave(&s.w, 0, 0, OUTER, 0, 1);
	leave(&s.w, 1, 0, INNER, 0, 1);
	check(&s, "outer<0 outer>0 inner<0 inner>0 ", 9);
	close_scene(&s);
}

/* One that is longer than what is kept: its begin and its return, and how much is not there. */
static void test_long(void **state)
{
	const unsigned int many = 2 * TSH_WHOLE_CALLS_ONE_BYTES / 48;
	struct scene s;
	unsigned int i;
	char *note;

	(void)state;
	open_scene(&s, 0, 0, NULL);
	entry(&s.w, 1, 7, OUTER, 0);
	for (i = 0; i < many; i++) {
		leaf(&s.w, INNER, 1, 1);
		give(&s);
	}
	leave(&s.w, 1, 7, OUTER, 0, 1);
	give(&s);
	assert_memory_equal(s.taker.text.buf, "outer<7 inner<7 inner>7 ", 24);
	note = strchr(s.taker.text.buf, '[');
	assert_non_null(note);
	assert_non_null(strstr(note, " of this call left out: it is longer than what is kept] outer>7 "));
	/* an entry has 24 bytes and a return 48, and each some of its own */
	assert_in_range(s.sum.events, TSH_WHOLE_CALLS_ONE_BYTES / 72, TSH_WHOLE_CALLS_ONE_BYTES / 36);
	close_scene(&s);
}

/* More tasks than are remembered. */
static void test_tasks(void **state)
{
	struct scene s;
	int pid;

	(void)state;
	open_scene(&s, 0, 0, NULL);
	for (pid = 5000; pid > 1000; pid--) {
		entry(&s.w, 1, pid, OUTER, 0);
		if (pid % 2)
			leave(&s.w, 1, pid, OUTER, 0, 1);
		give(&s);
	}
	assert_int_equal(s.sum.events, 4000);
	tsh_strbuf_clear(&s.taker.text);
	leave(&s.w, 1, 4998, OUTER, 0, 1);
	check(&s, "outer<4998 outer>4998 ", 4002);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_slower),
		cmocka_unit_test(test_names), cmocka_unit_test(test_torn),
		cmocka_unit_test(test_long), cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
