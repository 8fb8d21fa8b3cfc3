/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_SH_LINES_H
#define TRACESH_KERNEL_DRYRUN_SH_LINES_H

/* Turns writes into lines of the POSIX shell, for the script of a dry run and for --verbose. */

#include "kernel/tracefs/tracefs.h"

/* Appends lines, with newlines, that act like tsh_write_raw. `root` is the path of tracefs, or
 * "$TRACEFS". */
void tsh_sh_write(struct tsh_strbuf *out, const char *root, const struct tsh_instance *in,
		  const char *path, bool truncate, const char *text);
/* Does so for a change that was made, with the path of its folder. */
void tsh_sh_append_change(struct tsh_strbuf *out, const struct tsh_wrote *what);
/* Does so for an instance; `program` is mkdir or rmdir. */
void tsh_sh_directory(struct tsh_strbuf *out, const char *root, const char *program,
		      const char *name);

#endif
