/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "recorded.h"
#include "sample-cpus.h"
#include "source.h"

#define BILLION 1000000000

/* ---- clocks that clock_gettime(2) can read ---- */

bool tsh_clock_now(const struct tsh_clock_kind *kind, uint64_t *ret_stamp)
{
	if (kind->posix == TSH_CLOCK_NO_POSIX)
		return false;
	*ret_stamp = (uint64_t)tsh_kernel_ns(kind->posix);
	return true;
}

/* ---- the machine ---- */

void tsh_clocksource(char *buf, size_t size)
{
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

/*
 * Bounds how late ticks are. A clock that counts ticks (kernel/sched/clock.c) advances by at most a
 * tick until the next one comes, which may be late by more than a tick. That is so rare that no
 * sample shows it; 2.9 ms were seen in an emulated machine.
 */
#define TICKS_JITTER_NS 20000000

/* Says whether this is a virtual machine, whose CPU counts a tick only when it runs again. */
static bool is_virtual(void)
{
	char *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && !found && getline(&line, &cap, f) > 0)
		found = !strncmp(line, "flags", 5) && strstr(line, " hypervisor ");
	free(line);
	if (f)
		fclose(f);
	return found;
}

static void sample_machine(struct tsh_clock *clock)
{
	bool is_slow;
	char name[64];

	tsh_clocksource(name, sizeof(name));
	is_slow = tsh_clocksource_is_slow(name);
	if (clock->kind->uses_ticks && (is_slow || (clock->kind->jitter_ns && is_virtual())))
		clock->jitter_ns = TICKS_JITTER_NS;
	/*
	 * Does not rely on local's nominal rate: only measurements count. It is plain sched_clock,
	 * which uses the TSC even after the timekeeper has rejected it, perhaps because its
	 * frequency is wrong. In an emulated machine whose calibration was disturbed, it was 1.35
	 * times too fast.
	 */
	if (is_slow && clock->kind->spread_ppb && !clock->kind->uses_ticks)
		clock->is_unvouched = true;
}

/* ---- the wall clock, against the base of a trace clock ---- */

#define PPB_OF_PPM 1000
#define NEAR_NS	   100000

/*
 * Reads how fast REALTIME goes, in billionths, from adjtimex(2). Frequency and tick stay until a
 * program changes them. An offset is corrected for a time (kernel/time/ntp.c, ntp_offset_chunk and
 * second_overflow).
 */
static void read_slew(struct tsh_clock_wall_sample *sample)
{
	/* The only mode that changes nothing returns the rest of an adjtime(3). */
	struct timex t = { .modes = ADJ_OFFSET_SS_READ }, plain = { .modes = 0 };
	long user_hz = sysconf(_SC_CLK_TCK);
	int64_t offset, ppb, passing = 0;

	if (adjtimex(&plain) < 0)
		return;
	/* frequency in 2^-16 ppm; a tick is in us, nominally 1000000 / USER_HZ */
	ppb = (int64_t)plain.freq * PPB_OF_PPM / 65536;
	ppb += ((int64_t)plain.tick - 1000000 / user_hz) * user_hz * PPB_OF_PPM;
	offset = (int64_t)plain.offset * (plain.status & STA_NANO ? 1 : 1000);
	if (!(plain.status & STA_PPSSIGNAL) && plain.constant >= 0 && plain.constant < 30)
		offset /= INT64_C(4) << plain.constant;
	passing += offset;
	if (adjtimex(&t) >= 0 && t.offset)
		passing += t.offset < 0 ? -500000 : 500000;
	sample->slew_ppb = (int32_t)ppb;
	sample->passing_ppb = passing < -BILLION / 2 ? -BILLION / 2 :
			      passing > BILLION / 2  ? BILLION / 2 :
						       (int32_t)passing;
}

/* Returns how long the machine has been suspended since boot, from two samples close together. */
static int64_t asleep_ns(void)
{
	int64_t monotonic, boottime, tries = 4;

	do {
		monotonic = tsh_kernel_ns(CLOCK_MONOTONIC);
		boottime = tsh_kernel_ns(CLOCK_BOOTTIME);
	} while (tsh_kernel_ns(CLOCK_MONOTONIC) - monotonic > NEAR_NS && --tries);
	return tries ? boottime - monotonic : TSH_ASLEEP_UNKNOWN;
}

/* Takes `rounds` samples of the wall clock. Returns TSH_CLOCK_*. */
static int sample_wall(struct tsh_clock *clock, unsigned int rounds)
{
	clockid_t base = tsh_clock_base(clock->kind);
	struct tsh_clock_wall_sample sample = { 0 };
	int news = 0;

	if (!clock->kind->slewed)
		read_slew(&sample);
	while (rounds--) {
		sample.asleep = asleep_ns();
		sample.before = tsh_now_ns(CLOCK_REALTIME);
		sample.base = (uint64_t)tsh_kernel_ns(base);
		sample.after = tsh_now_ns(CLOCK_REALTIME);
		sample.boot = tsh_kernel_ns(CLOCK_BOOTTIME);
		if (tsh_now_ns(CLOCK_REALTIME) - sample.before > NEAR_NS)
			sample.boot = TSH_BOOT_UNKNOWN;
		news |= tsh_clock_add_wall(clock, &sample);
	}
	return news;
}

/* ---- clocks that clock_gettime(2) cannot read ---- */

/* Takes samples twice, 10.5 ms apart, which gives the clock's rate. Returns TSH_CLOCK_*, or
 * -errno. */
static int sample_stats_twice(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds)
{
	const struct timespec pause = { .tv_nsec = 10500000 };
	int again, r = tsh_sample_cpus(clock, in, rounds);

	if (r < 0)
		return r;
	nanosleep(&pause, NULL);
	again = tsh_sample_cpus(clock, in, rounds);
	return again < 0 ? again : r | again;
}

/* ---- instances and recordings ---- */

/* Limit the additional samples of the wall clock, which are taken while its error is above
 * GOOD_ERROR_NS. */
#define MORE_LOOKS    8
#define GOOD_ERROR_NS 400

int tsh_clock_sample_wall(struct tsh_clock *clock, const struct tsh_instance *in)
{
	if (in->dir->kind == TSH_DIR_TREE || !clock->kind->has_time)
		return 0;
	return sample_wall(clock, 2);
}

int tsh_clock_sample_instance(struct tsh_clock *clock, const struct tsh_instance *in,
			      unsigned int rounds, struct tsh_err *err)
{
	bool is_first = !tsh_clock_is_ready(clock);
	unsigned int i;
	int r, news;

	if (in->dir->kind == TSH_DIR_TREE)
		return tsh_tree_load_clock(clock, in, err);
	if (!clock->kind->has_time)
		return 0;
	if (is_first)
		sample_machine(clock);
	news = sample_wall(clock, rounds);
	for (i = 0; is_first && i < MORE_LOOKS && tsh_clock_error(clock) > GOOD_ERROR_NS; i++)
		news |= sample_wall(clock, rounds);
	if (clock->kind->posix != TSH_CLOCK_NO_POSIX)
		return news;
	r = is_first ? sample_stats_twice(clock, in, rounds) : tsh_sample_cpus(clock, in, rounds);
	if (r < 0)
		return tsh_err_errno(err, -r, "cannot read the clock of instance '%s'",
				     tsh_instance_label(in));
	return news | r | sample_wall(clock, rounds);
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
