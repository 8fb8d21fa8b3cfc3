/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/safe-file.h"
#include "session/util.h"

/* Reads the functions of one file that a process has mapped. Another process does it, because
 * the file's file system may never answer. */

/* Limits the wait for a file system that does not answer. */
#define PATIENCE_MS 2000
/* Is the number of bytes that are written at a time. */
#define PIECE 65536u
/* Marks the last record. */
#define LAST UINT32_MAX

/* Precedes each name in the output of the other process. */
struct record {
	uint64_t offset;	/* symbols that were left out, in the last record */
	uint32_t size;		/* size of the function */
	uint32_t len;		/* length of the name without its NUL; or LAST */
};

/* ---- opening ---- */

struct stacks_file_id stacks_file_id(const char *device, const char *inode)
{
	struct stacks_file_id id = { .inode = strtoull(inode, NULL, 10) };
	char *end;

	id.device = strtoull(device, &end, 16);
	id.device = makedev(id.device, *end == ':' ? strtoull(end + 1, NULL, 16) : 0);
	return id;
}

/* Opens a path with O_PATH if it is a regular file; opens nothing else. Returns -1 otherwise. */
static int open_path(const char *path, int flags, struct stat *ret)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags);

	if (fd >= 0 && (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Finds the identity of the file that our own process has mapped at an address. */
static bool find_id(const void *at, struct stacks_file_id *ret)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct tsh_strlist words = { 0 };
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	while (!found && maps && getline(&line, &size, maps) > 0) {
		tsh_strlist_split_words(&words, line);
		found = words.n >= 5 && strtoull(words.v[0], NULL, 16) == (uintptr_t)at;
		if (found)
			*ret = stacks_file_id(words.v[3], words.v[4]);
		tsh_strlist_release(&words);
	}
	if (maps)
		fclose(maps);
	free(line);
	return found;
}

/* Maps the file to compare identities: on btrfs and overlayfs stat(2) returns another one than
 * the maps have. */
static bool has_id(int fd, const struct stacks_file_id *id)
{
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct stacks_file_id here;
	bool is;

	if (at == MAP_FAILED)
		return false;
	is = find_id(at, &here) && here.device == id->device && here.inode == id->inode;
	munmap(at, 1);
	return is;
}

/* Opens a path for reading if it is the file with that identity. by_stat: stat(2) must return
 * the same identity. Returns -1 otherwise. */
static int open_named(const char *path, int flags, const struct stacks_file_id *id, bool by_stat)
{
	struct stat st;
	int fd = open_path(path, flags, &st);

	if (fd >= 0 && by_stat && (st.st_dev != id->device || st.st_ino != id->inode)) {
		close(fd);
		return -1;
	}
	fd = tsh_reopen_regular(fd, O_RDONLY);
	if (fd >= 0 && !has_id(fd, id)) {
		close(fd);
		return -1;
	}
	return fd;
}

/*
 * Opens the file that a process has mapped. Tries map_files first, which works only for root, but
 * also when the file was moved; then the file's path. The process may change both meanwhile,
 * execute another program, or end. So only a regular file with the identity of the mapping is
 * opened.
 */
int stacks_file_open(void *ctx)
{
	const struct stacks_file *file = ctx;
	char *name = tsh_xasprintf("/proc/%d/map_files/%s", file->tgid, file->range);
	int fd = open_named(name, 0, &file->id, false);

	free(name);
	if (fd < 0) {
		name = tsh_xasprintf("/proc/%d/root%s", file->tgid, file->path);
		fd = open_named(name, O_NOFOLLOW, &file->id, true);
		free(name);
	}
	return fd < 0 ? open_named(file->path, O_NOFOLLOW, &file->id, true) : fd;
}

/* ---- writing, in the other process ---- */

struct writing {
	const struct stacks_file *file;
	struct tsh_elf *elf;
	struct tsh_strbuf text;
	uint64_t functions, bytes, left_out;
	int out;
};

static void append(struct writing *w, const struct record *record, const char *name)
{
	tsh_strbuf_add(&w->text, record, sizeof(*record));
	if (name) {
		tsh_strbuf_add(&w->text, name, record->len);
		tsh_strbuf_addc(&w->text, '\0');
	}
	if (name && w->text.len < PIECE)
		return;
	/* The reader has gone. */
	if (tsh_write_all(w->out, w->text.buf, w->text.len) < 0)
		_exit(1);
	tsh_strbuf_clear(&w->text);
}

static bool append_function(void *ctx, const struct tsh_elf_symbol *symbol)
{
	struct writing *w = ctx;
	struct record record = { 0 };

	if (!tsh_elf_offset(w->elf, symbol->address, &record.offset))
		return true;
	record.len = (uint32_t)strnlen(symbol->text, TSH_ELF_NAME_MAX);
	if (w->functions == w->file->functions_max || w->bytes + record.len > w->file->bytes_max) {
		w->left_out++;
		return true;
	}
	w->functions++;
	w->bytes += record.len;
	record.size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX;
	append(w, &record, symbol->text);
	return true;
}

static void write_functions(void *ctx, int out)
{
	struct writing w = { .file = ctx, .out = out, .text = TSH_STRBUF_INIT };
	struct record last = { .len = LAST };
	struct tsh_err ignored = { 0 };
	int fd = stacks_file_open(ctx);

	if (fd >= 0 && tsh_elf_open(fd, w.file->bytes_max, NULL, &w.elf, &ignored) == 0) {
		tsh_elf_each_symbol(w.elf, append_function, &w);
		last.offset = w.left_out + tsh_elf_left_out(w.elf);
	}
	append(&w, &last, NULL);
}

/* ---- reading ---- */

enum tsh_apart_result stacks_file_read(struct stacks_file *file, const struct tsh_apart_host *host,
				       const struct tsh_waiter *waiter, struct tsh_strbuf *text)
{
	uint64_t max = file->bytes_max + (file->functions_max + 1) * (sizeof(struct record) + 1);

	return tsh_apart_run_with_host(write_functions, file, host, waiter, PATIENCE_MS, (size_t)max, text);
}

bool stacks_file_next(const struct tsh_strbuf *text, size_t *at, struct stacks_function *ret,
		      uint64_t *left_out)
{
	struct record record;

	if (text->len - *at < sizeof(record))
		return false;
	memcpy(&record, text->buf + *at, sizeof(record));
	*at += sizeof(record);
	if (record.len == LAST) {
		*left_out += record.offset;
		return false;
	}
	if (record.len > TSH_ELF_NAME_MAX || record.len >= text->len - *at)
		return false;
	*ret = (struct stacks_function){ .offset = record.offset, .size = record.size,
					 .name = text->buf + *at };
	*at += record.len + 1;
	return true;
}
