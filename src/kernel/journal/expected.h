/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_EXPECTED_H
#define TRACESH_KERNEL_JOURNAL_EXPECTED_H

#include "journal.h"

/*
 * What a file would read that read entry->before, when the entry's write was the only one:
 * for a write of which nobody has seen whether it worked. `now` says how the kernel spells
 * it: of that only what the write can have made is taken, so that what others have added or
 * set meanwhile is not taken for ours. entry->before is there. The caller frees it.
 */
char *tsh_expected_after(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
			 const char *now);

/* Says whether the size of an entry's file is the one that was asked for, in whole sub-buffers of now, or of those that
 * the journal names. */
bool tsh_is_rounded(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
		    const char *asked, const char *is);

#endif
