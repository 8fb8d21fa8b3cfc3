/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "tracesh/process.h"
#include "tracesh/safe-file.h"
#include "write.h"

/* How often the lock is asked for, and for how long. One that reads all events writes for some
 * milliseconds; one that is stopped does not go on. */
#define STEP_MS 2
#define LOOK_MS 100
#define WAIT_MS 10000
#define UNDO_MS 2000

/* The folder that is locked, which every tracefs has; nobody else locks it. */
static int open_lock(const struct tsh_dir *dir)
{
	int fd = tsh_open_beneath(dir->fd, "instances", O_RDONLY | O_DIRECTORY);

	return fd == -ENOENT ? tsh_open_beneath(dir->fd, "events", O_RDONLY | O_DIRECTORY) : fd;
}

/* False: a signal has come. */
static bool wait_a_moment(const struct tsh_waiter *waiter)
{
	enum tsh_wait_result result = TSH_WAIT_TIMEOUT;

	if (waiter)
		result = tsh_wait(waiter, NULL, 0, STEP_MS);
	else
		usleep(STEP_MS * 1000);
	return result == TSH_WAIT_TIMEOUT;
}

static bool holder_is_stopped(int fd)
{
	pid_t holder = tsh_lock_holder(fd);

	return holder && tsh_process_is_stopped(holder);
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

/* 0, or -errno: EINTR where a signal has come, EBUSY where whoever has it keeps it. */
static int lock_within(struct tsh_dir *dir, struct tsh_write_lock *lock, int fd,
		       const struct tsh_waiter *waiter, int ms)
{
	int waited, r;

	for (waited = 0; (r = try_lock(lock, fd)) < 0; waited += STEP_MS) {
		if (r != -EWOULDBLOCK && r != -EINTR)
			return r;
		/* What was waited for once is not waited for again. */
		if (dir->lock_is_kept || waited >= ms ||
		    (waited % LOOK_MS == 0 && holder_is_stopped(fd))) {
			dir->lock_is_kept = true;
			return -EBUSY;
		}
		if (!wait_a_moment(waiter))
			return -EINTR;
	}
	dir->lock_is_kept = false;
	return 0;
}

/* 0, or -errno; the lock is not held then. */
static int take_lock(struct tsh_dir *dir, struct tsh_write_lock *lock,
		     const struct tsh_waiter *waiter, int ms)
{
	int fd, r;

	*lock = (struct tsh_write_lock){ .fd = -1 };
	if (dir->dry)
		return 0;
	fd = open_lock(dir);
	if (fd < 0)
		return fd;
	r = lock_within(dir, lock, fd, waiter, ms);
	if (r == -EBUSY)
		lock->holder = tsh_lock_holder(fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	lock->fd = fd;
	return 0;
}

/* Who keeps the lock, as the subject of a sentence; the caller frees it. */
static char *holder_name(pid_t holder)
{
	if (!holder)
		return tsh_xstrdup("another tracesh");
	return tsh_xasprintf("tracesh (process %d%s)", (int)holder,
			     tsh_process_is_stopped(holder) ? ", which is stopped" : "");
}

int tsh_write_lock(struct tsh_dir *dir, const char *path, struct tsh_write_lock *lock,
		   struct tsh_err *err)
{
	int r = take_lock(dir, lock, dir->waiter, WAIT_MS);
	char *who;

	if (!r)
		return 0;
	if (r != -EBUSY) {
		tsh_err_errno(err, -r, "'%s' is not written: the lock cannot be had", path);
		return -1;
	}
	who = holder_name(lock->holder);
	tsh_err_set(err, TSH_FAILED, "'%s' is not written: %s is writing, and does not go on", path,
		    who);
	err->number = EBUSY;
	if (lock->holder)
		tsh_err_hint(err, "in its shell: fg; or: kill -CONT %d", (int)lock->holder);
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
	who = holder_name(lock->holder);
	note = tsh_xasprintf("%s is writing, and does not go on: taken back without waiting for it", who);
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
