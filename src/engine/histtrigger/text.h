/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_TEXT_H
#define TRACESH_ENGINE_HISTTRIGGER_TEXT_H

/* What the kernel prints of a histogram (events/S/E/hist). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TSH_HIST_KEYS_MAX 3
#define TSH_HIST_VALUES_MAX 4

enum tsh_hist_kind {
	TSH_HIST_NUMBER,
	TSH_HIST_TEXT,		/* any bytes, blanks at the end left out: the kernel fills up with them */
	TSH_HIST_COMM,		/* common_pid.execname: the name, as a text */
	TSH_HIST_STACK,		/* lines of a stack, as a text */
};

/* What its rows have: the keys, and how many values beside the count. */
struct tsh_hist_shape {
	struct {
		const char *name;	/* as it was asked for; the kernel's for cpu and stacks may differ */
		enum tsh_hist_kind kind;
	} keys[TSH_HIST_KEYS_MAX];
	size_t nkeys, nvalues;
};

struct tsh_hist_row {
	struct {
		uint64_t number;	/* sign-extended where the field is signed */
		const char *text;	/* in the text that is read */
		size_t len;
	} keys[TSH_HIST_KEYS_MAX];
	uint64_t count;
	uint64_t values[TSH_HIST_VALUES_MAX];
};

/* The next row at *at, which goes on behind it; false: there is no other one. Texts in keys may
 * be anything, what looks like a row too (kernel/trace/trace_events_hist.c,
 * hist_trigger_entry_print). */
bool tsh_hist_text_row(const char **at, const struct tsh_hist_shape *shape,
		       struct tsh_hist_row *ret);
/* What stands behind the rows: how many events are in them, and how many found no room. False:
 * it does not stand there. */
bool tsh_hist_text_totals(const char *at, uint64_t *ret_hits, uint64_t *ret_dropped);

#endif
