/* base/machine.h - what the machine says of itself, its boot and its processes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_MACHINE_H
#define TRACESH_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"

/*
 * The beginning of a small file of /proc or /sys, what one read(2) of size - 1 bytes gives,
 * NUL-terminated. Its length, or -errno with an empty buf.
 */
ssize_t tsh_read_small(const char *path, char *buf, size_t size);
/* Its first line, without the newline; false: it cannot be read. */
bool tsh_read_line(const char *path, char *buf, size_t size);

/*
 * Gives the path of a task's file below /proc, by its folder among the threads of its process: there stat tells of
 * that task alone, where /proc/N/stat adds up what all threads have used, also by a thread's number.
 */
#define TSH_TASK_PATH 64
void tsh_task_path(char path[TSH_TASK_PATH], pid_t task, const char *file);

/* 32 or 64: what the program of a task is made for, by what the kernel has told it (its auxiliary vector:
 * no file of others is opened); 0: it is gone, has no program, or we may not look. */
unsigned int tsh_task_bits(pid_t task);

/* Check that /proc is there, where tasks and their files are looked for. 0, or -1 with err. */
int tsh_check_proc(struct tsh_err *err);

/* Whether TERM names a terminal that can move its cursor. */
bool tsh_terminal_moves(void);

/* Whether the environment's locale has UTF-8; nothing here sets one, boards have none. */
bool tsh_locale_is_utf8(void);
/*
 * The running kernel's version, as LINUX_VERSION_CODE has it (at most 255 patches); 0: its
 * release does not begin with two numbers.
 */
unsigned int tsh_kernel_version(void);
#define TSH_KERNEL_VERSION(major, minor) ((unsigned int)(major) << 16 | (unsigned int)(minor) << 8)

/* The kernel's identifier of this boot, as text; empty where /proc does not tell, or has something else
 * mounted there and no other one can be had. */
void tsh_boot_id(char *buf, size_t size);
/*
 * When a process was started, in ticks since boot (proc(5), /proc/PID/stat, field 22, without the offset of
 * our time namespace: where that is no whole number of ticks, perhaps one less);
 * 0 when there is no such process. With its pid it is that process, and no later one.
 */
uint64_t tsh_process_start(pid_t pid);
/* The process with that start, and not only what a parent has not asked for yet. */
bool tsh_process_lives(pid_t pid, uint64_t start);
/* The inode of our pid namespace, also where /proc is not mounted; 0: it cannot be known. */
uint64_t tsh_pid_namespace(void);
/* Whether we are in no pid namespace: in one the processes that others speak of are not seen. */
bool tsh_sees_all_processes(void);

#endif
