/* base/process.h - processes by what names them for good, and their descriptors */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_PROCESS_H
#define TRACESH_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A descriptor of a process (pidfd_open(2)), readable when it has ended. A number is given to
 * another process some day, a descriptor never. The caller closes it. -1: no such process, or a
 * kernel before 5.3.
 */
int tsh_process_open(pid_t pid);
/* Send a signal, or 0 to look, to a process by its descriptor. False: it has ended. */
bool tsh_process_signal(int fd, int number);
/* Whether it is stopped: by Ctrl-Z, SIGSTOP or a debugger. */
bool tsh_process_is_stopped(pid_t pid);
enum tsh_process_end {
	TSH_PROCESS_RUNS,
	TSH_PROCESS_ENDED,	/* and it is taken from the kernel's table */
	TSH_PROCESS_KEPT,	/* a debugger of its own user's keeps the end and the status for itself */
};
/* Looks whether a child has ended, as waitpid(2) with WNOHANG. *ret_status is the status of
 * waitpid(2), but 0 for a number that is no child of ours, and what an exit by 1 is for KEPT. */
enum tsh_process_end tsh_process_reap(pid_t pid, int *ret_status);
/* Ends a child by SIGTERM, or SIGKILL a second later, for which it waits another second. */
enum tsh_process_end tsh_process_terminate(pid_t pid, int *ret_status);
/* The process that holds the flock(2) of the file of a descriptor, by /proc/locks; 0: nobody that
 * can be seen. */
pid_t tsh_lock_holder(int fd);
/* Read the numbers that a task is called by (/proc/PID/status). 0: it has none, or /proc does not tell. */
struct tsh_process_numbers {
	pid_t process, parent;
	pid_t own;		/* in its own pid namespace; before Linux 4.1 the one that we know it by */
};
/* Gives them of a task, which may be a thread, however much stands in its status. */
struct tsh_process_numbers tsh_process_numbers(pid_t pid);
/*
 * Whether a process has this number, in our pid namespace or in one inside it, as its own sees it
 * (/proc/PID/status, NSpid). True where /proc cannot be read.
 */
bool tsh_process_has_number(pid_t pid);
/*
 * Give this process, a fork of tracesh, another name, also over its arguments: `pkill tracesh` and
 * `pkill -f tracesh` do not find it. The arguments are nobody's any more; where they are shorter
 * than the name, it is cut.
 */
void tsh_process_rename(const char *name);
/* Close every descriptor of this process but the n of `keep`. The first three are not closed but
 * lead to /dev/null. Works without /proc too, up to descriptor 1023. */
void tsh_close_all_but(const int *keep, size_t n);

#endif
