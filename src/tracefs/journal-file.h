/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEFS_JOURNAL_FILE_H
#define TRACESH_TRACEFS_JOURNAL_FILE_H

/* Between the journal and its file, whose format is in tracesh/journal.h. */

#include "tracesh/journal.h"

#define TSH_JOURNAL_PARENT "/run"
#define TSH_JOURNAL_DIR TSH_JOURNAL_PARENT "/tracesh"

/* An open, locked file. With name NULL it is in memory and ends with us. */
struct tsh_journal_file {
	int fd;
	char *name;
	bool broken;		/* a record could not be written: nothing follows */
};

/* Opens /run/tracesh, which is made when it is missing. A descriptor, or -errno:
 * -EPERM when it is not ours alone. */
int tsh_journal_dir_open(bool create);
/* The journal's file; made, locked and begun when there is none yet. False: there is
 * none to be had, which is said once. */
bool tsh_journal_file_open(struct tsh_journal *j, const struct tsh_dir *dir);
/* Unlinked when `remove`. file may be NULL. */
void tsh_journal_file_close(struct tsh_journal_file *file, bool remove);

/* One record each. */
void tsh_journal_file_command(struct tsh_journal *j, const struct tsh_journal_command *command);
void tsh_journal_file_entry(struct tsh_journal *j, const struct tsh_journal_entry *entry);
void tsh_journal_file_done(struct tsh_journal *j, const struct tsh_journal_entry *entry);
void tsh_journal_file_gone(struct tsh_journal *j, unsigned int number);
void tsh_journal_file_keep(struct tsh_journal *j);

/* The CRC-32 of zlib and of Ethernet (polynomial 0xedb88320, reflected). */
uint32_t tsh_crc32(const void *data, size_t len);

#endif
