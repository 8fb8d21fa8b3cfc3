/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_SWEEP_H
#define TRACESH_CMD_SWEEP_H

#include "tracesh/cmd.h"

/* Remove the instances and probes of sessions that are gone, where no journal knows of them, and name synthetic
 * events, which stay; `all`: also probes that no session holds, though a process of their number lives. Each is
 * said. False: there are none. */
bool tsh_sweep(struct tsh_session *s, bool all);

#endif
