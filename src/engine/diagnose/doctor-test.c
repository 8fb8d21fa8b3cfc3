/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "session/util.h"

/*
 * Tests for doctor whether events arrive. Reads counters of the present instance, which changes
 * nothing, and writes to an instance of our own. When the same events arrive there but not here,
 * and no file shows why, a list of pids may be the cause: one that the kernel has emptied by itself
 * reads as one that was never set, but excludes all tasks.
 */

#define MOMENT_NS (300 * INT64_C(1000000))
#define STEP_MS 20
/* Limits the events that are enabled a second time for the test. */
#define COMPARE_MAX 16

struct watch {
	const struct tsh_instance *in;
	uint64_t before, came;
};

/* Counts the events since the buffer was erased, those that had no room (dropped events) among
 * them. */
static uint64_t count_written(const struct tsh_instance *in)
{
	static const char *const names[] = { "entries", "overrun", "read events",
					     "dropped events" };
	unsigned int *cpus;
	size_t i, k, n = tsh_cpus_present(in, &cpus);
	uint64_t sum = 0;

	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpus[i]);
		char *stats = tsh_file_text(in, path);

		for (k = 0; stats && k < sizeof(names) / sizeof(names[0]); k++)
			sum += tsh_stats_number(stats, names[k]);
		free(stats);
		free(path);
	}
	free(cpus);
	return sum;
}

static void begin_watch(struct watch *w, const struct tsh_instance *in)
{
	*w = (struct watch){ .in = in, .before = count_written(in) };
}

/* Updates w->came; the buffer may have been erased meanwhile. */
static void update_watch(struct watch *w)
{
	uint64_t now = count_written(w->in);

	w->came = now > w->before ? now - w->before : 0;
}

/* Waits until an event arrives in the first instance, or the time is over. Returns false after
 * Ctrl-C. */
static bool wait_for(struct tsh_doctor *d, struct watch *first, struct watch *second)
{
	int64_t start = tsh_now_ns(CLOCK_MONOTONIC);

	while (!first->came && tsh_now_ns(CLOCK_MONOTONIC) - start < MOMENT_NS) {
		enum tsh_wait_result r = tsh_wait(d->s->waiter, NULL, 0, STEP_MS);

		if (r == TSH_WAIT_STOP || r == TSH_WAIT_ABORT) {
			d->s->aborted = r == TSH_WAIT_ABORT;
			return false;
		}
		update_watch(first);
		if (second)
			update_watch(second);
	}
	return true;
}

static void append_result(struct tsh_doctor *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append_result(struct tsh_doctor *d, const char *fmt, ...)
{
	va_list ap;

	if (d->tested.len)
		tsh_strbuf_adds(&d->tested, "; ");
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&d->tested, fmt, ap);
	va_end(ap);
}

static int write_event_file(struct tsh_instance *in, const struct tsh_event *event, const char *file,
			    const char *text, struct tsh_err *err)
{
	char *path = tsh_event_path(event, file);
	int r = tsh_file_write(in, path, TSH_WRITE_SET, text, err);

	free(path);
	return r < 0 ? -1 : 0;
}

/* Enables the same events with the same filters. Returns false when one cannot be enabled. */
static bool enable_same(struct tsh_doctor *d, struct tsh_instance *own)
{
	struct tsh_err ignored = { 0 };
	bool done = true;
	size_t i;

	for (i = 0; i < d->enabled.n && done; i++) {
		const struct tsh_event *event = &d->enabled.v[i];
		char *filter = tsh_event_filter(d->in, event);

		done = (!filter || !write_event_file(own, event, "filter", filter, &ignored)) &&
		       !write_event_file(own, event, "enable", "1", &ignored);
		free(filter);
	}
	tsh_err_release(&ignored);
	return done;
}

static void compare(struct tsh_doctor *d, struct tsh_instance *own)
{
	struct watch here, there;

	begin_watch(&here, d->in);
	begin_watch(&there, own);
	if (!enable_same(d, own) || !wait_for(d, &there, &here))
		return;
	if (there.came && !here.came && !d->pids_limited && !d->cpus_limited)
		tsh_doctor_find(d, "muted", "pid clear", "the same events come in a new instance, "
							 "but not here: a list of pids that the "
							 "kernel has emptied excludes all tasks");
	else if (there.came && !here.came)
		append_result(d, "in an instance of its own the same events came");
}

/* Tests a marker: it needs no event to be enabled. */
static void test_marker(struct tsh_doctor *d, struct tsh_instance *own)
{
	struct tsh_err err = { 0 };
	struct watch w;

	begin_watch(&w, own);
	if (tsh_file_write(own, "trace_marker", TSH_WRITE_SET, "doctor", &err) < 0) {
		tsh_doctor_find(d, "marker", "status", "no marker can be written, not even to an "
				"instance of its own: %s", err.message);
		tsh_err_release(&err);
		return;
	}
	update_watch(&w);
	if (w.came)
		append_result(d, "a marker arrived in an instance of its own");
	else
		tsh_doctor_find(d, "marker", "status", "a marker that was written to an instance of "
				"its own did not arrive");
}

static void test_own(struct tsh_doctor *d, bool missed)
{
	struct tsh_instance *own;
	struct tsh_err err = { 0 };
	char *name;

	if (tsh_cmd_check_instance(d->in->dir, &err) < 0 ||
	    tsh_instance_create_own(d->in->dir, &own, &err) < 0) {
		append_result(d, "no instance of its own: %s", err.message);
		tsh_err_release(&err);
		return;
	}
	test_marker(d, own);
	if (missed && d->enabled.n && d->enabled.n <= COMPARE_MAX)
		compare(d, own);
	name = tsh_xstrdup(own->name);
	tsh_instance_close(own);
	if (tsh_instance_delete(d->in->dir, name, &err) < 0) {
		tsh_out_warn(d->s->out, "%s", err.message);
		tsh_err_release(&err);
	}
	free(name);
}

void tsh_doctor_test(struct tsh_doctor *d)
{
	bool expects = d->on && (d->enabled.n || strcmp(d->tracer, "nop"));
	struct watch here = { 0 };

	if (expects) {
		begin_watch(&here, d->in);
		if (!wait_for(d, &here, NULL))
			return;
		if (here.came)
			append_result(d, "events come to '%s'", tsh_instance_label(d->in));
		else
			append_result(d, "nothing came to '%s' within %d ms", tsh_instance_label(d->in),
				      (int)(MOMENT_NS / 1000000));
	}
	test_own(d, expects && !here.came);
}
