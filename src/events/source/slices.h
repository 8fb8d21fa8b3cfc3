/* events/source/slices.h - spans of time of a source, which several threads pass on */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_SLICES_H
#define TRACESH_EVENTS_SOURCE_SLICES_H

#include "stream.h"

/* ---- reading by several threads ---- */

/*
 * Begins a fill of up to `budget` pages of each CPU. Returns the number of lanes (CPUs). Then
 * tsh_source_read_lane is to be called once for each lane, by any threads at the same time, and
 * last tsh_source_end_read, which returns what tsh_source_fill does. Returns 0, and begins nothing,
 * while only one thread can fill the source.
 */
size_t tsh_source_begin_read(struct tsh_source *src, unsigned int budget);
void tsh_source_read_lane(struct tsh_source *src, size_t lane);
int tsh_source_end_read(struct tsh_source *src, bool *ret_drained);

/* ---- slices ---- */

/*
 * Cuts the waiting events of a source into slices: each holds the events of all CPUs between two
 * stamps. Slices in their order, and the events of each in its order, are what tsh_source_read_many
 * would pass on. While there are slices, the source itself must not be read.
 */
struct tsh_slices;
struct tsh_slices *tsh_slices_new(struct tsh_source *src);
void tsh_slices_free(struct tsh_slices *slices);
/*
 * Cuts what is not later than `watermark` into `parts` slices, or into more of about `bytes`.
 * is_whole: not while events are missing. Returns their number; 0: there is too little, or the order of the events does not
 * only depend on their stamps (pages that were read in other ways, or are damaged; a clock that
 * was set back).
 */
size_t tsh_slices_cut(struct tsh_slices *slices, uint64_t watermark, size_t parts, size_t bytes, bool is_whole);
/* Returns the last stamp that a slice may have. */
uint64_t tsh_slices_until(const struct tsh_slices *slices, size_t i);
/* Ends the slices: the source goes on behind the first `n` of them. */
void tsh_slices_end(struct tsh_slices *slices, size_t n);

/* Reads slices for one thread. Each thread needs one of its own. */
struct tsh_slice_reader;
struct tsh_slice_reader *tsh_slice_reader_new(const struct tsh_slices *slices);
void tsh_slice_reader_free(struct tsh_slice_reader *reader);
/* Passes on the events of slice `i`, and what is missing before one of them (or
 * TSH_LOST_UNKNOWN). Records are valid until tsh_slices_end. */
typedef void tsh_slice_lost_fn(void *ctx, int cpu, uint64_t lost, uint64_t stamp);
void tsh_slice_read(struct tsh_slice_reader *reader, size_t i, tsh_source_event_fn *handle,
		    tsh_slice_lost_fn *handle_lost, void *ctx);

#endif
