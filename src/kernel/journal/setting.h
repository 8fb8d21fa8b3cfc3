/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_SETTING_H
#define TRACESH_KERNEL_JOURNAL_SETTING_H

#include "journal.h"

/*
 * Which entries of journals are about one setting. The kernel has several files for some: events/S/E/enable
 * and set_event, options/NAME and trace_options, buffer_size_kb and those of its CPUs, and the lists of probes.
 */

/* Says whether two entries are about one instance; about one setting of one file. */
bool tsh_same_instance(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
bool tsh_same_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
/* Says whether they are writes to two files that are one setting. */
bool tsh_is_one_setting(const struct tsh_journal_entry *a, const struct tsh_journal_entry *b);
/*
 * Sorts entries out before they are compared: false, where they are neither the same nor one setting, nor
 * one of them a probe's and the other its event's; true means nothing. It is quick, as an entry remembers
 * its key.
 */
bool tsh_may_meet(struct tsh_journal_entry *a, struct tsh_journal_entry *b);
/* Gives a number that is equal for entries that tsh_same_setting. */
uint32_t tsh_setting_key(struct tsh_journal_entry *entry);

/*
 * Gives a text of the file of `from` as the file of `to` would read; NULL: those are two settings, or it is
 * a CPU's size, which does not tell that of all. The caller frees it.
 */
char *tsh_setting_view(const struct tsh_journal_entry *from, const char *text,
		       const struct tsh_journal_entry *to);

/* Says whether the entry has set how large the sub-buffers are to which sizes are rounded, in the instance
 * of the other one. */
bool tsh_sets_subbuf(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *size);

#endif
