/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_CALL_H
#define TRACESH_ENGINE_PROBE_CALL_H

#include "session/session.h"

/* Declares the option --probe, for the tables of commands that can make probes of their own. */
#define TSH_OWN_PROBE \
	{ .name = "PROBE", .option = "--probe", .type = TSH_ARG_PROBE, \
	  .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY, \
	  .help = "an event for as long as this takes, as probe makes it: 'vfs_open%return $retval'" }

/* Returns the event that was made for a word of the call, or NULL. */
const struct tsh_event *tsh_call_probe(const struct tsh_call *call, const struct tsh_value *value);
/* Says whether START is a function and END is its return: such pairs can be nested. */
bool tsh_call_is_function_pair(const struct tsh_call *call);

/*
 * Make probes that exist while a call runs, before the call is resolved. tsh_call_has_probes says
 * whether the call names any. tsh_call_make_probes returns 0, or -1 with err, which blames the
 * word. tsh_call_remove_probes warns of hits that the kernel missed, and undoes what was written
 * since `mark` of the journal, which removes the probes.
 */
bool tsh_call_has_probes(const struct tsh_call *call);
int tsh_call_make_probes(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void tsh_call_remove_probes(struct tsh_session *s, const struct tsh_call *call, unsigned int mark);

#endif
