/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_ENABLE_H
#define TRACESH_ENGINE_PIPELINE_ENABLE_H

/* The events of a call, enabled in an instance. */

#include "session/own-instance.h"

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

#endif
