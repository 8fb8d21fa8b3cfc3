/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_BACKEND_H
#define TRACESH_KERNEL_TRACEFS_BACKEND_H

#include "tracefs.h"

/*
 * Decides what happens to a write to tracefs. There are three backends. The plain one (write.c)
 * writes to the kernel and keeps no journal. The journaled one (kernel/journaled) also records each
 * write in dir->journal, so that it can be undone. The script (kernel/dryrun) records it, too, but
 * appends lines of sh to dir->dry instead of writing. The code that opens a session chooses the
 * backend.
 */

/* Replaces the kernel in a dry run. Nothing is written to the kernel: each write becomes lines of
 * the script, and the model remembers the text that each file would then have. */
struct tsh_model {
	/* Act like tsh_write_raw, and like mkdir(2) and rmdir(2) of an instance. Return 0 or
	 * -errno. */
	int (*write)(const struct tsh_instance *in, const char *path, bool truncate, const char *text);
	int (*make_instance)(struct tsh_dir *dir, const char *name);
	int (*remove_instance)(struct tsh_dir *dir, const char *name);
	/* Returns 1 when the model has made the instance, -1 when it has removed it, 0 when only
	 * the kernel knows. */
	int (*has_instance)(const struct tsh_dir *dir, const char *name);
	/* Returns 1 when out has the text that the file would have, 0 when only the kernel knows,
	 * or -errno. */
	int (*read)(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out);
	/* Returns 1 when the file would exist, -1 when it would not, 0 when only the kernel
	 * knows. */
	int (*exists)(const struct tsh_instance *in, const char *path);
	/* Adds the names that the model has made in a directory; those in the kernel's directory
	 * are not added. */
	void (*list)(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
	/* Says whether a write to the file was modelled. */
	bool (*is_written)(const struct tsh_instance *in, const char *path);
};

/* Lists what a backend does. A callback may be NULL when it has nothing to do. */
struct tsh_backend {
	/* Acts like tsh_file_write, which has already checked that the file may be written, and has
	 * converted the text by tsh_write_text. */
	int (*write)(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		     struct tsh_err *err);
	/* Checks, before anything is changed, that the change can be recorded. Returns 0, or -1
	 * with err. */
	int (*may_begin)(const struct tsh_dir *dir, struct tsh_err *err);
	/* Is called before mkdir(2) of an instance. own: it belongs to this session only. */
	void (*begin_instance)(struct tsh_dir *dir, const char *name, bool own);
	/* Is called after mkdir(2). made: the instance exists now; identity: its inode, or 0 when
	 * unknown. */
	void (*end_instance)(struct tsh_dir *dir, bool made, uint64_t identity);
	/* Is called when an instance was removed, with all its settings. */
	void (*forget_instance)(struct tsh_dir *dir, const char *name);
	/* Frees what the backend holds for the folder. */
	void (*close)(struct tsh_dir *dir);
	const struct tsh_model *model;	/* NULL: writes go to the kernel */
};

/* Returns the model of a folder's backend, or NULL when writes go to the kernel. dir may be
 * NULL. */
const struct tsh_model *tsh_dir_model(const struct tsh_dir *dir);

#endif
