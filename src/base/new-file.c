/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "new-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safe-file.h"
#include "utf8.h"
#include "xmalloc.h"

static int cannot_write(struct tsh_err *err, const char *path, int number)
{
	tsh_err_path(err, number, "write", path);
	err->status = TSH_FAILED;
	return -1;
}

/* Says that a file is there, and what to type. */
static int refuse_old(struct tsh_err *err, const char *path, mode_t mode)
{
	if (!S_ISREG(mode)) {
		tsh_err_set(err, TSH_FAILED, "'%s' is %s", path, tsh_kind_name(mode));
		tsh_err_hint(err, "only a regular file is replaced: give another name");
		return -1;
	}
	tsh_err_set(err, TSH_FAILED, "'%s' exists already", path);
	err->number = EEXIST;
	return -1;
}

int tsh_new_file_open(struct tsh_new_file *file, const char *path, bool replaces, struct tsh_err *err)
{
	struct stat st;

	*file = (struct tsh_new_file){ .fd = -1 };
	file->folder = tsh_open_parent(path, &file->name);
	if (file->folder < 0)
		return cannot_write(err, path, -file->folder);
	if (!fstatat(file->folder, file->name, &st, AT_SYMLINK_NOFOLLOW) && (!replaces || !S_ISREG(st.st_mode))) {
		refuse_old(err, path, st.st_mode);
	} else {
		file->temporary = tsh_xasprintf(".%s.%d", file->name, (int)getpid());
		(void)tsh_unlink_beneath(file->folder, file->temporary);
		file->fd = tsh_create_beneath(file->folder, file->temporary);
		if (file->fd >= 0)
			return 0;
		cannot_write(err, path, -file->fd);
	}
	tsh_new_file_drop(file);
	return -1;
}

int tsh_new_file_end(struct tsh_new_file *file, const char *path, bool replaces, struct tsh_err *err)
{
	int r = close(file->fd) < 0 && errno != EINTR ? -errno : 0;
	bool renames = replaces;

	file->fd = -1;
	/* A link replaces nothing; the other name is removed at the end. Some file systems have none. */
	if (!r && !replaces && linkat(file->folder, file->temporary, file->folder, file->name, 0) < 0) {
		r = errno == EEXIST ? -EEXIST : 0;
		renames = !r;
	}
	if (!r && renames && renameat(file->folder, file->temporary, file->folder, file->name) < 0)
		r = -errno;
	if (r == -EEXIST)
		refuse_old(err, path, S_IFREG);
	else if (r < 0)
		cannot_write(err, path, -r);
	tsh_new_file_drop(file);
	return r ? -1 : 0;
}

void tsh_new_file_drop(struct tsh_new_file *file)
{
	if (!file->name)
		return;
	if (file->fd >= 0)
		close(file->fd);
	if (file->temporary)
		(void)tsh_unlink_beneath(file->folder, file->temporary);
	if (file->folder >= 0)
		close(file->folder);
	free(file->name);
	free(file->temporary);
	*file = (struct tsh_new_file){ .fd = -1, .folder = -1 };
}
