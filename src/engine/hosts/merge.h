/* engine/hosts/merge.h - prints the JSON streams of several hosts in one order */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_MERGE_H
#define TRACESH_ENGINE_HOSTS_MERGE_H

#include "engine/pipeline/range.h"
#include "session/session.h"

#define TSH_MERGE_DELAY_NS UINT64_C(1000000000)
#define TSH_MERGE_ROOM (64 << 20)

struct tsh_merge_spec {
	const uint64_t *limit;		/* events to print; NULL: all */
	uint64_t delay_ns;		/* that a line waits for silent pipes: TSH_MERGE_DELAY_NS */
	uint64_t skew_ns;		/* by which the hosts' clocks may differ */
	size_t room;			/* bytes of lines that are held: TSH_MERGE_ROOM */
};

/* Begins a merge, which tsh_merge_free ends. */
struct tsh_merge;
struct tsh_merge *tsh_merge_new(struct tsh_session *s, const struct tsh_merge_spec *spec);
void tsh_merge_free(struct tsh_merge *m);
/* Adds a file, or stdin for "-"; borrows the word. Returns 0, or -1 with err, which blames the
 * word. */
int tsh_merge_add(struct tsh_merge *m, const struct tsh_value *file, struct tsh_err *err);
/* Prints the events within the range in the order of their wall times, and counts the others in
 * `range`. Then prints the summary. Sets the session's `aborted`. Returns 0, or -1; without err
 * when a signal has ended the merge. */
int tsh_merge_run(struct tsh_merge *m, struct tsh_range *range, struct tsh_err *err);

#endif
