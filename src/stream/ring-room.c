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

/* Gives back what one file has reserved and does not use. */
static void trim(struct tsh_ring *ring)
{
	if (ring->out < 0 || ring->reserved <= ring->size)
		return;
	/* Ignores an error: it costs room, and no more. */
	(void)fallocate(ring->out, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)ring->size,
			(off_t)(ring->reserved - ring->size));
	ring->reserved = ring->size;
}

void tsh_rings_trim(struct tsh_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->n; i++)
		trim(&rings->v[i]);
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
	if (r < 0 && errno != ENOSPC && errno != EDQUOT) {
		rings->reserves_nothing = true;
		return 0;
	}
	if (r < 0)
		return -errno;
	ring->reserved = to;
	return 0;
}

int64_t tsh_ring_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t page = rings->page_size, grows = growth(rings, ring, want), over = want - grows;
	uint64_t left = ring->reserved > ring->size ? ring->reserved - ring->size : 0;
	int r = 0;

	/* Not for each page: half of it will do. */
	if (left && left >= grows / 2)
		return (int64_t)(over + (left < grows ? left : grows));
	if (!reserve(rings, ring, grows))
		return (int64_t)want;
	/* Others have reserved more than they have used so far. */
	tsh_rings_trim(rings);
	while (grows && (r = reserve(rings, ring, grows)) < 0)
		grows = grows / 2 / page * page;
	return grows || over ? (int64_t)(over + grows) : r;
}

int tsh_rings_reserve_all(struct tsh_rings *rings)
{
	size_t i;
	int r = 0;

	for (i = 0; i < rings->n && !r; i++) {
		struct tsh_ring *ring = &rings->v[i];
		uint64_t bytes = tsh_ring_bytes(rings, ring), most = ring->buffer_pages * rings->page_size;

		/* A page has a head, and at its end no room for one more event. */
		bytes = (bytes + bytes / 4 + rings->page_size - 1) / rings->page_size * rings->page_size + 2 * rings->page_size;
		r = reserve(rings, ring, growth(rings, ring, bytes < most ? bytes : most));
	}
	if (r)
		tsh_rings_trim(rings);
	return r;
}
