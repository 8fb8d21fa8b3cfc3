/* tracesh/journal.h - what was changed, and the way back (src/tracefs) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_JOURNAL_H
#define TRACESH_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracesh/err.h"
#include "tracesh/tracefs.h"
#include "tracesh/vec.h"

enum tsh_journal_op { TSH_JOURNAL_WRITE, TSH_JOURNAL_MKDIR };

/* One write: enough to take it back, and to see that it is still ours. */
struct tsh_journal_entry {
	unsigned int command;		/* number of the command that wrote it */
	enum tsh_journal_op op;
	char *instance;			/* NULL: top */
	char *path;			/* empty for MKDIR */
	enum tsh_write_how how;
	char *before;			/* the file's text before; NULL: no way back */
	char *text;			/* what was written */
	char *after;			/* the file's text after */
	bool own;			/* the session's own instance: not counted */
};

struct tsh_journal_command {
	unsigned int number;
	char *text;			/* as typed */
};

struct tsh_journal {
	TSH_VEC(struct tsh_journal_entry) entries;
	TSH_VEC(struct tsh_journal_command) commands;
	unsigned int last_command;
	unsigned int own_instances;	/* made so far: for their names */
};

/* What taking back did; zeroed before use. */
struct tsh_undo_report {
	unsigned int commands;
	unsigned int settings;		/* taken back */
	struct tsh_strlist problems;	/* "FILE: changed by somebody else since" */
};
void tsh_undo_report_release(struct tsh_undo_report *report);

struct tsh_journal *tsh_journal_new(void);
void tsh_journal_free(struct tsh_journal *j);
/* A command begins: the writes until the next one are its. */
void tsh_journal_begin(struct tsh_journal *j, const char *text);
/* Commands with writes that can be taken back, and those writes. */
unsigned int tsh_journal_commands(const struct tsh_journal *j);
unsigned int tsh_journal_settings(const struct tsh_journal *j);
/* The number of the newest command, to come back to with tsh_journal_undo_to. */
unsigned int tsh_journal_mark(const struct tsh_journal *j);
/* Takes back everything newer than the mark, newest first. Values that are no
 * longer ours are left and reported. */
void tsh_journal_undo_to(struct tsh_dir *dir, unsigned int mark, struct tsh_undo_report *report);
/* Takes the last `count` commands that wrote something back. */
void tsh_journal_undo(struct tsh_dir *dir, unsigned int count, struct tsh_undo_report *report);
/* COMMIT: forgets the way back. */
void tsh_journal_keep(struct tsh_journal *j);
/* Forgets the writes to an instance that is gone. */
void tsh_journal_forget_instance(struct tsh_journal *j, const char *name);

/* For the file layer: adds an entry (its strings are taken over), newest last. */
struct tsh_journal_entry *tsh_journal_add(struct tsh_journal *j, const struct tsh_instance *in,
					  const char *path);
void tsh_journal_drop_last(struct tsh_journal *j);

#endif
