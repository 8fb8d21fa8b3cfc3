/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/*
 * Room in the files for pages that are still in the kernel: what is taken out of a buffer and cannot be written is lost. A
 * file system that reserves nothing, as NFS, is tried by writing.
 */

/* Gives by how many bytes the file grows when so many are put; only its growth needs room. */
static uint64_t growth(const struct tsh_rings *rings, const struct tsh_ring *ring, uint64_t want)
{
	uint64_t over = ring->size - ring->at, most = ring->own_left + rings->common_left;

	if (want <= over)
		return 0;
	want -= over;
	return rings->bounded && most < want ? most : want;
}

/* Cuts off what is reserved behind the end: ext4 frees nothing where a hole is punched there. */
static void cut(struct tsh_ring *ring)
{
	/* An error costs room, and no more. */
	if (!ftruncate(ring->out, (off_t)ring->size)) {
		ring->reserved = ring->size;
		ring->has_more = false;
	}
}

/* Gives back what is not used, but that of `keep`: it may not be had before the file system has written its journal. */
static void trim(struct tsh_rings *rings, const struct tsh_ring *keep)
{
	size_t i;

	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];

		if (ring != keep && ring->out >= 0 && (ring->reserved > ring->size || ring->has_more))
			cut(ring);
	}
}

void tsh_rings_trim(struct tsh_rings *rings)
{
	trim(rings, NULL);
}

/* 0 or -errno: no room for that many. */
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

/* Gives how many bytes of pages the buffer gives at this moment, about. */
static uint64_t unread(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	uint64_t page = rings->page_size, most = ring->buffer_pages * page, bytes;

	if (!tsh_ring_entries(rings, ring))
		return 0;
	bytes = tsh_ring_bytes(rings, ring);
	/* A page has a head, and at its end no room for one more event. */
	bytes = (bytes + bytes / 4 + page - 1) / page * page + 2 * page;
	return bytes < most ? bytes : most;
}

/* Does it for what is there to read, or for a part of it. */
static int64_t scarce_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t page = rings->page_size, before = ring->size - ring->at, bytes = unread(rings, ring), grows;
	int r;

	want = bytes < want ? bytes : want;
	grows = growth(rings, ring, want);
	r = reserve(rings, ring, grows);
	if (!r)
		return (int64_t)want;
	/* Others have reserved more than they have used so far. */
	trim(rings, ring);
	while (grows && (r = reserve(rings, ring, grows)) < 0)
		grows = grows / 2 / page * page;
	/* Nothing wraps before the file has grown. */
	return grows || before ? (int64_t)(before + grows) : r;
}

int64_t tsh_ring_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t grows = growth(rings, ring, want);
	uint64_t left = ring->reserved > ring->size ? ring->reserved - ring->size : 0;

	if (left >= grows)
		return (int64_t)want;
	/* Not for each page: half of it will do. */
	if (left && left >= grows / 2)
		return (int64_t)(ring->size - ring->at + left);
	if (!rings->scarce && !reserve(rings, ring, grows))
		return (int64_t)want;
	if (!rings->scarce)
		trim(rings, ring);
	rings->scarce = true;
	return scarce_room(rings, ring, want);
}

int tsh_rings_reserve_all(struct tsh_rings *rings)
{
	size_t i;
	int r = 0;

	/* One must not take what is for another. */
	rings->scarce = true;
	for (i = 0; i < rings->n && !r; i++)
		r = reserve(rings, &rings->v[i], growth(rings, &rings->v[i], unread(rings, &rings->v[i])));
	if (r)
		tsh_rings_trim(rings);
	return r;
}
