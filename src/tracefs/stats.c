/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/tracefs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "setting.h"
#include "tracesh/number.h"

/* What a buffer holds, by per_cpu/cpuN/stats, and whether it fits in a smaller one. */

uint64_t tsh_stats_number(const char *stats, const char *name)
{
	size_t len = strlen(name);
	const char *line = stats;
	uint64_t value = 0;

	for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		for (line += len + 1; *line == ' '; line++)
			;
		for (; *line >= '0' && *line <= '9'; line++)
			value = value * 10 + (uint64_t)(*line - '0');
		break;
	}
	return value;
}

/*
 * Says whether the unread events of a CPU may need more than `kb`. The kernel removes whole sub-buffers, empty ones
 * first. Two that follow each other hold more than one has room for: an event begins a new one only where it does not
 * fit. Some kernels count bytes wrong from the first smaller size on: then it says yes.
 */
static bool may_drop(const struct tsh_instance *in, unsigned int cpu, uint64_t kb, uint64_t subbuf)
{
	char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpu), *stats = tsh_file_text(in, path);
	uint64_t bytes = tsh_stats_number(stats, "bytes"), entries = tsh_stats_number(stats, "entries");
	uint64_t room = (kb * 1024 + subbuf - 1) / subbuf;

	free(stats);
	free(path);
	if (!entries)
		return false;
	/* The kernel has no buffer of fewer. */
	if (room < 2)
		room = 2;
	return !bytes || bytes / subbuf >= room || 2 * bytes / subbuf + 1 > room;
}

bool tsh_size_may_drop(const struct tsh_instance *in, const char *path, const char *size)
{
	uint64_t subbuf = tsh_file_number(in, "buffer_subbuf_size_kb", 0) * 1024;
	int its = tsh_size_cpu(path);
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);
	bool may = false;

	if (!subbuf)
		subbuf = (uint64_t)sysconf(_SC_PAGESIZE);
	for (i = 0; tsh_is_size(path) && i < n && !may; i++) {
		char *file = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		char *text = tsh_size_of_cpu(size, (int)cpus[i]);
		uint64_t kb;

		if ((its < 0 || its == (int)cpus[i]) && text && !tsh_parse_u64(text, &kb) && kb <= UINT64_MAX / 1024 &&
		    kb < tsh_file_number(in, file, 0))
			may = may_drop(in, cpus[i], kb, subbuf);
		free(text);
		free(file);
	}
	free(cpus);
	return may;
}
