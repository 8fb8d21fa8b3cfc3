/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/machine.h"
#include "tracesh/number.h"

/* Journals that other mount namespaces hold: a container has a /run of its own. */

struct folder {
	dev_t device;
	ino_t inode;
};

struct folders {
	struct folder *v;
	size_t n, cap;
};

/* Adds a folder; false: it was there. */
static bool add_folder(struct folders *folders, const struct stat *st)
{
	size_t i;

	for (i = 0; i < folders->n; i++)
		if (folders->v[i].device == st->st_dev && folders->v[i].inode == st->st_ino)
			return false;
	*(struct folder *)tsh_vec_push(folders) = (struct folder){ st->st_dev, st->st_ino };
	return true;
}

/* Check that it is a journal with something in it that nobody works with. */
static bool is_orphan(int dir, const char *name)
{
	size_t len = strlen(name), suffix = strlen(TSH_JOURNAL_SUFFIX);
	struct stat st;
	bool orphan;
	int fd;

	if (len <= suffix || strcmp(name + len - suffix, TSH_JOURNAL_SUFFIX) != 0)
		return false;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	orphan = !fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & S_IRUSR) && st.st_size &&
		 !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return orphan;
}

/* Takes over the descriptor. */
static bool has_orphans(int fd)
{
	DIR *d = fdopendir(fd);
	struct dirent *entry;
	bool found = false;

	if (!d) {
		close(fd);
		return false;
	}
	while (!found && (entry = readdir(d)))
		found = is_orphan(fd, entry->d_name);
	closedir(d);
	return found;
}

/* Opens a process's folder of journals; -1: it has none, or one that others can write to. */
static int open_folder(const char *pid, unsigned int place, struct folders *seen)
{
	char *path = tsh_xasprintf("/proc/%s/root%s", pid, tsh_journal_folder(place));
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	free(path);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077) &&
	    add_folder(seen, &st))
		return fd;
	close(fd);
	return -1;
}

/*
 * Checks that a process is in our user namespace. One in another may have mounted a file system there that
 * never answers, and nothing there can have been set by us: tracefs is mounted in the first one alone.
 */
static bool is_in_our_users(const char *pid)
{
	char *path = tsh_xasprintf("/proc/%s/ns/user", pid);
	struct stat theirs, ours;
	/* Some kernels have one for all. */
	bool is = stat("/proc/self/ns/user", &ours) < 0 ||
		  (!stat(path, &theirs) && theirs.st_ino == ours.st_ino &&
		   theirs.st_dev == ours.st_dev);

	free(path);
	return is;
}

static void add_process(const char *pid, struct tsh_strlist *ret)
{
	char path[300], comm[32];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	(void)tsh_read_line(path, comm, sizeof(comm));
	tsh_strlist_take(ret, tsh_xasprintf("%s (%s)", pid, comm));
}

void tsh_orphans_elsewhere(struct tsh_strlist *ret)
{
	struct folders seen = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct stat ours;
	unsigned int place;
	uint64_t pid;
	int fd;

	for (place = 0; place < TSH_JOURNAL_PLACES; place++)
		if (!stat(tsh_journal_folder(place), &ours))
			add_folder(&seen, &ours);
	while (proc && (entry = readdir(proc))) {
		if (tsh_parse_u64(entry->d_name, &pid) < 0 || !is_in_our_users(entry->d_name))
			continue;
		for (place = 0; place < TSH_JOURNAL_PLACES; place++) {
			fd = open_folder(entry->d_name, place, &seen);
			if (fd >= 0 && has_orphans(fd)) {
				add_process(entry->d_name, ret);
				break;
			}
		}
	}
	if (proc)
		closedir(proc);
	tsh_vec_release(&seen);
}
