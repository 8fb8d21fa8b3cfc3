/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_INTERNAL_H
#define TRACESH_KERNEL_DRYRUN_INTERNAL_H

/* What a dry run holds, and how its two halves talk. */

#include "dryrun.h"
#include "kernel/tracefs/event.h"

struct tsh_dry_file {
	char *path;		/* below the top: "instances/x/trace_clock" */
	char *text;		/* that it would read, without the last newline */
};

struct tsh_dry_run {
	struct tsh_strbuf script;
	bool silent;			/* what is written is not put into it */
	unsigned int needs;		/* functions of it, enum tsh_sh_function */
	unsigned int given;		/* those that it has */
	const char *after;		/* a line behind that of the command; NULL: none */
	/* Its calls that can be taken back, as the script counts them: each the number of the
	 * journal's entry that it stands for. */
	TSH_VEC(unsigned int) calls;
	TSH_VEC(struct tsh_dry_file *) files; /* in the order of their first writes */
	void *by_path;			/* the same: a tree of tsearch(3) */
	struct tsh_strlist made;	/* instances */
	struct tsh_strlist gone;
	struct tsh_events events;	/* of probes that the session made */
	struct tsh_events no_events;	/* of those that it took away */
};

/* ---- model.c: what the kernel would make of a write ---- */

/* 0, or -errno when the kernel would refuse it. */
int tsh_dry_model(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* What was written, or NULL. */
const char *tsh_dry_text(const struct tsh_instance *in, const char *path);
/* Takes `text` over. */
void tsh_dry_put(const struct tsh_instance *in, const char *path, char *text);
/* Forgets all that was written to the instance. */
void tsh_dry_drop_instance(struct tsh_dry_run *dry, const char *name);
/* Forgets all files, and frees them. */
void tsh_dry_release_files(struct tsh_dry_run *dry);
/* Appends what set_event would read of the lines that it had, each with its newline. */
void tsh_dry_add_enabled(const struct tsh_instance *in, const char *text, struct tsh_strbuf *out);

#endif
