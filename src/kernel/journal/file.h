/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_FILE_H
#define TRACESH_KERNEL_JOURNAL_FILE_H

/* Writes and reads journal files, whose format is in kernel/journal/journal.h. */

#include <sys/stat.h>

#include "journal.h"
#include "log.h"

/* Counts the folders of journals; the second one is used when the first one is full, or cannot be
 * used. */
#define TSH_JOURNAL_PLACES 2
#define TSH_JOURNAL_SUFFIX ".journal"
/* Is the mode of a journal before its first setting; afterwards it is 0600. */
#define TSH_JOURNAL_NOT_BEGUN 0200

/*
 * Holds an open, locked journal file. When the file cannot be extended, the journal moves to the
 * next folder. Records that no folder has room for go into memory, which the guard can read, too,
 * and to the disk as soon as there is room.
 */
struct tsh_journal_file {
	struct tsh_journal_log disk;
	unsigned int place;	/* number of the folder that has it */
	char *name;		/* file name; NULL: only in memory */
	struct tsh_journal_memory *memory;	/* NULL: no memory could be had */
	bool lost;		/* memory was full, too: later records are not stored */
	bool loaded;		/* from another process: lost records are not reported */
	bool lacks_gone;	/* a record "gone" did not fit on the disk */
	size_t read;		/* offset up to which records of other sessions were read */
};

/* Returns the path of a folder of journals, by its number. */
const char *tsh_journal_folder(unsigned int place);
/* Says whether a folder belongs to us, and nobody else can write to it, as journals need. */
bool tsh_journal_dir_is_ours(const struct stat *st);
/* Opens a folder of journals; create: makes it when it is missing. Returns a descriptor, or -errno:
 * -EPERM when it does not belong to us, or others can write to it. */
int tsh_journal_dir_open(unsigned int place, bool create);
/* Opens and locks the file to which a journal has moved. Returns a descriptor, or -errno. */
int tsh_journal_open_moved(const struct tsh_journal_file *from);
/* Makes the journal's file when there is none yet: creates and locks it, and writes its header.
 * Returns false when records can be stored nowhere, which is reported once. */
bool tsh_journal_file_open(struct tsh_journal *j, const struct tsh_dir *dir);
/* Reads the journal from a file. Owns the file from now on: closes it on an error. Returns 0, or -1
 * with err. */
int tsh_journal_load(struct tsh_journal_file *file, struct tsh_journal_owner *ret_owner,
		     struct tsh_journal **ret, struct tsh_err *err);
/* Appends the text of the file to *out. Returns 0, or -errno: -EFBIG beyond 256 MB. */
int tsh_journal_read(int fd, struct tsh_strbuf *out);
/* Closes the file, and unlinks it when `remove`. file may be NULL. */
void tsh_journal_file_close(struct tsh_journal_file *file, bool remove);

/* Append one record each. */
void tsh_journal_file_append_command(struct tsh_journal *j, const struct tsh_journal_command *command);
void tsh_journal_file_append_entry(struct tsh_journal *j, const struct tsh_journal_entry *entry);
void tsh_journal_file_append_done(struct tsh_journal *j, const struct tsh_journal_entry *entry);
/* Appends a record "gone" for each of n numbers, in one write(2), so that a kill cannot separate
 * entries that were undone together. */
void tsh_journal_file_append_gone(struct tsh_journal *j, const unsigned int *numbers, size_t n);
/* Appends one record with the remaining entries, when the disk had no room for records "gone". Such
 * a short record always has room. Returns 0, or -errno. */
int tsh_journal_file_append_left(struct tsh_journal *j);
/* Append one record each. */
void tsh_journal_file_append_back(struct tsh_journal *j, unsigned int number);
void tsh_journal_file_append_forks(struct tsh_journal *j, unsigned int number);
/* Appends the record "keep". but: the numbers of entries that are not kept, separated by blanks.
 * Returns 0, or -errno when it cannot be stored. */
int tsh_journal_file_commit(struct tsh_journal *j, const char *but);

/*
 * Append lines for another session's journal to `lines`; the caller holds tsh_write_lock.
 * tsh_journal_inherit hands over `entry`, with the given number; that session undoes it after its
 * own entry `over` (or by its time: TSH_JOURNAL_BY_TIME). tsh_journal_amend sets the text that its
 * entry `number` is to restore; kept: because we keep our value. tsh_journal_append_forks says that
 * the kernel may have added children to the list of its entry. tsh_journal_append_gone says that n
 * entries are not to be undone any more; by_other: another session writes this.
 */
void tsh_journal_inherit(struct tsh_strbuf *lines, unsigned int number, unsigned int over,
			 const struct tsh_journal_entry *entry);
void tsh_journal_amend(struct tsh_strbuf *lines, unsigned int number, const char *before, bool kept);
void tsh_journal_append_forks(struct tsh_strbuf *lines, unsigned int number);
void tsh_journal_append_gone(struct tsh_strbuf *lines, const unsigned int *numbers, size_t n, bool by_other);
/* Reserve space for `len` bytes in another session's open file, and append lines to it, all or
 * none. Return 0 or -errno; -ENOENT when it was removed. */
int tsh_journal_reserve(int fd, size_t len);
int tsh_journal_append(int fd, const struct tsh_strbuf *lines);
/* Says whether other sessions have appended records that are not read yet. */
bool tsh_journal_has_news(struct tsh_journal *j);
/* Reads the whole lines of a journal's file from *offset on, and advances *offset. The first line
 * is its header. */
void tsh_journal_read_from(struct tsh_journal *j, int fd, size_t *offset,
			   struct tsh_journal_owner *owner);

#endif
