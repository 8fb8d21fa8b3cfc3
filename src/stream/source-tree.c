/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"
#include "tracesh/record.h"

/* The pages of a recorded tree. */

/* The stamp that a page begins with; false at the end of the file. */
static bool page_stamp(const struct tsh_source *src, int fd, uint64_t offset, uint64_t *ret)
{
	unsigned char bytes[8];
	size_t i;

	if (pread(fd, bytes, sizeof(bytes), (off_t)offset) != (ssize_t)sizeof(bytes))
		return false;
	*ret = 0;
	for (i = 0; i < sizeof(bytes); i++)
		*ret = *ret << 8 | bytes[src->layout.big_endian ? i : 7 - i];
	return true;
}

/*
 * A recording that was killed may have left a ring: the newest page is followed by the
 * oldest one. That is where the stamps go back; where most, if a clock was set back too.
 */
static uint64_t find_oldest(const struct tsh_source *src, int fd, uint64_t size)
{
	uint64_t offset, stamp, before = 0, step = 0, oldest = 0;

	for (offset = 0; offset + src->layout.page_size <= size; offset += src->layout.page_size) {
		if (!page_stamp(src, fd, offset, &stamp))
			break;
		/* Never written: the machine went down. */
		if (!stamp)
			continue;
		if (stamp < before && before - stamp > step) {
			step = before - stamp;
			oldest = offset;
		}
		before = stamp;
	}
	return oldest;
}

void tsh_lane_begin_tree(struct tsh_source *src, struct lane *lane)
{
	struct stat st;

	lane->ended = true;
	if (lane->fd < 0 || fstat(lane->fd, &st) < 0 || st.st_size <= 0)
		return;
	lane->size = lane->left = (uint64_t)st.st_size;
	lane->at = src->rings ? find_oldest(src, lane->fd, lane->size) : 0;
	lane->ended = false;
}

ssize_t tsh_lane_read_tree(struct tsh_source *src, struct lane *lane, unsigned char *data,
			   size_t size)
{
	size_t have = 0, want = size < lane->left ? size : (size_t)lane->left;
	ssize_t n = 0;

	/* From the newest page of a ring to the oldest in the file. */
	if (lane->at >= lane->size)
		lane->at = 0;
	if (want > lane->size - lane->at)
		want = (size_t)(lane->size - lane->at);
	while (have < want) {
		n = pread(lane->fd, data + have, want - have, (off_t)(lane->at + have));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	lane->at += have;
	lane->left -= have;
	if (!lane->left || !have)
		lane->ended = true;
	if (have && have < size)
		tsh_source_complain(src, "cpu %d: the recording ends inside a page (%zu of %zu "
				    "bytes)", lane->cpu, have, size);
	return (ssize_t)have;
}

void tsh_source_begin_tree(struct tsh_source *src)
{
	char *order = tsh_tree_info(src->in, "byte_order");
	char *pages = tsh_tree_info(src->in, "pages");

	/* Without it: as on this machine. */
	if (order)
		src->layout.big_endian = !strcmp(order, "big");
	src->rings = pages && !strcmp(pages, "ring");
	free(order);
	free(pages);
}

/* The number behind a word of what the tree says of a CPU: "events 639 lost 0 overwritten 0". */
static uint64_t told_number(const char *told, const char *word)
{
	const char *found = told ? strstr(told, word) : NULL;
	struct tsh_strlist words = { 0 };
	uint64_t number = 0;

	if (found)
		tsh_strlist_split_words(&words, found);
	if (words.n < 2 || tsh_parse_u64(words.v[1], &number) < 0)
		number = 0;
	tsh_strlist_release(&words);
	return number;
}

void tsh_source_tell_tree(struct tsh_source *src)
{
	size_t i;

	for (i = 0; i < src->nlanes; i++) {
		struct lane *lane = &src->lanes[i];
		char *key = tsh_xasprintf("cpu%d", lane->cpu);
		char *told = tsh_tree_info(src->in, key);
		uint64_t overwritten = told_number(told, "overwritten");

		lane->recorded = told_number(told, "events");
		if (overwritten)
			tsh_source_complain(src, "cpu %d: %llu older events were given up for "
					    "these (record --max)", lane->cpu,
					    (unsigned long long)overwritten);
		free(told);
		free(key);
	}
}

uint64_t tsh_source_tell_missing(struct tsh_source *src)
{
	uint64_t missing, all = 0;
	size_t i;

	for (i = 0; !src->live && i < src->nlanes; i++) {
		const struct lane *lane = &src->lanes[i];

		if (!lane->ended || lane->has_head || lane->first || lane->loaded >= lane->recorded)
			continue;
		missing = lane->recorded - lane->loaded;
		tsh_source_complain(src, "cpu %d: %llu of the %llu events that were recorded are "
				    "missing: the recording is damaged", lane->cpu,
				    (unsigned long long)missing,
				    (unsigned long long)lane->recorded);
		all += missing;
	}
	return all;
}
