/* output/writer.h - writes a file by a second thread */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_WRITER_H
#define TRACESH_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/strbuf.h"

/*
 * Writes in a thread of its own: the kernel takes as long to find pages for a line of a file as we
 * take to make the line, so doing both at a time pays where there is a CPU. The reader of a pipe,
 * and a terminal, are slower than we are anyway, and /dev/null costs nothing.
 */
struct tsh_writer;

/* Says whether a thread pays: the file is a regular one, and this process may use several CPUs. */
bool tsh_writer_is_useful(int fd);
/* Starts a thread, with all signals blocked, for a file that is borrowed until the end. Returns
 * NULL when there cannot be one. */
struct tsh_writer *tsh_writer_start(int fd);
/* Returns the number of the thread (gettid(2)). Waits until it has begun. */
pid_t tsh_writer_tid(struct tsh_writer *writer);
/*
 * Takes over the content of `data`, to be written behind all that came before, and leaves it empty;
 * waits while too much is queued. Returns 0, or the errno of a write that failed; after that
 * nothing more is written. *ret_bytes is how much was written so far.
 */
int tsh_writer_append(struct tsh_writer *writer, struct tsh_strbuf *data, uint64_t *ret_bytes);
/* Waits until everything is written, ends the thread, and frees the writer. Returns as
 * tsh_writer_append does. */
int tsh_writer_end(struct tsh_writer *writer, uint64_t *ret_bytes);

#endif
