/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorded.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/xmalloc.h"

/* Reads a recording's own description: tracesh/info. */

/* Limits tracesh/info: a hundred bytes for each of TSH_CPU_MAX CPUs. */
#define INFO_MAX (1u << 20)

char *tsh_tree_info_text(const struct tsh_instance *in)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd, r;

	if (in->dir->kind != TSH_DIR_TREE)
		return NULL;
	fd = tsh_file_open(in, TREE_INFO, 0);
	if (fd < 0)
		return NULL;
	r = tsh_strbuf_read(&text, fd, INFO_MAX);
	close(fd);
	if (r < 0)
		tsh_strbuf_clear(&text);
	return tsh_strbuf_detach(&text);
}

char *tsh_tree_info(const struct tsh_instance *in, const char *key)
{
	char *text = tsh_tree_info_text(in), *value = NULL;
	const char *line = text;
	size_t len = strlen(key);

	while (line && !value) {
		if (!strncmp(line, key, len) && line[len] == ' ')
			value = tsh_xstrndup(line + len + 1, strcspn(line + len + 1, "\n"));
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	free(text);
	return value;
}

bool tsh_tree_is_cut(const struct tsh_instance *in)
{
	char *began = tsh_tree_info(in, "began"), *ended = tsh_tree_info(in, "ended");
	bool is = began && !ended;

	free(began);
	free(ended);
	return is;
}

/* Says whether the running kernel has the depth of migrate-disable in its flags. */
static bool is_since_5_14(void)
{
	unsigned int version = tsh_kernel_version();

	return !version || version >= TSH_KERNEL_VERSION(5, 14);
}

bool tsh_has_migrate_depth(const struct tsh_instance *in)
{
	bool is_live = in->dir->kind != TSH_DIR_TREE;
	char *known = tsh_tree_info(in, "migrate_depth");
	char head[2048];
	ssize_t n = 0;
	bool has;
	int fd;

	if (known) {
		has = !strcmp(known, "yes");
		free(known);
		return has;
	}
	/* Kernels without this option would stop tracing while `trace` is open. */
	if (is_live && !tsh_file_exists(in, "options/pause-on-trace"))
		return false;
	/* Reads `trace` of old kernels only, which may lack the depth: closing it walks the whole
	 * buffer. */
	if (is_live && is_since_5_14())
		return true;
	fd = tsh_file_open(in, "trace", 0);
	if (fd < 0)
		return true;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	/* function_graph has a header of its own */
	if (strstr(head, "FUNCTION CALLS"))
		return is_since_5_14();
	return !strstr(head, "preempt-depth") || strstr(head, "migrate-disable");
}
