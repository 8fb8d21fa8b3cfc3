/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_VALUE_H
#define TRACESH_KERNEL_JOURNAL_VALUE_H

/* Reads the text of a file for the journal, and restores it. */

#include "journal.h"

/* Returns in *ret the text to record before and after `text` is written to a file, or NULL when it
 * cannot be restored. The caller frees it. Returns 0, or -errno when the file cannot be read. */
int tsh_write_image(const struct tsh_instance *in, const char *path, const char *text,
		    char **ret);
/* Does so for set_event: leaves out events that are only soft-enabled by a trigger. */
int tsh_image_events(const struct tsh_instance *in, const char *text, char **ret);
/* Does so for a buffer_size_kb that reads "X": adds a line "CPU SIZE" for each CPU. */
int tsh_image_sizes(const struct tsh_instance *in, char **ret);
/*
 * Does so for a list of probes, when `text` is about a probe of a session's own group, which only
 * that session uses: *ret is only the line of that probe, or empty when there is no such event. For
 * a text that removes the probe, the line is read from the list. Returns false when text is
 * something else. *ret_r: 0 or -errno.
 */
bool tsh_image_own_probe(const struct tsh_instance *in, const char *path, const char *text,
			 int *ret_r, char **ret);
/* Restores a file, which now has the text `now`, to entry->before. Returns 0 or -errno. */
int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);

#endif
