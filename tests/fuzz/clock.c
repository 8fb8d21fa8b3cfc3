/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calibration of a recorded tree. The first byte says which: what record wrote, or what
 * collect.sh saw of a clock, with "@@\n" before what was seen from elsewhere. What was read is
 * asked for times, goes on with further looks, and is written and read again: the same text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "events/clock/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const kinds[] = {
	"boot", "local", "mono", "tai", "uptime", "x86-tsc", "counter", "global", "perf",
};
#define KINDS_N (sizeof(kinds) / sizeof(kinds[0]))
#define S INT64_C(1000000000)

static void ask(const struct tsh_clock *clock, int cpu, uint64_t stamp)
{
	struct tsh_wall wall, quick = { 0 };

	if (!tsh_clock_at(clock, cpu, stamp, &wall))
		return;
	if (tsh_clock_quick(clock, cpu, stamp, &quick.ns) && !wall.ambiguous &&
	    wall.error_ns != UINT64_MAX && quick.ns != wall.ns)
		abort();
}

static void ask_all(const struct tsh_clock *clock)
{
	static const uint64_t stamps[] = {
		0, 1, 1000, 1000000, 10000000000, UINT64_C(1) << 62, INT64_MAX, UINT64_MAX,
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int64_t wall;
	size_t i;
	int cpu;

	for (i = 0; i < sizeof(stamps) / sizeof(stamps[0]); i++)
		for (cpu = -1; cpu < 3; cpu++)
			ask(clock, cpu, stamps[i]);
	(void)tsh_clock_last_sample(clock, &wall);
	(void)tsh_clock_condition(clock);
	tsh_clock_error_text(clock, 500, &text);
	tsh_strbuf_release(&text);
}

static void save_and_load(const struct tsh_clock *clock)
{
	struct tsh_strbuf first = TSH_STRBUF_INIT, second = TSH_STRBUF_INIT;
	struct tsh_clock again = { 0 };

	tsh_clock_save(clock, &first);
	if (tsh_clock_load(&again, first.buf) < 0)
		abort();
	tsh_clock_save(&again, &second);
	if (strcmp(first.buf, second.buf) != 0)
		abort();
	tsh_clock_release(&again);
	tsh_strbuf_release(&first);
	tsh_strbuf_release(&second);
}

/* As a recording that goes on. */
static void look_again(struct tsh_clock *clock)
{
	const struct tsh_clock_wall_sample wall = {
		.before = 1700000000 * S, .after = 1700000000 * S + 50, .base = 100 * S,
		.asleep = TSH_ASLEEP_UNKNOWN, .boot = TSH_BOOT_UNKNOWN,
	};
	const struct tsh_clock_sample line = {
		.before = 100 * S, .after = 100 * S + 50, .stamp = 100 * S, .quantum = 1, .cpu = -1,
	};

	(void)tsh_clock_add_wall(clock, &wall);
	if (clock->kind->posix == TSH_CLOCK_NO_POSIX && !clock->kind->per_cpu)
		(void)tsh_clock_add(clock, &line);
	ask_all(clock);
}

static int load_samples(struct tsh_clock *clock, char *text)
{
	char *home = strstr(text, "\n@@\n");

	if (home) {
		*home = '\0';
		home += 4;
	}
	return tsh_clock_load_samples(clock, text, home, 946684800 * S);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsh_clock clock = { 0 };
	char *text;
	int r;

	if (!size)
		return 0;
	/* Of its own, so that a byte too far is seen; a file with a NUL is not read at all. */
	text = tsh_xstrndup((const char *)data + 1, size - 1);
	tsh_clock_init(&clock, tsh_clock_kind(kinds[data[0] % KINDS_N]));
	r = data[0] & 128 ? load_samples(&clock, text) : tsh_clock_load(&clock, text);
	if (!r) {
		ask_all(&clock);
		if (!(data[0] & 128))
			save_and_load(&clock);
		look_again(&clock);
	}
	tsh_clock_release(&clock);
	free(text);
	return 0;
}
