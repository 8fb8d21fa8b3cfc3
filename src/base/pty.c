/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "now.h"
#include "process.h"

/* Limits the output that the relay still prints when tracesh has closed the pipe `alive`. */
#define LAST_BYTES (1u << 20)
#define SECOND_NS INT64_C(1000000000)

/* ---- in the relay process ---- */

struct relay {
	struct tsh_pty *pty;
	pid_t parent;
	int signals;		/* a signalfd: the window has changed, or we were continued */
	int alive;		/* a pipe: end of file when tracesh is gone */
	struct termios shown;	/* the modes that our terminal has */
	bool is_raw;
	char keys[256];		/* keys that were typed, and not yet read by the program */
	size_t nkeys;
	int64_t taken;		/* when the program last read a key, or had none to read */
	int64_t interrupts[2];	/* when the last two interrupt keys were typed */
};

static bool is_in_foreground(const struct relay *r)
{
	return tcgetpgrp(r->pty->terminal) == getpgrp();
}

/*
 * Sets our terminal to raw mode, in which it passes every key on. Copies the handling of line ends
 * from the program's terminal, so that our own lines look as always. Ignores the program's other
 * modes (OLCUC would change our escapes).
 */
static void set_modes(struct relay *r)
{
	const tcflag_t line_end = OPOST | ONLCR;
	struct termios theirs, raw = r->pty->before;

	if (!r->pty->reads_keys || tcgetattr(r->pty->master, &theirs) < 0)
		return;
	cfmakeraw(&raw);
	raw.c_oflag = (raw.c_oflag & ~line_end) | (theirs.c_oflag & line_end);
	if ((r->is_raw && raw.c_oflag == r->shown.c_oflag) || !is_in_foreground(r))
		return;
	r->is_raw = tcsetattr(r->pty->terminal, TCSANOW, &raw) == 0;
	r->shown = raw;
}

static void copy_size(const struct relay *r)
{
	struct winsize size;

	if (ioctl(r->pty->terminal, TIOCGWINSZ, &size) == 0)
		(void)ioctl(r->pty->master, TIOCSWINSZ, &size);
}

static void read_signals(struct relay *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		copy_size(r);
		/* Sets the modes again, because the shell may have changed them. */
		if (info.ssi_signo == SIGCONT)
			r->is_raw = false;
	}
	set_modes(r);
}

/* Notes an interrupt key. Returns true when it is the third within a second. */
static bool note_interrupt(struct relay *r, int64_t now)
{
	bool is_third = r->interrupts[0] && now - r->interrupts[0] < SECOND_NS;

	r->interrupts[0] = is_third ? 0 : r->interrupts[1];
	r->interrupts[1] = is_third ? 0 : now;
	return is_third;
}

/*
 * Sends SIGINT to tracesh for interrupt keys. The first Ctrl-C is for the program too; tracesh
 * counts them, and ends at the second within a second. A program without ISIG reads Ctrl-C as a
 * plain key; then only the third within a second is sent. The key is the VINTR of our own terminal,
 * whatever the program sets.
 */
static void send_interrupts(struct relay *r, const char *keys, size_t n)
{
	cc_t key = r->pty->before.c_cc[VINTR];
	bool is_typed = false, is_third = false;
	int64_t now = tsh_now_ns(CLOCK_MONOTONIC);
	struct termios theirs;
	size_t i;

	for (i = 0; key != _POSIX_VDISABLE && i < n; i++) {
		if ((cc_t)keys[i] != key)
			continue;
		is_typed = true;
		is_third |= note_interrupt(r, now);
	}
	if (!is_typed || getppid() != r->parent)
		return;
	/* Queues the signal: tracesh ends at a queued SIGINT (src/shell/loop.c). */
	if (is_third)
		sigqueue(r->parent, SIGINT, (union sigval){ 0 });
	else if (tcgetattr(r->pty->master, &theirs) == 0 && (theirs.c_lflag & ISIG))
		kill(r->parent, SIGINT);
}

/* Checks for room for more keys. Keys that the program does not read for a second are dropped,
 * so that an interrupt key behind them is found. */
static bool has_room(const struct relay *r)
{
	return r->nkeys < sizeof(r->keys) ||
	       tsh_now_ns(CLOCK_MONOTONIC) - r->taken >= SECOND_NS;
}

static void read_keys(struct relay *r)
{
	char keys[sizeof(r->keys)];
	size_t room = sizeof(r->keys) - r->nkeys;
	ssize_t n = read(r->pty->terminal, keys, room ? room : sizeof(keys));

	if (n > 0) {
		send_interrupts(r, keys, (size_t)n);
		if (!r->nkeys)
			r->taken = tsh_now_ns(CLOCK_MONOTONIC);
		if (room) {
			memcpy(r->keys + r->nkeys, keys, (size_t)n);
			r->nkeys += (size_t)n;
		}
	} else if (!n || (errno != EINTR && errno != EAGAIN)) {
		r->pty->reads_keys = false;
	}
}

static void pass_keys(struct relay *r)
{
	ssize_t n = write(r->pty->master, r->keys, r->nkeys);

	if (n <= 0)
		return;
	r->taken = tsh_now_ns(CLOCK_MONOTONIC);
	r->nkeys -= (size_t)n;
	memmove(r->keys, r->keys + n, r->nkeys);
}

static void write_all(int fd, const char *text, size_t len)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0 && errno == EAGAIN)
			(void)poll(&room, 1, -1);
		else if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
}

/* Copies a part of the program's output. Returns its length; 0: there is none at the moment. */
static size_t print_some(struct relay *r)
{
	char text[4096];
	ssize_t n = read(r->pty->master, text, sizeof(text));

	if (n <= 0)
		return 0;
	set_modes(r);
	write_all(r->pty->out, text, (size_t)n);
	return (size_t)n;
}

/* Copies once in both directions. Returns false when tracesh has closed its end of the pipe, or
 * is gone. */
static bool relay_once(struct relay *r)
{
	struct pollfd fds[] = {
		{ .fd = r->alive, .events = POLLIN },
		{ .fd = r->signals, .events = POLLIN },
		{ .fd = r->pty->master, .events = POLLIN | (r->nkeys ? POLLOUT : 0) },
		{ .fd = r->is_raw && r->pty->reads_keys && has_room(r) ? r->pty->terminal : -1,
		  .events = POLLIN },
	};
	/* Checks again soon whether the program reads keys. */
	int timeout_ms = r->nkeys == sizeof(r->keys) ? 100 : -1;

	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout_ms) < 0)
		return errno == EINTR;
	if (fds[1].revents)
		read_signals(r);
	if (fds[2].revents & POLLOUT)
		pass_keys(r);
	if (fds[2].revents & ~POLLOUT)
		print_some(r);
	if (fds[3].revents)
		read_keys(r);
	return !fds[0].revents;
}

/*
 * Restores the modes of our terminal, unless a shell has set other ones in the meantime. Drops what
 * the terminal has answered to escape sequences in the output.
 */
static void restore_modes(const struct relay *r)
{
	struct termios now;

	if (!r->is_raw || tcgetattr(r->pty->terminal, &now) < 0 ||
	    now.c_lflag != r->shown.c_lflag || now.c_iflag != r->shown.c_iflag)
		return;
	tcflush(r->pty->terminal, TCIFLUSH);
	tcsetattr(r->pty->terminal, TCSANOW, &r->pty->before);
}

/* Opens a signalfd for SIGWINCH and SIGCONT. Does not block the signals of keys, which tracesh
 * has blocked and handles. */
static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGCONT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void run_relay(struct tsh_pty *pty, pid_t parent, int alive)
{
	struct relay r = { .pty = pty, .parent = parent, .alive = alive };
	/* Keeps the slave open, because reading the master fails while no process has the slave
	 * open. */
	const int keep[] = { pty->terminal, pty->out, pty->master, pty->slave, alive };
	size_t printed = 0, n;

	/* Hides from `pkill tracesh`, so that the terminal gets its modes back. */
	tsh_process_rename("trsh-terminal");
	tsh_close_all_except(keep, sizeof(keep) / sizeof(keep[0]));
	r.signals = open_signals();
	copy_size(&r);
	set_modes(&r);
	while (relay_once(&r))
		;
	do {
		n = print_some(&r);
		printed += n;
	} while (n && printed < LAST_BYTES);
	restore_modes(&r);
	_exit(0);
}

/* ---- in tracesh itself ---- */

static bool is_terminal(int fd)
{
	struct termios modes;

	return tcgetattr(fd, &modes) == 0;
}

/* Returns the first of some descriptors that is a terminal, or -1. */
static int find_terminal(const int *fds, size_t n)
{
	size_t i;

	for (i = 0; i < n && !is_terminal(fds[i]); i++)
		;
	return i < n ? fds[i] : -1;
}

static int refuse_pty(int number, struct tsh_err *err)
{
	tsh_err_errno(err, number, "cannot make a terminal for the program of another user");
	tsh_err_hint(err, "none is needed when tracesh has none: tracesh .. < /dev/null 2>&1 | cat");
	return -1;
}

int tsh_pty_open(struct tsh_pty *pty, uid_t owner, struct tsh_err *err)
{
	static const int standard[] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO };
	char path[64];

	*pty = (struct tsh_pty)TSH_PTY_NONE;
	pty->terminal = find_terminal(standard, 3);
	/* Finds a terminal to print to, because the one that keys are read from may be
	 * read-only. */
	pty->out = find_terminal(standard + 1, 3);
	if (pty->terminal < 0)
		return 0;
	pty->reads_keys = pty->terminal == STDIN_FILENO;
	pty->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (pty->master < 0 || tcgetattr(pty->terminal, &pty->before) < 0 ||
	    unlockpt(pty->master) < 0)
		return refuse_pty(errno, err);
	if (ptsname_r(pty->master, path, sizeof(path)) != 0)
		return refuse_pty(ENOTTY, err);
	/* Opens the other end by ioctl: its name may be another terminal's when another devpts
	 * is mounted. Before Linux 4.13 there is only the name. */
	pty->slave = ioctl(pty->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (pty->slave < 0 && (errno == EINVAL || errno == ENOTTY))
		pty->slave = open(path, O_RDWR | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (pty->slave < 0 || fchown(pty->slave, owner, (gid_t)-1) < 0 ||
	    tcsetattr(pty->slave, TCSANOW, &pty->before) < 0)
		return refuse_pty(errno, err);
	return 0;
}

int tsh_pty_enter(const struct tsh_pty *pty)
{
	int fd;

	if (setsid() < 0 || (pty->slave >= 0 && ioctl(pty->slave, TIOCSCTTY, 0) < 0))
		return -errno;
	for (fd = STDIN_FILENO; pty->slave >= 0 && fd <= STDERR_FILENO; fd++)
		if (is_terminal(fd) && dup2(pty->slave, fd) < 0)
			return -errno;
	return 0;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int tsh_pty_relay(struct tsh_pty *pty, struct tsh_err *err)
{
	pid_t parent = getpid();
	int ends[2];

	if (pty->master < 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return tsh_err_errno(err, errno, "cannot make a pipe");
	pty->relay = fork();
	if (pty->relay == 0)
		run_relay(pty, parent, ends[0]);
	close(ends[0]);
	pty->alive = ends[1];
	if (pty->relay < 0) {
		pty->relay = 0;
		return tsh_err_errno(err, errno, "cannot start a process");
	}
	close_one(&pty->master);
	close_one(&pty->slave);
	return 0;
}

void tsh_pty_close(struct tsh_pty *pty)
{
	int tries = 0, status;

	close_one(&pty->master);
	close_one(&pty->slave);
	close_one(&pty->alive);
	while (pty->relay > 0 && waitpid(pty->relay, &status, WNOHANG) == 0) {
		/* Gives up: our terminal is stopped, and nobody reads what is printed. */
		if (++tries == 100) {
			kill(pty->relay, SIGKILL);
			tcsetattr(pty->terminal, TCSANOW, &pty->before);
		}
		usleep(10000);
	}
	pty->relay = 0;
}
