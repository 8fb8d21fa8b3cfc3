/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "events/recording/record.h"
#include "kernel/tracefs/tracefs.h"

/*
 * Finds the time from which on every CPU has its events. After an overrun, the remaining events of
 * each CPU begin at a different time. Rates exclude the time before the latest of these: some CPUs
 * have no events then.
 */

/* Says whether record --max has overwritten older events of a CPU. */
static bool is_cut(const struct tsh_instance *in, unsigned int cpu)
{
	char key[32], *told;
	const char *at;
	uint64_t n = 0;

	snprintf(key, sizeof(key), "cpu%u", cpu);
	told = tsh_tree_info(in, key);
	at = told ? strstr(told, "overwritten ") : NULL;
	if (!at || tsh_parse_u64(at + strlen("overwritten "), &n) < 0)
		n = 0;
	free(told);
	return n;
}

void by_window_begin(struct tsh_by *by, const struct tsh_instance *in)
{
	unsigned int *cpus = NULL;
	size_t i, n;

	by_window_release(&by->window);
	by->window.is_on = by->spec.rates && !by->is_live;
	if (!by->window.is_on || in->dir->kind != TSH_DIR_TREE)
		return;
	n = tsh_cpus_present(in, &cpus);
	for (i = 0; i < n; i++)
		if (is_cut(in, cpus[i]))
			tsh_cpuset_add(&by->window.cut, cpus[i]);
	free(cpus);
}

void by_window_note_loss(struct tsh_by *by, int cpu)
{
	if (by->window.is_on && cpu >= 0 && !tsh_cpuset_has(&by->window.seen, (unsigned int)cpu))
		tsh_cpuset_add(&by->window.cut, (unsigned int)cpu);
}

void by_window_observe(struct tsh_by *by, const struct tsh_record *rec)
{
	struct by_window *w = &by->window;
	unsigned int cpu = (unsigned int)rec->cpu;
	size_t i;

	if (!w->is_on || rec->cpu < 0 || tsh_cpuset_has(&w->seen, cpu))
		return;
	tsh_cpuset_add(&w->seen, cpu);
	if (!tsh_cpuset_has(&w->cut, cpu) || !by->counted)
		return;
	while (w->before.n < tsh_tally_rows(by->tally))
		(void)tsh_vec_push(&w->before);
	for (i = 0; i < w->before.n; i++)
		w->before.v[i] = tsh_tally_count(by->tally, i);
	w->other = tsh_tally_count(by->tally, TSH_TALLY_OTHER);
	w->counted = by->counted;
}

uint64_t by_window_before(const struct tsh_by *by, size_t row)
{
	if (row == TSH_TALLY_OTHER)
		return by->window.other;
	return row < by->window.before.n ? by->window.before.v[row] : 0;
}

void by_window_release(struct by_window *window)
{
	tsh_cpuset_release(&window->seen);
	tsh_cpuset_release(&window->cut);
	tsh_vec_release(&window->before);
	*window = (struct by_window){ 0 };
}
