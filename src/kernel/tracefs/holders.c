/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"

/*
 * Examining a descriptor costs some microseconds, mostly for its name in /proc; readlink instead of
 * statx, or before it, saves nothing. A machine can have millions of descriptors. So the first of
 * each task are examined before the rest, since a process that reads a trace file seldom has many.
 */
#define FIRST_FILES 256
#define CHECK_EVERY 64		/* descriptors between two checks of the clock and of signals */
#define SEARCH_NS (TSH_HOLDERS_SECONDS * INT64_C(1000000000))

/* Identifies a file. A path would not: other mounts change it, and any file can have the same
 * one. */
struct file_id {
	uint64_t device, inode;
};

/* Describes the files to search for among the open ones. */
struct wanted {
	uint64_t device;
	const char *part;	/* part of the path, on that device; NULL: one of these inodes */
	struct {
		uint64_t *v;
		size_t n, cap;
	} inodes;
};

/* Holds the state of a search through all processes. */
struct search {
	const struct wanted *wanted;
	const struct tsh_waiter *waiter;	/* NULL: no signal ends it */
	int64_t until;				/* CLOCK_MONOTONIC, ns */
	unsigned int examined;			/* descriptors so far */
	bool is_over;				/* the search ended before all were examined */
	struct tsh_strlist large;		/* pids of processes with more than FIRST_FILES */
};

#ifdef STATX_INO
/* Reads the identity without asking a server or daemon (NFS, FUSE), which may never answer. */
static int read_quickly(int dir, const char *name, struct file_id *ret)
{
	struct statx stx;

	if (statx(dir, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_INO, &stx) < 0)
		return -errno;
	*ret = (struct file_id){ makedev(stx.stx_dev_major, stx.stx_dev_minor), stx.stx_ino };
	return 0;
}
#else
/* Fails when the C library has no statx(2), as musl before 1.2.4. */
static int read_quickly(int dir, const char *name, struct file_id *ret)
{
	(void)dir, (void)name, (void)ret;
	return -ENOSYS;
}
#endif

/* Returns false when the identity cannot be read. */
static bool read_file_id(int dir, const char *name, struct file_id *ret)
{
	int r = read_quickly(dir, name, ret);
	struct stat st;

	/* The kernel has statx from 4.11 on. */
	if (r != -ENOSYS)
		return r == 0;
	if (fstatat(dir, name, &st, AT_NO_AUTOMOUNT) < 0)
		return false;
	*ret = (struct file_id){ st.st_dev, st.st_ino };
	return true;
}

static bool has_inode(const struct wanted *wanted, uint64_t inode)
{
	size_t i;

	for (i = 0; i < wanted->inodes.n; i++)
		if (wanted->inodes.v[i] == inode)
			return true;
	return false;
}

static bool is_wanted(int dir, const char *name, const struct wanted *wanted)
{
	char target[512];
	struct file_id id;
	ssize_t n;

	if (!read_file_id(dir, name, &id) || id.device != wanted->device)
		return false;
	if (!wanted->part)
		return has_inode(wanted, id.inode);
	n = readlinkat(dir, name, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	return strstr(target, wanted->part) != NULL;
}

/* Says whether the time is up, or a signal has come. */
static bool is_over(struct search *search)
{
	if (++search->examined % CHECK_EVERY == 0)
		search->is_over = tsh_now_ns(CLOCK_MONOTONIC) > search->until ||
				  (search->waiter &&
				   tsh_wait(search->waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT);
	return search->is_over;
}

/* Examines the first FIRST_FILES descriptors of a process, or those after them. Says whether one is
 * wanted. */
static bool task_has_open(struct search *search, const char *pid, bool first)
{
	struct dirent *entry;
	char path[300];
	bool found = false;
	size_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	d = opendir(path);
	while (d && !found && !is_over(search) && (entry = readdir(d))) {
		if (*entry->d_name == '.')
			continue;
		if (first && n == FIRST_FILES) {
			tsh_strlist_add(&search->large, pid);
			break;
		}
		if (first || n >= FIRST_FILES)
			found = is_wanted(dirfd(d), entry->d_name, search->wanted);
		n++;
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
	tsh_strlist_add_owned(ret, tsh_xasprintf("%s (%s)", comm, pid));
}

/* Calls `found` for each process, other than this one, that has a wanted file open, until it
 * returns false. Returns false when not all were examined. */
static bool find_holders(const struct wanted *wanted, const struct tsh_waiter *waiter,
			 bool (*found)(void *ctx, const char *pid), void *ctx)
{
	struct search search = { .wanted = wanted, .waiter = waiter,
				 .until = tsh_now_ns(CLOCK_MONOTONIC) + SEARCH_NS };
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	bool go_on = true;
	uint64_t pid;
	size_t i;

	while (proc && go_on && !search.is_over && (entry = readdir(proc)))
		if (!tsh_parse_u64(entry->d_name, &pid) && pid != (uint64_t)getpid() &&
		    task_has_open(&search, entry->d_name, true))
			go_on = found(ctx, entry->d_name);
	for (i = 0; go_on && !search.is_over && i < search.large.n; i++)
		if (task_has_open(&search, search.large.v[i], false))
			go_on = found(ctx, search.large.v[i]);
	if (proc)
		closedir(proc);
	tsh_strlist_release(&search.large);
	return !search.is_over;
}

static bool add_name(void *ctx, const char *pid)
{
	add_task(pid, ctx);
	return true;
}

static bool store_first_pid(void *ctx, const char *pid)
{
	uint64_t number = 0;

	(void)tsh_parse_u64(pid, &number);
	*(pid_t *)ctx = (pid_t)number;
	return false;
}

static void add_inode(struct wanted *wanted, int dir, const char *path)
{
	struct file_id id;

	if (!read_file_id(dir, path, &id))
		return;
	wanted->device = id.device;
	*(uint64_t *)tsh_vec_push(&wanted->inodes) = id.inode;
}

pid_t tsh_file_holder(const char *file, const struct tsh_waiter *waiter)
{
	struct wanted wanted = { 0 };
	pid_t holder = 0;

	add_inode(&wanted, AT_FDCWD, file);
	if (wanted.inodes.n)
		(void)find_holders(&wanted, waiter, store_first_pid, &holder);
	tsh_vec_release(&wanted.inodes);
	return holder;
}

bool tsh_instance_holders(const struct tsh_dir *dir, const char *name, struct tsh_strlist *ret)
{
	char *part = tsh_xasprintf("/instances/%s/", name);
	struct wanted wanted = { .part = part };
	struct file_id id;
	bool all = true;

	if (read_file_id(dir->fd, "instances", &id)) {
		wanted.device = id.device;
		all = find_holders(&wanted, NULL, add_name, ret);
	}
	free(part);
	return all;
}

bool tsh_pipe_holders(const struct tsh_instance *in, struct tsh_strlist *ret)
{
	struct wanted wanted = { 0 };
	unsigned int *cpus;
	size_t n = tsh_cpus_present(in, &cpus), i;
	bool all = true;
	char path[64];

	add_inode(&wanted, in->fd, "trace_pipe");
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe", cpus[i]);
		add_inode(&wanted, in->fd, path);
		snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpus[i]);
		add_inode(&wanted, in->fd, path);
	}
	free(cpus);
	if (wanted.inodes.n)
		all = find_holders(&wanted, in->dir->waiter, add_name, ret);
	tsh_vec_release(&wanted.inodes);
	return all;
}
