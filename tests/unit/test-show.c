/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/show/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "events/decode/page.h"

/* Headers as kernels print them: 6.1 and 6.18, 5.10, 4.14. */
#define EVENT_INFO "# tracer: nop\n#\n# entries-in-buffer/entries-written: 103/103   #P:2\n#\n"
#define LEGEND \
	"#                                _-----=> irqs-off/BH-disabled\n" \
	"#                               / _----=> need-resched\n" \
	"#                              |||| /     delay\n"
#define STANDARD EVENT_INFO LEGEND \
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n" \
	"#              | |         |   |||||     |         |\n"
#define STANDARD_5_10 EVENT_INFO \
	"#           TASK-PID     CPU#  ||||   TIMESTAMP  FUNCTION\n" \
	"#              | |         |   ||||      |         |\n"
#define TGID EVENT_INFO LEGEND \
	"#           TASK-PID       TGID    CPU#  |||||  TIMESTAMP  FUNCTION\n" \
	"#              | |           |       |   |||||     |         |\n"
#define TGID_4_14 EVENT_INFO \
	"#           TASK-PID   CPU#   TGID  ||||    TIMESTAMP  FUNCTION\n"
#define NOIRQ EVENT_INFO \
	"#           TASK-PID     CPU#     TIMESTAMP  FUNCTION\n" \
	"#              | |         |         |         |\n"
#define TGID_NOIRQ EVENT_INFO \
	"#           TASK-PID       TGID    CPU#     TIMESTAMP  FUNCTION\n" \
	"#              | |           |       |         |         |\n"
#define LATENCY "# tracer: nop\n#\n# nop latency trace v1.1.5 on 6.1.0-56-amd64\n"
#define GRAPH \
	"# tracer: function_graph\n#\n" \
	"#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS\n" \
	"#      |          |     |    |           |   |                     |   |   |   |\n"
#define GRAPH_NO_CPU \
	"# tracer: function_graph\n#\n" \
	"#     TIME         TASK/PID         DURATION                  FUNCTION CALLS\n"
#define GRAPH_DEFAULT \
	"# tracer: function_graph\n#\n" \
	"# CPU  DURATION                  FUNCTION CALLS\n" \
	"# |     |   |                     |   |   |   |\n"

static const struct tsh_show_options defaults = {
	.context_info = true, .irq_info = true, .funcgraph_cpu = true,
};

static struct tsh_show_layout layout_of(const char *header)
{
	struct tsh_show_layout layout;

	tsh_show_layout_find(&defaults, header, strlen(header), &layout);
	return layout;
}

/* A reader over a whole file, which comes in pieces of `step` bytes. */
struct file {
	const char *text;
	size_t len;
	size_t at;
	size_t step;
};

static bool feed(void *ctx, struct tsh_strbuf *buf)
{
	struct file *f = ctx;
	size_t n = f->len - f->at < f->step ? f->len - f->at : f->step;

	tsh_strbuf_add(buf, f->text + f->at, n);
	f->at += n;
	return n > 0;
}

static void open_file(struct tsh_show_reader *rd, struct file *f, const char *text, size_t step)
{
	const char *header;
	size_t len;

	*f = (struct file){ text, strlen(text), 0, step };
	memset(rd, 0, sizeof(*rd));
	rd->fill = feed;
	rd->ctx = f;
	len = tsh_show_header(rd, &header);
	tsh_show_layout_find(&defaults, header, len, &rd->layout);
}

static void assert_bytes(const char *text, size_t at, size_t len, const char *wanted)
{
	assert_int_equal(len, strlen(wanted));
	assert_memory_equal(text + at, wanted, len);
}

static struct tsh_show_item event(const struct tsh_show_layout *layout, const char *line)
{
	struct tsh_show_item item;

	assert_true(tsh_show_parse(layout, line, strlen(line), &item));
	assert_int_equal(item.kind, TSH_SHOW_EVENT);
	return item;
}

static void assert_text(const struct tsh_show_layout *layout, const char *line)
{
	struct tsh_show_item item;

	assert_false(tsh_show_parse(layout, line, strlen(line), &item));
	assert_int_equal(item.kind, TSH_SHOW_TEXT);
}

static void assert_event(const struct tsh_show_item *item, const char *comm, int pid, int cpu,
			 const char *flags, uint64_t stamp)
{
	assert_bytes(item->text, item->comm, item->comm_len, comm);
	assert_int_equal(item->pid, pid);
	assert_int_equal(item->cpu, cpu);
	assert_bytes(item->text, item->flags, item->flags_len, flags);
	assert_int_equal(item->stamp, stamp);
}

static void test_standard(void **state)
{
	struct tsh_show_layout layout = layout_of(STANDARD);
	const char *line = "              sh-125     [000] d..2.     3.170348: sched_switch: a\n";
	struct tsh_show_item item = event(&layout, line);

	(void)state;
	assert_int_equal(layout.kind, TSH_SHOW_STANDARD);
	assert_true(layout.flags);
	assert_false(layout.tgid);
	assert_event(&item, "sh", 125, 0, "d..2.", 3170348000);
	assert_false(item.bare);
	assert_int_equal(item.tgid, -1);
	assert_bytes(line, 0, item.head_len, "              sh-125     [000] d..2.");
	assert_bytes(line, item.time, item.time_len, "3.170348");
	assert_string_equal(line + item.body, "sched_switch: a\n");
	item = event(&layout, "          <idle>-0       [001] d.h5.    11.999551: sched_waking: x\n");
	assert_event(&item, "<idle>", 0, 1, "d.h5.", 11999551000);
	/* a full column each: 15 bytes, eight digits, four, a time of twelve */
	item = event(&layout, " memfd:buffer-91-12345678 [1024] dNh2. 1234567.000001: f <-g\n");
	assert_event(&item, "memfd:buffer-91", 12345678, 1024, "dNh2.", 1234567000001000);
}

static void test_real_time(void **state)
{
	struct tsh_show_layout layout = layout_of(
		"#           TASK-PID     CPU#  |||||||  TIMESTAMP  FUNCTION\n"
		"#              | |         |   |||||||      |         |\n");
	struct tsh_show_item item;

	(void)state;
	item = event(&layout, "          rcuc/1-27      [001] ...s.12    13.112341: x\n");
	assert_event(&item, "rcuc/1", 27, 1, "...s.12", 13112341000);
	item = event(&layout, "          rcuc/1-27      [001] d.L.10212 1234567.112341: x\n");
	assert_event(&item, "rcuc/1", 27, 1, "d.L.10212", 1234567112341000);
}

static void test_older_kernels(void **state)
{
	struct tsh_show_layout layout = layout_of(STANDARD_5_10);
	struct tsh_show_item item;

	(void)state;
	item = event(&layout, "              sh-108     [000] ....     4.100000: mark: hi\n");
	assert_event(&item, "sh", 108, 0, "....", 4100000000);
	/* five columns for the pid */
	item = event(&layout, "              sh-108   [000] ....     4.100000: mark: hi\n");
	assert_event(&item, "sh", 108, 0, "....", 4100000000);
	layout = layout_of(TGID_4_14);
	assert_true(layout.tgid_last);
	item = event(&layout, "              sh-108   [003] (  100) d...     4.100000: hi\n");
	assert_event(&item, "sh", 108, 3, "d...", 4100000000);
	assert_int_equal(item.tgid, 100);
}

static void test_tgid(void **state)
{
	struct tsh_show_layout layout = layout_of(TGID);
	struct tsh_show_item item;

	(void)state;
	assert_true(layout.tgid);
	assert_false(layout.tgid_last);
	item = event(&layout,
		     "       rcu_sched-12      (     12) [000] d...     3.438153: sched_switch: x\n");
	assert_event(&item, "rcu_sched", 12, 0, "d...", 3438153000);
	assert_int_equal(item.tgid, 12);
	item = event(&layout,
		     "          <idle>-0       (-------) [001] d..2.  2290.484006: sched_switch: x\n");
	assert_int_equal(item.tgid, -1);
	item = event(&layout,
		     "              sh-12345678 (12345679) [001] d..2.  2290.484006: x\n");
	assert_int_equal(item.tgid, 12345679);
	/* the header promised the column */
	assert_text(&layout, "              sh-125     [000] d..2.     3.170348: x\n");
}

static void test_noirq(void **state)
{
	struct tsh_show_layout layout = layout_of(NOIRQ);
	const char *line = "              sh-19589   [000]   2290.483563: sched_switch: x\n";
	struct tsh_show_item item = event(&layout, line);

	(void)state;
	assert_false(layout.flags);
	assert_event(&item, "sh", 19589, 0, "", 2290483563000);
	assert_bytes(line, 0, item.head_len, "              sh-19589   [000]");
	assert_string_equal(line + item.body, "sched_switch: x\n");
	/* full columns, as the time's is from 10,000 s on */
	line = "             mpd-1301  [000] 10000.004712: a\n";
	item = event(&layout, line);
	assert_event(&item, "mpd", 1301, 0, "", 10000004712000);
	assert_bytes(line, 0, item.head_len, "             mpd-1301  [000]");
	item = event(&layout, " memfd:buffer-91-12345678 [1024] 1234567.000001: f <-g\n");
	assert_event(&item, "memfd:buffer-91", 12345678, 1024, "", 1234567000001000);
	item = event(&layout, "              sh-19589   [000] 5947020825669: x\n");
	assert_true(item.bare);
	assert_int_equal(item.stamp, 5947020825669);
	layout = layout_of("#           TASK-PID    CPU#    TIMESTAMP  FUNCTION\n#              | |       |          |         |\n");
	item = event(&layout, "             mpd-12345 [000] 99999.004712: a\n");
	assert_event(&item, "mpd", 12345, 0, "", 99999004712000);
	layout = layout_of(TGID_NOIRQ);
	item = event(&layout, "              sh-12345678 (12345679) [1000] 10000.483563: x\n");
	assert_event(&item, "sh", 12345678, 1000, "", 10000483563000);
	assert_int_equal(item.tgid, 12345679);
	item = event(&layout, "              sh-19589   (  19580) [000]   2290.483563: x\n");
	assert_event(&item, "sh", 19589, 0, "", 2290483563000);
	assert_int_equal(item.tgid, 19580);
}

/* x86-tsc, counter, uptime: " %12llu" */
static void test_bare_times(void **state)
{
	struct tsh_show_layout layout = layout_of(STANDARD);
	struct tsh_show_item item;

	(void)state;
	item = event(&layout, "              sh-19589   [000] ...1. 5947020825669: mark: hi\n");
	assert_true(item.bare);
	assert_int_equal(item.stamp, 5947020825669);
	item = event(&layout, "              sh-19589   [000] ...1.            2: mark: hi\n");
	assert_true(item.bare);
	assert_int_equal(item.stamp, 2);
	assert_text(&layout, "              sh-1       [000] ...1. 99999999999999999999999: x\n");
	assert_text(&layout, "              sh-1       [000] ...1.     3.17034: x\n");
}

static void test_hostile_names(void **state)
{
	struct tsh_show_layout layout = layout_of(STANDARD);
	struct tsh_show_item item;

	(void)state;
	item = event(&layout, " x-1 [000] d... -17238   [001] ...1.  3632.014114: mark: x\n");
	assert_event(&item, "x-1 [000] d... ", 17238, 1, "...1.", 3632014114000);
	item = event(&layout, "    a\nb-9  [001]-17239   [001] ...1.  3632.116986: mark: x\n");
	assert_event(&item, "a\nb-9  [001]", 17239, 1, "...1.", 3632116986000);
	item = event(&layout, "             \n\n\n-17270   [001] ...1.  3632.531752: mark: x\n");
	assert_event(&item, "\n\n\n", 17270, 1, "...1.", 3632531752000);
	item = event(&layout, "        \033[31mred-17249   [000] ...1.  3632.222358: mark: x\n");
	assert_event(&item, "\033[31mred", 17249, 0, "...1.", 3632222358000);
	/* no name at all, and one of blanks */
	item = event(&layout, "                -17250   [000] ...1.  3632.325457: mark: x\n");
	assert_event(&item, "", 17250, 0, "...1.", 3632325457000);
	item = event(&layout, " -1234567 [000] -17271   [001] ...1.  3632.634848: mark: x\n");
	assert_event(&item, "-1234567 [000] ", 17271, 1, "...1.", 3632634848000);
	/* 16 bytes are no name */
	assert_text(&layout, "x-1 [000] d... x-17238   [001] ...1.  3632.014114: mark: x\n");
}

static void test_no_events(void **state)
{
	static const char *const lines[] = {
		"", "\n", " => schedule\n", "              sh", "              sh-",
		"              sh-125", "              sh-125 ", "              sh-125     [",
		"              sh-x       [000] d..2.     3.170348: x\n",
		"              sh-125     [000 d..2.     3.170348: x\n",
		"              sh-125     [000] d..2.     3.170348 x\n",
		"              sh-125     [000] d..2.     .170348: x\n",
		"              sh-125     [000] d..     3.170348: x\n",
		"              sh-99999999999999 [000] d..2.     3.170348: x\n",
		"CPU:1 [LOST 12 EVENTS] \n", "CPU:x [LOST 12 EVENTS]\n", "##### CPU 1 buffer\n",
		" ------------------------------------------\n",
	};
	struct tsh_show_layout layout = layout_of(STANDARD);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_text(&layout, lines[i]);
}

/* Every beginning of a line, so that no column is read beyond the end. */
static void test_cut_lines(void **state)
{
	static const char line[] = "    a\nb-9  [001]-17239   (  17200) [001] ...1.  3632.116986: ";
	static const char graph[] = "   11.095669 |   1)   kcompac-33   | ";
	const struct tsh_show_layout layouts[] = { layout_of(TGID), layout_of(GRAPH) };
	struct tsh_show_item item;
	size_t i, n;

	(void)state;
	for (i = 0; i < 2; i++) {
		const char *text = i ? graph : line;

		for (n = 0; n <= strlen(text); n++) {
			char *copy = test_malloc(n ? n : 1);

			memcpy(copy, text, n);
			assert_int_equal(tsh_show_parse(&layouts[i], copy, n, &item),
					 n == strlen(text));
			test_free(copy);
		}
	}
}

static void test_graph(void **state)
{
	struct tsh_show_layout layout = layout_of(GRAPH);
	const char *line = "   11.095669 |   1)   kcompac-33   |   3.846 us    |  finish();\n";
	struct tsh_show_item item = event(&layout, line);

	(void)state;
	assert_int_equal(layout.kind, TSH_SHOW_GRAPH);
	assert_true(layout.cpu && layout.proc);
	assert_event(&item, "kcompac", 33, 1, "", 11095669000);
	assert_int_equal(item.head_len, 0);
	assert_bytes(line, item.time, item.time_len, "11.095669");
	assert_string_equal(line + item.body, "  3.846 us    |  finish();\n");
	item = event(&layout, "   11.095623 |   1)    <idle>-0    |   2.944 us    |      f();\n");
	assert_event(&item, "<idle>", 0, 1, "", 11095623000);
	/* seven bytes and seven digits: wider than the column */
	item = event(&layout, "12345.000001 |  12) kworker-1234567 | + 22.163 us   |    }\n");
	assert_event(&item, "kworker", 1234567, 12, "", 12345000001000);
	/* names that look like columns */
	item = event(&layout, "   11.095669 |   0)   | 1) |-33    |               |  f() {\n");
	assert_event(&item, "| 1) |", 33, 0, "", 11095669000);
	item = event(&layout, "   11.095669 |   0)   1-2-3\n-33    |               |  f() {\n");
	assert_event(&item, "1-2-3\n", 33, 0, "", 11095669000);
	assert_text(&layout, " 1)    <idle>-0    =>   kcompac-33  \n");
	layout = layout_of(GRAPH_NO_CPU);
	item = event(&layout, "   11.095669 |    kcompac-33   |   3.846 us    |  finish();\n");
	assert_event(&item, "kcompac", 33, -1, "", 11095669000);
}

static void test_layouts(void **state)
{
	struct tsh_show_options opt = defaults;
	struct tsh_show_layout layout;

	(void)state;
	assert_int_equal(layout_of(LATENCY).kind, TSH_SHOW_OTHER);
	assert_non_null(strstr(layout_of(LATENCY).why, "latency-format"));
	assert_int_equal(layout_of(GRAPH_DEFAULT).kind, TSH_SHOW_OTHER);
	assert_non_null(strstr(layout_of(GRAPH_DEFAULT).why, "funcgraph-abstime"));
	opt.context_info = false;
	tsh_show_layout_find(&opt, "# tracer: nop\n#\n", 16, &layout);
	assert_non_null(strstr(layout.why, "context-info"));
	opt = defaults;
	opt.raw = true;
	tsh_show_layout_find(&opt, STANDARD, strlen(STANDARD), &layout);
	assert_int_equal(layout.kind, TSH_SHOW_OTHER);
	/* the option verbose drops the header: the options say the rest */
	opt = defaults;
	opt.record_tgid = true;
	opt.irq_info = false;
	tsh_show_layout_find(&opt, "# tracer: nop\n#\n", 16, &layout);
	assert_int_equal(layout.kind, TSH_SHOW_STANDARD);
	assert_true(layout.tgid);
	assert_false(layout.flags);
	tsh_show_layout_find(&defaults, NULL, 0, &layout);
	assert_int_equal(layout.kind, TSH_SHOW_STANDARD);
}

struct wanted {
	enum tsh_show_item_kind kind;
	const char *text;
};

static const struct wanted mixed_items[] = {
	{ TSH_SHOW_STARTED, "##### CPU 1 buffer started ####\n" },
	{ TSH_SHOW_EVENT, "              sh-125     [000] .....     3.436653: mark: one\n" },
	{ TSH_SHOW_EVENT, "              sh-125     [000] .....     3.436989: mark: a\nb\n\n c\n" },
	{ TSH_SHOW_LOST, "CPU:1 [LOST 21005 EVENTS]\n" },
	{ TSH_SHOW_EVENT, "    a\nb-9  [001]-17239   [001] ...1.  3632.116986: prev=a\nb\n" },
	{ TSH_SHOW_EVENT,
	  "          <idle>-0       [001] d.h5.    12.000584: <stack trace>\n => f\n => g\n" },
	{ TSH_SHOW_LOST, "CPU:0 [LOST EVENTS]\n" },
	{ TSH_SHOW_EVENT, "          <idle>-0       [001] d.h5.    12.000585: without a newline" },
};

static void test_reader(void **state)
{
	static const size_t steps[] = { 1, 2, 3, 7, 64, 4096 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_show_reader rd;
	struct tsh_show_item item;
	size_t i, s, n = sizeof(mixed_items) / sizeof(mixed_items[0]);
	struct file f;

	(void)state;
	tsh_strbuf_adds(&text, STANDARD);
	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&text, mixed_items[i].text);
	for (s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
		open_file(&rd, &f, text.buf, steps[s]);
		for (i = 0; i < n; i++) {
			assert_true(tsh_show_next(&rd, &item));
			assert_int_equal(item.kind, mixed_items[i].kind);
			assert_bytes(item.text, 0, item.len, mixed_items[i].text);
		}
		assert_false(tsh_show_next(&rd, &item));
		assert_false(tsh_show_next(&rd, &item));
		tsh_show_reader_release(&rd);
	}
	tsh_strbuf_release(&text);
}

static void test_lost(void **state)
{
	struct tsh_show_layout layout = layout_of(STANDARD);
	struct tsh_show_item item;

	(void)state;
	assert_true(tsh_show_parse(&layout, mixed_items[3].text, strlen(mixed_items[3].text), &item));
	assert_int_equal(item.cpu, 1);
	assert_int_equal(item.lost, 21005);
	assert_true(tsh_show_parse(&layout, mixed_items[6].text, strlen(mixed_items[6].text), &item));
	assert_int_equal(item.cpu, 0);
	assert_true(item.lost == TSH_LOST_UNKNOWN);
}

static void test_graph_file(void **state)
{
	static const char rule[] = " ------------------------------------------\n";
	static const struct wanted wanted[] = {
		{ TSH_SHOW_EVENT, "   11.095659 |   1)    <idle>-0    |   1.833 us    |    f();\n" },
		{ TSH_SHOW_BANNER, rule },
		{ TSH_SHOW_TEXT, " 1)    <idle>-0    =>   kcompac-33  \n" },
		{ TSH_SHOW_BANNER, rule },
		{ TSH_SHOW_TEXT, "\n" },
		{ TSH_SHOW_EVENT,
		  "   11.095669 |   1)   kcompac-33   |               |  /* a\nb */\n" },
		{ TSH_SHOW_EVENT, "   11.095670 |   1)   kcompac-33   |   3.846 us    |  g();\n" },
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i, n = sizeof(wanted) / sizeof(wanted[0]);
	struct tsh_show_reader rd;
	struct tsh_show_item item;
	struct file f;

	(void)state;
	tsh_strbuf_adds(&text, GRAPH);
	for (i = 0; i < n; i++)
		tsh_strbuf_adds(&text, wanted[i].text);
	open_file(&rd, &f, text.buf, 5);
	for (i = 0; i < n; i++) {
		assert_true(tsh_show_next(&rd, &item));
		assert_int_equal(item.kind, wanted[i].kind);
		assert_bytes(item.text, 0, item.len, wanted[i].text);
	}
	assert_false(tsh_show_next(&rd, &item));
	tsh_show_reader_release(&rd);
	tsh_strbuf_release(&text);
}

/* A layout that nobody knows is lines; an empty file is nothing. */
static void test_other_files(void **state)
{
	struct tsh_show_reader rd;
	struct tsh_show_item item;
	struct file f;

	(void)state;
	open_file(&rd, &f, LATENCY "      sh-125       0d..2. 3170348us!: x\n\nz", 9);
	assert_true(tsh_show_next(&rd, &item));
	assert_int_equal(item.kind, TSH_SHOW_TEXT);
	assert_bytes(item.text, 0, item.len, "      sh-125       0d..2. 3170348us!: x\n");
	assert_true(tsh_show_next(&rd, &item));
	assert_bytes(item.text, 0, item.len, "\n");
	assert_true(tsh_show_next(&rd, &item));
	assert_bytes(item.text, 0, item.len, "z");
	assert_false(tsh_show_next(&rd, &item));
	tsh_show_reader_release(&rd);
	open_file(&rd, &f, "", 1);
	assert_false(tsh_show_next(&rd, &item));
	tsh_show_reader_release(&rd);
	open_file(&rd, &f, STANDARD, 10);
	assert_false(tsh_show_next(&rd, &item));
	tsh_show_reader_release(&rd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_standard),
		cmocka_unit_test(test_older_kernels),
		cmocka_unit_test(test_real_time),
		cmocka_unit_test(test_tgid),
		cmocka_unit_test(test_noirq),
		cmocka_unit_test(test_bare_times),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_no_events),
		cmocka_unit_test(test_cut_lines),
		cmocka_unit_test(test_graph),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_reader),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_graph_file),
		cmocka_unit_test(test_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
