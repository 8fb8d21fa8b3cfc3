/* events/source/raw-pages.h - the pages of a recording as they are */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_RAW_PAGES_H
#define TRACESH_EVENTS_SOURCE_RAW_PAGES_H

#include "stream.h"

/* Is for a recording from which no event was read. A lane is one of its CPUs, in their order. */
size_t tsh_source_lanes(const struct tsh_source *src);
int tsh_source_lane_cpu(const struct tsh_source *src, size_t lane);
/* Returns the bytes of the whole pages of a lane. *ret_cut: bytes behind them, of a page that is
 * not whole. */
uint64_t tsh_source_lane_bytes(const struct tsh_source *src, size_t lane, uint64_t *ret_cut);
/* Reads the next pages of a lane, the oldest first. size: a multiple of the size of a page.
 * Returns the bytes, of whole pages; 0 at the end; -errno. */
ssize_t tsh_source_read_pages(struct tsh_source *src, size_t lane, unsigned char *data, size_t size);

#endif
