/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"

/*
 * Runs the rc files at the start of a session at the prompt. Their commands may do everything that
 * we may. So only root and we may be able to write the files, or to replace a file, for example by
 * a link.
 */

static bool is_safe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && tsh_is_safe(&st);
}

static void refuse_rc(struct tsh_engine *e, const char *path)
{
	tsh_out_warn(&e->out, "'%s' is not read: somebody else owns it or a folder above it, or may write there",
		     path);
}

/* Runs the commands of a file; an error only ends its own command. */
static void run_fd(struct tsh_engine *e, int fd, const char *path)
{
	struct tsh_input input = { .name = path, .tolerant = true };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct stat st;

	if (fstat(fd, &st) < 0 || !is_safe(fd)) {
		refuse_rc(e, path);
	} else if (tsh_batch_read(fd, path, NULL, &text, &err) < 0) {
		tsh_engine_report(e, &err);
		tsh_err_release(&err);
	} else {
		input.text = text.buf;
		input.len = text.len;
		input.device = st.st_dev;
		input.inode = st.st_ino;
		tsh_run_input(e, &input);
	}
	tsh_strbuf_release(&text);
}

/* Runs the file `name` of a folder, which is ours, and closes the folder. */
static void run_in_folder(struct tsh_engine *e, int dir, const char *name, const char *path)
{
	int fd = tsh_open_regular_at(dir, name, O_RDONLY);

	close(dir);
	if (fd >= 0) {
		run_fd(e, fd, path);
		close(fd);
	} else if (fd != -ENOENT && fd != -ENOTDIR) {
		tsh_out_warn(&e->out, "'%s' is not read: %s", path,
			     fd == -EOPNOTSUPP ? "it is no regular file" : strerror(-fd));
	}
}

/*
 * Opens the last of `folders` (NULL at the end): the first by its path, each further one inside the
 * folder before. Returns -1 when one is missing. *ret_safe: all folders are safe, so that a link in
 * one is our own.
 */
static int open_folders(const char *const *folders, bool *ret_safe)
{
	int fd = AT_FDCWD;

	*ret_safe = true;
	for (; *folders && fd != -1; folders++) {
		int next = fd == AT_FDCWD ? tsh_open_folder(*folders, false) :
					    openat(fd, *folders, O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (fd >= 0)
			close(fd);
		fd = next < 0 ? -1 : next;
		*ret_safe = *ret_safe && fd >= 0 && is_safe(fd);
	}
	return fd;
}

static void run_below(struct tsh_engine *e, const char *const *folders, const char *path)
{
	bool safe;
	int dir = open_folders(folders, &safe);

	/* checks, too, that nobody can have moved a folder of ours to this place */
	if (dir >= 0 && safe && tsh_is_protected(path)) {
		run_in_folder(e, dir, "rc", path);
	} else if (dir >= 0) {
		if (!faccessat(dir, "rc", F_OK, 0))
			refuse_rc(e, path);
		close(dir);
	}
}

static void run_own(struct tsh_engine *e)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *const in_config[] = { config, "tracesh", NULL };
	const char *const in_home[] = { home, ".config", "tracesh", NULL };
	bool has_config = config && *config == '/';
	char *path;

	/* a relative path would depend on the current folder */
	if (!has_config && !(home && *home == '/'))
		return;
	path = tsh_xasprintf("%s%s/tracesh/rc", has_config ? config : home,
			     has_config ? "" : "/.config");
	run_below(e, has_config ? in_config : in_home, path);
	free(path);
}

bool tsh_engine_run_rc(struct tsh_engine *e)
{
	int dir = open(SYSCONFDIR, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		run_in_folder(e, dir, "tracesh.rc", SYSCONFDIR "/tracesh.rc");
	if (!e->session.quit && !e->session.aborted)
		run_own(e);
	if (e->dry_run)
		tsh_dry_run_print(e);
	e->failed = false;
	if (!e->session.quit)
		e->session.status = TSH_OK;
	return tsh_engine_end_interrupt(e);
}
