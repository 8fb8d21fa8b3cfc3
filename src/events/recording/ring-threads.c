/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/thread.h"
#include "events/source/source.h"
#include "record.h"

/*
 * Threads that move pages besides the one that waits for signals. Each has a share of the CPUs; the
 * shares become smaller when another thread begins, which it does when one of them comes too late. A
 * thread that finds a ring in use waits for it, so that a ring has one thread at a time.
 */

struct helper {
	struct tsh_record_threads *all;
	pthread_t thread;
	unsigned int share;
};

struct tsh_record_threads {
	pthread_mutex_t lock;		/* of all that follows */
	pthread_cond_t changed;
	struct tsh_rings *rings;	/* NULL: there is nothing to do */
	unsigned int shares;		/* threads that move pages, the caller's among them */
	unsigned int working;		/* helpers that do so */
	bool is_late;			/* one of them needs help */
	bool has_failed, ends;
	struct tsh_err err;
	unsigned int n;
	struct helper v[TSH_RECORD_THREADS_MAX - 1];
};

static bool has_work(const struct helper *h)
{
	const struct tsh_record_threads *all = h->all;

	return all->rings && !all->has_failed && !all->ends && h->share < all->shares;
}

/* Says whether a share was too large for its thread: much has come while it was moved. */
static bool is_late(unsigned int fill, uint64_t began)
{
	return fill >= TSH_FILL_HIGH && tsh_mono_ns() - began >= 1000000;
}

/* Waits until something changes, or for some time; the lock is held. */
static void wait_ms(struct tsh_record_threads *all, unsigned int ms)
{
	struct timespec until;

	if (!ms)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)ms * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&all->changed, &all->lock, &until);
}

/* Moves the pages of a helper's share once, without the lock. */
static void move_share(struct helper *h, struct tsh_mover *mover, unsigned int *ret_fill)
{
	struct tsh_record_threads *all = h->all;
	struct tsh_share share = { h->share, all->shares };
	struct tsh_rings *rings = all->rings;
	struct tsh_err err = { 0 };
	uint64_t began = tsh_mono_ns();
	bool late;
	int64_t n;

	pthread_mutex_unlock(&all->lock);
	n = tsh_rings_move(rings, mover, share, ret_fill, &err);
	late = is_late(*ret_fill, began);
	pthread_mutex_lock(&all->lock);
	all->is_late |= late;
	if (n < 0 && !all->has_failed) {
		all->has_failed = true;
		all->err = err;
		err = (struct tsh_err){ 0 };
	}
	tsh_err_release(&err);
}

static void work(struct helper *h)
{
	struct tsh_record_threads *all = h->all;
	int nice = tsh_record_raise_priority();
	struct tsh_mover mover;
	unsigned int fill;

	all->working++;
	tsh_mover_open(&mover, all->rings);
	while (has_work(h)) {
		move_share(h, &mover, &fill);
		if (has_work(h))
			wait_ms(all, tsh_mover_wait_ms(&mover, fill));
	}
	tsh_mover_close(&mover);
	tsh_record_restore_priority(nice);
	all->working--;
	pthread_cond_broadcast(&all->changed);
}

static void *help(void *ctx)
{
	struct helper *h = ctx;
	struct tsh_record_threads *all = h->all;

	pthread_mutex_lock(&all->lock);
	while (!all->ends) {
		if (has_work(h))
			work(h);
		else
			pthread_cond_wait(&all->changed, &all->lock);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

/* ---- for the thread that waits for signals ---- */

struct tsh_record_threads *tsh_record_threads_start(unsigned int threads)
{
	struct tsh_record_threads *all;
	pthread_condattr_t attr;

	if (threads > TSH_RECORD_THREADS_MAX)
		threads = TSH_RECORD_THREADS_MAX;
	if (threads < 2)
		return NULL;
	all = tsh_xcalloc(1, sizeof(*all));
	pthread_mutex_init(&all->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&all->changed, &attr);
	pthread_condattr_destroy(&attr);
	/* A thread that cannot be started leaves its CPUs to the others. */
	for (; all->n < threads - 1; all->n++) {
		all->v[all->n] = (struct helper){ .all = all, .share = all->n + 1 };
		if (!tsh_thread_start(&all->v[all->n].thread, help, &all->v[all->n]))
			break;
	}
	if (all->n)
		return all;
	tsh_record_threads_end(all);
	return NULL;
}

void tsh_record_threads_end(struct tsh_record_threads *all)
{
	unsigned int i;

	if (!all)
		return;
	pthread_mutex_lock(&all->lock);
	all->ends = true;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	for (i = 0; i < all->n; i++)
		pthread_join(all->v[i].thread, NULL);
	pthread_cond_destroy(&all->changed);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

void tsh_rings_begin_threads(struct tsh_rings *rings, struct tsh_record_threads *all)
{
	/* where room is scarce already, one thread deals with it */
	if (!all || rings->scarce || rings->n < 2)
		return;
	pthread_mutex_lock(&all->lock);
	rings->threads = all;
	all->rings = rings;
	all->shares = 1;
	pthread_mutex_unlock(&all->lock);
}

int tsh_rings_move_own(struct tsh_rings *rings, unsigned int *ret_fill, struct tsh_err *err)
{
	struct tsh_record_threads *all = rings->threads;
	struct tsh_share share = { 0, 1 };
	uint64_t began;
	bool ends;

	if (!all)
		return tsh_rings_move(rings, &rings->mover, share, ret_fill, err) < 0 ? -1 : 0;
	pthread_mutex_lock(&all->lock);
	share.step = all->shares;
	pthread_mutex_unlock(&all->lock);
	began = tsh_mono_ns();
	if (tsh_rings_move(rings, &rings->mover, share, ret_fill, err) < 0)
		return -1;
	pthread_mutex_lock(&all->lock);
	if ((is_late(*ret_fill, began) || all->is_late) && all->shares <= all->n && all->shares < rings->n) {
		all->shares++;
		pthread_cond_broadcast(&all->changed);
	}
	all->is_late = false;
	ends = all->has_failed || rings->wants_one;
	pthread_mutex_unlock(&all->lock);
	return ends ? tsh_rings_end_threads(rings, err) : 0;
}

int tsh_rings_end_threads(struct tsh_rings *rings, struct tsh_err *err)
{
	struct tsh_record_threads *all = rings->threads;
	int result = 0;

	if (!all)
		return 0;
	pthread_mutex_lock(&all->lock);
	all->rings = NULL;
	pthread_cond_broadcast(&all->changed);
	while (all->working)
		pthread_cond_wait(&all->changed, &all->lock);
	if (all->has_failed) {
		*err = all->err;
		result = -1;
	}
	all->err = (struct tsh_err){ 0 };
	all->has_failed = all->is_late = false;
	pthread_mutex_unlock(&all->lock);
	rings->threads = NULL;
	return result;
}
