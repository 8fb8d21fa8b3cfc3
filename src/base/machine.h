/* base/machine.h - the machine, its boot and its processes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_MACHINE_H
#define TRACESH_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"

/*
 * Reads the beginning of a small file of /proc or /sys with one read(2) of at most size - 1 bytes,
 * and ends it with a NUL. Returns the length, or -errno with an empty buf.
 */
ssize_t tsh_read_small(const char *path, char *buf, size_t size);
/* Reads the first line of a file, without the newline. Returns false when it cannot be read. */
bool tsh_read_line(const char *path, char *buf, size_t size);

/*
 * Writes /proc/TASK/task/TASK/FILE, the path of a task's file. The file stat in that folder counts
 * a single thread, while /proc/TASK/stat adds up all threads of the process.
 */
#define TSH_TASK_PATH 64
void tsh_task_path(char path[TSH_TASK_PATH], pid_t task, const char *file);

/*
 * Returns the word size, 32 or 64 bits, of the program that a task runs, by the task's auxiliary
 * vector; 0: the task is gone, has no program, or may not be inspected. Does not open the program,
 * which may be somebody else's file.
 */
unsigned int tsh_task_bits(pid_t task);

/* Checks that /proc is mounted, where tasks and their files are found. Returns 0, or -1 with
 * err. */
int tsh_check_proc(struct tsh_err *err);

/* Says whether TERM names a terminal that can move its cursor. */
bool tsh_terminal_can_move_cursor(void);

/* Says whether LC_ALL, LC_CTYPE or LANG names a UTF-8 locale. Does not call setlocale(3),
 * because small machines have no locales. */
bool tsh_locale_is_utf8(void);
/*
 * Returns the running kernel's version as LINUX_VERSION_CODE has it (patch level at most 255); 0:
 * its release does not begin with two numbers.
 */
unsigned int tsh_kernel_version(void);
#define TSH_KERNEL_VERSION(major, minor) ((unsigned int)(major) << 16 | (unsigned int)(minor) << 8)

/* Writes the kernel's identifier of this boot as text. Writes an empty text where it is not
 * known: no procfs is mounted at /proc, and none can be mounted. */
void tsh_boot_id(char *buf, size_t size);
/*
 * Returns when a process was started, in ticks since boot (proc(5), /proc/PID/stat, field 22),
 * without the offset of our time namespace (perhaps one tick less where the offset is no whole
 * number of ticks); 0: there is no such process. The pid and this number together name one process
 * for good.
 */
uint64_t tsh_process_start(pid_t pid);
/* Says whether the process with that start runs. A zombie does not. */
bool tsh_process_is_alive(pid_t pid, uint64_t start);
/* Returns the inode of our pid namespace, also where /proc is not mounted; 0: it cannot be
 * known. */
uint64_t tsh_pid_namespace(void);
/* Says whether we are in the initial pid namespace. In another one, /proc lacks processes that
 * the kernel's events name. */
bool tsh_is_initial_pid_namespace(void);

#endif
