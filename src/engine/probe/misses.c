/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "misses.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "session/util.h"

/* Counts hits of probes for which the kernel has written no event. */

void tsh_misses_begin(struct tsh_session *s, struct tsh_misses *ret)
{
	*ret = (struct tsh_misses){ 0 };
	if (s->dir->kind == TSH_DIR_TREE || s->dir->dry)
		return;
	tsh_probes_read(s->dir, &ret->probes);
	ret->counts = tsh_xcalloc(ret->probes.n + 1, sizeof(*ret->counts));
	if (ret->probes.n)
		tsh_probes_count(s->dir, &ret->probes, ret->counts);
}

void tsh_misses_forget(struct tsh_misses *misses)
{
	free(misses->counts);
	tsh_probes_release(&misses->probes);
}

/* Says whether the command has used the events of a probe that is not its own. */
static bool is_wanted(const struct tsh_session *s, const struct tsh_call *call, const struct tsh_probe *probe)
{
	const struct tsh_event event = { .system = probe->group, .name = probe->name };
	char *path;
	bool on;
	size_t i;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_event *own = tsh_call_probe(call, &call->args.v[i]);

		if (own && !strcmp(own->system, event.system))
			return false;
	}
	for (i = 0; i < call->events.n; i++)
		if (!strcmp(call->events.v[i].name, event.name) && !strcmp(call->events.v[i].system, event.system))
			return true;
	if (call->events.n)
		return false;
	path = tsh_event_path(&event, "enable");
	on = tsh_file_number(s->in, path, 0) == 1;
	free(path);
	return on;
}

void tsh_misses_end(struct tsh_session *s, const struct tsh_call *call, struct tsh_misses *misses)
{
	struct tsh_probe_counts *now = tsh_xcalloc(misses->probes.n + 1, sizeof(*now));
	uint64_t missed = 0;
	size_t i, those = 0, one = 0;

	if (misses->probes.n)
		tsh_probes_count(s->dir, &misses->probes, now);
	for (i = 0; i < misses->probes.n; i++) {
		/* the kernel has missed none, or the probe was removed or made again since then */
		if (!now[i].has_misses || now[i].misses <= misses->counts[i].misses ||
		    !is_wanted(s, call, &misses->probes.v[i]))
			continue;
		missed += now[i].misses - misses->counts[i].misses;
		those++;
		one = i;
	}
	if (those)
		tsh_misses_note(s, missed, those, misses->probes.v[one].name, misses->probes.v[one].letter == 'r');
	free(now);
	tsh_misses_forget(misses);
}

void tsh_misses_note(struct tsh_session *s, uint64_t missed, size_t probes, const char *name, bool of_return)
{
	const char *hint = of_return ? ": FUNCTION%return:1000 follows 1000 calls at once" : "";

	if (probes == 1)
		tsh_out_warn(s->out, "the kernel missed %llu hit%s of '%s', and as many events are missing%s",
			     (unsigned long long)missed, tsh_plural(missed), name, hint);
	else
		tsh_out_warn(s->out, "the kernel missed %llu hits of %zu probes, and as many events "
				     "are missing%s",
			     (unsigned long long)missed, probes, hint);
}
