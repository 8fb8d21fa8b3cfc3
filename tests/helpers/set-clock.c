/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * set-clock COMMAND..: sets the wall clock and its rate, in a guest of tests/vm and nowhere else.
 *	show		prints what adjtimex tells
 *	normal		rate, TAI offset and leap second as after booting
 *	step SECONDS	sets the clock forth, or back
 *	freq PPM	rate, up to +-500 parts per million
 *	tick US		rate, 9000 to 11000; 10000 is normal
 *	slew US		adjtime(): by so much, at 500 us a second
 *	tai SECONDS	offset of CLOCK_TAI
 *	leap SECONDS	sets the clock so long before the next midnight (UTC), at which a second is inserted
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define DAY 86400

static int adjust(struct timex *clock)
{
	if (adjtimex(clock) < 0) {
		perror("set-clock: adjtimex");
		return 1;
	}
	return 0;
}

static int show(void)
{
	struct timex clock = { .modes = 0 };
	struct timespec ts;
	int state = adjtimex(&clock);

	clock_gettime(CLOCK_REALTIME, &ts);
	printf("time %lld.%09ld state %d status 0x%x freq %.3f ppm tick %ld tai %d\n",
	       (long long)ts.tv_sec, ts.tv_nsec, state, (unsigned int)clock.status,
	       (double)clock.freq / 65536, clock.tick, clock.tai);
	return 0;
}

static int normal(void)
{
	struct timex clock = { .modes = ADJ_FREQUENCY | ADJ_TICK | ADJ_STATUS,
			       .tick = 10000,
			       .status = STA_UNSYNC };
	struct timex tai = { .modes = ADJ_TAI };

	return adjust(&clock) || adjust(&tai);
}

static int set(const struct timespec *ts)
{
	if (clock_settime(CLOCK_REALTIME, ts)) {
		perror("set-clock: clock_settime");
		return 1;
	}
	return 0;
}

static int step(long seconds)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += seconds;
	return set(&ts);
}

static int leap(long seconds)
{
	/* Setting the clock makes the kernel forget a leap, hence this afterwards. */
	struct timex clock = { .modes = ADJ_STATUS, .status = STA_INS };
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec += DAY - ts.tv_sec % DAY - seconds;
	return set(&ts) || adjust(&clock);
}

static int change(const char *what, long number)
{
	struct timex clock = { .modes = 0 };

	if (!strcmp(what, "freq")) {
		clock.modes = ADJ_FREQUENCY;
		clock.freq = number * 65536;
	} else if (!strcmp(what, "tick")) {
		clock.modes = ADJ_TICK;
		clock.tick = number;
	} else if (!strcmp(what, "slew")) {
		clock.modes = ADJ_OFFSET_SINGLESHOT;
		clock.offset = number;
	} else if (!strcmp(what, "tai")) {
		clock.modes = ADJ_TAI;
		clock.constant = number;
	} else {
		fprintf(stderr, "set-clock: what is '%s'?\n", what);
		return 2;
	}
	return adjust(&clock);
}

int main(int argc, char **argv)
{
	char *end = NULL;
	long number;

	if (access("/run/vm/main", F_OK)) {
		fprintf(stderr, "set-clock: only in a guest of tests/vm\n");
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], "show"))
		return show();
	if (argc == 2 && !strcmp(argv[1], "normal"))
		return normal();
	number = argc == 3 ? strtol(argv[2], &end, 10) : 0;
	if (!end || end == argv[2] || *end) {
		fprintf(stderr, "usage: set-clock COMMAND [NUMBER]\n");
		return 2;
	}
	if (!strcmp(argv[1], "step"))
		return step(number);
	if (!strcmp(argv[1], "leap"))
		return leap(number);
	return change(argv[1], number);
}
