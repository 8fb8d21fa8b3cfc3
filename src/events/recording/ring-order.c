/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/safe-file.h"

/* Straightens the file of a ring, which begins in its middle, so that the oldest page is first. */

static int copy_range(struct tsh_rings *rings, int from, int to, uint64_t begin, uint64_t end)
{
	while (begin < end) {
		size_t len = end - begin < RING_CHUNK ? (size_t)(end - begin) : RING_CHUNK;
		ssize_t n = pread(from, rings->mover.chunk, len, (off_t)begin), k, done;

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		for (done = 0; done < n; done += k) {
			k = write(to, rings->mover.chunk + done, (size_t)(n - done));
			if (k < 0)
				return -errno;
		}
		begin += (uint64_t)n;
	}
	return 0;
}

/* Replaces the ring by a new file. The old or the new file exists at any time. */
static int straighten(struct tsh_rings *rings, struct tsh_ring *ring)
{
	static const char name[] = "trace_pipe_raw";
	char *path = tsh_xasprintf("per_cpu/cpu%d/%s.new", ring->cpu, name);
	int fd = tsh_tree_create(rings->tree, path), r = fd < 0 ? fd : 0;

	if (!r)
		r = copy_range(rings, ring->out, fd, ring->at, ring->size);
	if (!r)
		r = copy_range(rings, ring->out, fd, 0, ring->at);
	if (!r)
		r = tsh_rename_beneath(rings->tree->fd, path, name);
	if (r < 0 && fd >= 0) {
		close(fd);
		(void)tsh_unlink_beneath(rings->tree->fd, path);
	} else if (!r) {
		close(ring->out);
		ring->out = fd;
		ring->at = ring->size;
	}
	free(path);
	return r;
}

int tsh_rings_rotate(struct tsh_rings *rings)
{
	int r, failed = 0;
	size_t i;

	for (i = 0; i < rings->n; i++) {
		struct tsh_ring *ring = &rings->v[i];

		if (!ring->has_wrapped)
			continue;
		/* the file is in order when its newest page is the last */
		r = ring->at == ring->size ? 0 : straighten(rings, ring);
		if (r < 0)
			failed = r;
		else
			ring->has_wrapped = false;
	}
	return failed;
}
