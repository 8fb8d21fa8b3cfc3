/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FLOOD_CHECK_H
#define TRACESH_SESSION_FLOOD_CHECK_H

#include "session.h"

/*
 * Asks before events or tracers are enabled that can flood the machine. The check goes by load, not
 * by the number of events: the 700 events of syscalls are harmless, the 4 of lock can stop a
 * machine.
 */

/*
 * Asks before all events are enabled, or events of systems that are known to flood. An event that
 * already has a filter in the instance `in` is not counted; in is NULL for a new instance. Does not
 * ask when the call has `if FILTER`. Returns 0, or -1 with err.
 */
int tsh_flood_check_events(struct tsh_session *s, const struct tsh_instance *in,
			  const struct tsh_call *call, struct tsh_err *err);
/* Asks before filters are cleared from enabled events that can flood the machine. Returns 0, or -1
 * with err. */
int tsh_flood_check_clear(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Asks before a text is written to a file when that enables events (set_event,
 * events/SYSTEM/EVENT/enable) or sets a function tracer. Returns 0, or -1 with err. */
int tsh_flood_check_write(struct tsh_session *s, const struct tsh_value *file,
			 const struct tsh_value *text, struct tsh_err *err);
/* Says whether tracesh asks about an event ("SYSTEM/EVENT" and what follows) even if no other event
 * is enabled with it. */
bool tsh_flood_is_by_itself(const char *path);
/* Asks before a function tracer is set in the current instance when no function filter is set.
 * Returns 0, or -1 with err. */
int tsh_flood_check_tracer(struct tsh_session *s, const struct tsh_value *tracer,
			  struct tsh_err *err);
/* Asks before the glob '*' is traced with that tracer. Returns 0, or -1 with err. */
int tsh_flood_check_function(struct tsh_session *s, const struct tsh_value *glob, const char *tracer,
			    struct tsh_err *err);
/* Asks before the function filters are cleared while a function tracer is set. Returns 0, or -1
 * with err. */
int tsh_flood_check_all_functions(struct tsh_session *s, struct tsh_err *err);
/* Says whether a file like set_ftrace_filter chooses functions. A line with a command
 * ("schedule:traceoff") does not. */
bool tsh_flood_has_functions(const struct tsh_instance *in, const char *path);
/* Says whether a tracer is "function" or "function_graph". */
bool tsh_flood_is_function_tracer(const char *name);
/* Counts the functions that can be traced; 0 when the file cannot be read. */
uint64_t tsh_flood_count_functions(const struct tsh_dir *dir);

#endif
