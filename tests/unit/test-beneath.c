/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../../src/tracefs/beneath.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracesh/strbuf.h"

/*
 * Nothing outside of the directory is opened: with openat2(2), and where the kernel has
 * none (ENOSYS) or a seccomp profile does not know it (EPERM), component by component.
 */

#define N(array) (sizeof(array) / sizeof((array)[0]))

static char top[] = "/tmp/tracesh-beneath-XXXXXX";
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
		cmocka_unit_test(test_as_it_is),
		cmocka_unit_test(test_without),
		cmocka_unit_test(test_forbidden),
	};

	return cmocka_run_group_tests(tests, make, remove_tree);
}
