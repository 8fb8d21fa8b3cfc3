/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_INTERNAL_H
#define TRACESH_KERNEL_DRYRUN_INTERNAL_H

/* Declares the state of a dry run, which its files share. */

#include "dryrun.h"
#include "kernel/tracefs/event.h"

struct tsh_dry_file {
	char *path;		/* below the top: "instances/x/trace_clock" */
	char *text;		/* its modelled text, without the last newline */
};

struct tsh_dry_run {
	struct tsh_strbuf script;
	bool silent;			/* writes are not appended to the script */
	unsigned int needs;		/* functions that it calls, enum tsh_sh_function */
	unsigned int written_functions;	/* functions that it has already; enum tsh_sh_function */
	const char *after;		/* line after those of the command; NULL: none */
	/* Lists the calls that can be undone, numbered as in the script, each with the number of
	 * its journal entry. */
	TSH_VEC(unsigned int) calls;
	TSH_VEC(struct tsh_dry_file *) files; /* in the order of their first writes */
	void *by_path;			/* the same files: a tree of tsearch(3) */
	struct tsh_strlist made;	/* instances */
	struct tsh_strlist gone;
	struct tsh_events events;	/* of probes that the session made */
	struct tsh_events no_events;	/* of probes that it removed */
};

/* ---- model.c: the result that a write would have ---- */

/* Models a write. Returns 0, or -errno when the kernel would refuse it. */
int tsh_dry_model(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* Returns the modelled text of a file, or NULL when it was not written. */
const char *tsh_dry_text(const struct tsh_instance *in, const char *path);
/* Sets the modelled text of a file, and owns `text`. */
void tsh_dry_set_text(const struct tsh_instance *in, const char *path, char *text);
/* Drops all files of an instance. */
void tsh_dry_drop_instance(struct tsh_dry_run *dry, const char *name);
/* Drops all files, and frees them. */
void tsh_dry_release_files(struct tsh_dry_run *dry);
/* Appends the text of set_event, given its old text, each line with a newline. */
void tsh_dry_add_enabled(const struct tsh_instance *in, const char *text, struct tsh_strbuf *out);

#endif
