/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graphs.h"

#include <limits.h>

/* ---- calls ---- */

static void add_calls(struct world *w)
{
	entry(w, 1, 7, OUTER, 0);
	leaf(w, INNER, 1, 512);
	entry(w, 1, 7, IGET, 1);
	leaf(w, DEEP, 2, 1234);
	leave(w, 1, 7, IGET, 1, 12345);
	leave(w, 1, 7, OUTER, 0, 1234567);
}

static void test_calls(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	add_calls(&w);
	expect(&w, " 1)               |  outer() {\n"
		   " 1)   0.512 us    |    inner();\n"
		   " 1)               |    ext4_iget [ext4]() {\n"
		   " 1)   1.234 us    |      deep();\n"
		   " 1) + 12.345 us   |    }\n"
		   " 1) # 1234.567 us |  }\n");
	assert_true(w.skipped);
	/* a symbol is looked up by any address in it; none at all is a number */
	leaf(&w, INNER + 4, 0, 1);
	leaf(&w, 0x10, 0, 1);
	expect(&w, " 1)   0.001 us    |  inner();\n 1)   0.001 us    |  0x10();\n");
	end(&w);
}

/* Without a look ahead a leaf is a call like any other. */
static void test_no_ahead(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	leaf(&w, INNER, 1, 512);
	print(&w, NULL, false);
	assert_string_equal(w.out.buf, " 1)               |    inner() {\n"
				       " 1)   0.512 us    |    }\n");
	end(&w);
}

/* What is no leaf: another function, another task, nothing on that CPU. */
static void test_no_leaf(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	entry(&w, 0, 7, INNER, 0);
	leave(&w, 0, 7, OUTER, 0, 1);
	entry(&w, 1, 7, INNER, 0);
	leave(&w, 1, 8, INNER, 0, 1);
	entry(&w, 2, 7, INNER, 0);
	leave(&w, 3, 7, INNER, 0, 1);
	expect(&w, " 0)               |  inner() {\n"
		   " 0)   0.001 us    |  } /* outer */\n"
		   " 1)               |  inner() {\n"
		   RULE " 1)     bash-7     =>    <...>-8    \n" RULE "\n"
		   " 1)   0.001 us    |  }\n"
		   " 2)               |  inner() {\n"
		   " 3)   0.001 us    |  } /* inner */\n");
	end(&w);
}

static void test_durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "  0.000 us    |" }, { 9999, "  9.999 us    |" },
		{ 10000, "  10.000 us   |" }, { 10001, "+ 10.001 us   |" },
		{ 100001, "! 100.001 us  |" }, { 1000001, "# 1000.001 us |" },
		{ 10000001, "* 10000.00 us |" }, { 99999999, "* 99999.99 us |" },
		{ 100000001, "@ 100000.0 us |" }, { 1000000001, "$ 1000000 us  |" },
		{ 10000000001, "$ 10000000 us |" }, { 100000000001, "$ 100000000 us |" },
		{ UINT64_MAX, "$ 18446744073709551 us |" },
	};
	struct world w;
	char want[128];
	size_t i;

	(void)state;
	begin(&w, old_kernel, "");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		w.n = w.next = 0;
		leaf(&w, INNER, 0, cases[i].ns);
		(void)snprintf(want, sizeof(want), " 1) %s  inner();\n", cases[i].text);
		expect(&w, want);
	}
	end(&w);
}

/* ---- tasks ---- */

static void test_tasks(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "funcgraph-proc");
	leaf(&w, INNER, 0, 1);
	entry(&w, 1, 123456, OUTER, 0);
	entry(&w, 0, 9, OUTER, 0);
	entry(&w, 1, 0, OUTER, 0);
	expect(&w, " 1)     bash-7     |   0.001 us    |  inner();\n"
		   RULE " 1)     bash-7     => kworker-123456\n" RULE "\n"
		   " 1) kworker-123456 |               |  outer() {\n"
		   " 0)  a\\x1b[1m\\n-9  |               |  outer() {\n"
		   RULE " 1) kworker-123456 =>    <idle>-0   \n" RULE "\n"
		   " 1)    <idle>-0    |               |  outer() {\n");
	tsh_graph_set_raw(w.graph, true);
	entry(&w, 0, 9, OUTER, 0);
	expect(&w, " 0)    a\033[1m\n-9    |               |  outer() {\n");
	end(&w);
}

/* ---- interrupts ---- */

static void add_interrupt(struct world *w)
{
	entry(w, 1, 7, OUTER, 0);
	entry(w, 1, 7, TIMER, 1);
	leaf(w, INNER, 2, 1);
	other(w, 1, 7, PRINT, "tick");
	leave(w, 1, 7, TIMER, 1, 5);
	leaf(w, TIMER, 1, 2);
	leave(w, 1, 7, OUTER, 0, 9);
}

static void test_interrupts(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	add_interrupt(&w);
	expect(&w, " 1)               |  outer() {\n"
		   " 1)   ==========> |\n"
		   " 1)               |    timer_interrupt() {\n"
		   " 1)   0.001 us    |      inner();\n"
		   " 1)               |      /* tick */\n"
		   " 1)   0.005 us    |    }\n"
		   " 1)   <========== |\n"
		   " 1)   ==========> |\n"
		   " 1)   0.002 us    |    timer_interrupt();\n"
		   " 1)   <========== |\n"
		   " 1)   0.009 us    |  }\n");
	end(&w);

	begin(&w, old_kernel, "nofuncgraph-duration");
	leaf(&w, TIMER, 1, 2);
	expect(&w, " 1) ==========>\n 1)   timer_interrupt();\n 1) <==========\n");
	end(&w);

	/* Comments are not hidden. */
	begin(&w, old_kernel, "nofuncgraph-irqs");
	add_interrupt(&w);
	expect(&w, " 1)               |  outer() {\n"
		   " 1)               |  /* tick */\n"
		   " 1)   0.009 us    |  }\n");
	end(&w);
}

/* ---- other events ---- */

static void test_comments(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	other(&w, 1, 7, PRINT, "first\n");
	entry(&w, 1, 7, OUTER, 0);
	other(&w, 1, 7, PRINT, "in outer");
	entry(&w, 1, 7, INNER, 1);
	other(&w, 1, 7, PRINT, "two\nlines\033");
	add(&w, 1, 7, WAKEUP, 12);
	leaf(&w, DEEP, 2, 1);
	other(&w, 1, 7, PRINT, "after a leaf");
	leave(&w, 1, 7, INNER, 1, 1);
	other(&w, 1, 7, PRINT, "after inner");
	expect(&w, " 1)               |  /* first */\n"
		   " 1)               |  outer() {\n"
		   " 1)               |  /* in outer */\n"
		   " 1)               |    inner() {\n"
		   " 1)               |      /* two\\nlines\\x1b */\n"
		   " 1)               |      /* wakeup: cpu=0 */\n"
		   " 1)   0.001 us    |      deep();\n"
		   " 1)               |      /* after a leaf */\n"
		   " 1)   0.001 us    |    }\n"
		   " 1)               |  /* after inner */\n");
	other(&w, 1, 7, FUNCTION, "");
	other(&w, 1, 7, STACK, "");
	expect(&w, "(ordinary)\n(ordinary)\n");
	end(&w);
}

/* ---- hostile records ---- */

static void test_hostile(void **state)
{
	static const int depths[] = { INT_MIN, INT_MIN + 1, -2, -1, 49, 50, 51, 1 << 20, INT_MAX };
	struct world w;
	size_t i;
	uint32_t size;

	(void)state;
	begin(&w, old_kernel, "nofuncgraph-irqs");
	for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		w.n = w.next = 0;
		entry(&w, 1, 7, OUTER, depths[i]);
		other(&w, 1, 7, PRINT, "x");
		entry(&w, 1, 7, TIMER, depths[i]);
		leave(&w, 1, 7, TIMER, depths[i], 1);
		leaf(&w, INNER, depths[i], 1);
		other(&w, 1, 7, PRINT, "x");
		leave(&w, 1, 7, OUTER, depths[i], 1);
		print(&w, NULL, true);
		assert_true(w.out.len < 20000);
		tsh_strbuf_clear(&w.out);
	}
	/* every length, on CPUs that no machine has */
	for (size = 8; size <= 48; size++) {
		w.n = w.next = 0;
		entry(&w, INT_MAX, INT_MIN, OUTER, 3);
		w.rec[0].size = size < 24 ? size : 24;
		leave(&w, INT_MAX, INT_MIN, OUTER, 3, 1);
		w.rec[1].size = size;
		leave(&w, -1, -1, INNER, 3, 1);
		w.rec[2].size = size;
		print(&w, NULL, true);
	}
	assert_non_null(strstr(w.out.buf, "(ordinary)\n"));
	end(&w);
}

/* Nothing is known but the record. */
static void test_no_provider(void **state)
{
	struct tsh_common common;
	struct tsh_graph *graph;
	struct world w;

	(void)state;
	begin(&w, old_kernel, "");
	graph = tsh_graph_new(w.decoder, NULL);
	entry(&w, 0, 7, OUTER, 0);
	assert_true(tsh_decoder_common(w.decoder, &w.rec[0], &common));
	assert_true(tsh_graph_print(graph, &w.rec[0], tsh_decoder_format(w.decoder, ENTRY),
				    &common, "bash", NULL, NULL, &w.out));
	assert_string_equal(w.out.buf, " 0)               |  outer() {\n");
	tsh_graph_free(graph);
	tsh_graph_free(NULL);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_no_ahead),
		cmocka_unit_test(test_no_leaf),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_interrupts),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_no_provider),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
