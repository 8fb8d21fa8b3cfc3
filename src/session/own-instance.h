/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_OWN_INSTANCE_H
#define TRACESH_SESSION_OWN_INSTANCE_H

/* Gives a command that enables events an instance of its own. Other buffers, filters and clocks do
 * not change, and removing the instance takes back everything. */

#include "session.h"
#include "tasks.h"

/* Declare the arguments of such commands, for their tables. */
#define TSH_OWN_CPUS \
	{ .name = "LIST", .option = "--cpu", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only these CPUs: 0-3,7" }
#define TSH_OWN_TASK \
	{ .name = "TASK", .option = "--pid", .type = TSH_ARG_TASK, .flags = TSH_ARG_OPTIONAL, \
	  .help = "in an instance of its own: only these, with their children: 1234,bash; help pid" }
#define TSH_OWN_BUFFER \
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_KB | TSH_ARG_NOT_ZERO, \
	  .help = "in an instance of its own: the size of each CPU's buffer; a bare number is KB" }
#define TSH_OWN_HERE \
	{ .name = "here", .option = "--here", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL, \
	  .help = "enable the events in the current instance instead of one of its own" }
#define TSH_OWN_EVENTS \
	{ .name = "EVENT", .type = TSH_ARG_EVENT, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY, \
	  .help = "system:name, a system, a unique name, a glob, or all" }
#define TSH_OWN_FILTER \
	{ .name = "FILTER", .clause = "if", .type = TSH_ARG_EXPRESSION, \
	  .flags = TSH_ARG_OPTIONAL, .help = "the kernel's filter" }

/*
 * Creates an instance with tracing off, the clock that converts best to wall-clock time, readers
 * that wake up early (buffer_percent 0) and plain pointers (hash-ptr off). Leaves tracesh and its
 * ancestors out of the trace, with a note, unless includes_tracesh is set. The session's current
 * instance stays the same. Returns 0, or -1 with err. The caller removes the instance with
 * tsh_own_close.
 */
int tsh_own_open(struct tsh_session *s, bool includes_tracesh, struct tsh_instance **ret, struct tsh_err *err);
/* Names the instance that a command reads, and the session. */
struct tsh_own_place {
	struct tsh_session *s;
	struct tsh_instance *in;
};

/* Leaves one more process out of the trace, which tracesh has started since the instance was made.
 * ctx is a struct tsh_own_place. Changes only an own instance that leaves tracesh out. */
void tsh_own_exclude(void *ctx, pid_t pid);
/* Applies --buffer and --pid of a call to the call's own instance. Notes once in a session that pid
 * or cpus settings of the current instance do not apply there. Returns 0, or -1 with err. */
int tsh_own_settings(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     struct tsh_err *err);
/* Notes the pid, cpus and filter settings of the current instance, which apply to the call's
 * events. */
void tsh_own_note_here(struct tsh_session *s, const struct tsh_call *call);
/* Says whether an instance does not record the events of some CPUs (tracing_cpumask). */
bool tsh_own_lacks_cpus(const struct tsh_instance *in);
/* Refuse options that are for an own instance, in a call that has none: --buffer and --pid, or
 * --buffer only. Return 0, or -1 with err. */
int tsh_own_refuse_settings(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
int tsh_own_refuse_buffer(const struct tsh_call *call, struct tsh_err *err);
/* Refuses options for events that are still to come (--for, --every), in a call that reads the
 * events of a buffer or recording. counts: it counts or pairs them. Returns 0, or -1 with err. */
int tsh_own_refuse_new_events(const struct tsh_call *call, bool counts, struct tsh_err *err);
/* Notes, once in a session, that a sched_switch between tracesh and another task is traced although
 * tracesh is left out. Prints no note for other events. */
void tsh_own_note_switches(struct tsh_session *s, const struct tsh_instance *in, const struct tsh_event *event);
/* Writes the filter of an event: the user's, and in an own instance also one that leaves tracesh
 * out. replaces: an empty filter clears the present one. Returns 0, or -1 with err. */
int tsh_own_write_filter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_event *event,
			 const struct tsh_call *call, const char *filter, bool replaces, struct tsh_err *err);
/* Appends to a filter, which may be empty, a condition that leaves out tracesh's tasks, because
 * hist triggers ignore the instance's lists of tasks. Puts brackets around the filter in front of
 * it. */
void tsh_own_hist_filter(struct tsh_session *s, struct tsh_instance *in,
			 const struct tsh_event *event, struct tsh_strbuf *filter);
/* Switches tracing on. ctx is the instance; for struct tsh_stream_spec. Returns 0, or -1 with
 * err. */
int tsh_own_start(void *ctx, struct tsh_err *err);
/* Closes and removes an instance; warns when removing fails. */
void tsh_own_close(struct tsh_session *s, struct tsh_instance *in);
/* Creates an instance as tsh_own_open does, calls `work`, and removes the instance. Returns the
 * result of `work`, or -1 with err. */
int tsh_with_own(struct tsh_session *s, bool includes_tracesh,
		 int (*work)(void *ctx, struct tsh_instance *in, struct tsh_err *err), void *ctx, struct tsh_err *err);

#endif
