/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracefs.h"

#include <string.h>

#include "base/suggest.h"

#define UNREAD (TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE), TSH_SAME_NEVER, TSH_BACK_NONE
#define UNWRITTEN TSH_CLASS_NO_WRITE, TSH_SAME_NEVER, TSH_BACK_NONE
#define EVENTS TSH_CLASS_NO_UNDO, TSH_SAME_NEVER, TSH_BACK_NONE
#define PIDS TSH_CLASS_LIST | TSH_CLASS_PIDS, TSH_SAME_PIDS, TSH_BACK_REPLACE, NULL
#define SHARED_PROBES TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE, TSH_SAME_LINES, TSH_BACK_PROBES

static const char pids_drift[] =
	"with event-fork and function-fork it removes tasks that exit and adds children";
static const char bits_drift[] = "a trigger that enables the event marks it with a star";
static const char sizes_drift[] = "sizes are rounded to pages; the first use expands a buffer, "
				  "for good";
static const char counts_drift[] = "counts go down as triggers fire";
static const char mixed[] = "a mixed state of many events cannot be written back; use enable "
			    "or disable EVENT..";
static const char others_probes[] = "setting it would delete everybody's probes";

/*
 * Says for each file what opening, reading and writing it does, when two readings are the same, and
 * how it is restored. The facts are from kernel/trace/trace.c, trace_events.c, ftrace.c and the
 * files of probes. The first pattern that matches counts; '*' matches '/' too.
 */
static const struct tsh_file_class classes[] = {
	/* files of events, not settings */
	{ "trace_pipe", UNREAD, "reading it consumes the events; use stream or drain", NULL },
	{ "*/trace_pipe", UNREAD,
	  "reading it consumes the events; use stream --cpu or drain --cpu", NULL },
	{ "*trace_pipe_raw", UNREAD, "reading it consumes the events; use stream or drain", NULL },
	{ "*snapshot_raw", UNREAD, "reading it consumes the events of the snapshot", NULL },
	{ "free_buffer", UNREAD,
	  "closing it frees the ring buffer, events and all, even after a read", NULL },
	{ "error_log", UNWRITTEN, "opening it for writing erases other people's error messages",
	  NULL },
	{ "trace", EVENTS, "erases the events of the buffer", NULL },
	{ "per_cpu/*/trace", EVENTS, "erases the events of that CPU", NULL },
	{ "trace_marker*", TSH_CLASS_NO_UNDO | TSH_CLASS_PLAIN_TEXT, TSH_SAME_NEVER,
	  TSH_BACK_NONE, "puts an event into the buffer", NULL },
	{ "*snapshot", EVENTS, "takes, swaps or frees the snapshot buffer", NULL },
	{ "*/inject", EVENTS, "puts an event into the buffer", NULL },
	/* settings of events */
	{ "*/format", UNWRITTEN, "it describes the event", NULL },
	{ "events/enable", UNWRITTEN, mixed, NULL },
	{ "events/*/*/enable", TSH_CLASS_BITS, TSH_SAME_BIT, TSH_BACK_WRITE, NULL, bits_drift },
	{ "events/*/enable", UNWRITTEN, mixed, NULL },
	{ "events/*/*/filter", TSH_CLASS_FILTER, TSH_SAME_FILTER, TSH_BACK_WRITE, NULL,
	  "0 reads back as none; blanks at the end are cut" },
	{ "events/*/filter", UNWRITTEN,
	  "the kernel drops the filters of events that cannot take it, and reports success; "
	  "use filter EVENT.. FILTER", NULL },
	{ "events/*/*/trigger", TSH_CLASS_ADD_ONLY | TSH_CLASS_TRIGGER, TSH_SAME_TRIGGERS,
	  TSH_BACK_TRIGGERS, "setting it would remove other people's triggers", counts_drift },
	{ "set_event", TSH_CLASS_ADD_ONLY | TSH_CLASS_WORDS, TSH_SAME_LINES, TSH_BACK_LINES,
	  "setting it would disable all other events",
	  "events that a trigger has armed are listed as well" },
	/* lists */
	{ "set_event_pid", PIDS, pids_drift },
	{ "set_event_notrace_pid", PIDS, pids_drift },
	{ "set_ftrace_pid", PIDS, pids_drift },
	{ "set_ftrace_notrace_pid", PIDS, pids_drift },
	{ "set_ftrace_filter", TSH_CLASS_LIST, TSH_SAME_FUNCTIONS, TSH_BACK_FUNCTIONS, NULL,
	  "globs are listed as the names that they match; counts of commands go down" },
	{ "set_ftrace_notrace", TSH_CLASS_LIST, TSH_SAME_FUNCTIONS, TSH_BACK_FUNCTIONS, NULL,
	  "globs are listed as the names that they match" },
	{ "set_graph_function", TSH_CLASS_LIST, TSH_SAME_LINES, TSH_BACK_REPLACE, NULL, NULL },
	{ "set_graph_notrace", TSH_CLASS_LIST, TSH_SAME_LINES, TSH_BACK_REPLACE, NULL, NULL },
	{ "stack_trace_filter", TSH_CLASS_LIST, TSH_SAME_LINES, TSH_BACK_REPLACE, NULL, NULL },
	{ "kprobe_events", SHARED_PROBES, others_probes, NULL },
	{ "uprobe_events", SHARED_PROBES, others_probes, NULL },
	{ "dynamic_events", SHARED_PROBES, others_probes, NULL },
	{ "synthetic_events", TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE, TSH_SAME_LINES,
	  TSH_BACK_SYNTHETIC, "setting it would delete everybody's synthetic events", NULL },
	/* the tracer and the buffer */
	{ "current_tracer", TSH_CLASS_ERASES, TSH_SAME_TEXT, TSH_BACK_WRITE, "erases the buffer",
	  NULL },
	{ "trace_clock", TSH_CLASS_ERASES, TSH_SAME_CHOICE, TSH_BACK_WRITE, "erases the buffer",
	  NULL },
	{ "hwlat_detector/mode", 0, TSH_SAME_CHOICE, TSH_BACK_WRITE, NULL, NULL },
	{ "buffer_subbuf_size_kb", TSH_CLASS_ERASES, TSH_SAME_TEXT, TSH_BACK_WRITE,
	  "erases the buffer", NULL },
	{ "buffer_size_kb", 0, TSH_SAME_SIZE, TSH_BACK_SIZES, NULL, sizes_drift },
	{ "per_cpu/*/buffer_size_kb", 0, TSH_SAME_SIZE, TSH_BACK_WRITE, NULL, sizes_drift },
	{ "tracing_cpumask", 0, TSH_SAME_MASK, TSH_BACK_WRITE, NULL, NULL },
	{ "tracing_on", TSH_CLASS_BITS, TSH_SAME_BIT, TSH_BACK_WRITE, NULL, NULL },
	{ "tracing_max_latency", 0, TSH_SAME_ANY, TSH_BACK_WRITE, NULL,
	  "latency tracers keep the longest there" },
	{ "stack_max_size", 0, TSH_SAME_ANY, TSH_BACK_WRITE, NULL,
	  "the stack tracer keeps the deepest there" },
	{ "trace_options", TSH_CLASS_OPTIONS, TSH_SAME_OPTION, TSH_BACK_WRITE, NULL, NULL },
	{ "*", 0, TSH_SAME_TEXT, TSH_BACK_WRITE, NULL, NULL },
};

/* Matches as tsh_glob_match, but ten times as fast: most patterns begin with a letter, or match the
 * end of a path. */
static bool matches(const char *pattern, const char *path, size_t len)
{
	size_t end = strlen(pattern) - 1;

	if (*pattern != '*')
		return *pattern == *path && tsh_glob_match(pattern, path);
	if (strpbrk(pattern + 1, "*?["))
		return tsh_glob_match(pattern, path);
	return len >= end && !memcmp(path + len - end, pattern + 1, end);
}

const struct tsh_file_class *tsh_file_class(const char *path)
{
	const struct tsh_file_class *cls = classes;
	size_t len = strlen(path);

	while (!matches(cls->pattern, path, len))
		cls++;
	return cls;
}
