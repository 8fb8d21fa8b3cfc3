/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the proof of the wall-clock conversion.
 *
 * clock-marks INSTANCE COUNT MS: writes COUNT markers "mark ID" on every CPU to the trace_marker of this directory, in
 * bursts spread at random over MS milliseconds, each between two looks at the wall clock. Prints "ID CPU T0 T1" for each
 * of them, in ns since 1970: what the kernel's CLOCK_REALTIME was when the event got its time is between T0 and T1.
 *
 * clock-marks --check MARKS JSON LIMIT: looks each of them up in what `tracesh --format json --precision ns`
 * printed of them. LIMIT in ns; 0 for none. Prints words NAME=NUMBER in one line, for a shell to read:
 *	marks		that were written
 *	missing		not printed, or twice, or without a time or its error
 *	outside		printed with a time whose error does not reach the bracket: an untruth
 *	by		by how many ns at most
 *	skipped		not looked at: the wall clock was set between T0 and T1
 *	ambiguous	printed as such; their error may be above the limit
 *	over		of the others, the error is above the limit
 *	largest		error of the others, in ns
 *	usual		the median error of the others
 *	bracket		the median of T1 - T0
 * and on stderr some of those that are outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SEC INT64_C(1000000000)
/* Few enough that most come after a pause, and so at any place between two ticks of the kernel's. */
#define BURST 8
/* A bracket longer than this, or a negative one, is one in which the wall clock was set. */
#define BRACKET_NS (NS_PER_SEC / 2)
/* How many of the untrue ones are told. */
#define TELL 8

struct mark {
	int cpu;
	int64_t t0, t1;
	/* as printed */
	unsigned int seen;
	bool has_time, ambiguous;
	int64_t time, error;
};

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory) {
		perror("clock-marks");
		exit(2);
	}
	return memory;
}

/* ---- writing ---- */

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

static void sleep_until(int64_t when)
{
	struct timespec ts = { .tv_sec = when / NS_PER_SEC, .tv_nsec = when % NS_PER_SEC };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

static bool pin(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static bool write_mark(int fd, size_t id, struct mark *mark)
{
	char text[32];
	size_t size = (size_t)snprintf(text, sizeof(text), "mark %zu", id);
	ssize_t written;

	mark->t0 = now(CLOCK_REALTIME);
	written = write(fd, text, size);
	mark->t1 = now(CLOCK_REALTIME);
	return written == (ssize_t)size;
}

/* Marks first.. of all CPUs, a burst on each. */
static bool write_round(int fd, const cpu_set_t *cpus, struct mark *marks, size_t *n, size_t count)
{
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		/* one that was taken offline gets none */
		if (!pin(cpu))
			continue;
		for (size_t i = 0; i < count; i++) {
			marks[*n].cpu = (int)cpu;
			if (!write_mark(fd, *n, &marks[*n]))
				return false;
			++*n;
		}
	}
	return true;
}

static int write_marks(const char *instance, size_t count, int64_t duration)
{
	size_t ncpus, n = 0, rounds = (count + BURST - 1) / BURST;
	struct mark *marks;
	unsigned int seed = 1;
	int64_t start, slot;
	cpu_set_t cpus;
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/trace_marker", instance);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || sched_getaffinity(0, sizeof(cpus), &cpus)) {
		perror(path);
		return 2;
	}
	ncpus = (size_t)CPU_COUNT(&cpus);
	marks = allocate(ncpus * count, sizeof(*marks));
	slot = duration / (int64_t)(rounds ? rounds : 1);
	start = now(CLOCK_MONOTONIC);
	for (size_t i = 0; i < rounds; i++) {
		size_t left = count - i * BURST;
		int64_t within = slot * (rand_r(&seed) % 1024) / 1024;

		sleep_until(start + (int64_t)i * slot + within);
		if (!write_round(fd, &cpus, marks, &n, left < BURST ? left : BURST)) {
			perror(path);
			return 2;
		}
	}
	sleep_until(start + duration);
	for (size_t i = 0; i < n; i++)
		printf("%zu %d %" PRId64 " %" PRId64 "\n", i, marks[i].cpu, marks[i].t0,
		       marks[i].t1);
	return fflush(stdout) || ferror(stdout) ? 2 : 0;
}

/* ---- checking ---- */

/* Days from 1970-01-01 in the Gregorian calendar. */
static int64_t days(int64_t year, int64_t month, int64_t day)
{
	int64_t era, of_era, of_year;

	year -= month <= 2;
	era = year / 400;
	of_era = year - era * 400;
	of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* What follows "NAME": in a line of JSON; NULL without. Texts in it have their quotes escaped. */
static const char *value_of(const char *line, const char *name)
{
	char key[64];
	const char *found;
	int size = snprintf(key, sizeof(key), "\"%s\":", name);

	found = strstr(line, key);
	return found ? found + size : NULL;
}

/* 2024-01-02T22:47:33.843825123+00:00 */
static bool parse_time(const char *text, int64_t *ret)
{
	int year, month, day, hour, minute, second, end = 0;
	char ns[10];

	if (!text || sscanf(text, "\"%4d-%2d-%2dT%2d:%2d:%2d.%9[0-9]+00:00\"%n", &year, &month,
			    &day, &hour, &minute, &second, ns, &end) != 7)
		return false;
	if (!end || strlen(ns) != 9)
		return false;
	*ret = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	*ret = *ret * NS_PER_SEC + strtoll(ns, NULL, 10);
	return true;
}

static bool parse_number(const char *text, int64_t *ret)
{
	char *end;

	if (!text)
		return false;
	errno = 0;
	*ret = strtoll(text, &end, 10);
	return end != text && !errno && *ret >= 0;
}

static FILE *open_text(const char *path)
{
	FILE *file = fopen(path, "re");

	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

static struct mark *read_marks(const char *path, size_t *ret)
{
	FILE *file = open_text(path);
	struct mark *marks = NULL, mark = { 0 };
	size_t n = 0, room = 0, id;

	while (fscanf(file, "%zu %d %" SCNd64 " %" SCNd64, &id, &mark.cpu, &mark.t0, &mark.t1) ==
	       4) {
		if (id != n) {
			fprintf(stderr, "%s: no mark %zu\n", path, n);
			exit(2);
		}
		if (n == room) {
			room = room ? room * 2 : 1024;
			marks = reallocarray(marks, room, sizeof(*marks));
			if (!marks) {
				perror("clock-marks");
				exit(2);
			}
		}
		marks[n++] = mark;
	}
	fclose(file);
	*ret = n;
	return marks;
}

static void read_events(const char *path, struct mark *marks, size_t n)
{
	FILE *file = open_text(path);
	char *line = NULL;
	const char *text;
	size_t room = 0;
	int64_t id;

	while (getline(&line, &room, file) >= 0) {
		text = value_of(line, "buf");
		if (!text || strncmp(text, "\"mark ", 6) || !parse_number(text + 6, &id) ||
		    id >= (int64_t)n)
			continue;
		marks[id].seen++;
		marks[id].has_time = parse_time(value_of(line, "time"), &marks[id].time) &&
				     parse_number(value_of(line, "error_ns"), &marks[id].error);
		text = value_of(line, "ambiguous");
		marks[id].ambiguous = text && !strncmp(text, "true", 4);
	}
	free(line);
	fclose(file);
}

/* By how much a printed time misses its bracket: 0 when it does not. */
static int64_t misses_by(const struct mark *mark)
{
	if (mark->time - mark->error > mark->t1)
		return mark->time - mark->error - mark->t1;
	if (mark->time + mark->error < mark->t0)
		return mark->t0 - mark->time - mark->error;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), by_number);
	return n ? numbers[n / 2] : 0;
}

static int check_marks(const char *marks_path, const char *json_path, int64_t limit)
{
	size_t n, nerrors = 0, nbrackets = 0;
	size_t missing = 0, outside = 0, skipped = 0, ambiguous = 0, over = 0;
	struct mark *marks = read_marks(marks_path, &n);
	int64_t *errors = allocate(n, sizeof(*errors)), *brackets = allocate(n, sizeof(*brackets));
	int64_t by, worst = 0, largest = 0;

	read_events(json_path, marks, n);
	for (size_t i = 0; i < n; i++) {
		struct mark *mark = &marks[i];

		if (mark->seen != 1 || !mark->has_time) {
			missing++;
			continue;
		}
		if (mark->t1 < mark->t0 || mark->t1 - mark->t0 > BRACKET_NS) {
			skipped++;
			continue;
		}
		brackets[nbrackets++] = mark->t1 - mark->t0;
		by = misses_by(mark);
		if (by && ++outside <= TELL)
			fprintf(stderr,
				"mark %zu on CPU %d, %.6f s after the first: time - T0 %" PRId64
				", T1 - T0 %" PRId64 ", error %" PRId64 "%s: misses by %" PRId64
				" ns\n",
				i, mark->cpu, (double)(mark->t0 - marks[0].t0) / NS_PER_SEC,
				mark->time - mark->t0, mark->t1 - mark->t0, mark->error,
				mark->ambiguous ? ", ambiguous" : "", by);
		if (by > worst)
			worst = by;
		if (mark->ambiguous) {
			ambiguous++;
			continue;
		}
		over += limit && mark->error > limit;
		if (mark->error > largest)
			largest = mark->error;
		errors[nerrors++] = mark->error;
	}
	printf("marks=%zu missing=%zu outside=%zu by=%" PRId64 " skipped=%zu ambiguous=%zu "
	       "over=%zu largest=%" PRId64 " usual=%" PRId64 " bracket=%" PRId64 "\n",
	       n, missing, outside, worst, skipped, ambiguous, over, largest,
	       median(errors, nerrors), median(brackets, nbrackets));
	free(errors);
	free(brackets);
	free(marks);
	return 0;
}

int main(int argc, char **argv)
{
	int64_t count, ms;

	if (argc == 5 && !strcmp(argv[1], "--check") && parse_number(argv[4], &count))
		return check_marks(argv[2], argv[3], count);
	if (argc == 4 && parse_number(argv[2], &count) && parse_number(argv[3], &ms))
		return write_marks(argv[1], (size_t)count, ms * 1000000);
	fprintf(stderr, "usage: clock-marks INSTANCE COUNT MS | --check MARKS JSON LIMIT\n");
	return 2;
}
