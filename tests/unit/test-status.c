/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pages.h"

#include "engine/state/status.h"

/* What status says of a recorded tree, in words, as one row and as JSON: the same facts. */

static const char in_words[] =
	"instance:                  top\n"
	"state:                     a recorded tree: nothing happens here\n"
	"tracing:                   on\n"
	"tracer:                    function\n"
	"events:                    sched:sched_switch\n"
	"filter:                    sched:sched_switch: prev_pid > 5\n"
	"trigger:                   sched:sched_switch: traceoff:unlimited\n"
	"trigger:                   sched:sched_switch: stacktrace:count=5\n"
	"clock:                     local\n"
	"buffer:                    1408 KB for each CPU, once something is enabled\n"
	"wakes readers at:          30 % full\n"
	"cpus:                      0\n"
	"events only of tasks:      1 22\n"
	"only functions:            vfs_read f:mod:m\n"
	"functions with a command:  vfs_open:traceoff:unlimited\n"
	"saved_cmdlines_size:       64\n"
	"probe:                     p:kprobes/a vfs_read\n"
	"instance of its own:       one\n";

static const char as_row[] =
	"instance,state,tracing,tracer,events,filter,trigger,clock,buffer,wakes readers at,cpus,events only of tasks,"
	"only functions,functions with a command,saved_cmdlines_size,probe,instance of its own\n"
	"top,a recorded tree: nothing happens here,on,function,sched:sched_switch,sched:sched_switch: prev_pid > 5,"
	"sched:sched_switch: traceoff:unlimited; sched:sched_switch: stacktrace:count=5,local,"
	"\"1408 KB for each CPU, once something is enabled\",30 % full,0,1 22,vfs_read f:mod:m,"
	"vfs_open:traceoff:unlimited,64,p:kprobes/a vfs_read,one\n";

static const char as_json[] =
	"{\"type\":\"status\",\"instance\":\"top\",\"tracing\":true,\"tracer\":\"function\",\"clock\":\"local\","
	"\"events\":[\"sched:sched_switch\"],"
	"\"filters\":[{\"event\":\"sched:sched_switch\",\"filter\":\"prev_pid > 5\"}],"
	"\"triggers\":[{\"event\":\"sched:sched_switch\",\"trigger\":\"traceoff:unlimited\"},"
	"{\"event\":\"sched:sched_switch\",\"trigger\":\"stacktrace:count=5\"}],"
	"\"buffer_size_kb\":1408,\"buffer_total_size_kb\":null,\"buffer_subbuf_size_kb\":null,\"buffer_percent\":30,"
	"\"tracing_thresh\":null,\"max_graph_depth\":null,\"snapshot_bytes\":null,\"cpus\":[0],"
	"\"set_event_pid\":[1,22],\"set_event_notrace_pid\":null,\"set_ftrace_pid\":[],"
	"\"set_ftrace_notrace_pid\":null,"
	"\"set_ftrace_filter\":[\"vfs_read\",\"vfs_open:traceoff:unlimited\",\"f:mod:m\"],"
	"\"set_ftrace_notrace\":null,\"set_graph_function\":[],\"set_graph_notrace\":null,"
	"\"stack_trace_filter\":null,\"options\":{},\"others\":{\"saved_cmdlines_size\":\"64\"},\"unread\":[],"
	"\"dynamic_events\":[\"p:kprobes/a vfs_read\"],\"kprobe_events\":null,\"uprobe_events\":null,"
	"\"synthetic_events\":null,\"instances\":[\"one\"],\"left_out\":0,\"unread_files\":0}\n";

static void fill(const struct tree *t)
{
	static const char *const folders[] = { "events/sched", "events/sched/sched_switch", "instances",
					       "instances/one" };
	static const char *const files[][2] = {
		{ "tracing_on", "1\n" },
		{ "current_tracer", "function\n" },
		{ "trace_clock", "[local] global mono\n" },
		{ "available_events", "sched:sched_switch\nsched:sched_waking\n" },
		{ "set_event", "sched:sched_switch\n" },
		{ "events/sched/sched_switch/filter", "prev_pid > 5\n" },
		{ "events/sched/sched_switch/trigger",
		  "# Available triggers:\ntraceoff:unlimited\nstacktrace:count=5\n" },
		{ "buffer_size_kb", "7 (expanded: 1408)\n" },
		{ "buffer_percent", "30\n" },
		{ "tracing_cpumask", "1\n" },
		{ "set_event_pid", "1\n22\n" },
		{ "set_ftrace_pid", "no pid\n" },
		{ "set_ftrace_filter", "vfs_read\nvfs_open:traceoff:unlimited\nf:mod:m\n" },
		{ "set_graph_function", "#### all functions enabled ####\n" },
		{ "saved_cmdlines_size", "64\n" },
		{ "dynamic_events", "p:kprobes/a vfs_read\n" },
	};
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make_folder(t, folders[i]);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		put_text(t, files[i][0], files[i][1]);
}

static void test_status(void **state)
{
	static const struct {
		enum tsh_format format;
		const char *expected;
	} cases[] = {
		{ TSH_FORMAT_TEXT, in_words },
		{ TSH_FORMAT_CSV, as_row },
		{ TSH_FORMAT_JSON, as_json },
	};
	static const char filters[] = "sched:sched_waking              none\n      ^\nparse_error: Field not found\n\n"
				      "sched:sched_switch              prev_pid > 5\n";
	struct tsh_session s = { 0 };
	struct tsh_out out;
	struct tree t;
	size_t i;

	tree_open(&t, false, 2);
	fill(&t);
	/* a kernel that lists the filters says the same */
	if (*state)
		put_text(&t, "show_event_filters", filters);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tsh_out_init(&out, -1, cases[i].format);
		s.out = &out;
		s.dir = t.dir;
		s.in = t.in;
		tsh_status_print(&s, t.in, true);
		assert_string_equal(out.data.buf, cases[i].expected);
		tsh_out_release(&out);
	}
	tsh_cmd_session_release(&s);
	tree_close(&t);
}

int main(void)
{
	bool is_listed = true;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test_prestate(test_status, &is_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
