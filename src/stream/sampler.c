/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "source.h"

/* Where a tree keeps the calibration of the recording, see tsh_clock_save. */
#define TREE_CLOCK "tracesh/clock"

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- clocks that clock_gettime reads ---- */

/* The line "NAME SECS NSECS" of /proc/PID/timens_offsets, in ns. */
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
 * In a time namespace (a container) clock_gettime has an offset that the kernel's
 * own clocks, and so the events, do not have. A process never changes its own.
 */
static int64_t timens_offset(clockid_t clock)
{
	static int64_t monotonic, boottime;
	static bool known;

	if (!known) {
		char text[256];
		int fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

		if (fd >= 0)
			close(fd);
		text[n > 0 ? n : 0] = '\0';
		monotonic = timens_line(text, "monotonic");
		boottime = timens_line(text, "boottime");
		known = true;
	}
	if (clock == CLOCK_BOOTTIME)
		return boottime;
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ? monotonic : 0;
}

bool tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp)
{
	if (kind->posix == TSH_CLOCK_NO_POSIX)
		return false;
	*ret_stamp = (uint64_t)(now_ns(kind->posix) - timens_offset(kind->posix));
	return true;
}

static int sample_posix(struct tsh_clock *clock, unsigned int rounds)
{
	struct tsh_clock_sample sample = { .cpu = -1 };
	int stepped = 0;

	while (rounds--) {
		sample.wall_before = now_ns(CLOCK_REALTIME);
		tsh_clock_now(clock->kind, &sample.stamp);
		sample.wall_after = now_ns(CLOCK_REALTIME);
		stepped |= tsh_clock_add(clock, &sample);
	}
	return stepped;
}

/* ---- the others: "now ts" of a CPU's stats ---- */

/* Binds this thread to one CPU. */
static bool pin(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	bool done = false;

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		done = !sched_setaffinity(0, size, set);
		CPU_FREE(set);
	}
	return done;
}

/* The kernel makes the file anew for every read at its beginning. */
static bool read_now(int fd, struct tsh_clock_sample *sample)
{
	char text[1024];
	bool is_time;
	ssize_t n;

	sample->wall_before = now_ns(CLOCK_REALTIME);
	n = pread(fd, text, sizeof(text) - 1, 0);
	sample->wall_after = now_ns(CLOCK_REALTIME);
	if (n <= 0)
		return false;
	text[n] = '\0';
	if (!tsh_stats_value(text, "now ts", &sample->stamp, &is_time))
		return false;
	/* ns2usecs rounds to the nearest; a count of ticks is between two. */
	sample->quantum = is_time ? 500 : 1;
	if (is_time)
		sample->stamp *= 1000;
	return true;
}

static int sample_cpu(struct tsh_clock *clock, const struct tsh_instance *in, unsigned int cpu,
		      unsigned int rounds)
{
	struct tsh_clock_sample sample = { .cpu = -1 };
	char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpu);
	int stepped = 0, fd = tsh_file_open(in, path, 0);

	free(path);
	if (fd < 0)
		return fd;
	if (clock->kind->per_cpu && pin(cpu))
		sample.cpu = (int)cpu;
	while (rounds--)
		if (read_now(fd, &sample))
			stepped |= tsh_clock_add(clock, &sample);
	close(fd);
	return stepped;
}

/* Room for every CPU that a kernel can have. */
#define AFFINITY_CPUS TSH_CPU_MAX

static int sample_stats(struct tsh_clock *clock, const struct tsh_instance *in,
			unsigned int rounds)
{
	size_t i, n, size = CPU_ALLOC_SIZE(AFFINITY_CPUS);
	cpu_set_t *before = CPU_ALLOC(AFFINITY_CPUS);
	unsigned int *cpus = NULL;
	int r, stepped = 0, failed = 0;
	bool saved;

	if (!before)
		return -ENOMEM;
	saved = !sched_getaffinity(0, size, before);
	n = tsh_cpus_present(in, &cpus);
	if (n > 1 && !clock->kind->per_cpu)
		n = 1;
	for (i = 0; i < n; i++) {
		r = sample_cpu(clock, in, cpus[i], rounds);
		if (r < 0)
			failed = r;
		else
			stepped |= r;
	}
	if (saved)
		sched_setaffinity(0, size, before);
	CPU_FREE(before);
	free(cpus);
	return failed ? failed : stepped;
}

static int sample_stats_twice(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds)
{
	const struct timespec pause = { .tv_nsec = 12000000 };
	int again, r = sample_stats(clock, in, rounds);

	/* Two looks some time apart show the rate of a clock that counts cycles. */
	if (r < 0 || tsh_clock_is_ready(clock))
		return r;
	nanosleep(&pause, NULL);
	again = sample_stats(clock, in, rounds);
	return again < 0 ? again : r | again;
}

/* ---- instances and trees ---- */

static int load_tree(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err)
{
	char *text = tsh_file_text(in, TREE_CLOCK);
	int r = text ? tsh_clock_load(clock, text) : 0;

	free(text);
	if (r < 0)
		return tsh_err_set(err, TSH_FAILED, "'%s' of the recording holds no calibration",
				   TREE_CLOCK);
	return 0;
}

int tsh_clock_sample_instance(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds, struct tsh_err *err)
{
	int r;

	if (in->dir->kind == TSH_DIR_TREE)
		return load_tree(clock, in, err);
	if (!clock->kind->has_time)
		return 0;
	if (clock->kind->posix != TSH_CLOCK_NO_POSIX)
		return sample_posix(clock, rounds);
	r = sample_stats_twice(clock, in, rounds);
	if (r < 0)
		return tsh_err_errno(err, -r, "cannot read the clock of instance '%s'",
				     tsh_instance_label(in));
	return r;
}

char *tsh_clock_name(const struct tsh_instance *in)
{
	char *text = tsh_file_text(in, "trace_clock");
	char *name = NULL;

	if (text) {
		name = tsh_class_normalize(tsh_file_class("trace_clock"), text);
		free(text);
	}
	return name;
}
