/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/tracefs.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/number.h"
#include "tracesh/suggest.h"

/*
 * What each file does when it is opened, read and written, from
 * kernel/trace/trace.c, trace_events.c, ftrace.c and the probe files. The first
 * pattern that matches counts; '*' matches '/' too.
 */
static const struct tsh_file_class classes[] = {
	{ "trace_pipe", TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE,
	  "reading it consumes the events; use stream or drain" },
	{ "*/trace_pipe", TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE,
	  "reading it consumes the events; use stream --cpu or drain --cpu" },
	{ "*trace_pipe_raw", TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE,
	  "reading it consumes the events; use stream or drain" },
	{ "*snapshot_raw", TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE,
	  "reading it consumes the events of the snapshot" },
	{ "free_buffer", TSH_CLASS_NO_READ | TSH_CLASS_NO_WRITE,
	  "closing it frees the ring buffer, events and all, even after a read" },
	{ "error_log", TSH_CLASS_NO_WRITE,
	  "opening it for writing erases other people's error messages" },
	{ "trace", TSH_CLASS_NO_UNDO, "erases the events of the buffer" },
	{ "per_cpu/*/trace", TSH_CLASS_NO_UNDO, "erases the events of that CPU" },
	{ "trace_marker*", TSH_CLASS_NO_UNDO | TSH_CLASS_PLAIN_TEXT,
	  "puts an event into the buffer" },
	{ "*snapshot", TSH_CLASS_NO_UNDO, "takes, swaps or frees the snapshot buffer" },
	{ "*/inject", TSH_CLASS_NO_UNDO, "puts an event into the buffer" },
	{ "*/format", TSH_CLASS_NO_WRITE, "it describes the event" },
	{ "events/enable", TSH_CLASS_NO_WRITE,
	  "a mixed state of many events cannot be written back; use enable or disable EVENT.." },
	{ "events/*/*/enable", TSH_CLASS_BITS, NULL },
	{ "events/*/enable", TSH_CLASS_NO_WRITE,
	  "a mixed state of many events cannot be written back; use enable or disable EVENT.." },
	{ "events/*/*/filter", TSH_CLASS_FILTER, NULL },
	{ "events/*/filter", TSH_CLASS_NO_WRITE,
	  "the kernel drops the filters of events that cannot take it, and reports success; "
	  "use filter EVENT.. FILTER" },
	{ "events/*/*/trigger", TSH_CLASS_ADD_ONLY | TSH_CLASS_TRIGGER,
	  "setting it would remove other people's triggers" },
	{ "set_event", TSH_CLASS_ADD_ONLY, "setting it would disable all other events" },
	{ "set_event_pid", TSH_CLASS_LIST | TSH_CLASS_PIDS, NULL },
	{ "set_event_notrace_pid", TSH_CLASS_LIST | TSH_CLASS_PIDS, NULL },
	{ "set_ftrace_pid", TSH_CLASS_LIST | TSH_CLASS_PIDS, NULL },
	{ "set_ftrace_notrace_pid", TSH_CLASS_LIST | TSH_CLASS_PIDS, NULL },
	{ "set_ftrace_filter", TSH_CLASS_LIST, NULL },
	{ "set_ftrace_notrace", TSH_CLASS_LIST, NULL },
	{ "set_graph_function", TSH_CLASS_LIST, NULL },
	{ "set_graph_notrace", TSH_CLASS_LIST, NULL },
	{ "stack_trace_filter", TSH_CLASS_LIST, NULL },
	{ "kprobe_events", TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE,
	  "setting it would delete everybody's probes" },
	{ "uprobe_events", TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE,
	  "setting it would delete everybody's probes" },
	{ "dynamic_events", TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE,
	  "setting it would delete everybody's probes" },
	{ "synthetic_events", TSH_CLASS_ADD_ONLY | TSH_CLASS_PROBE,
	  "setting it would delete everybody's synthetic events" },
	{ "current_tracer", TSH_CLASS_ERASES, "erases the buffer" },
	{ "trace_clock", TSH_CLASS_CHOICE | TSH_CLASS_ERASES, "erases the buffer" },
	{ "buffer_subbuf_size_kb", TSH_CLASS_ERASES, "erases the buffer" },
	{ "buffer_size_kb", TSH_CLASS_SIZE, NULL },
	{ "per_cpu/*/buffer_size_kb", TSH_CLASS_SIZE, NULL },
	{ "tracing_cpumask", TSH_CLASS_MASK, NULL },
	{ "tracing_on", TSH_CLASS_BITS, NULL },
	{ "trace_options", TSH_CLASS_OPTIONS, NULL },
	{ "*", 0, NULL },
};

const struct tsh_file_class *tsh_file_class(const char *path)
{
	const struct tsh_file_class *cls = classes;

	while (!tsh_glob_match(cls->pattern, path))
		cls++;
	return cls;
}

/* The word in [brackets]; the whole text when there are none. */
static char *chosen(const char *text)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? tsh_xstrndup(open + 1, (size_t)(close - open - 1)) : tsh_xstrdup(text);
}

/* "7 (expanded: 1408)" is a buffer that will be 1408 as soon as it is used. */
static char *buffer_size(const char *text)
{
	const char *expanded = strstr(text, "(expanded: ");

	if (expanded)
		text = expanded + strlen("(expanded: ");
	return tsh_xstrndup(text, strcspn(text, " )\n"));
}

/* Lines without comments; function commands without their ":unlimited". */
static char *list_lines(const char *text)
{
	static const char unlimited[] = ":unlimited";
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	size_t i, len;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		if (!lines.v[i][0] || lines.v[i][0] == '#' || !strcmp(lines.v[i], "no pid"))
			continue;
		len = strlen(lines.v[i]);
		if (len > sizeof(unlimited) - 1 &&
		    !strcmp(lines.v[i] + len - (sizeof(unlimited) - 1), unlimited))
			len -= sizeof(unlimited) - 1;
		if (out.len)
			tsh_strbuf_addc(&out, '\n');
		tsh_strbuf_add(&out, lines.v[i], len);
	}
	tsh_strlist_release(&lines);
	return tsh_strbuf_detach(&out);
}

char *tsh_class_normalize(const struct tsh_file_class *cls, const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (cls->flags & TSH_CLASS_CHOICE)
		return chosen(text);
	if (cls->flags & TSH_CLASS_SIZE)
		return buffer_size(text);
	if (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY))
		return list_lines(text);
	tsh_strbuf_adds(&out, text);
	tsh_strbuf_rtrim(&out);
	if ((cls->flags & TSH_CLASS_BITS) && out.len && out.buf[out.len - 1] == '*')
		tsh_strbuf_truncate(&out, out.len - 1);
	if ((cls->flags & TSH_CLASS_FILTER) && !strcmp(out.buf, "none")) {
		tsh_strbuf_clear(&out);
		tsh_strbuf_addc(&out, '0');
	}
	return tsh_strbuf_detach(&out);
}

static bool same_masks(const char *a, const char *b)
{
	struct tsh_cpuset x = { 0 }, y = { 0 };
	struct tsh_strbuf xs = TSH_STRBUF_INIT, ys = TSH_STRBUF_INIT;
	bool same = !strcmp(a, b);

	if (!tsh_cpuset_parse_mask(a, &x) && !tsh_cpuset_parse_mask(b, &y)) {
		tsh_cpuset_format_list(&x, &xs);
		tsh_cpuset_format_list(&y, &ys);
		same = !strcmp(xs.buf, ys.buf);
	}
	tsh_cpuset_release(&x);
	tsh_cpuset_release(&y);
	tsh_strbuf_release(&xs);
	tsh_strbuf_release(&ys);
	return same;
}

static bool same_lines(const char *a, const char *b)
{
	struct tsh_strlist x = { 0 }, y = { 0 };
	bool same;
	size_t i;

	tsh_strlist_split_lines(&x, a);
	tsh_strlist_split_lines(&y, b);
	tsh_strlist_sort(&x);
	tsh_strlist_sort(&y);
	same = x.n == y.n;
	for (i = 0; same && i < x.n; i++)
		same = !strcmp(x.v[i], y.v[i]);
	tsh_strlist_release(&x);
	tsh_strlist_release(&y);
	return same;
}

bool tsh_class_equal(const struct tsh_file_class *cls, const char *wanted, const char *now)
{
	char *a, *b;
	bool same;

	/* The kernel adds children and drops the dead by itself. */
	if (cls->flags & TSH_CLASS_PIDS)
		return true;
	a = tsh_class_normalize(cls, wanted);
	b = tsh_class_normalize(cls, now);
	if (cls->flags & TSH_CLASS_MASK)
		same = same_masks(a, b);
	else if (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY))
		same = same_lines(a, b);
	else
		same = !strcmp(a, b);
	free(a);
	free(b);
	return same;
}
