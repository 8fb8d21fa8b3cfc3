/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "defaults.h"

#include <stdlib.h>

#include "base/number.h"

const struct tsh_default_number tsh_default_numbers[] = {
	{ "buffer_percent", "50" }, { "tracing_thresh", "0" }, { "max_graph_depth", "0" },
	{ NULL, NULL }
};

void tsh_default_cpumask(const struct tsh_instance *in, struct tsh_strbuf *ret)
{
	struct tsh_cpuset all = { 0 };
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);

	for (i = 0; i < n; i++)
		tsh_cpuset_add(&all, cpus[i]);
	if (n)
		tsh_cpuset_format_mask(&all, ret);
	tsh_cpuset_release(&all);
	free(cpus);
}
