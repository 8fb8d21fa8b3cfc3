/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filters.h"
#include "names.h"
#include "util.h"

/* A setting that makes the instance better, on the kernels that have it. */
static void try_write(struct tsh_instance *in, const char *path, const char *text)
{
	struct tsh_err ignored = { 0 };

	if (tsh_file_write(in, path, TSH_WRITE_SET, text, &ignored) < 0)
		tsh_err_release(&ignored);
}

/*
 * boot converts to wall-clock time exactly and runs in suspend; but a clocksource
 * that is slow to read would slow every event down, and a 32-bit kernel reads boot
 * in two halves.
 */
static const char *best_clock(void)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies" };
	char name[64] = "";
	ssize_t n;
	size_t i;
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = read(fd, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		name[strcspn(name, "\n")] = '\0';
		close(fd);
	}
	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (!strcmp(name, slow[i]))
			return "local";
	return sizeof(long) == 4 ? "mono" : "boot";
}

static void choose_clock(struct tsh_instance *in)
{
	const struct tsh_session there = { .in = in };
	const char *const wishes[] = { best_clock(), "mono", "local" };
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_clocks(&there, &names);
	for (i = 0; i < 3; i++)
		if (tsh_strlist_has(&names, wishes[i])) {
			try_write(in, "trace_clock", wishes[i]);
			break;
		}
	tsh_strlist_release(&names);
}

/* Whoever works in the shell that tracesh was started from would wonder. */
static void note_left_out(struct tsh_session *s, const struct tsh_tasks *tasks)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 1; i < tasks->n; i++)
		tsh_strbuf_addf(&text, " %d", tasks->v[i]);
	if (tasks->n > 1)
		tsh_out_note(s->out, "not traced: tracesh and the processes above it (%s)",
			     text.buf + 1);
	tsh_strbuf_release(&text);
}

/* Reading and printing would be traced, and that read and printed, and so on. */
static void leave_us_out(struct tsh_session *s, struct tsh_instance *in)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err ignored = { 0 };
	struct tsh_tasks tasks = { 0 };

	if (tsh_file_exists(in, "set_event_notrace_pid")) {
		tsh_tasks_ancestors(&tasks);
		if (!tsh_tasks_translate(s, &tasks, &ignored)) {
			tsh_tasks_text(&tasks, &text);
			try_write(in, "set_event_notrace_pid", text.buf);
		}
		note_left_out(s, &tasks);
	}
	tsh_err_release(&ignored);
	tsh_tasks_release(&tasks);
	tsh_strbuf_release(&text);
}

/* Every CPU of the machine gets a buffer at once. */
static int check_memory(struct tsh_session *s, struct tsh_err *err)
{
	uint64_t available = tsh_cmd_memory_available();
	unsigned int *cpus;
	size_t n = tsh_cpus_present(s->in, &cpus);
	struct tsh_strbuf want = TSH_STRBUF_INIT, have = TSH_STRBUF_INIT;
	uint64_t need = (uint64_t)n * 1441792;	/* the kernel's default of 1408 KB each */
	int r = 0;

	free(cpus);
	if (need > available / 2) {
		tsh_format_size(need, &want);
		tsh_format_size(available, &have);
		r = tsh_err_set(err, TSH_ENVIRONMENT, "buffers of %zu CPUs need %s, and %s of "
				"memory are free", n, want.buf, have.buf);
		tsh_err_hint(err, "--here uses the buffer that is there");
	}
	tsh_strbuf_release(&want);
	tsh_strbuf_release(&have);
	return r;
}

int tsh_own_open(struct tsh_session *s, struct tsh_instance **ret, struct tsh_err *err)
{
	struct tsh_instance *in;

	if (check_memory(s, err) < 0 || tsh_instance_create_own(s->dir, &in, err) < 0)
		return -1;
	try_write(in, "tracing_on", "0");
	choose_clock(in);
	try_write(in, "buffer_percent", "0");
	try_write(in, "options/hash-ptr", "0");
	leave_us_out(s, in);
	*ret = in;
	return 0;
}

/*
 * The kernel leaves a switch out when both of its tasks are on the notrace list. Idle
 * cannot be on it, so a switch between idle and us needs a filter of its own.
 */
static void add_switch_filter(struct tsh_session *s, struct tsh_strbuf *filter)
{
	static const char *const sides[] = { "prev_pid", "next_pid" };
	struct tsh_err ignored = { 0 };
	struct tsh_tasks us = { 0 };
	size_t i, side;

	tsh_tasks_ancestors(&us);
	if (tsh_tasks_translate(s, &us, &ignored) < 0) {
		tsh_err_release(&ignored);
		us.n = 0;
	}
	if (us.n && filter->len) {
		char *users = tsh_strbuf_detach(filter);

		tsh_strbuf_addf(filter, "(%s) && ", users);
		free(users);
	}
	for (side = 0; us.n && side < 2; side++) {
		tsh_strbuf_addf(filter, "%s(%s != 0", side ? " || " : "(", sides[side]);
		for (i = 0; i < us.n; i++)
			tsh_strbuf_addf(filter, " && %s != %d", sides[side], us.v[i]);
		tsh_strbuf_adds(filter, side ? "))" : ")");
	}
	tsh_tasks_release(&us);
}

static int enable_event(struct tsh_session *s, struct tsh_instance *in,
			const struct tsh_event *event, const struct tsh_call *call,
			struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	const struct tsh_value *word = tsh_args_get(&call->args, "EVENT");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "filter");
	int r = 0;

	if (filter)
		tsh_strbuf_adds(&text, filter->word.text);
	if (in->own && !strcmp(event->system, "sched") && !strcmp(event->name, "sched_switch"))
		add_switch_filter(s, &text);
	if (text.len)
		r = tsh_file_write(in, path, TSH_WRITE_SET, text.buf, err);
	if (r < 0 && filter)
		tsh_err_blame(err, filter->word.span);
	free(path);
	path = tsh_event_path(event, "enable");
	if (r >= 0)
		r = tsh_file_write(in, path, TSH_WRITE_SET, "1", err);
	if (r < 0 && err->number == ENOENT)
		tsh_err_set(err, TSH_FAILED, "the event '%s:%s' cannot be enabled",
			    event->system, event->name);
	if (r < 0 && word)
		tsh_err_blame(err, word->word.span);
	tsh_strbuf_release(&text);
	free(path);
	return r;
}

int tsh_own_enable(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		   struct tsh_err *err)
{
	int r = 0;
	size_t i;

	for (i = 0; r >= 0 && i < call->events.n; i++)
		r = enable_event(s, in, &call->events.v[i], call, err);
	return r < 0 ? -1 : 0;
}

void tsh_own_close(struct tsh_session *s, struct tsh_instance *in)
{
	struct tsh_err err = { 0 };
	char *name = tsh_xstrdup(in->name);

	try_write(in, "tracing_on", "0");
	tsh_instance_close(in);
	if (tsh_instance_delete(s->dir, name, &err) < 0) {
		tsh_out_warn(s->out, "%s", err.message);
		tsh_err_release(&err);
	}
	free(name);
}
