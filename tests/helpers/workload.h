/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of workload: one file for each kind of work, workload.c for what they share. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define WORKLOAD_DIRS_MAX 16

/* What the command line said. */
struct options {
	const char *dirs[WORKLOAD_DIRS_MAX];
	size_t dir_count;
	const char *cgroup, *marker, *raw;
	unsigned int rounds, seconds;
};

/* That a call fails is of no interest: it has made events too. */
#define try(call)           \
	do {                \
		if (call) { \
		}           \
	} while (0)

/* Writes to a file that exists, in one write. */
void put(const char *path, const void *text, size_t size);
void put_text(const char *dir, const char *name, const char *text);

/* Does something in a child, as its last act, and waits for it; it is killed after limit seconds. */
void in_child(void (*act)(const struct options *o), const struct options *o, unsigned int limit);

void pause_ns(long ns);

/* workload-tasks.c */
void workload_tasks(const struct options *o);
void workload_signals(const struct options *o);
void workload_timers(const struct options *o);
void workload_futexes(const struct options *o);
void workload_sched(const struct options *o);

/* workload-files.c */
void workload_files(const struct options *o);
void workload_uring(const struct options *o);

/* workload-memory.c */
void workload_memory(const struct options *o);
void workload_cgroups(const struct options *o);

/* workload-net.c */
void workload_ipc(const struct options *o);
void workload_net(const struct options *o);

/* workload-trace.c */
void workload_markers(const struct options *o);
void workload_bpf(const struct options *o);
void workload_misc(const struct options *o);
void workload_probes(const struct options *o);
void workload_syscalls(const struct options *o);

/* Prints definitions for uprobe_events, for a function that workload_probes() calls; the exit status. */
int workload_print_probes(void);

#endif
