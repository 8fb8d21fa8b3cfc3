/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/apart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Work in a process of its own: what it writes comes, and whatever it does, the caller goes on. */

#define MANY (300 * 1024)
#define PATIENCE_MS 60000
#define SHORT_MS 50

static enum tsh_wait_result wait_for(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout)
{
	(void)ctx;
	return poll(fds, nfds, timeout) > 0 ? TSH_WAIT_READY : TSH_WAIT_TIMEOUT;
}

static enum tsh_wait_result hear_signal(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout)
{
	(void)ctx, (void)fds, (void)nfds, (void)timeout;
	return TSH_WAIT_STOP;
}

static const struct tsh_waiter patient = { wait_for, NULL }, interrupted = { hear_signal, NULL };

static void write_word(void *ctx, int out)
{
	(void)tsh_write_all(out, ctx, strlen(ctx));
}

static void write_much(void *ctx, int out)
{
	char *much = calloc(1, MANY);

	(void)ctx;
	if (much)
		(void)tsh_write_all(out, much, MANY);
	free(much);
}

static void write_nothing(void *ctx, int out)
{
	(void)ctx, (void)out;
}

static void hang(void *ctx, int out)
{
	write_word(ctx, out);
	for (;;)
		pause();
}

static void die(void *ctx, int out)
{
	write_word(ctx, out);
	kill(getpid(), SIGKILL);
}

/* Says which of the descriptors up to 99 are open. */
static void write_descriptors(void *ctx, int out)
{
	char open[100];
	int fd;

	(void)ctx;
	for (fd = 0; fd < 100; fd++)
		open[fd] = fcntl(fd, F_GETFD) < 0 ? '-' : fd == out ? 'o' : '+';
	(void)tsh_write_all(out, open, sizeof(open));
}

static void assert_apart(tsh_apart_work *work, const struct tsh_waiter *waiter, int patience_ms,
			 size_t max, enum tsh_apart_result result, const char *text)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	char word[] = "word";

	assert_int_equal(tsh_apart_run(work, word, waiter, patience_ms, max, &got), result);
	if (text)
		assert_string_equal(got.buf, text);
	tsh_strbuf_release(&got);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void test_results(void **state)
{
	(void)state;
	assert_apart(write_word, &patient, PATIENCE_MS, 100, TSH_APART_DONE, "word");
	assert_apart(write_nothing, &patient, PATIENCE_MS, 100, TSH_APART_DONE, "");
	assert_apart(write_much, &patient, PATIENCE_MS, MANY, TSH_APART_DONE, NULL);
	assert_apart(write_much, &patient, PATIENCE_MS, 100, TSH_APART_SILENT, NULL);
	assert_apart(hang, &patient, SHORT_MS, 100, TSH_APART_SILENT, NULL);
	assert_apart(hang, &interrupted, PATIENCE_MS, 100, TSH_APART_SIGNAL, "");
	assert_apart(die, &patient, PATIENCE_MS, 100, TSH_APART_FAILED, NULL);
}

static void test_descriptors(void **state)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	assert_int_equal(tsh_apart_run(write_descriptors, NULL, &patient, PATIENCE_MS, 100, &got),
			 TSH_APART_DONE);
	assert_int_equal(got.len, 100);
	assert_memory_equal(got.buf, "+++", 3);
	for (i = 3; i < got.len; i++)
		assert_int_not_equal(got.buf[i], '+');
	tsh_strbuf_release(&got);
}

/* Writes as many letters as the question says, and hangs for none. */
static void write_letters(void *ctx, int out)
{
	char *letters = malloc(MANY);
	size_t n = *(const uint32_t *)ctx;

	memset(letters, 'a', MANY);
	(void)tsh_write_all(out, letters, n);
	free(letters);
	while (!n)
		pause();
}

static void assert_answer(struct tsh_apart_helper *helper, uint32_t n, const struct tsh_waiter *waiter,
			  int patience_ms, enum tsh_apart_result result)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;

	tsh_strbuf_addc(&got, 'b');
	assert_int_equal(tsh_apart_ask(helper, &n, waiter, patience_ms, MANY - 1, &got), result);
	if (result == TSH_APART_DONE) {
		assert_int_equal(got.len, 1 + n);
		assert_int_equal(strspn(got.buf + 1, "a"), n);
	}
	tsh_strbuf_release(&got);
}

static void test_helper(void **state)
{
	struct tsh_apart_helper helper = { .work = write_letters, .size = sizeof(uint32_t) };
	pid_t first;

	(void)state;
	assert_answer(&helper, 1, &patient, PATIENCE_MS, TSH_APART_DONE);
	first = helper.pid;
	assert_answer(&helper, MANY - 1, &patient, PATIENCE_MS, TSH_APART_DONE);
	assert_answer(&helper, 2, &patient, PATIENCE_MS, TSH_APART_DONE);
	assert_int_equal(helper.pid, first);
	assert_answer(&helper, 0, &patient, SHORT_MS, TSH_APART_SILENT);
	assert_int_equal(helper.pid, 0);
	assert_answer(&helper, 3, &patient, PATIENCE_MS, TSH_APART_DONE);
	assert_answer(&helper, 0, &interrupted, PATIENCE_MS, TSH_APART_SIGNAL);
	assert_answer(&helper, MANY, &patient, PATIENCE_MS, TSH_APART_SILENT);
	assert_answer(&helper, 4, &patient, PATIENCE_MS, TSH_APART_DONE);
	kill(helper.pid, SIGKILL);
	assert_answer(&helper, 5, &patient, PATIENCE_MS, TSH_APART_FAILED);
	assert_answer(&helper, 6, &patient, PATIENCE_MS, TSH_APART_DONE);
	tsh_apart_end(&helper);
	tsh_apart_end(&helper);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Dies while it is told: kill -9, as a child of the test. */
static void die_told(void *ctx, pid_t pid)
{
	(void)ctx, (void)pid;
	raise(SIGKILL);
}

/* Gives the CPU away, as who writes to the kernel does. */
static void sleep_told(void *ctx, pid_t pid)
{
	(void)ctx, (void)pid;
	usleep(1000);
}

/* Checks that all processes of a parent that forks for the host come to their end. One CPU is all that they have. */
static void assert_all_end(void (*begun)(void *ctx, pid_t pid), bool before_others)
{
	const struct tsh_apart_host host = { .begun = begun };
	const struct sched_param priority = { 1 };
	struct pollfd end = { .events = POLLIN };
	cpu_set_t one;
	int ends[2], r;
	pid_t parent;

	assert_int_equal(pipe(ends), 0);
	parent = fork();
	if (!parent) {
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		setpgid(0, 0);
		if (before_others && (sched_setaffinity(0, sizeof(one), &one) < 0 ||
				      sched_setscheduler(0, SCHED_FIFO, &priority) < 0))
			_exit(0);
		if (tsh_apart_fork(&host) > 0)
			wait(NULL);
		_exit(0);
	}
	close(ends[1]);
	end.fd = ends[0];
	r = poll(&end, 1, PATIENCE_MS);
	kill(-parent, SIGKILL);
	waitpid(parent, NULL, 0);
	close(ends[0]);
	assert_int_equal(r, 1);
}

static void test_host(void **state)
{
	(void)state;
	assert_all_end(sleep_told, false);
	assert_all_end(sleep_told, true);
	assert_all_end(die_told, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_helper),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
