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
struct tsh_wrote;

/* A file of a tree that was not read, as it is too large, or all files together are; or not whole. */
struct tsh_unread {
	char *path;		/* below the tree; owned */
	uint64_t size;		/* bytes */
	size_t entries;		/* more than a kernel can have, which alone were left out; 0: all was */
};

enum tsh_dir_kind {
	TSH_DIR_TRACEFS,
	TSH_DIR_DEBUGFS,	/* kernels before 4.1: <debugfs>/tracing */
	TSH_DIR_TREE,		/* a recorded tree: ordinary files, never written */
};

/*
 * The one held descriptor below which every file is opened (openat2 with
 * RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS, component by component where the kernel
 * has no openat2). It is opened once and never looked up by name again.
 */
struct tsh_dir {
	int fd;
	enum tsh_dir_kind kind;
	char *path;			/* for messages */
	bool read_only;			/* --read-only, or a tree */
	bool bounds_text;		/* a tree of somebody's: see tsh_dir_check_unread */
	const struct tsh_backend *backend;	/* who takes the writes (backend.h); NULL: nothing is kept */
	struct tsh_journal *journal;	/* of a journaled one, and of a script: its writes; owned by it */
	struct tsh_dry_run *dry;	/* of a script, which takes the writes instead: its lines; owned by it */
	int text_fd;			/* the tree is this file of text, its "trace"; 0: it is none */
	unsigned int pieces;		/* in which the kernel took what was written last */
	unsigned int own_instances;	/* made so far: for their names */
	/* Is told of each write that worked, of all that we make and remove. NULL: nobody wants to know. */
	void (*wrote)(void *ctx, const struct tsh_wrote *what);
	void *wrote_ctx;
	/* Hears signals while another tracesh writes, and while readers are looked for; borrowed.
	 * NULL: nobody does. */
	const struct tsh_waiter *waiter;
	pid_t lock_keeper;		/* who had the write lock and did not give it back */
	bool lock_is_kept;		/* by lock_keeper, which ran, and was waited for long enough */
	/* Groups of probes whose users live, by their directories; owned. */
	struct { struct tsh_held_group *v; size_t n, cap; } held;
	char *group;			/* of our probes (tsh_probe_group); NULL: not chosen yet; owned */
	pid_t group_of;			/* who has chosen it */
	size_t text_read;		/* bytes of a tree's text since tsh_dir_forget_unread */
	TSH_VEC(struct tsh_unread) unread;	/* files that were left out; owned */
};

/*
 * path NULL: /sys/kernel/tracing, then /sys/kernel/debug/tracing, then the mount
 * table. Nothing is mounted. Errors are TSH_ENVIRONMENT, each with its cure: not
 * mounted, no permission, lockdown, not a tracing directory.
 */
int tsh_dir_open(const char *path, struct tsh_dir **ret_dir, struct tsh_err *err);
/* The recorded tree in a folder that is open; `path` is for messages. NULL with errno. */
struct tsh_dir *tsh_dir_open_tree(int fd, const char *path);
void tsh_dir_close(struct tsh_dir *dir);
/* Says whether what is written becomes a script: the kernel sees nothing of it. */
bool tsh_dir_is_script(const struct tsh_dir *dir);
/* Says whether a file is one of the recorded tree, by whatever name. */
bool tsh_dir_is_read(const struct tsh_dir *dir, const struct stat *file);

/* An instance, or the top-level one (name NULL). */
struct tsh_instance {
	struct tsh_dir *dir;		/* borrowed; outlives the instance */
	char *name;
	int fd;
	uint64_t identity;		/* the directory's inode, which no other one gets; 0: top */
	bool imagined;			/* made in a dry run: fd is the top one's */
	bool own;			/* made by tsh_instance_create_own: its files need no way
					 * back, rmdir is it */
	bool of_all;			/* an own one that leaves no task out */
	int held;			/* -1, or what tells others that an own one's maker lives */
};

/* What the kernel was made to do: a file was written, or an instance made or removed. */
struct tsh_wrote {
	const struct tsh_instance *in;	/* whose file; or only its .dir and the .name of the instance */
	const char *program;		/* "mkdir", "rmdir"; NULL: it was a write */
	const char *path;
	bool truncate;
	const char *text;		/* NULL: it was only truncated */
};

/* Returns the top-level instance, which borrows the folder and is not closed. */
static inline struct tsh_instance tsh_top(const struct tsh_dir *dir)
{
	return (struct tsh_instance){ .dir = (struct tsh_dir *)(uintptr_t)dir, .fd = dir->fd };
}

/* [A-Za-z0-9._-]{1,64}, not "." nor "..". */
bool tsh_instance_name_is_valid(const char *name);
int tsh_instance_open(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
		      struct tsh_err *err);
/* To read in one of any name, also of one that tsh_instance_open refuses. 0 or -errno. */
int tsh_instance_look(struct tsh_dir *dir, const char *name, struct tsh_instance **ret);
/* mkdir, journaled; fails when it exists. */
int tsh_instance_create(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
			struct tsh_err *err);
/* An instance of the session's own, called tracesh-PID-N; deleted by
 * tsh_instance_delete, by undo, or when the session's journal is taken back. */
int tsh_instance_create_own(struct tsh_dir *dir, struct tsh_instance **ret, struct tsh_err *err);
/* PID of a name tracesh-PID-N, which nobody else may make; 0: it is none of these. */
pid_t tsh_instance_owner(const char *name);
/* Whether the session that made it lives: it holds flock(2) on its directory per_cpu, which says so
 * in other pid namespaces, too. */
bool tsh_instance_is_held(const struct tsh_dir *dir, const char *name);
/* Says whether the session that made it is gone, by the number in its name; false where that cannot be seen, as in
 * a container. */
bool tsh_instance_is_left(const struct tsh_dir *dir, const char *name);
/* Deletes one that no session has to do with (tsh_instance_is_nobodys), and which none can take hold of meanwhile. */
int tsh_instance_sweep(struct tsh_dir *dir, const char *name, struct tsh_err *err);
/*
 * rmdir. EBUSY says who holds it when /proc can tell. What the journal knows of
 * the instance is forgotten.
 */
int tsh_instance_delete(struct tsh_dir *dir, const char *name, struct tsh_err *err);
/*
 * The same in the background for an instance of our own, since the kernel waits 20 to 50 ms
 * for whoever may still look at it. The end waits for that; what could not be deleted stays
 * in the journal. NULL: it is done.
 */
struct tsh_removal;
struct tsh_removal *tsh_removal_begin(struct tsh_dir *dir, const char *name);
void tsh_removal_end(struct tsh_removal *removal);
void tsh_instance_close(struct tsh_instance *in);
bool tsh_instance_exists(const struct tsh_dir *dir, const char *name);
/* It is still there, and no other one of that name. */
bool tsh_instance_stands(const struct tsh_instance *in);
/* Sorted names. */
void tsh_instance_list(const struct tsh_dir *dir, struct tsh_strlist *ret);
/*
 * Processes other than this one that have a file below the instance open, as "NAME (PID)", as far
 * as /proc lets us see; only its trace_pipe files, in any mount of tracefs, with
 * tsh_pipe_holders. An ordinary file of that name is none. False: not all open files were looked
 * at, as that took longer than TSH_HOLDERS_SECONDS, or dir->waiter has heard a signal (only
 * tsh_pipe_holders listens: the other belongs to taking back).
 */
#define TSH_HOLDERS_SECONDS 2
bool tsh_instance_holders(const struct tsh_dir *dir, const char *name, struct tsh_strlist *ret);
bool tsh_pipe_holders(const struct tsh_instance *in, struct tsh_strlist *ret);
/* A process other than this one that has the file open, under whatever path; 0: none to be seen
 * in that time, or until the waiter (may be NULL) hears a signal. */
pid_t tsh_file_holder(const char *file, const struct tsh_waiter *waiter);
/* "top" or the name. */
const char *tsh_instance_label(const struct tsh_instance *in);
/*
 * Gives the word for an instance's name (NULL: the top-level one), and the name that a word stands for. "top"
 * is the top-level instance; one that somebody has called so is "instances/top".
 */
const char *tsh_instance_shown(const char *name);
const char *tsh_instance_named(const char *word);

/* ---- reading; paths are relative to the instance ---- */

/*
 * Appends the whole file. 0 or -errno. Refuses (-EPERM) what reading would consume
 * or destroy (trace_pipe, trace_pipe_raw, free_buffer, ..): see the class table.
 */
int tsh_file_read(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out);
/* Its text without the last newline; the caller frees it. NULL when it cannot be read. */
char *tsh_file_text(const struct tsh_instance *in, const char *path);
/* The same of what the kernel, or the tree, has there, whatever a script would have made of it. */
char *tsh_file_kernel_text(const struct tsh_instance *in, const char *path);
/* Adds the words of a file of names; none when it cannot be read. A file that somebody made
 * may have more than TSH_WORDS_MAX, which no list of events has: the rest is not looked at, which is the command's
 * error. */
#define TSH_WORDS_MAX 65536
void tsh_file_words(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/*
 * Somebody's tree decides neither memory nor time: tsh_file_read reads 16 MB of a file and 128 MB
 * of all of them, with 32 bytes more for each line, until tsh_dir_forget_unread, which whoever runs
 * commands calls before and behind each. How many files (65,536 at most) were left out meanwhile, or
 * not read whole: a list of more than 65,536 events, or more words than TSH_WORDS_MAX;
 * the same as an error: 0, or -1 with err, which says how much and what to type.
 */
size_t tsh_dir_unread(struct tsh_dir *dir);
int tsh_dir_check_unread(struct tsh_dir *dir, struct tsh_err *err);
void tsh_dir_forget_unread(struct tsh_dir *dir);
/* A number; `otherwise` when it cannot be read. */
uint64_t tsh_file_number(const struct tsh_instance *in, const char *path, uint64_t otherwise);
/* Gives a number of per_cpu/cpuN/stats by its name ("entries", "overrun"); 0: the text is NULL or has it not. */
uint64_t tsh_stats_number(const char *stats, const char *name);
/* A descriptor (O_CLOEXEC) for reading on; flags may add O_NONBLOCK. -errno. */
int tsh_file_open(const struct tsh_instance *in, const char *path, int flags);
/* Says why a file cannot be read, by a number of tsh_file_open or tsh_file_read; of a recording
 * also what is there in place of a file, and the way out. Returns -1. */
int tsh_file_blame(const struct tsh_instance *in, const char *path, int number, struct tsh_err *err);
bool tsh_file_exists(const struct tsh_instance *in, const char *path);
/* Says whether the file stands in the top instance, and not in this one. */
bool tsh_file_is_tops(const struct tsh_instance *in, const char *path);
#define TSH_HINT_TOPS "the top instance alone has it: instance use top"
enum tsh_snapshot_state {
	TSH_SNAPSHOT_NONE,	/* this kernel has none */
	TSH_SNAPSHOT_FREE,
	TSH_SNAPSHOT_EMPTY,	/* memory, without events */
	TSH_SNAPSHOT_FULL,
};
/* Reads it from the beginning of the file, however long that is (kernel/trace/trace.c, print_snapshot_help). */
enum tsh_snapshot_state tsh_snapshot_state(const struct tsh_instance *in);
/* Gives how many events the snapshot holds: by its header, or its lines where there is none. */
uint64_t tsh_snapshot_entries(const struct tsh_instance *in);
/* Names in a directory, sorted, without . and ..; -errno. */
int tsh_file_list(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret);
/* Gives the numbers of per_cpu/cpuN, sorted. The caller frees them; 0 and NULL: they cannot be listed. */
struct tsh_cpuset;
size_t tsh_cpus_present(const struct tsh_instance *in, unsigned int **ret_cpus);

/* ---- writing: the only way into tracefs ---- */

enum tsh_write_how {
	TSH_WRITE_SET,		/* the file's value becomes this */
	TSH_WRITE_ADD,		/* a line is added to a list */
	TSH_WRITE_CLEAR,	/* O_TRUNC: the list becomes empty, the buffer is erased */
	TSH_WRITE_LESS,		/* a list becomes this, which is what it was without some of its lines */
	TSH_WRITE_EXPECTED,	/* the journal's: by the kernel, when a trigger fires */
};

/*
 * Writes through the file's class: its open flags, the value before (into the
 * journal), one write(2), and what the kernel made of it. A value that is there
 * already is not written. `text` needs no newline.
 *
 * Returns 1 when it was written, 0 when the value was there already. Errors: err
 * says what, with the kernel's errno in err->number; a class that is never written
 * (free_buffer, ..) gives its reason.
 */
int tsh_file_write(struct tsh_instance *in, const char *path, enum tsh_write_how how,
		   const char *text, struct tsh_err *err);

/* Refuses a text of which nothing reaches the kernel: an empty one, where none clears the file. 0, or -1 with err. */
int tsh_write_check_text(const struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
			 struct tsh_err *err);

/* Names what a write, or taking one back, makes the kernel erase. */
enum tsh_erases {
	TSH_ERASES_BUFFER = 1 << 0,		/* all events of the buffer */
	TSH_ERASES_SOME = 1 << 1,		/* perhaps: the oldest ones, for which a smaller one has no room */
	TSH_ERASES_SNAPSHOT = 1 << 2,		/* all events of the snapshot */
	TSH_ERASES_SNAPSHOT_SOME = 1 << 3,	/* perhaps, as of the buffer, whose size it has */
	TSH_ERASES_ELSEWHERE = 1 << 4,		/* both, in each instance where the event that goes was ever on */
	TSH_ERASES_NAMES = 1 << 5,		/* the names of the tasks of all events, in all instances */
};
#define TSH_ERASES_ALL (TSH_ERASES_BUFFER | TSH_ERASES_SNAPSHOT)
/* Says that of tsh_file_write; 0: nothing, or there is none of these events. A size is in KB. */
unsigned int tsh_write_erases(const struct tsh_instance *in, const char *path, enum tsh_write_how how,
			      const char *text);
/* "trace" or that of a CPU */
bool tsh_is_trace_file(const char *path);

/* ---- the class of a file ---- */

enum tsh_class_flags {
	TSH_CLASS_NO_READ = 1 << 0,	/* reading consumes or destroys */
	TSH_CLASS_NO_WRITE = 1 << 1,	/* never written by us; .why says it */
	TSH_CLASS_LIST = 1 << 2,	/* lines; SET truncates and adds, restore too */
	TSH_CLASS_ADD_ONLY = 1 << 3,	/* O_TRUNC would destroy other people's work */
	TSH_CLASS_ERASES = 1 << 4,	/* a write erases the buffer */
	TSH_CLASS_TRIGGER = 1 << 5,	/* an event's trigger file */
	TSH_CLASS_PROBE = 1 << 6,	/* probes and synthetic events */
	TSH_CLASS_NO_UNDO = 1 << 7,	/* a marker, an erased buffer: events, not settings */
	TSH_CLASS_BITS = 1 << 8,	/* 0/1 with the kernel's marks: 1*, 0* */
	TSH_CLASS_FILTER = 1 << 9,	/* an event's filter */
	TSH_CLASS_WORDS = 1 << 10,	/* each word of a text is a line */
	TSH_CLASS_PIDS = 1 << 13,	/* always written, also what seems to be there */
	TSH_CLASS_OPTIONS = 1 << 14,	/* trace_options: name or noname */
	TSH_CLASS_PLAIN_TEXT = 1 << 15,	/* write the text as it is, without a newline */
};

/* The comparator of a class: when two readings of a file are the same setting. */
enum tsh_compare {
	TSH_SAME_NEVER,		/* not a setting */
	TSH_SAME_TEXT,
	TSH_SAME_BIT,		/* "1*" is 1 */
	TSH_SAME_FILTER,	/* "none" is 0; so is a filter that the kernel refused */
	TSH_SAME_CHOICE,	/* the word in [brackets] */
	TSH_SAME_SIZE,		/* within a page; "7 (expanded: 1408)" is 1408 */
	TSH_SAME_MASK,		/* a CPU mask; zero groups differ */
	TSH_SAME_OPTION,	/* one option's name, or noname */
	TSH_SAME_LINES,		/* in any order, without comments */
	TSH_SAME_TRIGGERS,	/* likewise, but for the counts */
	TSH_SAME_FUNCTIONS,	/* likewise: names, and commands with counts */
	TSH_SAME_PIDS,		/* what the kernel removes and adds is the same */
	TSH_SAME_ANY,		/* the kernel writes it all the time */
};

/* The inverse of a class: how a value from before is brought back. */
enum tsh_inverse {
	TSH_BACK_NONE,		/* there is no way back */
	TSH_BACK_WRITE,		/* written as it was */
	TSH_BACK_REPLACE,	/* truncated, then written: a list */
	TSH_BACK_SIZES,		/* written; CPU by CPU where they differed */
	TSH_BACK_FUNCTIONS,	/* names replaced, commands line by line */
	TSH_BACK_LINES,		/* ours are taken away, oldest last; missing ones added */
	TSH_BACK_TRIGGERS,	/* likewise with '!'; the kernel lists the newest first */
	TSH_BACK_PROBES,	/* likewise with "-:" */
	TSH_BACK_SYNTHETIC,	/* likewise with "!NAME" */
};

struct tsh_file_class {
	const char *pattern;		/* glob over the path below the instance */
	unsigned int flags;
	enum tsh_compare compare;
	enum tsh_inverse inverse;
	const char *why;		/* of NO_READ, NO_WRITE; or what a write destroys */
	const char *drifts;		/* what the kernel changes by itself; or NULL */
};

/* The class of a path; never NULL (the last entry matches everything). */
const struct tsh_file_class *tsh_file_class(const char *path);
/* A value as one writes it back: "none" to "0", "[boot]" out of a choice, "1*" to
 * "1", "7 (expanded: 1408)" to "1408". The caller frees it. */
char *tsh_class_normalize(const struct tsh_file_class *cls, const char *text);
/* Whether a text that was written, or read earlier, and the kernel's text `now` are the
 * same setting, by the comparator. */
bool tsh_class_equal(const struct tsh_file_class *cls, const char *wanted, const char *now);
/* What a file holds that read `before`, then `after` our write, and reads `now`. */
enum tsh_standing {
	TSH_STANDS_OURS,	/* to be taken back */
	TSH_STANDS_BEFORE,	/* it is what it was before: nothing to do */
	TSH_STANDS_THEIRS,	/* somebody else has changed it since */
};
/*
 * `after` may be NULL: not known. Of files that one may only add to, only our own lines
 * count: what others added or removed meanwhile is no change of ours. Pid lists are
 * never TSH_STANDS_BEFORE: emptied by the kernel one reads like the default, and mutes.
 */
enum tsh_standing tsh_class_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now);

#endif
