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
 * Runs a command with '&' behind it in a new process, with a journal and a guard of its own, so
 * that its changes do not mix with those of commands that are typed meanwhile. At the prompt the
 * output of a job comes through a pipe, and is shown above the line that is being typed; in a batch
 * it goes where our output goes. A job gets SIGINT to end as with Ctrl-C, and SIGHUP from the
 * kernel when we are gone.
 */
struct tsh_job {
	unsigned int number;
	pid_t pid;
	int fd;				/* pipe with the output; -1: none, or closed by the job */
	char *command;
	bool ended;			/* ended by kill */
	struct tsh_strbuf text;		/* an incomplete line */
};

struct tsh_jobs {
	TSH_VEC(struct tsh_job) list;
	tsh_jobs_show *show;		/* NULL: there is no prompt */
	void *show_ctx;
	bool quiet;			/* does not report jobs that end normally */
	uint64_t shown_ms;		/* when output was shown last (CLOCK_MONOTONIC) */
};

/* Forks. Returns 1 in the new process, whose stdout and stderr are ready; 0 when the job runs, as
 * the last one of the list; -1 with err. Copies `command`. */
int tsh_jobs_fork(struct tsh_jobs *jobs, const char *command, struct tsh_err *err);

/* Returns descriptors to poll for POLLIN, at most `max`. Shortens *timeout_ms when output comes too
 * fast to be shown at once. */
size_t tsh_jobs_pollfds(struct tsh_jobs *jobs, struct pollfd *ret, size_t max, int *timeout_ms);
/* Reads and shows the output of all jobs, and prints a note for each job that has ended. */
void tsh_jobs_read(struct tsh_jobs *jobs);

/* Ends a job as Ctrl-C would, and waits for its last output. Returns -1 when there is no such
 * job. */
int tsh_jobs_end(struct tsh_jobs *jobs, unsigned int number);
/* Ends all jobs; at_once: drops output that was not shown yet. */
void tsh_jobs_end_all(struct tsh_jobs *jobs, bool at_once);
/* Forgets the jobs in a process that was forked from ours. */
void tsh_jobs_forget(struct tsh_jobs *jobs);

#endif
