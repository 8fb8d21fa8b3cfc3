/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unpack.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif
#ifdef HAVE_LIBZ
#include <zlib.h>
#endif

#include "base/xmalloc.h"

/* Limits the memory that a frame may ask for, to 1 << 23 bytes. */
#define WINDOW_LOG_MAX 23

struct unpack {
	enum unpack_kind kind;
#ifdef HAVE_LIBZSTD
	ZSTD_DCtx *zstd;
#endif
#ifdef HAVE_LIBZ
	z_stream zlib;
#endif
};

bool unpack_is_known(enum unpack_kind kind)
{
#ifdef HAVE_LIBZSTD
	if (kind == UNPACK_ZSTD)
		return true;
#endif
#ifdef HAVE_LIBZ
	if (kind == UNPACK_ZLIB)
		return true;
#endif
	return kind == UNPACK_NONE;
}

static bool begin(struct unpack *u)
{
#ifdef HAVE_LIBZSTD
	if (u->kind == UNPACK_ZSTD) {
		u->zstd = ZSTD_createDCtx();
		return u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
	}
#endif
#ifdef HAVE_LIBZ
	if (u->kind == UNPACK_ZLIB)
		return inflateInit(&u->zlib) == Z_OK;
#endif
	(void)u;
	return false;
}

struct unpack *unpack_new(enum unpack_kind kind)
{
	struct unpack *u = tsh_xcalloc(1, sizeof(*u));

	u->kind = kind;
	if (begin(u))
		return u;
	unpack_free(u);
	return NULL;
}

void unpack_free(struct unpack *u)
{
	if (!u)
		return;
#ifdef HAVE_LIBZSTD
	ZSTD_freeDCtx(u->zstd);
#endif
#ifdef HAVE_LIBZ
	if (u->kind == UNPACK_ZLIB)
		(void)inflateEnd(&u->zlib);
#endif
	free(u);
}

void unpack_begin(struct unpack *u)
{
#ifdef HAVE_LIBZSTD
	if (u->kind == UNPACK_ZSTD)
		(void)ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
#endif
#ifdef HAVE_LIBZ
	if (u->kind == UNPACK_ZLIB)
		(void)inflateReset(&u->zlib);
#endif
	(void)u;
}

#ifdef HAVE_LIBZSTD
static int step_zstd(struct unpack *u, const void *in, size_t in_size, size_t *used, void *out, size_t out_size,
		     size_t *made)
{
	ZSTD_inBuffer from = { in, in_size, 0 };
	ZSTD_outBuffer to = { out, out_size, 0 };
	size_t r = ZSTD_decompressStream(u->zstd, &to, &from);

	*used = from.pos;
	*made = to.pos;
	return ZSTD_isError(r) ? -EBADMSG : 0;
}
#endif

#ifdef HAVE_LIBZ
static int step_zlib(struct unpack *u, const void *in, size_t in_size, size_t *used, void *out, size_t out_size,
		     size_t *made)
{
	int r;

	in_size = in_size < UINT_MAX ? in_size : UINT_MAX;
	out_size = out_size < UINT_MAX ? out_size : UINT_MAX;
	u->zlib.next_in = (Bytef *)(uintptr_t)in;
	u->zlib.avail_in = (uInt)in_size;
	u->zlib.next_out = out;
	u->zlib.avail_out = (uInt)out_size;
	r = inflate(&u->zlib, Z_NO_FLUSH);
	*used = in_size - u->zlib.avail_in;
	*made = out_size - u->zlib.avail_out;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? 0 : -EBADMSG;
}
#endif

int unpack_step(struct unpack *u, const void *in, size_t in_size, size_t *used, void *out, size_t out_size,
		size_t *made)
{
#ifdef HAVE_LIBZSTD
	if (u->kind == UNPACK_ZSTD)
		return step_zstd(u, in, in_size, used, out, out_size, made);
#endif
#ifdef HAVE_LIBZ
	if (u->kind == UNPACK_ZLIB)
		return step_zlib(u, in, in_size, used, out, out_size, made);
#endif
	(void)u, (void)in, (void)in_size, (void)out, (void)out_size;
	*used = *made = 0;
	return -EBADMSG;
}

int pack_zstd(const void *data, size_t size, struct tsh_strbuf *out)
{
#ifdef HAVE_LIBZSTD
	size_t room = ZSTD_compressBound(size), n;

	tsh_strbuf_grow(out, room);
	n = ZSTD_compress(out->buf + out->len, room, data, size, ZSTD_CLEVEL_DEFAULT);
	if (ZSTD_isError(n))
		return -ENOMEM;
	out->len += n;
	out->buf[out->len] = '\0';
	return 0;
#else
	(void)data, (void)size, (void)out;
	return -ENOSYS;
#endif
}
