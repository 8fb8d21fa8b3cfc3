/* shell/loop.h - signals by signalfd, and the waits that they end */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_LOOP_H
#define TRACESH_SHELL_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/wait.h"

/*
 * Ctrl-C during a wait ends that command (TSH_WAIT_STOP); a second within a second,
 * or one at any other moment, aborts, as SIGTERM, SIGHUP, SIGQUIT and the like always do
 * (TSH_WAIT_ABORT). No handler ever runs.
 */
struct tsh_loop {
	int fd;				/* signalfd */
	sigset_t old_mask;		/* for children */
	int signal;			/* the one that aborted, 0: none */
	bool quit_interrupts;		/* in a session at a prompt: Ctrl-\ is Ctrl-C */
	uint64_t last_interrupt;	/* ms, CLOCK_MONOTONIC; 0: none */
	bool stopped;			/* a Ctrl-C ended a wait; who asks clears it */
	/* A Ctrl-C of the terminal has come while a command runs. NULL: nobody wants to know. */
	void (*interrupted)(void);
	bool child_ignored;		/* SIGCHLD was: for children */
	struct tsh_waiter waiter;
	struct tsh_waiter strict;	/* at any other moment: a Ctrl-C aborts, jobs are not looked at */
	/*
	 * What is looked at in every wait, whoever waits: the output of jobs. pollfds gives at
	 * most `max` descriptors, and shortens *timeout_ms where it wants to be asked again;
	 * ready is called when one is. NULL, or `held` while another has the screen: nothing.
	 */
	struct {
		size_t (*pollfds)(void *ctx, struct pollfd *ret, size_t max, int *timeout_ms);
		void (*ready)(void *ctx);
		void *ctx;
		bool held;
	} watch;
};

/* Blocks the signals and ignores SIGPIPE; HUP, INT and QUIT that were ignored (nohup) stay so.
 * 0 or -errno. */
int tsh_loop_init(struct tsh_loop *loop);
/* At the end of the program: a signal that comes from now on is ignored. */
void tsh_loop_release(struct tsh_loop *loop);
/* Between two commands: whether a signal has come that aborts. */
bool tsh_loop_aborted(struct tsh_loop *loop);
/* At the prompt Ctrl-C only discards: forgets the abort of a SIGINT. */
void tsh_loop_forget_interrupt(struct tsh_loop *loop);
/* In a child, before exec: signals as tracesh found them. */
void tsh_loop_child(const struct tsh_loop *loop);

#endif
