/* kernel/journal/journal.h - records what was changed, so that it can be undone */
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

/* Describes one write, with all that is needed to undo it, and to see whether it is still ours. */
struct tsh_journal_entry {
	unsigned int number;		/* increasing, never reused */
	unsigned int command;		/* number of the command that wrote it */
	enum tsh_journal_op op;
	char *instance;			/* NULL: top */
	uint64_t identity;		/* inode of the instance's directory; 0: unknown */
	char *path;			/* empty for MKDIR */
	enum tsh_write_how how;
	char *before;			/* the file's text before; NULL: cannot be undone */
	char *text;			/* the text that was written */
	char *after;			/* the file's text after; NULL: unknown */
	bool own;			/* only of this session (instance, probe): not counted */
	bool recorded;			/* it is in the journal's file */
	bool going_back;		/* its undo has begun, and perhaps ended */
	bool forks;			/* the kernel may have added children to this list */
	bool follows;			/* while undoing: we set an option that adds children */
	bool left;			/* undo left it: somebody else changed the value */
	/* Says that another session keeps the value; of MKDIR: that it keeps settings in the
	 * instance. */
	bool kept;
	bool unkept;			/* left out by the next keep */
	bool held;			/* undone at the end of the session only, not by undo */
	int64_t at;			/* CLOCK_BOOTTIME, ns; orders writes of all sessions */
	uint32_t key;			/* tsh_setting_key; 0: not computed yet */
};
/* Is the first number of entries that other sessions have handed over
 * (src/kernel/sharing/share.h). */
#define TSH_JOURNAL_INHERITED 0x80000000u
/* Is no entry's number: the place of a handed over entry depends on its time. */
#define TSH_JOURNAL_BY_TIME 0u
struct tsh_journal_entries { struct tsh_journal_entry *v; size_t n, cap; };

struct tsh_journal_command {
	unsigned int number;
	int64_t time;			/* CLOCK_REALTIME, ns */
	char *text;			/* as typed */
	bool wrote;			/* it has or had entries */
	bool recorded;
};

/* Lists callbacks of the shell; each may be NULL. */
struct tsh_journal_hooks {
	void *ctx;
	/* Is called before the first write, to start a guard: a process that undoes the writes when
	 * this one is gone (tsh_journal_adopt). fd is that of the file, or -1 when the journal is
	 * in memory. Returns false when there can be no guard. */
	bool (*begin)(void *ctx, int fd);
	/* Is called in a forked process that goes on by itself (tsh_journal_disown). */
	void (*disown)(void *ctx);
	/* Is called once for each reason why there is no file, or why it ends. */
	void (*warn)(void *ctx, const char *text);
	/* Is called before undo erases events of the instance; what: enum tsh_erases. Returns 0
	 * when no unread events get lost, or -1 to leave the step. Then *why, which the caller
	 * frees, is the reason. */
	int (*before_erasing)(void *ctx, struct tsh_instance *in, unsigned int what, char **why);
	/* Is called with held NULL before a probe is removed, and returns what all instances hold,
	 * since it is unknown in which of them the kernel erases events. Is called again afterwards
	 * with that result, and reports what was erased. */
	void *(*removing)(void *ctx, const struct tsh_instance *in, void *held);
};

struct tsh_journal {
	struct tsh_journal_entries entries;	/* oldest first */
	struct tsh_journal_entries undone;	/* by command; the next one to redo is last */
	TSH_VEC(struct tsh_journal_command) commands;
	unsigned int last_command;
	unsigned int last_entry;
	bool redoing;			/* redo is running: its writes do not clear `undone` */
	const struct tsh_journal_hooks *hooks;	/* borrowed; NULL: none */
	struct tsh_journal_file *file;	/* NULL before the first record; owned */
	/* Say what is missing in a journal that was read from a file; that file is not removed. */
	bool cut;			/* records are missing: the file was full */
	unsigned int moved_to;		/* number of the folder in which it goes on; 0: none */
	bool damaged;			/* a line is not valid, or not complete */
	bool going_back;		/* some entry has .going_back */
	unsigned int inherited;		/* number of entries that others have handed over */
	struct tsh_others *others;	/* journals of other sessions, as read so far; owned */
};

/* Holds the result of undo; to be zeroed before. */
struct tsh_undo_report {
	unsigned int commands;
	unsigned int settings;		/* settings undone */
	unsigned int already_restored;	/* how many of these had their old value already */
	unsigned int gone;		/* how many others had been undone by somebody else */
	struct tsh_strlist changes;	/* "buffer 2M -> 1410K": what undo has changed */
	struct tsh_strlist problems;	/* "FILE: changed by somebody else since" */
	struct tsh_strlist notes;	/* what is not undone, and need not be */
	struct tsh_strlist removed;	/* names of instances */
	bool erasing;			/* a problem is that unread events would be erased */
	TSH_VEC(unsigned int) back;	/* commands of which something was undone */
};
void tsh_undo_report_release(struct tsh_undo_report *report);
/* Returns a text that says how much was undone, and how much somebody else had undone already. The
 * caller frees it. */
char *tsh_undo_report_counts(const struct tsh_undo_report *report);
/* Returns a text that says how much was undone, and which instances were removed; own: names
 * commands' own instances, too. The caller frees it. */
char *tsh_undo_report_text(const struct tsh_undo_report *report, bool own);

struct tsh_journal *tsh_journal_new(void);
/* Frees a journal, and removes its file when nothing is left to undo. */
void tsh_journal_free(struct tsh_journal *j);
/* Says whether the journal is complete, and nothing is left to undo. */
bool tsh_journal_is_done(const struct tsh_journal *j);
/* Removes the file of a journal that is done. Returns 1, or 0 when there is no file or it is not
 * done, or -errno with its path, which the caller frees. */
int tsh_journal_remove(struct tsh_journal *j, char **ret_path);
/* Says whether the journal has a file, which recover can read. */
bool tsh_journal_has_file(const struct tsh_journal *j);
/* Begins a command: the following writes belong to it. */
void tsh_journal_begin(struct tsh_journal *j, const char *text);
/* Returns a command with its text and time, or NULL when it is unknown. */
const struct tsh_journal_command *tsh_journal_command(const struct tsh_journal *j,
						      unsigned int number);
/* Reads the records that other sessions have appended since. Returns true when one of them hands
 * over an entry. */
bool tsh_journal_catch_up(struct tsh_journal *j);
/* Says whether an entry made an instance of that name. */
bool tsh_journal_makes_instance(const struct tsh_journal *j, const char *instance);
/* Says whether an entry is a setting of the user, and not an own instance, the possible effect of a
 * trigger, or an entry that was handed over. */
bool tsh_journal_is_setting(const struct tsh_journal_entry *entry);
/* Says whether an entry is an instance that another session has handed over. It belongs to no
 * command, is before all other entries, and is undone only with the whole journal. */
bool tsh_journal_is_inherited_instance(const struct tsh_journal_entry *entry);
/* Count the commands and the settings that can be undone, with those that undo has left because
 * somebody else had changed the values. */
unsigned int tsh_journal_count_commands(const struct tsh_journal *j);
unsigned int tsh_journal_count_settings(const struct tsh_journal *j);
/* Counts the settings that can be kept: without the session's own probes, with instances that were
 * handed over. */
unsigned int tsh_journal_count_lasting(const struct tsh_journal *j);
/* Reports what undoing everything would change, what somebody else has undone already, and what
 * would stay and why, by the present texts of the files (src/kernel/undo/predict.c). */
void tsh_journal_changes(struct tsh_dir *dir, struct tsh_journal *j, struct tsh_undo_report *report);
/* Returns the number of the newest command, for tsh_journal_undo_to. */
unsigned int tsh_journal_mark(const struct tsh_journal *j);
/* Is called in a forked process: drops the entries and the file, which are its parent's. */
void tsh_journal_disown(struct tsh_journal *j);
/*
 * Commits all settings: they stay, and can no longer be undone. When another session had set the
 * same before us, that session leaves the value, too, when it ends; when its journal cannot be
 * written, ours is not kept, which is a problem of the report. all: also keeps an instance that was
 * handed over and in which nothing is ours. Counts what stays in report->settings, including
 * instances that were handed over.
 */
void tsh_journal_commit(struct tsh_dir *dir, struct tsh_journal *j, bool all, struct tsh_undo_report *report);
/* Drops all entries but own ones and those that are unkept. Does not tell other sessions, and
 * writes no record. */
void tsh_journal_forget_back(struct tsh_journal *j);
/* Drops entries that undo has left because somebody else had changed the values. Returns how many
 * settings they were. */
unsigned int tsh_journal_forget_left(struct tsh_journal *j);
/* Drops the entries about an instance that was removed. */
void tsh_journal_forget_instance(struct tsh_journal *j, const char *name);

/* Returns the process of another running session that has set something in the instance, or 0 when
 * there is none (src/kernel/sharing/share.c). */
pid_t tsh_journal_other_user(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in);
/* Returns how many settings such sessions have there; *ret_users is the number of the sessions. */
unsigned int tsh_journal_other_settings(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_instance *in,
					size_t *ret_users);

/* ---- undo (src/kernel/undo/undo.c) ---- */

/*
 * Undoes everything newer than the mark. The order is: first what causes load (events to disable,
 * triggers), then filters, lists and the rest, probes after their users, events to enable again,
 * then what erases a buffer, and last the sizes of buffers. Sizes that are rounded to sub-buffers
 * which another session has set are handed over to it, to be set once more. Several writes to one
 * file are undone at once. A value that is no longer ours is left and reported, and so is one that
 * the kernel refuses; both stay in the journal, to be tried again. Nothing of it can be redone.
 */
void tsh_journal_undo_to(struct tsh_dir *dir, struct tsh_journal *j, unsigned int mark,
			 struct tsh_undo_report *report);
/*
 * Undoes the last `count` commands that wrote something, in the same way; they can be redone.
 * Entries that were left before are tried again; their commands count only when there are no
 * others.
 */
void tsh_journal_undo(struct tsh_dir *dir, struct tsh_journal *j, unsigned int count,
		      struct tsh_undo_report *report);
/* Marks all present entries as held: tsh_journal_undo leaves them, the end of the session undoes
 * them. */
void tsh_journal_hold(struct tsh_journal *j);
/* Returns the mark before the last `count` commands, for tsh_journal_undo_to. */
unsigned int tsh_journal_mark_of(const struct tsh_journal *j, unsigned int count);
/* Moves the journals of others that `from` has read to `to`, so that they need not be read
 * again. */
void tsh_journal_pass_others(struct tsh_journal *from, struct tsh_journal *to);
/* Counts entries that undo would undo now: without those that somebody else has changed or undone
 * since (src/kernel/undo/count-ours.c). */
struct tsh_journal_ours {
	unsigned int settings;		/* without instances */
	unsigned int instances;		/* own ones, the user's, and those handed over */
	unsigned int theirs;		/* settings that somebody else has changed since */
};
void tsh_journal_count_ours(struct tsh_dir *dir, struct tsh_journal *j,
			    struct tsh_journal_ours *ret);
/* Writes an entry again, for redo. */
struct tsh_rewriter {
	/* Writes the text of an entry; returns as tsh_file_write does. */
	int (*write)(void *ctx, struct tsh_instance *in, const struct tsh_journal_entry *entry, struct tsh_err *err);
	void *ctx;
};
/*
 * Redoes the last command that was undone (src/kernel/undo/redo.c). Returns 1, or 0 when there is
 * nothing to redo, or -1 with err after undoing what it had written. *ret_made: how many settings
 * it has changed.
 */
int tsh_journal_redo(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_rewriter *w, unsigned int *ret_made,
		     struct tsh_err *err);

/*
 * Says what is wrong with a folder of journals (0: /run/tracesh, 1: /var/lib/tracesh), to which
 * only root may write: "/run/tracesh is a symbolic link", and in *ret_cure which command corrects
 * it. Returns NULL when it is right, missing, or cannot be seen. The caller frees both.
 */
char *tsh_journal_dir_fault(unsigned int place, char **ret_cure);

/* ---- the file (file.c, load.c) ----
 *
 * A journal is /run/tracesh/PID-START.journal, or in /var/lib/tracesh when /run is full. Its lines
 * are "CRC TAB KIND TAB FIELD..". CRC is the CRC-32 (as zlib's) of the text behind its TAB, in hex.
 * In a field a backslash and bytes below 0x20 are written as \xNN; \N alone is a missing field.
 * The first line is
 *	tracesh-journal 1 BOOT_ID PID STARTTIME REALTIME_NS TRACEFS_DEV
 * The other lines follow; command, write, mkdir and back are written before the action itself:
 *	command NUMBER REALTIME_NS TEXT
 *	write NUMBER COMMAND INSTANCE PATH set|add|clear|less|expected BEFORE TEXT IDENTITY AT
 *	mkdir NUMBER COMMAND INSTANCE own|user AT
 *	done NUMBER AFTER	it worked; for mkdir, AFTER is the instance's identity
 *	gone NUMBER		it failed, or was undone
 *	back NUMBER		BEFORE is about to be restored
 *	forks NUMBER		the kernel may add children to this list of tasks
 *	keep [NUMBERS]		all entries so far are kept or undone, but own instances and these;
 *				also written instead of `gone`, when that does not fit
 *	cut			the disk is full: later records are in memory, or lost
 *	whole			all records that were in memory are before this line
 *	moved PLACE		the file is full: a copy of it in folder PLACE (1: /var/lib/tracesh)
 *				goes on
 * Four lines are written by another session, which holds the lock of all writes to tracefs. PATH
 * is empty for an instance, which goes before all entries; OVER is the entry to insert before:
 *	inherit NUMBER OVER INSTANCE PATH set|add|clear|less|expected BEFORE TEXT IDENTITY AT AFTER
 *	amend NUMBER BEFORE	the entry is to restore this value; a third field "kept" says that
 *				the other session keeps it; for mkdir: settings in the instance
 *	forks NUMBER told	as above: an option of the other session is or was on
 *	gone NUMBER told	as above: this session was killed after it had handed the entry over
 * A write that is neither done nor gone was interrupted; its effect is found by its text.
 * The process that works with a file, tracesh or its guard, holds flock(2) on it: a file that is
 * not locked is an orphan. Its mode is 0200 until the first setting can be made, then 0600. An
 * empty file of mode 0600 has lost its text, or never had room for it.
 */

/* Identifies the session that wrote a file. */
struct tsh_journal_owner {
	char boot_id[40];
	pid_t pid;
	uint64_t starttime;		/* tsh_process_start */
	int64_t time;			/* of its first record, CLOCK_REALTIME, ns */
	uint64_t device;		/* st_dev of its tracefs */
};

/* Names a session that has ended, and the process that works with its journal: its guard, or
 * recover. */
struct tsh_busy_orphan {
	pid_t owner;
	pid_t at_work;
};

/* Holds the journal of a tracesh that ended without undoing its settings. */
struct tsh_orphan {
	char *name;			/* file name */
	struct tsh_journal_owner owner;
	struct tsh_journal *journal;
};
struct tsh_orphans {
	struct tsh_orphan *v;
	size_t n, cap;
	struct tsh_strlist refused;	/* "PATH cannot be read (WHY)" */
	struct tsh_strlist given_up;	/* paths of unreadable files that were removed */
	struct tsh_strlist outlived;	/* paths of journals of another boot, removed or to be */
	size_t unreadable;		/* how many of the refused ones --forget would remove */
	TSH_VEC(struct tsh_busy_orphan) busy;
	unsigned int unseen;		/* journals with a process that is not visible */
	unsigned int more;		/* journals that were not read: too many */
	int error;			/* errno: the folder cannot be read; or 0 */
};

/*
 * Finds the orphans of this boot and this tracefs, oldest first, at most 200. TAKE and FORGET are
 * for recover only: the files stay open and locked, so that no other process uses them; journals of
 * another boot, whose settings are gone, and those without a first setting are removed. LOOK
 * changes nothing.
 */
enum tsh_orphans_mode {
	TSH_ORPHANS_READ,
	TSH_ORPHANS_CLAIM,
	/* Removes, in addition, files that are not journals but belong to us only; when forget_pid
	 * is not 0, only those of that process. */
	TSH_ORPHANS_FORGET,
};
void tsh_orphans_find(const struct tsh_dir *dir, enum tsh_orphans_mode mode, pid_t forget_pid,
		      struct tsh_orphans *ret);
/*
 * Finds orphans in other mount namespaces, or below the roots of other processes, named as "PID
 * (COMMAND)". The journals' text is not read, because an untrusted root may have written it.
 * COMMAND may contain any byte. The search ends when the waiter sees a signal.
 */
struct tsh_elsewhere {
	struct tsh_strlist orphans;	/* there is an orphan */
	struct tsh_strlist many;	/* there is none among the first 1,000 names */
	struct tsh_strlist silent;	/* the file system does not answer */
	bool cut;			/* other processes were not examined */
};
void tsh_orphans_elsewhere(const struct tsh_waiter *waiter, struct tsh_elsewhere *ret);
void tsh_elsewhere_release(struct tsh_elsewhere *elsewhere);
/* Says whether a journal can be written. Returns 0, or -EROFS, -ENOSPC, -EPERM (others can write to
 * the folder) .. */
int tsh_journal_check_writable(void);
/* Returns a text that says what is missing in a journal that was read, and what happens to its
 * file: it stays, unless it is given up. Returns NULL when nothing is missing. The caller frees
 * it. */
char *tsh_journal_missing_text(const struct tsh_journal *j, bool given_up);
/* Unlocks the journals and frees them; removes the files of those that were undone completely. */
void tsh_orphans_release(struct tsh_orphans *orphans);

/*
 * Parses the text of a journal. Returns 0, or -1 with err when it is not a journal of this version.
 * Leaves out damaged records, and marks the journal as damaged. Marks it also when the last line is
 * incomplete, unless the text ends at a multiple of 4096 bytes: there write(2) may have been
 * killed, and its setting was not made.
 */
int tsh_journal_parse(const char *text, size_t len, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err);

/* Does the same with the file, and the records in memory, of the process that forked this one; the
 * new journal owns both. */
int tsh_journal_adopt(struct tsh_journal *theirs, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err);

/* Asks for a new guard by the hook, also when an earlier one has ended. Returns false when there
 * can be none. The journal must have been begun. */
bool tsh_journal_find_guard(struct tsh_journal *j);

/* ---- for the file layer ---- */

/* Adds an entry, newest last. The caller sets its other fields; the journal owns its strings. */
struct tsh_journal_entry *tsh_journal_add(struct tsh_journal *j, const struct tsh_instance *in,
					  const char *path);
/* Stores the newest entry in the file, before it is carried out. */
void tsh_journal_record(struct tsh_journal *j, const struct tsh_dir *dir);
/* Checks, before the first change, that enough file descriptors are left to undo it. Returns 0, or
 * -1 with err. */
int tsh_journal_may_begin(const struct tsh_dir *dir, struct tsh_err *err);
/* Records that the newest entry worked; its `after` is set. */
void tsh_journal_record_success(struct tsh_journal *j);
/* Drops the newest entry. */
void tsh_journal_drop_last(struct tsh_journal *j);
/* Drops the entry at index i. */
void tsh_journal_drop(struct tsh_journal *j, size_t i);
void tsh_journal_entry_release(struct tsh_journal_entry *entry);

#endif
