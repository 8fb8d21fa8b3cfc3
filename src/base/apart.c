/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "xmalloc.h"

/* Limits how many bytes are read at once: as many as a pipe holds. */
#define PIECE 65536
/* Ends a complete result. A process that dies before leaves a result without this byte. */
#define END '.'
/* Limits the checks, one a millisecond, for the end of a killed process. */
#define CHECKS_MAX 100
/* Limits the turns of wait_for_parent() without a system call to about 0.1 s; host->begun takes
 * about 0.01 s. */
#define TURNS (1u << 27)
#define NAP_US 10000

void tsh_apart_begin(int out, pid_t parent)
{
	tsh_close_all_except(&out, 1);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/*
 * Spins until the parent has called host->begun. Makes no system call, because a trace would record
 * it. After TURNS, sleeps between two checks, because the parent may need this CPU (SCHED_FIFO),
 * and exits when the parent is dead.
 */
static void wait_for_parent(const atomic_bool *is_told, pid_t parent)
{
	unsigned int turns = 0;

	while (!atomic_load(is_told)) {
		if (turns++ < TURNS)
			continue;
		if (getppid() != parent)
			_exit(0);
		usleep(NAP_US);
	}
}

pid_t tsh_apart_fork(const struct tsh_apart_host *host)
{
	/* Shares memory with the child, because waiting on a pipe would be a system call, which
	 * a trace would record. */
	atomic_bool *is_told = host ? mmap(NULL, sizeof(*is_told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
					   -1, 0) : MAP_FAILED;
	pid_t parent = getpid(), pid = fork();

	if (is_told == MAP_FAILED)
		return pid;
	if (!pid)
		wait_for_parent(is_told, parent);
	if (pid > 0)
		host->begun(host->ctx, pid);
	atomic_store(is_told, true);
	munmap(is_told, sizeof(*is_told));
	return pid;
}

static void do_work(tsh_apart_work *work, void *ctx, int out, pid_t parent)
{
	static const char end = END;

	tsh_apart_begin(out, parent);
	work(ctx, out);
	(void)tsh_write_all(out, &end, 1);
	_exit(0);
}

/* Answers questions until the other end of the pipe is closed. */
static void do_answer(const struct tsh_apart_helper *helper, int fd, pid_t parent)
{
	void *question = tsh_xmalloc(helper->size);

	tsh_apart_begin(fd, parent);
	while (recv(fd, question, helper->size, MSG_WAITALL) == (ssize_t)helper->size) {
		helper->work(question, fd);
		if (tsh_write_all(fd, "", 1) < 0)
			break;
	}
	_exit(0);
}

/* Appends what a descriptor has. Returns 1 when more may come, 0 at the end, -1 on an error. */
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

/* Waits without looking for signals. */
static enum tsh_wait_result wait_deaf(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
{
	(void)ctx;
	return poll(fds, nfds, timeout_ms) ? TSH_WAIT_READY : TSH_WAIT_TIMEOUT;
}

static enum tsh_apart_result read_result(int fd, const struct tsh_waiter *waiter, int patience_ms,
					 size_t max, char end, struct tsh_strbuf *ret)
{
	static const struct tsh_waiter deaf = { wait_deaf, NULL };
	size_t begin = ret->len;
	int r = 1;

	/* Reads an answer up to its zero byte (`end` is 0), or a result up to the end of the
	 * pipe (`end` is END). */
	while (r > 0 && (end || ret->len == begin || ret->buf[ret->len - 1])) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		enum tsh_wait_result result = tsh_wait(waiter ? waiter : &deaf, &ready, 1, patience_ms);

		if (result == TSH_WAIT_TIMEOUT)
			return TSH_APART_SILENT;
		if (result != TSH_WAIT_READY)
			return TSH_APART_SIGNAL;
		r = read_piece(fd, ret);
		if (ret->len - begin > max + 1)
			return TSH_APART_SILENT;
	}
	if (r < 0 || ret->len == begin || ret->buf[ret->len - 1] != end)
		return TSH_APART_FAILED;
	tsh_strbuf_truncate(ret, ret->len - 1);
	return TSH_APART_DONE;
}

/* Kills a process and waits for 0.1 s at most: a read from a file system that does not answer
 * can keep the process alive for longer. host->ended, if set, calls wait(2). */
static void end_process(pid_t pid, const struct tsh_apart_host *host)
{
	bool is_hosts = host && host->ended;
	siginfo_t info = { 0 };
	int i;

	kill(pid, SIGKILL);
	for (i = 0; i < CHECKS_MAX && !info.si_pid; i++) {
		if (i)
			usleep(1000);
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | (is_hosts ? WNOWAIT : 0)) < 0)
			break;
	}
	if (is_hosts)
		host->ended(host->ctx, pid);
}

enum tsh_apart_result tsh_apart_run_with_host(tsh_apart_work *work, void *ctx, const struct tsh_apart_host *host,
					      const struct tsh_waiter *waiter, int patience_ms, size_t max,
					      struct tsh_strbuf *ret)
{
	pid_t parent = getpid(), pid;
	enum tsh_apart_result result;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return TSH_APART_FAILED;
	pid = tsh_apart_fork(host);
	if (!pid)
		do_work(work, ctx, ends[1], parent);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return TSH_APART_FAILED;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	result = read_result(ends[0], waiter, patience_ms, max, END, ret);
	close(ends[0]);
	end_process(pid, host);
	return result;
}

enum tsh_apart_result tsh_apart_run(tsh_apart_work *work, void *ctx, const struct tsh_waiter *waiter,
				    int patience_ms, size_t max, struct tsh_strbuf *ret)
{
	return tsh_apart_run_with_host(work, ctx, NULL, waiter, patience_ms, max, ret);
}

/* ---- one process for many questions ---- */

static int start(struct tsh_apart_helper *helper)
{
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	helper->pid = tsh_apart_fork(helper->host);
	if (!helper->pid)
		do_answer(helper, ends[1], parent);
	close(ends[1]);
	if (helper->pid < 0) {
		helper->pid = 0;
		close(ends[0]);
		return -1;
	}
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	helper->fd = ends[0];
	return 0;
}

enum tsh_apart_result tsh_apart_ask(struct tsh_apart_helper *helper, const void *question,
				    const struct tsh_waiter *waiter, int patience_ms, size_t max,
				    struct tsh_strbuf *ret)
{
	enum tsh_apart_result result = TSH_APART_FAILED;

	if (!helper->pid && start(helper) < 0)
		return TSH_APART_FAILED;
	if (send(helper->fd, question, helper->size, MSG_NOSIGNAL) == (ssize_t)helper->size)
		result = read_result(helper->fd, waiter, patience_ms, max, '\0', ret);
	if (result != TSH_APART_DONE)
		tsh_apart_end(helper);
	return result;
}

void tsh_apart_end(struct tsh_apart_helper *helper)
{
	if (!helper->pid)
		return;
	close(helper->fd);
	end_process(helper->pid, helper->host);
	helper->pid = 0;
}
