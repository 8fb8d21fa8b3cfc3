/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CHECK_ONLY_H
#define TRACESH_SESSION_CHECK_ONLY_H

/* Checks, for the option -n, what a command finds out only when it runs. (Names of events and the
 * like are resolved for every call.) */

#include "session.h"

/* Checks that the files of the instance, tasks, CPUs and programs exist that the call names.
 * Returns 0, or -1 with err. */
int tsh_cmd_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* Checks that this machine has all CPUs of a list; "all" always passes. Returns 0, or -1 with err
 * (TSH_FAILED). */
int tsh_cmd_check_cpus(struct tsh_session *s, const struct tsh_value *list, struct tsh_err *err);
/* Sets the hint of an error about a missing file: a similar name in the folder, or the command that
 * lists the folder. */
void tsh_cmd_hint_missing_file(struct tsh_session *s, const char *path, struct tsh_err *err);

#endif
