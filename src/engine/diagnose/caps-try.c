/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "caps.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "kernel/tracefs/event.h"

/* Implements caps --try: tries capabilities in an instance of our own, which is removed
 * afterwards. */

/* Lists a text to write for each file; a trigger is a line of its file. */
static const struct {
	const char *what;	/* same as in struct tsh_cap */
	const char *file;
	enum tsh_write_how how;
	const char *text;
} writes[] = {
	{ "set_event_pid", "set_event_pid", TSH_WRITE_SET, "1" },
	{ "set_event_notrace_pid", "set_event_notrace_pid", TSH_WRITE_SET, "1" },
	{ "set_ftrace_filter", "set_ftrace_filter", TSH_WRITE_SET, "vfs_open" },
	{ "set_ftrace_notrace_pid", "set_ftrace_notrace_pid", TSH_WRITE_SET, "1" },
	{ "buffer_percent", "buffer_percent", TSH_WRITE_SET, "25" },
	{ "buffer_subbuf_size_kb", "buffer_subbuf_size_kb", TSH_WRITE_SET, "8" },
	{ "snapshot", "snapshot", TSH_WRITE_SET, "1" },
	{ "events/sched/sched_switch/trigger", "events/sched/sched_switch/trigger", TSH_WRITE_ADD,
	  "traceoff:1" },
	{ "events/sched/sched_switch/hist", "events/sched/sched_wakeup/trigger", TSH_WRITE_ADD,
	  "hist:keys=pid" },
};

/* Returns "works" or the error, which the caller frees. Releases the error. */
static char *answer(int r, struct tsh_err *err)
{
	char *text = r < 0 ? tsh_xstrdup(err->message) : tsh_xstrdup("works");

	tsh_err_release(err);
	return text;
}

static char *try_write(struct tsh_instance *own, const char *file, enum tsh_write_how how,
		       const char *text)
{
	struct tsh_err err = { 0 };

	if (!tsh_file_exists(own, file))
		return tsh_xstrdup("of the top instance only");
	return answer(tsh_file_write(own, file, how, text, &err), &err);
}

static char *try_file(struct tsh_instance *own, const char *what)
{
	size_t i;

	for (i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
		if (!strcmp(writes[i].what, what))
			return try_write(own, writes[i].file, writes[i].how, writes[i].text);
	return NULL;
}

/* Says whether trying a tracer does no harm: others keep a CPU busy, or switch CPUs off. */
static bool is_harmless(const char *tracer)
{
	static const char *const harmless[] = { "function", "function_graph", "irqsoff",
						"preemptoff", "wakeup", "blk", NULL };
	size_t i;

	for (i = 0; harmless[i]; i++)
		if (!strcmp(harmless[i], tracer))
			return true;
	return false;
}

/* Tries a tracer. Function tracers trace one function only: all would take seconds. */
static char *try_tracer(struct tsh_instance *own, const char *name)
{
	struct tsh_err err = { 0 }, ignored = { 0 };
	struct tsh_strlist there = { 0 };
	bool is_there;
	char *text;

	tsh_file_words(own, "available_tracers", &there);
	is_there = tsh_strlist_has(&there, name);
	tsh_strlist_release(&there);
	if (!is_harmless(name))
		return NULL;
	if (!is_there)
		return tsh_xstrdup("in the top instance only");
	if (!strncmp(name, "function", strlen("function")) && tsh_file_exists(own, "set_ftrace_filter") &&
	    tsh_file_write(own, "set_ftrace_filter", TSH_WRITE_SET, "vfs_open", &err) < 0)
		return answer(-1, &err);
	text = answer(tsh_file_write(own, "current_tracer", TSH_WRITE_SET, name, &err), &err);
	if (tsh_file_write(own, "current_tracer", TSH_WRITE_SET, "nop", &ignored) < 0)
		tsh_err_release(&ignored);
	return text;
}

static char *try_option(struct tsh_instance *own, const char *name)
{
	char *path = tsh_xasprintf("options/%s", name), *value = tsh_file_text(own, path), *text;

	text = value ? try_write(own, path, TSH_WRITE_SET, *value == '0' ? "1" : "0") :
		       tsh_xstrdup("of the top instance only");
	free(value);
	free(path);
	return text;
}

/* Tries "SYSTEM:EVENT FILTER" with perf, which asks the kernel without writing a file. */
static char *try_filter(struct tsh_session *s, const char *what)
{
	size_t system = strcspn(what, ":"), name = strcspn(what, " ");
	struct tsh_event event = { tsh_xstrndup(what, system),
				   tsh_xstrndup(what + system + 1, name - system - 1) };
	struct tsh_err err = { 0 };
	char *path = tsh_event_path(&event, "format"), *text;

	if (tsh_file_exists(s->in, path))
		text = answer(tsh_filter_judge(s->dir, &event, what + name + 1, &err), &err);
	else
		text = tsh_xasprintf("without %s:%s there is nothing to try it on", event.system,
				     event.name);
	free(path);
	free(event.system);
	free(event.name);
	return text;
}

char *tsh_cap_try(struct tsh_session *s, struct tsh_instance *own, const struct tsh_cap *cap)
{
	switch (cap->how) {
	case TSH_CAP_FILE:
		return try_file(own, cap->what);
	case TSH_CAP_TRACER:
		return try_tracer(own, cap->what);
	case TSH_CAP_CLOCK:
		return try_write(own, "trace_clock", TSH_WRITE_SET, cap->what);
	case TSH_CAP_OPTION:
		return try_option(own, cap->what);
	case TSH_CAP_VERSION:
		return try_filter(s, cap->what);
	default:
		return NULL;
	}
}
