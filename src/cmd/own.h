/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_OWN_H
#define TRACESH_CMD_OWN_H

/*
 * Commands that bring their own events bring their own instance: nobody else's
 * buffer, filters or clock are touched, and rmdir is the way back.
 */

#include "tasks.h"
#include "tracesh/cmd.h"

/*
 * Makes one: tracing off, the clock that converts best, small wake-ups, plain
 * pointers; tracesh and its ancestors are not traced, which is said. The present
 * instance of the session stays.
 */
int tsh_own_open(struct tsh_session *s, struct tsh_instance **ret, struct tsh_err *err);
/*
 * Filters, then enables, the events of the call in any instance. In one of our own
 * sched_switch leaves out the switches between idle and tracesh (or its ancestors).
 */
int tsh_own_enable(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		   struct tsh_err *err);
/* Closes and removes it; what cannot be removed is a warning. */
void tsh_own_close(struct tsh_session *s, struct tsh_instance *in);

#endif
