/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "others.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal-file.h"
#include "tracesh/machine.h"

static void release_other(struct tsh_other *other)
{
	free(other->name);
	tsh_journal_free(other->journal);
}

void tsh_others_free(struct tsh_others *others)
{
	size_t i;

	for (i = 0; others && i < others->n; i++)
		release_other(&others->v[i]);
	if (others)
		tsh_vec_release(others);
	free(others);
}

/* Says whether somebody holds its lock. Ours lasts for a moment: who opens a new file locks
 * it while it is still empty, and an empty one is not asked. */
static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return true;
	flock(fd, LOCK_UN);
	return false;
}

/* Opens a file that only root can have written and that is begun; -1: it is none. */
static int open_named(int dir, const char *name, struct stat *ret)
{
	int fd = openat(dir, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK |
				   O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!fstat(fd, ret) && S_ISREG(ret->st_mode) && ret->st_uid == geteuid() &&
	    !(ret->st_mode & 077) && ret->st_size)
		return fd;
	close(fd);
	return -1;
}

/* Opens it again; -1: it is gone. So many as there are, none is kept open. */
static int open_other(const struct tsh_other *other, struct stat *ret)
{
	int dir = tsh_journal_dir_open(other->place, false), fd;

	if (dir < 0)
		return -1;
	fd = open_named(dir, other->name, ret);
	close(dir);
	if (fd >= 0 && ret->st_ino != other->inode) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_known(const struct tsh_others *others, unsigned int place, const char *name)
{
	size_t i;

	for (i = 0; i < others->n; i++)
		if (others->v[i].place == place && !strcmp(others->v[i].name, name))
			return true;
	return false;
}

static void add_other(struct tsh_others *others, unsigned int place, int dir, const char *name)
{
	struct tsh_other *other;
	struct stat st;
	int fd = open_named(dir, name, &st);

	if (fd < 0)
		return;
	close(fd);
	other = tsh_vec_push(others);
	other->inode = st.st_ino;
	other->place = place;
	other->name = tsh_xstrdup(name);
	other->journal = tsh_journal_new();
}

/* own: the name of ours, wherever it is; NULL: it has none. */
static void find_new(unsigned int place, const char *own, struct tsh_others *others)
{
	int dir = tsh_journal_dir_open(place, false);
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	const struct dirent *entry;

	if (!d) {
		if (dir >= 0)
			close(dir);
		return;
	}
	while ((entry = readdir(d))) {
		const char *suffix = strrchr(entry->d_name, '.');

		if (suffix && !strcmp(suffix, TSH_JOURNAL_SUFFIX) &&
		    !(own && !strcmp(own, entry->d_name)) &&
		    !is_known(others, place, entry->d_name))
			add_other(others, place, dir, entry->d_name);
	}
	closedir(d);
}

/* Without /proc a session does not know its boot, and is taken to be of ours. */
static bool is_same_boot(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

/* Reads on in it; what its session keeps in memory (journal-log.h) cannot be seen. False: it is
 * gone. */
static bool read_on(struct tsh_other *other, const char *boot, uint64_t device)
{
	struct stat st;
	int fd = open_other(other, &st);

	if (fd < 0)
		return false;
	other->lives = is_locked(fd);
	if ((size_t)st.st_size > other->read)
		tsh_journal_read_on(other->journal, fd, &other->read, &other->owner);
	close(fd);
	/* What stands before a cut holds. */
	other->is_here = other->owner.device == device && is_same_boot(other->owner.boot_id, boot) &&
			 other->journal->moved_to <= other->place;
	return true;
}

struct tsh_others *tsh_others_read(const struct tsh_dir *dir, struct tsh_journal *j)
{
	bool none = dir->dry || dir->kind == TSH_DIR_TREE;
	struct tsh_others *others;
	unsigned int place;
	struct stat st;
	char boot[40];
	size_t i;

	if (!j->others)
		j->others = tsh_xcalloc(1, sizeof(*j->others));
	others = j->others;
	for (place = 0; !none && place < TSH_JOURNAL_PLACES; place++)
		find_new(place, j->file ? j->file->name : NULL, others);
	if (!others->n || fstat(dir->fd, &st) < 0)
		return others;
	tsh_boot_id(boot, sizeof(boot));
	for (i = others->n; i-- > 0;) {
		if (read_on(&others->v[i], boot, st.st_dev))
			continue;
		release_other(&others->v[i]);
		others->v[i] = others->v[--others->n];
	}
	return others;
}

struct tsh_journal_entry *tsh_other_entry(const struct tsh_other_entry *e)
{
	struct tsh_journal *j = e->other->journal;
	size_t i;

	for (i = 0; i < j->entries.n; i++)
		if (j->entries.v[i].number == e->number)
			return &j->entries.v[i];
	return NULL;
}

/* Reads what we have appended to it. */
static void read_back(struct tsh_other *other, int fd)
{
	tsh_journal_read_on(other->journal, fd, &other->read, &other->owner);
	close(fd);
}

int tsh_other_inherit(const struct tsh_other_entry *e, const struct tsh_journal_entry *entry)
{
	struct stat st;
	int fd = open_other(e->other, &st), r;

	if (fd < 0)
		return -ENOENT;
	r = tsh_journal_inherit(fd, TSH_JOURNAL_INHERITED + e->other->journal->inherited, e->number,
				entry);
	read_back(e->other, fd);
	return r;
}

int tsh_other_amend(const struct tsh_other_entry *e, const char *before)
{
	struct stat st;
	int fd = open_other(e->other, &st), r;

	if (fd < 0)
		return -ENOENT;
	r = tsh_journal_amend(fd, e->number, before);
	read_back(e->other, fd);
	return r;
}
