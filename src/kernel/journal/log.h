/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_JOURNAL_LOG_H
#define TRACESH_KERNEL_JOURNAL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

/*
 * A file that records are appended to, opened with O_APPEND. Behind its end there is always room
 * for some short records, as "cut", where the file system can reserve it (fallocate(2)).
 */
struct tsh_journal_log {
	int fd;			/* -1: none */
	off_t len;		/* bytes of whole records */
	off_t reserved;		/* the file has room up to here */
	bool cut;		/* a record did not fit: others may follow elsewhere */
};

/* Appends the line of a record: its checksum, its text, a newline. */
void tsh_journal_line(struct tsh_strbuf *out, const char *record, size_t len);
/* Makes room for so many bytes and a cut. 0, or -errno. */
int tsh_journal_log_reserve(struct tsh_journal_log *log, size_t len);
/* Appends whole lines: all of them (0) or none (-errno). */
int tsh_journal_log_append(struct tsh_journal_log *log, const struct tsh_strbuf *lines);
/* Appends a short record where there is always room for some. 0, or -errno. */
int tsh_journal_log_mark(struct tsh_journal_log *log, const char *record);

/* What does not fit into the file: memory that is shared with the processes we fork. */
struct tsh_journal_memory {
	size_t size, len;	/* of text */
	bool lost;		/* a record did not fit here, either: nothing follows */
	char text[];
};

/* NULL: there is none to be had. */
struct tsh_journal_memory *tsh_journal_memory_new(void);
/* memory may be NULL. */
void tsh_journal_memory_free(struct tsh_journal_memory *memory);
/* Appends whole lines. False: they do not fit, or memory is NULL. */
bool tsh_journal_memory_append(struct tsh_journal_memory *memory, const struct tsh_strbuf *lines);

#endif
