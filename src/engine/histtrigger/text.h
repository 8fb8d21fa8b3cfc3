/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HISTTRIGGER_TEXT_H
#define TRACESH_ENGINE_HISTTRIGGER_TEXT_H

/* Parses what the kernel prints of a histogram (events/S/E/hist). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TSH_HIST_KEYS_MAX 3
#define TSH_HIST_VALUES_MAX 4

enum tsh_hist_kind {
	TSH_HIST_NUMBER,
	TSH_HIST_TEXT,		/* any bytes; the blanks that the kernel appends are removed */
	TSH_HIST_COMM,		/* common_pid.execname: the name, as a text */
	TSH_HIST_STACK,		/* lines of a stack, as a text */
};

/* Describes the rows of a histogram: the keys, and the number of values besides the count. */
struct tsh_hist_shape {
	struct {
		/* name in the trigger; the kernel prints another name for cpu and stacks */
		const char *name;
		enum tsh_hist_kind kind;
	} keys[TSH_HIST_KEYS_MAX];
	size_t nkeys, nvalues;
};

struct tsh_hist_row {
	struct {
		uint64_t number;	/* sign-extended, if the field is signed */
		const char *text;	/* borrowed from the text that is parsed */
		size_t len;
	} keys[TSH_HIST_KEYS_MAX];
	uint64_t count;
	uint64_t values[TSH_HIST_VALUES_MAX];
};

/*
 * Parses the next row at *at, and moves *at behind it. Returns false after the last row. Texts in
 * keys may be any bytes, also bytes that look like a row (kernel/trace/trace_events_hist.c,
 * hist_trigger_entry_print).
 */
bool tsh_hist_text_row(const char **at, const struct tsh_hist_shape *shape,
		       struct tsh_hist_row *ret);
/*
 * Parses what stands behind the rows: how many events they count, and how many found no room.
 * Returns false if it is not there.
 */
bool tsh_hist_text_totals(const char *at, uint64_t *ret_hits, uint64_t *ret_dropped);

#endif
