/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "others.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/safe-file.h"
#include "file.h"

static void release_other(struct tsh_other *other)
{
	free(other->name);
	tsh_strbuf_release(&other->prepared);
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

/* Says whether a process holds the lock. Locks the file for a moment; that does not disturb a
 * session, which locks its new file while it is empty, because empty files are not tested. */
static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return true;
	flock(fd, LOCK_UN);
	return false;
}

/* Opens the file when only our user can have written it. Returns -1 when it is another file, or
 * removed. The file is not kept open, since there may be many. */
static int open_other(const struct tsh_other *other)
{
	int dir = tsh_journal_dir_open(other->place, false), fd;
	struct stat st;

	if (dir < 0)
		return -1;
	fd = tsh_open_regular_at(dir, other->name, O_RDWR | O_APPEND | O_NOFOLLOW);
	close(dir);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_uid == geteuid() &&
	    !(st.st_mode & 077) && st.st_ino == other->inode)
		return fd;
	close(fd);
	return -1;
}

bool tsh_other_is_alive(const struct tsh_other *other)
{
	int fd = open_other(other);
	bool lives = fd >= 0 && is_locked(fd);

	if (fd >= 0)
		close(fd);
	return lives;
}

static bool is_journal(const char *name)
{
	size_t len = strlen(name), suffix = strlen(TSH_JOURNAL_SUFFIX);

	return len > suffix && !strcmp(name + len - suffix, TSH_JOURNAL_SUFFIX);
}

struct scan {
	struct tsh_others *others;
	unsigned int place;
	int folder;		/* descriptor of the open folder */
	const struct tsh_dir *dir;
	size_t next;		/* index behind the last one found */
	uint64_t device;
};

/* Finds a journal among the known ones, or adds it. */
static struct tsh_other *find_other(struct scan *scan, const char *name)
{
	struct tsh_others *others = scan->others;
	struct tsh_other *other;
	size_t i, at;

	for (i = 0; i < others->n; i++) {
		at = (scan->next + i) % others->n;
		other = &others->v[at];
		if (other->place == scan->place && !strcmp(other->name, name)) {
			scan->next = at + 1;
			return other;
		}
	}
	other = tsh_vec_push(others);
	other->place = scan->place;
	other->name = tsh_xstrdup(name);
	other->journal = tsh_journal_new();
	return other;
}

/* Compares boot ids; a session without /proc has none, and counts as of this boot. */
static bool is_same_boot(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

/* Reads new records of a file; those that its session has only in memory (src/kernel/journal/log.h)
 * are not visible. */
static void read_other(struct scan *scan, const char *name)
{
	struct tsh_other *other;
	struct stat st;
	int fd;

	if (fstatat(scan->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !st.st_size)
		return;
	other = find_other(scan, name);
	if (other->inode && other->inode != st.st_ino)
		return;
	other->inode = st.st_ino;
	other->is_found = true;
	other->dir = scan->dir;
	if ((size_t)st.st_size > other->read && (fd = open_other(other)) >= 0) {
		tsh_journal_read_from(other->journal, fd, &other->read, &other->owner);
		close(fd);
	}
	/* The records before a cut are valid. */
	other->is_same_tracefs = other->owner.device == scan->device &&
				 is_same_boot(other->owner.boot_id, scan->others->boot) &&
				 other->journal->moved_to <= other->place;
}

/* Reads all files of a folder but our own. own: its name in any folder; NULL: none. */
static void read_folder(struct scan *scan, const char *own)
{
	int fd = tsh_journal_dir_open(scan->place, false);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	scan->folder = fd;
	while ((entry = readdir(d)))
		if (is_journal(entry->d_name) && !(own && !strcmp(own, entry->d_name)))
			read_other(scan, entry->d_name);
	closedir(d);
}

static void drop_unseen(struct tsh_others *others)
{
	size_t i, kept = 0;

	for (i = 0; i < others->n; i++) {
		if (others->v[i].is_found)
			others->v[kept++] = others->v[i];
		else
			release_other(&others->v[i]);
	}
	others->n = kept;
	for (i = 0; i < kept; i++)
		others->v[i].is_found = false;
}

struct tsh_others *tsh_others_read(const struct tsh_dir *dir, struct tsh_journal *j)
{
	struct scan scan = { 0 };
	struct stat st;

	if (!j->others) {
		j->others = tsh_xcalloc(1, sizeof(*j->others));
		tsh_boot_id(j->others->boot, sizeof(j->others->boot));
	}
	scan.others = j->others;
	scan.dir = dir;
	if (tsh_dir_is_script(dir) || dir->kind == TSH_DIR_TREE || fstat(dir->fd, &st) < 0)
		return j->others;
	scan.device = st.st_dev;
	for (; scan.place < TSH_JOURNAL_PLACES; scan.place++)
		read_folder(&scan, j->file ? j->file->name : NULL);
	drop_unseen(j->others);
	return j->others;
}

void tsh_others_read_again(const struct tsh_dir *dir, struct tsh_journal *j)
{
	tsh_others_free(j->others);
	j->others = NULL;
	(void)tsh_others_read(dir, j);
}

void tsh_journal_pass_others(struct tsh_journal *from, struct tsh_journal *to)
{
	if (from == to || !from->others)
		return;
	tsh_others_free(to->others);
	to->others = from->others;
	from->others = NULL;
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

/* Reads the records that we have appended, and closes fd. */
static void read_back(struct tsh_other *other, int fd)
{
	tsh_journal_read_from(other->journal, fd, &other->read, &other->owner);
	close(fd);
}

/* Appends the lines, and frees them. */
static int append_lines(struct tsh_other *other, struct tsh_strbuf *lines)
{
	int fd = open_other(other), r = -ENOENT;

	if (fd >= 0) {
		r = tsh_journal_append(fd, lines);
		read_back(other, fd);
	}
	tsh_strbuf_release(lines);
	return r;
}

int tsh_other_inherit(const struct tsh_other_entry *e, const struct tsh_journal_entry *entry)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	tsh_journal_inherit(&lines, TSH_JOURNAL_INHERITED + e->other->journal->inherited, e->number, entry);
	return append_lines(e->other, &lines);
}

int tsh_other_amend(const struct tsh_other_entry *e, const char *before)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	tsh_journal_amend(&lines, e->number, before, false);
	return append_lines(e->other, &lines);
}

int tsh_other_drop(struct tsh_other *other, const unsigned int *numbers, size_t n)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	tsh_journal_append_gone(&lines, numbers, n, true);
	return append_lines(other, &lines);
}

int tsh_other_note_forks(struct tsh_other *other, unsigned int number)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	tsh_journal_append_forks(&lines, number);
	return append_lines(other, &lines);
}

int tsh_other_prepare(const struct tsh_other_entry *e, const char *before, bool kept)
{
	struct tsh_journal_entry *entry = tsh_other_entry(e);
	struct tsh_other *other = e->other;
	size_t len = other->prepared.len;
	int fd = open_other(other), r;

	if (fd < 0)
		return -ENOENT;
	tsh_journal_amend(&other->prepared, e->number, before, kept);
	r = tsh_journal_reserve(fd, other->prepared.len);
	close(fd);
	if (r < 0) {
		tsh_strbuf_truncate(&other->prepared, len);
		return r;
	}
	entry->kept |= kept;
	if (entry->op == TSH_JOURNAL_WRITE) {
		free(entry->before);
		entry->before = tsh_xstrdup(before);
	}
	return 0;
}

int tsh_other_append(struct tsh_other *other)
{
	int r = other->prepared.len ? append_lines(other, &other->prepared) : 0;

	tsh_strbuf_release(&other->prepared);
	return r;
}
