/* tracedat/unpack.h - compressed bytes, by zstd or zlib where tracesh was built with them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEDAT_UNPACK_H
#define TRACESH_TRACEDAT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum unpack_kind { UNPACK_NONE, UNPACK_ZSTD, UNPACK_ZLIB, UNPACK_UNKNOWN };

/* Says whether tracesh was built with the library for it. */
bool unpack_is_known(enum unpack_kind kind);

struct unpack;
/* Returns NULL when there is no memory, or no library. */
struct unpack *unpack_new(enum unpack_kind kind);
void unpack_free(struct unpack *u);
/* Begins with other bytes: those of one zstd frame, or of one zlib stream (RFC 1950). */
void unpack_begin(struct unpack *u);
/*
 * Unpacks what is in `in`, as far as `out` has room: *used bytes of `in` become *made of `out`.
 * Returns 0; -EBADMSG: the bytes are damaged, or would need more than 8 MB of memory.
 */
int unpack_step(struct unpack *u, const void *in, size_t in_size, size_t *used, void *out, size_t out_size,
		size_t *made);

/* Appends bytes as one zstd frame. Returns 0; -ENOSYS: tracesh has no zstd; -ENOMEM. */
int pack_zstd(const void *data, size_t size, struct tsh_strbuf *out);

#endif
