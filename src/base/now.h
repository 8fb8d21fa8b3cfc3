/* base/now.h - the present time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_NOW_H
#define TRACESH_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* What a clock of clock_gettime(2) says, in ns; of CLOCK_REALTIME since 1970. */
static inline int64_t tsh_now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Gives what a time namespace (a container's) has added to a clock for us, in ns; 0 where that is not known. */
int64_t tsh_timens_offset(clockid_t clock);
/* tsh_now_ns in the kernel's own count: that of its events, and of every time namespace. */
int64_t tsh_kernel_ns(clockid_t clock);

#endif
