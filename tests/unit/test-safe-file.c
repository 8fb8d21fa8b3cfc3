/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/safe-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/strbuf.h"

/*
 * Nothing outside of the directory is opened: with openat2(2), and where the kernel has
 * none (ENOSYS) or a seccomp profile does not know it (EPERM), component by component.
 */

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char top[] = "/tmp/tracesh-safe-file-XXXXXX";
static int dirfd_;

static void make_tree(void)
{
	int fd;

	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	assert_int_equal(mkdir("in", 0700) | mkdir("in/sub", 0700) | mkdir("in/sub/deep", 0700), 0);
	fd = open("in/sub/deep/file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	fd = open("outside", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink("../outside", "in/link") | symlink("sub", "in/inner") |
			 symlink("..", "in/up") | symlink("/", "in/root") |
			 symlink("nowhere", "in/sub/dangling"), 0);
	dirfd_ = open("in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dirfd_ >= 0);
}

static int remove_tree(void **state)
{
	(void)state;
	close(dirfd_);
	unlink("in/link");
	unlink("in/inner");
	unlink("in/up");
	unlink("in/root");
	unlink("in/sub/dangling");
	unlink("in/sub/deep/file");
	rmdir("in/sub/deep");
	rmdir("in/sub");
	rmdir("in");
	unlink("outside");
	return chdir("/") | rmdir(top);
}

static int make(void **state)
{
	(void)state;
	make_tree();
	return 0;
}

/* From now on openat2 fails so. The filter that was added last decides. */
static void forbid_openat2(int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)number),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { N(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		skip();
	assert_int_equal(syscall(437, dirfd_, "sub", NULL, 0), -1);
	assert_int_equal(errno, number);
}

/* 0: it opens. */
static void check(const char *path, int flags, int want)
{
	int fd = tsh_open_beneath(dirfd_, path, flags);

	if (fd >= 0) {
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
		fd = 0;
	}
	if (fd != want)
		fail_msg("'%s', flags %o: %d, not %d", path, (unsigned int)flags, fd, want);
}

static void check_all(void)
{
	static const struct {
		const char *path;
		int flags;
		int want;
	} rows[] = {
		{ "sub/deep/file", O_RDONLY, 0 },
		{ "sub/deep/file", O_WRONLY | O_TRUNC, 0 },
		{ "sub/deep/file", O_PATH, 0 },
		{ "sub/deep", O_DIRECTORY, 0 },
		{ "sub/deep/", O_DIRECTORY, 0 },
		{ "sub/", O_DIRECTORY, 0 },
		{ ".", O_DIRECTORY, 0 },
		{ "sub/none", O_RDONLY, -ENOENT },
		{ "none/file", O_RDONLY, -ENOENT },
		{ "sub/deep/file", O_DIRECTORY, -ENOTDIR },
		{ "sub/deep/file/", O_DIRECTORY, -ENOTDIR },
		{ "sub/deep/file/x", O_RDONLY, -ENOTDIR },
		{ "", O_RDONLY, -EINVAL },
		{ "..", O_DIRECTORY, -EXDEV },
		{ "../outside", O_RDONLY, -EXDEV },
		{ "sub/../../outside", O_RDONLY, -EXDEV },
		{ "sub/../sub/deep/file", O_RDONLY, -EXDEV },
		{ "sub/..", O_PATH, -EXDEV },
		{ "/etc/passwd", O_RDONLY, -EXDEV },
		{ "/", O_PATH, -EXDEV },
		{ "sub//deep/file", O_RDONLY, -EINVAL },
		{ "./sub/deep/file", O_RDONLY, -EINVAL },
		{ "sub/./deep/file", O_RDONLY, -EINVAL },
		{ "link", O_RDONLY, -ELOOP },
		{ "link", O_PATH, -ELOOP },
		{ "link", O_WRONLY | O_TRUNC, -ELOOP },
		{ "inner", O_PATH, -ELOOP },
		{ "inner/deep/file", O_RDONLY, -ELOOP },
		{ "inner/deep/file", O_PATH, -ELOOP },
		{ "up/outside", O_RDONLY, -ELOOP },
		{ "root/etc/passwd", O_RDONLY, -ELOOP },
		{ "sub/dangling", O_RDONLY, -ELOOP },
	};
	char name[300];
	size_t i;

	for (i = 0; i < N(rows); i++)
		check(rows[i].path, rows[i].flags, rows[i].want);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	check(name, O_RDONLY, -ENAMETOOLONG);
	name[255] = '\0';
	check(name, O_RDONLY, -ENOENT);
}

/* ---- making, replacing and removing beneath a folder ---- */

static void is_text(int folder, const char *path, const char *want)
{
	char text[64] = "";
	int fd = tsh_open_beneath(folder, path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) >= 0);
	close(fd);
	assert_string_equal(text, want);
}

static size_t entries_of(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void test_make(void **state)
{
	struct stat st;
	int fd = tsh_create_beneath(dirfd_, "new/deep/file");

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);
	assert_int_equal(stat("in/new", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(tsh_create_beneath(dirfd_, "new/deep/file"), -EEXIST);
	/* Links lead nowhere, not as folders and not as files. */
	assert_int_equal(tsh_create_beneath(dirfd_, "up/made"), -ELOOP);
	assert_int_equal(tsh_create_beneath(dirfd_, "inner/made"), -ELOOP);
	assert_int_equal(tsh_create_beneath(dirfd_, "sub/dangling"), -EEXIST);
	assert_int_equal(tsh_create_beneath(dirfd_, "../made"), -EXDEV);
	assert_int_equal(tsh_create_beneath(dirfd_, "/made"), -EXDEV);
	assert_int_equal(tsh_create_beneath(dirfd_, "sub/.."), -EXDEV);
	assert_int_equal(tsh_replace_beneath(dirfd_, "up/outside", "x", 1), -ELOOP);
	assert_int_equal(access("made", F_OK), -1);

	assert_int_equal(tsh_replace_beneath(dirfd_, "new/deep/file", "one", 3), 0);
	is_text(dirfd_, "new/deep/file", "one");
	assert_int_equal(tsh_replace_beneath(dirfd_, "new/deep/file", "two", 3), 0);
	is_text(dirfd_, "new/deep/file", "two");
	/* A link is replaced, and what it leads to stays. */
	assert_int_equal(symlink("../../../outside", "in/new/deep/link"), 0);
	assert_int_equal(tsh_replace_beneath(dirfd_, "new/deep/link", "three", 5), 0);
	assert_int_equal(lstat("outside", &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(entries_of("in/new/deep"), 2);
	assert_int_equal(tsh_replace_beneath(dirfd_, "sub/deep", "x", 1), -EISDIR);
	assert_int_equal(entries_of("in/sub"), 2);

	assert_int_equal(symlink("../sub", "in/new/out"), 0);
	assert_int_equal(tsh_remove_beneath(dirfd_, "new"), 0);
	assert_int_equal(access("in/new", F_OK), -1);
	assert_int_equal(access("in/sub/deep/file", F_OK), 0);
}

/* In a folder that others may write to nothing is made. */
static void test_make_in_shared(void **state)
{
	(void)state;
	assert_int_equal(mkdir("in/shared", 0700) | chmod("in/shared", 0777), 0);
	assert_int_equal(tsh_create_beneath(dirfd_, "shared/sub/file"), -EPERM);
	assert_int_equal(rmdir("in/shared"), 0);
}

/* ---- by a path ---- */

/* want 0: the folder is the one that stat(2) finds by `same`. */
static void check_folder(const char *path, int want, const char *same, const char *name)
{
	char *last = NULL;
	int fd = name ? tsh_open_parent(path, &last) : tsh_open_folder(path, false);
	struct stat a, b;

	if (want) {
		assert_int_equal(fd, want);
		return;
	}
	if (fd < 0)
		fail_msg("'%s': %d", path, fd);
	assert_int_equal(fstat(fd, &a) | stat(same, &b), 0);
	assert_true(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	if (name)
		assert_string_equal(last, name);
	free(last);
	close(fd);
}

static void test_paths(void **state)
{
	char *path = NULL;

	(void)state;
	assert_true(asprintf(&path, "%s/in//sub/", top) > 0);
	check_folder(path, 0, "in/sub", NULL);
	check_folder(path, 0, "in", "sub");
	free(path);
	check_folder("in/up/in/sub/../inner/deep/x", 0, "in/sub/deep", "x");
	check_folder("x", 0, ".", "x");
	check_folder("/", 0, "/", ".");
	check_folder("/x", 0, "/", "x");
	check_folder("", -ENOENT, NULL, "");
	check_folder("in/root", 0, "/", NULL);
	check_folder("in/root/tmp/x", 0, "/tmp", "x");
	check_folder("in/sub/deep/file/x", -ENOTDIR, NULL, "x");
	check_folder("in/none/x", -ENOENT, NULL, "x");
	check_folder("/proc/self/cwd/x", 0, ".", "x");
	assert_int_equal(symlink("loop", "in/sub/deep/loop"), 0);
	check_folder("in/sub/deep/loop/x", -ELOOP, NULL, "x");
	unlink("in/sub/deep/loop");
}

static void test_links_of_others(void **state)
{
	struct stat st = { .st_mode = S_IFREG | 0600, .st_uid = 1234, .st_gid = 5 };

	(void)state;
	assert_int_equal(symlink("sub", "in/theirs"), 0);
	if (lchown("in/theirs", 1234, 1234)) {
		unlink("in/theirs");
		skip();
	}
	unsetenv("SUDO_UID");
	check_folder("in/theirs/x", -ELOOP, NULL, "x");
	check_folder("in/theirs", -ELOOP, NULL, NULL);
	setenv("SUDO_UID", "1234", 1);
	check_folder("in/theirs/x", 0, "in/sub", "x");
	assert_true(tsh_is_trusted(0, &st));
	assert_false(tsh_is_safe(&st));
	unsetenv("SUDO_UID");
	assert_false(tsh_is_trusted(0, &st));
	unlink("in/theirs");
}

static void test_modes(void **state)
{
	struct stat st = { .st_mode = S_IFREG | 0664, .st_uid = geteuid(), .st_gid = geteuid() };

	(void)state;
	/* Root's group bits may be those of an ACL that names somebody. */
	assert_int_equal(tsh_is_trusted(0, &st), geteuid() != 0);
	assert_false(tsh_is_safe(&st));
	st.st_gid++;
	assert_false(tsh_is_trusted(0, &st));
	st.st_mode = S_IFREG | 0646;
	assert_false(tsh_is_trusted(0, &st) || tsh_is_safe(&st));
	st.st_mode = S_IFREG | 0644;
	assert_true(tsh_is_trusted(0, &st) && tsh_is_safe(&st));
}

static void test_regular(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkfifo("in/fifo", 0600), 0);
	assert_int_equal(tsh_open_regular("in/fifo"), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular("in"), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular("/dev/null"), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular("in/none"), -ENOENT);
	assert_int_equal(tsh_open_regular_beneath(dirfd_, "fifo"), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular_beneath(dirfd_, "inner/deep/file"), -ELOOP);
	assert_int_equal(tsh_open_regular_at(dirfd_, "fifo", O_RDONLY), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular_at(dirfd_, "none", O_RDONLY), -ENOENT);
	fd = tsh_open_regular("in/sub/deep/file");
	assert_true(fd >= 0);
	close(fd);
	fd = tsh_open_regular_beneath(dirfd_, "sub/deep/file");
	assert_true(fd >= 0);
	close(fd);
	fd = tsh_open_regular_at(dirfd_, "sub/deep/file", O_RDWR | O_NOFOLLOW);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	unlink("in/fifo");
}

/* Check that nobody has opened the terminal behind a master: its end would be seen there. */
static void check_unopened(int master)
{
	struct pollfd poll_fd = { .fd = master };

	assert_true(poll(&poll_fd, 1, 0) >= 0);
	assert_int_equal(poll_fd.revents & POLLHUP, 0);
}

static void test_device(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), folder, fd;
	char path[64], *name;

	(void)state;
	if (master < 0 || unlockpt(master) || ptsname_r(master, path, sizeof(path)))
		skip();
	name = strrchr(path, '/');
	*name = '\0';
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*name = '/';
	assert_true(folder >= 0);
	assert_int_equal(tsh_open_regular(path), -EOPNOTSUPP);
	check_unopened(master);
	assert_int_equal(tsh_open_regular_beneath(folder, name + 1), -EOPNOTSUPP);
	check_unopened(master);
	assert_int_equal(tsh_open_regular_at(folder, name + 1, O_RDWR | O_NOFOLLOW), -EOPNOTSUPP);
	check_unopened(master);
	assert_int_equal(symlink(path, "in/terminal"), 0);
	assert_int_equal(tsh_open_regular("in/terminal"), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular_at(dirfd_, "terminal", O_RDONLY), -EOPNOTSUPP);
	assert_int_equal(tsh_open_regular_at(dirfd_, "terminal", O_RDONLY | O_NOFOLLOW), -ELOOP);
	unlink("in/terminal");
	check_unopened(master);
	/* So it is seen. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(poll(&(struct pollfd){ .fd = master }, 1, 0), 1);
	close(folder);
	close(master);
}

/* Forbid /proc/self/fd/N: there is no /proc. */
static void test_regular_without_proc(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", "/proc/self", "tmpfs", 0, NULL))
		skip();
	assert_int_equal(access("/proc/self/fd", F_OK), -1);
	test_regular(state);
	assert_int_equal(umount("/proc/self"), 0);
}

/* /proc/self/fd/N and /proc/self/root lead anywhere. */
static void check_magic_links(void)
{
	char path[64];
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(proc >= 0);
	snprintf(path, sizeof(path), "%d/fd/%d", (int)getpid(), dirfd_);
	assert_int_equal(tsh_open_beneath(proc, path, O_PATH), -ELOOP);
	assert_int_equal(tsh_open_beneath(proc, "self/status", O_RDONLY), -ELOOP);
	close(proc);
}

static void test_as_it_is(void **state)
{
	(void)state;
	check_all();
	check_magic_links();
}

static void test_without(void **state)
{
	(void)state;
	forbid_openat2(ENOSYS);
	check_all();
	check_magic_links();
}

static void test_forbidden(void **state)
{
	(void)state;
	forbid_openat2(EPERM);
	check_all();
	check_magic_links();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_make_in_shared),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_links_of_others),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_regular),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_regular_without_proc),
		cmocka_unit_test(test_as_it_is),
		cmocka_unit_test(test_without),
		cmocka_unit_test(test_forbidden),
	};

	return cmocka_run_group_tests(tests, make, remove_tree);
}
