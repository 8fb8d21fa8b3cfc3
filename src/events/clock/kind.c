/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock.h"

#include <string.h>

/* Older C libraries lack these names; the numbers are Linux's ABI. */
#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME 7
#endif
#ifndef CLOCK_TAI
#define CLOCK_TAI 11
#endif

/*
 * Bounds the rate at first; the true rate is measured. The kernel slews REALTIME, and with it
 * MONOTONIC, BOOTTIME and TAI. sched_clock, from which local, global and perf are made, may have
 * another source than the timekeeper: with hpet a difference of about 500 ppm to MONOTONIC_RAW was
 * seen. uptime counts ticks of MONOTONIC.
 */
#define SPREAD_PPB 1000000

/* Bounds how late ticks of uptime are, in ns. 10 ms are no multiple of a jiffy of 4 ms, so every
 * second tick is 2 ms late. Each tick is counted only when the timer interrupt comes. */
#define UPTIME_JITTER_NS (4 * 1000 * 1000)

static const struct tsh_clock_kind kinds[] = {
	{
		.name = "local", .posix = TSH_CLOCK_NO_POSIX,
		.in_ns = true, .has_time = true, .per_cpu = true,
		.unit_ns = 1, .spread_ppb = SPREAD_PPB,
		.summary = "fast; CPUs may disagree; stops in suspend",
	}, {
		.name = "global", .posix = TSH_CLOCK_NO_POSIX,
		.in_ns = true, .has_time = true, .uses_ticks = true,
		.unit_ns = 1, .spread_ppb = SPREAD_PPB,
		.summary = "local, in the same order on all CPUs; slower",
	}, {
		.name = "counter", .posix = TSH_CLOCK_NO_POSIX,
		.summary = "counts events; no time at all",
	}, {
		.name = "uptime", .posix = TSH_CLOCK_NO_POSIX,
		.has_time = true, .uses_ticks = true,
		.unit_ns = 10 * 1000 * 1000, .spread_ppb = SPREAD_PPB,
		.jitter_ns = UPTIME_JITTER_NS,
		.summary = "ticks of 10 ms since boot",
	}, {
		.name = "perf", .posix = TSH_CLOCK_NO_POSIX,
		.in_ns = true, .has_time = true, .per_cpu = true, .uses_ticks = true,
		.unit_ns = 1, .spread_ppb = SPREAD_PPB,
		.summary = "perf's clock; small skew between CPUs; stops in suspend",
	}, {
		.name = "mono", .posix = CLOCK_MONOTONIC,
		.in_ns = true, .has_time = true,
		.slewed = true, .unit_ns = 1,
		.summary = "CLOCK_MONOTONIC; stops in suspend",
	}, {
		.name = "mono_raw", .posix = CLOCK_MONOTONIC_RAW,
		.in_ns = true, .has_time = true,
		.unit_ns = 1,
		.summary = "CLOCK_MONOTONIC_RAW: not slewed by NTP; stops in suspend",
	}, {
		.name = "boot", .posix = CLOCK_BOOTTIME,
		.in_ns = true, .has_time = true, .runs_in_suspend = true,
		.slewed = true, .unit_ns = 1,
		.summary = "CLOCK_BOOTTIME: runs in suspend; the best for wall times",
	}, {
		.name = "tai", .posix = CLOCK_TAI,
		.in_ns = true, .has_time = true, .runs_in_suspend = true,
		.steps_with_realtime = true,
		.slewed = true, .unit_ns = 1,
		.summary = "CLOCK_TAI: steps when the wall clock is set",
	}, {
		.name = "x86-tsc", .posix = TSH_CLOCK_NO_POSIX,
		.has_time = true, .per_cpu = true, .unit_max_ns = 1,
		.summary = "cycles of the CPU's time stamp counter",
	}, {
		.name = "ppc-tb", .posix = TSH_CLOCK_NO_POSIX,
		.has_time = true, .unit_max_ns = 20,
		.summary = "ticks of the time base register",
	}, {
		.name = "s390-tod", .posix = TSH_CLOCK_NO_POSIX,
		.has_time = true, .runs_in_suspend = true, .unit_max_ns = 1,
		.summary = "units of the time of day clock",
	},
};

static const struct tsh_clock_kind unknown = {
	.name = "unknown", .posix = TSH_CLOCK_NO_POSIX,
	.has_time = true, .per_cpu = true, .unit_max_ns = 1000,
	.summary = "a clock that tracesh does not know",
};

const struct tsh_clock_kind *tsh_clock_kind(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return &unknown;
}

const struct tsh_clock_kind *tsh_clock_kind_by_other(const struct tsh_clock_kind *kind)
{
	static const struct tsh_clock_kind others[] = {
		{
			.name = "mono", .posix = CLOCK_MONOTONIC,
			.in_ns = true, .has_time = true, .unit_ns = 1,
			.summary = "CLOCK_MONOTONIC of another machine",
		}, {
			.name = "boot", .posix = CLOCK_BOOTTIME,
			.in_ns = true, .has_time = true, .runs_in_suspend = true, .unit_ns = 1,
			.summary = "CLOCK_BOOTTIME of another machine",
		}, {
			.name = "tai", .posix = CLOCK_TAI,
			.in_ns = true, .has_time = true, .runs_in_suspend = true, .unit_ns = 1,
			.summary = "CLOCK_TAI of another machine",
		},
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (kind->posix == others[i].posix)
			return &others[i];
	return kind;
}

clockid_t tsh_clock_base(const struct tsh_clock_kind *kind)
{
	return kind->posix != TSH_CLOCK_NO_POSIX ? kind->posix : CLOCK_MONOTONIC_RAW;
}

bool tsh_clocksource_is_slow(const char *name)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "jiffies", "refined-jiffies" };
	size_t i;

	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (!strcmp(name, slow[i]))
			return true;
	return false;
}

const char *tsh_clock_best(const char *clocksource, unsigned int long_size, bool can_suspend)
{
	if (tsh_clocksource_is_slow(clocksource))
		return "local";
	return long_size == 4 && !can_suspend ? "mono" : "boot";
}
