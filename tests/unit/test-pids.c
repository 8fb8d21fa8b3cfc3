/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/pids.h"

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

#include "base/machine.h"
#include "base/now.h"

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

struct lists {
	struct tsh_strlist before, after, now;
};

static void split_lists(struct lists *lists, const char *before, const char *after, const char *now)
{
	*lists = (struct lists){ 0 };
	tsh_strlist_split_words(&lists->before, before);
	tsh_strlist_split_words(&lists->after, after);
	tsh_strlist_split_words(&lists->now, now);
}

static void release_lists(struct lists *lists)
{
	tsh_strlist_release(&lists->before);
	tsh_strlist_release(&lists->after);
	tsh_strlist_release(&lists->now);
}

/* Compares a list with words; releases it. */
static void are_words(struct tsh_strlist *got, const char *want)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < got->n; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? " " : "", got->v[i]);
	assert_string_equal(text.buf ? text.buf : "", want);
	tsh_strlist_release(got);
	tsh_strbuf_release(&text);
}

/* Lists are words here; what comes out is "1 2". */
static void goes_back(const char *before, const char *after, const char *now, const char *want)
{
	struct tsh_strlist got = { 0 };
	struct lists lists;

	split_lists(&lists, before, after, now);
	tsh_pids_before(&lists.before, &lists.after, &lists.now, &got);
	are_words(&got, want);
	release_lists(&lists);
}

/* Who came by a fork since a moment; followed: also before that. */
static void forked_since(int64_t at, bool followed, const char *before, const char *after, const char *now,
			 const char *want)
{
	struct tsh_strlist got = { 0 };
	struct tsh_pids_change change = { .at = at, .followed = followed };
	struct lists lists;

	split_lists(&lists, before, after, now);
	change.before = &lists.before;
	change.after = &lists.after;
	change.now = &lists.now;
	tsh_pids_forked(&change, &got, NULL);
	are_words(&got, want);
	release_lists(&lists);
}

static void forked(const char *after, const char *now, const char *want)
{
	forked_since(1, false, "", after, now, want);
}

/* Who of those before is there still, that was at a moment. */
static void not_ended(int64_t at, const char *before, const char *after, const char *want)
{
	struct tsh_strlist got = { 0 };
	struct tsh_pids_change change = { .at = at };
	struct lists lists;

	split_lists(&lists, before, after, "");
	change.before = &lists.before;
	change.after = &lists.after;
	change.now = &lists.now;
	tsh_pids_not_ended(&change, &got);
	are_words(&got, want);
	release_lists(&lists);
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
		/* a session tells the child, when it is an orphan, from one of its new parent's */
		if (ret_child)
			setsid();
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
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		goes_back(rows[i][0], rows[i][1], rows[i][2], rows[i][3]);
	/* of others, but gone, which is not seen everywhere */
	goes_back(ONE, TWO, TWO " " NOBODY, numbers_are_the_kernels() ? ONE : ONE " " NOBODY);
}

static void test_options(void **state)
{
	struct fixture *f = *state;

	assert_false(tsh_pids_follow_forks(&f->in));
	set_option(f, "event-fork", "0\n");
	set_option(f, "function-fork", "0\n");
	assert_false(tsh_pids_follow_forks(&f->in));
	set_option(f, "event-fork", "1\n");
	assert_true(tsh_pids_follow_forks(&f->in));
	set_option(f, "event-fork", "0\n");
	set_option(f, "function-fork", "1\n");
	assert_true(tsh_pids_follow_forks(&f->in));
}

/* Far from now, by the clock of the tasks. */
#define LATER (tsh_now_ns(CLOCK_BOOTTIME) + 3600 * (int64_t)1000000000)

/* The moment at which it is there, and what begins later is not: of a write that lists it. */
static int64_t right_after(pid_t pid)
{
	return (int64_t)(tsh_process_start(pid) + 1) * 1000000000 / sysconf(_SC_CLK_TCK);
}

/* What others have added meanwhile stays; children of ours go. */
static void test_children(void **state)
{
	pid_t child = 0, pid = start_task(&child), stranger = 0, other = start_task(&stranger);
	char *ours = text_of(pid), *its = text_of(child), *theirs = text_of(stranger);
	char *now = tsh_xasprintf("%s %s %s", ours, its, theirs);
	char *both = tsh_xasprintf("%s %s", ours, theirs);
	bool alive = numbers_are_the_kernels();
	int64_t at = right_after(pid);

	(void)state;
	forked_since(at, false, "", ours, now, alive ? its : "");
	forked("", now, "");
	/* what was there before is no child of ours, whoever it is */
	forked_since(at, false, its, ours, now, "");
	/* nor is one that was there before our write */
	forked_since(LATER, false, "", ours, now, "");
	/* a parent that was listed before has children through us only when it had none before */
	forked_since(1, true, ours, both, now, "");
	forked_since(1, false, ours, both, now, alive ? its : "");
	forked_since(1, true, theirs, both, now, alive ? its : "");
	kill(child, SIGKILL);
	end_task(pid);
	/* of one that has ended nobody knows who was above it; but a child of its parent's is no orphan */
	forked_since(at, false, "", ours, theirs, "");
	end_task(other);
	forked_since(at, false, "", ours, theirs, alive ? theirs : "");
	kill(stranger, SIGKILL);
	free(ours);
	free(its);
	free(theirs);
	free(now);
	free(both);
}

/* Whose number another task has by now has ended. */
static void test_ended(void **state)
{
	pid_t pid = start_task(NULL);
	char *task = text_of(pid), *both = tsh_xasprintf("%s " NOBODY, task);
	bool alive = numbers_are_the_kernels();

	(void)state;
	not_ended(LATER, both, "", alive ? task : both);
	not_ended(1, both, "", alive ? "" : both);
	/* we have not taken it out */
	not_ended(1, both, both, both);
	/* of an old journal */
	not_ended(0, both, "", alive ? task : both);
	end_task(pid);
	free(task);
	free(both);
}

/* A row of children is followed to its end, however long it is. */
static void test_depth(void **state)
{
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	pid_t pid, row[300];
	int ends[2];
	size_t n = sizeof(row) / sizeof(row[0]), i;
	char *first;

	(void)state;
	if (!numbers_are_the_kernels())
		skip();
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	for (i = 0; !pid && i < n; i++) {
		pid_t self = getpid();

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(60);
		if (write(ends[1], &self, sizeof(self)) != sizeof(self))
			_exit(1);
		/* the last one waits, too */
		if (i + 1 == n || fork())
			for (;;)
				pause();
	}
	for (i = 0; i < n; i++)
		assert_int_equal(read(ends[0], &row[i], sizeof(row[i])), sizeof(row[i]));
	for (i = n; i-- > 1;)
		tsh_strbuf_addf(&now, "%s%d", now.len ? " " : "", (int)row[i]);
	first = text_of(row[0]);
	forked(first, now.buf, now.buf);
	/* whoever is above them */
	forked_since(LATER, false, "", NOBODY, now.buf, "");
	end_task(pid);
	close(ends[0]);
	close(ends[1]);
	free(first);
	tsh_strbuf_release(&now);
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

/* A thread is its process's; an orphan that began since may be anybody's, and is taken for a child of ours. */
static void test_threads_and_orphans(void **state)
{
	char *self, *thread, *orphan, *its, status[64];
	pid_t tid, child = 0, pid;
	int ends[4];
	pthread_t handle;
	FILE *file;
	int ppid = 0;

	(void)state;
	if (!numbers_are_the_kernels())
		skip();
	self = text_of(getpid());
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(ends + 2), 0);
	assert_int_equal(pthread_create(&handle, NULL, sleep_as_thread, ends), 0);
	assert_int_equal(read(ends[0], &tid, sizeof(tid)), sizeof(tid));
	thread = text_of(tid);
	pid = start_task(NULL);
	its = text_of(pid);
	forked(self, thread, thread);
	forked_since(LATER, false, "", NOBODY, thread, "");
	/* the process of a listed thread is the parent of its children */
	forked(thread, its, its);
	end_task(pid);
	free(its);
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
	if (ppid == 1) {
		forked(NOBODY, orphan, orphan);
		forked_since(LATER, false, "", NOBODY, orphan, "");
		/* one of those that were followed before may have made it */
		forked_since(1, true, self, self, orphan, "");
	}
	/* init has all of them, not its own children only */
	forked("1", self, self);
	/* which 1 itself is not */
	forked(NOBODY, "1", "");
	kill(child, SIGKILL);
	free(orphan);
	free(thread);
	free(self);
}

/* An orphan goes to a subreaper that is above it; that of others' tasks is not above ours. What this has forked itself is
 * no orphan. */
static void test_subreaper(void **state)
{
	pid_t pid, child = 0, parent, stranger = 0, other, sibling;
	char *ours, *orphan, *theirs, *forked_here, *now;
	int64_t at;

	(void)state;
	if (!numbers_are_the_kernels())
		skip();
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = start_task(NULL);
	at = right_after(pid);
	parent = start_task(&child);
	end_task(parent);
	other = start_task(&stranger);
	sibling = start_task(NULL);
	ours = text_of(pid);
	orphan = text_of(child);
	theirs = text_of(stranger);
	forked_here = text_of(sibling);
	now = tsh_xasprintf("%s %s %s %s", ours, orphan, theirs, forked_here);
	forked_since(at, false, "", ours, now, orphan);
	/* it was there before */
	forked_since(LATER, false, "", ours, now, "");
	/* its parent may have been listed before */
	forked_since(at, true, ours, ours, now, "");
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
	end_task(child);
	end_task(pid);
	end_task(sibling);
	kill(stranger, SIGKILL);
	end_task(other);
	free(ours);
	free(orphan);
	free(theirs);
	free(forked_here);
	free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alive),
		cmocka_unit_test_setup_teardown(test_options, set_up, tear_down),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_ended),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_threads_and_orphans),
		cmocka_unit_test(test_subreaper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
