/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write-lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/process.h"
#include "base/safe-file.h"
#include "journal.h"

/* Define the milliseconds between two tries to lock, between two searches for the holder, and until
 * the wait is reported. */
#define STEP_MS 2
#define CHECK_MS 100
#define REPORT_MS 2000
/* Counts how often in a row, once in CHECK_MS, the holder must be stopped: one that strace(1)
 * traces is stopped again and again for moments. */
#define STOPPED_CHECKS 10
/* Limit the wait for a holder that runs, in milliseconds. A write takes some milliseconds, and
 * restoring long lists seconds. A write can be repeated later, but undo without the lock may leave
 * a wrong list, so it waits longer. */
#define WAIT_MS 60000
#define UNDO_MS 300000
/* Limits the wait in milliseconds when a signal comes before the wait is reported: a session that
 * is ending often gets one. */
#define EARLY_MS 10000

/* Opens the directory that is locked, which nobody else locks: instances, or events on kernels
 * before 3.10, which have no instances. */
static int open_lock(const struct tsh_dir *dir)
{
	int fd = tsh_open_beneath(dir->fd, "instances", O_RDONLY | O_DIRECTORY);

	return fd == -ENOENT ? tsh_open_beneath(dir->fd, "events", O_RDONLY | O_DIRECTORY) : fd;
}

/* Tries to lock once. Returns 0 or -errno. Blocks SIGTSTP until the lock is released, since all
 * others would wait for a stopped process. */
static int try_lock(struct tsh_write_lock *lock, int fd)
{
	sigset_t stop;
	int r;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	pthread_sigmask(SIG_BLOCK, &stop, &lock->mask);
	r = flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
	if (r < 0)
		pthread_sigmask(SIG_SETMASK, &lock->mask, NULL);
	return r;
}

/* Returns the holder's name as the subject of a sentence. The caller frees it. */
static char *holder_name(const struct tsh_write_lock *lock)
{
	if (!lock->holder)
		return tsh_xstrdup("another tracesh");
	return tsh_xasprintf("tracesh (process %d%s)", (int)lock->holder,
			     lock->is_stopped ? ", which is stopped" : "");
}

static void report_holder(const struct tsh_dir *dir, const struct tsh_write_lock *lock)
{
	const struct tsh_journal_hooks *hooks = dir->journal ? dir->journal->hooks : NULL;
	char *who, *text;

	if (!hooks || !hooks->warn)
		return;
	who = holder_name(lock);
	text = tsh_xasprintf("waiting for %s, which is writing", who);
	hooks->warn(hooks->ctx, text);
	free(text);
	free(who);
}

/* Holds the state of a wait for the lock. */
struct lock_wait {
	struct tsh_dir *dir;
	struct tsh_write_lock *lock;
	const struct tsh_waiter *waiter;	/* NULL: for undo, which goes on after a signal */
	sigset_t pending;			/* signals that were pending before */
	int ms, waited;
	bool is_early;				/* a signal came before the wait was reported */
	unsigned int stopped;			/* how often in a row the holder was stopped */
};

/* Says whether a signal has come since the wait began. */
static bool has_signal(const struct lock_wait *wait)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t now;
	size_t i;

	sigpending(&now);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigismember(&now, signals[i]) && !sigismember(&wait->pending, signals[i]))
			return true;
	return false;
}

/* Returns false when a signal has come. */
static bool wait_briefly(struct lock_wait *wait)
{
	wait->waited += STEP_MS;
	if (wait->waiter)
		return tsh_wait(wait->waiter, NULL, 0, STEP_MS) == TSH_WAIT_TIMEOUT;
	usleep(STEP_MS * 1000);
	if (wait->is_early || !has_signal(wait))
		return true;
	if (wait->waited > REPORT_MS)
		return false;
	wait->is_early = true;
	wait->ms = EARLY_MS;
	return true;
}

/* Finds the holder. Says whether to give up: it is stopped, or was waited for before. */
static bool is_kept(struct lock_wait *wait, int fd)
{
	pid_t holder = tsh_lock_holder(fd);
	bool known = holder == wait->dir->lock_holder;

	wait->lock->holder = holder;
	wait->lock->is_stopped = holder && tsh_process_is_stopped(holder);
	wait->stopped = wait->lock->is_stopped ? wait->stopped + 1 : 0;
	if (wait->stopped == STOPPED_CHECKS) {
		wait->dir->lock_holder = holder;
		wait->dir->lock_is_held = false;
	}
	return wait->stopped == STOPPED_CHECKS || (known && (wait->dir->lock_is_held || wait->stopped));
}

/* Returns 0, or -errno: -EINTR when a signal has come, -EBUSY when the holder does not release the
 * lock. */
static int lock_within(struct lock_wait *wait, int fd)
{
	struct tsh_dir *dir = wait->dir;
	int r;

	sigpending(&wait->pending);
	while ((r = try_lock(wait->lock, fd)) < 0) {
		bool heard = false;

		if (r != -EWOULDBLOCK && r != -EINTR)
			return r;
		if (wait->waited % CHECK_MS == 0 && is_kept(wait, fd))
			return -EBUSY;
		if (wait->waited == REPORT_MS)
			report_holder(dir, wait->lock);
		if (wait->waited < wait->ms)
			heard = !wait_briefly(wait);
		if (heard && wait->waiter)
			return -EINTR;
		/* Remembers the holder, so that the next write does not wait for it again. */
		if (heard || wait->waited >= wait->ms) {
			dir->lock_holder = wait->lock->holder;
			dir->lock_is_held = true;
			return -EBUSY;
		}
	}
	dir->lock_holder = 0;
	dir->lock_is_held = false;
	return 0;
}

/* Locks. Returns 0, or -errno; then the lock is not held. */
static int lock_writes(struct tsh_dir *dir, struct tsh_write_lock *lock,
		       const struct tsh_waiter *waiter, int ms)
{
	struct lock_wait wait = { .dir = dir, .lock = lock, .waiter = waiter, .ms = ms };
	int fd, r;

	*lock = (struct tsh_write_lock){ .fd = -1 };
	if (tsh_dir_is_script(dir))
		return 0;
	fd = open_lock(dir);
	if (fd < 0)
		return fd;
	r = lock_within(&wait, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	lock->fd = fd;
	return 0;
}

int tsh_write_lock(struct tsh_dir *dir, const char *path, struct tsh_write_lock *lock,
		   struct tsh_err *err)
{
	int r = lock_writes(dir, lock, dir->waiter, WAIT_MS), pid;
	char *who;

	if (!r)
		return 0;
	if (r != -EBUSY) {
		tsh_err_errno(err, -r, "'%s' is not written: the lock cannot be had", path);
		return -1;
	}
	who = holder_name(lock);
	pid = (int)lock->holder;
	tsh_err_set(err, TSH_FAILED, "'%s' is not written: %s is writing, and %s", path, who,
		    lock->is_stopped ? "does not go on" : "has not ended for a minute");
	err->number = EBUSY;
	if (lock->is_stopped)
		tsh_err_hint(err, "in its shell: fg; or: kill -CONT %d", pid);
	else if (pid)
		tsh_err_hint(err, "when it has ended, again; or end it: kill %d", pid);
	free(who);
	return -1;
}

char *tsh_write_lock_for_undo(struct tsh_dir *dir, struct tsh_write_lock *lock)
{
	int r = lock_writes(dir, lock, NULL, UNDO_MS);
	char *who, *note;

	if (!r)
		return NULL;
	if (r != -EBUSY)
		return tsh_xasprintf("undone without the lock of tracesh: %s", strerror(-r));
	who = holder_name(lock);
	note = tsh_xasprintf("%s is writing, and %s: taken back without waiting for it%s", who,
			     lock->is_stopped ? "does not go on" : "has not ended",
			     lock->is_stopped ? "" : " any longer");
	free(who);
	return note;
}

void tsh_write_unlock(struct tsh_write_lock *lock)
{
	if (lock->fd < 0)
		return;
	/* Unlocks explicitly: a guard that was forked meanwhile may still have the descriptor. */
	flock(lock->fd, LOCK_UN);
	close(lock->fd);
	lock->fd = -1;
	pthread_sigmask(SIG_SETMASK, &lock->mask, NULL);
}
