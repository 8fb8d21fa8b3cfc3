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
struct tsh_call_probes;
struct tsh_chosen;
struct tsh_cmd;
struct tsh_flight;
struct tsh_session;
struct tsh_suggest;
struct tsh_where;

/* A parsed and resolved command, ready to run. */
struct tsh_call {
	const struct tsh_cmd *cmd;
	struct tsh_args args;
	struct tsh_events events;	/* of all EVENT arguments */
	struct tsh_moment *moments;	/* by the places of args, those of MOMENT; or NULL */
	struct tsh_chosen *chosen;	/* the clause `fields` (src/engine/pipeline/fields.h); or NULL */
	struct tsh_by *by;		/* what is counted (src/engine/aggregate/aggregate.h); or NULL */
	struct tsh_flight *flight;	/* --stop-when (src/engine/pipeline/flight-recorder.h); or NULL */
	struct tsh_call_probes *probes;	/* its own (src/engine/probe/call.h); or NULL */
	struct tsh_where *where;	/* the clause `where` (src/engine/pipeline/where.h); or NULL */
	bool drains;			/* counts or pairs what is there already, and ends with that */
	bool of_all;			/* its own instance leaves no task out: else halves of pairs are missing */
};
/* The moment that was given as this option ("--since") or argument, or NULL. */
const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name);

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
