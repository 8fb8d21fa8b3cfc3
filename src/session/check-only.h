/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_CHECK_ONLY_H
#define TRACESH_SESSION_CHECK_ONLY_H

/* What -n looks at besides the names that every call resolves: what a command would find
 * out when it runs. */

#include "session.h"

/* Files of the instance, tasks, CPUs, programs: whether they are there. -1 with err. */
int tsh_cmd_check(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* TSH_FAILED: one of these is no CPU of this machine. "all" is all that are there. */
int tsh_cmd_check_cpus(struct tsh_session *s, const struct tsh_value *list, struct tsh_err *err);
/* Of a file that is not there: a hint, what stands beside it. */
void tsh_cmd_no_file(struct tsh_session *s, const char *path, struct tsh_err *err);

#endif
