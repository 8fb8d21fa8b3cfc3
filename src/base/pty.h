/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_PTY_H
#define TRACESH_BASE_PTY_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "err.h"

/*
 * Gives the program of another user a terminal of its own, pty(7). On our terminal the program
 * could type commands into our shell (TIOCSTI), or stay and read what is typed there. A process of
 * ours, the relay, copies between the two terminals.
 */
struct tsh_pty {
	int master, slave;	/* -1: there is none, or it is closed */
	int alive;		/* our end of a pipe; the relay ends when it is closed */
	int terminal, out;	/* our standard descriptors for reading and writing */
	bool reads_keys;	/* standard input is a terminal: what is typed is for the program */
	pid_t relay;		/* 0: there is none */
	struct termios before;	/* our terminal's modes */
};

#define TSH_PTY_NONE { .master = -1, .slave = -1, .alive = -1, .terminal = -1, .out = -1 }

/*
 * Opens a pty when a standard descriptor of ours is a terminal; otherwise opens none. `owner`: the
 * user who may open it by its name. Returns 0, or -1 with err; the caller closes it with
 * tsh_pty_close in both cases.
 */
int tsh_pty_open(struct tsh_pty *pty, uid_t owner, struct tsh_err *err);
/* Begins a session in the program's process. With a pty, makes it each standard descriptor that
 * is a terminal. Returns 0 or -errno. */
int tsh_pty_enter(const struct tsh_pty *pty);
/* Starts the relay, after the fork of the program. Returns 0, or -1 with err. */
int tsh_pty_relay(struct tsh_pty *pty, struct tsh_err *err);
/* Prints what the program has still written, for at most a second, and restores our terminal's
 * modes. */
void tsh_pty_close(struct tsh_pty *pty);

#endif
