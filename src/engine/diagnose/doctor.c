/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdlib.h>

#include "session/util.h"

/* Runs the checks of doctor in their order. */

static void read_state(struct tsh_doctor *d)
{
	tsh_strbuf_init(&d->tested);
	d->on = tsh_file_number(d->in, "tracing_on", 1) != 0;
	d->tracer = tsh_file_text(d->in, "current_tracer");
	if (!d->tracer)
		d->tracer = tsh_xstrdup("nop");
	tsh_doctor_sort_events(d);
}

void tsh_doctor_examine(struct tsh_doctor *d)
{
	read_state(d);
	/* Check first for causes that exclude all events. */
	tsh_doctor_access(d);
	tsh_doctor_switch(d);
	tsh_doctor_enabled(d);
	tsh_doctor_filters(d);
	tsh_doctor_misses(d);
	tsh_doctor_soft(d);
	tsh_doctor_pids(d);
	tsh_doctor_cpus(d);
	tsh_doctor_readers(d);
	tsh_doctor_buffer(d);
	tsh_doctor_functions(d);
	tsh_doctor_snapshot(d);
	tsh_doctor_clock(d);
	tsh_doctor_test(d);
}

void tsh_doctor_release(struct tsh_doctor *d)
{
	tsh_strbuf_release(&d->tested);
	tsh_events_release(&d->enabled);
	tsh_events_release(&d->soft);
	free(d->tracer);
}
