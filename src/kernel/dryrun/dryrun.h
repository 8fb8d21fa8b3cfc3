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
 * Begins a script for all that is written to the folder from now on, and its journal: each write becomes a line for
 * the POSIX shell, and what a file would read then is remembered, so that commands that look at it see what they have
 * done.
 */
void tsh_dry_run_open(struct tsh_dir *dir);

/* The script so far, whole lines; the caller may take it out of there. */
struct tsh_strbuf *tsh_dry_run_script(struct tsh_dry_run *dry);
/* A comment; each line of the text is one. */
void tsh_dry_run_comment(struct tsh_dry_run *dry, const char *text);

/* What the script can call. */
enum tsh_sh_function {
	TSH_SH_FIND = 1 << 0, /* no function: sets $TRACEFS */
	TSH_SH_UNDO = 1 << 1, /* changes FILE, undo_to N; at the end of the script, too */
	TSH_SH_PUT = 1 << 2, /* put FILE TEXT */
	TSH_SH_SIZE = 1 << 3, /* size FILE KB, subbuf FILE KB */
	TSH_SH_LINES = 1 << 4, /* what list and add share */
	TSH_SH_LIST = 1 << 5, /* list FILE [WORD..], more FILE WORD.. */
	TSH_SH_ADD = 1 << 6, /* add FILE LINE */
	TSH_SH_MAKE = 1 << 7, /* make INSTANCE */
	TSH_SH_REMOVE = 1 << 8, /* remove INSTANCE */
	TSH_SH_PAUSE = 1 << 9, /* pause SECONDS [SECONDS] */
	TSH_SH_TASKS = 1 << 10, /* these_tasks list|more|less FILE TASK.. */
	TSH_SH_OWN = 1 << 11, /* own_begin, without_us, own_end; follow DIR N SECONDS ON,
				 * program DIR PROGRAM [ARG]..; finish */
	TSH_SH_OPTION = 1 << 12, /* option FILE NAME */
	TSH_SH_DROP = 1 << 13, /* drop FILE [ACTION] */
	TSH_SH_CPUS = 1 << 14, /* all_cpus FILE */
};

/* It calls them (a set of enum tsh_sh_function). */
void tsh_dry_run_use(struct tsh_dry_run *dry, unsigned int functions);
/* Sets $TRACEFS, and defines the functions that the script calls, but for those that were asked
 * for before; appends to out. */
void tsh_dry_run_functions(struct tsh_dry_run *dry, struct tsh_strbuf *out);

/* Before each word that is written to a list of tasks: it is one of the machine where the script
 * runs, by number or name. */
#define TSH_TASK_MARK '@'
/* The same, and it goes out of the list. */
#define TSH_TASK_LESS '\1'

/* Written to an event's triggers: all of them go, whichever there are where the script runs. */
#define TSH_TRIGGERS_ALL "!\1"
/* Written to tracing_cpumask: all CPUs of the machine where the script runs. */
#define TSH_CPUS_ALL "all"

/* Of the command that is being added: a line behind its own, which are to hear signals
 * themselves; static text. */
void tsh_dry_run_after(struct tsh_dry_run *dry, const char *line);
/* It, once; NULL: there is none. */
const char *tsh_dry_run_take_after(struct tsh_dry_run *dry);

/* A place in the script, to come back to: what was added since is forgotten. */
struct tsh_dry_mark {
	size_t script, calls;
};
struct tsh_dry_mark tsh_dry_run_mark(const struct tsh_dry_run *dry);
void tsh_dry_run_forget(struct tsh_dry_run *dry, struct tsh_dry_mark mark);

/*
 * Between them the journal takes back; in the script that is a call, for only the machine where
 * it runs knows what was there before.
 */
void tsh_dry_run_back_begin(struct tsh_dry_run *dry);
void tsh_dry_run_back_end(struct tsh_dir *dir);
/* The script forgets its way back. */
void tsh_dry_run_keep(struct tsh_dry_run *dry);

/* A word of sh: '..', with apostrophes as '\''. */
void tsh_sh_quote(struct tsh_strbuf *out, const char *text);
/* The same, but left as it is where sh reads nothing into it. */
void tsh_sh_word(struct tsh_strbuf *out, const char *text);
/* "$TRACEFS"/FILE of the instance, as the script names it; appends to out. */
void tsh_sh_path(struct tsh_strbuf *out, const struct tsh_instance *in, const char *path);

/* What a probe file would read with this line in it, and the event that it makes, are there
 * from now on for whoever looks; nothing is put into the script. */
void tsh_dry_run_imagine(const struct tsh_instance *in, const char *path, const char *line);

#endif
