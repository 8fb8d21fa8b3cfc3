/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <string.h>

#define BATCH_FILE_MAX (16u << 20)

int tsh_batch_read(int fd, const char *path, struct tsh_strbuf *ret, struct tsh_err *err)
{
	int r = tsh_strbuf_read(ret, fd, BATCH_FILE_MAX);

	if (r < 0 && r != -EFBIG) {
		tsh_err_errno(err, -r, "cannot read '%s'", path);
		err->status = TSH_USAGE;
		return -1;
	}
	if (r == -EFBIG || memchr(ret->buf, '\0', ret->len))
		return tsh_err_set(err, TSH_USAGE, "'%s' is not a batch file", path);
	/* Some editors begin a file with a byte order mark. */
	if (ret->len >= 3 && !memcmp(ret->buf, "\xef\xbb\xbf", 3))
		tsh_strbuf_remove(ret, 3);
	return 0;
}
