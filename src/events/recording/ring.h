/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_RING_H
#define TRACESH_EVENTS_RECORDING_RING_H

#include "tree.h"

/*
 * The pages of one CPU on their way into a file of the tree. With a bound on all of them
 * the file becomes a ring: the newest page takes the place of the oldest.
 */
struct tsh_ring {
	int cpu;
	int in;			/* trace_pipe_raw; -1: the CPU was not online yet */
	int out;
	uint64_t retry_at;	/* of in, CLOCK_MONOTONIC */
	uint64_t size;		/* of the file */
	uint64_t reserved;	/* room that it has, from its beginning on; less than size: none more */
	bool has_more;		/* maybe: of a reservation that failed in its middle */
	uint64_t at;		/* where the next page goes */
	uint64_t own_left;	/* bytes that it may grow by, whatever the others do */
	bool has_wrapped;
	bool has_overwritten;	/* pages, even if the others are in order again */
	uint64_t buffer_pages;	/* of the kernel's buffer */
	uint64_t read_before, lost_before;	/* in its stats, when it began */
};

#define RING_CHUNK (1u << 20)

/* What the rings share. */
struct tsh_rings {
	const struct tsh_tree *tree;
	const struct tsh_instance *in;
	struct tsh_ring *v;
	size_t n;
	struct tsh_page_layout layout;
	unsigned int page_size;
	bool bounded;
	bool reserves_nothing;	/* the file system does not */
	bool scarce;		/* room is made for what is there to read, and no more */
	uint64_t common_left;	/* bytes that any of them may grow by */
	int pipe[2];		/* pages go through it uncopied; -1: by read and write */
	size_t pipe_size;
	unsigned char *chunk;	/* of RING_CHUNK bytes, for read and write */
};

/* max_bytes 0: no bound; TSH_USAGE when it is too small. Nothing is opened yet. */
int tsh_rings_init(struct tsh_rings *rings, const struct tsh_instance *in, uint64_t max_bytes,
		   struct tsh_err *err);
/* Opens the buffers and makes the files. */
int tsh_rings_open(struct tsh_rings *rings, const struct tsh_tree *tree, struct tsh_err *err);
/* Also after an error. */
void tsh_rings_close(struct tsh_rings *rings);
/*
 * Moves the pages that are full. Returns how many; *ret_fill: the largest part of a
 * buffer that was taken, in percent. -1 with err.
 */
int64_t tsh_rings_move(struct tsh_rings *rings, unsigned int *ret_fill, struct tsh_err *err);
/* Moves what is there at this moment, pages that are still being written to as well. */
int tsh_rings_move_rest(struct tsh_rings *rings, struct tsh_err *err);
/* Makes room for `want` bytes of pages that are to be put (ring-room.c). Gives for how many there is some, or -errno. */
int64_t tsh_ring_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want);
/* Gives back the room that no page has taken. */
void tsh_rings_trim(struct tsh_rings *rings);
/* Makes room for all that is unread in the buffers at this moment. 0 or -errno. */
int tsh_rings_reserve_all(struct tsh_rings *rings);
/* The oldest page first. 0, or -errno: the files are as they were. */
int tsh_rings_put_in_order(struct tsh_rings *rings);
/* A number of a CPU's stats: the losses, the events read, those that are still there, and their bytes. */
uint64_t tsh_ring_losses(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_entries(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_bytes(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_events_read(const struct tsh_rings *rings, const struct tsh_ring *ring);

#endif
