/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"

/* Is used for files of others; open(2) never returns it. */
#define ERR_THEIRS ENOTUNIQ
#define ERR_THEIR_LINK EREMCHG
#define ERR_LEASED ENOLCK

/* Names a place for a file: a folder and a name in it, or a path that is followed as it is. */
struct place {
	int folder;
	char *name;
	bool follows;		/* a name of our own descriptor; then the folder is AT_FDCWD */
	bool is_new;		/* made by us */
	struct stat theirs;	/* with ERR_THEIRS: the file that is there */
};

/*
 * Says whether somebody else may have put a file there for us to fill: one that
 * fs.protected_regular, fs.protected_fifos and fs.protected_hardlinks refuse, whether these are set
 * or not.
 */
static bool is_planted(const struct place *place, const struct stat *file)
{
	struct stat st;

	if (place->follows || (!S_ISREG(file->st_mode) && !S_ISFIFO(file->st_mode)))
		return false;
	if (fstat(place->folder, &st) < 0)
		return true;
	if (tsh_is_trusted(place->folder, &st))
		return false;
	if (S_ISREG(file->st_mode) && file->st_nlink > 1)
		return true;
	/* the owner of a folder may have files in it, unless the folder is shared */
	return !tsh_is_owned(file) &&
	       (file->st_uid != st.st_uid || (st.st_mode & (S_IWGRP | S_IWOTH)));
}

/*
 * Says whether the open file with the stat *ret no longer has the name of `place`, or has another
 * name, too. It may have been a second name of one of our files, and was removed. Reads the name
 * once, because it could come back between two reads. *ret becomes the stat of the file that has
 * the name.
 */
static bool was_swapped(const struct place *place, struct stat *ret)
{
	struct stat folder, opened = *ret;

	if (place->follows || !S_ISREG(opened.st_mode) ||
	    (!fstat(place->folder, &folder) && tsh_is_trusted(place->folder, &folder)))
		return false;
	return fstatat(place->folder, place->name, ret, AT_SYMLINK_NOFOLLOW) < 0 || ret->st_dev != opened.st_dev ||
	       ret->st_ino != opened.st_ino || ret->st_nlink != 1;
}

/* Checks a file before it is opened, because the open of a FIFO wakes its reader. */
static bool is_name_planted(struct place *place, bool *ret_is_fifo)
{
	*ret_is_fifo = false;
	if (fstatat(place->folder, place->name, &place->theirs,
		    place->follows ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	*ret_is_fifo = S_ISFIFO(place->theirs.st_mode);
	return is_planted(place, &place->theirs);
}

/* Opens the file, or makes it. Returns a descriptor or -errno; -EAGAIN for a FIFO that has no
 * reader yet. */
static int open_once(struct place *place)
{
	/* root's file may have names, paths and addresses of other users */
	mode_t mode = geteuid() ? 0666 : 0600;
	int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
		    (place->follows ? 0 : O_NOFOLLOW);
	struct stat *st = &place->theirs;
	int fd, r = 0;
	bool is_fifo;

	if (is_name_planted(place, &is_fifo))
		return -ERR_THEIRS;
	/* tries again when somebody makes or removes the file in between */
	do {
		fd = openat(place->folder, place->name, flags);
		place->is_new = fd < 0 && errno == ENOENT;
		if (place->is_new)
			fd = openat(place->folder, place->name, flags | O_CREAT | O_EXCL, mode);
	} while (fd < 0 && (errno == EEXIST || errno == EINTR));
	if (fd < 0 && errno == EAGAIN)
		return -ERR_LEASED;
	if (fd < 0)
		return errno == ENXIO && is_fifo ? -EAGAIN : -errno;
	if (fstat(fd, st) < 0 || is_planted(place, st) || was_swapped(place, st))
		r = -ERR_THEIRS;
	else if (fcntl(fd, F_SETFL, O_WRONLY) < 0)
		r = -errno;
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

/* Opens the file; waits until a FIFO has a reader. */
static int open_with_reader(struct place *place, const struct tsh_waiter *waiter)
{
	enum tsh_wait_result result = TSH_WAIT_TIMEOUT;
	int fd = open_once(place);

	while (fd == -EAGAIN && result == TSH_WAIT_TIMEOUT) {
		if (waiter)
			result = tsh_wait(waiter, NULL, 0, 20);
		else
			(void)poll(NULL, 0, 20);
		fd = open_once(place);
	}
	return fd == -EAGAIN ? -ENXIO : fd;
}

static int open_file(const char *path, const struct tsh_waiter *waiter, bool *ret_is_new,
		     struct stat *ret_theirs)
{
	struct place place = { .folder = AT_FDCWD, .follows = tsh_is_own_descriptor(path) };
	int fd;

	if (place.follows)
		place.name = tsh_xstrdup(path);
	else
		place.folder = tsh_open_parent(path, &place.name);
	if (!place.follows && place.folder < 0)
		return place.folder == -ELOOP ? -ERR_THEIR_LINK : place.folder;
	fd = open_with_reader(&place, waiter);
	if (!place.follows)
		close(place.folder);
	free(place.name);
	*ret_is_new = place.is_new;
	*ret_theirs = place.theirs;
	return fd;
}

/* Refuses what others may have put there: a file of theirs, or a second name of one of our
 * files. */
static void set_theirs(const char *path, const struct stat *theirs, struct tsh_err *err)
{
	struct tsh_strbuf owner = TSH_STRBUF_INIT;

	if (tsh_is_owned(theirs))
		tsh_strbuf_adds(&owner, "has a second hard link");
	else
		tsh_strbuf_adds(&owner, "belongs to ");
	if (!tsh_is_owned(theirs))
		tsh_owner_name(theirs->st_uid, &owner);
	tsh_err_set(err, TSH_FAILED, "'%s' %s, and others may write to its folder", path, owner.buf);
	tsh_err_hint(err, "use a file that does not exist yet, or a folder that only you can write to");
	tsh_strbuf_release(&owner);
}

bool tsh_is_standard_output(const char *path)
{
	return !strcmp(path, "-");
}

bool tsh_output_is(int fd, const struct stat *input)
{
	struct stat st;

	return S_ISREG(input->st_mode) && fstat(fd, &st) == 0 && st.st_dev == input->st_dev &&
	       st.st_ino == input->st_ino;
}

int tsh_output_check(int fd, const struct stat *input, const char *name, struct tsh_err *err)
{
	if (!tsh_output_is(fd, input))
		return 0;
	tsh_err_set(err, TSH_FAILED, "'%s' is also the output file", name);
	tsh_err_hint(err, "write to a file of another name");
	return -1;
}

int tsh_output_open(const char *path, const struct tsh_waiter *waiter, bool *ret_is_new,
		    struct tsh_err *err)
{
	struct stat theirs = { 0 };
	int fd = open_file(path, waiter, ret_is_new, &theirs);

	if (fd >= 0)
		return fd;
	if (fd == -ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' is a symbolic link", path);
		tsh_err_hint(err, "name the file that it leads to");
	} else if (fd == -ERR_THEIR_LINK) {
		tsh_err_set(err, TSH_FAILED, "'%s' leads through a symbolic link of another user", path);
		tsh_err_hint(err, "name the folder that it leads to");
	} else if (fd == -ERR_THEIRS) {
		set_theirs(path, &theirs, err);
	} else if (fd == -ERR_LEASED) {
		tsh_err_set(err, TSH_FAILED, "another process has a lease on '%s' (fcntl(2), "
					     "/proc/locks)", path);
	} else if (fd == -ENXIO && S_ISSOCK(theirs.st_mode)) {
		tsh_err_set(err, TSH_FAILED, "'%s' is a socket", path);
		tsh_err_hint(err, "use '|' and a program that writes to it");
	} else {
		tsh_err_path(err, -fd, "open", path);
		err->status = TSH_FAILED;
	}
	return -1;
}

void tsh_output_remove_empty(const char *path, int fd)
{
	struct stat st;
	char *name = NULL;
	int folder;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size)
		return;
	folder = tsh_open_parent(path, &name);
	if (folder < 0)
		return;
	if (tsh_is_named(fd, folder, name))
		(void)unlinkat(folder, name, 0);
	free(name);
	close(folder);
}
