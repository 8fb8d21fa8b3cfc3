/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure RUNS COMMAND [ARG..]: runs a command RUNS times after one warm-up, with
 * its output thrown away, and prints "MEDIAN_MS MIN_MS MAX_MS MAX_RSS_KB".
 * measure-writes DIR CYCLES: the plain writes that `enable`/`disable` of a whole
 * system stand for: 1 and then 0 into each DIR/EVENT/enable, CYCLES times.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static double run_once(char **argv, long *max_rss)
{
	double start = now_ms();
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "measure: '%s' failed\n", argv[0]);
		exit(1);
	}
	if (usage.ru_maxrss > *max_rss)
		*max_rss = usage.ru_maxrss;
	return now_ms() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void put(int dir, const char *name, const char *value)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/enable", name);
	fd = openat(dir, path, O_WRONLY);
	if (fd < 0)
		return;
	if (write(fd, value, 1) != 1)
		perror(path);
	close(fd);
}

static int plain_writes(const char *path, int cycles)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	int i, value;

	if (!d) {
		perror(path);
		return 1;
	}
	for (i = 0; i < cycles; i++) {
		for (value = 1; value >= 0; value--) {
			rewinddir(d);
			while ((entry = readdir(d)))
				if (entry->d_name[0] != '.')
					put(dirfd(d), entry->d_name, value ? "1" : "0");
		}
	}
	closedir(d);
	return 0;
}

int main(int argc, char **argv)
{
	long max_rss = 0;
	double *ms;
	int i, runs;

	if (argc == 4 && !strcmp(argv[1], "writes"))
		return plain_writes(argv[2], (int)strtol(argv[3], NULL, 10));
	if (argc < 3 || (runs = (int)strtol(argv[1], NULL, 10)) < 1) {
		fputs("usage: measure RUNS COMMAND..\n       measure writes DIR CYCLES\n", stderr);
		return 2;
	}
	ms = calloc((size_t)runs, sizeof(*ms));
	if (!ms)
		return 1;
	run_once(argv + 2, &max_rss);
	max_rss = 0;
	for (i = 0; i < runs; i++)
		ms[i] = run_once(argv + 2, &max_rss);
	qsort(ms, (size_t)runs, sizeof(*ms), compare);
	printf("%.2f %.2f %.2f %ld\n", ms[runs / 2], ms[0], ms[runs - 1], max_rss);
	free(ms);
	return 0;
}
