/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util.h"

#include <stdlib.h>

#include "base/machine.h"

/* Counts the events that buffers hold. */

/* Sums up the numbers with these names in the stats files of all CPUs. Returns false when a file is
 * missing. */
static bool sum_stats(const struct tsh_instance *in, const char *const *names, uint64_t *ret)
{
	unsigned int *cpus;
	size_t i, k, n = tsh_cpus_present(in, &cpus);
	bool known = n > 0;

	*ret = 0;
	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpus[i]);
		char *stats = tsh_file_text(in, path);

		for (k = 0; stats && names[k]; k++)
			*ret += tsh_stats_number(stats, names[k]);
		known = known && stats;
		free(stats);
		free(path);
	}
	free(cpus);
	return known;
}

bool tsh_cmd_count_entries(const struct tsh_instance *in, uint64_t *ret)
{
	static const char *const names[] = { "entries", NULL };

	return sum_stats(in, names, ret);
}

uint64_t tsh_cmd_count_lost(const struct tsh_instance *in)
{
	static const char *const names[] = { "overrun", "commit overrun", "dropped events", NULL };
	uint64_t lost;

	(void)sum_stats(in, names, &lost);
	return lost;
}

uint64_t tsh_cmd_overrun(const struct tsh_instance *in)
{
	static const char *const names[] = { "overrun", NULL };
	uint64_t overrun;

	(void)sum_stats(in, names, &overrun);
	return overrun;
}

uint64_t tsh_cmd_written(const struct tsh_instance *in)
{
	static const char *const names[] = { "entries", "overrun", "read events", NULL };
	uint64_t written;

	(void)sum_stats(in, names, &written);
	return written;
}

uint64_t tsh_cmd_entries(const struct tsh_instance *in)
{
	uint64_t entries;

	(void)tsh_cmd_count_entries(in, &entries);
	return entries;
}

const char *tsh_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}
