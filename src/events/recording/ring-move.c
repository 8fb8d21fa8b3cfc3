/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "events/source/source.h"

#define PIPE_BYTES (1 << 20)
#define SMALL_PAGES 3
#define RETRY_NS UINT64_C(1000000000)
#define TICK_MIN_MS 1
#define TICK_MAX_MS 20
/* Bounds the part of a buffer that fills between two ticks. When it is less, the next wait may be
 * longer; when it is TSH_FILL_HIGH or more, it is shorter. */
#define FILL_LOW 3		/* percent */

/* Moves pages from the buffers of the CPUs into the files of a recording. */

/* ---- what one thread moves pages with ---- */

static void close_pipe(struct tsh_mover *mover)
{
	if (mover->pipe[0] >= 0) {
		close(mover->pipe[0]);
		close(mover->pipe[1]);
	}
	mover->pipe[0] = mover->pipe[1] = -1;
}

static void open_pipe(struct tsh_mover *mover, size_t page_size)
{
	int size;

	if (pipe2(mover->pipe, O_CLOEXEC) < 0) {
		mover->pipe[0] = mover->pipe[1] = -1;
		return;
	}
	fcntl(mover->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	size = fcntl(mover->pipe[1], F_GETPIPE_SZ);
	mover->pipe_size = size > 0 ? (size_t)size : 0;
	if (mover->pipe_size < page_size)
		close_pipe(mover);
}

void tsh_mover_open(struct tsh_mover *mover, const struct tsh_rings *rings)
{
	*mover = (struct tsh_mover){ .tick_ms = TICK_MIN_MS };
	open_pipe(mover, rings->page_size);
	mover->chunk = tsh_xmalloc(RING_CHUNK > rings->page_size ? RING_CHUNK : rings->page_size);
}

void tsh_mover_close(struct tsh_mover *mover)
{
	close_pipe(mover);
	free(mover->chunk);
}

unsigned int tsh_mover_wait_ms(struct tsh_mover *mover, unsigned int fill)
{
	if (fill >= TSH_FILL_HIGH)
		mover->tick_ms = TICK_MIN_MS;
	else if (fill <= FILL_LOW)
		mover->tick_ms = mover->tick_ms * 2 > TICK_MAX_MS ? TICK_MAX_MS : mover->tick_ms * 2;
	/* more than half of the buffer came in one tick */
	return fill >= 50 ? 0 : mover->tick_ms;
}

/* ---- into the file ---- */

/* Returns by how much the file may grow: whole pages out of `want` bytes. */
static uint64_t grant(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t own, common;

	if (!rings->bounded)
		return want;
	own = want < ring->own_left ? want : ring->own_left;
	ring->own_left -= own;
	pthread_mutex_lock(&rings->lock);
	common = want - own < rings->common_left ? want - own : rings->common_left;
	rings->common_left -= common;
	pthread_mutex_unlock(&rings->lock);
	return own + common;
}

static int refuse_write(const struct tsh_rings *rings, const struct tsh_ring *ring, int number, struct tsh_err *err)
{
	char *word;

	tsh_err_errno(err, number, "cannot write the events of cpu %d to '%s'", ring->cpu,
		      rings->tree->path);
	word = tsh_typed_word(rings->tree->path);
	tsh_err_hint(err, "the events recorded before can be read: tracesh --tracefs %s drain; --max "
			  "SIZE limits a recording", word);
	free(word);
	return -1;
}

/* Handles a buffer for whose pages there is no room. Returns 0 when it is empty, or -1 with err. */
static int check_unwritten(const struct tsh_rings *rings, const struct tsh_ring *ring, int number, struct tsh_err *err)
{
	return tsh_ring_entries(rings, ring) ? refuse_write(rings, ring, number, err) : 0;
}

/* Handles a failed write of which `done` bytes were written. The complete pages stay in
 * the file. */
static int fail_write(const struct tsh_rings *rings, struct tsh_ring *ring, uint64_t done, int number,
		      struct tsh_err *err)
{
	ring->at += done / rings->page_size * rings->page_size;
	if (ring->at > ring->size)
		ring->size = ring->at;
	/* A part of a page that cannot be cut off is ignored by readers. */
	if (ftruncate(ring->out, (off_t)ring->size) < 0)
		number = errno;
	ring->reserved = ring->size;
	return refuse_write(rings, ring, number, err);
}

/* Writes the whole chunk. Returns its length, or -1. */
static ssize_t write_chunk(const struct tsh_mover *mover, const struct tsh_ring *ring, size_t len,
			   uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pwrite(ring->out, mover->chunk + done, len - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return (ssize_t)len;
}

/* Writes some of `len` bytes, from `bytes`, or from the pipe (NULL). */
static ssize_t write_some(const struct tsh_mover *mover, const struct tsh_ring *ring,
			  const unsigned char *bytes, size_t len, uint64_t offset)
{
	loff_t at = (loff_t)offset;
	ssize_t n;

	if (bytes)
		return pwrite(ring->out, bytes, len, (off_t)offset);
	n = splice(mover->pipe[0], NULL, ring->out, &at, len, SPLICE_F_MOVE);
	if (n >= 0 || errno != EINVAL)
		return n;
	/* the file system cannot splice: copies */
	n = read(mover->pipe[0], mover->chunk, len < RING_CHUNK ? len : RING_CHUNK);
	return n <= 0 ? n : write_chunk(mover, ring, (size_t)n, offset);
}

static int write_span(struct tsh_rings *rings, const struct tsh_mover *mover, struct tsh_ring *ring,
		      const unsigned char *bytes, uint64_t len, struct tsh_err *err)
{
	uint64_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write_some(mover, ring, bytes ? bytes + done : NULL, (size_t)(len - done),
			       ring->at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_write(rings, ring, done, n < 0 ? errno : ENOSPC, err);
		done += (uint64_t)n;
	}
	ring->at += len;
	if (ring->at > ring->size)
		ring->size = ring->at;
	return 0;
}

/* Writes complete pages behind the newest one. */
static int write_pages(struct tsh_rings *rings, const struct tsh_mover *mover, struct tsh_ring *ring,
		       const unsigned char *bytes, uint64_t len, struct tsh_err *err)
{
	uint64_t span;

	while (len) {
		if (ring->at == ring->size) {
			span = grant(rings, ring, len);
			if (!span) {
				/* wraps around to the oldest page */
				ring->at = 0;
				ring->has_wrapped = ring->has_overwritten = true;
				continue;
			}
		} else {
			span = ring->size - ring->at < len ? ring->size - ring->at : len;
		}
		if (write_span(rings, mover, ring, bytes, span, err) < 0)
			return -1;
		bytes = bytes ? bytes + span : NULL;
		len -= span;
	}
	return 0;
}

/* ---- out of the kernel ---- */

/* Says whether the buffer can be read now. Tries an offline CPU once a second. */
static bool is_open(struct tsh_rings *rings, struct tsh_ring *ring)
{
	if (ring->in >= 0)
		return !ring->retry_at || tsh_mono_ns() >= ring->retry_at;
	if (tsh_mono_ns() >= ring->retry_at)
		tsh_ring_open_buffer(rings, ring);
	return ring->in >= 0;
}

/* Handles a read or splice that returned no bytes. Returns 0 when there is nothing to read now, or
 * -1 with err. */
static int handle_no_bytes(struct tsh_rings *rings, struct tsh_ring *ring, int number,
			   struct tsh_err *err)
{
	switch (number) {
	case ENODEV:
	case ENXIO:
		ring->retry_at = tsh_mono_ns() + RETRY_NS;
		return 0;
	case 0:
	case EAGAIN:
	case EINTR:
	case ENOMEM:
	case EBUSY:
		return 0;
	default:
		return tsh_err_errno(err, number, "cannot read the buffer of cpu %d of '%s'",
				     ring->cpu, tsh_instance_label(rings->in));
	}
}

/* Moves full pages without copying. Returns bytes, or -1. */
static int64_t splice_pages(struct tsh_rings *rings, const struct tsh_mover *mover, struct tsh_ring *ring,
			    struct tsh_err *err)
{
	int64_t room = tsh_ring_room(rings, ring, mover->pipe_size / rings->page_size * rings->page_size);
	ssize_t n;

	if (room < 0)
		return check_unwritten(rings, ring, (int)-room, err);
	n = splice(ring->in, NULL, mover->pipe[1], NULL, (size_t)room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n <= 0)
		return handle_no_bytes(rings, ring, n < 0 ? errno : 0, err);
	return write_pages(rings, mover, ring, NULL, (uint64_t)n, err) < 0 ? -1 : n;
}

/* Returns how many bytes of events a page has. */
static uint32_t page_bytes(const struct tsh_rings *rings, const unsigned char *page)
{
	/* reads the low half of the kernel's long, of which 20 bits are the length */
	size_t at = rings->layout.big_endian ? 8 + rings->layout.long_size - 4 : 8;
	uint32_t commit;

	memcpy(&commit, page + at, sizeof(commit));
	return commit & 0xfffff;
}

/* Reads pages as they are. A busy writer always has one more event: several pages in a row that are
 * less than half full mean that we have caught up. Returns bytes, or -1. */
static int64_t read_pages(struct tsh_rings *rings, const struct tsh_mover *mover, struct tsh_ring *ring,
			  bool *ret_end, struct tsh_err *err)
{
	int64_t room = tsh_ring_room(rings, ring, RING_CHUNK / rings->page_size * rings->page_size);
	size_t size = rings->page_size, have = 0;
	unsigned int small = 0;
	ssize_t n = 0;

	*ret_end = room < 0;
	if (room < 0)
		return check_unwritten(rings, ring, (int)-room, err);
	while (small < SMALL_PAGES && have + size <= (size_t)room) {
		n = read(ring->in, mover->chunk + have, size);
		if (n <= 0)
			break;
		/* The kernel pads a short page; a shorter read is no page. */
		if ((size_t)n < size)
			memset(mover->chunk + have + n, 0, size - (size_t)n);
		small = page_bytes(rings, mover->chunk + have) < size / 2 ? small + 1 : 0;
		have += size;
	}
	*ret_end = small == SMALL_PAGES || n <= 0;
	if (n <= 0 && handle_no_bytes(rings, ring, n < 0 ? errno : 0, err) < 0)
		return -1;
	return have && write_pages(rings, mover, ring, mover->chunk, have, err) < 0 ? -1 : (int64_t)have;
}

static int64_t move_ring(struct tsh_rings *rings, struct tsh_mover *mover, struct tsh_ring *ring, struct tsh_err *err)
{
	int64_t n, bytes = 0;
	bool end = false;

	while (!end && is_open(rings, ring)) {
		if (mover->pipe[0] >= 0) {
			n = splice_pages(rings, mover, ring, err);
			/* The kernel cannot splice. */
			if (n < 0 && err->number == EINVAL && !bytes) {
				tsh_err_release(err);
				close_pipe(mover);
				continue;
			}
			end = (size_t)n < mover->pipe_size / 2;
		} else {
			n = read_pages(rings, mover, ring, &end, err);
		}
		if (n < 0)
			return -1;
		bytes += n;
		/* ends after one buffer: a writer that is faster than we are must not delay the
		 * other CPUs */
		end = end || (uint64_t)bytes >= ring->buffer_pages * rings->page_size;
	}
	return bytes;
}

int64_t tsh_rings_move(struct tsh_rings *rings, struct tsh_mover *mover, struct tsh_share share,
		       unsigned int *ret_fill, struct tsh_err *err)
{
	int64_t n, pages, all = 0;
	size_t i;

	*ret_fill = 0;
	for (i = share.first; i < rings->n; i += share.step) {
		struct tsh_ring *ring = &rings->v[i];

		/* waits for a thread that had this CPU before the shares became smaller */
		pthread_mutex_lock(&ring->lock);
		n = move_ring(rings, mover, ring, err);
		pthread_mutex_unlock(&ring->lock);
		if (n < 0)
			return -1;
		pages = n / rings->page_size;
		if ((uint64_t)pages * 100 / ring->buffer_pages > *ret_fill)
			*ret_fill = (unsigned int)((uint64_t)pages * 100 / ring->buffer_pages);
		all += pages;
	}
	return all;
}

int tsh_rings_move_rest(struct tsh_rings *rings, struct tsh_err *err)
{
	int64_t n;
	size_t i;

	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];
		uint64_t left = ring->buffer_pages * rings->page_size;
		bool end = false;

		for (; !end && left && is_open(rings, ring);
		     left -= (uint64_t)n < left ? (uint64_t)n : left) {
			n = read_pages(rings, &rings->mover, ring, &end, err);
			if (n < 0)
				return -1;
		}
	}
	return 0;
}
