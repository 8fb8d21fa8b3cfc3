/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_PAIR_H
#define TRACESH_ENGINE_HISTTRIGGER_PAIR_H

/* latency --in-kernel: between src/cmd/analyse/latency.c and pair.c. */

#include "engine/pair/pair.h"

/* Has the kernel make the pairs that latency_resolve has read. -1 with err: it cannot make such. */
int latency_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int latency_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Prints, for explain, what is written for such pairs. */
void latency_kernel_explain(struct tsh_session *s, const struct tsh_call *call);

#endif
