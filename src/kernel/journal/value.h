/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_VALUE_H
#define TRACESH_KERNEL_JOURNAL_VALUE_H

/* What the journal keeps of a file, and how that comes back. */

#include "journal.h"

/*
 * What the journal keeps of a file before and after `text` is written to it; *ret is
 * NULL when there is no way back. The caller frees it. 0, or -errno: it cannot be read.
 */
int tsh_write_image(const struct tsh_instance *in, const char *path, const char *text,
		    char **ret);
/* Of set_event: without the events that only a trigger has armed. */
int tsh_image_events(const struct tsh_instance *in, const char *text, char **ret);
/* Of a buffer_size_kb that reads "X": with a line "CPU SIZE" for each. */
int tsh_image_sizes(const struct tsh_instance *in, char **ret);
/* Of a list of probes, when the text that is written is about one of a session's own group, whose
 * name nobody else uses: that line alone, or nothing where there is no such event. Of a line that
 * takes it away as the list has it. False: it is something else. *ret_r: 0 or -errno. */
bool tsh_image_own_probe(const struct tsh_instance *in, const char *path, const char *text,
			 int *ret_r, char **ret);
/* Makes a file that now reads `now` what it was before the entry. 0 or -errno. */
int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);

#endif
