/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_OTHERS_H
#define TRACESH_KERNEL_JOURNAL_OTHERS_H

#include "journal.h"

/* The journals of other sessions of this tracefs, as far as their files show them. */

struct tsh_other {
	const struct tsh_dir *dir;	/* of whoever reads it; borrowed */
	char *name;			/* of its file */
	unsigned int place;		/* whose folder it is in */
	ino_t inode;
	size_t read;			/* so much of the file is in .journal */
	bool is_seen;			/* while they are read */
	bool is_here;			/* of this boot and this tracefs */
	struct tsh_journal_owner owner;
	struct tsh_journal *journal;
	struct tsh_strbuf told;		/* lines of tsh_other_prepare */
};
struct tsh_others {
	struct tsh_other *v;
	size_t n, cap;
	char boot[40];			/* tsh_boot_id */
};

/*
 * Reads what is new in them; without the lock of tsh_write_lock it may be old a moment later.
 * j: whose others they are; it keeps them.
 */
struct tsh_others *tsh_others_read(const struct tsh_dir *dir, struct tsh_journal *j);
void tsh_others_free(struct tsh_others *others);
/* Says whether its session, its guard, or who recovers it, holds the file's lock. */
bool tsh_other_lives(const struct tsh_other *other);

/* One entry of theirs: .number stays right when an entry is inserted before it. */
struct tsh_other_entry {
	struct tsh_other *other;
	unsigned int number;
	int64_t at;
};
struct tsh_other_entries { struct tsh_other_entry *v; size_t n, cap; };
/* NULL when it is gone. */
struct tsh_journal_entry *tsh_other_entry(const struct tsh_other_entry *e);
/* Append to their journal, with the lock of tsh_write_lock: what they take back before the entry; what the entry goes
 * back to; that n entries are gone; that the kernel may have listed children in a list. 0 or -errno. */
int tsh_other_inherit(const struct tsh_other_entry *e, const struct tsh_journal_entry *entry);
int tsh_other_amend(const struct tsh_other_entry *e, const char *before);
int tsh_other_drop(struct tsh_other *other, const unsigned int *numbers, size_t n);
int tsh_other_note_forks(struct tsh_other *other, unsigned int number);
/*
 * Makes room for telling them what the entry, which is there, goes back to; kept: since somebody keeps what it has set.
 * In .journal it is so from now on, in their file when tsh_other_tell has appended all of it. Both: 0 or -errno.
 */
int tsh_other_prepare(const struct tsh_other_entry *e, const char *before, bool kept);
int tsh_other_tell(struct tsh_other *other);
/* Forgets what was prepared: reads all of them anew. */
void tsh_others_forget(const struct tsh_dir *dir, struct tsh_journal *j);

/* ---- what is left over: unclaimed.c ---- */

/*
 * Say whether no session that can be seen has to do with an instance of that name, or with a group of probes: nobody
 * holds it, and it stands in no journal of one that lives. Whose number its name has says nothing here.
 */
bool tsh_instance_is_nobodys(struct tsh_dir *dir, const char *name);
bool tsh_probe_is_nobodys(struct tsh_dir *dir, const char *group);
/* Says whether a probe of the group, or the synthetic event "synthetic/NAME", stands in a journal. */
bool tsh_probe_stands_in(const struct tsh_journal *j, const char *group);

#endif
