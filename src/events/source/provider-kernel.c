/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "provider-internal.h"

/* ---- files ---- */

/* Opens a regular file of a recording. Refuses others, because a pipe would block. */
static int open_regular(const struct tsh_live_provider *p, const char *path)
{
	int fd = tsh_file_open(tsh_provider_top(p), path, O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd < 0 ? -1 : fd;
}

char *tsh_provider_tree_text(const struct tsh_live_provider *p, const char *path)
{
	int fd = open_regular(p, path);

	if (fd < 0)
		return NULL;
	close(fd);
	return tsh_file_text(tsh_provider_top(p), path);
}

static int open_kernel(const struct tsh_live_provider *p, const char *live, const char *in_tree)
{
	return tsh_provider_is_tree(p) ? open_regular(p, in_tree) :
	       open(live, O_RDONLY | O_CLOEXEC);
}

int tsh_provide_kallsyms(void *ctx)
{
	return open_kernel(ctx, "/proc/kallsyms", "kallsyms");
}

int tsh_provide_btf(void *ctx)
{
	return open_kernel(ctx, "/sys/kernel/btf/vmlinux", "btf");
}

static void list_modules(struct tsh_live_provider *p)
{
	struct tsh_instance folder = { .dir = p->in ? p->in->dir : NULL };
	struct tsh_strlist names = { 0 };
	size_t i;

	if (tsh_provider_is_tree(p)) {
		tsh_file_list(tsh_provider_top(p), "btf-modules", &names);
	} else {
		folder.fd = open("/sys/kernel/btf", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (folder.fd >= 0) {
			tsh_file_list(&folder, ".", &names);
			close(folder.fd);
		}
	}
	tsh_strlist_release(&p->modules);
	for (i = 0; i < names.n; i++)
		if (strcmp(names.v[i], "vmlinux"))
			tsh_strlist_add(&p->modules, names.v[i]);
	tsh_strlist_release(&names);
}

int tsh_provide_module_btf(void *ctx, unsigned int index)
{
	struct tsh_live_provider *p = ctx;
	char *live, *in_tree;
	int fd;

	if (!index)
		list_modules(p);
	if (index >= p->modules.n)
		return -1;
	live = tsh_xasprintf("/sys/kernel/btf/%s", p->modules.v[index]);
	in_tree = tsh_xasprintf("btf-modules/%s", p->modules.v[index]);
	fd = open_kernel(p, live, in_tree);
	free(live);
	free(in_tree);
	return fd;
}

/* ---- memory ---- */

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Finds the bytes in a line "ADDRESS HEXBYTES". */
static bool memory_in_line(const char *line, uint64_t address, unsigned char *ret, size_t len)
{
	uint64_t begin, skip;
	char *bytes;
	size_t i;

	begin = strtoull(line, &bytes, 16);
	if (bytes == line || *bytes++ != ' ' || address < begin)
		return false;
	skip = address - begin;
	if (skip > strcspn(bytes, "\n") / 2 || len > strcspn(bytes, "\n") / 2 - skip)
		return false;
	for (i = 0; i < len; i++) {
		int high = digit(bytes[2 * (skip + i)]), low = digit(bytes[2 * (skip + i) + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

static bool memory_in_tree(struct tsh_live_provider *p, uint64_t address, void *ret, size_t len)
{
	const char *line;

	if (!p->has_memory) {
		p->has_memory = true;
		p->memory = tsh_provider_tree_text(p, "memory");
	}
	for (line = p->memory; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (memory_in_line(line, address, ret, len))
			return true;
	}
	return false;
}

bool tsh_provide_memory(void *ctx, uint64_t address, void *ret, size_t len)
{
	struct tsh_live_provider *p = ctx;

	return tsh_provider_is_tree(p) ? memory_in_tree(p, address, ret, len) :
	       tsh_kcore_read(&p->kcore, address, ret, len);
}

void tsh_provider_kernel_release(struct tsh_live_provider *p)
{
	tsh_strlist_release(&p->modules);
	tsh_kcore_release(&p->kcore);
	free(p->memory);
}
