/* shell/loop.h - receives signals by signalfd, and waits */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_LOOP_H
#define TRACESH_SHELL_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wait.h"

/*
 * Receives signals, without handlers. Ctrl-C during a wait ends the present command
 * (TSH_WAIT_STOP). A second one within a second, or one at any other time, aborts, as SIGTERM,
 * SIGHUP, SIGQUIT and the like always do (TSH_WAIT_ABORT).
 */
struct tsh_loop {
	int fd;				/* signalfd */
	sigset_t old_mask;		/* signal mask for children */
	int signal;			/* the signal that aborted; 0: none */
	bool quit_interrupts;		/* in a session at a prompt: Ctrl-\ works like Ctrl-C */
	uint64_t last_interrupt;	/* in ms of CLOCK_MONOTONIC; 0: none */
	bool stopped;			/* Ctrl-C has ended a wait; the caller clears it */
	/* Reacts to Ctrl-C from the terminal while a command runs; may be NULL. */
	void (*interrupted)(void);
	bool child_ignored;		/* SIGCHLD was ignored: restored for children */
	struct tsh_waiter waiter;
	struct tsh_waiter strict;	/* Ctrl-C aborts, and jobs are not watched */
	/*
	 * Adds the output of jobs to every wait. pollfds returns at most `max` descriptors, and
	 * shortens *timeout_ms to be called again earlier; ready is called when a descriptor is
	 * ready. No descriptor is watched while the functions are NULL, or while `held`, when
	 * something else uses the screen.
	 */
	struct {
		size_t (*pollfds)(void *ctx, struct pollfd *ret, size_t max, int *timeout_ms);
		void (*ready)(void *ctx);
		void *ctx;
		bool held;
	} watch;
};

/* Blocks the signals, and ignores SIGPIPE. HUP, INT and QUIT that were ignored (nohup) stay so.
 * Returns 0 or -errno. */
int tsh_loop_init(struct tsh_loop *loop);
/* Ignores signals from now on; for the end of the program. */
void tsh_loop_release(struct tsh_loop *loop);
/* Says, between two commands, whether a signal has come that aborts. */
bool tsh_loop_aborted(struct tsh_loop *loop);
/* Forgets the abort by a SIGINT: at the prompt Ctrl-C only discards the line. */
void tsh_loop_forget_interrupt(struct tsh_loop *loop);
/* Restores the signals that tracesh found, in a child before exec. */
void tsh_loop_restore_signals(const struct tsh_loop *loop);

#endif
