/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TREE_TEXT_H
#define TRACESH_KERNEL_TRACEFS_TREE_TEXT_H

#include "tracefs.h"
#include "tree-file.h"

/* Appends the text of a tree's file, open as `fd`, to out. Returns 0 or -errno. Returns -EFBIG, and
 * notes the file as not read, when it is larger than a file may be, or than what the command may
 * still read. */
int tsh_tree_read(const struct tsh_instance *in, const char *path, int fd, struct tsh_strbuf *out);
/* Does the same with a file of a tree that is one file; full: its path in the tree. */
int tsh_tree_read_file(const struct tsh_instance *in, const char *path, const struct tsh_tree_file *file,
		       const char *full, struct tsh_strbuf *out);
/* Notes that a command has ignored lines or words of a file, because it has more than any
 * kernel. */
void tsh_tree_left_out(const struct tsh_instance *in, const char *path, size_t entries);

#endif
