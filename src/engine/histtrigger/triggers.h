/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_TRIGGERS_H
#define TRACESH_ENGINE_HISTTRIGGER_TRIGGERS_H

#include "kernel/tracefs/trigger.h"
#include "session/session.h"

/* Lists the actions of the kernel's triggers; ends with NULL. */
extern const char *const tsh_trigger_names[];

/*
 * Parses an action, "traceoff:3" or "enable_event:S:E", and checks its words: the name, the count,
 * the event that it is about, and that this kernel has it. filter may be NULL. Returns 0, or -1
 * with err, which blames the wrong word. Release ret in any case.
 */
int tsh_trigger_check(struct tsh_session *s, const struct tsh_call *call,
		      const struct tsh_value *action, const struct tsh_value *filter,
		      struct tsh_trigger *ret, struct tsh_err *err);

/*
 * Removes the triggers of these events, later ones first: they may use variables of earlier ones.
 * Checks each afterwards, since the kernel reports success for removals that remove nothing.
 * Returns how many were removed, or -1 with err.
 */
int tsh_triggers_clear(struct tsh_session *s, const struct tsh_events *events,
		       struct tsh_err *err);

/*
 * Removes the triggers that match `wanted` from the events. filtered: only those with the same
 * filter. *ret_removed: number of triggers that were removed; with --dry-run, one is counted for
 * each event. Returns 0, or -1 with err.
 */
int tsh_triggers_remove(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
			bool filtered, size_t *ret_removed, struct tsh_err *err);

/*
 * Sets a trigger on all of the events, and notes how many. Sets none when an event has another
 * trigger of the same kind. action and filter (or NULL) are the words of which `wanted` was made;
 * err blames them. Returns 0, or -1 with err.
 */
int tsh_triggers_set(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
		     const struct tsh_value *action, const struct tsh_value *filter, struct tsh_err *err);

/*
 * Print as a table the triggers of these events, or of all events that have a trigger. Return 0; -1
 * with err when triggers are missing from the table; -1 without err when a signal has ended the
 * command.
 */
int tsh_triggers_list(struct tsh_session *s, const struct tsh_events *events, struct tsh_err *err);
int tsh_triggers_list_all(struct tsh_session *s, struct tsh_err *err);

/* Appends a line to the event's trigger file. Returns as tsh_session_write does. */
int tsh_trigger_write(struct tsh_session *s, const struct tsh_event *event, const char *text, struct tsh_err *err);
/* Says whether the event has that trigger. */
bool tsh_trigger_exists(const struct tsh_instance *in, const struct tsh_event *event,
			const struct tsh_trigger *trigger);
/*
 * Removes a trigger. Returns 0, or -1 with err, whose number is EBUSY if another trigger uses its
 * variables.
 */
int tsh_trigger_remove(struct tsh_session *s, const struct tsh_event *event, const struct tsh_trigger *trigger,
		       struct tsh_err *err);

/*
 * Says whether an event lacks histograms: the kernel was built without them. An event that a dry
 * run has made has no files at all, and lacks nothing.
 */
bool tsh_trigger_lacks_hist(const struct tsh_instance *in, const struct tsh_event *event);

/* Says whether tracing is off in the instance, and this session has not switched it off. */
bool tsh_trigger_has_stopped(const struct tsh_instance *in);

#endif
