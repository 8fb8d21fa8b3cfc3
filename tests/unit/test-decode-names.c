/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoders.h"
#include "events/decode/names.h"

static void test_learn(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
		assert_string_equal(tsh_decoder_comm(d, -3), "<XXX>");
		assert_string_equal(tsh_decoder_comm(d, 7), "<...>");
		make_switch(&m, layouts[i], "swapper/0", 0, "0123456789abcdef", 8);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
		assert_string_equal(tsh_decoder_comm(d, 8), "0123456789abcde");
		make_switch(&m, layouts[i], "esc\x1b[1m\n", 7, "", 8);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "esc\x1b[1m\n");
		assert_string_equal(tsh_decoder_comm(d, 8), "");

		start(&m, layouts[i], RENAME, 7);
		put(&m, 8, 7, 4);
		put_text(&m, 12, "esc", 16);
		put_text(&m, 28, "renamed", 16);
		put(&m, 44, 0, 2);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "renamed");
		start(&m, layouts[i], EXEC, 7);
		put(&m, 8, 13U << 16 | 20, 4);
		put(&m, 12, 9, 4);
		put(&m, 16, 9, 4);
		put_text(&m, 20, "/usr/bin/make", 16);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 9), "make");
		/* cut: nothing is learned */
		make_switch(&m, layouts[i], "no", 7, "no", 8);
		m.rec.size = 8;
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "renamed");
		tsh_decoder_free(d);
	}
}

static void test_saved(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	/* 1 has the name "a\n2 root"; 501 one that is too long to be continued */
	w.cmdlines = "11 0123456789abcde\n12 x y \n13 0123456789abcde\n14 \n15 0123456789abcde\n"
		"1 a\n2 root\nb\n501 0123456789ab\n502 forged\n16 0123456789abcdefghi\n"
		"17 0123456789abcde\n17 twice\n99999999999 big\n0 zero\n 18 blank\n19\n20";
	assert_string_equal(tsh_decoder_comm(d, 11), "0123456789abcde");
	assert_int_equal(w.asked_cmdlines, 1);
	assert_string_equal(tsh_decoder_comm(d, 12), "x y ");
	assert_string_equal(tsh_decoder_comm(d, 13), "0123456789abcde");
	assert_string_equal(tsh_decoder_comm(d, 14), "");
	assert_string_equal(tsh_decoder_comm(d, 1), "a");
	/* It may be the rest of the name of 1, and what knows all tasks does not know this one. */
	assert_string_equal(tsh_decoder_comm(d, 2), "<...>");
	/* Who has names of its own knows better than what is saved. */
	assert_string_equal(tsh_decoder_comm(d, 501), "proc-of-the-tas");
	assert_string_equal(tsh_decoder_comm(d, 502), "proc-of-the-tas");
	assert_string_equal(tsh_decoder_comm(d, 16), "0123456789abcde");
	assert_string_equal(tsh_decoder_comm(d, 17), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
	assert_string_equal(tsh_decoder_comm(d, 18), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 19), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 503), "proc-of-the-tas");
	assert_int_equal(w.asked_cmdlines, 1);
	tsh_decoder_free(d);
}

/* A line that can be the rest of a name does not name a task that /proc knows. */
static void test_forged(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.cmdlines = "7 evil\n510 root\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "evil");
	assert_string_equal(tsh_decoder_comm(d, 510), "proc-of-the-tas");
	tsh_decoder_free(d);
}

static void test_refresh(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	int i;

	(void)state;
	w.cmdlines = "7 before\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "before");
	assert_string_equal(tsh_decoder_comm(d, 8), "<...>");
	w.cmdlines = "7 after-a-while\n8 born\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "before");
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 7), "after-a-while");
	assert_string_equal(tsh_decoder_comm(d, 8), "born");
	/* gone, and its name stays; what an event told is not asked for */
	w.cmdlines = NULL;
	make_switch(&m, &little, "told", 9, "x", 10);
	text_of(d, &m);
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 8), "born");
	w.asked_comm = 0;
	assert_string_equal(tsh_decoder_comm(d, 9), "told");
	assert_int_equal(w.asked_comm, 0);
	/* goes by itself */
	w.cmdlines = "8 later\n";
	for (i = 0; i <= 1 << 20; i++)
		tsh_decoder_comm(d, 8);
	assert_string_equal(tsh_decoder_comm(d, 8), "later");
	assert_true(w.asked_comm <= 2);
	tsh_decoder_free(d);
}

static void make_rename(struct made *m, int pid, uint64_t stamp, const char *from, const char *to)
{
	start(m, &little, RENAME, pid);
	put(m, 8, (uint64_t)pid, 4);
	put_text(m, 12, from, 16);
	put_text(m, 28, to, 16);
	put(m, 44, 0, 2);
	m->rec.stamp = stamp;
}

/* A record that is read before it is given tells the name until then; of two the earlier one. */
static void test_foresee(void **state)
{
	struct world w;
	struct made first, second;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	make_rename(&first, 510, 100, "alpha", "beta");
	make_rename(&second, 510, 200, "beta", "sleep");
	assert_string_equal(tsh_decoder_comm(d, 510), "proc-of-the-tas");
	tsh_decoder_learn_ahead(d, &second.rec);
	assert_string_equal(tsh_decoder_comm(d, 510), "beta");
	tsh_decoder_learn_ahead(d, &first.rec);
	tsh_decoder_learn_ahead(d, &second.rec);
	tsh_decoder_set_first_comm(d, 510, "seen");
	w.provider.tasks_change = true;
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 510), "alpha");
	text_of(d, &first);
	assert_string_equal(tsh_decoder_comm(d, 510), "beta");
	tsh_decoder_learn_ahead(d, &second.rec);
	assert_string_equal(tsh_decoder_comm(d, 510), "beta");
	text_of(d, &second);
	assert_string_equal(tsh_decoder_comm(d, 510), "sleep");
	/* What it was called at the begin is not asked for again, until something is missing. */
	tsh_decoder_set_first_comm(d, 511, "seen");
	tsh_decoder_set_names_complete(d);
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 511), "seen");
	tsh_decoder_doubt_names(d);
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 511), "proc-of-the-tas");
	assert_string_equal(tsh_decoder_comm(d, 510), "proc-of-the-tas");
	tsh_decoder_free(d);
}

/* Behind a loss a name is asked for at once, or told by what comes later; or it is unknown. */
static void test_doubt(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	size_t len;

	(void)state;
	w.cmdlines = "7 saved\n";
	make_switch(&m, &little, "told", 9, "other", 10);
	text_of(d, &m);
	assert_string_equal(tsh_decoder_comm(d, 7), "saved");
	assert_non_null(strstr(tsh_decoder_task_column(d, 9, false, &len), "told-9"));
	w.cmdlines = NULL;
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 7), "saved");
	tsh_decoder_doubt_names(d);
	make_rename(&m, 10, 300, "before", "after");
	tsh_decoder_learn_ahead(d, &m.rec);
	assert_string_equal(tsh_decoder_comm(d, 7), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 9), "<...>");
	assert_non_null(strstr(tsh_decoder_task_column(d, 9, false, &len), "<...>-9"));
	assert_string_equal(tsh_decoder_comm(d, 10), "before");
	make_switch(&m, &little, "again", 9, "other", 10);
	text_of(d, &m);
	assert_string_equal(tsh_decoder_comm(d, 9), "again");
	tsh_decoder_free(d);
}

/* A number of a task that has ended is another one's later: what was read before is old. */
static void test_reuse(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);
	int pid;

	(void)state;
	w.provider.tasks_change = true;
	w.cmdlines = "7 first\n8 old\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "first");
	w.cmdlines = "7 first\n8 new\n";
	for (pid = 1000; w.asked_cmdlines < 2; pid++)
		tsh_decoder_comm(d, pid);
	assert_string_equal(tsh_decoder_comm(d, 8), "new");
	tsh_decoder_free(d);
}

static void test_tgid(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		assert_int_equal(tsh_decoder_tgid(d, 501), 500);
		assert_int_equal(tsh_decoder_tgid(d, 7), -1);
	}
	assert_int_equal(w.asked_tgid, 2);
	assert_int_equal(tsh_decoder_tgid(d, 0), -1);
	assert_int_equal(tsh_decoder_tgid(d, -1), -1);
	w.provider.tgid = NULL;
	assert_int_equal(tsh_decoder_tgid(d, 502), -1);
	tsh_decoder_free(d);
}

/* More tasks than are kept; a provider that knows nothing. */
static void test_many_names(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	const struct tsh_event_format *format = tsh_decoder_format(d, SWITCH);
	char comm[16];
	int pid;

	(void)state;
	w.provider.cmdlines = NULL;
	w.provider.comm = NULL;
	make_switch(&m, &little, "swapper/0", 0, "", 0);
	for (pid = 1; pid <= 200000; pid++) {
		put(&m, 56, (uint32_t)pid, 4);
		(void)snprintf(comm, sizeof(comm), "task-%d", pid);
		put_text(&m, 40, comm, 16);
		tsh_decoder_learn(d, format, &m.rec);
		assert_string_equal(tsh_decoder_comm(d, pid), comm);
		if (pid == 60000)
			assert_string_equal(tsh_decoder_comm(d, 1), "task-1");
	}
	assert_string_equal(tsh_decoder_comm(d, 200000), "task-200000");
	assert_string_equal(tsh_decoder_comm(d, 1), "<...>");
	tsh_decoder_free(d);
}

/* A name that is only repeated changes nothing; in all other cases it must be learnt. */
static void test_repeats(void **state)
{
	char one[16] = "one", two[16] = "two", full[16], garbage[16] = "one\0rest";
	struct world w;
	struct tsh_decoder *d = make(&w, &little);
	struct tsh_names *names = tsh_names_new(&w.provider);

	(void)state;
	memset(full, 'f', sizeof(full));
	assert_true(tsh_names_repeats(names, 0, one, TSH_COMM_SIZE));
	assert_true(tsh_names_repeats(names, -1, one, TSH_COMM_SIZE));
	assert_false(tsh_names_repeats(names, 7, one, TSH_COMM_SIZE));
	tsh_names_learn(names, 7, one, 16);
	assert_true(tsh_names_repeats(names, 7, one, TSH_COMM_SIZE));
	assert_false(tsh_names_repeats(names, 7, two, TSH_COMM_SIZE));
	assert_false(tsh_names_repeats(names, 7, garbage, TSH_COMM_SIZE));
	assert_false(tsh_names_repeats(names, 8, one, TSH_COMM_SIZE));
	tsh_names_guess(names, 7, one, 16, false);
	assert_false(tsh_names_repeats(names, 7, one, TSH_COMM_SIZE));
	tsh_names_learn(names, 7, one, 16);
	assert_true(tsh_names_repeats(names, 7, one, TSH_COMM_SIZE));
	tsh_names_doubt(names);
	assert_false(tsh_names_repeats(names, 7, one, TSH_COMM_SIZE));
	tsh_names_learn_ahead(names, 8, 100, two, 16);
	assert_false(tsh_names_repeats(names, 8, two, TSH_COMM_SIZE));
	tsh_names_learn(names, 8, two, 16);
	assert_true(tsh_names_repeats(names, 8, two, TSH_COMM_SIZE));
	tsh_names_learn(names, 9, full, 16);
	assert_false(tsh_names_repeats(names, 9, full, TSH_COMM_SIZE));
	tsh_names_set_saved_only(names);
	assert_true(tsh_names_repeats(names, 10, one, TSH_COMM_SIZE));
	tsh_names_free(names);
	tsh_decoder_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_forged),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_foresee),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_tgid),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
