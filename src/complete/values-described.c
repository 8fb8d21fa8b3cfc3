/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "engine/histtrigger/triggers.h"
#include "session/names.h"

/* Completes names of the kernel, with descriptions that the kernel does not have. */

struct described {
	const char *name;
	const char *help;
};

static const char *help_of(const struct described *table, const char *name)
{
	for (; table->name; table++)
		if (!strcmp(table->name, name))
			return table->help;
	return NULL;
}

static const struct described tracers[] = {
	{ "nop", "none: only events are recorded" },
	{ "function", "every function that is entered" },
	{ "function_graph", "functions with their time, as a tree of calls" },
	{ "blk", "block devices, as blktrace has it" },
	{ "hwlat", "latency caused by the hardware" },
	{ "osnoise", "what takes time from a busy task" },
	{ "timerlat", "latency of a timer, and its causes" },
	{ "irqsoff", "the longest time with interrupts off" },
	{ "preemptoff", "the longest time without preemption" },
	{ "preemptirqsoff", "the longest time with either off" },
	{ "wakeup", "the longest wait from wakeup to run" },
	{ "wakeup_rt", "the longest wait from wakeup to run, of real-time tasks" },
	{ "wakeup_dl", "the longest wait from wakeup to run, of deadline tasks" },
	{ "branch", "likely() and unlikely(), right or wrong" },
	{ "mmiotrace", "accesses to memory-mapped devices" },
	{ NULL, NULL }
};

void tsh_candidates_tracers(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_tracers(at->s, &names);
	for (i = 0; i < names.n; i++)
		tsh_candidate_add(at, names.v[i], help_of(tracers, names.v[i]), false);
	tsh_strlist_release(&names);
}

static const struct described options[] = {
	{ "annotate", "say when a CPU's buffer begins" },
	{ "bin", "the text in binary" },
	{ "block", "reading trace_pipe never waits" },
	{ "context-info", "task, CPU and time before each event" },
	{ "disable_on_free", "tracing stops when free_buffer is closed" },
	{ "display-graph", "latency tracers show a tree of calls" },
	{ "event-fork", "set_event_pid follows new children" },
	{ "fields", "fields of events instead of their text" },
	{ "func-args", "the arguments of functions" },
	{ "func_stack_trace", "a stack of every traced function" },
	{ "function-fork", "set_ftrace_pid follows new children" },
	{ "function-trace", "latency tracers trace functions" },
	{ "hash-ptr", "pointers in text are hashed" },
	{ "hex", "the text in hexadecimal" },
	{ "irq-info", "flags of interrupts and preemption" },
	{ "latency-format", "columns as the latency tracers have them" },
	{ "markers", "trace_marker takes text" },
	{ "overwrite", "a full buffer loses the oldest, not the newest" },
	{ "pause-on-trace", "reading trace stops the recording" },
	{ "print-parent", "the function that called" },
	{ "printk-msg-only", "only the text of trace_printk" },
	{ "raw", "numbers as they are" },
	{ "record-cmd", "names of tasks are saved" },
	{ "record-tgid", "thread groups are saved" },
	{ "sleep-time", "function_graph counts time asleep" },
	{ "graph-time", "function profile counts what functions call" },
	{ "stacktrace", "a stack of the kernel behind each event" },
	{ "sym-addr", "addresses of symbols" },
	{ "sym-offset", "offsets in symbols" },
	{ "sym-userobj", "user addresses by their file" },
	{ "test_nop_accept", "for tests of the kernel" },
	{ "test_nop_refuse", "for tests of the kernel" },
	{ "trace_printk", "trace_printk writes here" },
	{ "trace_printk_dest", "trace_printk writes to this instance" },
	{ "userstacktrace", "a stack of the program behind each event" },
	{ "verbose", "more columns" },
	{ NULL, NULL }
};

void tsh_candidates_options(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_options(at->s, &names);
	for (i = 0; i < names.n; i++) {
		const char *what = help_of(options, names.v[i]);
		char *path = tsh_xasprintf("options/%s", names.v[i]);
		char *value = at->s->in ? tsh_file_text(at->s->in, path) : NULL;
		char *help = tsh_xasprintf("%s%s%s", value && *value == '1' ? "on" : "off",
					   what ? "; " : "", what ? what : "");

		tsh_candidate_add(at, names.v[i], help, false);
		free(help);
		free(value);
		free(path);
	}
	tsh_strlist_release(&names);
}

/* ---- triggers ---- */

static const struct described triggers[] = {
	{ "traceon", "the event starts the recording" },
	{ "traceoff", "the event stops the recording" },
	{ "stacktrace", "a stack behind the event" },
	{ "snapshot", "the event swaps the buffer with the snapshot" },
	{ "enable_event", "the event enables another one" },
	{ "disable_event", "the event disables another one" },
	{ "enable_hist", "the event starts a histogram of another one" },
	{ "disable_hist", "the event stops a histogram of another one" },
	{ "hist", "count events by their fields" },
	{ NULL, NULL }
};

/* Adds events behind "enable_event:", as in "enable_event:sched:sched_switch". */
static void add_trigger_events(const struct tsh_cursor *at)
{
	const char *colon = strchr(at->word, ':');
	struct tsh_events all = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (!colon || !at->s->dir || tsh_events_available(at->s->dir, &all, &err) < 0) {
		tsh_err_release(&err);
		return;
	}
	for (i = 0; i < all.n; i++) {
		char *text = tsh_xasprintf("%.*s:%s:%s", (int)(colon - at->word), at->word,
					   all.v[i].system, all.v[i].name);

		tsh_candidate_add(at, text, NULL, false);
		free(text);
	}
	tsh_events_release(&all);
}

void tsh_candidates_triggers(const struct tsh_cursor *at)
{
	size_t i;

	if (tsh_begins_with(at->word, "enable_event:") ||
	    tsh_begins_with(at->word, "disable_event:")) {
		add_trigger_events(at);
		return;
	}
	for (i = 0; tsh_trigger_names[i]; i++) {
		const char *name = tsh_trigger_names[i];
		bool more = strstr(name, "_") || !strcmp(name, "hist");
		char *text = tsh_xasprintf("%s%s", name, more ? ":" : "");

		tsh_candidate_add(at, text, help_of(triggers, name), more);
		free(text);
	}
	tsh_candidate_add(at, "clear", "remove all", false);
}

/* ---- choices ---- */

/* Returns the part of a help text about a choice (in "filter: only these; clear" the text for
 * "filter"), which the caller frees; NULL when there is no such part. */
static char *part_of(const char *help, const char *choice)
{
	size_t len = strlen(choice);
	const char *p = help;

	for (; p; p = strchr(p, ';'), p = p ? p + 1 : NULL) {
		p += strspn(p, " ");
		if (!strncmp(p, choice, len) && p[len] == ':') {
			p += len + 1;
			p += strspn(p, " ");
			return tsh_xstrndup(p, strcspn(p, ";"));
		}
	}
	return NULL;
}

void tsh_candidates_choices(const struct tsh_cursor *at, const struct tsh_arg *arg)
{
	const char *const *choice;

	for (choice = arg->choices; choice && *choice; choice++) {
		char *help = arg->help ? part_of(arg->help, *choice) : NULL;

		tsh_candidate_add(at, *choice, help ? help : arg->help, false);
		free(help);
	}
}
