/* base/apart.h - work that may hang, done by a process of its own */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_APART_H
#define TRACESH_BASE_APART_H

#include <sys/types.h>

#include "strbuf.h"
#include "wait.h"

/*
 * Reads files that may lie on a file system that never answers (FUSE, NFS). No signal ends a
 * process that reads such a file. So another process reads the file and writes the result into a
 * pipe; when that process hangs, the caller goes on without it.
 */

/*
 * Writes its result to the descriptor `out` (tsh_write_all). Runs in a forked child, which has a
 * copy of the caller's memory; all other descriptors are closed, and signals of the terminal do not
 * reach it.
 */
typedef void tsh_apart_work(void *ctx, int out);

/*
 * Holds the functions that are called for each such process. `begun` is called before the process
 * makes a system call, so that a trace can leave the process out. `ended` may be NULL; otherwise it
 * is called after the process was killed, and has to wait(2) for it.
 */
struct tsh_apart_host {
	void (*begun)(void *ctx, pid_t pid);
	void *ctx;
	void (*ended)(void *ctx, pid_t pid);
};

/* Forks, and returns as fork(2) does. With a host (not NULL), the child makes no system call,
 * and does not return, before host->begun has returned in the parent. */
pid_t tsh_apart_fork(const struct tsh_apart_host *host);

enum tsh_apart_result {
	TSH_APART_DONE,		/* all is there */
	TSH_APART_SIGNAL,	/* the waiter has seen a signal */
	TSH_APART_SILENT,	/* nothing came for patience_ms, or too much came */
	TSH_APART_FAILED,	/* no process could be made, or it died */
};

/*
 * Runs `work` in a process of its own and appends what it writes to ret, at most max bytes. Waits
 * patience_ms for each piece. `waiter` may be NULL: then no signal ends the wait. Unless
 * TSH_APART_DONE is returned, ret may have a part of the result. A process that does not end is
 * killed, but not waited for when that takes long.
 */
enum tsh_apart_result tsh_apart_run(tsh_apart_work *work, void *ctx, const struct tsh_waiter *waiter,
				    int patience_ms, size_t max, struct tsh_strbuf *ret);

/* Does the same, and calls the functions of `host` (may be NULL). */
enum tsh_apart_result tsh_apart_run_with_host(tsh_apart_work *work, void *ctx, const struct tsh_apart_host *host,
					      const struct tsh_waiter *waiter, int patience_ms, size_t max,
					      struct tsh_strbuf *ret);

/*
 * Answers many questions with one process, where a process for each would take too long. The caller
 * sets the first three members and zeroes the rest. The work gets a question as its ctx, and must
 * not write a zero byte.
 */
struct tsh_apart_helper {
	tsh_apart_work *work;
	size_t size;		/* bytes of a question */
	const struct tsh_apart_host *host;	/* or NULL */
	pid_t pid;		/* 0: no process runs */
	int fd;
};

/* Asks one question; the rest is as in tsh_apart_run. Kills a process that does not answer; the next
 * question starts a new one. */
enum tsh_apart_result tsh_apart_ask(struct tsh_apart_helper *helper, const void *question,
				    const struct tsh_waiter *waiter, int patience_ms, size_t max,
				    struct tsh_strbuf *ret);
/* Kills the process, if there is one. */
void tsh_apart_end(struct tsh_apart_helper *helper);

/* Prepares a forked child: closes all descriptors but `out`, and lets the child end when its
 * parent does. */
void tsh_apart_begin(int out, pid_t parent);

#endif
