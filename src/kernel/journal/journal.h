/* kernel/journal/journal.h - what was changed, and the way back */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_JOURNAL_H
#define TRACESH_KERNEL_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"
#include "kernel/tracefs/tracefs.h"

struct tsh_journal_file;
struct tsh_others;

enum tsh_journal_op { TSH_JOURNAL_WRITE, TSH_JOURNAL_MKDIR };

/* One write: enough to take it back, and to see that it is still ours. */
struct tsh_journal_entry {
	unsigned int number;		/* ascending, never given twice */
	unsigned int command;		/* number of the command that wrote it */
	enum tsh_journal_op op;
	char *instance;			/* NULL: top */
	uint64_t identity;		/* the instance's; 0: not known */
	char *path;			/* empty for MKDIR */
	enum tsh_write_how how;
	char *before;			/* the file's text before; NULL: no way back */
	char *text;			/* what was written */
	char *after;			/* the file's text after; NULL: not known */
	bool own;			/* the session's own instance: not counted */
	bool recorded;			/* it stands in the journal's file */
	bool going_back;		/* somebody began to take it back, and perhaps has, before he was killed */
	bool forks;			/* of a list of tasks: the kernel may have listed children since */
	bool follows;			/* of a plan: because of an option of ours */
	bool left;			/* was not taken back: somebody else had changed it since */
	bool kept;			/* by another session: an instance, when it has set something there */
	bool unkept;			/* the next keep leaves it */
	bool held;			/* taken back at the end of the session only: what it stands in, its probes that a keep has left */
	int64_t at;			/* CLOCK_BOOTTIME of the kernel, ns: the order between sessions, and to tasks */
	uint32_t key;			/* of its setting; 0: not asked for yet */
};
/* Numbers from here on: entries that another session has handed over (src/kernel/sharing/share.h). */
#define TSH_JOURNAL_INHERITED 0x80000000u
/* The number of no entry: what is handed over goes where it belongs by its time. */
#define TSH_JOURNAL_BY_TIME 0u
struct tsh_journal_entries { struct tsh_journal_entry *v; size_t n, cap; };

struct tsh_journal_command {
	unsigned int number;
	int64_t time;			/* CLOCK_REALTIME, ns */
	char *text;			/* as typed */
	bool wrote;			/* it has entries, or had */
	bool recorded;
};

/* What the shell lends to the journal; each may be NULL. */
struct tsh_journal_hooks {
	void *ctx;
	/* Before the first write: the file's descriptor, -1: it is in memory, for somebody who
	 * takes the writes back when we are gone (tsh_journal_adopt). False: there is nobody. */
	bool (*begin)(void *ctx, int fd);
	/* In a process that was forked, which goes on by itself (tsh_journal_leave). */
	void (*leave)(void *ctx);
	/* Said once: why there is no file, or why it ends here. */
	void (*warn)(void *ctx, const char *text);
	/* Before a step back that erases the instance's events (enum tsh_erases). 0: go on, nothing unread
	 * gets lost; -1: leave the step, *why (the caller frees it) says for what reason. */
	int (*before_erasing)(void *ctx, struct tsh_instance *in, unsigned int what, char **why);
	/* Before a probe is removed, held is NULL: notes what all instances hold, as nobody knows which of them it
	 * erases. Afterwards, with what that gave: says what went. */
	void *(*removing)(void *ctx, const struct tsh_instance *in, void *held);
};

struct tsh_journal {
	struct tsh_journal_entries entries;	/* oldest first */
	struct tsh_journal_entries undone;	/* by command, the one to redo next last */
	TSH_VEC(struct tsh_journal_command) commands;
	unsigned int last_command;
	unsigned int last_entry;
	bool redoing;			/* a new change forgets what was undone, a redone one not */
	const struct tsh_journal_hooks *hooks;	/* borrowed; NULL: none */
	struct tsh_journal_file *file;	/* NULL before the first record; owned */
	/* Set when it was read from a file; the file then stays. */
	bool cut;			/* the file could not take what followed */
	unsigned int moved_to;		/* the place that it went on in; 0: none */
	bool damaged;			/* a line cannot be read, or is not whole */
	bool going_back;		/* an entry is */
	unsigned int inherited;		/* entries that others have handed over so far */
	struct tsh_others *others;	/* the journals of others, as far as they were read; owned */
};

/* What taking back did; zeroed before use. */
struct tsh_undo_report {
	unsigned int commands;
	unsigned int settings;		/* taken back */
	unsigned int were_so;		/* of these: they were as before already */
	unsigned int gone;		/* not of these: somebody else had done so already */
	struct tsh_strlist changes;	/* "buffer 2M -> 1410K": what went back */
	struct tsh_strlist problems;	/* "FILE: changed by somebody else since" */
	struct tsh_strlist notes;	/* what is not taken back, and need not be */
	struct tsh_strlist removed;	/* instances */
	bool erasing;			/* a problem is that unread events would be erased */
	TSH_VEC(unsigned int) back;	/* the commands of which something was taken back */
};
void tsh_undo_report_release(struct tsh_undo_report *report);
/* Says how much was taken back and what was gone already. The caller frees it. */
char *tsh_undo_report_counts(const struct tsh_undo_report *report);
/* Says how much was taken back, and which instances were removed; own: also those of commands. The caller frees it. */
char *tsh_undo_report_text(const struct tsh_undo_report *report, bool own);

struct tsh_journal *tsh_journal_new(void);
/* Removes the file, too, when it holds nothing that could be taken back. */
void tsh_journal_free(struct tsh_journal *j);
/* Whether it is whole, and holds nothing that could be taken back. */
bool tsh_journal_is_done(const struct tsh_journal *j);
/* Removes the file of one that is done. 1; 0: there is none, or it is not done; or -errno with its
 * path, which the caller frees. */
int tsh_journal_remove(struct tsh_journal *j, char **ret_path);
/* Says whether it has a file, which recover can read. */
bool tsh_journal_has_file(const struct tsh_journal *j);
/* A command begins: the writes until the next one are its. */
void tsh_journal_begin(struct tsh_journal *j, const char *text);
/* Its text and time; NULL when the journal does not know it. */
const struct tsh_journal_command *tsh_journal_command(const struct tsh_journal *j,
						      unsigned int number);
/* Takes up what other sessions have handed over since: true when there is something to take back. */
bool tsh_journal_catch_up(struct tsh_journal *j);
/* Says whether it has made an instance of that name. */
bool tsh_journal_makes(const struct tsh_journal *j, const char *instance);
/* Not instances of our own, nor what a trigger may do: a setting of the user's. */
bool tsh_journal_is_setting(const struct tsh_journal_entry *entry);
/* Says whether it is an instance that another session has handed over: it belongs to no command, stands
 * before all others, and goes when all of the journal does. */
bool tsh_journal_goes_last(const struct tsh_journal_entry *entry);
/* Those that undo has left as they are, since they were somebody else's by then, are counted
 * too: commands with writes that can be taken back, and those settings. */
unsigned int tsh_journal_commands(const struct tsh_journal *j);
unsigned int tsh_journal_settings(const struct tsh_journal *j);
/* Settings that can be kept: not the session's own probes, but instances that were handed over. */
unsigned int tsh_journal_lasting(const struct tsh_journal *j);
/* Says in a report what taking all of it back would change, what is gone already, and what would stay and why, as the
 * files read now (src/kernel/undo/foresee.c). */
void tsh_journal_changes(struct tsh_dir *dir, struct tsh_journal *j, struct tsh_undo_report *report);
/* The number of the newest command, to come back to with tsh_journal_undo_to. */
unsigned int tsh_journal_mark(const struct tsh_journal *j);
/* In a process that was forked: what its parent changed, and the file, are not ours. */
void tsh_journal_leave(struct tsh_journal *j);
/* COMMIT: forgets the way back. What other sessions had set before we asked for it stays, too, when
 * they end; where one cannot be told, ours is not kept, which is a problem of the report. all: an instance that was
 * handed over as well, where nothing of ours is in it. The report's settings are those that stay, instances that were
 * handed over among them. */
void tsh_journal_commit(struct tsh_dir *dir, struct tsh_journal *j, bool all, struct tsh_undo_report *report);
/* Forgets the way back of all entries but own ones and those that are unkept; without a word to others, or a record. */
void tsh_journal_keep(struct tsh_journal *j);
/* Forgets what was left because somebody else had changed it; how many settings. */
unsigned int tsh_journal_forget_left(struct tsh_journal *j);
/* Forgets the writes to an instance that is gone. */
void tsh_journal_forget_instance(struct tsh_journal *j, const char *name);

/* Gives the process of another session that lives and has set something in the instance; 0: there is none (src/kernel/sharing/share.c). */
pid_t tsh_journal_other_user(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in);
/* Gives how many settings such sessions have there; *ret_users: how many sessions. */
unsigned int tsh_journal_other_settings(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in,
					size_t *ret_users);

/* ---- taking back (src/kernel/undo/undo.c) ---- */

/*
 * Takes back everything newer than the mark: load off first (events that go off,
 * triggers), then filters, lists and the rest, probes after their users, events that
 * come on again, then what erases a buffer, and sizes of buffers last: those that sub-buffers of
 * others round are given to these, to be set once more. What one file went through is taken
 * back at once. A value that is no longer ours is left and reported, and stays in the
 * journal for the case that it is ours again, as what the kernel refuses does. Nothing of it
 * can be redone.
 */
void tsh_journal_undo_to(struct tsh_dir *dir, struct tsh_journal *j, unsigned int mark,
			 struct tsh_undo_report *report);
/*
 * The same of the last `count` commands that wrote something; they can be redone. What was
 * left before is tried again, and counts only where there is nothing else.
 */
void tsh_journal_undo(struct tsh_dir *dir, struct tsh_journal *j, unsigned int count,
		      struct tsh_undo_report *report);
/* Holds what is there now until the end: tsh_journal_undo leaves it. */
void tsh_journal_hold(struct tsh_journal *j);
/* The mark of the last `count` commands, for tsh_journal_undo_to. */
unsigned int tsh_journal_mark_of(const struct tsh_journal *j, unsigned int count);
/* Gives what one journal has read of others to the next that is taken back: each would read all of them. */
void tsh_journal_pass_others(struct tsh_journal *from, struct tsh_journal *to);
/* Entries that would be taken back as it stands now: without what was changed since by
 * somebody else, and what is back already (src/kernel/undo/ours.c). */
struct tsh_journal_ours {
	unsigned int settings;		/* without instances */
	unsigned int instances;		/* own ones, the user's, and those that were handed over */
	unsigned int theirs;		/* settings that somebody else has changed since */
};
void tsh_journal_count_ours(struct tsh_dir *dir, struct tsh_journal *j,
			    struct tsh_journal_ours *ret);
/* Writes an entry again, for redo. */
struct tsh_rewriter {
	/* Writes what an entry has written; returns as tsh_file_write does. */
	int (*write)(void *ctx, struct tsh_instance *in, const struct tsh_journal_entry *entry, struct tsh_err *err);
	void *ctx;
};
/*
 * Makes the last command that was taken back again (src/kernel/undo/redo.c). 1, 0 when there is nothing
 * to redo; -1 with err, and nothing of it is left. *ret_made: how many of its settings were not so already.
 */
int tsh_journal_redo(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_rewriter *w, unsigned int *ret_made,
		     struct tsh_err *err);

/*
 * Says what a place of journals (0: /run/tracesh, 1: /var/lib/tracesh) is in place of a folder that root alone can write
 * to, "/run/tracesh is a symbolic link", and in *ret_cure what mends it. NULL: it is one, is missing, or
 * cannot be seen. The caller frees both.
 */
char *tsh_journal_dir_wrong(unsigned int place, char **ret_cure);

/* ---- the file (file.c, load.c) ----
 *
 * /run/tracesh/PID-START.journal, or in /var/lib/tracesh where that has no room: lines "CRC TAB KIND TAB FIELD..", CRC the CRC-32 (as
 * zlib's) of what follows its TAB, in hex; in a field a backslash and what is below
 * 0x20 is \xNN, \N alone a field that is not there. The first line is
 *	tracesh-journal 1 BOOT_ID PID STARTTIME REALTIME_NS TRACEFS_DEV
 * and then, each before what it is about is done:
 *	command NUMBER REALTIME_NS TEXT
 *	write NUMBER COMMAND INSTANCE PATH set|add|clear|less|expected BEFORE TEXT IDENTITY AT
 *	mkdir NUMBER COMMAND INSTANCE own|user AT
 *	done NUMBER AFTER	it worked; of a mkdir: AFTER is the instance's identity
 *	gone NUMBER		it failed, or was taken back
 *	back NUMBER		is about to be taken back, to what it read before
 *	forks NUMBER		a list of tasks: the kernel may list children meanwhile
 *	keep [NUMBERS]		all before, but own instances and these entries, stays, or is back:
 *				there was no room for `gone`
 *	cut			the disk is full: what follows stands in memory, or nowhere
 *	whole			what was in memory stands before this
 *	moved PLACE		that is full: all of it, and what follows, is in /var/lib/tracesh (1)
 * and four that another session writes, under the lock that every write to tracefs is made
 * under (PATH is empty for an instance, which stands before all; OVER is the entry that another one stands before):
 *	inherit NUMBER OVER INSTANCE PATH set|add|clear|less|expected BEFORE TEXT IDENTITY AT AFTER
 *	amend NUMBER BEFORE	that is what the entry goes back to; with the field "kept": since the
 *				other one keeps it; of a mkdir: what it has set in the instance
 *	forks NUMBER told	as above: an option of the other one was, or is, on
 *	gone NUMBER told	as above: it was given to the other one before this one was killed
 * A write that is neither done nor gone was cut off: what it can have made is told from
 * its text.
 * Whoever works with it, tracesh or its guard, holds flock(2) on it: a file whose lock
 * is free is an orphan. Its mode is 0200 until the first setting can be made, then 0600; an
 * empty one of mode 0600 has lost its text, or has never had room for it.
 */

/* Who wrote a file. */
struct tsh_journal_owner {
	char boot_id[40];
	pid_t pid;
	uint64_t starttime;		/* tsh_process_start */
	int64_t time;			/* of its first record, CLOCK_REALTIME, ns */
	uint64_t device;		/* st_dev of its tracefs */
};

/* One that is gone, and whose journal another process works with: its guard, or recover. */
struct tsh_busy_orphan {
	pid_t owner;
	pid_t at_work;
};

/* A journal of a tracesh that is gone without taking back. */
struct tsh_orphan {
	char *name;			/* of its file */
	struct tsh_journal_owner owner;
	struct tsh_journal *journal;
};
struct tsh_orphans {
	struct tsh_orphan *v;
	size_t n, cap;
	struct tsh_strlist refused;	/* "PATH cannot be read (WHY)" */
	struct tsh_strlist given_up;	/* paths of journals that no tracesh can read, and are removed */
	struct tsh_strlist outlived;	/* paths of those of another boot, which are removed, or would be */
	size_t unreadable;		/* of the refused: that would be given up */
	TSH_VEC(struct tsh_busy_orphan) busy;
	unsigned int unseen;		/* somebody works with them whom we do not see */
	unsigned int more;		/* journals that were not looked at, since there are so many */
	int error;			/* errno: the folder cannot be read; 0: it can, or is not there */
};

/*
 * Those of this boot and this tracefs, oldest first, 200 at most. take is for recover alone: their files are
 * open and locked, so that nobody else takes them up, and those of another boot, whose settings
 * are gone, and those that were never begun, are removed. Otherwise nothing is changed.
 */
enum tsh_orphans_take {
	TSH_ORPHANS_LOOK,
	TSH_ORPHANS_TAKE,
	TSH_ORPHANS_FORGET,	/* and removes files of ours alone that are no journals, those of
				 * that process where a number is given, not 0 */
};
void tsh_orphans_find(const struct tsh_dir *dir, enum tsh_orphans_take take, pid_t forget_pid,
		      struct tsh_orphans *ret);
/*
 * Other such folders, in the mount namespace, or below the root, of a process, as "PID (COMMAND)".
 * The journals' text is not read: somebody else's root can have written it, or have put them
 * there. COMMAND may hold any byte. A signal of the waiter's ends the look.
 */
struct tsh_elsewhere {
	struct tsh_strlist orphans;	/* there is an orphan */
	struct tsh_strlist many;	/* there is none among the first 1,000 names */
	struct tsh_strlist silent;	/* the file system does not answer */
	bool cut;			/* others were not looked at */
};
void tsh_orphans_elsewhere(const struct tsh_waiter *waiter, struct tsh_elsewhere *ret);
void tsh_elsewhere_release(struct tsh_elsewhere *elsewhere);
/* Whether a journal can be written at all: 0, or -EROFS, -ENOSPC, -EPERM (not ours alone) .. */
int tsh_journal_writable(void);
/* Say what a journal that was read lacks, and what becomes of it: it stays, unless it is given up. The caller
 * frees the text; NULL: it lacks nothing. */
char *tsh_journal_what_lacks(const struct tsh_journal *j, bool given_up);
/* Unlocks them; frees those that were taken back whole, and their files. */
void tsh_orphans_release(struct tsh_orphans *orphans);

/*
 * Reads a journal's text. 0, or -1 with err: not a journal of this version. A record that is
 * damaged is left out, and said in the journal, as is a last line that is torn, unless the
 * text ends at a multiple of 4096: there a write(2) can have been killed, and its setting was
 * not made.
 */
int tsh_journal_parse(const char *text, size_t len, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err);

/* The same of the file, and of what is in memory, of the process that has forked us; the journal
 * takes them over. */
int tsh_journal_adopt(struct tsh_journal *theirs, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err);

/* Asks, by the hook, for somebody who takes the writes back when we are gone: also in place of one that is gone himself.
 * False: there is nobody. Of a journal that was begun. */
bool tsh_journal_find_guard(struct tsh_journal *j);

/* ---- for the file layer ---- */

/* Adds an entry (its strings are taken over), newest last. */
struct tsh_journal_entry *tsh_journal_add(struct tsh_journal *j, const struct tsh_instance *in,
					  const char *path);
/* Puts the newest entry into the file: before it is carried out. */
void tsh_journal_record(struct tsh_journal *j, const struct tsh_dir *dir);
/* Check before the first change that there are descriptors left to take it back with. 0, or -1 with
 * err. */
int tsh_journal_may_begin(const struct tsh_dir *dir, struct tsh_err *err);
/* It was carried out; its `after` is set. */
void tsh_journal_worked(struct tsh_journal *j);
void tsh_journal_drop_last(struct tsh_journal *j);
/* Forgets the entry at this place. */
void tsh_journal_drop(struct tsh_journal *j, size_t i);
void tsh_journal_entry_release(struct tsh_journal_entry *entry);

#endif
