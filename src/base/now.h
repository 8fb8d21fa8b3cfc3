/* base/now.h - the present time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_NOW_H
#define TRACESH_BASE_NOW_H

#include <stdint.h>
#include <time.h>

/* Returns what clock_gettime(2) says of a clock, in ns; for CLOCK_REALTIME since 1970. */
static inline int64_t tsh_now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Returns the offset that our time namespace (of a container) adds to a clock, in ns; 0: there
 * is none, or it is not known. */
int64_t tsh_timens_offset(clockid_t clock);
/* Returns tsh_now_ns without that offset, as the kernel counts in its events. */
int64_t tsh_kernel_ns(clockid_t clock);

#endif
