/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_OWN_INSTANCE_H
#define TRACESH_SESSION_OWN_INSTANCE_H

/*
 * Commands that bring their own events bring their own instance: nobody else's
 * buffer, filters or clock are touched, and rmdir is the way back.
 */

#include "session.h"
#include "tasks.h"

/* Their arguments, for the tables of commands. */
#define TSH_OWN_CPUS \
	{ .name = "LIST", .option = "--cpu", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL, \
	  .help = "only these CPUs: 0-3,7" }
#define TSH_OWN_TASK \
	{ .name = "TASK", .option = "--pid", .type = TSH_ARG_TASK, .flags = TSH_ARG_OPTIONAL, \
	  .help = "in an instance of its own: only these, with their children: 1234,bash; help pid" }
#define TSH_OWN_BUFFER \
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_KB, \
	  .help = "in an instance of its own: of each CPU's buffer; a bare number is KB" }
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
 * Makes one: tracing off, the clock that converts best, small wake-ups, plain
 * pointers; tracesh and its ancestors are not traced, which is said, unless it is of all tasks.
 * The present instance of the session stays.
 */
int tsh_own_open(struct tsh_session *s, bool of_all, struct tsh_instance **ret, struct tsh_err *err);
/* An instance that a command reads. */
struct tsh_own_place {
	struct tsh_session *s;
	struct tsh_instance *in;
};

/* Leaves one more process out, by struct tsh_own_place: one that tracesh has begun since. Not in an instance of the
 * user's. */
void tsh_own_leave_out(void *ctx, pid_t pid);
/*
 * --buffer and --pid of the call in it; says once in a session when the current instance has
 * pid or cpus settings, which are not for this one.
 */
int tsh_own_settings(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     struct tsh_err *err);
/* Says what else decides what comes of the call's events in the current instance: its pid, cpus and filters. */
void tsh_own_note_here(struct tsh_session *s, const struct tsh_call *call);
/* Whether the events of some CPUs are not recorded there (tracing_cpumask). */
bool tsh_own_lacks_cpus(const struct tsh_instance *in);
/* Where the command has none of its own: -1 when the call has one of these. */
int tsh_own_refuse_settings(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
int tsh_own_refuse_buffer(const struct tsh_call *call, struct tsh_err *err);
/* Of events that are there, in a buffer or a recording: -1 when the call has what is for those that come (--for, --every). */
int tsh_own_refuse_coming(const struct tsh_call *call, struct tsh_err *err);
/* Says of a sched_switch, once in a session, that some of our own are traced: it would look as if we were after all. */
void tsh_own_note_switches(struct tsh_session *s, const struct tsh_instance *in, const struct tsh_event *event);
/* Writes the event's filter: the user's, and ours in an instance of our own. */
int tsh_own_write_filter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_event *event,
			 const struct tsh_call *call, const char *filter, bool replaces, struct tsh_err *err);
/*
 * Adds to a filter, which may be empty, what an instance of our own leaves out by its lists of
 * tasks and by filters: triggers do not look at the lists. What was there stands in brackets.
 */
void tsh_own_hist_filter(struct tsh_session *s, struct tsh_instance *in,
			 const struct tsh_event *event, struct tsh_strbuf *filter);
/* Records from now on: ctx is the instance, for struct tsh_stream_spec. */
int tsh_own_start(void *ctx, struct tsh_err *err);
/* Closes and removes it; what cannot be removed is a warning. */
void tsh_own_close(struct tsh_session *s, struct tsh_instance *in);
/* Opens one (tsh_own_open), does the work in it, and closes it. Returns what the work does, or -1 with err. */
int tsh_with_own(struct tsh_session *s, bool of_all,
		 int (*work)(void *ctx, struct tsh_instance *in, struct tsh_err *err), void *ctx, struct tsh_err *err);

#endif
