/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracesh/number.h"
#include "tracesh/utf8.h"

struct post {			/* what the guard holds */
	struct tsh_dir *dir;
	int pipe, journal, err;
	pid_t owner;
};

static bool is_needed(const struct post *post, int fd)
{
	return fd == post->pipe || fd == post->journal || fd == post->err || fd == post->dir->fd;
}

/* A descriptor of a trace_pipe or of a pipe that we would hold keeps others waiting. */
static void close_the_rest(const struct post *post)
{
	DIR *d = opendir("/proc/self/fd");
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd;
	const struct dirent *entry;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!is_needed(post, fd) && null >= 0)
			dup2(null, fd);
	for (fd = STDERR_FILENO + 1; !d && fd < 1024; fd++)
		if (!is_needed(post, fd))
			close(fd);
	while (d && (entry = readdir(d))) {
		uint64_t number;

		if (tsh_parse_u64(entry->d_name, &number) < 0)
			continue;
		fd = (int)number;
		if (fd > STDERR_FILENO && fd != dirfd(d) && !is_needed(post, fd))
			close(fd);
	}
	if (d)
		closedir(d);
}

/* Of all that runs out of memory, not the one that cleans up. */
static void spare_me(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-1000", 5) < 0)
		errno = 0;
	close(fd);
}

/* True: they are gone without a word. */
static bool wait_for_the_end(int pipe)
{
	char word;
	ssize_t n;

	do {
		n = read(pipe, &word, 1);
	} while (n < 0 && errno == EINTR);
	return n == 0;
}

static void say(const struct post *post, const char *text)
{
	char *clean, *line;

	if (post->err < 0)
		return;
	clean = tsh_sanitize_dup(text);
	line = tsh_xasprintf("tracesh: process %d was killed: %s\n", (int)post->owner, clean);
	if (write(post->err, line, strlen(line)) < 0)
		errno = 0;
	free(line);
	free(clean);
}

static void take_back(const struct post *post)
{
	struct tsh_undo_report report = { 0 };
	struct tsh_journal *old = post->dir->journal, *j;
	struct tsh_journal_owner owner;
	struct tsh_err err = { 0 };
	bool damaged;
	char *text;
	size_t i;

	if (tsh_journal_adopt(old, &owner, &j, &damaged, &err) < 0) {
		say(post, err.message);
		return;
	}
	j->hooks = old->hooks;
	post->dir->journal = j;
	tsh_journal_undo_to(post->dir, j, 0, &report);
	for (i = 0; i < report.problems.n; i++)
		say(post, report.problems.v[i]);
	for (i = 0; i < report.notes.n; i++)
		say(post, report.notes.v[i]);
	if (damaged) {
		free(tsh_journal_set_aside(j));
		say(post, "its journal is damaged: what cannot be read of it is left");
	}
	if (report.settings) {
		text = tsh_xasprintf("%u setting%s taken back", report.settings,
				     report.settings == 1 ? "" : "s");
		say(post, text);
		free(text);
	}
	/* The file goes, unless something is left for recover. */
	tsh_journal_free(j);
}

static void stand_guard(const struct post *post)
{
	setsid();
	prctl(PR_SET_NAME, "tracesh-guard");
	close_the_rest(post);
	spare_me();
	if (wait_for_the_end(post->pipe))
		take_back(post);
	_exit(0);
}

void tsh_guard_start(struct tsh_guard *guard, struct tsh_dir *dir, int journal_fd, int err_fd)
{
	struct post post = { .dir = dir, .journal = journal_fd, .err = err_fd };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	post.pipe = ends[0];
	post.owner = getpid();
	guard->pid = fork();
	if (guard->pid == 0) {
		guard->is_us = true;
		close(ends[1]);
		stand_guard(&post);
	}
	close(ends[0]);
	if (guard->pid < 0) {
		guard->pid = 0;
		close(ends[1]);
		return;
	}
	guard->owner = post.owner;
	guard->fd = ends[1];
}

void tsh_guard_leave(struct tsh_guard *guard)
{
	if (guard->pid)
		close(guard->fd);
	guard->pid = 0;
}

void tsh_guard_dismiss(struct tsh_guard *guard)
{
	int status;

	if (!guard->pid || guard->owner != getpid())
		return;
	/* Where it was killed itself, nobody reads. */
	if (write(guard->fd, "q", 1) < 0)
		errno = 0;
	close(guard->fd);
	while (waitpid(guard->pid, &status, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}
