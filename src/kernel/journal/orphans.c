/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "base/process.h"
#include "base/safe-file.h"

/* Finds journals whose sessions have ended. */

/* Limits how many are read, open and locked at a time. */
#define ORPHANS_MAX 200
/* Limits the time in which searches for the process that works with a journal are begun. */
#define SEARCHES_NS (TSH_HOLDERS_SECONDS * INT64_C(1000000000))

struct scan {
	unsigned int place;
	int dir;		/* its folder */
	bool claim;		/* for recover: may change and remove files */
	bool forget;		/* removes unreadable files, too */
	pid_t forget_pid;	/* only those of this process; 0: all */
	bool in_memory;		/* the folder is emptied by a reboot */
	char boot[40];		/* empty: unknown */
	uint64_t device;
	const struct tsh_waiter *waiter;
	int64_t until;		/* CLOCK_MONOTONIC, ns: end of such searches; 0: none yet */
	struct tsh_orphans *ret;
};

static void refuse(struct scan *scan, const char *name, const char *why)
{
	tsh_strlist_add_owned(&scan->ret->refused,
			 tsh_xasprintf("%s/%s cannot be read as a journal (%s)",
				       tsh_journal_folder(scan->place), name, why));
}

/* Reports that no journal of the folder can be read. */
static void refuse_folder(struct scan *scan, int number)
{
	char *cure = NULL, *wrong = tsh_journal_dir_fault(scan->place, &cure), *why;

	why = wrong ? tsh_xasprintf("%s: %s", wrong, cure) : tsh_xstrdup(strerror(number));
	refuse(scan, "*" TSH_JOURNAL_SUFFIX, why);
	free(why);
	free(wrong);
	free(cure);
}

/* Parses "PID-START.journal". */
static bool parse_name(const char *name, struct tsh_journal_owner *ret)
{
	uint64_t pid;

	if (!tsh_parse_u64_prefix(&name, &pid) || pid > INT32_MAX || *name++ != '-' ||
	    !tsh_parse_u64_prefix(&name, &ret->starttime) || strcmp(name, TSH_JOURNAL_SUFFIX) != 0)
		return false;
	ret->pid = (pid_t)pid;
	return true;
}

/* Says whether the session runs. The start time may differ by one tick in a time namespace. */
static bool owner_lives(const struct tsh_journal_owner *owner)
{
	return tsh_process_is_alive(owner->pid, owner->starttime) ||
	       tsh_process_is_alive(owner->pid, owner->starttime + 1) ||
	       tsh_process_is_alive(owner->pid, owner->starttime - 1);
}

/* Counts a locked file whose session has ended: a guard or recover works with it. */
static void note_busy(struct scan *scan, const char *name)
{
	struct tsh_journal_owner owner;
	int64_t now = tsh_now_ns(CLOCK_MONOTONIC);
	struct tsh_busy_orphan busy;
	char *path;

	if (!parse_name(name, &owner) || owner_lives(&owner))
		return;
	if (!scan->until)
		scan->until = now + SEARCHES_NS;
	path = tsh_xasprintf("%s/%s", tsh_journal_folder(scan->place), name);
	busy = (struct tsh_busy_orphan){ owner.pid, now > scan->until ? 0 :
					 tsh_file_holder(path, scan->waiter) };
	free(path);
	/* The process is not visible; it may be in another pid namespace. */
	if (!busy.at_work)
		scan->ret->unseen++;
	else if (tsh_process_numbers(busy.at_work).own != owner.pid)
		*(struct tsh_busy_orphan *)tsh_vec_push(&scan->ret->busy) = busy;
}

static int open_file(const struct scan *scan, const char *name)
{
	int flags = (scan->claim ? O_RDWR | O_APPEND : O_RDONLY) | O_NOFOLLOW;
	int fd = tsh_open_regular_at(scan->dir, name, flags);

	return fd == -EROFS ? tsh_open_regular_at(scan->dir, name, O_RDONLY | O_NOFOLLOW) : fd;
}

/* Opens and locks a file that no process works with. Returns -1 when it is refused, busy, or
 * removed. */
static int open_unowned(struct scan *scan, const char *name, struct stat *ret)
{
	int fd = open_file(scan, name);
	struct stat named;

	if (fd < 0) {
		if (fd != -ENOENT)
			refuse(scan, name, fd == -ELOOP ? "it is a link" :
			       fd == -EOPNOTSUPP ? "it is no file" : strerror(-fd));
		return -1;
	}
	if (fstat(fd, ret) < 0 || ret->st_uid != geteuid() ||
	    (ret->st_mode & 077)) {
		refuse(scan, name, "others own it, or can read or write it");
	} else if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		note_busy(scan, name);
		/* Its owner may have removed it between open and lock. */
	} else if (fstatat(scan->dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
		   named.st_ino == ret->st_ino && fstat(fd, ret) == 0) {
		return fd;
	}
	close(fd);
	return -1;
}

/* Says whether a journal is of this boot; otherwise reports or removes it. */
static bool is_of_this_boot(struct scan *scan, const char *name,
			    const struct tsh_journal_owner *owner)
{
	bool known = *scan->boot && *owner->boot_id;

	if (owner->device != scan->device) {
		refuse(scan, name, "it is of another tracefs");
	} else if (scan->in_memory || (known && !strcmp(owner->boot_id, scan->boot))) {
		return true;
	} else if (!known) {
		refuse(scan, name, "whether it is of this boot is not known");
		/* Removes it, because a reboot has undone all its settings. */
	} else if (scan->claim && unlinkat(scan->dir, name, 0) < 0) {
		refuse(scan, name, strerror(errno));
	} else {
		tsh_strlist_add_owned(&scan->ret->outlived,
				 tsh_xasprintf("%s/%s", tsh_journal_folder(scan->place), name));
	}
	return false;
}

/* Reads a journal; the owner of one that has lost its text is known by its name. */
static int load(const struct scan *scan, int fd, const char *name, struct tsh_orphan *ret,
		struct tsh_err *err)
{
	struct tsh_journal_file *file = tsh_xcalloc(1, sizeof(*file));
	struct stat st;

	file->disk.fd = fd;
	file->place = scan->place;
	file->name = tsh_xstrdup(name);
	if (fstat(fd, &st) < 0 || st.st_size || !parse_name(name, &ret->owner))
		return tsh_journal_load(file, &ret->owner, &ret->journal, err);
	memcpy(ret->owner.boot_id, scan->boot, sizeof(scan->boot));
	ret->owner.device = scan->device;
	ret->owner.time = (int64_t)st.st_mtim.tv_sec * 1000000000;
	ret->journal = tsh_journal_new();
	ret->journal->file = file;
	ret->journal->cut = file->loaded = true;
	return 0;
}

/* Closes the file without changing or removing it, and thus unlocks it. */
static void close_file(struct tsh_journal *j)
{
	tsh_journal_file_close(j->file, false);
	j->file = NULL;
}

/* Removes a file without a first setting, or one whose journal has moved. Does nothing unless this
 * is for recover. */
static void remove_file(struct scan *scan, const char *name)
{
	if (scan->claim && unlinkat(scan->dir, name, 0) < 0)
		refuse(scan, name, strerror(errno));
}

/* Reports or removes a damaged file that belongs to us only. */
static void refuse_or_remove(struct scan *scan, const char *name, const char *why)
{
	struct tsh_journal_owner owner = { 0 };

	if (!scan->forget || (scan->forget_pid && (!parse_name(name, &owner) ||
						   owner.pid != scan->forget_pid))) {
		scan->ret->unreadable++;
		refuse(scan, name, why);
	} else if (unlinkat(scan->dir, name, 0) < 0) {
		refuse(scan, name, strerror(errno));
	} else {
		tsh_strlist_add_owned(&scan->ret->given_up,
				 tsh_xasprintf("%s/%s", tsh_journal_folder(scan->place), name));
	}
}

static void add_orphan(struct scan *scan, const char *name)
{
	struct tsh_orphan orphan = { 0 };
	struct tsh_err err = { 0 };
	struct stat st;
	int fd;

	if (scan->ret->n >= ORPHANS_MAX) {
		scan->ret->more++;
		return;
	}
	fd = open_unowned(scan, name, &st);
	if (fd < 0)
		return;
	if ((st.st_mode & 0777) == TSH_JOURNAL_NOT_BEGUN) {
		remove_file(scan, name);
		close(fd);
		return;
	}
	if (load(scan, fd, name, &orphan, &err) < 0) {
		refuse_or_remove(scan, name, err.message);
		tsh_err_release(&err);
		return;
	}
	if (orphan.journal->moved_to > scan->place)
		remove_file(scan, name);
	if (orphan.journal->moved_to > scan->place || !is_of_this_boot(scan, name, &orphan.owner)) {
		close_file(orphan.journal);
		tsh_journal_free(orphan.journal);
		return;
	}
	if (!scan->claim)
		close_file(orphan.journal);
	orphan.name = tsh_xstrdup(name);
	*(struct tsh_orphan *)tsh_vec_push(scan->ret) = orphan;
}

static int compare_orphans(const void *a, const void *b)
{
	const struct tsh_orphan *x = a, *y = b;

	return (x->owner.time > y->owner.time) - (x->owner.time < y->owner.time);
}

static bool is_journal(const char *name)
{
	size_t len = strlen(name), suffix = strlen(TSH_JOURNAL_SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, TSH_JOURNAL_SUFFIX);
}

static void scan_files(struct scan *scan, DIR *d)
{
	struct dirent *entry;

	for (errno = 0; (entry = readdir(d)); errno = 0)
		if (is_journal(entry->d_name))
			add_orphan(scan, entry->d_name);
}

static bool has_journals(unsigned int place)
{
	DIR *d = opendir(tsh_journal_folder(place));
	const struct dirent *entry;
	bool has = false;

	while (d && !has && (entry = readdir(d)))
		has = is_journal(entry->d_name);
	if (d)
		closedir(d);
	return has;
}

/* Returns 0, also when there is no such folder, or the errno when it cannot be read. */
static int scan_folder(struct scan *scan, unsigned int place)
{
	struct statfs fs;
	DIR *d = NULL;
	int number;

	scan->place = place;
	scan->dir = tsh_journal_dir_open(place, false);
	if (scan->dir < 0)
		return scan->dir == -ENOENT ? 0 : -scan->dir;
	if (fstatfs(scan->dir, &fs) < 0 || !(d = fdopendir(scan->dir))) {
		number = errno;
		close(scan->dir);
		return number;
	}
	scan->in_memory = fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC;
	scan_files(scan, d);
	number = errno;
	closedir(d);
	return number;
}

void tsh_orphans_find(const struct tsh_dir *dir, enum tsh_orphans_mode mode, pid_t forget_pid,
		      struct tsh_orphans *ret)
{
	struct scan scan = { .claim = mode != TSH_ORPHANS_READ,
			     .forget = mode == TSH_ORPHANS_FORGET, .forget_pid = forget_pid,
			     .waiter = dir->waiter, .ret = ret };
	unsigned int place;
	struct stat st;

	if (dir->kind == TSH_DIR_TREE)
		return;
	if (fstat(dir->fd, &st) < 0) {
		ret->error = errno;
		return;
	}
	scan.device = st.st_dev;
	tsh_boot_id(scan.boot, sizeof(scan.boot));
	ret->error = scan_folder(&scan, 0);
	/* A folder that others can write to is not used, but reported when it has journals. */
	for (place = 1; place < TSH_JOURNAL_PLACES; place++) {
		int number = scan_folder(&scan, place);

		if (number && has_journals(place))
			refuse_folder(&scan, number);
	}
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), compare_orphans);
}

void tsh_orphans_release(struct tsh_orphans *orphans)
{
	size_t i;

	for (i = 0; i < orphans->n; i++) {
		free(orphans->v[i].name);
		tsh_journal_free(orphans->v[i].journal);
	}
	tsh_strlist_release(&orphans->refused);
	tsh_strlist_release(&orphans->given_up);
	tsh_strlist_release(&orphans->outlived);
	tsh_vec_release(&orphans->busy);
	tsh_vec_release(orphans);
}
