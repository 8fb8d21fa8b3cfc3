/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/now.h"
#include "loop.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define POLL_MAX 66	/* limits the descriptors of one wait: ours, and those of a command */
#define WATCHED_MAX 16
#define TAKEN_SIGNALS SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM

static uint64_t now_ms(void)
{
	return (uint64_t)tsh_now_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Reads the signals that have come. Their meaning depends on whether we are waiting. */
static enum tsh_wait_result read_signals(struct tsh_loop *loop, bool waiting)
{
	enum tsh_wait_result result = TSH_WAIT_TIMEOUT;
	struct signalfd_siginfo info;

	while (read(loop->fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		uint64_t now = now_ms();
		/* base/pty.c queues a SIGINT that counts as a second one */
		bool second = info.ssi_code == SI_QUEUE ||
			      (loop->last_interrupt && now - loop->last_interrupt < 1000);

		/* SIGQUIT from the terminal; one from kill(1) still ends us */
		if (info.ssi_signo == SIGQUIT && info.ssi_code == SI_KERNEL && loop->quit_interrupts)
			info.ssi_signo = SIGINT;
		if (info.ssi_signo == SIGINT && info.ssi_code == SI_KERNEL && loop->interrupted)
			loop->interrupted();
		if (info.ssi_signo == SIGINT && waiting && !second) {
			loop->last_interrupt = now ? now : 1;
			loop->stopped = true;
			if (result == TSH_WAIT_TIMEOUT)
				result = TSH_WAIT_STOP;
			continue;
		}
		loop->signal = (int)info.ssi_signo;
		result = TSH_WAIT_ABORT;
	}
	return result;
}

static int time_left(uint64_t start, int timeout_ms)
{
	uint64_t passed = now_ms() - start;

	if (timeout_ms < 0)
		return -1;
	return passed >= (uint64_t)timeout_ms ? 0 : timeout_ms - (int)passed;
}

static unsigned int add_watched(struct tsh_loop *loop, struct pollfd *fds, int *timeout_ms)
{
	if (!loop->watch.pollfds || loop->watch.held)
		return 0;
	return (unsigned int)loop->watch.pollfds(loop->watch.ctx, fds, WATCHED_MAX, timeout_ms);
}

/* Handles the watched descriptors that are ready. Returns how many there were. */
static int handle_watched(struct tsh_loop *loop, const struct pollfd *fds, unsigned int n)
{
	unsigned int i;
	int ready = 0;

	for (i = 0; i < n; i++)
		ready += fds[i].revents != 0;
	if (ready)
		loop->watch.ready(loop->watch.ctx);
	return ready;
}

static enum tsh_wait_result wait_for(struct tsh_loop *loop, bool strict, struct pollfd *fds,
				     unsigned int nfds, int timeout_ms)
{
	struct pollfd all[POLL_MAX + WATCHED_MAX] = { { .fd = loop->fd, .events = POLLIN } };
	uint64_t start = now_ms();
	enum tsh_wait_result result;
	unsigned int watched;
	int n;

	/* a command that watches more CPUs finds its data at the next tick */
	if (nfds > POLL_MAX - 1)
		nfds = POLL_MAX - 1;
	if (loop->signal)
		return TSH_WAIT_ABORT;
	if (nfds)
		memcpy(all + 1, fds, nfds * sizeof(*fds));
	for (;;) {
		int ms = time_left(start, timeout_ms);

		watched = strict ? 0 : add_watched(loop, all + nfds + 1, &ms);
		n = poll(all, nfds + 1 + watched, ms);
		if (n < 0 && errno != EINTR)
			return TSH_WAIT_TIMEOUT;
		n -= handle_watched(loop, all + nfds + 1, n > 0 ? watched : 0);
		if (n > 0 && all[0].revents) {
			result = read_signals(loop, !strict);
			if (result != TSH_WAIT_TIMEOUT)
				return result;
			n--;
		}
		if (nfds)
			memcpy(fds, all + 1, nfds * sizeof(*fds));
		if (n > 0)
			return TSH_WAIT_READY;
		if (!time_left(start, timeout_ms))
			return TSH_WAIT_TIMEOUT;
	}
}

static enum tsh_wait_result loop_wait(void *ctx, struct pollfd *fds, unsigned int nfds,
				      int timeout_ms)
{
	return wait_for(ctx, false, fds, nfds, timeout_ms);
}

static enum tsh_wait_result strict_wait(void *ctx, struct pollfd *fds, unsigned int nfds,
					int timeout_ms)
{
	return wait_for(ctx, true, fds, nfds, timeout_ms);
}

/* Says whether a signal was ignored, as by nohup, or by a shell for its background. */
static bool is_left_alone(int number)
{
	struct sigaction action;

	return (number == SIGHUP || number == SIGINT || number == SIGQUIT) &&
	       !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

int tsh_loop_init(struct tsh_loop *loop)
{
	static const int signals[] = { TAKEN_SIGNALS };
	sigset_t mask;
	size_t i;

	memset(loop, 0, sizeof(*loop));
	sigemptyset(&mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!is_left_alone(signals[i]))
			sigaddset(&mask, signals[i]);
	if (sigprocmask(SIG_BLOCK, &mask, &loop->old_mask) < 0)
		return -errno;
	loop->fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (loop->fd < 0)
		return -errno;
	/* Lets write(2) return EPIPE or EFBIG: otherwise the signal would end us before settings
	 * are restored. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Sets SIGCHLD to its default: with SIGCHLD ignored, no child can be waited for. */
	loop->child_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	loop->waiter.wait = loop_wait;
	loop->waiter.ctx = loop;
	loop->strict.wait = strict_wait;
	loop->strict.ctx = loop;
	return 0;
}

void tsh_loop_release(struct tsh_loop *loop)
{
	static const int signals[] = { TAKEN_SIGNALS };
	size_t i;

	/* ignores signals from now on: everything is done, and the status would be wrong */
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	if (loop->fd >= 0)
		close(loop->fd);
	loop->fd = -1;
	sigprocmask(SIG_SETMASK, &loop->old_mask, NULL);
}

bool tsh_loop_aborted(struct tsh_loop *loop)
{
	if (!loop->signal)
		read_signals(loop, false);
	return loop->signal != 0;
}

void tsh_loop_forget_interrupt(struct tsh_loop *loop)
{
	if (loop->signal == SIGINT)
		loop->signal = 0;
	loop->last_interrupt = 0;
}

void tsh_loop_restore_signals(const struct tsh_loop *loop)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (loop->child_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &loop->old_mask, NULL);
}
