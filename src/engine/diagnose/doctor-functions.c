/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/tracefs/lines.h"
#include "session/flood-check.h"
#include "session/memory.h"
#include "session/util.h"

/* Checks the function tracers and the snapshot for doctor. */

/* Returns the first byte of a file, which it closes; 0: the file is empty or cannot be read. */
static char first_byte(int fd)
{
	char byte = 0;

	if (fd < 0)
		return 0;
	if (read(fd, &byte, 1) != 1)
		byte = 0;
	close(fd);
	return byte;
}

static bool chooses_functions(const struct tsh_doctor *d)
{
	return tsh_flood_has_functions(d->in, "set_ftrace_filter") ||
	       tsh_flood_has_functions(d->in, "set_graph_function");
}

static void check_refusal(struct tsh_doctor *d)
{
	int fd = tsh_file_open(d->in, "set_ftrace_filter", 0);

	if (fd >= 0)
		close(fd);
	if (fd == -EPERM || fd == -EACCES)
		tsh_doctor_find(d, "functions-refused", "tracer nop",
				"the kernel refuses function tracing, even to root");
}

/* Checks enabled_functions, which lists the functions of all tracers and probes. */
static void check_attached(struct tsh_doctor *d)
{
	const struct tsh_instance top = tsh_top(d->in->dir);
	int fd = tsh_file_open(&top, "enabled_functions", 0);

	if (fd >= 0 && !first_byte(fd))
		tsh_doctor_find(d, "no-functions", "functions clear",
				"the tracer '%s' is attached to no function", d->tracer);
}

static void check_tracer(struct tsh_doctor *d)
{
	int fd = open("/proc/sys/kernel/ftrace_enabled", O_RDONLY | O_CLOEXEC);
	bool off = fd >= 0 && first_byte(fd) == '0';
	uint64_t thresh = tsh_file_number(d->in, "tracing_thresh", 0);

	check_refusal(d);
	if (off)
		tsh_doctor_find(d, "ftrace-off", "!sysctl kernel.ftrace_enabled=1",
				"the function tracers are switched off (kernel.ftrace_enabled)");
	else
		check_attached(d);
	if (!tsh_file_number(d->in, "options/function-trace", 1))
		tsh_doctor_find(d, "function-trace", "option function-trace on",
				"the option 'function-trace' is off: '%s' traces nothing", d->tracer);
	if (thresh && !strcmp(d->tracer, "function_graph"))
		tsh_doctor_find(d, "threshold", "write tracing_thresh 0",
				"only functions that take longer than %llu us are traced",
				(unsigned long long)thresh);
}

void tsh_doctor_functions(struct tsh_doctor *d)
{
	bool is_function = tsh_flood_is_function_tracer(d->tracer);

	if (is_function)
		check_tracer(d);
	else if (!strcmp(d->tracer, "nop") && chooses_functions(d))
		tsh_doctor_find(d, "no-tracer", "tracer function",
				"functions are chosen, and no function tracer is set");
}

/* Says whether a trigger of one of the events takes a snapshot. */
static bool wants_snapshot(const struct tsh_doctor *d, const struct tsh_events *events)
{
	bool wants = false;
	size_t i, k;

	for (i = 0; i < events->n && i < TSH_DOCTOR_EVENTS_MAX && !wants; i++) {
		char *path = tsh_event_path(&events->v[i], "trigger");
		struct tsh_strlist lines = { 0 };

		tsh_file_lines(d->in, path, &lines);
		for (k = 0; k < lines.n; k++)
			wants = wants || !strncmp(lines.v[k], "snapshot", strlen("snapshot"));
		tsh_strlist_release(&lines);
		free(path);
	}
	return wants;
}

void tsh_doctor_snapshot(struct tsh_doctor *d)
{
	if (tsh_file_exists(d->in, "snapshot") && !tsh_memory_has_snapshot(d->in) &&
	    (wants_snapshot(d, &d->enabled) || wants_snapshot(d, &d->soft)))
		tsh_doctor_find(d, "no-snapshot", "snapshot alloc",
				"a trigger takes a snapshot, and there is no buffer for it: the "
				"kernel switches tracing off then");
}
