/* base/process.h - processes, and the descriptors of this one */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_PROCESS_H
#define TRACESH_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Opens a descriptor of a process (pidfd_open(2)), which becomes readable when the process ends.
 * Unlike a pid it is never given to another process. The caller closes it. Returns -1 when there is
 * no such process, or on kernels before 5.3.
 */
int tsh_process_open(pid_t pid);
/* Sends a signal, or 0 to check, to a process by its descriptor. Returns false when it has
 * ended. */
bool tsh_process_signal(int fd, int number);
/* Says whether a process is stopped: by Ctrl-Z, SIGSTOP or a debugger. */
bool tsh_process_is_stopped(pid_t pid);
enum tsh_process_end {
	TSH_PROCESS_RUNS,
	TSH_PROCESS_ENDED,	/* and was waited for */
	TSH_PROCESS_KEPT,	/* ended, but a debugger holds it and its status */
};
/* Checks whether a child has ended, as waitpid(2) with WNOHANG. *ret_status is that of
 * waitpid(2); 0 when pid is no child of ours; that of exit(1) for TSH_PROCESS_KEPT. */
enum tsh_process_end tsh_process_reap(pid_t pid, int *ret_status);
/* Ends a child by SIGTERM, then after a second by SIGKILL, and waits for another second. */
enum tsh_process_end tsh_process_terminate(pid_t pid, int *ret_status);
/* Returns the process that holds the flock(2) of an open file, from /proc/locks; 0: none that we
 * can see. */
pid_t tsh_lock_holder(int fd);
/* Holds the pids of a task (/proc/PID/status). 0: there is none, or /proc does not say. */
struct tsh_process_numbers {
	pid_t process, parent;
	pid_t own;		/* in its own pid namespace; before Linux 4.1 in ours */
};
/* Reads the pids of a task, which may be a thread. */
struct tsh_process_numbers tsh_process_numbers(pid_t pid);
/*
 * Says whether a process has this number, in our pid namespace or in its own one inside of ours
 * (/proc/PID/status, NSpid). Returns true where /proc cannot be read.
 */
bool tsh_process_has_number(pid_t pid);
/*
 * Renames this process, a fork of tracesh, so that `pkill tracesh` and `pkill -f tracesh` do not
 * find it. Overwrites the arguments of main(), which must not be used afterwards; a name that is
 * longer than these is cut.
 */
void tsh_process_rename(const char *name);
/* Closes every descriptor of this process but the n of `kept`. Replaces the first three by
 * /dev/null. Works without /proc too, up to descriptor 1023. */
void tsh_close_all_except(const int *kept, size_t n);

#endif
