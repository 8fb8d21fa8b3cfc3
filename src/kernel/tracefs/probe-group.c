/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/process.h"
#include "base/safe-file.h"

/* Handles the groups of probes. A group belongs to one session, which locks the group's directory
 * until it ends. */

static const char prefix[] = TSH_PROBE_PREFIX, synthetic[] = TSH_PROBE_SYNTHETIC;

/* Limits the numbers that are tried for a group. */
#define GROUPS_MAX 1000
/* Define the tries and the microseconds between them: tsh_probe_is_held locks the directory for a
 * moment. */
#define LOCK_TRIES 20
#define LOCK_STEP_US 1000
static int open_group(const struct tsh_dir *dir, const char *group)
{
	char *path = tsh_xasprintf("events/%s", group);
	int fd = tsh_open_beneath(dir->fd, path, O_RDONLY | O_DIRECTORY);

	free(path);
	return fd;
}

struct tsh_held_group {
	char *name;
	int fd;
	pid_t maker;		/* process that made the probes in it; 0: another session */
};

static struct tsh_held_group *held_group(struct tsh_dir *dir, const char *name)
{
	struct tsh_held_group *group;
	size_t i;

	for (i = 0; i < dir->held.n; i++)
		if (!strcmp(dir->held.v[i].name, name))
			return &dir->held.v[i];
	group = tsh_vec_push(&dir->held);
	*group = (struct tsh_held_group){ tsh_xstrdup(name), -1, 0 };
	return group;
}

static bool is_same(int a, int b)
{
	struct stat x, y;

	return a >= 0 && b >= 0 && !fstat(a, &x) && !fstat(b, &y) && x.st_ino == y.st_ino &&
	       x.st_dev == y.st_dev;
}

/* Locks a group's directory. made: this process has made the group. */
static void lock_group(struct tsh_dir *dir, const char *name, bool made)
{
	struct tsh_held_group *group;
	int fd = open_group(dir, name), tries;

	if (fd < 0)
		return;
	for (tries = 0; flock(fd, LOCK_SH | LOCK_NB) < 0 && tries < LOCK_TRIES; tries++)
		usleep(LOCK_STEP_US);
	/* The directory is a new one when all probes of the group were removed meanwhile. */
	group = held_group(dir, name);
	if (made)
		group->maker = getpid();
	else if (!is_same(group->fd, fd))
		group->maker = 0;
	if (group->fd >= 0)
		close(group->fd);
	group->fd = fd;
}

bool tsh_probe_is_ours(const struct tsh_dir *dir, const char *group)
{
	bool ours = false;
	size_t i;
	int fd;

	if (!dir->group || dir->group_of != getpid() || strcmp(dir->group, group) != 0)
		return false;
	fd = tsh_dir_is_script(dir) ? -1 : open_group(dir, group);
	/* A group that does not exist can be used. */
	if (fd < 0)
		return true;
	for (i = 0; i < dir->held.n; i++)
		if (!strcmp(dir->held.v[i].name, group))
			ours = dir->held.v[i].maker == getpid() && is_same(dir->held.v[i].fd, fd);
	close(fd);
	return ours;
}

static bool is_there(const struct tsh_dir *dir, const char *group)
{
	int fd = tsh_dir_is_script(dir) ? -1 : open_group(dir, group);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

char *tsh_probe_group(struct tsh_dir *dir)
{
	unsigned int n = 1;

	if (dir->group && tsh_probe_is_ours(dir, dir->group))
		return tsh_xstrdup(dir->group);
	do {
		free(dir->group);
		dir->group = n == 1 ? tsh_xasprintf("%s%d", prefix, (int)getpid()) :
				      tsh_xasprintf("%s%d_%u", prefix, (int)getpid(), n);
	} while (is_there(dir, dir->group) && n++ < GROUPS_MAX);
	dir->group_of = getpid();
	return tsh_xstrdup(dir->group);
}

int tsh_probe_check_group(const struct tsh_dir *dir, const char *line)
{
	struct tsh_event event;
	int r = 0;

	if (tsh_dir_is_script(dir) || !dir->group || dir->group_of != getpid() || *line == '-' ||
	    !tsh_probe_event(line, &event))
		return 0;
	if (!strcmp(event.system, dir->group) && !tsh_probe_is_ours(dir, dir->group))
		r = -EEXIST;
	tsh_probe_event_release(&event);
	return r;
}

/* Locks a synthetic event of tracesh: "tracesh_.. FIELD..", "s:tracesh_.. FIELD..", or with its
 * group. */
static void lock_synthetic(struct tsh_dir *dir, const char *line)
{
	char *name;

	line += !strncmp(line, "s:", 2) ? 2 : 0;
	line += !strncmp(line, synthetic, strlen(synthetic)) ? strlen(synthetic) : 0;
	if (strncmp(line, prefix, strlen(prefix)) != 0)
		return;
	name = tsh_xasprintf("%s%.*s", synthetic, (int)strcspn(line, " \t;/"), line);
	lock_group(dir, name, false);
	free(name);
}

void tsh_probe_hold(struct tsh_dir *dir, const char *line)
{
	struct tsh_event event;

	if (tsh_dir_is_script(dir))
		return;
	lock_synthetic(dir, line);
	if (!dir->group || dir->group_of != getpid() || !tsh_probe_event(line, &event))
		return;
	if (!strcmp(event.system, dir->group))
		lock_group(dir, event.system, true);
	tsh_probe_event_release(&event);
}

void tsh_probe_hold_used(struct tsh_dir *dir, const char *path)
{
	const char *group = path + strlen("events/");
	char *name;

	if (tsh_dir_is_script(dir) || strncmp(path, "events/", strlen("events/")) != 0)
		return;
	name = tsh_xstrndup(group, strcspn(group, "/"));
	if (tsh_probe_is_group(name))
		lock_group(dir, name, false);
	free(name);
}

void tsh_probe_unhold(struct tsh_dir *dir)
{
	size_t i;

	for (i = 0; i < dir->held.n; i++) {
		close(dir->held.v[i].fd);
		free(dir->held.v[i].name);
	}
	tsh_vec_release(&dir->held);
}

bool tsh_probe_is_held(const struct tsh_dir *dir, const char *group)
{
	int fd = open_group(dir, group);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return held;
}

bool tsh_probe_is_abandoned(const struct tsh_dir *dir, const char *group, pid_t owner)
{
	return tsh_is_initial_pid_namespace() && !tsh_probe_is_held(dir, group) &&
	       !tsh_process_has_number(owner);
}
