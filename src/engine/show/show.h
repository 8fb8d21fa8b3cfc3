/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_SHOW_SHOW_H
#define TRACESH_ENGINE_SHOW_SHOW_H

#include "engine/pipeline/range.h"
#include "session/session.h"

/*
 * Reads the time of the newest event of a CPU's buffer from the last line of its text: in ns,
 * rounded to microseconds, or in units of the clock. Returns false when there is none, the layout
 * is unknown, or reading would stop the recording. Reads all of the text.
 */
bool tsh_show_read_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp);

/* Prints a file of the current instance, "trace" or "snapshot", in the format of the output, with
 * the events' times. last: prints only so many events, the newest; NULL: all. range: prints only
 * events within it, and counts the others in it. Returns 0, or -1 with err. */
int tsh_show_text(struct tsh_session *s, const char *file, const uint64_t *last, struct tsh_range *range,
		  struct tsh_err *err);
/* Notes how many events of the current instance were read ahead and not printed. */
void tsh_show_note_read_ahead(const struct tsh_session *s);

#endif
