/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_NEVER_H
#define TRACESH_SESSION_NEVER_H

#include "session.h"

/*
 * What is wrong with a filter that the kernel takes, or with a question (where): "matches nothing: 'pid < 0' is
 * never true". Text that the caller frees; NULL: nothing that we know of. Of the events of a running kernel.
 */
char *tsh_never(struct tsh_session *s, const struct tsh_event *event, const char *filter, bool is_where);
/* Says it before the command runs, in one line: of the first of its events. */
void tsh_never_note(struct tsh_session *s, const struct tsh_events *events, const char *filter, bool is_where);
/* Whether the events of system calls are silent for a task: those of 32-bit programs have none. */
bool tsh_never_calls(const struct tsh_events *events, int tid);
/* The same of one that an instance traces: its number, or 0. */
int tsh_never_calls_of(const struct tsh_instance *in);
/* What to say of it. */
#define TSH_NEVER_CALLS "is a 32-bit program, and syscalls:* has no event for its calls (raw_syscalls:sys_enter has)"
/* The CPUs that an instance traces. False: not known. */
bool tsh_never_cpus(const struct tsh_instance *in, struct tsh_cpuset *ret);

#endif
