/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state-dir.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/xmalloc.h"

/* A folder of ours that nobody else may write to. */
static bool is_ours(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

/* A folder, or root's link to one, that nobody but root and us can change. */
static bool is_safe(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && (!S_ISLNK(st.st_mode) || st.st_uid == 0) &&
	       !stat(path, &st) && S_ISDIR(st.st_mode) &&
	       (st.st_uid == 0 || st.st_uid == geteuid()) && !(st.st_mode & 022);
}

/* Whether nobody else can put something else in the place of a part of a path. In a folder
 * like /tmp everybody may make something, and only its owner takes it away. */
static bool is_safe_way(const char *path)
{
	char *part = tsh_xstrdup(path), *slash = part;
	struct stat st;
	bool safe = true;

	while (safe && (slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		safe = is_safe(part) || (!lstat(part, &st) && S_ISDIR(st.st_mode) &&
					 st.st_uid == 0 && st.st_mode & S_ISVTX);
		*slash = '/';
	}
	safe = safe && is_safe(part);
	free(part);
	return safe;
}

/* How much of a path exists, in bytes; 0: only the root. */
static size_t existing_part(const char *path)
{
	char *part = tsh_xstrdup(path);
	size_t len = strlen(part);
	struct stat st;

	while (len && lstat(part, &st) < 0 && errno == ENOENT) {
		do
			len--;
		while (len && part[len] != '/');
		part[len] = '\0';
	}
	free(part);
	return len;
}

/* Whether it is ours, or can be made to be; *ret_base: how much of it exists. */
static bool can_be_ours(const char *path, size_t *ret_base)
{
	char *base;
	bool safe;

	if (!path || *path != '/')
		return false;
	*ret_base = existing_part(path);
	if (*ret_base == strlen(path))
		return is_ours(path);
	base = tsh_xstrndup(path, *ret_base);
	safe = is_safe_way(base) && is_ours(base);
	free(base);
	return safe;
}

/* The folder, and how much of its path exists already; what is missing is made. */
static char *choose(size_t *ret_base)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (can_be_ours(state, ret_base))
		return tsh_xasprintf("%s/tracesh", state);
	*ret_base = strlen("/var/lib");
	if (geteuid() == 0)
		return tsh_xstrdup("/var/lib/tracesh");
	if (!home || *home != '/' || !is_ours(home))
		return NULL;
	*ret_base = strlen(home);
	return tsh_xasprintf("%s/.local/state/tracesh", home);
}

/* -EPERM: one that is there belongs to somebody else, or others may write to it. */
static int make_folders(char *path, size_t from)
{
	char *slash = path + from;

	while (slash) {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return -errno;
		if (!is_ours(path))
			return -EPERM;
		if (slash)
			*slash = '/';
	}
	return 0;
}

char *tsh_state_path(const char *name)
{
	size_t base;
	char *folder = choose(&base), *path;

	path = folder && is_ours(folder) ? tsh_xasprintf("%s/%s", folder, name) : NULL;
	free(folder);
	return path;
}

static char *no_folder(struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "there is no folder for what is kept");
	tsh_err_hint(err, "XDG_STATE_HOME names one, which must be your own");
	return NULL;
}

/* Makes `path`, of which what is before `from` exists already; takes it over. */
static char *made(char *path, size_t from, struct tsh_err *err)
{
	int r = make_folders(path, from);

	if (!r)
		return path;
	if (r == -EPERM)
		tsh_err_set(err, TSH_FAILED, "'%s' is not a folder that is ours alone", path);
	else
		tsh_err_errno(err, -r, "cannot make '%s'", path);
	free(path);
	return NULL;
}

char *tsh_state_dir(const char *name, struct tsh_err *err)
{
	size_t base;
	char *folder = choose(&base), *path;

	if (!folder)
		return no_folder(err);
	path = tsh_xasprintf("%s/%s", folder, name);
	free(folder);
	return made(path, base, err);
}

char *tsh_state_file(const char *name, struct tsh_err *err)
{
	size_t base;
	char *folder = choose(&base), *path;

	if (!folder)
		return no_folder(err);
	folder = made(folder, base, err);
	if (!folder)
		return NULL;
	path = tsh_xasprintf("%s/%s", folder, name);
	free(folder);
	return path;
}
