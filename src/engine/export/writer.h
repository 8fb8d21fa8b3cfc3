/* engine/export/writer.h - writes numbers and bytes of a file format */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_EXPORT_WRITER_H
#define TRACESH_ENGINE_EXPORT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

/* Collects bytes, and writes them to a file in large pieces. After an error it writes nothing
 * more. */
struct tsh_writer {
	int fd;
	bool big_endian;
	int error;			/* the first error, -errno */
	uint64_t at;			/* bytes so far */
	struct tsh_strbuf *collects;	/* NULL: the file */
	size_t n;
	unsigned char buf[64 << 10];
};

void tsh_writer_init(struct tsh_writer *w, int fd, bool big_endian);
void tsh_writer_bytes(struct tsh_writer *w, const void *data, size_t size);
/* Writes a string with its NUL. */
void tsh_writer_string(struct tsh_writer *w, const char *text);
/* Writes a number of 1, 2, 4 or 8 bytes. */
void tsh_writer_number(struct tsh_writer *w, uint64_t number, unsigned int size);
/* Writes zeros up to a multiple of `size` bytes. */
void tsh_writer_pad(struct tsh_writer *w, uint64_t size);
/* From now on bytes go to `to`, and do not count in `at`; NULL: to the file again. */
void tsh_writer_collect(struct tsh_writer *w, struct tsh_strbuf *to);
/* Writes what is collected. Returns 0, or the first error. */
int tsh_writer_flush(struct tsh_writer *w);
/* Replaces a number that was written at `at`. */
void tsh_writer_patch(struct tsh_writer *w, uint64_t at, uint64_t number, unsigned int size);

#endif
