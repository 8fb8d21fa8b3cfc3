/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "machine.h"
#include "now.h"
#include "number.h"
#include "vec.h"

/* Reads clocks as the kernel counts them, in whatever time namespace (of a container) this
 * process is. */

/* Returns the line "NAME SECS NSECS" of /proc/PID/timens_offsets in ns. */
static int64_t timens_line(const char *text, const char *name)
{
	struct tsh_strlist words = { 0 };
	int64_t secs, nsecs, offset = 0;
	size_t i;

	tsh_strlist_split_words(&words, text);
	for (i = 0; i + 2 < words.n; i++)
		if (!strcmp(words.v[i], name) && !tsh_parse_s64(words.v[i + 1], &secs) &&
		    !tsh_parse_s64(words.v[i + 2], &nsecs))
			offset = secs * 1000000000 + nsecs;
	tsh_strlist_release(&words);
	return offset;
}

/*
 * Says whether the file timens_offsets describes the time namespace of this process. The file
 * describes the namespace of future children. After unshare(2) these two differ until a fork, on
 * kernels that do not move a task at exec.
 */
static bool is_our_timens(void)
{
	char ours[64] = "", childrens[64] = "";

	return readlink("/proc/self/ns/time", ours, sizeof(ours) - 1) < 0 ||
	       readlink("/proc/self/ns/time_for_children", childrens, sizeof(childrens) - 1) < 0 ||
	       !strcmp(ours, childrens);
}

/* Holds the offsets of this process. Stands outside of other structs, because pthread_once(3) needs one
 * place for all threads, and every reader of a clock of the kernel would have to be given it. */
static struct offsets {
	pthread_once_t once;
	int64_t monotonic, boottime;
} offsets = { .once = PTHREAD_ONCE_INIT };

static void read_offsets(void)
{
	char text[256] = "";

	if (is_our_timens())
		(void)tsh_read_small("/proc/self/timens_offsets", text, sizeof(text));
	offsets.monotonic = timens_line(text, "monotonic");
	offsets.boottime = timens_line(text, "boottime");
}

/* Asks only once: a process never changes its time namespace. */
int64_t tsh_timens_offset(clockid_t clock)
{
	pthread_once(&offsets.once, read_offsets);
	if (clock == CLOCK_BOOTTIME)
		return offsets.boottime;
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ? offsets.monotonic : 0;
}

int64_t tsh_kernel_ns(clockid_t clock)
{
	return tsh_now_ns(clock) - tsh_timens_offset(clock);
}
