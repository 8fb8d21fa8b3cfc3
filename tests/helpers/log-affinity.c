/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Preloaded: writes each CPU that a thread is let onto into the file AFFINITY_LOG. */

typedef int set_affinity(pid_t pid, size_t size, const cpu_set_t *set);

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	set_affinity *real = (set_affinity *)dlsym(RTLD_NEXT, "sched_setaffinity");
	const char *path = getenv("AFFINITY_LOG");
	FILE *log = path ? fopen(path, "a") : NULL;
	size_t cpu;

	for (cpu = 0; log && cpu < 8 * size; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			fprintf(log, "%zu\n", cpu);
	if (log)
		fclose(log);
	return real(pid, size, set);
}
