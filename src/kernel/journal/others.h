/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_OTHERS_H
#define TRACESH_KERNEL_JOURNAL_OTHERS_H

#include "journal.h"

/* Holds the journal of another session of this tracefs, as far as it is in its file. */

struct tsh_other {
	const struct tsh_dir *dir;	/* directory of the session that reads it; borrowed */
	char *name;			/* file name */
	unsigned int place;		/* number of the folder that has it */
	ino_t inode;
	size_t read;			/* bytes of the file that are in .journal */
	bool is_found;			/* found by the present scan */
	bool is_same_tracefs;		/* of this boot and this tracefs */
	struct tsh_journal_owner owner;
	struct tsh_journal *journal;
	struct tsh_strbuf prepared;	/* lines prepared by tsh_other_prepare */
};
struct tsh_others {
	struct tsh_other *v;
	size_t n, cap;
	char boot[40];			/* tsh_boot_id */
};

/* Reads the new records of all other journals; they can change at any time, unless the caller holds
 * tsh_write_lock. j: our journal, which owns the result. */
struct tsh_others *tsh_others_read(const struct tsh_dir *dir, struct tsh_journal *j);
void tsh_others_free(struct tsh_others *others);
/* Says whether a process holds the file's lock: its session, its guard, or recover. */
bool tsh_other_is_alive(const struct tsh_other *other);

/* Names an entry of another journal by number, since inserting entries moves it. */
struct tsh_other_entry {
	struct tsh_other *other;
	unsigned int number;
	int64_t at;
};
struct tsh_other_entries { struct tsh_other_entry *v; size_t n, cap; };
/* Returns the entry, or NULL when it no longer exists. */
struct tsh_journal_entry *tsh_other_entry(const struct tsh_other_entry *e);
/*
 * Append to another session's journal; the caller holds tsh_write_lock. tsh_other_inherit hands
 * over an entry, which that session undoes after e. tsh_other_amend sets the value that e is to
 * restore. tsh_other_drop says that n entries are not to be undone any more. tsh_other_note_forks
 * says that the kernel may have added children to a list. Return 0 or -errno.
 */
int tsh_other_inherit(const struct tsh_other_entry *e, const struct tsh_journal_entry *entry);
int tsh_other_amend(const struct tsh_other_entry *e, const char *before);
int tsh_other_drop(struct tsh_other *other, const unsigned int *numbers, size_t n);
int tsh_other_note_forks(struct tsh_other *other, unsigned int number);
/* Reserve space for a record that sets the value that the entry e is to restore; e must exist.
 * kept: somebody keeps what he has set. tsh_other_prepare changes .journal at once;
 * tsh_other_append appends all prepared records to the file. Return 0 or -errno. */
int tsh_other_prepare(const struct tsh_other_entry *e, const char *before, bool kept);
int tsh_other_append(struct tsh_other *other);
/* Drops all prepared records by reading all journals again. */
void tsh_others_read_again(const struct tsh_dir *dir, struct tsh_journal *j);

/* ---- what ended sessions left behind: unclaimed.c ---- */

/* Say whether no session uses an instance of that name, or a group of probes: nobody holds its
 * lock, and no running session has it in its journal. Say false when not all processes can be seen,
 * and for an instance that is not named tracesh-PID-N. Do not look for a process with that PID. */
bool tsh_instance_is_unused(struct tsh_dir *dir, const char *name);
bool tsh_probe_is_unused(struct tsh_dir *dir, const char *group);
/* Says whether a probe of the group, or the synthetic event "synthetic/NAME", is in a journal. */
bool tsh_journal_has_probe(const struct tsh_journal *j, const char *group);

#endif
