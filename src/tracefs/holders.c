/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/tracefs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracesh/machine.h"
#include "tracesh/number.h"

/* What a path must have to count: "/instances/NAME/" (NULL: none at all), and a
 * file whose name begins so. */
struct wanted {
	const char *instance;
	const char *file;
};

static bool is_wanted(const char *path, const void *ctx)
{
	const struct wanted *wanted = ctx;
	const char *base = strrchr(path, '/');

	if (!strstr(path, "tracing/") || !base)
		return false;
	if (wanted->file && strncmp(base + 1, wanted->file, strlen(wanted->file)))
		return false;
	return wanted->instance ? strstr(path, wanted->instance) != NULL :
				  !strstr(path, "/instances/");
}

/* Whether one of the files that a task has open passes. */
static bool task_has_open(const char *pid, bool (*passes)(const char *file, const void *ctx),
			  const void *ctx)
{
	char path[300], target[512];
	struct dirent *entry;
	bool found = false;
	ssize_t n;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	while (d && !found && (entry = readdir(d))) {
		n = readlinkat(dirfd(d), entry->d_name, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		found = passes(target, ctx);
	}
	if (d)
		closedir(d);
	return found;
}

static void add_task(const char *pid, struct tsh_strlist *ret)
{
	char path[300], comm[32];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	(void)tsh_read_line(path, comm, sizeof(comm));
	tsh_strlist_take(ret, tsh_xasprintf("%s (%s)", comm, pid));
}

static void find_holders(const struct wanted *wanted, struct tsh_strlist *ret)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;

	while (proc && (entry = readdir(proc)))
		if (!tsh_parse_u64(entry->d_name, &pid) && pid != (uint64_t)getpid() &&
		    task_has_open(entry->d_name, is_wanted, wanted))
			add_task(entry->d_name, ret);
	if (proc)
		closedir(proc);
}

static bool is_file(const char *path, const void *file)
{
	return !strcmp(path, file);
}

pid_t tsh_file_holder(const char *file)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	uint64_t pid;
	pid_t found = 0;

	while (proc && !found && (entry = readdir(proc)))
		if (!tsh_parse_u64(entry->d_name, &pid) && pid != (uint64_t)getpid() &&
		    task_has_open(entry->d_name, is_file, file))
			found = (pid_t)pid;
	if (proc)
		closedir(proc);
	return found;
}

void tsh_instance_holders(const char *name, struct tsh_strlist *ret)
{
	char *part = tsh_xasprintf("/instances/%s/", name);
	const struct wanted wanted = { part, NULL };

	find_holders(&wanted, ret);
	free(part);
}

void tsh_pipe_holders(const struct tsh_instance *in, struct tsh_strlist *ret)
{
	char *part = in->name ? tsh_xasprintf("/instances/%s/", in->name) : NULL;
	const struct wanted wanted = { part, "trace_pipe" };

	find_holders(&wanted, ret);
	free(part);
}
