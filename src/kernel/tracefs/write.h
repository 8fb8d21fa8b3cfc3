/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_WRITE_H
#define TRACESH_KERNEL_TRACEFS_WRITE_H

/* Between the file layer and the journal: nobody else calls these. */

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "kernel/journal/journal.h"
#include "tracefs.h"

/*
 * open (with O_TRUNC when truncate), write a line, close. text may be NULL: only
 * the truncation. 0 or -errno.
 */
int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* Gives the text that is written for one that was typed: numbers in digits, triggers with their colon. The caller
 * frees it. */
char *tsh_write_text(const char *path, const char *text);
/*
 * A buffer that reads "7 (expanded: 1408)" gets its size when it is first used; one CPU's file
 * says only "7". The size that CPU will have, or NULL: it has it, or path is not a CPU's size.
 */
char *tsh_expand_size(const struct tsh_instance *in, const char *path);
/* Before a CPU's size is written, which makes the kernel forget that the others are still small.
 * 0 or -errno. */
int tsh_expand_others(const struct tsh_instance *in, const char *path);
/*
 * Around the write of an instance's size, which may make an old kernel forget what size the
 * top-level buffer has yet to get: that size, or NULL; and, where it was forgotten, it is given.
 * The latter frees the size; 0 or -errno.
 */
char *tsh_expand_expected(const struct tsh_instance *in, const char *path);
int tsh_expand_forgotten(const struct tsh_instance *in, char *size);
/*
 * What the journal keeps of a file before and after `text` is written to it; *ret is
 * NULL when there is no way back. The caller frees it. 0, or -errno: it cannot be read.
 */
int tsh_write_image(const struct tsh_instance *in, const char *path, const char *text,
		    char **ret);
/* Adds an entry for what a trigger, or a function's command, will switch: that is taken back as if it were
 * written here. False: there is nothing to expect. */
bool tsh_expect_switched(struct tsh_instance *in, const char *trigger);
/*
 * Around a write that may remove probes: adds entries for the filters of their events, which go along, in each instance,
 * and drops those of events that have stayed. The number of the first; 0: it removes none.
 */
unsigned int tsh_expect_unfiltered(struct tsh_instance *in, const char *path, const char *text);
void tsh_settle_unfiltered(struct tsh_dir *dir, unsigned int first);
/* Of set_event: without the events that only a trigger has armed. */
int tsh_image_events(const struct tsh_instance *in, const char *text, char **ret);
/* Of a buffer_size_kb that reads "X": with a line "CPU SIZE" for each. */
int tsh_image_sizes(const struct tsh_instance *in, char **ret);
/* Of a list of probes, when the text that is written is about one of a session's own group, whose
 * name nobody else uses: that line alone, or nothing where there is no such event. Of a line that
 * takes it away as the list has it. False: it is something else. *ret_r: 0 or -errno. */
bool tsh_image_own_probe(const struct tsh_instance *in, const char *path, const char *text,
			 int *ret_r, char **ret);
/* Between reading a file and writing it no other tracesh writes: else what it wrote would look
 * like ours. */
struct tsh_write_lock {
	int fd;			/* -1: not held; a dry run needs none */
	pid_t holder;		/* who keeps it; 0: not known */
	bool is_stopped;	/* and does not go on */
	sigset_t mask;		/* the caller's: Ctrl-Z waits meanwhile */
};
/*
 * Take the lock to write `path`, which is for messages. Waits through dir->waiter for one that runs, up to a
 * minute, and says who that is; not for one that is stopped. 0, or -1 with err, and
 * nothing may be written: a signal has come (EINTR), somebody keeps it (EBUSY).
 */
int tsh_write_lock(struct tsh_dir *dir, const char *path, struct tsh_write_lock *lock,
		   struct tsh_err *err);
/*
 * The same for the way back, which may not depend on others, and goes on after a signal: it waits for one that runs
 * up to five minutes, or until another signal comes. What is to be said where the lock could not be had, and is
 * done without; the caller frees it. NULL: it is held.
 */
char *tsh_write_lock_for_undo(struct tsh_dir *dir, struct tsh_write_lock *lock);
/* Give it back; nothing is done where it is not held. */
void tsh_write_unlock(struct tsh_write_lock *lock);
/* Makes a file that now reads `now` what it was before the entry. 0 or -errno. */
int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);
/* rmdir, tried again for a tenth of a second while it is busy. 0 or -errno. */
int tsh_instance_remove(struct tsh_dir *dir, const char *name);

/*
 * Switches trace_printk_dest off in the instance that has it, before another one takes it: the kernel gives
 * it back to the top instance only, and the entry of this write to whom it was taken from.
 */
int tsh_release_printk(struct tsh_instance *in, const char *path, const char *text, struct tsh_err *err);

#endif
