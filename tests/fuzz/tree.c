/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorded tree from elsewhere. The first byte says what is printed of it and in which
 * format; then "@@PATH\n" begins a file, which goes on to the next one.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/engine.h"
#include "tracesh/xmalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILES_MAX 64

static const char *const commands[] = {
	"drain\n",
	"drain --since -5s\ndrain --cpu 0 -n 3\n",
	"show\nshow -n 2\nshow --since 1.0\n",
	"status -a\nstats\nevents --on\nclock\nbuffer\ntracer\noption\npid\nenable\n",
	"info *:*\nfilter *:* common_pid == 1\nevents\ntime 1.5\ntime now\nfunctions a*\n",
};
#define COMMANDS_N (sizeof(commands) / sizeof(commands[0]))

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* Letters, digits and the like; no "..", not absolute. */
static bool is_path(const char *path)
{
	const char *p;

	if (!*path || *path == '/' || strstr(path, "..") || strstr(path, "//"))
		return false;
	for (p = path; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-./", *p))
			return false;
	return strlen(path) < 100;
}

static void make_file(const char *top, const char *path, const char *text, size_t len)
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

static void make_tree(const char *top, const char *text, size_t len)
{
	const char *end = text + len, *newline, *next;
	unsigned int files = 0;

	mkdir(top, 0700);
	make_file(top, "events/header_page", "", 0);
	while (text < end && files++ < FILES_MAX) {
		char *path;

		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline || newline - text < 2)
			return;
		path = tsh_xstrndup(text + 2, (size_t)(newline - text - 2));
		text = newline + 1;
		next = memmem(text, (size_t)(end - text), "\n@@", 3);
		next = next ? next + 1 : end;
		if (is_path(path))
			make_file(top, path, text, (size_t)(next - text));
		free(path);
		text = next;
	}
}

static void run(const char *top, enum tsh_format format, const char *text)
{
	struct tsh_engine_options opt = {
		.tracefs = top, .keep_going = true, .settings.format = format,
		.settings.show_error = true,
	};
	struct tsh_err err = { 0 };
	struct tsh_engine *e;
	struct tsh_loop loop;

	if (tsh_loop_init(&loop) < 0)
		abort();
	/* The fuzzer's own. */
	sigprocmask(SIG_SETMASK, &loop.old_mask, NULL);
	opt.loop = &loop;
	opt.out_fd = opt.err_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (tsh_engine_new(&opt, &e, &err) == 0) {
		tsh_engine_run_text(e, "fuzz", text, strlen(text), NULL);
		tsh_engine_finish(e, false);
		tsh_engine_free(e);
	}
	tsh_err_release(&err);
	close(opt.out_fd);
	tsh_loop_release(&loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char top[64];

	if (size < 4 || size > 65536)
		return 0;
	/* In memory, where the machine has such a place. */
	snprintf(top, sizeof(top), "%s/tracesh-fuzz-%d",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
	make_tree(top, (const char *)data + 1, size - 1);
	run(top, (enum tsh_format)(data[0] % 4), commands[data[0] / 4 % COMMANDS_N]);
	nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}
