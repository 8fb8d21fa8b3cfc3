/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deal CPUS RAW DIR: deals the events of one CPU's raw pages (64-bit, little endian,
 * 4096 bytes) out to the CPUs of a recorded tree, in short runs of 1 to 8 as they come
 * on a busy machine, and prints how many there are. Times stay as they are.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAGE 4096
#define HEAD 16

struct lane {
	unsigned char page[PAGE];
	size_t used;
	uint64_t stamp;
	FILE *out;
};

static void finish_page(struct lane *lane)
{
	uint64_t commit = lane->used;

	if (!lane->used)
		return;
	memcpy(lane->page + 8, &commit, 8);
	fwrite(lane->page, PAGE, 1, lane->out);
	memset(lane->page, 0, PAGE);
	lane->used = 0;
}

static void put_u32(struct lane *lane, uint32_t value)
{
	memcpy(lane->page + HEAD + lane->used, &value, 4);
	lane->used += 4;
}

/* words: of data, 1 to 28 */
static void put_event(struct lane *lane, uint64_t stamp, const unsigned char *data,
		      uint32_t words)
{
	uint64_t delta;

	if (HEAD + lane->used + 12 + 4 * words > PAGE)
		finish_page(lane);
	if (!lane->used) {
		memcpy(lane->page, &stamp, 8);
		lane->stamp = stamp;
	}
	delta = stamp - lane->stamp;
	lane->stamp = stamp;
	if (delta >> 27) {
		put_u32(lane, 30 | (uint32_t)(delta & 0x7ffffff) << 5);
		put_u32(lane, (uint32_t)(delta >> 27));
		delta = 0;
	}
	put_u32(lane, words | (uint32_t)delta << 5);
	memcpy(lane->page + HEAD + lane->used, data, 4 * words);
	lane->used += 4 * words;
}

/* Events of one page, as kernel/trace/ring_buffer.c lays them out. */
static unsigned long deal_page(const unsigned char *page, struct lane *lanes, unsigned int cpus)
{
	static unsigned int cpu, run;
	const unsigned char *p = page + HEAD, *end;
	uint64_t stamp, commit;
	unsigned long n = 0;

	memcpy(&stamp, page, 8);
	memcpy(&commit, page + 8, 8);
	end = p + (commit & 0xfffff);
	while (p + 8 <= end && end <= page + PAGE) {
		uint32_t word, type, more;

		memcpy(&word, p, 4);
		memcpy(&more, p + 4, 4);
		type = word & 31;
		if (type == 29)
			break;
		stamp += word >> 5;
		if (type == 30) {
			stamp += (uint64_t)more << 27;
			p += 8;
		} else if (type == 31 || !type) {
			return n;	/* none of them in what the benchmark records */
		} else {
			if (!run--) {
				cpu = (unsigned int)rand() % cpus;
				run = (unsigned int)rand() % 8;
			}
			put_event(&lanes[cpu], stamp, p + 4, type);
			p += 4 + 4 * type;
			n++;
		}
	}
	return n;
}

int main(int argc, char **argv)
{
	unsigned int cpus = argc == 4 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0, i;
	unsigned char page[PAGE];
	struct lane *lanes;
	unsigned long n = 0;
	char path[4096];
	FILE *in;

	if (!cpus || !(in = fopen(argv[2], "rb")))
		return 2;
	lanes = calloc(cpus, sizeof(*lanes));
	mkdir(argv[3], 0700);
	for (i = 0; lanes && i < cpus; i++) {
		snprintf(path, sizeof(path), "%s/cpu%u", argv[3], i);
		mkdir(path, 0700);
		snprintf(path, sizeof(path), "%s/cpu%u/trace_pipe_raw", argv[3], i);
		lanes[i].out = fopen(path, "wb");
		if (!lanes[i].out)
			return 1;
	}
	while (lanes && fread(page, PAGE, 1, in) == 1)
		n += deal_page(page, lanes, cpus);
	for (i = 0; lanes && i < cpus; i++) {
		finish_page(&lanes[i]);
		fclose(lanes[i].out);
	}
	printf("%lu\n", n);
	return 0;
}
