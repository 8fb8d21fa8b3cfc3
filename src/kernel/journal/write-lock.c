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

/* How often the lock is asked for, how often it is looked who has it, and after how long that is said. */
#define STEP_MS 2
#define LOOK_MS 100
#define SAY_MS 2000
/* Takes for stopped who is so each time for a second: one that strace(1) looks at is so again and again. */
#define STOPPED_LOOKS 10
/* How long is waited for one that runs. It writes for some milliseconds, and takes long lists back for seconds. What
 * is not written now can be later; what is taken back without the lock may leave a wrong list. */
#define WAIT_MS 60000
#define UNDO_MS 300000
/* Bounds the wait when a signal comes before it was said. A session that is just ending is often sent one. */
#define EARLY_MS 10000

/* The folder that is locked, which every tracefs has; nobody else locks it. */
static int open_lock(const struct tsh_dir *dir)
{
	int fd = tsh_open_beneath(dir->fd, "instances", O_RDONLY | O_DIRECTORY);

	return fd == -ENOENT ? tsh_open_beneath(dir->fd, "events", O_RDONLY | O_DIRECTORY) : fd;
}

/* Ask for it once. 0 or -errno. Ctrl-Z waits until it is given back: all others would wait for us. */
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

/* Names who has the lock, as the subject of a sentence; the caller frees it. */
static char *holder_name(const struct tsh_write_lock *lock)
{
	if (!lock->holder)
		return tsh_xstrdup("another tracesh");
	return tsh_xasprintf("tracesh (process %d%s)", (int)lock->holder,
			     lock->is_stopped ? ", which is stopped" : "");
}

static void say_who(const struct tsh_dir *dir, const struct tsh_write_lock *lock)
{
	const struct tsh_journal_hooks *hooks = dir->journal ? dir->journal->hooks : NULL;
	char *who, *text;

	if (!hooks || !hooks->warn)
		return;
	who = holder_name(lock);
	text = tsh_xasprintf("%s is writing, and is waited for", who);
	hooks->warn(hooks->ctx, text);
	free(text);
	free(who);
}

/* A wait for the lock. */
struct lock_wait {
	struct tsh_dir *dir;
	struct tsh_write_lock *lock;
	const struct tsh_waiter *waiter;	/* NULL: the way back, after a signal, too */
	sigset_t pending;			/* signals that had come before it */
	int ms, waited;
	bool is_early;				/* a signal has come before the wait was said */
	unsigned int stopped;			/* looks in a row at which whoever has it was stopped */
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

/* False: a signal has come. */
static bool wait_a_moment(struct lock_wait *wait)
{
	wait->waited += STEP_MS;
	if (wait->waiter)
		return tsh_wait(wait->waiter, NULL, 0, STEP_MS) == TSH_WAIT_TIMEOUT;
	usleep(STEP_MS * 1000);
	if (wait->is_early || !has_signal(wait))
		return true;
	if (wait->waited > SAY_MS)
		return false;
	wait->is_early = true;
	wait->ms = EARLY_MS;
	return true;
}

/* Looks who has it; says whether that one is not waited for: it is stopped, or was waited for before. */
static bool is_kept(struct lock_wait *wait, int fd)
{
	pid_t holder = tsh_lock_holder(fd);
	bool known = holder == wait->dir->lock_keeper;

	wait->lock->holder = holder;
	wait->lock->is_stopped = holder && tsh_process_is_stopped(holder);
	wait->stopped = wait->lock->is_stopped ? wait->stopped + 1 : 0;
	if (wait->stopped == STOPPED_LOOKS) {
		wait->dir->lock_keeper = holder;
		wait->dir->lock_is_kept = false;
	}
	return wait->stopped == STOPPED_LOOKS || (known && (wait->dir->lock_is_kept || wait->stopped));
}

/* 0, or -errno: EINTR where a signal has come, EBUSY where whoever has it keeps it. */
static int lock_within(struct lock_wait *wait, int fd)
{
	struct tsh_dir *dir = wait->dir;
	int r;

	sigpending(&wait->pending);
	while ((r = try_lock(wait->lock, fd)) < 0) {
		bool heard = false;

		if (r != -EWOULDBLOCK && r != -EINTR)
			return r;
		if (wait->waited % LOOK_MS == 0 && is_kept(wait, fd))
			return -EBUSY;
		if (wait->waited == SAY_MS)
			say_who(dir, wait->lock);
		if (wait->waited < wait->ms)
			heard = !wait_a_moment(wait);
		if (heard && wait->waiter)
			return -EINTR;
		/* What was waited for once is not waited for again. */
		if (heard || wait->waited >= wait->ms) {
			dir->lock_keeper = wait->lock->holder;
			dir->lock_is_kept = true;
			return -EBUSY;
		}
	}
	dir->lock_keeper = 0;
	dir->lock_is_kept = false;
	return 0;
}

/* 0, or -errno; the lock is not held then. */
static int take_lock(struct tsh_dir *dir, struct tsh_write_lock *lock,
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
	int r = take_lock(dir, lock, dir->waiter, WAIT_MS), pid;
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
	int r = take_lock(dir, lock, NULL, UNDO_MS);
	char *who, *note;

	if (!r)
		return NULL;
	if (r != -EBUSY)
		return tsh_xasprintf("taken back without the lock of tracesh: %s", strerror(-r));
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
	/* The guard, forked meanwhile, may still have it open. */
	flock(lock->fd, LOCK_UN);
	close(lock->fd);
	lock->fd = -1;
	pthread_sigmask(SIG_SETMASK, &lock->mask, NULL);
}
