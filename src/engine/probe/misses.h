/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_MISSES_H
#define TRACESH_ENGINE_PROBE_MISSES_H

#include "kernel/tracefs/probe.h"
#include "session/session.h"

/* Counts the hits that the kernel has missed of probes that existed before a command. Probes of
 * --probe are counted elsewhere (call.c). */
struct tsh_misses {
	struct tsh_probes probes;
	struct tsh_probe_counts *counts;
};

void tsh_misses_begin(struct tsh_session *s, struct tsh_misses *ret);
void tsh_misses_forget(struct tsh_misses *misses);
/* Warns of the misses since tsh_misses_begin, for the events of the call, or for the enabled
 * events when the call has none. Then frees misses. */
void tsh_misses_end(struct tsh_session *s, const struct tsh_call *call, struct tsh_misses *misses);
/* Warns that `missed` hits have no events. name: name of the probe, printed when probes is 1.
 * of_return: adds a hint that is useful for return probes. */
void tsh_misses_note(struct tsh_session *s, uint64_t missed, size_t probes, const char *name, bool of_return);

#endif
