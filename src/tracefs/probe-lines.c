/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe-lines.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "lines.h"
#include "tracesh/machine.h"
#include "tracesh/process.h"
#include "tracesh/safe-file.h"
#include "tracesh/trigger.h"
#include "write.h"

/* The lines of probe lists, and who uses the events that they make. */

static const char prefix[] = "tracesh_";

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

pid_t tsh_probe_owner(const char *line)
{
	const char *colon = memchr(line, ':', strcspn(line, " \t"));
	long pid;
	char *end;

	if (!colon || strncmp(colon + 1, prefix, strlen(prefix)) != 0)
		return 0;
	colon += 1 + strlen(prefix);
	pid = *colon >= '1' && *colon <= '9' ? strtol(colon, &end, 10) : 0;
	return pid > 0 && pid <= INT32_MAX && *end == '/' ? (pid_t)pid : 0;
}

char *tsh_probe_group(void)
{
	return tsh_xasprintf("%s%d", prefix, (int)getpid());
}

bool tsh_probe_is_group(const char *group)
{
	const char *pid = group + strlen(prefix);

	return !strncmp(group, prefix, strlen(prefix)) && *pid &&
	       pid[strspn(pid, "0123456789")] == '\0';
}

int tsh_probe_check_path(const char *line)
{
	const char *place = line + strcspn(line, " \t"), *end;
	char *path;
	int fd;

	place += strspn(place, " \t");
	if (*place != '/' || *line == '-')
		return 0;
	end = place + strcspn(place, " \t");
	while (end > place && *end != ':')
		end--;
	path = tsh_xstrndup(place, (size_t)(end - place));
	fd = tsh_open_firm(path);
	free(path);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
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
};

static struct tsh_held_group *held_group(struct tsh_dir *dir, const char *name)
{
	struct tsh_held_group *group;
	size_t i;

	for (i = 0; i < dir->held.n; i++)
		if (!strcmp(dir->held.v[i].name, name))
			return &dir->held.v[i];
	group = tsh_vec_push(&dir->held);
	*group = (struct tsh_held_group){ tsh_xstrdup(name), -1 };
	return group;
}

static void hold_group(struct tsh_dir *dir, const char *name)
{
	struct tsh_held_group *group;
	int fd = open_group(dir, name);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0) {
		close(fd);
		return;
	}
	/* The directory is another one when all probes were gone meanwhile. */
	group = held_group(dir, name);
	if (group->fd >= 0)
		close(group->fd);
	group->fd = fd;
}

void tsh_probe_hold(struct tsh_dir *dir, const char *line)
{
	struct tsh_event event;

	if (dir->dry || tsh_probe_owner(line) != getpid() || !tsh_probe_event(line, &event))
		return;
	hold_group(dir, event.system);
	tsh_probe_event_release(&event);
}

void tsh_probe_hold_used(struct tsh_dir *dir, const char *path)
{
	const char *group = path + strlen("events/");
	char *name;

	if (dir->dry || strncmp(path, "events/", strlen("events/")) != 0)
		return;
	name = tsh_xstrndup(group, strcspn(group, "/"));
	if (tsh_probe_is_group(name))
		hold_group(dir, name);
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
