/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "recorded.h"

/* Loads the calibration of a recording: from the file that `record` has written, or from the
 * samples of collect.sh. */

#define DAY_SECONDS 86400
#define YEAR_FIRST  2000
#define YEAR_LAST   2199

/* Returns the year in "#1 SMP Debian 6.1.176-1 (2026-07-02)", or at the end of other versions.
 * Returns YEAR_FIRST when there is none. */
static int year_of_kernel(const char *version)
{
	uint64_t number;
	const char *p;

	for (p = version ? strpbrk(version, " (") : NULL; p; p = strpbrk(p, " (")) {
		p++;
		if (!tsh_parse_u64_prefix(&p, &number) || number < YEAR_FIRST || number > YEAR_LAST)
			continue;
		if (!*p || *p == '-')
			return (int)number;
	}
	return YEAR_FIRST;
}

/* Returns the earliest time of a clock that is set: when the kernel was made. */
static int64_t not_before(const struct tsh_instance *in)
{
	char *version = tsh_tree_info(in, "version");
	struct tm day = { .tm_year = year_of_kernel(version) - 1900, .tm_mday = 1 };

	free(version);
	/* a day earlier, it was already that year somewhere */
	return ((int64_t)timegm(&day) - DAY_SECONDS) * 1000000000;
}

static int load_samples(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err)
{
	char *samples = tsh_file_text(in, TREE_SAMPLES), *home = tsh_file_text(in, TREE_HOME);
	int r = samples ? tsh_clock_load_samples(clock, samples, home, not_before(in)) : 0;

	if (r < 0)
		tsh_err_set(err, TSH_FAILED, "'%s' of the recording gives no wall-clock times",
			    home ? TREE_HOME : TREE_SAMPLES);
	if (r < 0 && home)
		tsh_err_hint(err, "it needs three parts: a date, the board's /proc/timer_list, and a "
				  "date again");
	else if (r < 0)
		tsh_err_hint(err, "without wall-clock times: set time trace; drain");
	free(samples);
	free(home);
	return r < 0 ? -1 : 0;
}

int tsh_tree_load_clock(struct tsh_clock *clock, const struct tsh_instance *in, struct tsh_err *err)
{
	char *text = tsh_file_text(in, TREE_CLOCK);
	int r;

	if (!text)
		return load_samples(clock, in, err);
	r = tsh_clock_load(clock, text);
	free(text);
	if (r < 0)
		return tsh_err_set(err, TSH_FAILED, "'%s' of the recording holds no calibration",
				   TREE_CLOCK);
	return 0;
}
