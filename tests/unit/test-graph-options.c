/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graphs.h"

/* ---- columns ---- */

static void expect_with(const char *options, const char *text)
{
	struct world w;

	begin(&w, old_kernel, options);
	entry(&w, 1, 7, OUTER, 0);
	leaf(&w, INNER, 1, 10512);
	leave(&w, 1, 7, OUTER, 0, 100512);
	expect(&w, text);
	end(&w);
}

static void test_columns(void **state)
{
	(void)state;
	expect_with("nofuncgraph-cpu", "              |  outer() {\n+ 10.512 us   |    inner();\n"
				       "! 100.512 us  |  }\n");
	expect_with("nofuncgraph-overhead", " 1)               |  outer() {\n"
		    " 1)   10.512 us   |    inner();\n 1)   100.512 us  |  }\n");
	expect_with("nofuncgraph-duration", " 1) outer() {\n 1)   inner();\n 1) }\n");
	expect_with("nofuncgraph-duration nofuncgraph-cpu", "outer() {\n  inner();\n}\n");
	expect_with("nocontext-info funcgraph-abstime funcgraph-proc",
		    "outer() {\n  inner();\n}\n");
	expect_with("funcgraph-proc", " 1)     bash-7     |               |  outer() {\n"
		    " 1)     bash-7     | + 10.512 us   |    inner();\n"
		    " 1)     bash-7     | ! 100.512 us  |  }\n");
	expect_with("funcgraph-abstime", "   12.345679 |   1)               |  outer() {\n"
		    "   12.345680 |   1) + 10.512 us   |    inner();\n"
		    "   12.345682 |   1) ! 100.512 us  |  }\n");
	expect_with("latency-format", " 1)  d.... |               |  outer() {\n"
		    " 1)  d.... | + 10.512 us   |    inner();\n"
		    " 1)  d.... | ! 100.512 us  |  }\n");
	expect_with("funcgraph-tail", " 1)               |  outer() {\n"
		    " 1) + 10.512 us   |    inner();\n 1) ! 100.512 us  |  } /* outer */\n");
	expect_with("funcgraph-overrun", " 1)               |  outer() {\n"
		    " 1) + 10.512 us   |    inner();\n 1) ! 100.512 us  |  }\n (Overruns: 3)\n");
}

static void test_time_text(void **state)
{
	struct world w;

	(void)state;
	begin(&w, old_kernel, "funcgraph-abstime");
	leaf(&w, INNER, 0, 1);
	print(&w, "22:47:33.843825", true);
	leaf(&w, INNER, 0, 1);
	print(&w, "", true);
	assert_string_equal(w.out.buf, "22:47:33.843825 |   1)   0.001 us    |  inner();\n"
				       " 1)   0.001 us    |  inner();\n");
	end(&w);
}

static void test_cpus(void **state)
{
	static const struct {
		uint64_t ncpus;
		const char *text;
	} cases[] = {
		{ 0, " 3) " }, { 1, " 3) " }, { 10, " 3) " }, { 11, "  3) " }, { 100, "  3) " },
		{ 101, "   3) " }, { 8192, "    3) " }, { UINT64_MAX, " 3) " },
	};
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(&w, old_kernel, "nofuncgraph-duration");
		tsh_graph_free(w.graph);
		w.ncpus = cases[i].ncpus;
		w.graph = tsh_graph_new(w.decoder, &w.provider);
		entry(&w, 3, 7, INNER, 0);
		print(&w, NULL, true);
		assert_memory_equal(w.out.buf, cases[i].text, strlen(cases[i].text));
		assert_string_equal(w.out.buf + strlen(cases[i].text), "inner() {\n");
		end(&w);
	}
}

/* ---- return values ---- */

static void add_values(struct world *w)
{
	leaf(w, INNER, 0, 1);
	leaf(w, INNER, 0, 1);
	set_retval(w, 0xfffffffe);
	leaf(w, INNER, 0, 1);
	set_retval(w, (uint64_t)-4095);
	leaf(w, INNER, 0, 1);
	set_retval(w, (uint64_t)-4096);
	leave(w, 1, 7, OUTER, 0, 1);
	set_retval(w, 0x1234);
}

static void test_retval(void **state)
{
	struct world w;

	(void)state;
	begin(&w, retval_kernel, "funcgraph-retval nofuncgraph-duration nofuncgraph-retval-hex");
	add_values(&w);
	expect(&w, " 1) inner(); /* = 0x0 */\n 1) inner(); /* = -2 */\n"
		   " 1) inner(); /* = -4095 */\n 1) inner(); /* = 0xfffffffffffff000 */\n"
		   " 1) } /* outer = 0x1234 */\n");
	end(&w);

	begin(&w, new_kernel, "funcgraph-retval nofuncgraph-duration");
	add_values(&w);
	expect(&w, " 1) inner(); /* ret=0x0 */\n 1) inner(); /* ret=-2 */\n"
		   " 1) inner(); /* ret=-4095 */\n 1) inner(); /* ret=0xfffffffffffff000 */\n"
		   " 1) } /* outer ret=0x1234 */\n");
	end(&w);

	begin(&w, new_kernel, "funcgraph-retval funcgraph-retval-hex nofuncgraph-duration");
	leaf(&w, INNER, 0, 1);
	set_retval(&w, 0xfffffffe);
	expect(&w, " 1) inner(); /* ret=0xfffffffe */\n");
	end(&w);
}

static void retaddr_entry(struct world *w, uint64_t func, int depth, uint64_t retaddr)
{
	add(w, 1, 7, RETADDR, 28);
	memcpy(last(w) + 8, &func, 8);
	memcpy(last(w) + 16, &depth, 4);
	memcpy(last(w) + 20, &retaddr, 8);
}

static void test_retaddr(void **state)
{
	struct world w;

	(void)state;
	begin(&w, new_kernel, "funcgraph-retval funcgraph-retaddr nofuncgraph-duration");
	retaddr_entry(&w, OUTER, 0, IGET + 0x15);
	retaddr_entry(&w, INNER, 1, OUTER + 0x20);
	leave(&w, 1, 7, INNER, 1, 1);
	retaddr_entry(&w, INNER, 1, 0);
	expect(&w, " 1) outer() { /* <-ext4_iget+0x15/0x1000 [ext4] */\n"
		   " 1)   inner(); /* <-outer+0x20/0x1000 ret=0x0 */\n"
		   " 1)   inner() { /* <-0 */\n");
	end(&w);

	begin(&w, new_kernel, "nofuncgraph-retaddr nofuncgraph-duration");
	retaddr_entry(&w, OUTER, 0, IGET + 0x15);
	expect(&w, " 1) outer() {\n");
	end(&w);

	/* with arguments, and no type information to print them by */
	begin(&w, new_kernel, "nofuncgraph-duration");
	entry(&w, 1, 7, OUTER, 0);
	w.rec[0].size = 24 + 6 * 8;
	leaf(&w, INNER, 1, 1);
	w.rec[1].size = 24 + 6 * 8;
	expect(&w, " 1) outer() {\n 1)   inner();\n");
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_time_text),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_retval),
		cmocka_unit_test(test_retaddr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
