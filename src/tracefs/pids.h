/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_PIDS_H
#define TRACESH_TRACEFS_PIDS_H

#include "tracesh/tracefs.h"

/* Lists of tasks, which the kernel changes as well. Between comparing and restoring. */

/* False where the kernel's numbers are not those of /proc. */
bool tsh_pid_is_alive(const char *pid);
/*
 * What a list goes back to that read `before`, then `after` our write, and reads `now`:
 * without what we, and the children of ours, have brought in; but what others have added
 * meanwhile stays, and what they have removed, or what has exited, does not come back.
 * `forks`: the kernel may have listed children meanwhile.
 */
void tsh_pids_before(const struct tsh_strlist *before, const struct tsh_strlist *after,
		     const struct tsh_strlist *now, bool forks, struct tsh_strlist *ret);
/* Whether the kernel lists the children of listed tasks at the moment. */
bool tsh_pids_follow_forks(const struct tsh_instance *in);

#endif
