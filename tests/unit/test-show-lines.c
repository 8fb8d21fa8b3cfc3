/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "engine/show/print.h"

/* What show makes of the kernel's lines: columns, CSV, JSON. */

static const char text[] =
	"# tracer: nop\n"
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	"#              | |         |   |||||     |         |\n"
	"            bash-42      [001] d..2.     3.500001: sched_switch: prev_comm=a,b prev_pid=1\n"
	"CPU:1 [LOST 21 EVENTS]\n"
	"          <idle>-0       [000] ..s1.     3.500011: tracing_mark_write: =x\n"
	"        a, \"b\" c-7       [001] .....     3.750000: nosuch: y\n";

#define HEADER "# tracesh: instance top, clock local, times of that clock\n"

static const struct {
	enum tsh_format format;
	const char *columns, *expected;
} cases[] = {
	{ TSH_FORMAT_TEXT, "task,pid,cpu,flags,delta,event,text",
	  HEADER
	  "            bash-42           42   1 d..2.    +0.000000 sched_switch         prev_comm=a,b prev_pid=1\n"
	  "# cpu 1: 21 events lost\n"
	  "          <idle>-0             0   0 ..s1.    +0.000010 tracing_mark_write   =x\n"
	  "        a, \"b\" c-7             7   1 .....    +0.249989                      nosuch: y\n" },
	{ TSH_FORMAT_TEXT, "tgid,comm,time,text",
	  HEADER
	  "      - bash            3.500001 sched_switch: prev_comm=a,b prev_pid=1\n"
	  "# cpu 1: 21 events lost\n"
	  "      - <idle>          3.500011 tracing_mark_write: =x\n"
	  "      - a, \"b\" c        3.750000 nosuch: y\n" },
	{ TSH_FORMAT_CSV, NULL,
	  "time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
	  "3.500001,3500001000,,1,42,,bash,d..2.,sched:sched_switch,\"prev_comm=a,b prev_pid=1\"\n"
	  ",,,1,,,,,lost,21\n"
	  "3.500011,3500011000,,0,0,,<idle>,..s1.,ftrace:print,'=x\n"
	  "3.750000,3750000000,,1,7,,\"a, \"\"b\"\" c\",.....,,nosuch: y\n" },
	{ TSH_FORMAT_JSON, NULL,
	  "{\"type\":\"start\",\"format\":1,\"instance\":\"top\",\"clock\":\"local\",\"error_ns\":null}\n"
	  "{\"type\":\"event\",\"time\":null,\"ts\":\"3.500001\",\"cpu\":1,\"pid\":42,\"comm\":\"bash\","
	  "\"flags\":\"d..2.\",\"text\":\"sched_switch: prev_comm=a,b prev_pid=1\"}\n"
	  "{\"type\":\"lost\",\"cpu\":1,\"count\":21}\n"
	  "{\"type\":\"event\",\"time\":null,\"ts\":\"3.500011\",\"cpu\":0,\"pid\":0,\"comm\":\"<idle>\","
	  "\"flags\":\"..s1.\",\"text\":\"tracing_mark_write: =x\"}\n"
	  "{\"type\":\"event\",\"time\":null,\"ts\":\"3.750000\",\"cpu\":1,\"pid\":7,\"comm\":\"a, \\\"b\\\" c\","
	  "\"flags\":\".....\",\"text\":\"nosuch: y\"}\n" },
};

static void print_all(struct tsh_session *s)
{
	const struct tsh_show_options options = { .context_info = true, .irq_info = true };
	struct tsh_show_reader rd = { .eof = true };
	struct tsh_show_printer p;
	struct tsh_show_item item;
	const char *header;
	size_t len;

	tsh_strbuf_init(&rd.buf);
	tsh_strbuf_adds(&rd.buf, text);
	len = tsh_show_header(&rd, &header);
	tsh_show_layout_find(&options, header, len, &rd.layout);
	tsh_show_printer_init(&p, s, false);
	tsh_show_print_start(&p, &rd.layout);
	while (tsh_show_next(&rd, &item))
		tsh_show_print(&p, &item);
	assert_int_equal(p.sum.events, 3);
	assert_int_equal(p.sum.lost, 21);
	tsh_show_printer_end(&p);
	tsh_show_reader_release(&rd);
}

static void test_lines(void **state)
{
	struct tsh_session s = { 0 };
	struct tsh_out out;
	struct tree t;
	size_t i;

	(void)state;
	tree_open(&t, false, 2);
	put_text(&t, "trace_clock", "[local] global mono\n");
	put_text(&t, "available_events", "sched:sched_switch\nsched:sched_waking\n");
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tsh_out_init(&out, -1, cases[i].format);
		out.quiet = true;
		s.out = &out;
		s.dir = t.dir;
		s.in = t.in;
		s.settings.time = TSH_TIME_TRACE;
		s.settings.columns = (char *)cases[i].columns;
		print_all(&s);
		assert_string_equal(out.data.buf, cases[i].expected);
		tsh_out_release(&out);
	}
	s.settings.columns = NULL;
	tsh_cmd_session_release(&s);
	tree_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
