/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Reads numbers and strings of a file that anybody may have made. */

void dat_begin(struct cursor *c, const struct dat *dat, const struct piece *piece)
{
	c->dat = dat;
	c->piece = *piece;
	c->at = piece->at;
	c->fault = NULL;
	c->buf_n = 0;
}

void dat_seek(struct cursor *c, uint64_t at)
{
	if (at > c->dat->size)
		dat_fault(c, "an offset behind its end");
	c->piece = (struct piece){ .at = at, .size = at < c->dat->size ? c->dat->size - at : 0 };
	c->at = at;
	c->buf_n = 0;
}

void dat_fault(struct cursor *c, const char *what)
{
	if (c->fault)
		return;
	c->fault = what;
	c->fault_at = c->at;
}

int dat_check(const struct cursor *c, struct tsh_err *err)
{
	if (!c->fault)
		return 0;
	tsh_err_set(err, TSH_FAILED, "'%s' is damaged: byte %llu%s: %s", c->dat->path,
		    (unsigned long long)c->fault_at, c->piece.unpacked ? " of an unpacked section" : "", c->fault);
	tsh_err_hint(err, "copy it anew from where it was recorded");
	return -1;
}

/* Returns how many bytes are left. */
static uint64_t left_of(const struct cursor *c)
{
	return c->fault ? 0 : c->piece.size - (c->at - c->piece.at);
}

/* Copies the next bytes; there are as many. */
static bool copy(struct cursor *c, unsigned char *data, size_t size)
{
	uint64_t want;

	if (c->piece.unpacked) {
		memcpy(data, c->piece.unpacked->buf + c->at, size);
		return true;
	}
	if (c->at < c->buf_at || c->at + size > c->buf_at + c->buf_n) {
		if (size > sizeof(c->buf))
			return tsh_read_at(c->dat->fd, c->at, data, size);
		want = left_of(c);
		c->buf_n = want < sizeof(c->buf) ? (size_t)want : sizeof(c->buf);
		c->buf_at = c->at;
		if (!tsh_read_at(c->dat->fd, c->at, c->buf, c->buf_n)) {
			c->buf_n = 0;
			return false;
		}
	}
	memcpy(data, c->buf + (c->at - c->buf_at), size);
	return true;
}

bool dat_bytes(struct cursor *c, void *data, size_t size)
{
	memset(data, 0, size);
	if (left_of(c) < size)
		dat_fault(c, "it ends here, or says that more follows than there is");
	else if (!copy(c, data, size))
		dat_fault(c, "it cannot be read here");
	if (c->fault)
		return false;
	c->at += size;
	return true;
}

uint64_t dat_number(struct cursor *c, unsigned int size)
{
	unsigned char bytes[8];

	return dat_bytes(c, bytes, size) ? load_unsigned(bytes, size, c->dat->is_big_endian) : 0;
}

char *dat_string(struct cursor *c, size_t max)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char byte = 1;

	while (text.len < max && dat_bytes(c, &byte, 1) && byte)
		tsh_strbuf_addc(&text, byte);
	if (byte)
		dat_fault(c, "a name without an end");
	if (!c->fault)
		return tsh_strbuf_detach(&text);
	tsh_strbuf_release(&text);
	return NULL;
}

struct piece dat_piece(struct cursor *c, uint64_t size)
{
	struct piece piece = { .unpacked = c->piece.unpacked, .at = c->at, .size = size };

	if (left_of(c) < size) {
		dat_fault(c, "it says that more follows than there is");
		piece.size = 0;
	} else {
		c->at += size;
	}
	return piece;
}

bool dat_expect(struct cursor *c, const char *bytes, size_t n, const char *fault)
{
	uint64_t at = c->at;
	char found[32];

	if (dat_bytes(c, found, n) && !memcmp(found, bytes, n))
		return true;
	if (!c->fault)
		c->at = at;
	dat_fault(c, fault);
	return false;
}

int dat_read(const struct dat *dat, const struct piece *piece, size_t max, struct tsh_strbuf *out)
{
	size_t size = (size_t)piece->size;

	if (piece->size > max)
		return -EFBIG;
	if (piece->unpacked) {
		tsh_strbuf_add(out, piece->unpacked->buf + piece->at, size);
		return 0;
	}
	tsh_strbuf_grow(out, size);
	if (!tsh_read_at(dat->fd, piece->at, out->buf + out->len, size))
		return -EIO;
	if (size) {
		out->len += size;
		out->buf[out->len] = '\0';
	}
	return 0;
}
