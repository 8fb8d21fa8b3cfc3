/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_JOURNAL_FILE_H
#define TRACESH_TRACEFS_JOURNAL_FILE_H

/* Between the journal and its file, whose format is in tracesh/journal.h. */

#include "journal-log.h"
#include "tracesh/journal.h"

#define TSH_JOURNAL_PARENT "/run"
#define TSH_JOURNAL_DIR TSH_JOURNAL_PARENT "/tracesh"
#define TSH_JOURNAL_SUFFIX ".journal"
/* The mode of a journal until its session may make the first setting; then it is 0600. */
#define TSH_JOURNAL_NOT_BEGUN 0200

/*
 * An open, locked file. What the disk cannot hold goes into memory, which the guard reads, too,
 * and to the disk as soon as there is room.
 */
struct tsh_journal_file {
	struct tsh_journal_log disk;
	char *name;		/* in TSH_JOURNAL_DIR; NULL: there is only memory */
	struct tsh_journal_memory *memory;	/* NULL: there is none */
	bool lost;		/* memory could not take a record either: nothing follows */
	bool loaded;		/* another process has written it: what no longer fits is no loss */
};

/* Opens /run/tracesh, which is made when it is missing. A descriptor, or -errno:
 * -EPERM when it is not ours alone. */
int tsh_journal_dir_open(bool create);
/* The journal's file; made, locked and begun when there is none yet. False: there is
 * none to be had, which is said once. */
bool tsh_journal_file_open(struct tsh_journal *j, const struct tsh_dir *dir);
/* Reads the journal of a file, which is taken over in any case. 0, or -1 with err. */
int tsh_journal_load(struct tsh_journal_file *file, struct tsh_journal_owner *ret_owner,
		     struct tsh_journal **ret, struct tsh_err *err);
/* Appends all that can be read of the file to *out. 0, or -errno: EFBIG beyond 256 MB. */
int tsh_journal_read(int fd, struct tsh_strbuf *out);
/* Unlinked when `remove`. file may be NULL. */
void tsh_journal_file_close(struct tsh_journal_file *file, bool remove);

/* One record each. */
void tsh_journal_file_command(struct tsh_journal *j, const struct tsh_journal_command *command);
void tsh_journal_file_entry(struct tsh_journal *j, const struct tsh_journal_entry *entry);
void tsh_journal_file_done(struct tsh_journal *j, const struct tsh_journal_entry *entry);
void tsh_journal_file_gone(struct tsh_journal *j, unsigned int number);
void tsh_journal_file_keep(struct tsh_journal *j);

#endif
