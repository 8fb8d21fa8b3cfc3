/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/recording/ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"

/*
 * Several threads write the same files as one. The buffers of the kernel are plain files here, whose
 * pages are spliced as those of a ring buffer are, so that all of them come at full speed.
 */

#define CPUS 13
#define PAGE 4096

static char top[] = "/tmp/tracesh-record-threads-XXXXXX";
static struct tsh_dir dir;
static struct tsh_instance in;

/* ---- what the kernel is replaced by ---- */

static atomic_uint pipes;	/* one for each thread that moves pages */
static atomic_int allocations;	/* until one fails; negative: none does */
static unsigned int threads_left;

int __real_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags);
int __wrap_pipe2(int fds[2], int flags)
{
	atomic_fetch_add(&pipes, 1);
	return __real_pipe2(fds, flags);
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t len);
int __wrap_fallocate64(int fd, int mode, off_t offset, off_t len);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t len)
{
	(void)fd;
	(void)mode;
	(void)offset;
	(void)len;
	if (atomic_fetch_sub(&allocations, 1) != 0)
		return 0;
	errno = ENOSPC;
	return -1;
}

int __wrap_fallocate64(int fd, int mode, off_t offset, off_t len)
{
	return __wrap_fallocate(fd, mode, offset, len);
}

bool __real_tsh_thread_start(pthread_t *ret, void *(*run)(void *), void *ctx);
bool __wrap_tsh_thread_start(pthread_t *ret, void *(*run)(void *), void *ctx);
bool __wrap_tsh_thread_start(pthread_t *ret, void *(*run)(void *), void *ctx)
{
	return threads_left && threads_left-- && __real_tsh_thread_start(ret, run, ctx);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Returns how many pages a CPU has: more than its buffer, and not the same number on each. */
static unsigned int pages_of(unsigned int cpu)
{
	return 600 + cpu * 100;
}

static void write_pages_of(unsigned int cpu)
{
	uint32_t page[PAGE / 4] = { 0 }, value = cpu;
	unsigned int i, k;
	FILE *f;

	(void)snprintf((char *)page, sizeof(page), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	f = fopen((char *)page, "w");
	assert_non_null(f);
	for (i = 0; i < pages_of(cpu); i++) {
		for (k = 0; k < PAGE / 4; k++)
			page[k] = value = value * 1664525 + 1013904223;
		assert_int_equal(fwrite(page, sizeof(page), 1, f), 1);
	}
	assert_int_equal(fclose(f), 0);
}

static int make_kernel(void **state)
{
	unsigned int cpu;
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(top));
	assert_int_equal(chdir(top), 0);
	assert_int_equal(mkdir("events", 0700) | mkdir("per_cpu", 0700), 0);
	write_file("events/header_page",
		   "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
	for (cpu = 0; cpu < CPUS; cpu++) {
		(void)snprintf(path, sizeof(path), "per_cpu/cpu%u", cpu);
		assert_int_equal(mkdir(path, 0700), 0);
		(void)snprintf(path, sizeof(path), "per_cpu/cpu%u/buffer_size_kb", cpu);
		write_file(path, "1408\n");
		(void)snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu);
		write_file(path, "entries: 100\noverrun: 0\nread events: 0\n");
		write_pages_of(cpu);
	}
	dir.fd = in.fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir.path = top;
	in.dir = &dir;
	return in.fd < 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_kernel(void **state)
{
	(void)state;
	close(in.fd);
	return nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- one recording ---- */

struct recording {
	struct tsh_rings rings;
	struct tsh_tree tree;
	struct tsh_record_threads *threads;
	struct tsh_err err;
};

static void begin(struct recording *r, unsigned int threads, uint64_t max_bytes)
{
	*r = (struct recording){ .tree.fd = -1 };
	pipes = 0;
	allocations = -1;
	threads_left = 100;
	r->threads = tsh_record_threads_start(threads);
	assert_int_equal(tsh_rings_init(&r->rings, &in, max_bytes, &r->err), 0);
	assert_int_equal(tsh_tree_make(&r->tree, "tree", &r->err), 0);
	assert_int_equal(tsh_rings_open(&r->rings, &r->tree, &r->err), 0);
	tsh_rings_begin_threads(&r->rings, r->threads);
}

static uint64_t moved_bytes(const struct recording *r)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->rings.n; i++)
		bytes += r->rings.v[i].size;
	return bytes;
}

/* Moves pages until all buffers are empty, or until an error. The threads end. */
static int move_all(struct recording *r)
{
	unsigned int fill, quiet = 0;
	int result = 0;

	while (!result && quiet < 3) {
		result = tsh_rings_move_own(&r->rings, &fill, &r->err);
		quiet = fill ? 0 : quiet + 1;
		/* a thread that has other CPUs may not be at their end */
		usleep(quiet ? 20000 : 100);
	}
	return tsh_rings_end_threads(&r->rings, result ? &(struct tsh_err){ 0 } : &r->err) < 0 ? -1 : result;
}

static void end(struct recording *r)
{
	tsh_record_threads_end(r->threads);
	tsh_rings_close(&r->rings);
	tsh_tree_remove(&r->tree);
	tsh_tree_close(&r->tree);
	tsh_err_release(&r->err);
}

static void compare_files(unsigned int cpu)
{
	char path[64], ours[PAGE], theirs[PAGE];
	unsigned int i;
	FILE *a, *b;

	(void)snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	a = fopen(path, "r");
	(void)snprintf(path, sizeof(path), "tree/per_cpu/cpu%u/trace_pipe_raw", cpu);
	b = fopen(path, "r");
	assert_non_null(a);
	assert_non_null(b);
	for (i = 0; i < pages_of(cpu); i++) {
		assert_int_equal(fread(theirs, PAGE, 1, a), 1);
		assert_int_equal(fread(ours, PAGE, 1, b), 1);
		assert_memory_equal(ours, theirs, PAGE);
	}
	assert_int_equal(fread(ours, 1, 1, b), 0);
	fclose(a);
	fclose(b);
}

static void compare_all(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		compare_files(cpu);
}

static void test_same_files(void **state)
{
	static const unsigned int counts[] = { 1, 2, 4, 8 };
	struct recording r;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		begin(&r, counts[i], 0);
		assert_int_equal(move_all(&r), 0);
		compare_all();
		/* as many as the load needed */
		assert_in_range(pipes, counts[i] > 1 ? 2 : 1, counts[i]);
		end(&r);
	}
}

/* Threads that cannot be started leave their CPUs to the others. */
static void test_no_thread(void **state)
{
	struct recording r;

	(void)state;
	threads_left = 0;
	assert_null(tsh_record_threads_start(4));
	threads_left = 2;
	r.threads = tsh_record_threads_start(8);
	assert_non_null(r.threads);
	tsh_record_threads_end(r.threads);
	begin(&r, 1, 0);
	threads_left = 1;
	r.threads = tsh_record_threads_start(8);
	tsh_rings_begin_threads(&r.rings, r.threads);
	assert_int_equal(move_all(&r), 0);
	compare_all();
	assert_int_equal(pipes, 2);
	end(&r);
}

/* When room gets scarce, one thread goes on alone, and nothing is missing. */
static void test_scarce(void **state)
{
	struct recording r;

	(void)state;
	begin(&r, 4, 0);
	allocations = 40;
	assert_int_equal(move_all(&r), 0);
	assert_true(r.rings.wants_one);
	assert_null(r.rings.threads);
	compare_all();
	end(&r);
}

/* An error of any thread ends all of them, in its own words. */
static void test_error(void **state)
{
	struct recording r;
	unsigned int cpu;
	char expected[64];

	(void)state;
	for (cpu = 0; cpu < 4; cpu++) {
		begin(&r, 4, 0);
		close(r.rings.v[cpu].out);
		r.rings.v[cpu].out = open("/dev/full", O_RDWR | O_CLOEXEC);
		assert_int_equal(move_all(&r), -1);
		(void)snprintf(expected, sizeof(expected), "cannot write the events of cpu %u to '", r.rings.v[cpu].cpu);
		assert_ptr_equal(strstr(r.err.message, expected), r.err.message);
		assert_non_null(strstr(r.err.hint, "tracesh --tracefs "));
		end(&r);
	}
}

/* All files together have a limit, which holds with threads too; half of it is there for each alike. */
static void test_limit(void **state)
{
	static const uint64_t max = CPUS * 2 * 100 * PAGE;
	struct recording r;
	size_t i;

	(void)state;
	begin(&r, 4, max);
	assert_int_equal(move_all(&r), 0);
	assert_true(pipes > 1);
	assert_int_equal(moved_bytes(&r), max);
	for (i = 0; i < r.rings.n; i++) {
		assert_true(r.rings.v[i].size >= 100 * PAGE);
		assert_true(r.rings.v[i].has_wrapped);
	}
	assert_int_equal(tsh_rings_rotate(&r.rings), 0);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_files), cmocka_unit_test(test_no_thread), cmocka_unit_test(test_scarce),
		cmocka_unit_test(test_error), cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, make_kernel, remove_kernel);
}
