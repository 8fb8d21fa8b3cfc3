/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "raw-pages.h"

#include "source.h"

size_t tsh_source_lanes(const struct tsh_source *src)
{
	return src->nlanes;
}

int tsh_source_lane_cpu(const struct tsh_source *src, size_t lane)
{
	return src->lanes[lane].cpu;
}

uint64_t tsh_source_lane_bytes(const struct tsh_source *src, size_t lane, uint64_t *ret_cut)
{
	uint64_t size = src->lanes[lane].size;

	*ret_cut = size % src->layout.page_size;
	return size - *ret_cut;
}

ssize_t tsh_source_read_pages(struct tsh_source *src, size_t i, unsigned char *data, size_t size)
{
	struct lane *lane = &src->lanes[i];
	size_t have = 0, page = src->layout.page_size;
	ssize_t n;

	/* a ring is read in two parts */
	while (have < size && !lane->ended) {
		n = tsh_lane_read_tree(lane, data + have, size - have);
		if (n < 0)
			return n;
		have += (size_t)n;
		if (!n || have % page)
			break;
	}
	return (ssize_t)(have - have % page);
}
