/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "base/utf8.h"

/* Limits the time that the guard waits for the reader of its messages, in seconds. */
#define PRINT_SECONDS 10

/* Holds the data of the guard's process. */
struct post {
	struct tsh_guard *guard;
	struct tsh_dir *dir;
	int pipe, journal, err;
	pid_t owner;
};

/* Closes all other descriptors: holding a trace_pipe, or an end of a pipe, would keep others
 * waiting. */
static void close_the_rest(const struct post *post)
{
	const int keep[] = { post->pipe, post->journal, post->err, post->dir->fd };

	tsh_close_all_except(keep, sizeof(keep) / sizeof(keep[0]));
}

/* Raises limits that the session may die of: for root entirely, for others as far as allowed. */
static void lift_limits(void)
{
	static const int limits[] = { RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NOFILE };
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

		if (!setrlimit(limits[i], &limit) || getrlimit(limits[i], &limit) < 0)
			continue;
		limit.rlim_cur = limit.rlim_max;
		setrlimit(limits[i], &limit);
	}
}

/* Keeps the kernel from killing the guard when memory runs out. */
static void avoid_oom_killer(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, "-1000", 5) < 0)
		errno = 0;
	close(fd);
}

/* Waits for the end of the session. Returns true when the session has ended without a byte in the
 * pipe. */
static bool wait_for_the_end(int pipe)
{
	char word;
	ssize_t n;

	do {
		n = read(pipe, &word, 1);
	} while (n < 0 && errno == EINTR);
	return n == 0;
}

static void note_killed(const struct post *post, const char *text)
{
	char *clean = tsh_sanitize_dup(text);

	tsh_strlist_add_owned(&post->guard->notes, tsh_xasprintf("tracesh: process %d was killed: %s",
							    (int)post->owner, clean));
	free(clean);
}

static void note_report(const struct post *post, const struct tsh_undo_report *report)
{
	char *text;
	size_t i;

	for (i = 0; i < report->problems.n; i++)
		note_killed(post, report->problems.v[i]);
	for (i = 0; i < report->notes.n; i++)
		note_killed(post, report->notes.v[i]);
	if (!report->settings)
		return;
	text = tsh_undo_report_text(report, true);
	note_killed(post, text);
	free(text);
}

static void restore_settings(const struct post *post)
{
	struct tsh_undo_report report = { 0 };
	struct tsh_journal *old = post->dir->journal, *j;
	struct tsh_journal_owner owner;
	struct tsh_err err = { 0 };
	char *lacks, *text;

	if (tsh_journal_adopt(old, &owner, &j, &err) < 0) {
		note_killed(post, err.message);
		return;
	}
	j->hooks = old->hooks;
	post->dir->journal = j;
	tsh_journal_undo_to(post->dir, j, 0, &report);
	lacks = tsh_journal_missing_text(j, false);
	if (lacks) {
		text = tsh_xasprintf("its journal is %s", lacks);
		note_killed(post, text);
		free(text);
		free(lacks);
	}
	note_report(post, &report);
	/* Frees the journal, and removes the file, unless something in the file is left for
	 * recover. */
	tsh_journal_free(j);
}

/* Prints the notes. Ends the guard (SIGALRM) when nobody reads them in time. */
static void print_notes(const struct post *post)
{
	sigset_t alarm_only;
	char *line;
	size_t i;

	if (post->err < 0)
		return;
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
	alarm(PRINT_SECONDS);
	for (i = 0; i < post->guard->notes.n; i++) {
		line = tsh_xasprintf("%s\n", post->guard->notes.v[i]);
		if (write(post->err, line, strlen(line)) < 0)
			break;
		free(line);
	}
}

static void run_guard(const struct post *post)
{
	lift_limits();
	setsid();
	/* gets a name of its own, because `pkill tracesh` is mostly meant for the session */
	tsh_process_rename("trsh-guard");
	close_the_rest(post);
	avoid_oom_killer();
	/* does not check for signals, which are for the session */
	post->dir->waiter = NULL;
	if (wait_for_the_end(post->pipe)) {
		restore_settings(post);
		close(post->dir->fd);
		print_notes(post);
	}
	_exit(0);
}

bool tsh_guard_start(struct tsh_guard *guard, struct tsh_dir *dir, int journal_fd, int err_fd)
{
	struct post post = { .guard = guard, .dir = dir, .journal = journal_fd, .err = err_fd };
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	post.pipe = ends[0];
	post.owner = getpid();
	guard->pid = fork();
	if (guard->pid == 0) {
		guard->is_us = true;
		close(ends[1]);
		run_guard(&post);
	}
	close(ends[0]);
	if (guard->pid < 0) {
		guard->pid = 0;
		close(ends[1]);
		return false;
	}
	guard->owner = post.owner;
	guard->fd = ends[1];
	return true;
}

bool tsh_guard_was_killed(struct tsh_guard *guard)
{
	int status;
	pid_t r;

	if (!guard->pid || guard->owner != getpid())
		return false;
	r = waitpid(guard->pid, &status, WNOHANG);
	/* Takes a missing child as killed, too: with SIGCHLD ignored, a child ends without a
	 * status. */
	if (r != guard->pid && !(r < 0 && errno == ECHILD))
		return false;
	close(guard->fd);
	guard->pid = 0;
	return true;
}

void tsh_guard_forget(struct tsh_guard *guard)
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
	/* a guard that was killed does not read */
	if (write(guard->fd, "q", 1) < 0)
		errno = 0;
	close(guard->fd);
	/* Ends a guard that is stopped, and so does not read. Without a signal of ours a guard has
	 * done nothing yet. */
	kill(guard->pid, SIGKILL);
	while (waitpid(guard->pid, &status, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}
