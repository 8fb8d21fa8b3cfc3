/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns ROUNDS FORKS: two tasks, a server and a client, that run in turns on one CPU and on two, so that of one of them
 * alone the kernel records halves of the other's turns. Prints "SERVER CLIENT", waits for a line, works, prints "done", and
 * ends when its stdin does. In a round the client is woken on an idle CPU, sleeps, and wakes where the server spins. At the
 * end the server has FORKS children, one after the other, each of which sleeps once.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Where there is no such CPU it stays where it is. */
static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
}

static void sleep_ms(long ms)
{
	struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

static void spin_ms(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec - from.tv_nsec < ms * 1000000);
}

static void client(int in, int out)
{
	char byte;

	prctl(PR_SET_NAME, "turns-client");
	prctl(PR_SET_PDEATHSIG, 9);
	go_to(0);
	while (read(in, &byte, 1) == 1) {
		sleep_ms(2);
		if (write(out, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void server(int in, int out, int rounds)
{
	char byte = 'x';

	for (int i = 0; i < rounds; i++) {
		go_to(1);
		if (write(out, &byte, 1) != 1)
			_exit(1);
		sleep_ms(1);
		go_to(0);
		spin_ms(4);
		if (read(in, &byte, 1) != 1)
			_exit(1);
	}
}

static void children(int n)
{
	for (int i = 0; i < n; i++) {
		int pid = fork();

		if (pid == 0) {
			prctl(PR_SET_NAME, "turns-child");
			sleep_ms(1);
			_exit(0);
		}
		while (pid > 0 && waitpid(pid, NULL, 0) < 0)
			;
	}
}

int main(int argc, char **argv)
{
	int to_client[2], to_server[2], is_server, pid;
	char line[16];

	if (argc != 3 || pipe(to_client) < 0 || pipe(to_server) < 0)
		return 2;
	/* none of the two is a child of the other */
	is_server = fork();
	if (is_server < 0)
		return 1;
	if (is_server) {
		pid = fork();
		if (pid == 0) {
			/* So that it sees the end of the others, who may be gone already. */
			close(to_client[1]);
			client(to_client[0], to_server[1]);
		}
		printf("%d %d\n", is_server, pid);
		fflush(stdout);
		waitpid(is_server, NULL, 0);
		return 0;
	}
	prctl(PR_SET_NAME, "turns-server");
	if (read(0, line, sizeof(line)) < 1)
		return 1;
	server(to_server[0], to_client[1], atoi(argv[1]));
	children(atoi(argv[2]));
	printf("done\n");
	fflush(stdout);
	while (read(0, line, sizeof(line)) > 0)
		;
	return 0;
}
