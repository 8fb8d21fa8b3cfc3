/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_DIAGNOSE_DOCTOR_H
#define TRACESH_ENGINE_DIAGNOSE_DOCTOR_H

#include "session/session.h"

/* The parts of doctor: each looks at some files and says what it finds. */

struct tsh_doctor {
	struct tsh_session *s;
	struct tsh_instance *in;	/* the session's, borrowed */
	struct tsh_table *table;
	size_t findings;
	/* what several parts need */
	bool on;			/* tracing_on */
	char *tracer;			/* "nop" when it cannot be read */
	struct tsh_events enabled;	/* really, as long as they are not too many to look */
	struct tsh_events soft;		/* "0*": they carry a trigger, or wait for one */
	bool pids_limited;		/* set_event_pid lists tasks */
	bool cpus_limited;		/* tracing_cpumask lacks some */
	struct tsh_strbuf tested;	/* what the test saw */
};

/* Of more events the filters, states and triggers are not read. */
#define TSH_DOCTOR_EVENTS_MAX 200

/*
 * Runs all checks and appends a row to d->table for each finding. The caller sets s, in and
 * table (columns check, fix, finding), and calls tsh_doctor_release() afterwards, which frees
 * what the checks have filled in.
 */
void tsh_doctor_examine(struct tsh_doctor *d);
void tsh_doctor_release(struct tsh_doctor *d);

/* One line: the finding and the command that mends it. `check` is its name for scripts. */
void tsh_doctor_find(struct tsh_doctor *d, const char *check, const char *fix,
		     const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* doctor-state.c: whether the kernel takes events at all, and who reads them */
void tsh_doctor_access(struct tsh_doctor *d);
void tsh_doctor_switch(struct tsh_doctor *d);
void tsh_doctor_readers(struct tsh_doctor *d);
void tsh_doctor_buffer(struct tsh_doctor *d);
void tsh_doctor_clock(struct tsh_doctor *d);

/* doctor-events.c: what is enabled, and what keeps it from coming */
void tsh_doctor_sort_events(struct tsh_doctor *d);	/* fills enabled and soft */
void tsh_doctor_enabled(struct tsh_doctor *d);
void tsh_doctor_filters(struct tsh_doctor *d);
void tsh_doctor_misses(struct tsh_doctor *d);
void tsh_doctor_soft(struct tsh_doctor *d);
void tsh_doctor_pids(struct tsh_doctor *d);
void tsh_doctor_cpus(struct tsh_doctor *d);

/* doctor-functions.c: the function tracers, and the snapshot */
void tsh_doctor_functions(struct tsh_doctor *d);
void tsh_doctor_snapshot(struct tsh_doctor *d);

/* doctor-test.c: whether events come, in the present instance and in one of our own */
void tsh_doctor_test(struct tsh_doctor *d);

#endif
