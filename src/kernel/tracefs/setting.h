/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_SETTING_H
#define TRACESH_KERNEL_TRACEFS_SETTING_H

#include "kernel/journal/journal.h"

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

/* Gives "S:E" of "events/S/E/enable"; NULL of another path. The caller frees it. */
char *tsh_enabled_event(const char *path);
/* Says whether the text of a list has the line. */
bool tsh_has_line(const struct tsh_file_class *cls, const char *text, const char *line);

/* ---- sizes: buffer_size_kb, and per_cpu/cpuN/buffer_size_kb ---- */

bool tsh_is_size(const char *path);
/* Says whether saved_cmdlines_size is what the kernel makes of a size that is asked for: as many names as its pages hold. */
bool tsh_is_names_size(uint64_t asked, uint64_t is);
/* Says whether the entry has set how large the sub-buffers are to which sizes are rounded, in the instance
 * of the other one. */
bool tsh_sets_subbuf(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *size);
/* Gives the number of the CPU whose size it is; -1: of all. */
int tsh_size_cpu(const char *path);
/* Gives the size of a CPU in a text of buffer_size_kb ("X", then lines "CPU SIZE", when they differ); NULL:
 * it does not say. The caller frees it. */
char *tsh_size_of_cpu(const char *text, int cpu);

#endif
