/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracesh/process.h"

/* Bytes that are read at once: as many as a pipe holds. */
#define PIECE 65536
/* Stands behind what the work has written: it has come to its end. */
#define END '.'
/* Looks whether a killed process has ended, a millisecond each. */
#define LOOKS 100

static void do_work(tsh_apart_work *work, void *ctx, int out, pid_t parent)
{
	static const char end = END;

	tsh_close_all_but(&out, 1);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent) {
		work(ctx, out);
		(void)tsh_write_all(out, &end, 1);
	}
	_exit(0);
}

/* Reads what is there. 1: more may come; 0: the end; -1: it cannot be read. */
static int read_piece(int fd, struct tsh_strbuf *ret)
{
	ssize_t n;

	tsh_strbuf_grow(ret, PIECE);
	n = read(fd, ret->buf + ret->len, PIECE);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 1 : -1;
	ret->len += (size_t)n;
	ret->buf[ret->len] = '\0';
	return n > 0;
}

static enum tsh_apart read_result(int fd, const struct tsh_waiter *waiter, int patience_ms,
				  size_t max, struct tsh_strbuf *ret)
{
	size_t begin = ret->len;
	int r = 1;

	while (r > 0) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		enum tsh_wait_result result = tsh_wait(waiter, &ready, 1, patience_ms);

		if (result == TSH_WAIT_TIMEOUT)
			return TSH_APART_SILENT;
		if (result != TSH_WAIT_READY)
			return TSH_APART_SIGNAL;
		r = read_piece(fd, ret);
		if (ret->len - begin > max + 1)
			return TSH_APART_SILENT;
	}
	if (r < 0 || ret->len == begin || ret->buf[ret->len - 1] != END)
		return TSH_APART_FAILED;
	tsh_strbuf_truncate(ret, ret->len - 1);
	return TSH_APART_DONE;
}

/* Leaves one alone that waits for a file system: it ends when that answers. */
static void end_process(pid_t pid)
{
	int i;

	kill(pid, SIGKILL);
	for (i = 0; i < LOOKS && waitpid(pid, NULL, WNOHANG) == 0; i++)
		usleep(1000);
}

enum tsh_apart tsh_apart(tsh_apart_work *work, void *ctx, const struct tsh_waiter *waiter,
			 int patience_ms, size_t max, struct tsh_strbuf *ret)
{
	pid_t parent = getpid(), pid;
	enum tsh_apart result;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return TSH_APART_FAILED;
	pid = fork();
	if (!pid)
		do_work(work, ctx, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return TSH_APART_FAILED;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	result = read_result(ends[0], waiter, patience_ms, max, ret);
	close(ends[0]);
	end_process(pid);
	return result;
}
