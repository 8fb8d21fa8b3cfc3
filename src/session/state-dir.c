/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/xmalloc.h"

/* Says whether a folder is ours, and nobody else may write to it. */
static bool is_ours(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       tsh_is_safe(&st);
}

/* Opens a folder of ours; with `make` makes its missing parts. Returns -EPERM for a folder that is
 * not ours, or that somebody else can replace. */
static int open_ours(const char *path, bool make)
{
	int fd = tsh_open_folder(path, make);

	if (fd < 0 || (is_ours(fd) && tsh_is_protected(path)))
		return fd;
	close(fd);
	return -EPERM;
}

/* Says whether a folder is ours, or can be made in one that is. */
static bool can_be_ours(const char *path)
{
	char *part = tsh_xstrdup(path);
	int fd = open_ours(part, false);

	while (fd == -ENOENT && strrchr(part, '/') != part) {
		*strrchr(part, '/') = '\0';
		fd = open_ours(part, false);
	}
	free(part);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Returns the path of tracesh's folder, which the caller frees; NULL when none would be ours. */
static char *choose(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/' && can_be_ours(state))
		return tsh_xasprintf("%s/tracesh", state);
	if (geteuid() == 0)
		return tsh_xstrdup("/var/lib/tracesh");
	if (!home || *home != '/' || !can_be_ours(home))
		return NULL;
	return tsh_xasprintf("%s/.local/state/tracesh", home);
}

char *tsh_state_path(const char *name)
{
	char *folder = choose();
	int fd = folder ? open_ours(folder, false) : -1;
	char *path = fd >= 0 ? tsh_xasprintf("%s/%s", folder, name) : NULL;

	if (fd >= 0)
		close(fd);
	free(folder);
	return path;
}

/* Makes the folder that is the first `len` bytes of `path`. Takes over `path` and returns it, or
 * frees it and returns NULL with err. */
static char *make_folder_of(char *path, size_t len, struct tsh_err *err)
{
	char *folder = tsh_xstrndup(path, len);
	int fd = open_ours(folder, true);

	if (fd >= 0) {
		close(fd);
	} else {
		if (fd == -EPERM || fd == -ENOTDIR || fd == -ELOOP)
			tsh_err_set(err, TSH_FAILED, "'%s' is not a folder that is yours alone",
				    folder);
		else
			tsh_err_path(err, -fd, "make", folder);
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

/* Returns the path of `name` in the folder, which the caller frees; NULL with err. */
static char *path_of(const char *name, struct tsh_err *err)
{
	char *folder = choose(), *path;

	if (!folder) {
		tsh_err_set(err, TSH_FAILED, "there is no folder for the history and saved events");
		tsh_err_hint(err, "set XDG_STATE_HOME to a folder that is yours alone");
		return NULL;
	}
	path = tsh_xasprintf("%s/%s", folder, name);
	free(folder);
	return path;
}

char *tsh_state_dir(const char *name, struct tsh_err *err)
{
	char *path = path_of(name, err);

	return path ? make_folder_of(path, strlen(path), err) : NULL;
}

char *tsh_state_file(const char *name, struct tsh_err *err)
{
	char *path = path_of(name, err);

	return path ? make_folder_of(path, (size_t)(strrchr(path, '/') - path), err) : NULL;
}
