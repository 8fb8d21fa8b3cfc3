/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_EXPECTED_H
#define TRACESH_KERNEL_JOURNAL_EXPECTED_H

#include "journal.h"

/*
 * Returns the text that a file should have after the entry's write, if nobody else wrote to it;
 * used when tracesh was killed before it could read the result. `now` is the file's present text,
 * which shows how the kernel spells values. The result has only those parts of it that this write
 * can have made, so that settings of others do not count as ours. entry->before must be set. The
 * caller frees it.
 */
char *tsh_expected_after(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
			 const char *now);

/* Says whether the size `is` of an entry's file is the size `asked`, rounded to whole sub-buffers:
 * to the present ones, or to those that the journal has set. */
bool tsh_is_rounded(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
		    const char *asked, const char *is);

#endif
