/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../../src/tracefs/pids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/tracefs/lines.h"

/* What a list of tasks goes back to, with tasks that live, and those that a task has made. */

#define NOBODY "99999999"	/* more than there can be */

/* Elsewhere the numbers of /proc are not the kernel's, and nobody is alive. */
static bool numbers_are_the_kernels(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == 0xEFFFFFFC;
}

/* ---- an instance that has options, and nothing else ---- */

struct fixture {
	char path[32];
	struct tsh_dir dir;
	struct tsh_instance in;
};

static void set_option(const struct fixture *f, const char *name, const char *value)
{
	char *path = tsh_xasprintf("options/%s", name);
	int fd = openat(f->in.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, value, strlen(value)), strlen(value));
	close(fd);
	free(path);
}

static int set_up(void **state)
{
	struct fixture *f = tsh_xcalloc(1, sizeof(*f));

	*state = f;
	strcpy(f->path, "/tmp/tracesh-pids.XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->in.fd = open(f->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->in.fd >= 0);
	f->dir.kind = TSH_DIR_TREE;
	f->dir.fd = f->in.fd;
	f->in.dir = &f->dir;
	assert_int_equal(mkdirat(f->in.fd, "options", 0700), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlinkat(f->in.fd, "options/event-fork", 0);
	unlinkat(f->in.fd, "options/function-fork", 0);
	unlinkat(f->in.fd, "options", AT_REMOVEDIR);
	close(f->in.fd);
	rmdir(f->path);
	free(f);
	return 0;
}

/* Lists are words here; what comes out is "1 2". */
static void goes_back(const struct fixture *f, const char *before, const char *after,
		      const char *now, const char *want)
{
	struct tsh_strlist b = { 0 }, a = { 0 }, n = { 0 }, got = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strlist_split_words(&b, before);
	tsh_strlist_split_words(&a, after);
	tsh_strlist_split_words(&n, now);
	tsh_pids_before(&b, &a, &n, tsh_pids_follow_forks(&f->in), &got);
	for (i = 0; i < got.n; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? " " : "", got.v[i]);
	assert_string_equal(text.buf, want);
	tsh_strlist_release(&b);
	tsh_strlist_release(&a);
	tsh_strlist_release(&n);
	tsh_strlist_release(&got);
	tsh_strbuf_release(&text);
}

/* ---- tasks ---- */

/* One that sleeps until it is killed; *ret_child is one of its own, when that is wanted. */
static pid_t start_task(pid_t *ret_child)
{
	int ends[2];
	pid_t pid, child = 0;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* a check that fails leaves none of them; the child is to outlive its parent */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(60);
		child = ret_child ? fork() : 0;
		if (!child)
			alarm(60);
		if (!ret_child || child) {
			if (write(ends[1], &child, sizeof(child)) != sizeof(child))
				_exit(1);
		}
		for (;;)
			pause();
	}
	assert_int_equal(read(ends[0], &child, sizeof(child)), sizeof(child));
	close(ends[0]);
	close(ends[1]);
	if (ret_child)
		*ret_child = child;
	return pid;
}

static void end_task(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static char *text_of(pid_t pid)
{
	return tsh_xasprintf("%d", (int)pid);
}

/* ---- tests ---- */

static void test_alive(void **state)
{
	char *self = text_of(getpid());
	pid_t pid = start_task(NULL);
	char *task = text_of(pid);

	(void)state;
	assert_int_equal(tsh_pid_is_alive(self), numbers_are_the_kernels());
	assert_int_equal(tsh_pid_is_alive(task), numbers_are_the_kernels());
	end_task(pid);
	assert_false(tsh_pid_is_alive(task));
	assert_false(tsh_pid_is_alive(NOBODY));
	assert_false(tsh_pid_is_alive("123456789012345678901234567890"));
	free(self);
	free(task);
}

/* Without tasks that live: small numbers are threads of the kernel's. */
#define ONE   "99999971"
#define TWO   "99999972"
#define THREE "99999973"

static void test_lists(void **state)
{
	static const char *const rows[][4] = {
		/* before, after, now, what it goes back to */
		{ "", "", "", "" },
		{ "", ONE, ONE, "" },
		{ ONE, TWO, TWO, ONE },
		{ ONE, ONE " " TWO, ONE " " TWO, ONE },
		/* others took it out, or it has exited */
		{ ONE " " TWO, ONE " " TWO " " THREE, TWO " " THREE, TWO },
		{ ONE " " TWO, ONE " " TWO " " THREE, "", "" },
		/* we took it out: it comes back, whatever happened since */
		{ ONE " " TWO, TWO, TWO, ONE " " TWO },
		{ ONE, "", "", ONE },
		{ ONE, "", ONE, ONE },
		/* of others, but gone */
		{ ONE, TWO, TWO " " NOBODY, ONE },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		goes_back(*state, rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
}

/* What others have added meanwhile stays; children of ours stay only where nothing follows. */
static void test_children(void **state)
{
	struct fixture *f = *state;
	pid_t child = 0, pid = start_task(&child), other = start_task(NULL);
	char *ours = text_of(pid), *its = text_of(child), *theirs = text_of(other);
	char *now = tsh_xasprintf("%s %s %s", ours, its, theirs);
	char *both = tsh_xasprintf("%s %s", its, theirs);
	bool alive = numbers_are_the_kernels();

	goes_back(f, "", ours, now, alive ? both : "");
	set_option(f, "event-fork", "0\n");
	set_option(f, "function-fork", "0\n");
	goes_back(f, "", ours, now, alive ? both : "");
	set_option(f, "event-fork", "1\n");
	goes_back(f, "", ours, now, alive ? theirs : "");
	set_option(f, "event-fork", "0\n");
	set_option(f, "function-fork", "1\n");
	goes_back(f, "", ours, now, alive ? theirs : "");
	/* what was there before stays, whoever it is */
	goes_back(f, its, both, both, its);
	kill(child, SIGKILL);
	end_task(pid);
	end_task(other);
	free(ours);
	free(its);
	free(theirs);
	free(now);
	free(both);
}

static void *sleep_as_thread(void *ctx)
{
	int *ends = ctx;
	pid_t tid = (pid_t)syscall(SYS_gettid);
	char c;

	if (write(ends[1], &tid, sizeof(tid)) == sizeof(tid) && read(ends[2], &c, 1) < 0)
		return NULL;
	return ctx;
}

/* A thread is its process's, an orphan may be anybody's: neither is taken for somebody else's. */
static void test_threads_and_orphans(void **state)
{
	struct fixture *f = *state;
	char *self, *thread, *orphan, status[64];
	pid_t tid, child = 0, pid;
	int ends[4];
	pthread_t handle;
	FILE *file;
	int ppid = 0;

	if (!numbers_are_the_kernels())
		skip();
	self = text_of(getpid());
	set_option(f, "event-fork", "1\n");
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(ends + 2), 0);
	assert_int_equal(pthread_create(&handle, NULL, sleep_as_thread, ends), 0);
	assert_int_equal(read(ends[0], &tid, sizeof(tid)), sizeof(tid));
	thread = text_of(tid);
	goes_back(f, "", self, thread, "");
	goes_back(f, "", NOBODY, thread, thread);
	assert_int_equal(write(ends[3], "", 1), 1);
	pthread_join(handle, NULL);
	for (pid = 0; pid < 4; pid++)
		close(ends[pid]);

	pid = start_task(&child);
	end_task(pid);
	orphan = text_of(child);
	snprintf(status, sizeof(status), "/proc/%s/stat", orphan);
	file = fopen(status, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %d", &ppid), 1);
	fclose(file);
	/* elsewhere a subreaper has taken it */
	if (ppid == 1)
		goes_back(f, "", NOBODY, orphan, "");
	/* init has all of them, not its own children only */
	goes_back(f, "", "1", self, "");
	/* which 1 itself is not */
	goes_back(f, "", NOBODY, "1", "1");
	kill(child, SIGKILL);
	free(orphan);
	free(thread);
	free(self);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alive),
		cmocka_unit_test_setup_teardown(test_lists, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_children, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads_and_orphans, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
