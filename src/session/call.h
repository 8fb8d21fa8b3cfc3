/* session/call.h - a command that was typed, parsed and resolved */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CALL_H
#define TRACESH_SESSION_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "events/clock/moment.h"
#include "kernel/tracefs/event.h"
#include "lang/grammar.h"

struct tsh_by;
struct tsh_call;
struct tsh_call_probes;
struct tsh_field_list;
struct tsh_cmd;
struct tsh_flight_recorder;
struct tsh_stream_spec;
struct tsh_instance;
struct tsh_session;
struct tsh_suggest;
struct tsh_where;

/* Holds functions of the engine that counts or pairs the events of a call. They are called by the
 * code that enables and reads the events. */
struct tsh_by_ops {
	/* Says whether a key or a value depends on events that are not counted, as delta does. */
	bool (*needs_all)(const struct tsh_by *by);
	/* Says whether the call's filter is not for this event, but for the other one of a pair. */
	bool (*lacks_filter)(const struct tsh_by *by, const struct tsh_event *event);
	/*
	 * Prepares an instance before events are enabled. In an instance that the command owns, has
	 * the kernel write what the keys need. In another instance, checks that the kernel does so.
	 * Returns 0, or -1 with err.
	 */
	int (*prepare)(const struct tsh_by *by, struct tsh_instance *in, struct tsh_err *err);
	/* Says whether names of tasks are needed, because the command prints them or computes with
	 * them. */
	bool (*needs_names)(const struct tsh_by *by);
	/* Pushes the stage that counts as the last one of a stream (engine/pipeline/run.h), in
	 * place of the output. */
	void (*push)(struct tsh_by *by, struct tsh_stream_spec *follow);
	/* Warns of filters, set before the call, that leave out events which the call's pairs need.
	 * Returns false when the call makes no pairs. */
	bool (*note_gaps)(struct tsh_session *s, const struct tsh_call *call);
};

/* Holds a parsed and resolved command, ready to run. */
struct tsh_call {
	const struct tsh_cmd *cmd;
	struct tsh_args args;
	struct tsh_events events;	/* events of all EVENT arguments */
	struct tsh_moment *moments;	/* indexed as args; set for the MOMENT arguments; or NULL */
	struct tsh_field_list *chosen;	/* clause `fields` (engine/pipeline/fields.h); or NULL */
	struct tsh_by *by;		/* counting (engine/aggregate/aggregate.h); or NULL */
	const struct tsh_by_ops *by_ops;	/* functions of `by`; or NULL */
	/* Holds --stop-when (engine/pipeline/flight-recorder.h); or NULL. */
	struct tsh_flight_recorder *flight;
	struct tsh_call_probes *probes;	/* probes of the call (engine/probe/call.h); or NULL */
	struct tsh_where *where;	/* the clause `where` (engine/pipeline/where.h); or NULL */
	bool drains;			/* counts or pairs only what the buffer holds, then ends */
	/* Has an own instance record all tasks, those of tracesh too, so that no pair lacks an
	 * event. */
	bool of_all;
};
/* Returns the moment that was given as this option ("--since") or argument, or NULL. */
const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name);

/* Call the function of call->by_ops. Return false when the call counts no events. */
bool tsh_call_needs_all(const struct tsh_call *call);
bool tsh_call_lacks_filter(const struct tsh_call *call, const struct tsh_event *event);
/* Returns the command's name. */
const char *tsh_call_name(const struct tsh_call *call);
/* Says whether the command is for a running kernel only. */
bool tsh_call_is_live(const struct tsh_call *call);
/* Says whether the command itself finds the events of its call (.name_events), as commands do that
 * pair two events. */
bool tsh_call_names_events(const struct tsh_call *call);
/* Says whether the command prints names of tasks with the events. */
bool tsh_call_shows_tasks(const struct tsh_call *call);
/* Says whether one of the command's arguments has this kind of completion. */
bool tsh_call_completes(const struct tsh_call *call, enum tsh_arg_completes what);
/* Offers all options of the command to `near`, to correct one that was misspelt. */
void tsh_call_offer_options(const struct tsh_call *call, struct tsh_suggest *near);

#endif
