/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FUZZ_TREES_H
#define FUZZ_TREES_H

/*
 * A recorded tree from an input: "@@PATH\n" begins a file, which goes on to the next one. And
 * what every printed text must be, whatever it was printed from.
 */
#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "shell/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TREE_FILES_MAX 64
/* Waits that an engine gets before it is told to end. */
#define WAITS_MAX 20

struct fuzz_file {
	const char *path;
	const char *text;
};

/* In memory, where the machine has such a place. */
static inline void name_tree(char *top, size_t room)
{
	snprintf(top, room, "%s/tracesh-fuzz-%d",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void remove_tree(const char *top)
{
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Whether it stays below the tree: not absolute, no "..". */
static inline bool is_tree_path(const char *path)
{
	return *path && *path != '/' && !strstr(path, "..") && !strstr(path, "//") &&
	       strlen(path) < 100;
}

static inline void make_file(const char *top, const char *path, const char *text, size_t len)
{
	char *full = tsh_xasprintf("%s/%s", top, path), *slash;
	int fd;

	for (slash = full + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0) {
		if (write(fd, text, len) < 0)
			abort();
		close(fd);
	}
	free(full);
}

/* `given`: what a tree has that the input does not say; its last path is NULL. */
static inline void make_tree(const char *top, const struct fuzz_file *given, const char *text,
			     size_t len)
{
	const char *end = text + len, *newline, *next;
	unsigned int files = 0;

	mkdir(top, 0700);
	for (; given->path; given++)
		make_file(top, given->path, given->text, strlen(given->text));
	while (text < end && files++ < TREE_FILES_MAX) {
		char *path;

		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline || newline - text < 2)
			return;
		path = tsh_xstrndup(text + 2, (size_t)(newline - text - 2));
		text = newline + 1;
		next = memmem(text, (size_t)(end - text), "\n@@", 3);
		next = next ? next + 1 : end;
		if (is_tree_path(path))
			make_file(top, path, text, (size_t)(next - text));
		free(path);
		text = next;
	}
}

/* ---- an engine on it ---- */

/* Lets no time pass; a command that waits again and again is told to stop. */
static inline enum tsh_wait_result wait_briefly(void *ctx, struct pollfd *fds, unsigned int nfds,
						int timeout_ms)
{
	struct tsh_loop *loop = ctx;

	(void)timeout_ms;
	if (++loop->last_interrupt > WAITS_MAX)
		return TSH_WAIT_ABORT;
	if (nfds && poll(fds, nfds, 0) > 0)
		return TSH_WAIT_READY;
	return loop->last_interrupt > WAITS_MAX / 2 ? TSH_WAIT_STOP : TSH_WAIT_TIMEOUT;
}

static inline void open_loop(struct tsh_loop *loop)
{
	if (tsh_loop_init(loop) < 0)
		abort();
	/* The fuzzer's own. */
	sigprocmask(SIG_SETMASK, &loop->old_mask, NULL);
	loop->waiter.wait = loop->strict.wait = wait_briefly;
}

/* Runs commands on the tree; what they print goes to out_fd. */
static inline void run_on_tree(const char *top, enum tsh_format format, const char *commands,
			       int out_fd)
{
	struct tsh_engine_options opt = {
		.tracefs = top, .keep_going = true, .settings.format = format,
		.settings.show_error = true, .out_fd = out_fd, .err_fd = out_fd,
	};
	struct tsh_err err = { 0 };
	struct tsh_engine *e;
	struct tsh_loop loop;

	open_loop(&loop);
	opt.loop = &loop;
	if (tsh_engine_new(&opt, &e, &err) == 0) {
		tsh_engine_run_text(e, "fuzz", commands, strlen(commands), NULL);
		tsh_engine_finish(e, false);
		tsh_engine_free(e);
	}
	tsh_err_release(&err);
	tsh_loop_release(&loop);
}

/* ---- what was printed ---- */

static inline int open_memory(void)
{
	int fd = memfd_create("printed", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

/* UTF-8, and nothing in it that a terminal obeys; `lines`: but for newlines and tabs. */
static inline void check_text(const char *text, size_t len, bool lines)
{
	static const char allowed[128] = { [' ' ... '~'] = 1 };
	unsigned char c;
	uint32_t code;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		c = (unsigned char)text[i];
		n = 1;
		/* A table costs the fuzzer nothing, unlike a comparison. */
		if (c < 128 && (allowed[c] || (lines && (c == '\n' || c == '\t'))))
			continue;
		n = tsh_utf8_decode(text + i, len - i, &code);
		if (!n || tsh_utf8_is_hostile(code)) {
			fprintf(stderr, "byte %zu is not to be printed: %.*s\n", i, (int)len, text);
			abort();
		}
	}
}

/* Checks what was printed to an fd of open_memory, and closes it. */
static inline void check_printed(int fd)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (lseek(fd, 0, SEEK_SET) < 0 || tsh_strbuf_read(&text, fd, 64 << 20) < 0)
		abort();
	check_text(text.buf, text.len, true);
	tsh_strbuf_release(&text);
	close(fd);
}

#endif
