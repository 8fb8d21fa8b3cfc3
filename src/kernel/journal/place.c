/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/safe-file.h"

/* Lists the folders of journals. */

static const struct place {
	const char *parent, *folder;
} places[TSH_JOURNAL_PLACES] = {
	{ "/run", "/run/tracesh" },
	{ "/var/lib", "/var/lib/tracesh" },
};

const char *tsh_journal_folder(unsigned int place)
{
	return places[place].folder;
}

bool tsh_journal_dir_is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && tsh_is_safe(st);
}

int tsh_journal_dir_open(unsigned int place, bool create)
{
	const char *folder = places[place].folder;
	struct stat st;
	int fd;

	if (create && mkdir(folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Undo runs as root by these files, so nobody else may have written them. */
	if (fstat(fd, &st) < 0 || !tsh_journal_dir_is_ours(&st)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

char *tsh_journal_dir_fault(unsigned int place, char **ret_cure)
{
	const char *folder = places[place].folder;
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	struct stat st;

	/* Finds nothing wrong for other users: the folder rightly belongs to root. */
	if (geteuid() || lstat(folder, &st) < 0)
		return NULL;
	if (!S_ISDIR(st.st_mode)) {
		tsh_strbuf_addf(&what, "%s is %s", folder, tsh_kind_name(st.st_mode));
		*ret_cure = tsh_xasprintf("rm %s", folder);
	} else if (st.st_uid) {
		tsh_strbuf_addf(&what, "%s belongs to ", folder);
		tsh_owner_name(st.st_uid, &what);
		*ret_cure = tsh_xasprintf("chown 0 %s && chmod 700 %s", folder, folder);
	} else if (!tsh_journal_dir_is_ours(&st)) {
		tsh_strbuf_addf(&what, "others may write to %s (mode %o)", folder,
				st.st_mode & 07777);
		*ret_cure = tsh_xasprintf("chmod 700 %s", folder);
	} else {
		return NULL;
	}
	return tsh_strbuf_detach(&what);
}

static int is_writable(unsigned int place)
{
	int fd = tsh_journal_dir_open(place, false), r = fd < 0 ? fd : 0;
	const char *path = fd < 0 ? places[place].parent : places[place].folder;
	struct statvfs fs;

	if (fd == -ENOENT)
		r = access(path, W_OK) < 0 ? -errno : 0;
	else if (fd >= 0 && faccessat(fd, ".", W_OK, 0) < 0)
		r = -errno;
	/* A journal needs at least an inode, even when its text goes elsewhere. */
	if (!r && !statvfs(path, &fs) && fs.f_files && !fs.f_favail)
		r = -ENOSPC;
	if (fd >= 0)
		close(fd);
	return r;
}

int tsh_journal_check_writable(void)
{
	unsigned int place;
	int first = is_writable(0), r = first;

	for (place = 1; r < 0 && place < TSH_JOURNAL_PLACES; place++)
		r = is_writable(place);
	return r < 0 ? first : 0;
}
