/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"
#include "events/source/source.h"

#define PIPE_BYTES (1 << 20)
#define RETRY_NS UINT64_C(1000000000)
/* Is the smallest useful number of pages in a ring. */
#define RING_PAGES_MIN 4
#define SMALL_PAGES 3

/* ---- stats ---- */

static uint64_t stat_sum(const struct tsh_rings *rings, const struct tsh_ring *ring,
			 const char *const names[])
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/stats", ring->cpu);
	char *text = tsh_file_text(rings->in, path);
	uint64_t value, sum = 0;

	for (; text && *names; names++)
		if (tsh_stats_value(text, *names, &value, NULL))
			sum += value;
	free(text);
	free(path);
	return sum;
}

uint64_t tsh_ring_losses(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	static const char *const names[] = { "overrun", "commit overrun", "dropped events", NULL };

	return stat_sum(rings, ring, names);
}

uint64_t tsh_ring_entries(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	static const char *const names[] = { "entries", NULL };

	return stat_sum(rings, ring, names);
}

uint64_t tsh_ring_bytes(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	static const char *const names[] = { "bytes", NULL };

	return stat_sum(rings, ring, names);
}

uint64_t tsh_ring_events_read(const struct tsh_rings *rings, const struct tsh_ring *ring)
{
	static const char *const names[] = { "read events", NULL };

	return stat_sum(rings, ring, names);
}

/* ---- opening ---- */

static void open_buffer(const struct tsh_rings *rings, struct tsh_ring *ring)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/trace_pipe_raw", ring->cpu);

	ring->in = tsh_file_open(rings->in, path, O_NONBLOCK);
	if (ring->in < 0)
		ring->retry_at = tsh_mono_ns() + RETRY_NS;
	free(path);
}

/* Asks btrfs to overwrite old pages in place: a copy would need room that a full disk has not. */
static void refuse_copies(int fd)
{
	int flags;

	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_NOCOW_FL;
		(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

static int open_ring(struct tsh_rings *rings, struct tsh_ring *ring, struct tsh_err *err)
{
	int cpu = ring->cpu;
	char *path = tsh_xasprintf("per_cpu/cpu%d/trace_pipe_raw", cpu);
	char *size = tsh_xasprintf("per_cpu/cpu%d/buffer_size_kb", cpu);
	int r = 0;

	open_buffer(rings, ring);
	/* ENODEV: the CPU was never online, and may come later */
	if (ring->in < 0 && ring->in != -ENODEV && ring->in != -ENXIO)
		r = tsh_err_errno(err, -ring->in, "cannot open the buffer of cpu %d of '%s'", cpu,
				  tsh_instance_label(rings->in));
	ring->out = r ? -1 : tsh_tree_create(rings->tree, path);
	if (!r && ring->out < 0)
		r = tsh_err_errno(err, -ring->out, "cannot create '%s/%s'", rings->tree->path,
				  path);
	if (!r && rings->bounded)
		refuse_copies(ring->out);
	ring->buffer_pages = tsh_page_layout_pages(&rings->layout,
						   tsh_file_number(rings->in, size, 1408));
	ring->read_before = tsh_ring_events_read(rings, ring);
	ring->lost_before = tsh_ring_losses(rings, ring);
	free(size);
	free(path);
	return r;
}

/* Divides one half of the limit equally among the CPUs. The other half is for the CPUs that need it
 * first. */
static int share_out(struct tsh_rings *rings, uint64_t max_bytes, struct tsh_err *err)
{
	uint64_t pages = max_bytes / rings->page_size, each = pages / 2 / rings->n;
	struct tsh_strbuf least = TSH_STRBUF_INIT;
	size_t i;

	rings->bounded = max_bytes != 0;
	if (!rings->bounded)
		return 0;
	if (each < RING_PAGES_MIN) {
		tsh_format_size((uint64_t)RING_PAGES_MIN * 2 * rings->n * rings->page_size, &least);
		tsh_err_set(err, TSH_USAGE, "too small for the buffers of %zu CPUs", rings->n);
		tsh_err_hint(err, "--max %s at least", least.buf);
		tsh_strbuf_release(&least);
		return -1;
	}
	for (i = 0; i < rings->n; i++)
		rings->v[i].own_left = each * rings->page_size;
	rings->common_left = (pages - each * rings->n) * rings->page_size;
	return 0;
}

static void close_pipe(struct tsh_rings *rings)
{
	if (rings->pipe[0] >= 0) {
		close(rings->pipe[0]);
		close(rings->pipe[1]);
	}
	rings->pipe[0] = rings->pipe[1] = -1;
}

static void open_pipe(struct tsh_rings *rings)
{
	int size;

	rings->pipe[0] = rings->pipe[1] = -1;
	if (pipe2(rings->pipe, O_CLOEXEC) < 0)
		return;
	fcntl(rings->pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
	size = fcntl(rings->pipe[1], F_GETPIPE_SZ);
	rings->pipe_size = size > 0 ? (size_t)size : 0;
	if (rings->pipe_size < rings->page_size)
		close_pipe(rings);
}

static int read_page_size(struct tsh_rings *rings, struct tsh_err *err)
{
	char *text = tsh_file_text(rings->in, "events/header_page");
	int r = 0;

	if (!text || tsh_page_layout_parse(&rings->layout, text, strlen(text)) < 0)
		r = tsh_err_set(err, TSH_FAILED, "'events/header_page' cannot be parsed");
	else
		rings->page_size = rings->layout.page_size;
	free(text);
	return r;
}

int tsh_rings_init(struct tsh_rings *rings, const struct tsh_instance *in, uint64_t max_bytes,
		   struct tsh_err *err)
{
	unsigned int *cpus;
	size_t i;

	*rings = (struct tsh_rings){ .in = in, .pipe = { -1, -1 } };
	if (read_page_size(rings, err) < 0)
		return -1;
	rings->n = tsh_cpus_present(in, &cpus);
	rings->v = tsh_xcalloc(rings->n ? rings->n : 1, sizeof(*rings->v));
	for (i = 0; i < rings->n; i++)
		rings->v[i] = (struct tsh_ring){ .cpu = (int)cpus[i], .in = -1, .out = -1 };
	free(cpus);
	if (!rings->n)
		return tsh_err_set(err, TSH_FAILED, "instance '%s' has no CPU",
				   tsh_instance_label(in));
	open_pipe(rings);
	rings->chunk = tsh_xmalloc(RING_CHUNK > rings->page_size ? RING_CHUNK : rings->page_size);
	return share_out(rings, max_bytes, err);
}

int tsh_rings_open(struct tsh_rings *rings, const struct tsh_tree *tree, struct tsh_err *err)
{
	int r = 0;
	size_t i;

	rings->tree = tree;
	for (i = 0; i < rings->n && !r; i++)
		r = open_ring(rings, &rings->v[i], err);
	return r;
}

void tsh_rings_close(struct tsh_rings *rings)
{
	size_t i;

	for (i = 0; i < rings->n; i++) {
		if (rings->v[i].in >= 0)
			close(rings->v[i].in);
		if (rings->v[i].out >= 0)
			close(rings->v[i].out);
	}
	close_pipe(rings);
	free(rings->chunk);
	free(rings->v);
	rings->v = NULL;
	rings->n = 0;
}

/* ---- into the file ---- */

/* Returns by how much the file may grow: whole pages out of `want` bytes. */
static uint64_t grant(struct tsh_rings *rings, struct tsh_ring *ring, uint64_t want)
{
	uint64_t own, common;

	if (!rings->bounded)
		return want;
	own = want < ring->own_left ? want : ring->own_left;
	ring->own_left -= own;
	common = want - own < rings->common_left ? want - own : rings->common_left;
	rings->common_left -= common;
	return own + common;
}

static int refuse_write(const struct tsh_rings *rings, const struct tsh_ring *ring, int number, struct tsh_err *err)
{
	char *word;

	tsh_err_errno(err, number, "cannot write the events of cpu %d to '%s'", ring->cpu,
		      rings->tree->path);
	word = tsh_typed_word(rings->tree->path);
	tsh_err_hint(err, "the events recorded before can be read: tracesh --tracefs %s drain; --max "
			  "SIZE limits a recording", word);
	free(word);
	return -1;
}

/* Handles a buffer for whose pages there is no room. Returns 0 when it is empty, or -1 with err. */
static int check_unwritten(const struct tsh_rings *rings, const struct tsh_ring *ring, int number, struct tsh_err *err)
{
	return tsh_ring_entries(rings, ring) ? refuse_write(rings, ring, number, err) : 0;
}

/* Handles a failed write of which `done` bytes were written. The complete pages stay in
 * the file. */
static int fail_write(const struct tsh_rings *rings, struct tsh_ring *ring, uint64_t done, int number,
		      struct tsh_err *err)
{
	ring->at += done / rings->page_size * rings->page_size;
	if (ring->at > ring->size)
		ring->size = ring->at;
	/* A part of a page that cannot be cut off is ignored by readers. */
	if (ftruncate(ring->out, (off_t)ring->size) < 0)
		number = errno;
	ring->reserved = ring->size;
	return refuse_write(rings, ring, number, err);
}

/* Writes the whole chunk. Returns its length, or -1. */
static ssize_t write_chunk(struct tsh_rings *rings, const struct tsh_ring *ring, size_t len,
			   uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pwrite(ring->out, rings->chunk + done, len - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return (ssize_t)len;
}

/* Writes some of `len` bytes, from `bytes`, or from the pipe (NULL). */
static ssize_t write_some(struct tsh_rings *rings, const struct tsh_ring *ring,
			  const unsigned char *bytes, size_t len, uint64_t offset)
{
	loff_t at = (loff_t)offset;
	ssize_t n;

	if (bytes)
		return pwrite(ring->out, bytes, len, (off_t)offset);
	n = splice(rings->pipe[0], NULL, ring->out, &at, len, SPLICE_F_MOVE);
	if (n >= 0 || errno != EINVAL)
		return n;
	/* the file system cannot splice: copies */
	n = read(rings->pipe[0], rings->chunk, len < RING_CHUNK ? len : RING_CHUNK);
	return n <= 0 ? n : write_chunk(rings, ring, (size_t)n, offset);
}

static int write_span(struct tsh_rings *rings, struct tsh_ring *ring, const unsigned char *bytes,
		      uint64_t len, struct tsh_err *err)
{
	uint64_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write_some(rings, ring, bytes ? bytes + done : NULL, (size_t)(len - done),
			       ring->at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_write(rings, ring, done, n < 0 ? errno : ENOSPC, err);
		done += (uint64_t)n;
	}
	ring->at += len;
	if (ring->at > ring->size)
		ring->size = ring->at;
	return 0;
}

/* Writes complete pages behind the newest one. */
static int write_pages(struct tsh_rings *rings, struct tsh_ring *ring, const unsigned char *bytes, uint64_t len,
		       struct tsh_err *err)
{
	uint64_t span;

	while (len) {
		if (ring->at == ring->size) {
			span = grant(rings, ring, len);
			if (!span) {
				/* wraps around to the oldest page */
				ring->at = 0;
				ring->has_wrapped = ring->has_overwritten = true;
				continue;
			}
		} else {
			span = ring->size - ring->at < len ? ring->size - ring->at : len;
		}
		if (write_span(rings, ring, bytes, span, err) < 0)
			return -1;
		bytes = bytes ? bytes + span : NULL;
		len -= span;
	}
	return 0;
}

/* ---- out of the kernel ---- */

/* Says whether the buffer can be read now. Tries an offline CPU once a second. */
static bool is_open(struct tsh_rings *rings, struct tsh_ring *ring)
{
	if (ring->in >= 0)
		return !ring->retry_at || tsh_mono_ns() >= ring->retry_at;
	if (tsh_mono_ns() >= ring->retry_at)
		open_buffer(rings, ring);
	return ring->in >= 0;
}

/* Handles a read or splice that returned no bytes. Returns 0 when there is nothing to read now, or
 * -1 with err. */
static int handle_no_bytes(struct tsh_rings *rings, struct tsh_ring *ring, int number,
			   struct tsh_err *err)
{
	switch (number) {
	case ENODEV:
	case ENXIO:
		ring->retry_at = tsh_mono_ns() + RETRY_NS;
		return 0;
	case 0:
	case EAGAIN:
	case EINTR:
	case ENOMEM:
	case EBUSY:
		return 0;
	default:
		return tsh_err_errno(err, number, "cannot read the buffer of cpu %d of '%s'",
				     ring->cpu, tsh_instance_label(rings->in));
	}
}

/* Moves full pages without copying. Returns bytes, or -1. */
static int64_t splice_pages(struct tsh_rings *rings, struct tsh_ring *ring, struct tsh_err *err)
{
	int64_t room = tsh_ring_room(rings, ring, rings->pipe_size / rings->page_size * rings->page_size);
	ssize_t n;

	if (room < 0)
		return check_unwritten(rings, ring, (int)-room, err);
	n = splice(ring->in, NULL, rings->pipe[1], NULL, (size_t)room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n <= 0)
		return handle_no_bytes(rings, ring, n < 0 ? errno : 0, err);
	return write_pages(rings, ring, NULL, (uint64_t)n, err) < 0 ? -1 : n;
}

/* Returns how many bytes of events a page has. */
static uint32_t page_bytes(const struct tsh_rings *rings, const unsigned char *page)
{
	/* reads the low half of the kernel's long, of which 20 bits are the length */
	size_t at = rings->layout.big_endian ? 8 + rings->layout.long_size - 4 : 8;
	uint32_t commit;

	memcpy(&commit, page + at, sizeof(commit));
	return commit & 0xfffff;
}

/* Reads pages as they are. A busy writer always has one more event: several pages in a row that are
 * less than half full mean that we have caught up. Returns bytes, or -1. */
static int64_t read_pages(struct tsh_rings *rings, struct tsh_ring *ring, bool *ret_end,
			  struct tsh_err *err)
{
	int64_t room = tsh_ring_room(rings, ring, RING_CHUNK / rings->page_size * rings->page_size);
	size_t size = rings->page_size, have = 0;
	unsigned int small = 0;
	ssize_t n = 0;

	*ret_end = room < 0;
	if (room < 0)
		return check_unwritten(rings, ring, (int)-room, err);
	while (small < SMALL_PAGES && have + size <= (size_t)room) {
		n = read(ring->in, rings->chunk + have, size);
		if (n <= 0)
			break;
		/* The kernel pads a short page; a shorter read is no page. */
		if ((size_t)n < size)
			memset(rings->chunk + have + n, 0, size - (size_t)n);
		small = page_bytes(rings, rings->chunk + have) < size / 2 ? small + 1 : 0;
		have += size;
	}
	*ret_end = small == SMALL_PAGES || n <= 0;
	if (n <= 0 && handle_no_bytes(rings, ring, n < 0 ? errno : 0, err) < 0)
		return -1;
	return have && write_pages(rings, ring, rings->chunk, have, err) < 0 ? -1 : (int64_t)have;
}

static int64_t move_ring(struct tsh_rings *rings, struct tsh_ring *ring, struct tsh_err *err)
{
	int64_t n, bytes = 0;
	bool end = false;

	while (!end && is_open(rings, ring)) {
		if (rings->pipe[0] >= 0) {
			n = splice_pages(rings, ring, err);
			/* The kernel cannot splice. */
			if (n < 0 && err->number == EINVAL && !bytes) {
				tsh_err_release(err);
				close_pipe(rings);
				continue;
			}
			end = (size_t)n < rings->pipe_size / 2;
		} else {
			n = read_pages(rings, ring, &end, err);
		}
		if (n < 0)
			return -1;
		bytes += n;
		/* ends after one buffer: a writer that is faster than we are must not delay the
		 * other CPUs */
		end = end || (uint64_t)bytes >= ring->buffer_pages * rings->page_size;
	}
	return bytes;
}

int64_t tsh_rings_move(struct tsh_rings *rings, unsigned int *ret_fill, struct tsh_err *err)
{
	int64_t n, pages, all = 0;
	size_t i;

	*ret_fill = 0;
	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];

		n = move_ring(rings, ring, err);
		if (n < 0)
			return -1;
		pages = n / rings->page_size;
		if ((uint64_t)pages * 100 / ring->buffer_pages > *ret_fill)
			*ret_fill = (unsigned int)((uint64_t)pages * 100 / ring->buffer_pages);
		all += pages;
	}
	return all;
}

int tsh_rings_move_rest(struct tsh_rings *rings, struct tsh_err *err)
{
	int64_t n;
	size_t i;

	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];
		uint64_t left = ring->buffer_pages * rings->page_size;
		bool end = false;

		for (; !end && left && is_open(rings, ring);
		     left -= (uint64_t)n < left ? (uint64_t)n : left) {
			n = read_pages(rings, ring, &end, err);
			if (n < 0)
				return -1;
		}
	}
	return 0;
}
