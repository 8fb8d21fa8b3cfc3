/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_PAIR_H
#define TRACESH_ENGINE_HISTTRIGGER_PAIR_H

/* Declares what src/cmd/analyse/latency.c needs for --in-kernel. */

#include "engine/pair/pair.h"

/*
 * Prepares a call that latency_resolve has resolved to be paired by the kernel. Returns 0, or -1
 * with err if the kernel cannot make such pairs.
 */
int latency_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int latency_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Prints what is written for such pairs, for explain. */
void latency_kernel_explain(struct tsh_session *s, const struct tsh_call *call);

#endif
