/* kernel/tracefs/tracefs.h - the tracing directory, its instances and files */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_TRACEFS_H
#define TRACESH_KERNEL_TRACEFS_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/wait.h"

struct tsh_backend;
struct tsh_dry_run;
struct tsh_journal;
struct tsh_tree_file;
struct tsh_wrote;

/* Names a file of a recorded tree that was read only in part, or not at all. */
struct tsh_unread {
	char *path;		/* below the tree; owned */
	uint64_t size;		/* bytes */
	/* Counts the entries that were left out, because no kernel has so many; 0: the whole file
	 * was left out. */
	size_t entries;
};

enum tsh_dir_kind {
	TSH_DIR_TRACEFS,
	TSH_DIR_DEBUGFS,	/* kernels before 4.1: <debugfs>/tracing */
	TSH_DIR_TREE,		/* a recorded tree: ordinary files, never written */
};

/*
 * Holds the tracing directory. All files are opened below its descriptor, by openat2 with
 * RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, or component by component when the kernel has no openat2.
 * The directory is opened once, and its path is never resolved again.
 */
struct tsh_dir {
	int fd;
	enum tsh_dir_kind kind;
	char *path;			/* for messages */
	bool read_only;			/* --read-only, or a tree */
	bool bounds_text;		/* limits its text: tsh_dir_check_unread */
	const struct tsh_backend *backend;	/* backend.h; NULL: the plain one */
	struct tsh_journal *journal;	/* recorded writes, or NULL; owned by backend */
	struct tsh_dry_run *dry;	/* the script's lines, or NULL; owned by backend */
	int text_fd;			/* open file that is the whole tree, its "trace"; 0: none */
	struct tsh_tree_file *file;	/* the one file that is the whole tree (tree-file.h), or NULL; owned */
	unsigned int pieces;		/* number of write(2) calls that the last write needed */
	unsigned int own_instances;	/* own instances made so far, for their names */
	/* Is called after each write that worked, and for each instance made or removed. May be
	 * NULL. */
	void (*wrote)(void *ctx, const struct tsh_wrote *what);
	void *wrote_ctx;
	/* Sees signals while another tracesh holds the write lock, and while open files are
	 * searched; borrowed. NULL: signals are not noticed. */
	const struct tsh_waiter *waiter;
	pid_t lock_holder;		/* pid of a process that held the write lock for too long */
	bool lock_is_held;		/* lock_holder was running, and the wait for it timed out */
	/* Holds flock(2) on the directories of groups of probes that this session uses; owned. */
	struct { struct tsh_held_group *v; size_t n, cap; } held;
	char *group;			/* tsh_probe_group; NULL: none yet; owned */
	pid_t group_of;			/* pid of the process that chose it */
	size_t text_read;		/* bytes of a tree's text since tsh_dir_forget_unread */
	TSH_VEC(struct tsh_unread) unread;	/* files that were left out; owned */
};

/*
 * Opens the tracing directory. path NULL: tries /sys/kernel/tracing, then
 * /sys/kernel/debug/tracing, then the mount table. Mounts nothing. Returns 0, or -1 with err
 * (TSH_ENVIRONMENT), whose hint says what to do: not mounted, no permission, lockdown, not a
 * tracing directory.
 */
int tsh_dir_open(const char *path, struct tsh_dir **ret_dir, struct tsh_err *err);
/* Opens the recorded tree in the directory `fd`, which is duplicated; `path` is for messages.
 * Returns NULL with errno. */
struct tsh_dir *tsh_dir_open_tree(int fd, const char *path);
void tsh_dir_close(struct tsh_dir *dir);
/* Returns the descriptor of a file that tsh_dir_open has opened as a text; -1: it has opened a
 * folder. */
int tsh_dir_text_fd(const struct tsh_dir *dir);
/* Gives a tree that was opened as a text the files of `file`, which it then owns. */
void tsh_dir_set_file(struct tsh_dir *dir, struct tsh_tree_file *file);
/* Says whether writes become a script, so that the kernel is not changed. */
bool tsh_dir_is_script(const struct tsh_dir *dir);
/* Says whether a file is one of the recorded tree, under any name. */
bool tsh_dir_has_file(const struct tsh_dir *dir, const struct stat *file);

/* Holds an instance, or the top instance (name NULL). */
struct tsh_instance {
	struct tsh_dir *dir;		/* borrowed; outlives the instance */
	char *name;
	int fd;
	uint64_t identity;		/* inode of the directory, never reused; 0: top */
	bool imagined;			/* made in a dry run: fd is that of the top instance */
	/* Says that tsh_instance_create_own made it. Writes to its files are not journaled: rmdir
	 * undoes them all. */
	bool own;
	bool includes_tracesh;		/* an own instance that also records tracesh itself */
	int held;			/* descriptor of per_cpu, locked while we use it; or -1 */
};

/* Describes a change of the kernel: a write, or an instance made or removed. */
struct tsh_wrote {
	const struct tsh_instance *in;	/* for mkdir, rmdir only .dir and .name are set */
	const char *program;		/* "mkdir", "rmdir"; NULL: a write */
	const char *path;
	bool truncate;
	const char *text;		/* NULL: the file was only truncated */
};

/* Returns the top instance, which borrows the folder and is not to be closed. */
static inline struct tsh_instance tsh_top(const struct tsh_dir *dir)
{
	return (struct tsh_instance){ .dir = (struct tsh_dir *)(uintptr_t)dir, .fd = dir->fd };
}

/* Says whether a name matches [A-Za-z0-9._-]{1,64} and is not "." or "..". */
bool tsh_instance_name_is_valid(const char *name);
/* Opens an instance by name, or the top instance (NULL). Returns 0, or -1 with err; the caller
 * closes *ret. */
int tsh_instance_open(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
		      struct tsh_err *err);
/* Opens an instance of any name for reading, also one that tsh_instance_open refuses. Returns 0 or
 * -errno. */
int tsh_instance_open_any(struct tsh_dir *dir, const char *name, struct tsh_instance **ret);
/* Makes an instance (mkdir), journaled. Returns 0, or -1 with err, also when it exists. */
int tsh_instance_create(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
			struct tsh_err *err);
/* Makes an instance for this session only, named tracesh-PID-N. It is deleted by
 * tsh_instance_delete, by undo, or when the session's journal is undone. Returns 0, or -1 with
 * err. */
int tsh_instance_create_own(struct tsh_dir *dir, struct tsh_instance **ret, struct tsh_err *err);
/* Returns the PID of a name tracesh-PID-N, which only tracesh may use; 0 for another name. */
pid_t tsh_instance_owner(const char *name);
/* Says whether the session that made an own instance still runs: that session holds flock(2) on the
 * directory per_cpu, which is seen in other pid namespaces, too. */
bool tsh_instance_is_held(const struct tsh_dir *dir, const char *name);
/* Says whether the session that made an own instance has ended: nobody holds it, and no process has
 * the pid of its name. Returns false when not all processes can be seen, as in a container. */
bool tsh_instance_is_abandoned(const struct tsh_dir *dir, const char *name);
/* Deletes an own instance. The caller has checked by tsh_instance_is_unused that no session uses
 * it. It is locked meanwhile, so that none can begin to use it. Returns 0, or -1 with err, also
 * when a session has its lock by now. */
int tsh_instance_sweep(struct tsh_dir *dir, const char *name, struct tsh_err *err);
/* Deletes an instance (rmdir) and its entries in the journal. Returns 0, or -1 with err; for EBUSY
 * the hint names the process that has a file of it open, when /proc shows it. */
int tsh_instance_delete(struct tsh_dir *dir, const char *name, struct tsh_err *err);
/*
 * Delete an instance of our own in the background, since the kernel waits 20 to 50 ms for possible
 * readers. tsh_removal_end waits for that; an instance that could not be deleted stays in the
 * journal. tsh_removal_begin returns NULL when nothing has to be waited for.
 */
struct tsh_removal;
struct tsh_removal *tsh_removal_begin(struct tsh_dir *dir, const char *name);
void tsh_removal_end(struct tsh_removal *removal);
void tsh_instance_close(struct tsh_instance *in);
/* Says whether an instance of that name exists, in a dry run also by its model. */
bool tsh_instance_exists(const struct tsh_dir *dir, const char *name);
/* Says whether the instance still exists, and was not replaced by another one of its name. */
bool tsh_instance_still_exists(const struct tsh_instance *in);
/* Adds the names of all instances to ret, sorted. */
void tsh_instance_list(const struct tsh_dir *dir, struct tsh_strlist *ret);
/*
 * Add the processes that have files of an instance open to ret, as "NAME (PID)", as far as /proc
 * shows them; this process is left out. tsh_instance_holders finds any file below the instance.
 * tsh_pipe_holders finds only its trace_pipe and trace_pipe_raw files, in any mount of tracefs; an
 * ordinary file of that name does not count. Return false when not all open files were examined,
 * because that took longer than TSH_HOLDERS_SECONDS, or because dir->waiter has seen a signal (only
 * tsh_pipe_holders stops for signals; the other one is used by undo).
 */
#define TSH_HOLDERS_SECONDS 2
bool tsh_instance_holders(const struct tsh_dir *dir, const char *name, struct tsh_strlist *ret);
bool tsh_pipe_holders(const struct tsh_instance *in, struct tsh_strlist *ret);
/* Returns the pid of a process, other than this one, that has the file open under any path. Returns
 * 0 when none was found within TSH_HOLDERS_SECONDS, or before the waiter (may be NULL) saw a
 * signal. */
pid_t tsh_file_holder(const char *file, const struct tsh_waiter *waiter);
/* Returns "top" or the instance's name, as tsh_instance_word. */
const char *tsh_instance_label(const struct tsh_instance *in);
/*
 * Convert between an instance's name (NULL: the top instance) and the word that is shown and typed
 * for it. The word of the top instance is "top"; an instance whose name is "top" has the word
 * "instances/top".
 */
const char *tsh_instance_word(const char *name);
const char *tsh_instance_parse_word(const char *word);

/* ---- reading; paths are relative to the instance ---- */

/*
 * Appends the whole file to out. Returns 0 or -errno. Returns -EPERM for a file whose reading would
 * consume or destroy something (trace_pipe, trace_pipe_raw, free_buffer, ..; TSH_CLASS_NO_READ).
 */
int tsh_file_read(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out);
/* Returns the file's text without the last newline, or NULL when it cannot be read. The caller
 * frees it. */
char *tsh_file_text(const struct tsh_instance *in, const char *path);
/* Does the same with the text of the kernel or the tree, ignoring what a dry run has changed. */
char *tsh_file_kernel_text(const struct tsh_instance *in, const char *path);
/* Adds the words of a file to ret; none when it cannot be read. Of a recorded tree's file at most
 * TSH_WORDS_MAX words are added, more than any list of events has; the rest is counted as left out
 * (tsh_dir_unread). */
#define TSH_WORDS_MAX 65536
void tsh_file_words(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/*
 * Limit what a recorded tree from outside costs. tsh_file_read reads at most 16 MB of a file and
 * 128 MB of all files, where each line counts 32 bytes more, until tsh_dir_forget_unread is called;
 * it is called before and after each command. tsh_dir_unread returns how many files (65,536 at
 * most) were left out since, or were not read completely: lists of more than 65,536 events, or of
 * more words than TSH_WORDS_MAX. tsh_dir_check_unread returns 0, or -1 with an error that says how
 * many, and what to type.
 */
size_t tsh_dir_unread(struct tsh_dir *dir);
int tsh_dir_check_unread(struct tsh_dir *dir, struct tsh_err *err);
void tsh_dir_forget_unread(struct tsh_dir *dir);
/* Returns the first word of a file as a number, or `otherwise` when the file cannot be read, or has
 * no number there. */
uint64_t tsh_file_number(const struct tsh_instance *in, const char *path, uint64_t otherwise);
/* Returns a number of a text of per_cpu/cpuN/stats by its name ("entries", "overrun"); 0 when stats
 * is NULL or does not have it. */
uint64_t tsh_stats_number(const char *stats, const char *name);
/* Opens a file for reading (O_CLOEXEC); flags may add O_NONBLOCK. Returns a descriptor or
 * -errno. */
int tsh_file_open(const struct tsh_instance *in, const char *path, int flags);
/* Sets err for a file that cannot be read. `number` is the result of tsh_file_open or
 * tsh_file_read. For a recorded tree err also says what is there instead of a file, and what to do.
 * Returns -1. */
int tsh_file_blame(const struct tsh_instance *in, const char *path, int number, struct tsh_err *err);
/* Says whether the file exists. An error that leaves this unknown, such as EACCES, counts as
 * existing: the next access reports it. */
bool tsh_file_exists(const struct tsh_instance *in, const char *path);
/* Says whether the top instance has the file, and this instance does not. */
bool tsh_file_is_top_only(const struct tsh_instance *in, const char *path);
#define TSH_HINT_TOP_ONLY "the top instance alone has it: instance use top"
enum tsh_snapshot_state {
	TSH_SNAPSHOT_NONE,	/* this kernel has no snapshots */
	TSH_SNAPSHOT_FREE,
	TSH_SNAPSHOT_EMPTY,	/* allocated, without events */
	TSH_SNAPSHOT_FULL,
};
/* Reads the state from the header of the file `snapshot`, which is short even when the file is long
 * (kernel/trace/trace.c, print_snapshot_help). */
enum tsh_snapshot_state tsh_snapshot_state(const struct tsh_instance *in);
/* Returns how many events the snapshot holds: by its header, or by counting lines when the header
 * does not say. */
uint64_t tsh_snapshot_entries(const struct tsh_instance *in);
/* Adds the names in a directory to ret, sorted, without . and .. Returns 0 or -errno. */
int tsh_file_list(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/* Returns how many directories per_cpu/cpuN there are, and their numbers in *ret_cpus, sorted. The
 * caller frees them. Returns 0 and sets NULL when they cannot be listed. */
struct tsh_cpuset;
size_t tsh_cpus_present(const struct tsh_instance *in, unsigned int **ret_cpus);

/* ---- writing: the only functions that change tracefs ---- */

enum tsh_write_how {
	TSH_WRITE_SET,		/* the file's value becomes this */
	TSH_WRITE_ADD,		/* a line is added to a list */
	TSH_WRITE_CLEAR,	/* O_TRUNC: the list becomes empty, the buffer is erased */
	TSH_WRITE_LESS,		/* the list becomes this text: some of its lines are removed */
	TSH_WRITE_EXPECTED,	/* journal only: what the kernel writes by a trigger */
};

/*
 * Writes a file according to its class: with the class's open flags, with the old value recorded in
 * the journal, by one write(2) as a rule, and reads back the result. Does not write a value that
 * the file already has. `text` needs no newline. NULL: only truncates.
 *
 * Returns 1 when it was written, 0 when the file already had the value, or -1 with err; err->number
 * is the kernel's errno. For a class that is never written (free_buffer, ..) err says why.
 */
int tsh_file_write(struct tsh_instance *in, const char *path, enum tsh_write_how how,
		   const char *text, struct tsh_err *err);

/* Refuses a text that would not reach the kernel: an empty one that does not clear the file.
 * Returns 0, or -1 with err. */
int tsh_write_check_text(const struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			 struct tsh_err *err);

/* Lists what the kernel erases because of a write, or of undoing one. A smaller size erases the
 * oldest events that have no room any more. */
enum tsh_erases {
	TSH_ERASES_BUFFER = 1 << 0,		/* all events of the buffer */
	TSH_ERASES_SOME = 1 << 1,		/* perhaps the oldest events of the buffer */
	TSH_ERASES_SNAPSHOT = 1 << 2,		/* all events of the snapshot */
	TSH_ERASES_SNAPSHOT_SOME = 1 << 3,	/* perhaps the oldest of the snapshot */
	/* Names both, in each instance in which the probe's event was ever enabled. */
	TSH_ERASES_ELSEWHERE = 1 << 4,
	TSH_ERASES_NAMES = 1 << 5,		/* the saved names of tasks */
};
#define TSH_ERASES_ALL (TSH_ERASES_BUFFER | TSH_ERASES_SNAPSHOT)
/* Returns what tsh_file_write would erase, as bits of enum tsh_erases; 0: nothing, or there are no
 * such events. A size is in KB. */
unsigned int tsh_write_erases(const struct tsh_instance *in, const char *path, enum tsh_write_how how,
			      const char *text);
/* Says whether a path is "trace" or "per_cpu/cpuN/trace". */
bool tsh_is_trace_file(const char *path);

/* ---- the class of a file ---- */

enum tsh_class_flags {
	TSH_CLASS_NO_READ = 1 << 0,	/* reading consumes or destroys events */
	TSH_CLASS_NO_WRITE = 1 << 1,	/* never written by us; .why says the reason */
	TSH_CLASS_LIST = 1 << 2,	/* lines; SET and restoring truncate, then add */
	TSH_CLASS_ADD_ONLY = 1 << 3,	/* O_TRUNC would destroy other people's settings */
	TSH_CLASS_ERASES = 1 << 4,	/* a write erases the buffer */
	TSH_CLASS_TRIGGER = 1 << 5,	/* an event's trigger file */
	TSH_CLASS_PROBE = 1 << 6,	/* probes and synthetic events */
	TSH_CLASS_NO_UNDO = 1 << 7,	/* not a setting but events: a marker, an erased buffer */
	TSH_CLASS_BITS = 1 << 8,	/* 0 or 1, which the kernel may show as 0* or 1* */
	TSH_CLASS_FILTER = 1 << 9,	/* an event's filter */
	TSH_CLASS_WORDS = 1 << 10,	/* each word of a text is a line */
	TSH_CLASS_PIDS = 1 << 13,	/* always written, even when the value seems to be there */
	TSH_CLASS_OPTIONS = 1 << 14,	/* trace_options: NAME or noNAME */
	TSH_CLASS_PLAIN_TEXT = 1 << 15,	/* the text is written as it is, without a newline */
};

/* Says how two readings of a file are compared. */
enum tsh_compare {
	TSH_SAME_NEVER,		/* not a setting */
	TSH_SAME_TEXT,
	TSH_SAME_BIT,		/* "1*" equals 1 */
	TSH_SAME_FILTER,	/* "none" equals 0, and so does the message of a refused filter */
	TSH_SAME_CHOICE,	/* compares the words in [brackets] */
	TSH_SAME_SIZE,		/* equal within a page; "7 (expanded: 1408)" is 1408 */
	TSH_SAME_MASK,		/* a CPU mask; the number of zero groups may differ */
	TSH_SAME_OPTION,	/* an option, NAME or noNAME */
	TSH_SAME_LINES,		/* lines in any order, without comments */
	TSH_SAME_TRIGGERS,	/* as LINES, ignoring the counts */
	TSH_SAME_FUNCTIONS,	/* as LINES: names, and commands with counts */
	TSH_SAME_PIDS,		/* always equal: the kernel adds and removes pids itself */
	TSH_SAME_ANY,		/* always equal: the kernel changes the value all the time */
};

/* Says how an old value is restored. */
enum tsh_inverse {
	TSH_BACK_NONE,		/* it cannot be restored */
	TSH_BACK_WRITE,		/* the value is written */
	TSH_BACK_REPLACE,	/* a list: truncated, then written */
	TSH_BACK_SIZES,		/* the value is written; CPU by CPU where the sizes differed */
	TSH_BACK_FUNCTIONS,	/* names are replaced, commands are restored line by line */
	TSH_BACK_LINES,		/* our lines are removed, oldest last; missing ones are added */
	TSH_BACK_TRIGGERS,	/* as LINES, removed by '!'; the kernel lists the newest first */
	TSH_BACK_PROBES,	/* as LINES, removed by "-:" */
	TSH_BACK_SYNTHETIC,	/* as LINES, removed by "!NAME" */
};

struct tsh_file_class {
	const char *pattern;		/* a glob for the path below the instance */
	unsigned int flags;
	enum tsh_compare compare;
	enum tsh_inverse inverse;
	const char *why;		/* for NO_READ and NO_WRITE; or what a write destroys */
	const char *drifts;		/* what the kernel changes by itself; or NULL */
};

/* Returns the class of a path; never NULL, since the last entry matches everything. */
const struct tsh_file_class *tsh_file_class(const char *path);
/* Returns a value in the form in which it is written: "0" for "none", "boot" for a choice with
 * "[boot]", "1" for "1*", "1408" for "7 (expanded: 1408)". The caller frees it. */
char *tsh_class_normalize(const struct tsh_file_class *cls, const char *text);
/* Says whether `wanted`, which was written or read earlier, and the kernel's text `now` are the
 * same setting, by the class's comparator. */
bool tsh_class_equal(const struct tsh_file_class *cls, const char *wanted, const char *now);
/* Says whose value a file has, given its text before our write, after it, and now. */
enum tsh_standing {
	TSH_STANDS_OURS,	/* our value, which undo restores */
	TSH_STANDS_BEFORE,	/* the value from before: undo has nothing to do */
	TSH_STANDS_THEIRS,	/* a value that somebody else wrote since */
};
/*
 * Returns whose value a file has. `after` may be NULL: unknown. In files that lines are only added
 * to, only our own lines count; lines that others added or removed do not matter. For pid lists
 * never returns TSH_STANDS_BEFORE: a list that the kernel has emptied reads like the default, but
 * records no task.
 */
enum tsh_standing tsh_class_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now);

#endif
