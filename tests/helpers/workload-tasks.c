/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks, their names, signals, timers, futexes and the scheduler. */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <linux/futex.h>
#include <unistd.h>

#include "workload.h"

/* ---- tasks and their names ---- */

/* With blanks, brackets, escapes, UTF-8, and like the columns of the trace itself. */
static const char *const names[] = {
	"",
	" ",
	"two words",
	"[brackets]",
	"x-1 [000] d... ",
	"a:b: c",
	"\033[31mred",
	"line\nbreak",
	"\303\274n\303\257c\303\266de",
	"\377\376",
	"tab\there",
	"fifteen_bytes15",
	"%s%n%d",
	"<...>",
	"sys_read(",
};

static void tasks_named(const struct options *o)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		pid_t pid;

		prctl(PR_SET_NAME, names[i]);
		if (o->marker)
			put(o->marker, "named", 5);
		sched_yield();
		pause_ns(1000);
		pid = fork();
		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static void *thread_main(void *arg)
{
	prctl(PR_SET_NAME, "a thread");
	pause_ns(1000);
	return arg;
}

void workload_tasks(const struct options *o)
{
	pthread_t thread;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		execl("/proc/self/exe", "an argument\nwith a newline", "--nothing", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	try(system(":"));
	if (!pthread_create(&thread, NULL, thread_main, NULL))
		pthread_join(thread, NULL);
	execl("/nonexistent/program", "x", NULL);
	in_child(tasks_named, o, 10);
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(3);
	}
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, NULL, 0);
}

/* ---- signals ---- */

static void on_signal(int number)
{
	(void)number;
}

static void crash(const struct options *o)
{
	struct rlimit none = { 0, 0 };
	volatile char *null = NULL;

	(void)o;
	setrlimit(RLIMIT_CORE, &none);
	*null = 1;
}

void workload_signals(const struct options *o)
{
	static const int numbers[] = { SIGUSR1, SIGUSR2, 34 /* the first of real time */,
				       SIGWINCH };
	sigset_t set;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		signal(numbers[i], on_signal);
		kill(getpid(), numbers[i]);
		sigqueue(getpid(), numbers[i], (union sigval){ .sival_int = -1 });
		raise(numbers[i]);
		signal(numbers[i], SIG_IGN);
		kill(getpid(), numbers[i]);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	kill(getpid(), SIGUSR1);
	if (fd >= 0)
		close(fd);
	in_child(crash, o, 5);
}

/* ---- timers ---- */

static void timers_itimer(void)
{
	struct itimerval value = { .it_value.tv_usec = 500 };

	signal(SIGALRM, on_signal);
	signal(SIGVTALRM, on_signal);
	signal(SIGPROF, on_signal);
	setitimer(ITIMER_REAL, &value, NULL);
	pause_ns(1000000);
	setitimer(ITIMER_VIRTUAL, &value, NULL);
	setitimer(ITIMER_PROF, &value, NULL);
	for (volatile int i = 0; i < 1000000; i++)
		;
}

void workload_timers(const struct options *o)
{
	static const clockid_t clocks[] = {
		CLOCK_MONOTONIC,      CLOCK_REALTIME,	    CLOCK_BOOTTIME,
		CLOCK_BOOTTIME_ALARM, CLOCK_REALTIME_ALARM, CLOCK_TAI,
	};
	struct itimerspec soon = { .it_value.tv_nsec = 200000, .it_interval.tv_nsec = 300000 },
			  never = { 0 };
	struct timeval tv = { .tv_usec = 100 };
	struct pollfd none = { .fd = -1 };
	uint64_t count;

	(void)o;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
		struct timespec ts = { .tv_nsec = 1000 };
		timer_t timer;
		int fd = timerfd_create(clocks[i], 0);

		if (fd >= 0) {
			timerfd_settime(fd, 0, &soon, NULL);
			try(read(fd, &count, sizeof(count)));
			timerfd_settime(fd, 0, &never, NULL);
			close(fd);
		}
		clock_nanosleep(clocks[i], 0, &ts, NULL);
		signal(SIGUSR1, on_signal);
		if (timer_create(clocks[i], &event, &timer))
			continue;
		timer_settime(timer, 0, &soon, NULL);
		pause_ns(1000000);
		timer_delete(timer);
	}
	timers_itimer();
	poll(&none, 1, 1);
	select(0, NULL, NULL, NULL, &tv);
}

/* ---- futexes ---- */

static int ball;
static pthread_mutex_t heir;

static void futex_wait_for(int value)
{
	int now;

	while ((now = __atomic_load_n(&ball, __ATOMIC_SEQ_CST)) != value)
		syscall(SYS_futex, &ball, FUTEX_WAIT, now, &(struct timespec){ .tv_sec = 1 }, NULL,
			0);
}

static void futex_throw(int value)
{
	__atomic_store_n(&ball, value, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &ball, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *futex_partner(void *arg)
{
	for (int i = 0; i < 50; i++) {
		futex_wait_for(1);
		futex_throw(0);
	}
	pthread_mutex_lock(&heir);
	pthread_mutex_unlock(&heir);
	return arg;
}

/* Two tasks that wake each other, and one of high priority that waits for a mutex of the other. */
void workload_futexes(const struct options *o)
{
	struct sched_param param = { .sched_priority = 1 };
	pthread_mutexattr_t attr;
	pthread_t thread;

	(void)o;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&heir, &attr);
	pthread_mutex_lock(&heir);
	if (pthread_create(&thread, NULL, futex_partner, NULL))
		return;
	for (int i = 0; i < 50; i++) {
		futex_throw(1);
		futex_wait_for(0);
	}
	pthread_setschedparam(thread, SCHED_FIFO, &param);
	pause_ns(2000000);
	pthread_mutex_unlock(&heir);
	pthread_join(thread, NULL);
}

/* ---- the scheduler ---- */

struct deadline_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void workload_sched(const struct options *o)
{
	static const int policies[] = { SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE,
					SCHED_OTHER };
	struct deadline_attr deadline = {
		.size = sizeof(deadline),
		.policy = 6,
		.runtime = 100000,
		.deadline = 1000000,
		.period = 1000000,
	};
	cpu_set_t mine, one;

	(void)o;
	sched_getaffinity(0, sizeof(mine), &mine);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &mine))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		pause_ns(1000);
	}
	sched_setaffinity(0, sizeof(mine), &mine);
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++) {
		struct sched_param param = { .sched_priority = policies[i] == SCHED_FIFO ||
							       policies[i] == SCHED_RR };

		sched_setscheduler(0, policies[i], &param);
		sched_yield();
		pause_ns(1000);
	}
	setpriority(PRIO_PROCESS, 0, -5);
	setpriority(PRIO_PROCESS, 0, 5);
	syscall(SYS_sched_setattr, 0, &deadline, 0);
	pause_ns(1000);
}
