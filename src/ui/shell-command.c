/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shell-command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"

/* Sets the time between two checks of a child whose end sends no signal. */
#define LOOK_AGAIN_MS 1000

/* Waits for the child, which is in the terminal's process group: Ctrl-C reaches the child, and
 * means nothing to us. Returns the status, or -1 when a signal aborts. */
static int wait_child(struct tsh_loop *loop, pid_t pid, int child_fd)
{
	struct pollfd pfd = { .fd = child_fd, .events = POLLIN };
	struct signalfd_siginfo info;
	bool aborted = false;
	int status = 0;

	/* the child uses the screen */
	loop->watch.held = true;

	while (!aborted) {
		/* when a debugger holds the child's end, there is no signal */
		if (tsh_process_reap(pid, &status) != TSH_PROCESS_RUNS)
			break;
		switch (tsh_wait(&loop->waiter, &pfd, 1, LOOK_AGAIN_MS)) {
		case TSH_WAIT_ABORT:
			if (loop->signal != SIGINT) {
				kill(pid, loop->signal);
				aborted = true;
				break;
			}
			tsh_loop_forget_interrupt(loop);
			break;
		case TSH_WAIT_READY:
			if (read(child_fd, &info, sizeof(info)) < 0)
				break;
			break;
		default:
			break;
		}
	}
	loop->watch.held = false;
	if (aborted)
		return -1;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	/* begins a new line for the prompt: the terminal has shown ^C */
	if (WTERMSIG(status) == SIGINT && write(STDOUT_FILENO, "\n", 1) < 0)
		return 128 + SIGINT;
	return 128 + WTERMSIG(status);
}

/* Forgets the interrupt that has ended the child, and was not for us. */
static void drop_interrupt(struct tsh_loop *loop)
{
	tsh_loop_aborted(loop);
	tsh_loop_forget_interrupt(loop);
}

static int run_child(struct tsh_engine *e, struct tsh_loop *loop, const char *command)
{
	struct tsh_session *s = tsh_engine_session(e);
	struct tsh_err err = { 0 };
	sigset_t mask, old;
	int child_fd, status = TSH_FAILED;
	pid_t pid;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &old);
	child_fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	pid = child_fd < 0 ? -1 : fork();
	if (pid == 0) {
		s->ops->child_signals(s);
		tsh_engine_exec_sh(e, command);
	}
	if (pid < 0) {
		tsh_err_errno(&err, errno, "cannot start a process");
		tsh_engine_report(e, &err);
		tsh_err_release(&err);
	} else {
		status = wait_child(loop, pid, child_fd);
	}
	if (child_fd >= 0)
		close(child_fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return status;
}

bool tsh_shell_command(struct tsh_engine *e, struct tsh_loop *loop, const char *text,
		       size_t len)
{
	struct tsh_session *s = tsh_engine_session(e);
	struct tsh_err err = { 0 };
	char *command = tsh_xstrndup(text, len);
	int status = 0;

	if (strspn(command, " \t") == strlen(command)) {
		free(command);
		tsh_err_set(&err, TSH_USAGE, "missing command after '!'");
		tsh_engine_report(e, &err);
		tsh_err_release(&err);
		s->status = TSH_USAGE;
		return true;
	}
	status = run_child(e, loop, command);
	free(command);
	if (status >= 0) {
		s->status = status;
		drop_interrupt(loop);
	}
	if (!loop->signal)
		return true;
	s->aborted = true;
	return false;
}
