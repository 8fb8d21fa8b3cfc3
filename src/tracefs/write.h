/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_WRITE_H
#define TRACESH_TRACEFS_WRITE_H

/* Between the file layer and the journal: nobody else calls these. */

#include <stdbool.h>

#include "tracesh/journal.h"
#include "tracesh/tracefs.h"

/*
 * open (with O_TRUNC when truncate), write a line, close. text may be NULL: only
 * the truncation. 0 or -errno.
 */
int tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate,
		  const char *text);
/* What the journal keeps of a file before and after `text` is written to it; NULL
 * when there is no way back. The caller frees it. */
char *tsh_write_image(const struct tsh_instance *in, const char *path, const char *text);
/* Makes a file that now reads `now` what it was before the entry. 0 or -errno. */
int tsh_restore_file(const struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);
/* rmdir, tried again for a tenth of a second while it is busy. 0 or -errno. */
int tsh_instance_remove(struct tsh_dir *dir, const char *name);

#endif
