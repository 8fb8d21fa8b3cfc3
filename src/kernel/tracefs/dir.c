/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/safe-file.h"
#include "base/utf8.h"
#include "probe.h"
#include "tree-file.h"

#define TRACEFS_MAGIC 0x74726163
#define DEBUGFS_MAGIC 0x64626720

/* Opens a directory that may be the tracing directory. Returns 0, or -errno; -ENODEV when it is not
 * one. */
static int try_dir(const char *path, int *ret_fd, enum tsh_dir_kind *ret_kind)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	if (fs.f_type == TRACEFS_MAGIC) {
		*ret_kind = TSH_DIR_TRACEFS;
	} else if (fs.f_type == DEBUGFS_MAGIC && !fstatat(fd, "current_tracer", &st, 0)) {
		*ret_kind = TSH_DIR_DEBUGFS;
	} else if (!fstatat(fd, "events", &st, 0) && S_ISDIR(st.st_mode)) {
		*ret_kind = TSH_DIR_TREE;
	} else {
		close(fd);
		return -ENODEV;
	}
	*ret_fd = fd;
	return 0;
}

/* Replaces the octal escapes of the mount table in place (\040 is a blank). */
static void unescape_octal(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* Returns the first tracefs of the mount table (proc(5), /proc/PID/mounts), or NULL. The caller
 * frees it. */
static char *mounted_tracefs(void)
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char *line = NULL, *found = NULL;
	size_t cap = 0;

	if (!f)
		return NULL;
	while (!found && getline(&line, &cap, f) > 0) {
		char *save = NULL;
		char *dir, *type;

		strtok_r(line, " ", &save);
		dir = strtok_r(NULL, " ", &save);
		type = strtok_r(NULL, " ", &save);
		if (dir && type && !strcmp(type, "tracefs")) {
			unescape_octal(dir);
			found = tsh_xstrdup(dir);
		}
	}
	free(line);
	fclose(f);
	return found;
}

/* Says whether this is root in a container, which cannot mount tracefs: CAP_SYS_ADMIN is
 * missing. */
static bool is_contained(void)
{
	return prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0;
}

/* Compares the inode of this process's user namespace with that of the first one
 * (PROC_USER_INIT_INO, linux/proc_ns.h). */
static bool is_in_user_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != 0xEFFFFFFD;
}

static int explain_missing(struct tsh_err *err)
{
	char buf[8192];

	if (tsh_read_small("/proc/filesystems", buf, sizeof(buf)) >= 0 && !strstr(buf, "\ttracefs\n") &&
	    !strstr(buf, "\tdebugfs\n")) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no tracefs");
		tsh_err_hint(err, "it was built without CONFIG_TRACING; a recorded tree can "
			     "still be read with --tracefs DIR");
		return -1;
	}
	tsh_err_set(err, TSH_ENVIRONMENT, "tracefs is not mounted");
	if (geteuid() == 0 && is_in_user_namespace())
		tsh_err_hint(err, "root of a user namespace (unshare -r, a container) cannot mount it: mount it "
			     "outside, at /sys/kernel/tracing, before the namespace is made");
	else if (geteuid() == 0 && is_contained())
		tsh_err_hint(err, "a container cannot mount it: start it with the host's "
			     "/sys/kernel/tracing at the same place");
	else if (geteuid() == 0)
		tsh_err_hint(err, "mount -t tracefs nodev /sys/kernel/tracing");
	else
		tsh_err_hint(err, "as root: mount -t tracefs nodev /sys/kernel/tracing");
	return -1;
}

/* Says whether a path can be that of tracefs; other paths are recorded trees as a rule. */
static bool is_below_sys(const char *path)
{
	static const char sys[] = "/sys/";

	return !strncmp(path, sys, strlen(sys));
}

static int explain_errno(struct tsh_err *err, const char *path, int number)
{
	char *word;

	if (number == ENOENT || number == ENOTDIR) {
		tsh_err_path(err, number, "open", path);
		err->status = TSH_ENVIRONMENT;
		return -1;
	}
	tsh_err_set(err, TSH_ENVIRONMENT, "cannot open '%s': %s", path, strerror(number));
	err->number = number;
	if (number != EACCES && number != EPERM)
		return -1;
	word = tsh_typed_word(path);
	if (is_below_sys(path))
		/* The directory has the mode 0700: a group alone has no access. */
		tsh_err_hint(err, "run it as root, or let a group in: "
			     "mount -o remount,mode=750,gid=GROUP %s", word);
	else
		tsh_err_hint(err, "its owner can read it, or root: ls -ld %s", word);
	free(word);
	return -1;
}

/* Checks that tracefs has files. Under lockdown=confidentiality the kernel mounts it without
 * any. */
static int check_files(struct tsh_dir *dir, struct tsh_err *err)
{
	char buf[256];
	struct stat st;

	if (dir->kind == TSH_DIR_TREE || !fstatat(dir->fd, "current_tracer", &st, 0))
		return 0;
	if (errno == EACCES)
		return explain_errno(err, dir->path, EACCES);
	tsh_err_set(err, TSH_ENVIRONMENT, "'%s' is mounted but empty", dir->path);
	if (tsh_read_small("/sys/kernel/security/lockdown", buf, sizeof(buf)) >= 0 &&
	    strstr(buf, "[confidentiality]"))
		tsh_err_hint(err, "the kernel is locked down (lockdown=confidentiality): "
			     "tracing needs a boot without it");
	else
		tsh_err_hint(err, "the kernel was built without tracers, or security policy "
			     "hides them");
	return -1;
}

static int find_dir(struct tsh_dir *dir, struct tsh_err *err)
{
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	const char *denied = NULL;
	char *mounted;
	size_t i;
	int r;

	for (i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		r = try_dir(usual[i], &dir->fd, &dir->kind);
		if (!r && dir->kind != TSH_DIR_TREE) {
			dir->path = tsh_xstrdup(usual[i]);
			return 0;
		}
		if (!r)
			close(dir->fd);
		if ((r == -EACCES || r == -EPERM) && !denied)
			denied = usual[i];
	}
	mounted = mounted_tracefs();
	if (mounted && !denied) {
		r = try_dir(mounted, &dir->fd, &dir->kind);
		/* The mount may be hidden: its path now leads to an ordinary directory. */
		if (!r && dir->kind == TSH_DIR_TREE)
			r = -ENODEV;
		if (!r) {
			dir->path = mounted;
			return 0;
		}
		explain_errno(err, mounted, -r);
		free(mounted);
		return -1;
	}
	free(mounted);
	return denied ? explain_errno(err, denied, EACCES) : explain_missing(err);
}

/* Opens a file that has the text of a buffer as a tree of one file. Returns 0 or -errno. */
static int try_text(struct tsh_dir *dir, const char *path)
{
	int fd = tsh_open_regular(path), r;

	if (fd < 0)
		return fd == -EOPNOTSUPP || fd == -EINVAL ? -ENOTDIR : fd;
	/* Opens something that is not a directory, so that no other file is found below it. */
	dir->fd = open("/dev/null", O_PATH | O_CLOEXEC);
	if (dir->fd < 0) {
		r = -errno;
		close(fd);
		return r;
	}
	dir->kind = TSH_DIR_TREE;
	dir->text_fd = fd;
	return 0;
}

static int named_dir(struct tsh_dir *dir, const char *path, struct tsh_err *err)
{
	int r = try_dir(path, &dir->fd, &dir->kind);

	if (r == -ENOTDIR)
		r = try_text(dir, path);
	if (r == -ENODEV) {
		tsh_err_set(err, TSH_ENVIRONMENT,
			    "'%s' is neither tracefs nor a recorded tree", path);
		return -1;
	}
	if (r < 0)
		return explain_errno(err, path, -r);
	dir->path = tsh_xstrdup(path);
	return 0;
}

int tsh_dir_open(const char *path, struct tsh_dir **ret_dir, struct tsh_err *err)
{
	struct tsh_dir *dir = tsh_xcalloc(1, sizeof(*dir));
	int r;

	dir->fd = -1;
	r = path ? named_dir(dir, path, err) : find_dir(dir, err);
	if (!r)
		r = check_files(dir, err);
	if (r < 0) {
		tsh_dir_close(dir);
		return -1;
	}
	dir->read_only = dir->bounds_text = dir->kind == TSH_DIR_TREE;
	*ret_dir = dir;
	return 0;
}

struct tsh_dir *tsh_dir_open_tree(int fd, const char *path)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct tsh_dir *dir;

	if (copy < 0)
		return NULL;
	dir = tsh_xcalloc(1, sizeof(*dir));
	dir->fd = copy;
	dir->kind = TSH_DIR_TREE;
	dir->path = tsh_xstrdup(path);
	dir->read_only = true;
	return dir;
}

int tsh_dir_text_fd(const struct tsh_dir *dir)
{
	return dir->text_fd > 0 ? dir->text_fd : -1;
}

void tsh_dir_set_file(struct tsh_dir *dir, struct tsh_tree_file *file)
{
	close(dir->text_fd);
	dir->text_fd = 0;
	dir->file = file;
}

void tsh_dir_close(struct tsh_dir *dir)
{
	if (!dir)
		return;
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->text_fd > 0)
		close(dir->text_fd);
	if (dir->file)
		dir->file->ops->free(dir->file);
	tsh_probe_unhold(dir);
	free(dir->group);
	tsh_dir_forget_unread(dir);
	if (dir->backend && dir->backend->close)
		dir->backend->close(dir);
	free(dir->path);
	free(dir);
}
