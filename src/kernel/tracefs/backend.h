/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_BACKEND_H
#define TRACESH_KERNEL_TRACEFS_BACKEND_H

#include "tracefs.h"

/*
 * Takes what is written to a folder. There are three: the plain one (write.c) writes, and no way back is kept; the
 * journaled one (kernel/journaled) keeps it in dir->journal; the script (kernel/dryrun) does so, too, but makes lines
 * of sh in dir->dry of what would be written. Whoever opens a session hands it in.
 */

/*
 * Stands in for the kernel, which sees none of the writes: they become something else, and what the files would read
 * then is remembered.
 */
struct tsh_model {
	/* As tsh_write_raw; as mkdir(2) and rmdir(2) of an instance. 0 or -errno. */
	int (*write)(const struct tsh_instance *in, const char *path, bool truncate, const char *text);
	int (*make_instance)(struct tsh_dir *dir, const char *name);
	int (*remove_instance)(struct tsh_dir *dir, const char *name);
	/* 1: it has made the instance; -1: it has removed it; 0: ask the kernel. */
	int (*has_instance)(const struct tsh_dir *dir, const char *name);
	/* 1: out has what the file would read; 0: ask the kernel; -errno. */
	int (*read)(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out);
	/* 1: it would be there; 0: ask the kernel; -1: it would not. */
	int (*exists)(const struct tsh_instance *in, const char *path);
	/* Adds the names that would be in the directory besides those that are. */
	void (*list)(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
	/* Says whether the file was written. */
	bool (*is_written)(const struct tsh_instance *in, const char *path);
};

/* A callback that is NULL has nothing to do. */
struct tsh_backend {
	/* As tsh_file_write, which has looked whether the file may be written, and has spelled the text as the kernel
	 * reads it. */
	int (*write)(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		     struct tsh_err *err);
	/* Before anything is changed: 0, or -1 with err, as it could not be taken back. */
	int (*may_begin)(const struct tsh_dir *dir, struct tsh_err *err);
	/* Before mkdir(2) of an instance, and after it: made: it is there, with that identity (0: it is not known). */
	void (*begin_instance)(struct tsh_dir *dir, const char *name, bool own);
	void (*end_instance)(struct tsh_dir *dir, bool made, uint64_t identity);
	/* An instance is gone, and all that was set in it. */
	void (*forget_instance)(struct tsh_dir *dir, const char *name);
	/* Frees what it holds for the folder. */
	void (*close)(struct tsh_dir *dir);
	const struct tsh_model *model;	/* NULL: the kernel is written to */
};

/* Gives the model of a folder's backend; NULL: the kernel is written to. dir may be NULL. */
const struct tsh_model *tsh_dir_model(const struct tsh_dir *dir);

#endif
