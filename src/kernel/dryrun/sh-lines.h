/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_SH_LINES_H
#define TRACESH_KERNEL_DRYRUN_SH_LINES_H

/* Our writes as lines of the POSIX shell: of a dry run's script, and of --verbose. */

#include "kernel/tracefs/tracefs.h"

/*
 * The lines, with newlines, that write what tsh_write_raw does; appends to out. `root` is
 * where tracefs is: a path, or "$TRACEFS".
 */
void tsh_sh_write(struct tsh_strbuf *out, const char *root, const struct tsh_instance *in,
		  const char *path, bool truncate, const char *text);
/* The same of what the kernel was made to do, with the path of its folder. */
void tsh_sh_wrote(struct tsh_strbuf *out, const struct tsh_wrote *what);
/* `program` is mkdir or rmdir. */
void tsh_sh_directory(struct tsh_strbuf *out, const char *root, const char *program,
		      const char *name);

#endif
