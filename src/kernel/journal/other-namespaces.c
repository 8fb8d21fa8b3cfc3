/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "base/safe-file.h"

/* Searches for journals in other mount namespaces: a container has a /run of its own. Its root may
 * have mounted a file system there that never answers, or may have made any number of files. */

/* Limits the names that are examined in a folder. */
#define NAMES_MAX 1000
/* Limit the milliseconds to wait for a process, and how many may not answer. */
#define PATIENCE_MS 1000
#define SILENT_MAX 4
/* Limits the time of the whole search, in nanoseconds. */
#define ALL_NS (5 * INT64_C(1000000000))
/* Limits the output of the search, enough for 100,000 processes. */
#define FINDINGS_MAX (4u << 20)

struct folder {
	dev_t device;
	ino_t inode;
};

struct folders {
	struct folder *v;
	size_t n, cap;
};

/* Adds a folder; returns false when it was there already. */
static bool add_folder(struct folders *folders, const struct stat *st)
{
	size_t i;

	for (i = 0; i < folders->n; i++)
		if (folders->v[i].device == st->st_dev && folders->v[i].inode == st->st_ino)
			return false;
	*(struct folder *)tsh_vec_push(folders) = (struct folder){ st->st_dev, st->st_ino };
	return true;
}

/* Says whether a file is a journal that has text and is not locked. */
static bool is_orphan(int dir, const char *name)
{
	size_t len = strlen(name), suffix = strlen(TSH_JOURNAL_SUFFIX);
	struct stat st;
	bool orphan;
	int fd;

	if (len <= suffix || strcmp(name + len - suffix, TSH_JOURNAL_SUFFIX) != 0)
		return false;
	fd = tsh_open_regular_at(dir, name, O_RDONLY | O_NOFOLLOW);
	if (fd < 0)
		return false;
	orphan = !fstat(fd, &st) && (st.st_mode & S_IRUSR) && st.st_size &&
		 !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return orphan;
}

enum found { FOUND_NONE, FOUND_ORPHAN, FOUND_MANY };

/* Searches a folder; closes fd. */
static enum found search_folder(int fd)
{
	DIR *d = fdopendir(fd);
	enum found found = FOUND_NONE;
	struct dirent *entry;
	unsigned int names = 0;

	if (!d) {
		close(fd);
		return FOUND_NONE;
	}
	while (!found && (entry = readdir(d))) {
		if (is_orphan(fd, entry->d_name))
			found = FOUND_ORPHAN;
		else if (++names == NAMES_MAX)
			found = FOUND_MANY;
	}
	closedir(d);
	return found;
}

/* Opens a process's folder of journals. Returns -1 when there is none, or when others can write to
 * it. */
static int open_folder(int root, unsigned int place, struct folders *seen)
{
	int fd = openat(root, tsh_journal_folder(place) + 1,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && tsh_journal_dir_is_ours(&st) &&
	    add_folder(seen, &st))
		return fd;
	close(fd);
	return -1;
}

/*
 * Says whether a process is in our user namespace. A process of another one may have mounted a file
 * system that never answers, and no settings of ours can be there: tracefs can only be mounted in
 * the first user namespace.
 */
static bool is_in_our_users(int process)
{
	struct stat theirs, ours;

	/* Kernels without user namespaces have no such file. */
	return stat("/proc/self/ns/user", &ours) < 0 ||
	       (!fstatat(process, "ns/user", &theirs, 0) && theirs.st_ino == ours.st_ino &&
		theirs.st_dev == ours.st_dev);
}

/* Opens the root of a process without accessing files in it. Returns -1 when there is none, or it
 * is in another user namespace. */
static int open_root(const char *pid)
{
	char path[300];
	int process, root;

	snprintf(path, sizeof(path), "/proc/%s", pid);
	process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process < 0)
		return -1;
	root = openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Checks the namespace last: a process that has moved to another one cannot come back. */
	if (root >= 0 && !is_in_our_users(process)) {
		close(root);
		root = -1;
	}
	close(process);
	return root;
}

static ino_t mount_namespace(const char *pid)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	return stat(path, &st) < 0 ? 0 : st.st_ino;
}

/* ---- in another process ---- */

/* Mark the kinds of output about a process; its pid and a zero byte follow. */
#define FINDING_BEGINS '?'
#define FINDING_ORPHAN '!'
#define FINDING_MANY '+'
#define FINDING_CUT '-'

struct search {
	uint64_t from;			/* processes with pids up to this one have been examined */
	ino_t silent[SILENT_MAX];	/* mount namespaces that do not answer */
	unsigned int n_silent;
	uint64_t last;			/* pid of the last process that was examined */
	int64_t until;			/* CLOCK_MONOTONIC, ns */
};

static bool is_silent(const struct search *search, const char *pid)
{
	ino_t inode = search->n_silent ? mount_namespace(pid) : 0;
	unsigned int i;

	for (i = 0; i < search->n_silent; i++)
		if (inode && search->silent[i] == inode)
			return true;
	return false;
}

static void write_finding(int out, char what, const char *pid)
{
	char text[300];
	int len = snprintf(text, sizeof(text), "%c%s", what, pid);

	/* The reader has gone, so that this process is to end. */
	if (tsh_write_all(out, text, (size_t)len + 1) < 0)
		_exit(0);
}

static void search_process(const char *pid, int root, struct folders *seen, int out)
{
	enum found found = FOUND_NONE;
	unsigned int place;

	for (place = 0; place < TSH_JOURNAL_PLACES && found != FOUND_ORPHAN; place++) {
		int fd = open_folder(root, place, seen);

		if (fd >= 0)
			found = search_folder(fd);
		if (found && fd >= 0)
			write_finding(out, found == FOUND_ORPHAN ? FINDING_ORPHAN : FINDING_MANY, pid);
	}
}

static void search_all(void *ctx, int out)
{
	const struct search *search = ctx;
	struct folders seen = { 0 };
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	struct stat ours;
	unsigned int place;
	uint64_t pid;
	int root;

	for (place = 0; place < TSH_JOURNAL_PLACES; place++)
		if (!stat(tsh_journal_folder(place), &ours))
			add_folder(&seen, &ours);
	while (proc && (entry = readdir(proc))) {
		if (tsh_parse_u64(entry->d_name, &pid) < 0 || pid <= search->from ||
		    is_silent(search, entry->d_name))
			continue;
		if (tsh_now_ns(CLOCK_MONOTONIC) > search->until) {
			write_finding(out, FINDING_CUT, entry->d_name);
			break;
		}
		root = open_root(entry->d_name);
		if (root < 0)
			continue;
		write_finding(out, FINDING_BEGINS, entry->d_name);
		search_process(entry->d_name, root, &seen, out);
		close(root);
	}
	if (proc)
		closedir(proc);
	tsh_vec_release(&seen);
}

/* ---- reading its output ---- */

static void add_process(const char *pid, struct tsh_strlist *ret)
{
	char path[300], comm[32];

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	(void)tsh_read_line(path, comm, sizeof(comm));
	tsh_strlist_add_owned(ret, tsh_xasprintf("%s (%s)", pid, comm));
}

static void read_findings(struct search *search, const struct tsh_strbuf *text, struct tsh_elsewhere *ret)
{
	const char *p, *end = text->buf + text->len, *zero;

	for (p = text->buf; p < end && (zero = memchr(p, '\0', (size_t)(end - p))); p = zero + 1) {
		if (*p == FINDING_BEGINS)
			(void)tsh_parse_u64(p + 1, &search->last);
		else if (*p == FINDING_CUT)
			ret->cut = true;
		else
			add_process(p + 1, *p == FINDING_ORPHAN ? &ret->orphans : &ret->many);
	}
}

void tsh_orphans_elsewhere(const struct tsh_waiter *waiter, struct tsh_elsewhere *ret)
{
	struct search ctx = { .until = tsh_now_ns(CLOCK_MONOTONIC) + ALL_NS };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	enum tsh_apart_result result;
	char pid[32];

	for (;;) {
		tsh_strbuf_clear(&text);
		result = tsh_apart_run(search_all, &ctx, waiter, PATIENCE_MS, FINDINGS_MAX, &text);
		read_findings(&ctx, &text, ret);
		if (result != TSH_APART_SILENT || ctx.last <= ctx.from)
			break;
		snprintf(pid, sizeof(pid), "%" PRIu64, ctx.last);
		add_process(pid, &ret->silent);
		ctx.from = ctx.last;
		ctx.silent[ctx.n_silent++] = mount_namespace(pid);
		if (ctx.n_silent == SILENT_MAX)
			break;
	}
	ret->cut |= result == TSH_APART_SILENT || result == TSH_APART_FAILED;
	tsh_strbuf_release(&text);
}

void tsh_elsewhere_release(struct tsh_elsewhere *elsewhere)
{
	tsh_strlist_release(&elsewhere->orphans);
	tsh_strlist_release(&elsewhere->many);
	tsh_strlist_release(&elsewhere->silent);
}
