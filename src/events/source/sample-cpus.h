/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_SAMPLE_CPUS_H
#define TRACESH_EVENTS_SOURCE_SAMPLE_CPUS_H

#include <time.h>

#include "stream.h"

/*
 * Takes `rounds` samples of "now ts" of the CPUs' stats, for a clock that clock_gettime(2) cannot
 * read. When CPUs may differ, each sample is taken on its CPU. Skips CPUs that we may not use
 * (affinity), that are isolated, or that the sampling thread does not get for a tenth of a second.
 * Stamps of skipped CPUs get an error bound that covers the samples of all other CPUs. Returns 0,
 * TSH_CLOCK_RESTARTED, or -errno.
 */
int tsh_sample_cpus(struct tsh_clock *clock, const struct tsh_instance *in, unsigned int rounds);

#endif
