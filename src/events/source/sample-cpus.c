/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample-cpus.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/thread.h"
#include "source.h"

/* Limits the wait for a sample. A second thread, pinned to each CPU in turn, takes the samples. It
 * hangs on a CPU where a real-time task runs all the time; then this thread moves it away. */
#define DEADLINE_MS 100

/* Holds the sampling thread. A process starts it once, and never ends it, because tracing filters
 * that exclude tracesh need its number in advance. So it belongs to the process, not to a source. */
static struct sampler {
	/* the process that started it; after fork(2) a child has no such thread */
	pid_t owner;
	int tid;
	int asked, done;		/* an eventfd(2) for each direction */
	struct sampling *looks;
} sampler;
/* Sets the size of CPU masks, enough for every CPU that a kernel can have. */
#define AFFINITY_CPUS TSH_CPU_MAX

struct sampling {
	const struct tsh_instance *in;
	unsigned int *cpus;
	size_t ncpus;
	unsigned int rounds;
	bool pinned;			/* each sample is taken on its CPU */
	TSH_VEC(struct tsh_clock_sample) samples;
	int failed;			/* -errno */
	/* it is too late; the thread may be on another CPU by now */
	atomic_bool stop;
};

/* Binds this thread to one CPU. */
static bool pin(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	bool done = false;

	if (set) {
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		done = !sched_setaffinity(0, size, set);
		CPU_FREE(set);
	}
	return done;
}

/* Reads `now ts` of per_cpu/cpuN/stats. The kernel makes the text anew for every read at offset
 * 0. */
static bool read_now(int fd, struct tsh_clock_sample *sample)
{
	char text[1024];
	bool is_time;
	ssize_t n;

	sample->before = tsh_kernel_ns(CLOCK_MONOTONIC_RAW);
	n = pread(fd, text, sizeof(text) - 1, 0);
	sample->after = tsh_kernel_ns(CLOCK_MONOTONIC_RAW);
	if (n <= 0)
		return false;
	text[n] = '\0';
	if (!tsh_stats_value(text, "now ts", &sample->stamp, &is_time))
		return false;
	/* the kernel rounds ns to the nearest us (ns2usecs), and rounds ticks down */
	sample->quantum = is_time ? 500 : 1;
	if (is_time)
		sample->stamp *= 1000;
	return true;
}

static void sample_cpu(struct sampling *l, unsigned int cpu)
{
	struct tsh_clock_sample sample = { .cpu = l->pinned ? (int)cpu : -1 };
	unsigned int rounds = l->rounds;
	char *path;
	int fd;

	/* a sample from elsewhere says nothing about that CPU */
	if (l->pinned && !pin(cpu))
		return;
	path = tsh_xasprintf("per_cpu/cpu%u/stats", cpu);
	fd = tsh_file_open(l->in, path, 0);
	free(path);
	if (fd < 0) {
		l->failed = fd;
		return;
	}
	while (rounds-- && !atomic_load(&l->stop))
		if (read_now(fd, &sample) && !atomic_load(&l->stop))
			*tsh_vec_push(&l->samples) = sample;
	close(fd);
}

static void sample_cpus(struct sampling *l)
{
	size_t i;

	for (i = 0; i < l->ncpus && !atomic_load(&l->stop); i++)
		sample_cpu(l, l->cpus[i]);
}

static void await(int fd)
{
	eventfd_t n;

	while (eventfd_read(fd, &n) < 0 && errno == EINTR)
		;
}

static void *serve(void *ctx)
{
	(void)ctx;
	sampler.tid = (int)syscall(SYS_gettid);
	(void)eventfd_write(sampler.done, 1);
	for (;;) {
		await(sampler.asked);
		sample_cpus(sampler.looks);
		(void)eventfd_write(sampler.done, 1);
	}
	return NULL;
}

static void close_sampler(void)
{
	if (sampler.asked >= 0)
		close(sampler.asked);
	if (sampler.done >= 0)
		close(sampler.done);
	sampler.owner = 0;
}

static bool begin_sampler(void)
{
	pthread_t thread;

	if (sampler.owner == getpid())
		return true;
	if (sampler.owner)
		close_sampler();
	sampler.asked = eventfd(0, EFD_CLOEXEC);
	sampler.done = eventfd(0, EFD_CLOEXEC);
	if (sampler.asked < 0 || sampler.done < 0 || !tsh_thread_start(&thread, serve, NULL)) {
		close_sampler();
		return false;
	}
	pthread_detach(thread);
	sampler.owner = getpid();
	await(sampler.done);
	return true;
}

int tsh_clock_sample_tid(void)
{
	return begin_sampler() ? sampler.tid : 0;
}

/* Says whether a CPU is isolated. Programs that need an isolated CPU would be disturbed even by a
 * moment of ours. */
static bool is_isolated(unsigned int cpu)
{
	static const char *const lists[] = { "/sys/devices/system/cpu/isolated",
					     "/sys/devices/system/cpu/nohz_full" };
	struct tsh_cpuset set;
	char text[1024];
	bool found = false;
	size_t i;

	for (i = 0; !found && i < 2; i++) {
		set = (struct tsh_cpuset){ 0 };
		if (tsh_read_small(lists[i], text, sizeof(text)) > 0 && *text >= '0' &&
		    *text <= '9' && !tsh_parse_cpus(text, &set))
			found = tsh_cpuset_has(&set, cpu);
		tsh_cpuset_release(&set);
	}
	return found;
}

/* Reduces the CPUs to those that we may run on. */
static void drop_other_cpus(struct sampling *l, const cpu_set_t *ours, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < l->ncpus; i++)
		if (CPU_ISSET_S(l->cpus[i], size, ours) && !is_isolated(l->cpus[i]))
			l->cpus[n++] = l->cpus[i];
	l->ncpus = n;
}

static void sample_by_thread(struct sampling *l, const cpu_set_t *ours, size_t size)
{
	struct pollfd done = { .events = POLLIN };
	int r = 0;

	if (!begin_sampler()) {
		sample_cpus(l);
		sched_setaffinity(0, size, ours);
		return;
	}
	sampler.looks = l;
	(void)eventfd_write(sampler.asked, 1);
	done.fd = sampler.done;
	while ((r = poll(&done, 1, DEADLINE_MS)) < 0 && errno == EINTR)
		;
	atomic_store(&l->stop, true);
	/* lets the thread leave the CPU that it was pinned to last */
	sched_setaffinity(sampler.tid, size, ours);
	await(sampler.done);
}

int tsh_sample_cpus(struct tsh_clock *clock, const struct tsh_instance *in, unsigned int rounds)
{
	size_t i, size = CPU_ALLOC_SIZE(AFFINITY_CPUS);
	cpu_set_t *ours = CPU_ALLOC(AFFINITY_CPUS);
	struct sampling l = { .in = in, .rounds = rounds, .pinned = clock->kind->per_cpu };
	unsigned int any;
	int news = 0;

	if (!ours)
		return -ENOMEM;
	l.ncpus = tsh_cpus_present(in, &l.cpus);
	any = l.ncpus ? l.cpus[0] : 0;
	if (l.pinned && !sched_getaffinity(0, size, ours)) {
		drop_other_cpus(&l, ours, size);
		sample_by_thread(&l, ours, size);
	}
	/* takes one sample for all when no CPU could be used */
	if (!l.samples.n && !l.failed && l.cpus) {
		l.pinned = false;
		l.cpus[0] = any;
		l.ncpus = 1;
		atomic_store(&l.stop, false);
		sample_cpus(&l);
	}
	for (i = 0; i < l.samples.n; i++)
		news |= tsh_clock_add(clock, &l.samples.v[i]);
	tsh_vec_release(&l.samples);
	CPU_FREE(ours);
	free(l.cpus);
	return l.failed ? l.failed : news;
}
