/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TREE_TEXT_H
#define TRACESH_KERNEL_TRACEFS_TREE_TEXT_H

#include "tracefs.h"

/* Appends the text of a file of a tree that is open as `fd`. 0 or -errno; -EFBIG: it is larger
 * than a file may be, or than what the command may still read, and is noted as not read. */
int tsh_tree_read(const struct tsh_instance *in, const char *path, int fd, struct tsh_strbuf *out);
/* Notes that a command has left out lines or words of a file, as there are more than any kernel has. */
void tsh_tree_left_out(const struct tsh_instance *in, const char *path, size_t entries);

#endif
