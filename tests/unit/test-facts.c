/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "engine/histtrigger/triggers.h"
#include "engine/show/show.h"
#include "engine/state/task-lists.h"
#include "engine/types/event-info.h"
#include "lang/lexer.h"
#include "library/library.h"

/* Prints what info, trigger, pid and show say of a recorded tree, each in all formats. */

#define FORMAT \
	"name: sched_switch\nID: 316\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
	"\tfield:pid_t  prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"prev_pid=%d\", REC->prev_pid\n"

#define HEADER \
	"# tracer: nop\n#\n# entries-in-buffer/entries-written: 3/3   #P:2\n#\n" \
	"#                                _-----=> irqs-off/BH-disabled\n" \
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n" \
	"#              | |         |   |||||     |         |\n"

static const char info_csv[] =
	"event,field,type,offset,size,signed\n"
	"sched:sched_switch,common_type,unsigned short,0,2,false\n"
	"sched:sched_switch,common_flags,unsigned char,2,1,false\n"
	"sched:sched_switch,common_preempt_count,unsigned char,3,1,false\n"
	"sched:sched_switch,common_pid,int,4,4,true\n"
	"sched:sched_switch,prev_comm,char[16],8,16,false\n"
	"sched:sched_switch,prev_pid,pid_t,24,4,true\n";

static const char trigger_text[] =
	"sched:sched_switch  traceoff\n"
	"sched:sched_switch  stacktrace  5  prev_pid == 1\n";

struct fixture {
	struct tree t;
	struct tsh_out out;
	struct tsh_session s;
	struct tsh_events events;
};

static void open_fixture(struct fixture *f, enum tsh_format format)
{
	memset(f, 0, sizeof(*f));
	tree_open(&f->t, false, 2);
	make_folder(&f->t, "events/sched");
	make_folder(&f->t, "events/sched/sched_switch");
	put_text(&f->t, "events/sched/sched_switch/format", FORMAT);
	put_text(&f->t, "events/sched/sched_switch/filter", "prev_pid > 5\n");
	put_text(&f->t, "events/sched/sched_switch/trigger",
		 "# Available triggers:\ntraceoff:unlimited\nstacktrace:count=5 if prev_pid == 1\n");
	put_text(&f->t, "set_event", "sched:sched_switch\n");
	put_text(&f->t, "available_events", "sched:sched_switch\n");
	put_text(&f->t, "set_event_pid", "1\n22\n");
	put_text(&f->t, "set_event_notrace_pid", "7\n");
	put_text(&f->t, "tracing_on", "1\n");
	put_text(&f->t, "current_tracer", "nop\n");
	put_text(&f->t, "trace", HEADER
		 "            bash-22      [001] d..2.    10.000001: sched_switch: prev_pid=22\n"
		 "            bash-23      [000] d..2.    10.000002: sched_switch: prev_pid=23\n"
		 "CPU:1 [LOST 4 EVENTS]\n"
		 "            bash-24      [001] d..2.    10.000003: sched_switch: prev_pid=24\n");
	tsh_out_init(&f->out, -1, format);
	f->s.out = &f->out;
	f->s.dir = f->t.dir;
	f->s.in = f->t.in;
	f->s.settings.decoders = TSH_DECODERS_OFF;
	f->s.settings.time = TSH_TIME_TRACE;
	tsh_events_add(&f->events, "sched", "sched_switch");
}

static void close_fixture(struct fixture *f, const char *expected)
{
	assert_string_equal(f->out.data.buf ? f->out.data.buf : "", expected);
	tsh_out_release(&f->out);
	tsh_events_release(&f->events);
	tsh_cmd_session_release(&f->s);
	tree_close(&f->t);
}

static void print_info(enum tsh_format format, bool plain, const char *expected)
{
	struct tsh_err err = { 0 };
	struct fixture f;

	open_fixture(&f, format);
	assert_int_equal(tsh_event_info_print(&f.s, &f.events, plain, &err), 0);
	close_fixture(&f, expected);
}

static void test_info(void **state)
{
	(void)state;
	print_info(TSH_FORMAT_TEXT, false,
		"sched:sched_switch\n"
		"    TYPE            FIELD                 OFFSET  SIZE  SIGNED\n"
		"    unsigned short  common_type                0     2  no\n"
		"    unsigned char   common_flags               2     1  no\n"
		"    unsigned char   common_preempt_count       3     1  no\n"
		"    int             common_pid                 4     4  yes\n"
		"    char[16]        prev_comm                  8    16  no\n"
		"    pid_t           prev_pid                  24     4  yes\n"
		"  print:    \"prev_pid=%d\", REC->prev_pid\n"
		"  id:       316\n"
		"  filter:   prev_pid > 5\n"
		"  trigger:  traceoff:unlimited\n"
		"  trigger:  stacktrace:count=5 if prev_pid == 1\n");
	print_info(TSH_FORMAT_TEXT, true,
		"sched:sched_switch\n"
		"    char prev_comm[16];\n"
		"    pid_t prev_pid;\n");
	print_info(TSH_FORMAT_JSON, false,
		"{\"type\":\"info\",\"event\":\"sched:sched_switch\",\"id\":316,"
		"\"fields\":[{\"name\":\"common_type\",\"type\":\"unsigned short\",\"offset\":0,\"size\":2,"
		"\"signed\":false,\"common\":true},{\"name\":\"common_flags\",\"type\":\"unsigned char\","
		"\"offset\":2,\"size\":1,\"signed\":false,\"common\":true},{\"name\":\"common_preempt_count\","
		"\"type\":\"unsigned char\",\"offset\":3,\"size\":1,\"signed\":false,\"common\":true},"
		"{\"name\":\"common_pid\",\"type\":\"int\",\"offset\":4,\"size\":4,\"signed\":true,\"common\":true},"
		"{\"name\":\"prev_comm\",\"type\":\"char[16]\",\"offset\":8,\"size\":16,\"signed\":false,"
		"\"common\":false},{\"name\":\"prev_pid\",\"type\":\"pid_t\",\"offset\":24,\"size\":4,"
		"\"signed\":true,\"common\":false}],\"print\":\"\\\"prev_pid=%d\\\", REC->prev_pid\","
		"\"filter\":\"prev_pid > 5\"}\n");
	print_info(TSH_FORMAT_CSV, false, info_csv);
}

/* An event without a format is an error. */
static void test_info_missing(void **state)
{
	struct tsh_err err = { 0 };
	struct fixture f;

	(void)state;
	open_fixture(&f, TSH_FORMAT_CSV);
	tsh_events_add(&f.events, "sched", "gone");
	assert_int_equal(tsh_event_info_print(&f.s, &f.events, false, &err), -1);
	assert_non_null(err.message);
	tsh_err_release(&err);
	close_fixture(&f, info_csv);
}

static void list_triggers(enum tsh_format format, bool all, const char *expected)
{
	struct tsh_err err = { 0 };
	struct fixture f;

	open_fixture(&f, format);
	assert_int_equal(all ? tsh_triggers_list_all(&f.s, &err) : tsh_triggers_list(&f.s, &f.events, &err), 0);
	close_fixture(&f, expected);
}

static void test_triggers(void **state)
{
	(void)state;
	list_triggers(TSH_FORMAT_TEXT, false, trigger_text);
	list_triggers(TSH_FORMAT_TEXT, true, trigger_text);
	list_triggers(TSH_FORMAT_JSON, false,
		"{\"type\":\"trigger\",\"event\":\"sched:sched_switch\",\"trigger\":\"traceoff\",\"left\":null,"
		"\"filter\":null}\n"
		"{\"type\":\"trigger\",\"event\":\"sched:sched_switch\",\"trigger\":\"stacktrace\",\"left\":\"5\","
		"\"filter\":\"prev_pid == 1\"}\n");
	list_triggers(TSH_FORMAT_CSV, true,
		"event,trigger,left,filter\n"
		"sched:sched_switch,traceoff,,\n"
		"sched:sched_switch,stacktrace,5,prev_pid == 1\n");
}

static void print_tasks(enum tsh_format format, const char *expected)
{
	struct fixture f;

	open_fixture(&f, format);
	tsh_task_lists_print(&f.s);
	close_fixture(&f, expected);
}

static void test_tasks(void **state)
{
	(void)state;
	print_tasks(TSH_FORMAT_TEXT,
		"events:       1 22\n"
		"events, not:  7\n");
	print_tasks(TSH_FORMAT_JSON,
		"{\"type\":\"pid\",\"events\":[1,22],\"events_not\":[7],\"functions\":null,\"functions_not\":null,"
		"\"children_followed\":null,\"left_out\":0}\n");
	print_tasks(TSH_FORMAT_CSV,
		"events,\"events, not\"\n"
		"1 22,7\n");
}

static void print_text(enum tsh_format format, const uint64_t *last, const char *expected)
{
	struct tsh_range range = { .is_on = false };
	struct tsh_err err = { 0 };
	struct fixture f;

	open_fixture(&f, format);
	assert_int_equal(tsh_show_text(&f.s, "trace", last, &range, &err), 0);
	close_fixture(&f, expected);
}

static void test_show(void **state)
{
	static const uint64_t one = 1, none = 0;

	(void)state;
	print_text(TSH_FORMAT_TEXT, NULL,
		"# tracesh: instance top, clock unknown, times of that clock\n"
		"            bash-22      [001] d..2.    10.000001: sched_switch: prev_pid=22\n"
		"            bash-23      [000] d..2.    10.000002: sched_switch: prev_pid=23\n"
		"# cpu 1: 4 events lost\n"
		"            bash-24      [001] d..2.    10.000003: sched_switch: prev_pid=24\n");
	print_text(TSH_FORMAT_TEXT, &one,
		"# tracesh: instance top, clock unknown, times of that clock\n"
		"# cpu 1: 4 events lost\n"
		"            bash-24      [001] d..2.    10.000003: sched_switch: prev_pid=24\n");
	print_text(TSH_FORMAT_CSV, NULL,
		"time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"
		"10000001000,10000001000,,1,22,,bash,d..2.,sched:sched_switch,prev_pid=22\n"
		"10000002000,10000002000,,0,23,,bash,d..2.,sched:sched_switch,prev_pid=23\n"
		",,,1,,,,,lost,4\n"
		"10000003000,10000003000,,1,24,,bash,d..2.,sched:sched_switch,prev_pid=24\n");
	print_text(TSH_FORMAT_KERNEL, &none, "");
}

/* Finds the tasks of a list; `begin` and `end` are blamed where that fails, in a word at 10. */
static void find_tasks(const char *list, const char *message, size_t begin, size_t end)
{
	const struct tsh_vars none = { 0 };
	char *line = tsh_xasprintf("pid       %s", list);
	struct tsh_tasks tasks = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_value value = { 0 };
	struct tsh_lexer lx;

	tsh_lexer_init(&lx, line, strlen(line), &none);
	assert_int_equal(tsh_lexer_word(&lx, &value.word, &err), TSH_TOKEN_WORD);
	tsh_word_release(&value.word);
	assert_int_equal(tsh_lexer_word(&lx, &value.word, &err), TSH_TOKEN_WORD);
	assert_int_equal(tsh_tasks_find_list(&value, &tasks, &err), -1);
	assert_string_equal(err.message, message);
	assert_int_equal(err.span.begin, 10 + begin);
	assert_int_equal(err.span.end, 10 + end);
	tsh_err_release(&err);
	tsh_word_release(&value.word);
	tsh_tasks_release(&tasks);
	free(line);
}

static void test_task_list(void **state)
{
	(void)state;
	find_tasks("1,,1", "a task is missing before this", 2, 3);
	find_tasks(",1", "a task is missing before this", 0, 1);
	find_tasks("1,", "a task is missing behind this", 1, 2);
	find_tasks(",", "a task is missing before this", 0, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_info_missing),
		cmocka_unit_test(test_triggers),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_task_list),
		cmocka_unit_test(test_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
