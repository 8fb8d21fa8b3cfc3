/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own-instance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "events/source/stream.h"
#include "names.h"
#include "util.h"

/* Writes a setting that improves the instance but is not needed. Ignores the error of a kernel that
 * lacks the file. */
static void try_write(struct tsh_instance *in, const char *path, const char *text)
{
	struct tsh_err ignored = { 0 };

	if (tsh_file_write(in, path, TSH_WRITE_SET, text, &ignored) < 0)
		tsh_err_release(&ignored);
}

/* Says whether the machine can suspend. When it cannot, /sys/power/state exists but is empty. */
static bool can_suspend(void)
{
	char states[64];

	return tsh_read_small("/sys/power/state", states, sizeof(states)) > 1;
}

static const char *best_clock(void)
{
	char clocksource[64];

	tsh_clocksource(clocksource, sizeof(clocksource));
	return tsh_clock_best(clocksource, sizeof(long), can_suspend());
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

/* Notes once which tasks are not traced, because a user of the shell above tracesh would miss the
 * events of that shell. */
static void note_left_out(struct tsh_session *s)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err ignored = { 0 };
	struct tsh_tasks above = { 0 };
	size_t i;

	tsh_tasks_add_ancestors(&above);
	if (tsh_tasks_translate(s, &above, &ignored) < 0)
		above.n = 0;
	for (i = 1; i < above.n; i++)
		tsh_strbuf_addf(&text, " %d", above.v[i]);
	if (above.n > 1 && !s->noted_left_out)
		tsh_out_note(s->out, "not traced: tracesh and the processes above it (%s): --here or --pid traces them",
			     text.buf + 1);
	s->noted_left_out |= above.n > 1;
	tsh_err_release(&ignored);
	tsh_tasks_release(&above);
	tsh_strbuf_release(&text);
}

/* Starts the thread that samples the instance's clock before the list of our tasks is written: a
 * later thread would be traced. */
static void start_sampling(const struct tsh_instance *in)
{
	char *clock = tsh_clock_name(in);
	const struct tsh_clock_kind *kind = clock ? tsh_clock_kind(clock) : NULL;

	if (kind && kind->per_cpu && kind->posix == TSH_CLOCK_NO_POSIX)
		(void)tsh_clock_sample_tid();
	free(clock);
}

/* Leaves tracesh's own tasks out of the trace: reading and printing would make more events to read
 * and to print. */
static void exclude_our_tasks(struct tsh_session *s, struct tsh_instance *in)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err ignored = { 0 };
	struct tsh_tasks tasks = { 0 };

	if (tsh_file_exists(in, "set_event_notrace_pid")) {
		start_sampling(in);
		tsh_tasks_add_own(s, &tasks);
		if (!tsh_tasks_translate(s, &tasks, &ignored)) {
			tsh_tasks_text(&tasks, &text);
			try_write(in, "set_event_notrace_pid", text.buf);
		}
		note_left_out(s);
	}
	tsh_err_release(&ignored);
	tsh_tasks_release(&tasks);
	tsh_strbuf_release(&text);
}

void tsh_own_exclude(void *ctx, pid_t pid)
{
	const struct tsh_own_place *place = ctx;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err ignored = { 0 };
	struct tsh_tasks tasks = { 0 };

	if (place->in->own && !place->in->includes_tracesh && tsh_file_exists(place->in, "set_event_notrace_pid")) {
		tsh_tasks_add(&tasks, pid);
		if (!tsh_tasks_translate(place->s, &tasks, &ignored)) {
			tsh_tasks_text(&tasks, &text);
			(void)tsh_file_write(place->in, "set_event_notrace_pid", TSH_WRITE_ADD, text.buf, &ignored);
		}
	}
	tsh_err_release(&ignored);
	tsh_tasks_release(&tasks);
	tsh_strbuf_release(&text);
}

/* Checks that the buffers fit into memory, which every CPU gets at once. */
static int check_memory(struct tsh_session *s, struct tsh_err *err)
{
	if (!tsh_cmd_check_instance(s->dir, err))
		return 0;
	err->status = TSH_ENVIRONMENT;
	tsh_err_hint(err, "--here uses the buffer of the current instance");
	return -1;
}

int tsh_own_open(struct tsh_session *s, bool includes_tracesh, struct tsh_instance **ret, struct tsh_err *err)
{
	struct tsh_instance *in;

	if (check_memory(s, err) < 0 || tsh_instance_create_own(s->dir, &in, err) < 0)
		return -1;
	try_write(in, "tracing_on", "0");
	choose_clock(in);
	try_write(in, "buffer_percent", "0");
	try_write(in, "options/hash-ptr", "0");
	in->includes_tracesh = includes_tracesh;
	if (s->settings.decoders == TSH_DECODERS_ALL)
		tsh_decoders_prepare(&s->decoders);
	if (!includes_tracesh)
		exclude_our_tasks(s, in);
	*ret = in;
	return 0;
}

int tsh_cmd_use_private(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_instance *in;

	if (tsh_own_open(s, false, &in, err) < 0)
		return -1;
	try_write(in, "tracing_on", "1");
	/* Lets undo take back settings of this instance, as for any other. */
	in->own = false;
	tsh_instance_close(s->in);
	s->in = in;
	s->is_private = true;
	return 0;
}

void tsh_own_note_switches(struct tsh_session *s, const struct tsh_instance *in, const struct tsh_event *event)
{
	if (!in->own || in->includes_tracesh || strcmp(event->name, "sched_switch") || strcmp(event->system, "sched") ||
	    s->noted_switches || !s->noted_left_out || !tsh_file_exists(in, "set_event_notrace_pid"))
		return;
	s->noted_switches = true;
	tsh_out_note(s->out, "traced all the same: a sched_switch from or to one of these tasks, because it "
		     "belongs to the other task, too");
}

/* Appends "A != 7 && A != 9 ..": the task in the field is none of ours. */
static void add_not_us(struct tsh_strbuf *filter, const char *field, const struct tsh_tasks *us)
{
	size_t i;

	for (i = 0; i < us->n; i++)
		tsh_strbuf_addf(filter, "%s%s != %d", i ? " && " : "", field, us->v[i]);
}

/*
 * Appends a condition that leaves out the sched events of tracesh. The kernel leaves out a switch
 * when both tasks are on the notrace list, and a wakeup when both the waker and the woken task are.
 * The idle task cannot be on the list, so a switch or wakeup between idle and tracesh needs a
 * filter: otherwise each wakeup of tracesh would be an event that wakes tracesh again.
 * includes_tracesh: the condition does what the list would do, too.
 */
static void add_own_filter(struct tsh_session *s, const char *event, bool includes_tracesh,
			   struct tsh_strbuf *filter)
{
	bool is_switch = !strcmp(event, "sched_switch");
	bool is_wakeup = !strcmp(event, "sched_wakeup") || !strcmp(event, "sched_waking");
	struct tsh_err ignored = { 0 };
	struct tsh_tasks us = { 0 };

	if (!is_switch && !is_wakeup && !includes_tracesh)
		return;
	tsh_tasks_add_own(s, &us);
	if (tsh_tasks_translate(s, &us, &ignored) < 0) {
		tsh_err_release(&ignored);
		us.n = 0;
	}
	if (us.n && filter->len) {
		char *users = tsh_strbuf_detach(filter);

		tsh_strbuf_addf(filter, "(%s) && ", users);
		free(users);
	}
	if (us.n && is_switch) {
		tsh_strbuf_adds(filter, "((prev_pid != 0 && ");
		add_not_us(filter, "prev_pid", &us);
		tsh_strbuf_adds(filter, ") || (next_pid != 0 && ");
		add_not_us(filter, "next_pid", &us);
		tsh_strbuf_adds(filter, "))");
	} else if (us.n) {
		if (is_wakeup)
			add_not_us(filter, "pid", &us);
		tsh_strbuf_adds(filter, is_wakeup && includes_tracesh ? " && " : "");
		if (includes_tracesh)
			add_not_us(filter, "common_pid", &us);
	}
	tsh_tasks_release(&us);
}

void tsh_own_hist_filter(struct tsh_session *s, struct tsh_instance *in,
			 const struct tsh_event *event, struct tsh_strbuf *filter)
{
	bool is_sched = !strcmp(event->system, "sched");

	add_own_filter(s, is_sched ? event->name : "", true, filter);
	tsh_own_note_switches(s, in, event);
}

/*
 * Says whether switches of tracesh are recorded. --worst shows which task ran while another task
 * waited, and tracesh may be that task. Returns false for pairs of two switches, because tracesh
 * would make pairs of its own.
 */
static bool shows_us(const struct tsh_call *call, const struct tsh_event *event)
{
	size_t i;

	for (i = 0; i < call->events.n && !strcmp(call->events.v[i].name, "sched_switch"); i++)
		;
	return i < call->events.n && !strcmp(event->name, "sched_switch") && tsh_args_has(&call->args, "WORST");
}

int tsh_own_write_filter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_event *event,
			 const struct tsh_call *call, const char *filter, bool replaces, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "filter");
	int r = 0;

	tsh_strbuf_adds(&text, filter);
	if (in->own && !in->includes_tracesh && !strcmp(event->system, "sched") && !shows_us(call, event))
		add_own_filter(s, event->name, false, &text);
	if (!text.len && replaces)
		tsh_strbuf_adds(&text, "0");
	if (text.len)
		r = tsh_file_write(in, path, TSH_WRITE_SET, text.buf, err);
	tsh_strbuf_release(&text);
	free(path);
	return r < 0 ? -1 : 0;
}

int tsh_own_start(void *ctx, struct tsh_err *err)
{
	return tsh_file_write(ctx, "tracing_on", TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
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

int tsh_with_own(struct tsh_session *s, bool includes_tracesh,
		 int (*work)(void *ctx, struct tsh_instance *in, struct tsh_err *err), void *ctx, struct tsh_err *err)
{
	struct tsh_instance *in;
	int r;

	if (tsh_own_open(s, includes_tracesh, &in, err) < 0)
		return -1;
	r = work(ctx, in, err);
	tsh_own_close(s, in);
	return r;
}
