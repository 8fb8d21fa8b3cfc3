/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_PTY_H
#define TRACESH_BASE_PTY_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "err.h"

/*
 * A terminal of its own for the program of another user: pty(7). On ours it could type commands
 * into our shell (TIOCSTI), or stay and read what is typed there. A process of ours, the relay,
 * copies between the two.
 */
struct tsh_pty {
	int master, slave;	/* -1: there is none, or not any more */
	int alive;		/* the relay ends when the other end of this pipe is closed */
	int terminal, out;	/* the standard descriptors that are ours, for reading and writing */
	bool reads_keys;	/* standard input is one too: what is typed is for the program */
	pid_t relay;		/* 0: there is none */
	struct termios before;	/* our terminal's modes */
};

#define TSH_PTY_NONE { .master = -1, .slave = -1, .alive = -1, .terminal = -1, .out = -1 }

/*
 * Open one where a standard descriptor of ours is a terminal; else there is none. `owner`: the
 * user who may open it by its name. 0, or -1 with err; tsh_pty_close follows in both cases.
 */
int tsh_pty_open(struct tsh_pty *pty, uid_t owner, struct tsh_err *err);
/* In the program's process: begin a session, on the pty where there is one, which takes the place
 * of each standard descriptor that is a terminal. 0 or -errno. */
int tsh_pty_enter(const struct tsh_pty *pty);
/* Start the relay, after the fork of the program. 0, or -1 with err. */
int tsh_pty_relay(struct tsh_pty *pty, struct tsh_err *err);
/* Print what the program has still written and give our terminal its modes back. Waits for at
 * most a second. */
void tsh_pty_close(struct tsh_pty *pty);

#endif
