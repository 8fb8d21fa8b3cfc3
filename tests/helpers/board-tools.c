/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the live tests take of util-linux, coreutils, procps and the C library, and busybox lacks, for the guests of
 * tests/vm/board: one program under several names, each as much as the tests use.
 *	flock [-n] [-o] [-w SECONDS] [-E STATUS] FILE COMMAND..
 *	env [--default-signal=LIST] [--ignore-signal=LIST] [-u NAME] [NAME=VALUE].. COMMAND..
 *	comm -12|-13|-23 FILE FILE
 *	pgrep [-x] -P PID [NAME]
 *	getconf _NPROCESSORS_ONLN|PAGE_SIZE
 *	date [-u] +FORMAT	with %N; everything else is busybox's date
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int execute(char *const argv[])
{
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}

static int wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 71;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int flock_main(int argc, char *argv[])
{
	double patience = -1;
	int busy = 1, fd, c;
	struct timespec pause = { .tv_nsec = 50000000 };

	while ((c = getopt(argc, argv, "+now:E:")) != -1) {
		if (c == 'n')
			patience = 0;
		else if (c == 'w')
			patience = strtod(optarg, NULL);
		else if (c == 'E')
			busy = (int)strtol(optarg, NULL, 10);
	}
	if (argc - optind < 2)
		return 64;
	/* The command does not have it, with -o and without. */
	fd = open(argv[optind], O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		perror(argv[optind]);
		return 66;
	}
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (patience == 0)
			return busy;
		nanosleep(&pause, NULL);
		if (patience > 0)
			patience = patience > 0.05 ? patience - 0.05 : 0;
	}
	pid_t pid = fork();

	if (pid == 0)
		_exit(execute(argv + optind + 1));
	return wait_for(pid);
}

/* set_signals() - the signals of a list as INT,QUIT to what is wanted; false for a name that is not known here. */
static bool set_signals(char *list, void (*action)(int))
{
	static const struct {
		const char *name;
		int number;
	} known[] = { { "HUP", SIGHUP },   { "INT", SIGINT },	{ "QUIT", SIGQUIT },
		      { "TERM", SIGTERM }, { "PIPE", SIGPIPE }, { "CHLD", SIGCHLD } };

	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		size_t i = 0;

		while (i < sizeof(known) / sizeof(known[0]) && strcmp(known[i].name, name))
			i++;
		if (i == sizeof(known) / sizeof(known[0]))
			return false;
		signal(known[i].number, action);
	}
	return true;
}

static int env_main(int argc, char *argv[])
{
	int i = 1;

	for (; i < argc; i++) {
		if (!strncmp(argv[i], "--default-signal=", 17)) {
			if (!set_signals(argv[i] + 17, SIG_DFL))
				return 125;
		} else if (!strncmp(argv[i], "--ignore-signal=", 16)) {
			if (!set_signals(argv[i] + 16, SIG_IGN))
				return 125;
		} else if (!strcmp(argv[i], "-u") && i + 1 < argc) {
			unsetenv(argv[++i]);
		} else if (argv[i][0] != '-' && strchr(argv[i], '=')) {
			putenv(argv[i]);
		} else {
			break;
		}
	}
	if (i == argc || argv[i][0] == '-') {
		fprintf(stderr, "env: board-tools knows no %s\n", i < argc ? argv[i] : "listing");
		return 125;
	}
	return execute(argv + i);
}

/* next_line() - without its newline; NULL at the end. The buffer is the caller's to free. */
static char *next_line(FILE *file, char **buffer, size_t *size)
{
	ssize_t length = getline(buffer, size, file);

	if (length < 0)
		return NULL;
	if (length > 0 && (*buffer)[length - 1] == '\n')
		(*buffer)[length - 1] = '\0';
	return *buffer;
}

static int comm_main(int argc, char *argv[])
{
	char *buffer[2] = { NULL, NULL }, *line[2];
	size_t size[2] = { 0, 0 };
	FILE *file[2];

	if (argc != 4 || argv[1][0] != '-' || strlen(argv[1]) != 3)
		return 2;
	for (int i = 0; i < 2; i++) {
		file[i] = strcmp(argv[2 + i], "-") ? fopen(argv[2 + i], "re") : stdin;
		if (!file[i]) {
			perror(argv[2 + i]);
			return 1;
		}
		line[i] = next_line(file[i], &buffer[i], &size[i]);
	}
	while (line[0] || line[1]) {
		int order = !line[0] ? 1 : !line[1] ? -1 : strcmp(line[0], line[1]);
		char column = order < 0 ? '1' : order > 0 ? '2' : '3';

		if (!strchr(argv[1], column))
			puts(order <= 0 ? line[0] : line[1]);
		if (order <= 0)
			line[0] = next_line(file[0], &buffer[0], &size[0]);
		if (order >= 0)
			line[1] = next_line(file[1], &buffer[1], &size[1]);
	}
	free(buffer[0]);
	free(buffer[1]);
	return 0;
}

/* matches() - whether the task is a child of `parent` with this name, or with any where it is NULL. */
static bool matches(const char *pid, long parent, const char *name)
{
	char path[64], text[512], *open, *close, *end;
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || strlen(close) < 4)
		return false;
	*close = '\0';
	/* ") S PPID" */
	return strtol(close + 4, &end, 10) == parent && (!name || !strcmp(open + 1, name));
}

static int pgrep_main(int argc, char *argv[])
{
	struct dirent *entry;
	long parent = -1;
	int status = 1, c;
	DIR *dir;

	while ((c = getopt(argc, argv, "xP:")) != -1)
		if (c == 'P')
			parent = strtol(optarg, NULL, 10);
	dir = opendir("/proc");
	if (parent < 0 || !dir)
		return 2;
	while ((entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    matches(entry->d_name, parent, argv[optind])) {
			puts(entry->d_name);
			status = 0;
		}
	}
	closedir(dir);
	return status;
}

static int getconf_main(int argc, char *argv[])
{
	if (argc == 2 && !strcmp(argv[1], "_NPROCESSORS_ONLN"))
		printf("%ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	else if (argc == 2 && !strcmp(argv[1], "PAGE_SIZE"))
		printf("%ld\n", sysconf(_SC_PAGE_SIZE));
	else
		return 2;
	return 0;
}

/* date_main() - every %N is put in before strftime sees the format. */
static int date_main(int argc, char *argv[])
{
	bool now = argc >= 2 && argc <= 3 && argv[argc - 1][0] == '+' &&
		   (argc == 2 || !strcmp(argv[1], "-u"));
	char format[256] = "", text[512];
	struct timespec ts;
	size_t used = 0;
	struct tm tm;

	if (!now) {
		execvp("busybox", argv);
		perror("busybox");
		return 127;
	}
	clock_gettime(CLOCK_REALTIME, &ts);
	for (const char *in = argv[argc - 1] + 1; *in && used < sizeof(format) - 16; in++) {
		if (in[0] == '%' && in[1] == 'N') {
			used += (size_t)snprintf(format + used, sizeof(format) - used, "%09ld",
						 ts.tv_nsec);
			in++;
		} else {
			format[used++] = *in;
		}
	}
	format[used] = '\0';
	if (argc == 3)
		gmtime_r(&ts.tv_sec, &tm);
	else
		localtime_r(&ts.tv_sec, &tm);
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (!strftime(text, sizeof(text), format, &tm))
		return 1;
	puts(text);
	return 0;
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		int (*run)(int argc, char *argv[]);
	} tools[] = { { "flock", flock_main }, { "env", env_main },	    { "comm", comm_main },
		      { "pgrep", pgrep_main }, { "getconf", getconf_main }, { "date", date_main } };
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!strcmp(tools[i].name, name))
			return tools[i].run(argc, argv);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		puts(tools[i].name);
	return argc > 1;
}
