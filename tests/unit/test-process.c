/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xmalloc.h"

/* Takes as many groups as a task may have, with numbers of ten digits. False: it may not. */
static bool take_all_groups(void)
{
	size_t n = NGROUPS_MAX, i;
	gid_t *groups = tsh_xcalloc(n, sizeof(*groups));
	bool taken;

	for (i = 0; i < n; i++)
		groups[i] = 4000000000u + (gid_t)i;
	taken = !setgroups(n, groups);
	free(groups);
	return taken;
}

/* Becomes the first of a pid namespace with many groups, and waits; says so by a byte. */
static void be_init(int said)
{
	char answer;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	answer = take_all_groups() ? 'y' : 'n';
	if (write(said, &answer, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_behind_groups(void **state)
{
	struct tsh_process_numbers numbers;
	pid_t outer, init = 0;
	char answer = 'n';
	int ends[2], status;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	outer = fork();
	assert_true(outer >= 0);
	if (!outer) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(60);
		init = unshare(CLONE_NEWPID) ? -1 : fork();
		if (!init)
			be_init(ends[1]);
		if (write(ends[1], init > 0 ? "y" : "n", 1) != 1 || init < 0)
			_exit(1);
		waitpid(init, NULL, 0);
		_exit(0);
	}
	close(ends[1]);
	/* One byte of each, in any order. */
	if (read(ends[0], &answer, 1) == 1 && answer == 'y' && read(ends[0], &answer, 1) != 1)
		answer = 'n';
	close(ends[0]);
	if (answer == 'y') {
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)outer, (int)outer);
		f = fopen(path, "re");
		if (!f || fscanf(f, "%d", &init) != 1)
			init = 0;
		if (f)
			fclose(f);
	}
	numbers = tsh_process_numbers(init);
	kill(outer, SIGKILL);
	waitpid(outer, &status, 0);
	if (answer != 'y' || init <= 0)
		skip();
	assert_int_equal(numbers.own, 1);
	assert_int_equal(numbers.process, init);
	assert_int_equal(numbers.parent, outer);
}

static void test_own(void **state)
{
	struct tsh_process_numbers numbers = tsh_process_numbers(getpid());
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(numbers.process, getpid());
	assert_int_equal(numbers.parent, getppid());
	assert_int_equal(numbers.own, getpid());
	assert_true(tsh_process_has_number(getpid()));
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	numbers = tsh_process_numbers(pid);
	assert_int_equal(numbers.process, 0);
	assert_int_equal(numbers.parent, 0);
	assert_int_equal(numbers.own, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_behind_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
