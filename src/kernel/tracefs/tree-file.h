/* kernel/tracefs/tree-file.h - a recorded tree that is one file, as a trace.dat is */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TREE_FILE_H
#define TRACESH_KERNEL_TRACEFS_TREE_FILE_H

#include "tracefs.h"

/* Holds the pages of a CPU, as trace_pipe_raw gives them. Zeroed memory has none. */
struct tsh_tree_pages {
	int fd;				/* is borrowed; pages lie in it from `start` on, unless `read` is set */
	uint64_t start;
	uint64_t size;			/* bytes of all pages */
	uint64_t missing;		/* bytes that the file should have, but has not */
	/* Reads the next bytes. Returns their number; 0: the end; -errno. NULL: pread(2) does. */
	ssize_t (*read)(void *ctx, unsigned char *data, size_t size);
	void (*free)(void *ctx);
	void *ctx;
};

enum tsh_tree_entry { TSH_TREE_NONE, TSH_TREE_FILE, TSH_TREE_FOLDER };

struct tsh_tree_file;

/* Lists what such a tree does. Paths are relative to the tree: "instances/foo/trace_clock". */
struct tsh_tree_file_ops {
	enum tsh_tree_entry (*find)(const struct tsh_tree_file *tree, const char *path);
	/* Appends the text of a file. Returns 0; -ENOENT: there is none; -EFBIG: it is larger
	 * than `max`. */
	int (*read)(const struct tsh_tree_file *tree, const char *path, size_t max, struct tsh_strbuf *out);
	/* Adds the names in a folder. Returns 0, or -ENOENT. */
	int (*list)(const struct tsh_tree_file *tree, const char *path, struct tsh_strlist *ret);
	/* Finds the pages of a CPU by the path of its trace_pipe_raw. Returns 0, or -errno; the
	 * caller calls ret->free, if there is one. */
	int (*open_pages)(const struct tsh_tree_file *tree, const char *path, struct tsh_tree_pages *ret);
	void (*free)(struct tsh_tree_file *tree);
};

struct tsh_tree_file {
	const struct tsh_tree_file_ops *ops;
};

/* Finds the pages of a CPU in a tree that is one file. Returns 0, or -errno; -ENOSYS: the tree
 * is a folder. */
int tsh_tree_open_pages(const struct tsh_instance *in, const char *path, struct tsh_tree_pages *ret);

#endif
