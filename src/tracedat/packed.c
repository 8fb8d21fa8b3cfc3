/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Reads compressed pages: the number of chunks, and of each its two sizes and its bytes. */

#define IN_BYTES (16u << 10)
/* Limits the chunks of a CPU: each has at least a page. */
#define CHUNKS_MAX (1u << 24)

struct packed {
	const struct dat *dat;
	struct unpack *unpack;
	uint64_t at, end;		/* next byte in the file, and the end of all chunks */
	uint64_t chunk_end;		/* of the compressed bytes of the chunk */
	uint64_t left;			/* unpacked bytes that the chunk still gives */
	size_t in_at, in_n;
	unsigned char in[IN_BYTES];
};

/* Reads the two sizes of a chunk at *at. Returns false when the chunk is not whole. */
static bool read_sizes(const struct dat *dat, uint64_t at, uint64_t end, uint32_t *ret_packed, uint32_t *ret_unpacked)
{
	unsigned char sizes[8];

	if (end - at < sizeof(sizes) || !tsh_read_at(dat->fd, at, sizes, sizeof(sizes)))
		return false;
	*ret_packed = load_u32(sizes, dat->is_big_endian);
	*ret_unpacked = load_u32(sizes + 4, dat->is_big_endian);
	return end - at - sizeof(sizes) >= *ret_packed;
}

/* Sums up what the chunks give. *ret_begin, *ret_end: the first, and the end of the last whole
 * one. Goes by their own sizes: trace-cmd 3.1 does not count the number of chunks in the size of
 * a CPU, 3.4 does. */
static uint64_t measure(const struct dat *dat, const struct cpu *cpu, uint64_t *ret_begin, uint64_t *ret_end)
{
	uint64_t at = cpu->at + 4, all = 0;
	uint32_t chunks, i, packed, unpacked;
	unsigned char number[4];

	*ret_begin = *ret_end = at;
	if (cpu->size < 4 || !tsh_read_at(dat->fd, cpu->at, number, sizeof(number)))
		return 0;
	chunks = load_u32(number, dat->is_big_endian);
	for (i = 0; i < chunks && i < CHUNKS_MAX && read_sizes(dat, at, dat->size, &packed, &unpacked); i++) {
		at += 8 + (uint64_t)packed;
		all += unpacked;
	}
	*ret_end = at;
	return all;
}

static bool begin_chunk(struct packed *p)
{
	uint32_t packed, unpacked;

	if (!read_sizes(p->dat, p->at, p->end, &packed, &unpacked))
		return false;
	p->at += 8;
	p->chunk_end = p->at + packed;
	p->left = unpacked;
	p->in_at = p->in_n = 0;
	unpack_begin(p->unpack);
	return true;
}

static bool fill_in(struct packed *p)
{
	uint64_t left = p->chunk_end - p->at;

	p->in_at = 0;
	p->in_n = left < IN_BYTES ? (size_t)left : IN_BYTES;
	if (!tsh_read_at(p->dat->fd, p->at, p->in, p->in_n)) {
		p->in_n = 0;
		return false;
	}
	p->at += p->in_n;
	return true;
}

/* Unpacks into `data` what of the chunk fits. Returns the bytes; 0: the chunk gives no more. */
static ssize_t read_chunk(struct packed *p, unsigned char *data, size_t size)
{
	size_t have = 0, used, made, room;
	int r;

	while (have < size && p->left) {
		if (p->in_at == p->in_n && p->at < p->chunk_end && !fill_in(p))
			return -EIO;
		room = size - have < p->left ? size - have : (size_t)p->left;
		r = unpack_step(p->unpack, p->in + p->in_at, p->in_n - p->in_at, &used, data + have, room, &made);
		if (r < 0)
			return r;
		if (!used && !made)
			return -EBADMSG;
		p->in_at += used;
		p->left -= made;
		have += made;
	}
	return (ssize_t)have;
}

static ssize_t read_packed(void *ctx, unsigned char *data, size_t size)
{
	struct packed *p = ctx;
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		if (!p->left) {
			/* goes on behind the chunk, whatever of it was not needed */
			p->at = p->chunk_end;
			if (p->at >= p->end || !begin_chunk(p))
				break;
		}
		n = read_chunk(p, data + have, size - have);
		if (n < 0)
			return n;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static void free_packed(void *ctx)
{
	struct packed *p = ctx;

	unpack_free(p->unpack);
	free(p);
}

int dat_open_packed(const struct dat *dat, const struct cpu *cpu, struct tsh_tree_pages *ret)
{
	struct packed *p = tsh_xcalloc(1, sizeof(*p));

	*ret = (struct tsh_tree_pages){ .fd = dat->fd, .missing = cpu->missing, .read = read_packed, .free = free_packed,
					.ctx = p };
	p->dat = dat;
	ret->size = measure(dat, cpu, &p->at, &p->end);
	p->chunk_end = p->at;
	p->unpack = unpack_new(dat->packing);
	if (p->unpack)
		return 0;
	free_packed(p);
	return -ENOMEM;
}
