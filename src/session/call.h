/* session/call.h - a command that was typed: its words, and what engines make of them */
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

/* What is to be known of those who count or pair the events of a call, where these are enabled and read. */
struct tsh_by_ops {
	/* Says whether a key or a value depends on events that are not counted, as delta does. */
	bool (*needs_all)(const struct tsh_by *by);
	/* Says whether the call's filter is not for that event, but for the other one of a pair. */
	bool (*lacks_filter)(const struct tsh_by *by, const struct tsh_event *event);
	/* Before events are enabled: has the kernel write what the keys need into an instance that is the command's
	 * own; of another one asks whether it does. 0, or -1 with err. */
	int (*prepare)(const struct tsh_by *by, struct tsh_instance *in, struct tsh_err *err);
	/* Says whether names of tasks are shown, or decide. */
	bool (*needs_names)(const struct tsh_by *by);
	/* Puts what counts at the end of a stream (engine/pipeline/run.h), in place of the output. */
	void (*push)(struct tsh_by *by, struct tsh_stream_spec *follow);
	/* Says which filters of before leave out what pairs are made of; false: there are no pairs. */
	bool (*note_gaps)(struct tsh_session *s, const struct tsh_call *call);
};

/* A parsed and resolved command, ready to run. */
struct tsh_call {
	const struct tsh_cmd *cmd;
	struct tsh_args args;
	struct tsh_events events;	/* of all EVENT arguments */
	struct tsh_moment *moments;	/* by the places of args, those of MOMENT; or NULL */
	struct tsh_field_list *chosen;	/* the clause `fields` (src/engine/pipeline/fields.h); or NULL */
	struct tsh_by *by;		/* what is counted (src/engine/aggregate/aggregate.h); or NULL */
	const struct tsh_by_ops *by_ops;	/* of by; or NULL */
	struct tsh_flight_recorder *flight;	/* --stop-when (src/engine/pipeline/flight-recorder.h); or NULL */
	struct tsh_call_probes *probes;	/* its own (src/engine/probe/call.h); or NULL */
	struct tsh_where *where;	/* the clause `where` (src/engine/pipeline/where.h); or NULL */
	bool drains;			/* counts or pairs what is there already, and ends with that */
	bool of_all;			/* its own instance leaves no task out: else halves of pairs are missing */
};
/* The moment that was given as this option ("--since") or argument, or NULL. */
const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name);

/* Ask call->by_ops; false without a by. */
bool tsh_call_needs_all(const struct tsh_call *call);
bool tsh_call_lacks_filter(const struct tsh_call *call, const struct tsh_event *event);
/* Returns the command's name. */
const char *tsh_call_name(const struct tsh_call *call);
/* Says whether the command is for a running kernel only. */
bool tsh_call_is_live(const struct tsh_call *call);
/* Says whether the command finds its events itself (.name_events), as those that pair two. */
bool tsh_call_names_events(const struct tsh_call *call);
/* Says whether the command prints names of tasks with its events. */
bool tsh_call_shows_tasks(const struct tsh_call *call);
/* Says whether one of the command's arguments completes so. */
bool tsh_call_completes(const struct tsh_call *call, enum tsh_arg_completes what);
/* Offers all options of the command, in place of one that was misspelt. */
void tsh_call_offer_options(const struct tsh_call *call, struct tsh_suggest *near);

#endif
