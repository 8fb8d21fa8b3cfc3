/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_WHY_BUSY_H
#define TRACESH_KERNEL_TRACEFS_WHY_BUSY_H

#include "tracefs.h"

/* rmdir of an instance with its histograms, which else may keep it. 0 or -errno. */
int tsh_instance_remove_whole(struct tsh_dir *dir, const char *name);
/* Why an instance cannot be removed, as "sleep (4711) has a file of it open"; NULL: nobody
 * knows. The caller frees it. */
char *tsh_instance_why_busy(struct tsh_dir *dir, const char *name);

#endif
