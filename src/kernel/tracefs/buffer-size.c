/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/*
 * The top buffer is small until it is first used: "7 (expanded: 1408)". Up to Linux 6.6 a single
 * flag (ring_buffer_expanded in kernel/trace/trace.c) says so for all buffers. Setting the size of
 * an instance's buffer clears it, and the top buffer would stay at 7 KB.
 */

static struct tsh_instance top_of(struct tsh_dir *dir)
{
	return (struct tsh_instance){ .dir = dir, .fd = dir->fd };
}

/* Returns the size that the buffer will have, or NULL when it has it already, or when it cannot be
 * read. The caller frees it. */
static char *expanded(const struct tsh_instance *in)
{
	static const char before[] = "(expanded: ";
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	const char *size = NULL;
	char *ret = NULL;

	if (!tsh_file_read(in, "buffer_size_kb", &now) && now.buf)
		size = strstr(now.buf, before);
	if (size)
		ret = tsh_xstrndup(size + strlen(before), strcspn(size + strlen(before), ")"));
	tsh_strbuf_release(&now);
	return ret;
}

static bool is_size(const char *path)
{
	return tsh_file_class(path)->compare == TSH_SAME_SIZE;
}

static bool is_size_of_cpu(const char *path)
{
	return is_size(path) && strcmp(path, "buffer_size_kb") != 0;
}

char *tsh_expand_size(const struct tsh_instance *in, const char *path)
{
	return is_size_of_cpu(path) ? expanded(in) : NULL;
}

int tsh_expand_others(const struct tsh_instance *in, const char *path)
{
	char *size = tsh_dir_is_script(in->dir) ? NULL : tsh_expand_size(in, path);
	int r = size ? tsh_write_raw(in, "buffer_size_kb", false, size) : 0;

	free(size);
	return r;
}

char *tsh_expand_expected(const struct tsh_instance *in, const char *path)
{
	struct tsh_instance top = top_of(in->dir);

	return !in->name || tsh_dir_is_script(in->dir) || !is_size(path) ? NULL : expanded(&top);
}

int tsh_expand_forgotten(const struct tsh_instance *in, char *size)
{
	struct tsh_instance top = top_of(in->dir);
	char *now = size ? expanded(&top) : NULL;
	int r = size && !now ? tsh_write_raw(&top, "buffer_size_kb", false, size) : 0;

	free(now);
	free(size);
	return r;
}
