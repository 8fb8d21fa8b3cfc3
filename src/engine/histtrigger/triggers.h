/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_TRIGGERS_H
#define TRACESH_ENGINE_HISTTRIGGER_TRIGGERS_H

#include "kernel/tracefs/trigger.h"
#include "session/session.h"

/* The actions that the kernel's triggers have; NULL at the end. */
extern const char *const tsh_trigger_names[];

/*
 * Takes an action apart, "traceoff:3" or "enable_event:S:E", and checks its words: the
 * name, the count, the event that it is about, and that this kernel has it. The error
 * blames the word in question. filter may be NULL; ret is to be released in any case.
 */
int tsh_trigger_check(struct tsh_session *s, const struct tsh_call *call,
		      const struct tsh_value *action, const struct tsh_value *filter,
		      struct tsh_trigger *ret, struct tsh_err *err);

/*
 * Removes the triggers of these events, later ones first: they may use an earlier one's
 * variables. Each is looked for afterwards, since the kernel says yes to removals that
 * remove nothing. Returns how many are gone, -1 with err.
 */
int tsh_triggers_clear(struct tsh_session *s, const struct tsh_events *events,
		       struct tsh_err *err);

/* Appends a line to the event's trigger file. Returns as tsh_put_file does. */
int tsh_trigger_write(struct tsh_session *s, const struct tsh_event *event, const char *text, struct tsh_err *err);
/* Says whether the event has that trigger. */
bool tsh_trigger_is_there(const struct tsh_instance *in, const struct tsh_event *event,
			  const struct tsh_trigger *trigger);
/* Removes one; 0, or -1 with err, which has the number EBUSY when another one uses its variables. */
int tsh_trigger_remove(struct tsh_session *s, const struct tsh_event *event, const struct tsh_trigger *trigger,
		       struct tsh_err *err);

/* An event that is there and has no histograms: the kernel was built without. */
bool tsh_trigger_no_hist(const struct tsh_instance *in, const struct tsh_event *event);

/* Whether tracing is off in the instance without having been switched off by us. */
bool tsh_trigger_stopped(const struct tsh_instance *in);

#endif
