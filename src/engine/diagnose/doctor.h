/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_DIAGNOSE_DOCTOR_H
#define TRACESH_ENGINE_DIAGNOSE_DOCTOR_H

#include "session/session.h"

/* Declares the checks of doctor: each reads some files and reports what it finds. */

struct tsh_doctor {
	struct tsh_session *s;
	struct tsh_instance *in;	/* borrowed from the session */
	struct tsh_table *table;
	size_t findings;
	/* shared by several checks */
	bool on;			/* tracing_on */
	char *tracer;			/* "nop" when unreadable */
	struct tsh_events enabled;	/* enabled events; also disabled ones when there are many */
	struct tsh_events soft;		/* "0*": events with a trigger, or that wait for one */
	bool pids_limited;		/* set_event_pid or set_event_notrace_pid is set */
	bool cpus_limited;		/* tracing_cpumask excludes some CPUs */
	struct tsh_strbuf tested;	/* results of the test, for the user */
};

/* Limits the events whose filters, states and triggers are read. */
#define TSH_DOCTOR_EVENTS_MAX 200

/*
 * Runs all checks and appends a row to d->table for each finding. The caller sets s, in and
 * table (columns check, fix, finding), and calls tsh_doctor_release() afterwards, which frees
 * what the checks have filled in.
 */
void tsh_doctor_examine(struct tsh_doctor *d);
void tsh_doctor_release(struct tsh_doctor *d);

/* Appends a finding, and the command that fixes it. check: its name for scripts. */
void tsh_doctor_find(struct tsh_doctor *d, const char *check, const char *fix,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Check whether the kernel records events at all, and who reads them (doctor-state.c). */
void tsh_doctor_access(struct tsh_doctor *d);
void tsh_doctor_switch(struct tsh_doctor *d);
void tsh_doctor_readers(struct tsh_doctor *d);
void tsh_doctor_buffer(struct tsh_doctor *d);
void tsh_doctor_clock(struct tsh_doctor *d);

/* Check which events are enabled, and what excludes them (doctor-events.c). */
void tsh_doctor_sort_events(struct tsh_doctor *d);	/* sets enabled and soft */
void tsh_doctor_enabled(struct tsh_doctor *d);
void tsh_doctor_filters(struct tsh_doctor *d);
void tsh_doctor_misses(struct tsh_doctor *d);
void tsh_doctor_soft(struct tsh_doctor *d);
void tsh_doctor_pids(struct tsh_doctor *d);
void tsh_doctor_cpus(struct tsh_doctor *d);

/* Check the function tracers, and the snapshot (doctor-functions.c). */
void tsh_doctor_functions(struct tsh_doctor *d);
void tsh_doctor_snapshot(struct tsh_doctor *d);

/* Tests whether events arrive, in the present instance and in one of our own (doctor-test.c). */
void tsh_doctor_test(struct tsh_doctor *d);

#endif
