/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_CALL_H
#define TRACESH_ENGINE_PROBE_CALL_H

#include "session/session.h"

/* For the tables of commands that can bring probes of their own. */
#define TSH_OWN_PROBE \
	{ .name = "PROBE", .option = "--probe", .type = TSH_ARG_PROBE, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY, \
	  .help = "an event for as long as this takes, as probe makes it: 'vfs_open%return $retval'" }

/* The event that was made for a word of the call, or NULL. */
const struct tsh_event *tsh_call_probe(const struct tsh_call *call, const struct tsh_value *value);
/* Whether they are START, a function, and END, its return: such pairs nest. */
bool tsh_call_is_of_function(const struct tsh_call *call);
/* NULL is fine. */
void tsh_call_probes_free(struct tsh_call_probes *probes);

/*
 * A call may name probes that are to be there while it runs: they are made before it is
 * resolved, and go when what was written since the journal's mark is taken back. Whether it
 * does; makes them, -1 with err, which blames the place; the end of those that were made.
 */
bool tsh_call_wants_probes(const struct tsh_call *call);
int tsh_call_make_probes(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void tsh_call_unmake_probes(struct tsh_session *s, const struct tsh_call *call, unsigned int mark);

#endif
