/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_SAMPLE_CPUS_H
#define TRACESH_EVENTS_SOURCE_SAMPLE_CPUS_H

#include <time.h>

#include "stream.h"

/*
 * `rounds` looks at "now ts" of the CPUs' stats for a clock that clock_gettime does not read.
 * Where CPUs may differ each look is made on its CPU; CPUs that are not ours (affinity), that
 * are isolated, or that let nobody in for a tenth of a second are left alone: for them the
 * error covers what the others say. 0, TSH_CLOCK_ANEW, or -errno.
 */
int tsh_sample_cpus(struct tsh_clock *clock, const struct tsh_instance *in, unsigned int rounds);

#endif
