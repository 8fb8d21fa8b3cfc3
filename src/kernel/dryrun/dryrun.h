/* kernel/dryrun/dryrun.h - the writes of a session as a script of sh */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_DRYRUN_H
#define TRACESH_KERNEL_DRYRUN_DRYRUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "kernel/tracefs/tracefs.h"

struct tsh_dry_run;

/*
 * Starts a script for all writes to the folder from now on, and a journal of them. Each write
 * becomes a line for the POSIX shell. The text that the file would have is remembered, so that
 * later commands of the session read it.
 */
void tsh_dry_run_open(struct tsh_dir *dir);

/* Returns the script so far, in whole lines; the caller may remove them. */
struct tsh_strbuf *tsh_dry_run_script(struct tsh_dry_run *dry);
/* Appends each line of the text as a comment. */
void tsh_dry_run_comment(struct tsh_dry_run *dry, const char *text);

/* Lists the functions that a script can call. */
enum tsh_sh_function {
	TSH_SH_FIND = 1 << 0, /* not a function: sets $TRACEFS */
	TSH_SH_UNDO = 1 << 1, /* changes FILE, undo_to N; also used at the end */
	TSH_SH_PUT = 1 << 2, /* put FILE TEXT */
	TSH_SH_SIZE = 1 << 3, /* size FILE KB, subbuf FILE KB */
	TSH_SH_LINES = 1 << 4, /* functions that list and add share */
	TSH_SH_LIST = 1 << 5, /* list FILE [WORD..], more FILE WORD.. */
	TSH_SH_ADD = 1 << 6, /* add FILE LINE */
	TSH_SH_MAKE = 1 << 7, /* make INSTANCE */
	TSH_SH_REMOVE = 1 << 8, /* remove INSTANCE */
	TSH_SH_PAUSE = 1 << 9, /* pause SECONDS [SECONDS] */
	TSH_SH_TASKS = 1 << 10, /* these_tasks list|more|less FILE TASK.. */
	/* own_begin, own_here DIR, own_end, without_us; follow DIR N SECONDS FILE, program DIR
	 * its|all PROGRAM [ARG]..; finish */
	TSH_SH_OWN = 1 << 11,
	TSH_SH_OPTION = 1 << 12, /* option FILE NAME */
	TSH_SH_DROP = 1 << 13, /* drop FILE [ACTION] */
	TSH_SH_CPUS = 1 << 14, /* all_cpus FILE */
};

/* Says that the script calls functions, bits of enum tsh_sh_function. */
void tsh_dry_run_use(struct tsh_dry_run *dry, unsigned int functions);
/* Appends lines that set $TRACEFS and define the functions that the script calls, to out; leaves
 * out those of earlier calls. */
void tsh_dry_run_functions(struct tsh_dry_run *dry, struct tsh_strbuf *out);

/* Marks each word that is written to a list of tasks as a task of the machine where the script
 * runs, by number or name. */
#define TSH_TASK_MARK '@'
/* Marks such a task that is removed from the list. */
#define TSH_TASK_LESS '\1'

/* Is written to an event's trigger file to remove all triggers that exist where the script runs. */
#define TSH_TRIGGERS_ALL "!\1"
/* Is written to tracing_cpumask to set all CPUs of the machine where the script runs. */
#define TSH_CPUS_ALL "all"

/* Sets a line (static text) to be appended after the lines of the present command, for commands
 * that handle signals themselves. */
void tsh_dry_run_set_after(struct tsh_dry_run *dry, const char *line);
/* Returns that line once; NULL when there is none. */
const char *tsh_dry_run_pop_after(struct tsh_dry_run *dry);

/* Holds a position in the script. */
struct tsh_dry_mark {
	size_t script, calls;
};
/* Returns the present position. */
struct tsh_dry_mark tsh_dry_run_mark(const struct tsh_dry_run *dry);
/* Removes everything behind a position. */
void tsh_dry_run_forget(struct tsh_dry_run *dry, struct tsh_dry_mark mark);

/* Enclose an undo by the journal. In the script it becomes one call, because only the machine where
 * it runs knows the old values. */
void tsh_dry_run_back_begin(struct tsh_dry_run *dry);
void tsh_dry_run_back_end(struct tsh_dir *dir);
/* Lets the script forget what it could undo. */
void tsh_dry_run_forget_back(struct tsh_dry_run *dry);

/* Appends a word of sh: '..', with apostrophes as '\''. */
void tsh_sh_quote(struct tsh_strbuf *out, const char *text);
/* Does the same, but without quotes when sh does not need them. */
void tsh_sh_word(struct tsh_strbuf *out, const char *text);
/* Appends "$TRACEFS"/FILE of the instance, as a word of the script, to out. */
void tsh_sh_path(struct tsh_strbuf *out, const struct tsh_instance *in, const char *path);

/* Remembers a line in a probe file, and the event that it makes, without a line in the script. */
void tsh_dry_run_add_probe_line(const struct tsh_instance *in, const char *path, const char *line);

#endif
