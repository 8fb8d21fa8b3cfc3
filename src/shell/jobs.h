/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SHELL_JOBS_H
#define TRACESH_SHELL_JOBS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "engine.h"

/*
 * Jobs: a command with '&' behind it runs in a process of its own, with a journal and a guard
 * of its own, so that what it changes and takes back is not mixed with what is typed
 * meanwhile. At the prompt its output comes through a pipe and stands above the line that
 * is being typed; in a batch it goes where ours goes. A job gets SIGINT to end as Ctrl-C ends
 * it in the foreground, and SIGHUP by the kernel when we are gone.
 */
struct tsh_job {
	unsigned int number;
	pid_t pid;
	int fd;				/* its output; -1: it has ours, or is at its end */
	char *command;
	bool ended;			/* by kill */
	struct tsh_strbuf text;		/* the beginning of a line */
};

struct tsh_jobs {
	TSH_VEC(struct tsh_job) list;
	tsh_jobs_show *show;		/* NULL: nobody sits there */
	void *show_ctx;
	bool quiet;			/* what ends in order says nothing of it */
	uint64_t shown_ms;		/* when output was shown last (CLOCK_MONOTONIC) */
};

/*
 * Forks. 1: in the new process, whose stdout and stderr are ready; 0: the job runs, its number
 * is that of the last of the list; -1 with err. `command` is copied.
 */
int tsh_jobs_fork(struct tsh_jobs *jobs, const char *command, struct tsh_err *err);

/* For the waits: descriptors to poll for POLLIN, at most `max`, and, through *timeout_ms,
 * after which time to ask again where the output would come too fast to be read. */
size_t tsh_jobs_pollfds(struct tsh_jobs *jobs, struct pollfd *ret, size_t max, int *timeout_ms);
/* Takes what the jobs have written, shows it, and says which have ended. */
void tsh_jobs_look(struct tsh_jobs *jobs);

/* Ends a job as Ctrl-C would, and waits for what it still prints. -1: there is no such job. */
int tsh_jobs_end(struct tsh_jobs *jobs, unsigned int number);
/* Ends all of them; at once: what they have not printed is not printed. */
void tsh_jobs_end_all(struct tsh_jobs *jobs, bool at_once);
/* In a process that was forked from ours: its jobs are not ours. */
void tsh_jobs_forget(struct tsh_jobs *jobs);

#endif
