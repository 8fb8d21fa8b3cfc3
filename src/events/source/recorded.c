/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/number.h"
#include "recorded.h"
#include "source.h"

/* Reads the pages of a recording. */

/* Reads the stamp at the beginning of a page. Returns false at the end of the file. */
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
 * Finds the offset of the oldest page. The file of a killed recording may be a ring, in which the
 * oldest page follows the newest. There the stamps go back; if they do so in several places (a
 * clock was set back), the largest step counts.
 */
static uint64_t find_oldest(const struct tsh_source *src, int fd, uint64_t size)
{
	uint64_t offset, stamp, before = 0, step = 0, oldest = 0;

	for (offset = 0; offset + src->layout.page_size <= size; offset += src->layout.page_size) {
		if (!page_stamp(src, fd, offset, &stamp))
			break;
		/* the page was never written: the machine went down */
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

int tsh_lane_open(const struct tsh_source *src, struct lane *lane)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/trace_pipe_raw", lane->cpu);
	int r = src->live ? -ENOSYS : tsh_tree_open_pages(src->in, path, &lane->pages), fd;

	if (r == -ENOSYS)
		fd = tsh_file_open(src->in, path, O_NONBLOCK);
	else if (r < 0)
		fd = r;
	else if ((fd = fcntl(lane->pages.fd, F_DUPFD_CLOEXEC, 0)) < 0)
		fd = -errno;
	free(path);
	return fd;
}

/* Returns the bytes of all pages of a lane; 0: there are none. */
static uint64_t size_of(const struct lane *lane)
{
	struct stat st;

	if (lane->pages.size || lane->pages.read)
		return lane->pages.size;
	return lane->fd < 0 || fstat(lane->fd, &st) < 0 || st.st_size <= 0 ? 0 : (uint64_t)st.st_size;
}

void tsh_lane_begin_tree(struct tsh_source *src, struct lane *lane)
{
	lane->size = lane->left = size_of(lane);
	lane->ended = !lane->size;
	if (lane->ended)
		return;
	lane->at = src->rings ? find_oldest(src, lane->fd, lane->size) : 0;
}

ssize_t tsh_lane_read_tree(struct lane *lane, unsigned char *data, size_t size)
{
	size_t have = 0, want = size < lane->left ? size : (size_t)lane->left;
	ssize_t n = 0;

	/* a ring goes on at the beginning of the file */
	if (lane->at >= lane->size)
		lane->at = 0;
	if (want > lane->size - lane->at)
		want = (size_t)(lane->size - lane->at);
	while (have < want) {
		n = lane->pages.read ? lane->pages.read(lane->pages.ctx, data + have, want - have) :
		    pread(lane->fd, data + have, want - have, (off_t)(lane->pages.start + lane->at + have));
		if (n == -EBADMSG) {
			lane->is_damaged = true;
			break;
		}
		if (n < 0 && lane->pages.read)
			return n;
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
	lane->cut_page = have < size && !lane->is_damaged ? have : 0;
	return (ssize_t)have;
}

void tsh_lane_report_cut(struct tsh_source *src, struct lane *lane)
{
	if (lane->cut_page)
		tsh_source_add_complaint(src, "cpu %d: the recording ends inside a page (%zu of %u bytes)",
					 lane->cpu, lane->cut_page, src->layout.page_size);
	lane->cut_page = 0;
	if (lane->is_damaged)
		tsh_source_add_complaint(src, "cpu %d: the compressed pages are damaged: %llu bytes of pages cannot be read",
					 lane->cpu, (unsigned long long)lane->left);
	lane->is_damaged = false;
	if (lane->ended && lane->pages.missing)
		tsh_source_add_complaint(src, "cpu %d: %llu bytes of pages are missing: the file is cut", lane->cpu,
					 (unsigned long long)lane->pages.missing);
	if (lane->ended)
		lane->pages.missing = 0;
}

size_t tsh_lane_read_pages(const struct tsh_source *src, struct lane *lane, struct page *const *pages, size_t n)
{
	struct iovec parts[TSH_TREE_PAGES];
	size_t size = src->layout.page_size, i;
	uint64_t whole;
	ssize_t r;

	if (lane->pages.read)
		return 0;
	/* a ring goes on at the beginning of the file */
	if (lane->at >= lane->size)
		lane->at = 0;
	whole = lane->size - lane->at < lane->left ? lane->size - lane->at : lane->left;
	if (n > whole / size)
		n = (size_t)(whole / size);
	if (n > TSH_TREE_PAGES)
		n = TSH_TREE_PAGES;
	for (i = 0; i < n; i++)
		parts[i] = (struct iovec){ pages[i]->data, size };
	r = n ? preadv(lane->fd, parts, (int)n, (off_t)(lane->pages.start + lane->at)) : 0;
	n = r > 0 ? (size_t)r / size : 0;
	for (i = 0; i < n; i++)
		pages[i]->len = size;
	lane->at += n * size;
	lane->left -= n * size;
	lane->ended = !lane->left;
	return n;
}

void tsh_source_begin_tree(struct tsh_source *src)
{
	char *order = tsh_tree_info(src->in, "byte_order");
	char *pages = tsh_tree_info(src->in, "pages");

	/* without the file, assumes the byte order of this machine */
	if (order)
		src->layout.big_endian = !strcmp(order, "big");
	src->rings = pages && !strcmp(pages, "ring");
	free(order);
	free(pages);
}

/* Returns the number that follows a word in a CPU's line: "events 639 lost 0 overwritten 0". */
static uint64_t number_after(const char *told, const char *word)
{
	const char *found = strstr(told, word);
	uint64_t number = 0;

	if (found) {
		found += strlen(word);
		found += strspn(found, " ");
		if (!tsh_parse_u64_prefix(&found, &number))
			number = 0;
	}
	return number;
}

static int compare_cpu(const void *key, const void *element)
{
	const struct lane *lane = element;
	uint64_t cpu = *(const uint64_t *)key;

	return (cpu > (uint64_t)lane->cpu) - (cpu < (uint64_t)lane->cpu);
}

/* Reads a line "cpu3 events .."; ignores others. */
static void read_counts(struct tsh_source *src, const char *line)
{
	uint64_t cpu, overwritten;
	struct lane *lane;

	if (strncmp(line, "cpu", 3) != 0)
		return;
	line += 3;
	if (!tsh_parse_u64_prefix(&line, &cpu) || *line != ' ')
		return;
	lane = src->nlanes ? bsearch(&cpu, src->lanes, src->nlanes, sizeof(*src->lanes), compare_cpu) :
			     NULL;
	if (!lane || lane->recorded)
		return;
	lane->recorded = number_after(line, "events");
	overwritten = number_after(line, "overwritten");
	src->overwritten += overwritten;
	if (overwritten)
		tsh_source_add_complaint(src, "cpu %d: %llu older events were overwritten by newer ones "
					      "(record --max)", lane->cpu,
					 (unsigned long long)overwritten);
}

void tsh_source_read_left_out(struct tsh_source *src)
{
	char *text = tsh_tree_info_text(src->in), *line = text, *end;

	src->is_cut = tsh_tree_is_cut(src->in);
	if (src->is_cut)
		tsh_source_add_complaint(src, TSH_TREE_CUT);
	for (; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		read_counts(src, line);
	}
	free(text);
}

uint64_t tsh_source_count_missing(struct tsh_source *src)
{
	uint64_t missing, all = 0;
	size_t i;

	for (i = 0; !src->live && i < src->nlanes; i++) {
		const struct lane *lane = &src->lanes[i];

		if (!lane->ended || lane->has_head || lane->first || lane->loaded >= lane->recorded)
			continue;
		missing = lane->recorded - lane->loaded;
		tsh_source_add_complaint(src, "cpu %d: %llu of the %llu events that were recorded are "
					 "missing: the recording is damaged", lane->cpu,
					 (unsigned long long)missing,
					 (unsigned long long)lane->recorded);
		all += missing;
	}
	return all;
}
