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

struct tsh_cmd;
struct tsh_suggest;

/* Holds what a step of .prepare has made of a call's words, or of its probes. Only the engine of
 * that step knows the type. */
struct tsh_call_state {
	struct tsh_call_state *next;
	void *state;
	void (*release)(void *state);	/* frees the state; also identifies the engine of it */
};

/* Holds a parsed and resolved command, ready to run. */
struct tsh_call {
	const struct tsh_cmd *cmd;
	struct tsh_args args;
	struct tsh_events events;	/* events of all EVENT arguments */
	struct tsh_moment *moments;	/* indexed as args; set for the MOMENT arguments; or NULL */
	int64_t now;			/* the time that moments count from, ns since 1970 */
	bool is_past;			/* `now` is the end of a recording */
	struct tsh_call_state *states;	/* the newest first; NULL: there are none */
	bool drains;			/* counts or pairs only what the buffer holds, then ends */
	/* Makes the command's own instance record all tasks, those of tracesh too, so that no pair
	 * lacks an event. */
	bool includes_tracesh;
};
/* Returns the moment that was given as this option ("--since") or argument, or NULL. */
const struct tsh_moment *tsh_call_moment(const struct tsh_call *call, const char *name);

/*
 * Gives the call a state, which `release` frees with it. Each engine has a `release` of its own,
 * and one state at most. A copy of a call has the same states; none may be added to it.
 */
void tsh_call_add_state(struct tsh_call *call, void *state, void (*release)(void *state));
/* Returns the state that was added with this release; NULL: the call has none. */
void *tsh_call_state(const struct tsh_call *call, void (*release)(void *state));
/* Frees the members of a call, but not the call. */
void tsh_call_release(struct tsh_call *call);
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
