/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Reserves room in the files for pages that are still in the kernel: a page that was read from a
 * buffer and cannot be written is lost. A file system that cannot reserve, such as NFS, is tried by
 * writing.
 */

/* Returns by how many bytes a file grows when `want` bytes are written. Pages that replace older
 * ones need no room. */
static uint64_t growth(struct tsh_rings *rings, const struct tsh_ring *ring, uint64_t want)
{
	uint64_t over = ring->size - ring->at, most;

	if (want <= over)
		return 0;
	want -= over;
	if (!rings->bounded)
		return want;
	pthread_mutex_lock(&rings->lock);
	most = ring->own_left + rings->common_left;
	pthread_mutex_unlock(&rings->lock);
	return most < want ? most : want;
}

/* Cuts off the reserved room behind the end. Does not punch a hole: ext4 would free
 * nothing there. */
static void cut_reserve(struct tsh_ring *ring)
{
	/* An error is ignored: the file only stays larger than it needs to be. */
	if (!ftruncate(ring->out, (off_t)ring->size)) {
		ring->reserved = ring->size;
		ring->has_more = false;
	}
}

/* Frees the unused reserved room of all rings except `keep`. The ring `keep` does not reserve its
 * room again: a file system may not give it back before it has written its journal. */
static void trim(struct tsh_rings *rings, const struct tsh_ring *keep)
{
	size_t i;

	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];

		if (ring != keep && ring->out >= 0 && (ring->reserved > ring->size || ring->has_more))
			cut_reserve(ring);
	}
}

void tsh_rings_trim(struct tsh_rings *rings)
{
	trim(rings, NULL);
}

/* Reserves room for `grows` bytes at the end of the file. Returns 0 or -errno. */
static int reserve(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t grows)
{
	uint64_t from = ring->reserved > ring->size ? ring->reserved : ring->size, to = ring->size + grows;
	int r;

	if (to <= from || rings->reserves_nothing)
		return 0;
	do {
		r = fallocate(ring->out, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
	} while (r < 0 && errno == EINTR);
	if (!r) {
		ring->reserved = to;
		return 0;
	}
	r = -errno;
	ring->has_more = true;
	rings->reserves_nothing = r != -ENOSPC && r != -EDQUOT;
	return rings->reserves_nothing ? 0 : r;
}

/* Estimates how many bytes of pages the buffer has at this moment. */
static uint64_t unread(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	uint64_t page = rings->page_size, most = ring->buffer_pages * page, bytes;

	if (!tsh_ring_entries(rings, ring))
		return 0;
	bytes = tsh_ring_bytes(rings, ring);
	/* adds the header of each page, and room at its end that is too small for another event */
	bytes = (bytes + bytes / 4 + page - 1) / page * page + 2 * page;
	return bytes < most ? bytes : most;
}

/* Reserves room for what can be read, or for a part of it, when room is scarce. */
static int64_t scarce_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t page = rings->page_size, before = ring->size - ring->at, bytes = unread(rings, ring), grows;
	int r;

	want = bytes < want ? bytes : want;
	grows = growth(rings, ring, want);
	r = reserve(rings, ring, grows);
	if (!r)
		return (int64_t)want;
	/* frees room that other rings have reserved and not used */
	trim(rings, ring);
	while (grows && (r = reserve(rings, ring, grows)) < 0)
		grows = grows / 2 / page * page;
	/* a file wraps only when it cannot grow */
	return grows || before ? (int64_t)(before + grows) : r;
}

int64_t tsh_ring_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t grows = growth(rings, ring, want);
	uint64_t left = ring->reserved > ring->size ? ring->reserved - ring->size : 0;

	if (left >= grows)
		return (int64_t)want;
	/* does not reserve again for each page: half of the wanted room is enough */
	if (left && left >= grows / 2)
		return (int64_t)(ring->size - ring->at + left);
	if (!rings->scarce && !reserve(rings, ring, grows))
		return (int64_t)want;
	/* Room is taken from the other rings, which must not move meanwhile. */
	if (rings->threads) {
		rings->wants_one = true;
		return 0;
	}
	if (!rings->scarce)
		trim(rings, ring);
	rings->scarce = true;
	return scarce_room(rings, ring, want);
}

int tsh_rings_reserve_all(struct tsh_rings *rings)
{
	size_t i;
	int r = 0;

	/* from now on a ring may not take the room of another */
	rings->scarce = true;
	for (i = 0; i < rings->n && !r; i++)
		r = reserve(rings, &rings->v[i], growth(rings, &rings->v[i], unread(rings, &rings->v[i])));
	if (r)
		tsh_rings_trim(rings);
	return r;
}
