/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload [-n ROUNDS] [-d DIR].. [-g CGROUP] [-m MARKER] [-r RAW] [-s SECONDS] [GROUP..]: makes as many kinds of
 * kernel events happen as it can, harmlessly: for the tests that compare texts of events.
 *	-d DIR		work on files there too, as well as in a memory file; each on the file system to be tested
 *	-g CGROUP	an empty control group (of version 1 or 2) that may have 8 MB of memory: children enter and fill it
 *	-m MARKER	write strange texts to this trace_marker
 *	-r RAW		write records to this trace_marker_raw
 *	-s SECONDS	start no group later than this
 * Without GROUP all of them. It needs root for most of them. Each group runs in a child with a time limit; what fails
 * there is of no interest, it has made events too. Prints nothing, ends with 0 by itself.
 *
 * workload --probes: prints definitions for uprobe_events, for functions of this program that the group "probes" calls.
 * workload --groups: prints the names of the groups.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

void put(const char *path, const void *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	try(write(fd, text, size));
	close(fd);
}

void put_text(const char *dir, const char *name, const char *text)
{
	char path[4096 + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	put(path, text, strlen(text));
}

/* Runs in a child, as its last act; waits for it. */
void in_child(void (*act)(const struct options *o), const struct options *o, unsigned int limit)
{
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGALRM, SIG_DFL);
		alarm(limit);
		act(o);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void pause_ns(long ns)
{
	struct timespec ts = { .tv_nsec = ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static const struct {
	const char *name;
	void (*run)(const struct options *o);
} groups[] = {
	{ "tasks", workload_tasks },   { "signals", workload_signals },
	{ "timers", workload_timers }, { "futexes", workload_futexes },
	{ "ipc", workload_ipc },       { "files", workload_files },
	{ "memory", workload_memory }, { "cgroups", workload_cgroups },
	{ "net", workload_net },       { "uring", workload_uring },
	{ "sched", workload_sched },   { "markers", workload_markers },
	{ "bpf", workload_bpf },       { "misc", workload_misc },
	{ "probes", workload_probes }, { "syscalls", workload_syscalls },
};

static bool is_wanted(const char *name, char **wanted, int count)
{
	for (int i = 0; i < count; i++) {
		if (!strcmp(wanted[i], name))
			return true;
	}
	return count == 0;
}

static bool parse(struct options *o, int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:d:g:m:r:s:")) >= 0) {
		switch (option) {
		case 'n':
			o->rounds = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			if (o->dir_count == WORKLOAD_DIRS_MAX)
				return false;
			o->dirs[o->dir_count++] = optarg;
			break;
		case 'g':
			o->cgroup = optarg;
			break;
		case 'm':
			o->marker = optarg;
			break;
		case 'r':
			o->raw = optarg;
			break;
		case 's':
			o->seconds = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		default:
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct options o = { .rounds = 1, .seconds = 600 };
	struct timespec start, now;

	if (argc == 2 && !strcmp(argv[1], "--nothing"))
		return 0;
	if (argc == 2 && !strcmp(argv[1], "--probes"))
		return workload_print_probes();
	if (argc == 2 && !strcmp(argv[1], "--groups")) {
		for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
			puts(groups[i].name);
		return 0;
	}
	if (!parse(&o, argc, argv)) {
		fputs("usage: workload [-n ROUNDS] [-d DIR].. [-g CGROUP] [-m MARKER] [-r RAW] [-s SECONDS] [GROUP..]\n",
		      stderr);
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned int round = 0; round < o.rounds; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (now.tv_sec - start.tv_sec < (time_t)o.seconds &&
			    is_wanted(groups[i].name, argv + optind, argc - optind))
				in_child(groups[i].run, &o, 30);
		}
	}
	return 0;
}
