/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_ENABLE_H
#define TRACESH_ENGINE_PIPELINE_ENABLE_H

/* Enables the events of a call in an instance. */

#include "session/own-instance.h"

/*
 * Filters the events of the call in an instance, and enables them. In an instance of our own, the
 * filter of sched_switch excludes switches between idle and tracesh (or its ancestors). Returns 0,
 * or -1 with err; a signal ends it with an error.
 */
int tsh_own_enable(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		   struct tsh_err *err);
/*
 * Filters and enables some of the events of the call, from number *next on, and returns after about
 * 5 ms. Moves *next behind the last event that was enabled. Returns 1 when there are more, 0 when
 * all of them are enabled, -1 with err. Enabling an event takes 0.2 ms, because the kernel patches
 * its code; so hundreds of events would delay the first line too long.
 */
int tsh_own_enable_some(struct tsh_session *s, struct tsh_instance *in,
			const struct tsh_call *call, size_t *next, struct tsh_err *err);
/* Replaces the filters of all events of the call; "": removes them. Checks first that the kernel
 * accepts the filter for each event. Returns 0, or -1 with err. */
int tsh_own_refilter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     const char *filter, struct tsh_err *err);

#endif
