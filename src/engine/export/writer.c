/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/load.h"

void tsh_writer_init(struct tsh_writer *w, int fd, bool big_endian)
{
	w->fd = fd;
	w->big_endian = big_endian;
	w->error = 0;
	w->at = 0;
	w->collects = NULL;
	w->n = 0;
}

int tsh_writer_flush(struct tsh_writer *w)
{
	if (!w->error && w->n)
		w->error = tsh_write_all(w->fd, (const char *)w->buf, w->n);
	w->n = 0;
	return w->error;
}

void tsh_writer_bytes(struct tsh_writer *w, const void *data, size_t size)
{
	if (w->collects) {
		tsh_strbuf_add(w->collects, data, size);
		return;
	}
	w->at += size;
	if (size > sizeof(w->buf) - w->n)
		(void)tsh_writer_flush(w);
	if (size > sizeof(w->buf)) {
		if (!w->error)
			w->error = tsh_write_all(w->fd, data, size);
		return;
	}
	if (size)
		memcpy(w->buf + w->n, data, size);
	w->n += size;
}

void tsh_writer_string(struct tsh_writer *w, const char *text)
{
	tsh_writer_bytes(w, text, strlen(text) + 1);
}

/* Puts a number into bytes of the file's order. */
static void encode(const struct tsh_writer *w, uint64_t number, unsigned int size, unsigned char *ret)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		ret[w->big_endian ? size - 1 - i : i] = (unsigned char)(number >> 8 * i);
}

void tsh_writer_number(struct tsh_writer *w, uint64_t number, unsigned int size)
{
	unsigned char bytes[8];

	encode(w, number, size, bytes);
	tsh_writer_bytes(w, bytes, size);
}

void tsh_writer_pad(struct tsh_writer *w, uint64_t size)
{
	static const unsigned char zeros[4096];
	uint64_t left = (size - w->at % size) % size;

	for (; left; left -= left < sizeof(zeros) ? left : sizeof(zeros))
		tsh_writer_bytes(w, zeros, left < sizeof(zeros) ? (size_t)left : sizeof(zeros));
}

void tsh_writer_collect(struct tsh_writer *w, struct tsh_strbuf *to)
{
	w->collects = to;
}

void tsh_writer_patch(struct tsh_writer *w, uint64_t at, uint64_t number, unsigned int size)
{
	unsigned char bytes[8];

	encode(w, number, size, bytes);
	if (!tsh_writer_flush(w) && pwrite(w->fd, bytes, size, (off_t)at) != (ssize_t)size)
		w->error = errno ? -errno : -EIO;
}
