/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "team.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"
#include "number.h"
#include "thread.h"
#include "xmalloc.h"

struct tsh_team {
	unsigned int size;
	pthread_mutex_t lock;		/* protects everything below, except for `threads` */
	pthread_cond_t begun, ended;
	unsigned int round;		/* counts the calls of tsh_team_begin */
	unsigned int at_work;
	bool ends;
	void (*work)(void *ctx, unsigned int member);
	void *ctx;
	struct member {
		struct tsh_team *team;
		unsigned int number;
		pthread_t thread;
		pid_t tid;		/* 0: it has not begun yet */
	} members[TSH_TEAM_MAX];
};

/* ---- CPUs ---- */

/* Reads the two numbers of a quota: the time that may be used in each period. Returns how many CPUs
 * that is, rounded up; 0: there is no limit, or no such file. */
static uint64_t read_quota(const char *folder, const char *quota_file, const char *period_file)
{
	char path[512], text[64];
	uint64_t quota, period = 0;
	const char *p = text;

	if (snprintf(path, sizeof(path), "%s/%s", folder, quota_file) >= (int)sizeof(path) ||
	    tsh_read_small(path, text, sizeof(text)) <= 0 || !tsh_parse_u64_prefix(&p, &quota))
		return 0;
	p += strspn(p, " ");
	if (!period_file) {
		if (!tsh_parse_u64_prefix(&p, &period))
			return 0;
	} else {
		p = text;
		if (snprintf(path, sizeof(path), "%s/%s", folder, period_file) >= (int)sizeof(path) ||
		    tsh_read_small(path, text, sizeof(text)) <= 0 || !tsh_parse_u64_prefix(&p, &period))
			return 0;
	}
	return period ? (quota + period - 1) / period : 0;
}

/* Returns the smaller of two limits, of which 0 is none. */
static uint64_t lower_limit(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Reads the quotas of a group and of those that it lies in: each of them counts. */
static uint64_t quota_of_group(const char *mount, char *group, const char *quota_file, const char *period_file)
{
	char folder[400], *slash;
	uint64_t limit = 0;

	for (;;) {
		if (snprintf(folder, sizeof(folder), "%s%s", mount, group) < (int)sizeof(folder))
			limit = lower_limit(limit, read_quota(folder, quota_file, period_file));
		slash = strrchr(group, '/');
		if (!slash)
			return limit;
		*slash = '\0';
	}
}

/* Returns how many CPUs the quota of our control group pays for; 0: there is no limit. A line of
 * /proc/self/cgroup is ID:CONTROLLERS:GROUP (cgroups(7)). */
static uint64_t quota_cpus(void)
{
	char text[4096], *line = text, *end, *group;
	uint64_t limit = 0;

	if (tsh_read_small("/proc/self/cgroup", text, sizeof(text)) <= 0)
		return 0;
	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		group = strchr(line, ':');
		group = group ? strchr(group + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (!strcmp(line, "0:"))
			limit = lower_limit(limit, quota_of_group("/sys/fs/cgroup", group, "cpu.max", NULL));
		else if (strstr(line, ":cpu,") || strstr(line, ",cpu,") || !strcmp(strchr(line, ':'), ":cpu"))
			limit = lower_limit(limit, quota_of_group("/sys/fs/cgroup/cpu", group, "cpu.cfs_quota_us",
								  "cpu.cfs_period_us"));
	}
	return limit;
}

unsigned int tsh_usable_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t cpus;
	uint64_t quota;

	/* EINVAL: there are more CPUs than fit; then sysconf(3) is near enough */
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		n = CPU_COUNT(&cpus);
	quota = quota_cpus();
	if (quota && quota < (uint64_t)n)
		n = (long)quota;
	return n < 1 ? 1 : (unsigned int)n;
}

/* ---- the threads ---- */

static void *run(void *ctx)
{
	struct member *member = ctx;
	struct tsh_team *team = member->team;
	unsigned int round = 0;

	pthread_mutex_lock(&team->lock);
	member->tid = (pid_t)syscall(SYS_gettid);
	pthread_cond_signal(&team->ended);
	for (;;) {
		while (!team->ends && team->round == round)
			pthread_cond_wait(&team->begun, &team->lock);
		if (team->ends)
			break;
		round = team->round;
		pthread_mutex_unlock(&team->lock);
		team->work(team->ctx, member->number);
		pthread_mutex_lock(&team->lock);
		if (!--team->at_work)
			pthread_cond_signal(&team->ended);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

struct tsh_team *tsh_team_new(unsigned int n)
{
	struct tsh_team *team = tsh_xcalloc(1, sizeof(*team));

	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begun, NULL);
	pthread_cond_init(&team->ended, NULL);
	for (team->size = 1; team->size < n && team->size < TSH_TEAM_MAX; team->size++) {
		struct member *member = &team->members[team->size];

		*member = (struct member){ .team = team, .number = team->size };
		if (!tsh_thread_start(&member->thread, run, member))
			break;
	}
	return team;
}

unsigned int tsh_team_size(const struct tsh_team *team)
{
	return team->size;
}

pid_t tsh_team_tid(struct tsh_team *team, unsigned int member)
{
	pid_t tid;

	pthread_mutex_lock(&team->lock);
	while (!team->members[member].tid)
		pthread_cond_wait(&team->ended, &team->lock);
	tid = team->members[member].tid;
	pthread_mutex_unlock(&team->lock);
	return tid;
}

void tsh_team_begin(struct tsh_team *team, void (*work)(void *ctx, unsigned int member), void *ctx)
{
	pthread_mutex_lock(&team->lock);
	team->work = work;
	team->ctx = ctx;
	team->at_work = team->size - 1;
	team->round++;
	pthread_cond_broadcast(&team->begun);
	pthread_mutex_unlock(&team->lock);
}

void tsh_team_end(struct tsh_team *team)
{
	pthread_mutex_lock(&team->lock);
	while (team->at_work)
		pthread_cond_wait(&team->ended, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

void tsh_team_free(struct tsh_team *team)
{
	unsigned int i;

	if (!team)
		return;
	pthread_mutex_lock(&team->lock);
	team->ends = true;
	pthread_cond_broadcast(&team->begun);
	pthread_mutex_unlock(&team->lock);
	for (i = 1; i < team->size; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_cond_destroy(&team->begun);
	pthread_cond_destroy(&team->ended);
	pthread_mutex_destroy(&team->lock);
	free(team);
}
