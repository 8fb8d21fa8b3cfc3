/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_LOG_H
#define TRACESH_KERNEL_JOURNAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

/* Appends records to a file, which is opened with O_APPEND. Space for some short records, such as
 * "cut", is always reserved behind its end, when the file system can do that (fallocate(2)). */
struct tsh_journal_log {
	int fd;			/* -1: none */
	off_t len;		/* bytes of whole records */
	off_t reserved;		/* offset up to which space is reserved */
	bool cut;		/* a record did not fit: later ones may be elsewhere */
};

/* Appends the line of a record: its checksum, its text, a newline. */
void tsh_journal_line(struct tsh_strbuf *out, const char *record, size_t len);
/* Reserves space for `len` bytes and a "cut". Returns 0 or -errno. */
int tsh_journal_log_reserve(struct tsh_journal_log *log, size_t len);
/* Appends whole lines: all of them (returns 0) or none (returns -errno). */
int tsh_journal_log_append(struct tsh_journal_log *log, const struct tsh_strbuf *lines);
/* Appends a short record in the reserved space. Returns 0 or -errno. */
int tsh_journal_log_mark(struct tsh_journal_log *log, const char *record);

/* Holds records that do not fit into the file; shared with the processes that are forked. */
struct tsh_journal_memory {
	size_t size, len;	/* bytes of text */
	bool lost;		/* a record did not fit here, either: later ones are lost */
	char text[];
};

/* Returns NULL when no memory can be had. */
struct tsh_journal_memory *tsh_journal_memory_new(void);
/* Frees the memory; it may be NULL. */
void tsh_journal_memory_free(struct tsh_journal_memory *memory);
/* Appends whole lines. Returns false when they do not fit, or memory is NULL. */
bool tsh_journal_memory_append(struct tsh_journal_memory *memory, const struct tsh_strbuf *lines);

#endif
