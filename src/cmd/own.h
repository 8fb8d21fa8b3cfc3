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
 * --buffer and --pid of the call in it; says once in a session when the current instance has
 * pid or cpus settings, which are not for this one.
 */
int tsh_own_settings(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     struct tsh_err *err);
/* Where the command has none of its own: -1 when the call has one of these. */
int tsh_own_refuse_settings(const struct tsh_call *call, struct tsh_err *err);
/*
 * Filters, then enables, the events of the call in any instance. In one of our own
 * sched_switch leaves out the switches between idle and tracesh (or its ancestors).
 */
int tsh_own_enable(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		   struct tsh_err *err);
/*
 * The same in portions of some ms, beginning at *next: 1: there are more; 0: all of them are
 * enabled; -1. What each patches into the kernel takes 0.2 ms, and hundreds of them longer
 * than one would wait for the first line.
 */
int tsh_own_enable_some(struct tsh_session *s, struct tsh_instance *in,
			const struct tsh_call *call, size_t *next, struct tsh_err *err);
/* Another filter for all of them, "" for none, when the kernel takes it for each. */
int tsh_own_refilter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     const char *filter, struct tsh_err *err);
/* Closes and removes it; what cannot be removed is a warning. */
void tsh_own_close(struct tsh_session *s, struct tsh_instance *in);

#endif
