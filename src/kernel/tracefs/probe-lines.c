/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/machine.h"
#include "base/number.h"
#include "base/process.h"
#include "base/safe-file.h"
#include "lines.h"
#include "trigger.h"
#include "write.h"

/* The lines of probe lists, and who uses the events that they make. */

static const char prefix[] = "tracesh_", synthetic[] = "synthetic/", digits[] = "0123456789";

/* Numbers that are tried for a group. */
#define GROUPS_MAX 1000
/* Somebody who looks whether it is held has the lock for a moment. */
#define LOCK_TRIES 20
#define LOCK_STEP_US 1000
/* Waits so long for the file system of a program. */
#define PATIENCE_MS 2000

bool tsh_probe_event(const char *line, struct tsh_event *ret)
{
	size_t word = strcspn(line, " \t"), len;
	const char *colon = memchr(line, ':', word), *slash;

	if (!colon)
		return false;
	colon++;
	len = word - (size_t)(colon - line);
	slash = memchr(colon, '/', len);
	if (!slash || slash == colon || (size_t)(slash + 1 - colon) == len)
		return false;
	ret->system = tsh_xstrndup(colon, (size_t)(slash - colon));
	ret->name = tsh_xstrndup(slash + 1, len - (size_t)(slash + 1 - colon));
	/* A list is the kernel's; but the names become a path. */
	if (!strpbrk(ret->system, "/.*?[") && !strpbrk(ret->name, "/.*?["))
		return true;
	tsh_probe_event_release(ret);
	return false;
}

void tsh_probe_event_release(struct tsh_event *event)
{
	free(event->system);
	free(event->name);
	*event = (struct tsh_event){ 0 };
}

char *tsh_probe_folder(const char *line)
{
	struct tsh_event event;
	char *folder = NULL;

	if (tsh_probe_event(line, &event)) {
		folder = tsh_event_path(&event, "");
		tsh_probe_event_release(&event);
	} else if (!strchr(line, '/')) {
		folder = tsh_xasprintf("events/%s%.*s/", synthetic, (int)strcspn(line, " \t;"), line);
	}
	return folder;
}

/* Skips the "_N" of a group whose name without it was another's. */
static const char *behind_number(const char *p)
{
	return *p == '_' && p[1] >= '0' && p[1] <= '9' ? p + 1 + strspn(p + 1, digits) : p;
}

pid_t tsh_probe_owner(const char *line)
{
	const char *colon = memchr(line, ':', strcspn(line, " \t"));
	long pid;
	char *end;

	if (!colon || strncmp(colon + 1, prefix, strlen(prefix)) != 0)
		return 0;
	colon += 1 + strlen(prefix);
	pid = *colon >= '1' && *colon <= '9' ? strtol(colon, &end, 10) : 0;
	return pid > 0 && pid <= INT32_MAX && *behind_number(end) == '/' ? (pid_t)pid : 0;
}

pid_t tsh_probe_group_owner(const char *group)
{
	const char *at;
	uint64_t pid;

	for (at = strchr(group, '_'); at; at = strchr(at, '_')) {
		at++;
		if (tsh_take_u64(&at, &pid) && (!*at || *at == '_'))
			return pid <= INT32_MAX ? (pid_t)pid : 0;
	}
	return 0;
}

bool tsh_probe_is_group(const char *group)
{
	const char *pid = group + strlen(prefix);

	return !strncmp(group, prefix, strlen(prefix)) && *pid >= '0' && *pid <= '9' &&
	       !*behind_number(pid + strspn(pid, digits));
}

static void write_check(void *ctx, int out)
{
	int fd = tsh_open_firm(ctx);

	(void)tsh_write_all(out, (const char *)&fd, sizeof(fd));
}

/* Goes along a path apart: who takes settings back must not wait for a file system that never answers. */
static int check_firm(char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = -ETIMEDOUT;

	if (tsh_apart(write_check, path, NULL, PATIENCE_MS, sizeof(r), &text) == TSH_APART_DONE)
		memcpy(&r, text.buf, sizeof(r));
	tsh_strbuf_release(&text);
	return r < 0 ? r : 0;
}

int tsh_probe_check_path(const char *line)
{
	const char *place = line + strcspn(line, " \t"), *end;
	char *path;
	int r;

	place += strspn(place, " \t");
	end = place + strcspn(place, " \t");
	/* The kernel lists a path as it was typed, and it leads elsewhere from another folder. */
	if ((*line == 'p' || *line == 'r') && *place != '/' &&
	    memchr(place, '/', (size_t)(end - place)))
		return -EXDEV;
	if (*place != '/' || *line == '-')
		return 0;
	while (end > place && *end != ':')
		end--;
	path = tsh_xstrndup(place, (size_t)(end - place));
	r = check_firm(path);
	free(path);
	return r;
}

/* ---- whose they are ---- */

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
	pid_t maker;		/* the process whose probes are in it; 0: another session's */
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

/* made: by this process. */
static void hold_group(struct tsh_dir *dir, const char *name, bool made)
{
	struct tsh_held_group *group;
	int fd = open_group(dir, name), tries;

	if (fd < 0)
		return;
	for (tries = 0; flock(fd, LOCK_SH | LOCK_NB) < 0 && tries < LOCK_TRIES; tries++)
		usleep(LOCK_STEP_US);
	/* The directory is another one when all probes were gone meanwhile. */
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
	/* One that is not there is free. */
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

/* A synthetic event of ours: "tracesh_.. FIELD..", "s:tracesh_.. FIELD..", or with its group. */
static void hold_synthetic(struct tsh_dir *dir, const char *line)
{
	char *name;

	line += !strncmp(line, "s:", 2) ? 2 : 0;
	line += !strncmp(line, synthetic, strlen(synthetic)) ? strlen(synthetic) : 0;
	if (strncmp(line, prefix, strlen(prefix)) != 0)
		return;
	name = tsh_xasprintf("%s%.*s", synthetic, (int)strcspn(line, " \t;/"), line);
	hold_group(dir, name, false);
	free(name);
}

void tsh_probe_hold(struct tsh_dir *dir, const char *line)
{
	struct tsh_event event;

	if (tsh_dir_is_script(dir))
		return;
	hold_synthetic(dir, line);
	if (!dir->group || dir->group_of != getpid() || !tsh_probe_event(line, &event))
		return;
	if (!strcmp(event.system, dir->group))
		hold_group(dir, event.system, true);
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
		hold_group(dir, name, false);
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

bool tsh_probe_is_left(const struct tsh_dir *dir, const char *group, pid_t owner)
{
	return tsh_sees_all_processes() && !tsh_probe_is_held(dir, group) &&
	       !tsh_process_has_number(owner);
}

/* ---- who uses them ---- */

static bool uses(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "enable"), *state = tsh_file_text(in, path), *triggers;
	struct tsh_strlist lines = { 0 };
	bool used = state && *state != '0';

	free(path);
	path = tsh_event_path(event, "trigger");
	triggers = used ? NULL : tsh_file_text(in, path);
	if (triggers)
		tsh_lines_split(triggers, &lines);
	used = used || lines.n;
	tsh_strlist_release(&lines);
	free(triggers);
	free(state);
	free(path);
	return used;
}

int tsh_probe_users(struct tsh_dir *dir, const struct tsh_event *event,
		    int (*user)(void *ctx, struct tsh_instance *in), void *ctx)
{
	struct tsh_strlist names = { 0 };
	size_t i;
	int r = 0;

	tsh_instance_list(dir, &names);
	for (i = 0; !r && i < names.n + 1; i++) {
		struct tsh_err ignored = { 0 };
		struct tsh_instance *in;

		if (tsh_instance_open(dir, i ? names.v[i - 1] : NULL, &in, &ignored) < 0) {
			tsh_err_release(&ignored);
			continue;
		}
		r = uses(in, event) ? user(ctx, in) : 0;
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
	return r;
}

static int let_go(void *ctx, struct tsh_instance *in)
{
	const struct tsh_event *event = ctx;
	char *path = tsh_event_path(event, "trigger"), *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++) {
		struct tsh_trigger trigger;

		if (!tsh_trigger_parse(lines.v[i], &trigger)) {
			char *removal = tsh_trigger_removal(&trigger);

			/* One that stays keeps the probe, and that is said. */
			(void)tsh_write_raw(in, path, false, removal);
			free(removal);
		}
		tsh_trigger_release(&trigger);
	}
	free(path);
	path = tsh_event_path(event, "enable");
	(void)tsh_write_raw(in, path, false, "0");
	tsh_strlist_release(&lines);
	free(text);
	free(path);
	return 0;
}

void tsh_probe_let_go(struct tsh_dir *dir, const struct tsh_event *event)
{
	struct tsh_event copy = *event;

	(void)tsh_probe_users(dir, event, let_go, &copy);
}
