/* base/team.h - threads that work on the parts of one task at the same time */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_TEAM_H
#define TRACESH_BASE_TEAM_H

#include <stdbool.h>
#include <sys/types.h>

struct tsh_team;

/* Limits the threads of a team. */
#define TSH_TEAM_MAX 64

/*
 * Returns how many CPUs this process may use: those of its affinity (sched_getaffinity(2)), but no
 * more than the CPU time that the quota of its control group pays for, rounded up (cgroup v2,
 * cpu.max; v1, cpu.cfs_quota_us). At least 1.
 */
unsigned int tsh_usable_cpus(void);

/*
 * Makes a team of `n` members: the calling thread, which is member 0, and n - 1 threads that wait
 * for work. The team is smaller when a thread cannot be started (`ulimit -u`), but has one member
 * at least.
 */
struct tsh_team *tsh_team_new(unsigned int n);
unsigned int tsh_team_size(const struct tsh_team *team);
/* Returns the number of a thread (gettid(2)), so that a tracing filter can exclude it. Waits until it
 * has begun. member: from 1 on. */
pid_t tsh_team_tid(struct tsh_team *team, unsigned int member);
/* Lets each thread of the team call `work` once, with its number from 1 on. Returns at once;
 * tsh_team_end must follow. */
void tsh_team_begin(struct tsh_team *team, void (*work)(void *ctx, unsigned int member), void *ctx);
/* Waits until all threads have returned from `work`. */
void tsh_team_end(struct tsh_team *team);
/* Ends the threads, which must not be at work, and frees the team; may be NULL. */
void tsh_team_free(struct tsh_team *team);

#endif
