/* base/apart.h - work that may hang, done by a process of its own */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_APART_H
#define TRACESH_BASE_APART_H

#include <sys/types.h>

#include "strbuf.h"
#include "wait.h"

/*
 * A file of somebody else may lie on a file system that never answers (FUSE, NFS), and then no
 * signal ends whoever reads it. Another process reads it and writes what it has found into a pipe;
 * when it hangs it is left alone.
 */

/* Writes its result to a descriptor (tsh_write_all). It runs in a fork: the rest of the process is
 * a copy, the other descriptors are closed, and the terminal's signals are not for it. */
typedef void tsh_apart_work(void *ctx, int out);

/* Is told of each process before it runs, so that a trace can leave it out; and, where ended is not NULL, when it is to
 * end: then it is the host's to wait for it, and its number is nobody else's until then. */
struct tsh_apart_host {
	void (*begun)(void *ctx, pid_t pid);
	void *ctx;
	void (*ended)(void *ctx, pid_t pid);
};

/* Forks. Where there is a host the child comes back when that has been told, without a system call but those of fork(3)
 * itself. */
pid_t tsh_apart_fork(const struct tsh_apart_host *host);

enum tsh_apart {
	TSH_APART_DONE,		/* all is there */
	TSH_APART_SIGNAL,	/* the waiter has heard one */
	TSH_APART_SILENT,	/* nothing came for patience_ms, or too much came */
	TSH_APART_FAILED,	/* there is no process, or it died */
};

/*
 * Appends what the work has written, at most max bytes. Waits patience_ms for each piece of it; waiter may
 * be NULL: no signal ends that. But
 * for TSH_APART_DONE a part may be there. A process that does not end is killed; nobody waits for
 * it where that takes time.
 */
enum tsh_apart tsh_apart(tsh_apart_work *work, void *ctx, const struct tsh_waiter *waiter,
			 int patience_ms, size_t max, struct tsh_strbuf *ret);

/* The same, but that a host is told; NULL: none. */
enum tsh_apart tsh_apart_told(tsh_apart_work *work, void *ctx, const struct tsh_apart_host *host,
			      const struct tsh_waiter *waiter, int patience_ms, size_t max, struct tsh_strbuf *ret);

/*
 * The same for many questions, where a process each would take too long: one that answers all. Zeroed
 * but for the first three members; the work gets a question as its ctx, and writes no zero byte.
 */
struct tsh_apart_helper {
	tsh_apart_work *work;
	size_t size;		/* of a question */
	const struct tsh_apart_host *host;	/* or NULL */
	pid_t pid;		/* 0: there is none */
	int fd;
};

/* Asks as tsh_apart does. A process that does not answer is killed, and the next question gets another. */
enum tsh_apart tsh_apart_ask(struct tsh_apart_helper *helper, const void *question,
			     const struct tsh_waiter *waiter, int patience_ms, size_t max,
			     struct tsh_strbuf *ret);
void tsh_apart_end(struct tsh_apart_helper *helper);

/* Makes a fork a process apart, whose one descriptor is `out`: it ends when the parent does. */
void tsh_apart_begin(int out, pid_t parent);

#endif
