/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_FLOOD_CHECK_H
#define TRACESH_SESSION_FLOOD_CHECK_H

#include "session.h"

/*
 * What floods a machine is asked about before it is enabled. By load, not by count: the
 * 700 events of syscalls are harmless, the 4 of lock can stop a machine.
 */

/*
 * The events of a call, in this instance, whose filters count; NULL: in one that is new.
 * Everything, or events of systems that are known to flood; with `if FILTER` nothing is
 * asked. 0, or -1 with err.
 */
int tsh_load_check_events(struct tsh_session *s, const struct tsh_instance *in,
			  const struct tsh_call *call, struct tsh_err *err);
/* The same before their filters are cleared, of those that are enabled. */
int tsh_load_check_clear(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/*
 * The same before a text is written to a file, where that enables events (set_event,
 * events/SYSTEM/EVENT/enable) or sets a function tracer.
 */
int tsh_load_check_write(struct tsh_session *s, const struct tsh_value *file,
			 const struct tsh_value *text, struct tsh_err *err);
/* Whether an event, "SYSTEM/EVENT" and what follows, is asked about even when it is written
 * out alone. */
bool tsh_load_floods_alone(const char *path);
/* A function tracer in the current instance, where no function filter is set. */
int tsh_load_check_tracer(struct tsh_session *s, const struct tsh_value *tracer,
			  struct tsh_err *err);
/* The glob of all functions, for that tracer. */
int tsh_load_check_function(struct tsh_session *s, const struct tsh_value *glob, const char *tracer,
			    struct tsh_err *err);
/* Before the function filters are cleared, where a function tracer runs. */
int tsh_load_check_all_functions(struct tsh_session *s, struct tsh_err *err);
/* Whether set_ftrace_filter or the like chooses functions: a command that stands in it
 * ("schedule:traceoff") does not. */
bool tsh_load_has_functions(const struct tsh_instance *in, const char *path);
/* Whether it is "function" or "function_graph". */
bool tsh_load_is_function_tracer(const char *name);
/* How many functions can be traced; 0 when the kernel does not say. */
uint64_t tsh_load_count_functions(const struct tsh_dir *dir);

#endif
