/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_RING_H
#define TRACESH_EVENTS_RECORDING_RING_H

#include "tree.h"

/* Moves the pages of one CPU into a file of the recording. When all files together have a limit,
 * the file becomes a ring: the newest page replaces the oldest. */
struct tsh_ring {
	int cpu;
	int in;			/* trace_pipe_raw; -1: the CPU is not online yet */
	int out;
	uint64_t retry_at;	/* when to open `in` again, CLOCK_MONOTONIC */
	uint64_t size;		/* size of the file */
	/* reserved bytes, from the file's beginning on; less than size: none beyond the end */
	uint64_t reserved;
	bool has_more;		/* more may be reserved: a reservation failed half-way */
	uint64_t at;		/* where the next page goes */
	/* bytes by which this file may grow, however much the others grow */
	uint64_t own_left;
	bool has_wrapped;
	/* pages were overwritten; stays true when the file is put in order */
	bool has_overwritten;
	uint64_t buffer_pages;	/* pages of the kernel's buffer */
	uint64_t read_before, lost_before;	/* from its stats at the beginning */
};

#define RING_CHUNK (1u << 20)

/* Holds what the rings share. */
struct tsh_rings {
	const struct tsh_tree *tree;
	const struct tsh_instance *in;
	struct tsh_ring *v;
	size_t n;
	struct tsh_page_layout layout;
	unsigned int page_size;
	bool bounded;
	bool reserves_nothing;	/* the file system cannot reserve */
	bool scarce;		/* room is only reserved for what can be read now */
	uint64_t common_left;	/* bytes by which any of them may grow */
	int pipe[2];		/* pages go through it without copying; -1: by read and write */
	size_t pipe_size;
	unsigned char *chunk;	/* RING_CHUNK bytes, for read and write */
};

/* Prepares the rings; opens nothing. max_bytes 0: no limit. Returns 0, or -1 with err; TSH_USAGE
 * when max_bytes is too small. */
int tsh_rings_init(struct tsh_rings *rings, const struct tsh_instance *in, uint64_t max_bytes,
		   struct tsh_err *err);
/* Opens the buffers, and makes the files. Returns 0, or -1 with err. */
int tsh_rings_open(struct tsh_rings *rings, const struct tsh_tree *tree, struct tsh_err *err);
/* Closes the buffers and the files, and frees; also after an error. */
void tsh_rings_close(struct tsh_rings *rings);
/* Moves the full pages into the files. Returns how many, or -1 with err. *ret_fill: the largest
 * part of a buffer that was moved, in percent. */
int64_t tsh_rings_move(struct tsh_rings *rings, unsigned int *ret_fill, struct tsh_err *err);
/* Moves everything that is there at this moment, also pages that are still being written. Returns
 * 0, or -1 with err. */
int tsh_rings_move_rest(struct tsh_rings *rings, struct tsh_err *err);
/* Reserves room for `want` bytes of pages (ring-room.c). Returns for how many there is room, or
 * -errno. */
int64_t tsh_ring_room(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want);
/* Frees the reserved room that has no pages. */
void tsh_rings_trim(struct tsh_rings *rings);
/* Reserves room for everything that is unread in the buffers at this moment. Returns 0
 * or -errno. */
int tsh_rings_reserve_all(struct tsh_rings *rings);
/* Puts the oldest page of each file first. Returns 0, or -errno with the files unchanged. */
int tsh_rings_rotate(struct tsh_rings *rings);
/* Return numbers of a CPU's stats: losses, events that were read, events that are still there, and
 * their bytes. */
uint64_t tsh_ring_losses(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_entries(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_bytes(const struct tsh_rings *rings, const struct tsh_ring *ring);
uint64_t tsh_ring_events_read(const struct tsh_rings *rings, const struct tsh_ring *ring);

#endif
