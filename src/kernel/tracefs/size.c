/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "size.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

static const char size_file[] = "buffer_size_kb";

bool tsh_is_size(const char *path)
{
	return !strcmp(path, size_file) || tsh_size_cpu(path) >= 0;
}

int tsh_size_cpu(const char *path)
{
	static const char folder[] = "per_cpu/cpu";
	uint64_t cpu;

	if (strncmp(path, folder, strlen(folder)) != 0)
		return -1;
	path += strlen(folder);
	if (!tsh_parse_u64_prefix(&path, &cpu) || cpu > INT_MAX || *path++ != '/' ||
	    strcmp(path, size_file) != 0)
		return -1;
	return (int)cpu;
}

uint64_t tsh_subbufs_of(uint64_t bytes, uint64_t subbuf)
{
	/* Each sub-buffer has a header of 16 bytes. */
	uint64_t room = subbuf - 16;

	return bytes / room + (bytes % room > 0);
}

uint64_t tsh_rounded_size(uint64_t kb, uint64_t subbuf_kb)
{
	uint64_t n = tsh_subbufs_of(kb * 1024, subbuf_kb * 1024);

	return (n < 2 ? 2 : n) * (subbuf_kb * 1024 - 16) / 1024;
}

/* Follows the table of trace_sched_switch.c, which from 6.8 on has a power of two of pages: a row
 * for each pid, some numbers, and the names, each with a number from 6.9 on. Older kernels use the
 * size that is asked for. */
bool tsh_is_names_size(uint64_t asked, uint64_t is)
{
	const uint64_t word = sizeof(long), head = (32769 * 4 + word - 1) / word * word + word + 8;
	uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	if (asked == is || asked > 32768)
		return asked == is;
	while (bytes < head + asked * 16)
		bytes *= 2;
	return is == (bytes - head) / 20 || is == (bytes - head) / 16;
}
