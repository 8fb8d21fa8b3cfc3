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

#define RETRY_NS UINT64_C(1000000000)
/* Is the smallest useful number of pages in a ring. */
#define RING_PAGES_MIN 4

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

void tsh_ring_open_buffer(const struct tsh_rings *rings, struct tsh_ring *ring)
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

	tsh_ring_open_buffer(rings, ring);
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

	*rings = (struct tsh_rings){ .in = in, .mover.pipe = { -1, -1 } };
	pthread_mutex_init(&rings->lock, NULL);
	if (read_page_size(rings, err) < 0)
		return -1;
	rings->n = tsh_cpus_present(in, &cpus);
	rings->v = tsh_xcalloc(rings->n ? rings->n : 1, sizeof(*rings->v));
	for (i = 0; i < rings->n; i++) {
		rings->v[i] = (struct tsh_ring){ .cpu = (int)cpus[i], .in = -1, .out = -1 };
		pthread_mutex_init(&rings->v[i].lock, NULL);
	}
	free(cpus);
	if (!rings->n)
		return tsh_err_set(err, TSH_FAILED, "instance '%s' has no CPU",
				   tsh_instance_label(in));
	tsh_mover_open(&rings->mover, rings);
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
		pthread_mutex_destroy(&rings->v[i].lock);
	}
	pthread_mutex_destroy(&rings->lock);
	tsh_mover_close(&rings->mover);
	free(rings->v);
	rings->v = NULL;
	rings->n = 0;
}
