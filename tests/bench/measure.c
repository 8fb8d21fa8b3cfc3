/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small clocks for the benchmarks; all print one line.
 *
 * measure RUNS COMMAND [ARG..]: runs a command RUNS times after one warm-up, with
 *	its output thrown away: "MEDIAN_MS MIN_MS MAX_MS MAX_RSS_KB".
 * measure once OUTPUT COMMAND [ARG..]: once, with its output in a file: "MS RSS_KB".
 * measure both RUNS COMMAND [ARG..] :: COMMAND [ARG..]: two commands in turns, RUNS times each after a warm-up, with
 *	their output thrown away: "MS MS RATIO CPU_MS CPU_MS CPU_RATIO RSS_KB RSS_KB", medians; the ratios, too, are
 *	medians of those of each turn, the first command's over the second's.
 * measure writes DIR CYCLES: the plain writes that `enable`/`disable` of a whole
 *	system stand for: 1 and then 0 into each DIR/EVENT/enable, CYCLES times.
 * measure empty TRACE_PIPE OUTPUT: reads a trace_pipe until it is empty, as cat does,
 *	into a file: "MS".
 * measure first COMMAND [ARG..]: how long until its first line that is no comment:
 *	"MS". The command is ended then.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
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

static double timeval_ms(const struct timeval *tv)
{
	return (double)tv->tv_sec * 1e3 + (double)tv->tv_usec / 1e3;
}

static double cpu_ms;	/* of the last command that was run */

static double run_once(const char *output, char **argv, long *max_rss)
{
	double start = now_ms();
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
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
	cpu_ms = timeval_ms(&usage.ru_utime) + timeval_ms(&usage.ru_stime);
	return now_ms() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_of(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return values[n / 2];
}

/* Runs both in turns: what else the machine does meanwhile befalls one as it does the other. */
static int run_both(int runs, char **argv)
{
	enum { FIRST_MS, SECOND_MS, RATIO, FIRST_CPU, SECOND_CPU, CPU_RATIO, FIRST_RSS, SECOND_RSS, COLUMNS };
	double *v[COLUMNS];
	char **argvs[2] = { argv, argv };
	int i, k;

	while (*argvs[1] && strcmp(*argvs[1], "::") != 0)
		argvs[1]++;
	if (runs < 1 || !*argvs[1])
		return 2;
	*argvs[1]++ = NULL;
	for (k = 0; k < COLUMNS; k++)
		if (!(v[k] = calloc((size_t)runs, sizeof(double))))
			return 1;
	for (i = -1; i < runs; i++) {
		for (k = 0; k < 2; k++) {
			int which = i & 1 ? 1 - k : k, at = i < 0 ? 0 : i;
			long rss = 0;

			v[which ? SECOND_MS : FIRST_MS][at] = run_once("/dev/null", argvs[which], &rss);
			v[which ? SECOND_CPU : FIRST_CPU][at] = cpu_ms;
			v[which ? SECOND_RSS : FIRST_RSS][at] = (double)rss;
		}
	}
	for (i = 0; i < runs; i++) {
		v[RATIO][i] = v[FIRST_MS][i] / v[SECOND_MS][i];
		v[CPU_RATIO][i] = v[FIRST_CPU][i] / (v[SECOND_CPU][i] > 0 ? v[SECOND_CPU][i] : 0.001);
	}
	for (k = 0; k < COLUMNS; k++) {
		printf("%s%.3f", k ? " " : "", median_of(v[k], runs));
		free(v[k]);
	}
	putchar('\n');
	return 0;
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

static int empty_pipe(const char *from, const char *to)
{
	static char buf[1 << 17];	/* as cat's */
	int in = open(from, O_RDONLY | O_NONBLOCK);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	double start = now_ms();
	ssize_t n;

	if (in < 0 || out < 0) {
		perror(in < 0 ? from : to);
		return 1;
	}
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, (size_t)n) != n)
			return 1;
	printf("%.2f\n", now_ms() - start);
	return 0;
}

static int first_line(char **argv)
{
	double start = now_ms();
	char line[4096];
	int fds[2];
	pid_t pid;
	FILE *f;

	if (pipe(fds) < 0)
		return 1;
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		close(fds[0]);
		close(fds[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fds[1]);
	f = fdopen(fds[0], "r");
	while (f && fgets(line, sizeof(line), f) && line[0] == '#')
		;
	printf("%.2f\n", now_ms() - start);
	kill(pid, SIGTERM);
	while (f && fgets(line, sizeof(line), f))
		;
	waitpid(pid, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	long max_rss = 0;
	double *ms;
	int i, runs;

	if (argc == 4 && !strcmp(argv[1], "writes"))
		return plain_writes(argv[2], (int)strtol(argv[3], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "empty"))
		return empty_pipe(argv[2], argv[3]);
	if (argc > 2 && !strcmp(argv[1], "first"))
		return first_line(argv + 2);
	if (argc > 4 && !strcmp(argv[1], "both"))
		return run_both((int)strtol(argv[2], NULL, 10), argv + 3);
	if (argc > 3 && !strcmp(argv[1], "once")) {
		double once = run_once(argv[2], argv + 3, &max_rss);

		printf("%.2f %ld\n", once, max_rss);
		return 0;
	}
	if (argc < 3 || (runs = (int)strtol(argv[1], NULL, 10)) < 1) {
		fputs("usage: measure RUNS COMMAND..\n       measure writes DIR CYCLES\n", stderr);
		return 2;
	}
	ms = calloc((size_t)runs, sizeof(*ms));
	if (!ms)
		return 1;
	run_once("/dev/null", argv + 2, &max_rss);
	max_rss = 0;
	for (i = 0; i < runs; i++)
		ms[i] = run_once("/dev/null", argv + 2, &max_rss);
	qsort(ms, (size_t)runs, sizeof(*ms), compare);
	printf("%.2f %.2f %.2f %ld\n", ms[runs / 2], ms[0], ms[runs - 1], max_rss);
	free(ms);
	return 0;
}
