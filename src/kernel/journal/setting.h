/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_SETTING_H
#define TRACESH_KERNEL_JOURNAL_SETTING_H

#include "journal.h"

/*
 * Finds entries of journals that are about the same setting. The kernel has several files for some
 * settings: events/S/E/enable and set_event, options/NAME and trace_options, buffer_size_kb and
 * those of the CPUs, and the lists of probes.
 */

/* Say whether two entries are about one instance, and about one setting of one file. */
bool tsh_same_instance(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
bool tsh_same_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
/* Says whether two entries are writes to different files that are one setting. */
bool tsh_is_one_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
/* Compares entries quickly, by a key that is stored in them. Returns false when they are neither
 * about the same setting, nor about a probe and its event. true does not say that they are. */
bool tsh_may_be_related(struct tsh_journal_entry *a, struct tsh_journal_entry *b);
/* Returns a number that is equal for entries that are about the same setting (tsh_same_setting). */
uint32_t tsh_setting_key(struct tsh_journal_entry *entry);

/*
 * Converts a text of the file of `from` into the one that the file of `to` would have. Returns NULL
 * when they are different settings, or when `from` is the size of one CPU and `to` that of all. The
 * caller frees it.
 */
char *tsh_setting_convert_text(const struct tsh_journal_entry *from, const char *text,
			       const struct tsh_journal_entry *to);

/* Says whether the entry has set the size of the sub-buffers to which `size`, an entry of the same
 * instance, is rounded. */
bool tsh_sets_subbuf(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *size);

#endif
