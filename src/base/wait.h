/* base/wait.h - waits that a signal can end */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_WAIT_H
#define TRACESH_BASE_WAIT_H

#include <poll.h>

enum tsh_wait_result {
	TSH_WAIT_TIMEOUT,	/* the time is over */
	TSH_WAIT_READY,		/* a descriptor is ready (revents are set) */
	TSH_WAIT_STOP,		/* Ctrl-C: end this command, successfully */
	TSH_WAIT_ABORT,		/* SIGTERM, SIGHUP, a second Ctrl-C: restore all settings and end */
};

/*
 * Holds a function that waits until descriptors are ready or a signal comes. src/shell/loop.c
 * provides one, with a signalfd. timeout_ms as in poll(2): -1 waits for ever, 0 only checks. nfds
 * may be 0.
 */
struct tsh_waiter {
	enum tsh_wait_result (*wait)(void *ctx, struct pollfd *fds, unsigned int nfds,
				     int timeout_ms);
	void *ctx;
};

static inline enum tsh_wait_result tsh_wait(const struct tsh_waiter *w, struct pollfd *fds,
					    unsigned int nfds, int timeout_ms)
{
	return w->wait(w->ctx, fds, nfds, timeout_ms);
}

#endif
