/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "engine/probe/misses.h"
#include "session/flood-check.h"
#include "session/filter-fault.h"
#include "session/tasks.h"
#include "session/util.h"

/* Checks the enabled events, their filters, tasks and CPUs for doctor. */

/* ---- enabled events ---- */

/* Sorts the events of set_event, which also lists disabled events that have a trigger. */
void tsh_doctor_sort_events(struct tsh_doctor *d)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i;

	if (tsh_events_enabled(d->in, &all, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < all.n; i++) {
		const struct tsh_event *event = &all.v[i];
		char *path = tsh_event_path(event, "enable");
		char *state = all.n <= TSH_DOCTOR_EVENTS_MAX ? tsh_file_text(d->in, path) : NULL;

		tsh_events_add(state && *state == '0' ? &d->soft : &d->enabled, event->system,
			       event->name);
		free(state);
		free(path);
	}
	tsh_events_release(&all);
}

/* Reports another instance if it has enabled events. Instances that streams make for themselves
 * are not checked. */
static bool find_elsewhere(struct tsh_doctor *d, const char *name)
{
	struct tsh_events enabled = { 0 };
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *fix;
	bool found = false;

	if (tsh_instance_open(d->in->dir, name, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	if (tsh_events_read_recording(in, &enabled, &ignored) < 0)
		tsh_err_release(&ignored);
	found = enabled.n > 0;
	if (found) {
		fix = tsh_xasprintf("instance use %s", tsh_instance_label(in));
		tsh_doctor_find(d, "elsewhere", fix, "%zu event%s enabled in the instance '%s'",
				enabled.n, enabled.n == 1 ? " is" : "s are",
				tsh_instance_label(in));
		free(fix);
	}
	tsh_events_release(&enabled);
	tsh_instance_close(in);
	return found;
}

void tsh_doctor_enabled(struct tsh_doctor *d)
{
	struct tsh_strlist names = { 0 };
	size_t i, found = 0;

	if (d->enabled.n || strcmp(d->tracer, "nop"))
		return;
	tsh_doctor_find(d, "nothing-enabled", "enable sched:sched_switch",
			"no event is enabled and no tracer is set");
	if (d->in->name)
		found += find_elsewhere(d, NULL);
	tsh_instance_list(d->in->dir, &names);
	for (i = 0; i < names.n && found < 3; i++)
		if ((!d->in->name || strcmp(names.v[i], d->in->name)) &&
		    !tsh_glob_match("tracesh-[0-9]*-[0-9]*", names.v[i]))
			found += find_elsewhere(d, names.v[i]);
	tsh_strlist_release(&names);
}

/* ---- filters that can never match ---- */

static void check_filter(struct tsh_doctor *d, const struct tsh_event *event)
{
	char *filter = tsh_event_filter(d->in, event), *fix;
	char *why = filter ? tsh_filter_fault_text(d->s, event, filter, false) : NULL;

	if (why) {
		fix = tsh_xasprintf("filter %s:%s clear", event->system, event->name);
		tsh_doctor_find(d, "filter", fix, "the filter of %s:%s %s", event->system, event->name, why);
		free(fix);
	}
	free(why);
	free(filter);
}

void tsh_doctor_filters(struct tsh_doctor *d)
{
	size_t i;

	for (i = 0; i < d->enabled.n && i < TSH_DOCTOR_EVENTS_MAX; i++)
		check_filter(d, &d->enabled.v[i]);
}

/* ---- probes with missed hits ---- */

void tsh_doctor_misses(struct tsh_doctor *d)
{
	struct tsh_misses now;
	size_t i, k;

	tsh_misses_begin(d->s, &now);
	for (i = 0; i < now.probes.n; i++) {
		const struct tsh_probe *probe = &now.probes.v[i];
		struct tsh_strbuf count = TSH_STRBUF_INIT;

		for (k = 0; k < d->enabled.n && (strcmp(d->enabled.v[k].name, probe->name) != 0 ||
						 strcmp(d->enabled.v[k].system, probe->group) != 0); k++)
			;
		tsh_format_count(now.counts[i].misses, &count);
		if (k < d->enabled.n && now.counts[i].has_misses && now.counts[i].misses)
			tsh_doctor_find(d, "misses", "probe list", "the kernel missed %s hit%s of the probe %s:%s%s", count.buf,
					tsh_plural(now.counts[i].misses), probe->group, probe->name, probe->letter == 'r' ?
					": FUNCTION%return:1000 keeps more returns at once" : "");
		tsh_strbuf_release(&count);
	}
	tsh_misses_forget(&now);
}

/* ---- events that wait for a trigger ---- */

static char *read_triggers(const struct tsh_doctor *d, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "trigger");
	char *text = tsh_file_text(d->in, path);

	free(path);
	return text;
}

/* Says whether a line of the triggers is "enable_event:SYSTEM:NAME" or the like. */
static bool is_about(const char *triggers, const struct tsh_event *event)
{
	char *target = tsh_xasprintf("able_event:%s:%s", event->system, event->name);
	size_t len = strlen(target);
	const char *p = triggers;

	/* strchr also finds the NUL */
	while ((p = strstr(p, target)) && !strchr(": \n", p[len]))
		p += len;
	free(target);
	return p != NULL;
}

/* Returns the event whose trigger enables or disables this one; NULL: there is none. */
static const struct tsh_event *find_carrier(const struct tsh_doctor *d,
					    const struct tsh_events *events,
					    const struct tsh_event *target)
{
	const struct tsh_event *carrier = NULL;
	size_t i;

	for (i = 0; i < events->n && i < TSH_DOCTOR_EVENTS_MAX && !carrier; i++) {
		char *triggers = read_triggers(d, &events->v[i]);

		if (triggers && is_about(triggers, target))
			carrier = &events->v[i];
		free(triggers);
	}
	return carrier;
}

static bool has_triggers(const struct tsh_doctor *d, const struct tsh_event *event)
{
	char *triggers = read_triggers(d, event);
	bool has = triggers && *triggers && *triggers != '#';

	free(triggers);
	return has;
}

static void check_soft(struct tsh_doctor *d, const struct tsh_event *event)
{
	const struct tsh_event *carrier = find_carrier(d, &d->soft, event);
	char *fix;

	if (!carrier)
		carrier = find_carrier(d, &d->enabled, event);
	/* It is listed because of its own trigger. */
	if (!carrier && has_triggers(d, event))
		return;
	fix = tsh_xasprintf("enable %s:%s", event->system, event->name);
	if (carrier)
		tsh_doctor_find(d, "soft-disabled", fix, "%s:%s is off until a trigger of %s:%s "
				"switches it on", event->system, event->name, carrier->system,
				carrier->name);
	else
		tsh_doctor_find(d, "soft-disabled", fix, "%s:%s is off until a trigger switches it "
							 "on, and none was found",
				event->system, event->name);
	free(fix);
}

void tsh_doctor_soft(struct tsh_doctor *d)
{
	size_t i;

	for (i = 0; i < d->soft.n; i++)
		check_soft(d, &d->soft.v[i]);
}

/* ---- tasks ---- */

/* Limits the tasks of a command that a finding suggests: nobody types a longer one. */
#define TASKS_TYPED 8

static void split_tasks(const char *list, struct tsh_strlist *alive, struct tsh_strlist *dead)
{
	struct tsh_strlist pids = { 0 };
	size_t i;
	int pid;

	tsh_strlist_split_words(&pids, list);
	for (i = 0; i < pids.n; i++)
		if (!tsh_parse_int(pids.v[i], &pid))
			tsh_strlist_add(!pid || tsh_task_is_alive(pid) ? alive : dead, pids.v[i]);
	tsh_strlist_release(&pids);
}

/* Returns a command that writes the list without tasks that have ended; the caller frees it.
 * NULL: it would be too long. */
static char *shorter_list(const char *path, const struct tsh_strlist *alive)
{
	struct tsh_strbuf fix = TSH_STRBUF_INIT;
	size_t i;

	if (alive->n > TASKS_TYPED)
		return NULL;
	tsh_strbuf_addf(&fix, "write %s", path);
	for (i = 0; i < alive->n; i++)
		tsh_strbuf_addf(&fix, " %s", alive->v[i]);
	return tsh_strbuf_detach(&fix);
}

static void check_pids(struct tsh_doctor *d, const char *path, const char *what)
{
	char *text = tsh_file_text(d->in, path), *fix;
	struct tsh_strlist alive = { 0 }, dead = { 0 };

	if (text)
		split_tasks(text, &alive, &dead);
	if (dead.n && !alive.n) {
		tsh_doctor_find(d, "tasks", "pid clear", "only %s of tasks that have ended are "
				"traced (%s)", what, path);
	} else if (dead.n) {
		fix = shorter_list(path, &alive);
		tsh_doctor_find(d, "stale-tasks", fix, "%zu of the %zu traced tasks %s ended (%s)",
				dead.n, dead.n + alive.n, dead.n == 1 ? "has" : "have", path);
		free(fix);
	}
	tsh_strlist_release(&alive);
	tsh_strlist_release(&dead);
	free(text);
}

void tsh_doctor_pids(struct tsh_doctor *d)
{
	char *list = tsh_file_text(d->in, "set_event_pid");
	char *without = tsh_file_text(d->in, "set_event_notrace_pid");
	int task;

	d->pids_limited = (list && *list) || (without && *without);
	free(without);
	free(list);
	/* /proc of another pid namespace has other pids than these lists */
	if (!tsh_tasks_have_kernel_numbers())
		return;
	if (d->enabled.n)
		check_pids(d, "set_event_pid", "events");
	task = tsh_find_task_without_calls(d->in);
	if (task)
		tsh_doctor_find(d, "32-bit", "enable raw_syscalls:sys_enter", "%d " TSH_LACKS_CALLS, task);
	if (tsh_flood_is_function_tracer(d->tracer))
		check_pids(d, "set_ftrace_pid", "functions");
}

/* ---- CPUs ---- */

void tsh_doctor_cpus(struct tsh_doctor *d)
{
	struct tsh_cpuset traced = { 0 }, missing = { 0 };
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n;

	if (!tsh_read_traced_cpus(d->in, &traced))
		return;
	n = tsh_cpus_present(d->in, &cpus);
	for (i = 0; i < n; i++)
		if (!tsh_cpuset_has(&traced, cpus[i]))
			tsh_cpuset_add(&missing, cpus[i]);
	if (tsh_cpuset_count(&missing)) {
		tsh_cpuset_format_list(&missing, &list);
		d->cpus_limited = true;
		tsh_doctor_find(d, "cpus", "cpus all", "%s: what happens on %s is left out",
				n == tsh_cpuset_count(&missing) ? "no CPU is traced" :
				"not every CPU is traced", list.buf);
	}
	free(cpus);
	tsh_strbuf_release(&list);
	tsh_cpuset_release(&missing);
	tsh_cpuset_release(&traced);
}
