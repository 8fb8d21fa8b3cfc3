/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_MISSES_H
#define TRACESH_ENGINE_PROBE_MISSES_H

#include "kernel/tracefs/probe.h"
#include "session/session.h"

/* What the kernel has missed of probes that were there before a command. Those of --probe say it themselves. */
struct tsh_misses {
	struct tsh_probes probes;
	struct tsh_probe_counts *counts;
};

void tsh_misses_begin(struct tsh_session *s, struct tsh_misses *ret);
void tsh_misses_forget(struct tsh_misses *misses);
/* Forgets them, and says what was missed since, of the events of the call, or else of those that are enabled here. */
void tsh_misses_end(struct tsh_session *s, const struct tsh_call *call, struct tsh_misses *misses);
/* Says it: events that are not there. hint: one of return probes was missed. */
void tsh_misses_tell(struct tsh_session *s, uint64_t missed, size_t probes, const char *name, bool of_return);

#endif
