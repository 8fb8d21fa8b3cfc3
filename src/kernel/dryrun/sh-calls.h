/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_SH_CALLS_H
#define TRACESH_KERNEL_DRYRUN_SH_CALLS_H

/* Turns writes into calls of the script's functions, which can undo them. */

#include "internal.h"

/* Appends a call that acts like tsh_write_raw. */
void tsh_sh_call_write(const struct tsh_instance *in, const char *path, bool truncate,
		       const char *text);
void tsh_sh_call_mkdir(struct tsh_dir *dir, const char *name);
void tsh_sh_call_rmdir(struct tsh_dir *dir, const char *name);

#endif
