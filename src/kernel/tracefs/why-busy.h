/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_WHY_BUSY_H
#define TRACESH_KERNEL_TRACEFS_WHY_BUSY_H

#include "tracefs.h"

/* Removes an instance (rmdir), and first its histograms when they keep it busy. Returns 0 or
 * -errno. */
int tsh_instance_remove_whole(struct tsh_dir *dir, const char *name);
/* Returns why an instance cannot be removed, as "sleep (4711) has a file of it open", or NULL when
 * that is unknown. The caller frees it. */
char *tsh_instance_why_busy(struct tsh_dir *dir, const char *name);

#endif
