/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_RING_H
#define TRACESH_EVENTS_RECORDING_RING_H

#include <pthread.h>
#include <stdatomic.h>

#include "tree.h"

struct tsh_record_threads;

/* Moves the pages of one CPU into a file of the recording. When all files together have a limit,
 * the file becomes a ring: the newest page replaces the oldest. */
struct tsh_ring {
	pthread_mutex_t lock;	/* held by the thread that moves its pages */
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

/* Bounds the part of a buffer, in percent, that fills between two ticks: when it is as much, pages
 * are moved as often as can be. */
#define TSH_FILL_HIGH 12

/* Holds what one thread needs to move pages. */
struct tsh_mover {
	int pipe[2];		/* pages go through it without copying; -1: by read and write */
	size_t pipe_size;
	unsigned char *chunk;	/* RING_CHUNK bytes, for read and write */
	unsigned int tick_ms;
};

/* Names the rings of one thread: `first`, and every `step`-th from there on. */
struct tsh_share {
	unsigned int first, step;
};

/* Holds what the rings share. */
struct tsh_rings {
	const struct tsh_tree *tree;
	const struct tsh_instance *in;
	struct tsh_ring *v;
	size_t n;
	struct tsh_page_layout layout;
	unsigned int page_size;
	bool bounded;
	atomic_bool reserves_nothing;	/* the file system cannot reserve */
	bool scarce;		/* room is only reserved for what can be read now */
	pthread_mutex_t lock;	/* of common_left */
	uint64_t common_left;	/* bytes by which any of them may grow */
	struct tsh_mover mover;	/* of the thread that has opened the rings */
	/* other threads that move pages, too; NULL: none do */
	struct tsh_record_threads *threads;
	/* one thread has to go on alone: rings must give up room for others */
	atomic_bool wants_one;
};

/* Prepares the rings; opens nothing. max_bytes 0: no limit. Returns 0, or -1 with err; TSH_USAGE
 * when max_bytes is too small. */
int tsh_rings_init(struct tsh_rings *rings, const struct tsh_instance *in, uint64_t max_bytes,
		   struct tsh_err *err);
/* Opens the buffers, and makes the files. Returns 0, or -1 with err. */
int tsh_rings_open(struct tsh_rings *rings, const struct tsh_tree *tree, struct tsh_err *err);
/* Closes the buffers and the files, and frees; also after an error. */
void tsh_rings_close(struct tsh_rings *rings);
/* Raises the priority of this thread, if it may, so that traced programs do not delay the reading.
 * Returns the nice value that it had. */
int tsh_record_raise_priority(void);
void tsh_record_restore_priority(int nice);
/* Opens the buffer of a ring, or sets when to try again (-errno in ring->in). */
void tsh_ring_open_buffer(const struct tsh_rings *rings, struct tsh_ring *ring);
void tsh_mover_open(struct tsh_mover *mover, const struct tsh_rings *rings);
void tsh_mover_close(struct tsh_mover *mover);
/* Returns how long to wait, in ms, until pages are moved again. Only full pages are moved, so the
 * fuller the buffers were (*ret_fill of tsh_rings_move), the sooner. */
unsigned int tsh_mover_wait_ms(struct tsh_mover *mover, unsigned int fill);
/* Moves the full pages of a share into the files. Returns how many, or -1 with err. *ret_fill: the
 * largest part of a buffer that was moved, in percent. */
int64_t tsh_rings_move(struct tsh_rings *rings, struct tsh_mover *mover, struct tsh_share share,
		       unsigned int *ret_fill, struct tsh_err *err);
/*
 * Lets other threads move pages, too, while this one calls tsh_rings_move_own in turns. NULL: there
 * are none. They begin one by one, as the load needs them, and each takes its share of the CPUs.
 */
void tsh_rings_begin_threads(struct tsh_rings *rings, struct tsh_record_threads *threads);
/* Moves the full pages of this thread's share. Returns 0, or -1 with err, which may be that of
 * another thread. *ret_fill as in tsh_rings_move. */
int tsh_rings_move_own(struct tsh_rings *rings, unsigned int *ret_fill, struct tsh_err *err);
/* Ends what the other threads do; they have moved whole pages. Returns 0, or -1 with the error of
 * one of them. */
int tsh_rings_end_threads(struct tsh_rings *rings, struct tsh_err *err);
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
