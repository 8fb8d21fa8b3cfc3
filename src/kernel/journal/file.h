/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_FILE_H
#define TRACESH_KERNEL_JOURNAL_FILE_H

/* Stands between the journal and its file, whose format is in kernel/journal/journal.h. */

#include <sys/stat.h>

#include "journal.h"
#include "log.h"

/* The folders of journals: the second one is for what the first one has no room for. */
#define TSH_JOURNAL_PLACES 2
#define TSH_JOURNAL_SUFFIX ".journal"
/* The mode of a journal until its session may make the first setting; then it is 0600. */
#define TSH_JOURNAL_NOT_BEGUN 0200

/*
 * An open, locked file. When it cannot take a record, it moves to the next place. What no place can hold
 * goes into memory, which the guard reads, too, and to the disk as soon as there is room.
 */
struct tsh_journal_file {
	struct tsh_journal_log disk;
	unsigned int place;	/* whose folder it is in */
	char *name;		/* there; NULL: there is only memory */
	struct tsh_journal_memory *memory;	/* NULL: there is none */
	bool lost;		/* memory could not take a record either: nothing follows */
	bool loaded;		/* another process has written it: what no longer fits is no loss */
	bool unsaid;		/* the disk had no room for it that an entry is gone */
	size_t read;		/* of the disk: up to here it was looked for what others have appended */
};

/* Gives the path of a place's folder. */
const char *tsh_journal_folder(unsigned int place);
/* Check that a folder is ours, and that nobody else can write to it: for journals, which are 0600. */
bool tsh_journal_dir_is_ours(const struct stat *st);
/* Opens it; create: it is made when it is missing. A descriptor, or -errno: -EPERM when it is not
 * ours, or others can write to it. */
int tsh_journal_dir_open(unsigned int place, bool create);
/* Opens and locks the file that a journal has moved to. A descriptor, or -errno. */
int tsh_journal_open_moved(const struct tsh_journal_file *from);
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
/* Appends a record for each of n numbers, in one write: a kill in between would leave a part of what goes back as one. */
void tsh_journal_file_gone(struct tsh_journal *j, const unsigned int *numbers, size_t n);
/* Says it of all at once, by what is left, where the disk had no room for that: what a mark needs it has. 0, or
 * -errno. */
int tsh_journal_file_left(struct tsh_journal *j);
void tsh_journal_file_back(struct tsh_journal *j, unsigned int number);
void tsh_journal_file_forks(struct tsh_journal *j, unsigned int number);
/* but: the numbers of entries that are not kept, with blanks between. 0; or -errno: it cannot be recorded. */
int tsh_journal_file_keep(struct tsh_journal *j, const char *but);

/*
 * Between sessions, with the lock of tsh_write_lock: add the lines that another one's journal gets. inherit: `entry` goes
 * before its entry `over` (or TSH_JOURNAL_BY_TIME), with the number given; amend: its entry `number` goes back to
 * `before`, kept: since we keep the same; forks: the kernel may have listed children in the list of its entry;
 * gone: n of its entries are; told: it did not do so itself.
 */
void tsh_journal_inherit(struct tsh_strbuf *lines, unsigned int number, unsigned int over,
			 const struct tsh_journal_entry *entry);
void tsh_journal_amend(struct tsh_strbuf *lines, unsigned int number, const char *before, bool kept);
void tsh_journal_forks(struct tsh_strbuf *lines, unsigned int number);
void tsh_journal_gone(struct tsh_strbuf *lines, const unsigned int *numbers, size_t n, bool told);
/* Make room for so many bytes in another one's open file; append lines to it, all or none. 0 or -errno: ENOENT when it
 * was removed. */
int tsh_journal_reserve(int fd, size_t len);
int tsh_journal_append(int fd, const struct tsh_strbuf *lines);
/* Says whether others have appended something that is not taken up yet. */
bool tsh_journal_was_told(struct tsh_journal *j);
/* Reads on in a journal's file, from *offset, all whole lines. The first one is its header. */
void tsh_journal_read_on(struct tsh_journal *j, int fd, size_t *offset,
			 struct tsh_journal_owner *owner);

#endif
