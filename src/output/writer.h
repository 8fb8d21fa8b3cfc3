/* output/writer.h - a second thread that writes what the first one has made */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_WRITER_H
#define TRACESH_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

/*
 * The kernel takes as long to find pages for a line of a file as we take to make the line, so
 * that both at a time is worth a thread where there is a CPU for it. A pipe's reader and a
 * terminal are slower than we are anyway, and /dev/null costs nothing.
 */
struct tsh_writer;

/* Whether a thread pays: the file is a regular one, and this process may use several CPUs. */
bool tsh_writer_pays(int fd);
/* Of a file that is lent until the end. The thread has all signals blocked. NULL: there
 * cannot be one. */
struct tsh_writer *tsh_writer_start(int fd);
/*
 * Takes what is in `data` to be written behind all that came before, and leaves it empty;
 * waits while too much is to be written. 0, or the errno of a write that failed: from then on
 * nothing is written. *ret_bytes is how much was written so far.
 */
int tsh_writer_put(struct tsh_writer *writer, struct tsh_strbuf *data, uint64_t *ret_bytes);
/* Waits until all is written, ends the thread and frees the writer. As tsh_writer_put. */
int tsh_writer_end(struct tsh_writer *writer, uint64_t *ret_bytes);

#endif
