/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "source.h"

static const char *number(const char *text, uint64_t *ret)
{
	uint64_t value = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		value = value * 10 + (uint64_t)(*text - '0');
	*ret = value;
	return text;
}

bool tsh_stats_value(const char *text, const char *name, uint64_t *ret, bool *ret_is_time)
{
	size_t len = strlen(name);
	uint64_t whole, micros;
	const char *end;

	while (strncmp(text, name, len) || text[len] != ':') {
		text = strchr(text, '\n');
		if (!text)
			return false;
		text++;
	}
	text += len + 1;
	text += strspn(text, " ");
	end = number(text, &whole);
	if (end == text)
		return false;
	*ret = whole;
	if (ret_is_time)
		*ret_is_time = *end == '.';
	if (*end == '.') {
		number(end + 1, &micros);
		*ret = whole * 1000000 + micros;
	}
	return true;
}

static uint64_t sum(const struct tsh_source *src, const char *const names[])
{
	uint64_t total = 0, value;
	size_t i, k;

	for (i = 0; src->live && i < src->nlanes; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%d/stats", src->lanes[i].cpu);
		char *text = tsh_file_text(src->in, path);

		for (k = 0; text && names[k]; k++)
			if (tsh_stats_value(text, names[k], &value, NULL))
				total += value;
		free(text);
		free(path);
	}
	return total;
}

uint64_t tsh_source_kernel_losses(const struct tsh_source *src)
{
	static const char *const names[] = { "commit overrun", "dropped events", NULL };

	return sum(src, names);
}

uint64_t tsh_source_overruns(const struct tsh_source *src)
{
	static const char *const names[] = { "overrun", NULL };

	return sum(src, names);
}

/* ---- pages that report losses without a count ---- */

/* Limits how often per_cpu/cpuN/stats is read. When the writer is fast, every page reports a loss
 * without a count, and reading stats costs as much as reading a page. */
#define LOOK_NS 1000000

static bool lane_stats(const struct tsh_source *src, const struct lane *lane,
		       uint64_t *ret_overruns, uint64_t *ret_read)
{
	char *path = tsh_xasprintf("per_cpu/cpu%d/stats", lane->cpu);
	char *text = tsh_file_text(src->in, path);
	bool known = text && tsh_stats_value(text, "overrun", ret_overruns, NULL) &&
		     tsh_stats_value(text, "read events", ret_read, NULL);

	free(text);
	free(path);
	return known;
}

void tsh_lane_begin_losses(const struct tsh_source *src, struct lane *lane)
{
	uint64_t overruns, read;

	/* Another reader may have read pages that reported earlier losses. */
	lane->counts = lane_stats(src, lane, &overruns, &read) && (!overruns || !read);
}

uint64_t tsh_lane_losses(const struct tsh_source *src, struct lane *lane, uint64_t lost)
{
	uint64_t overruns, read, now, missing;

	if (!src->live || !lane->counts || !lost)
		return lost;
	if (lost != TSH_LOST_UNKNOWN && !lane->counted_ahead) {
		lane->counted += lost;
		return lost;
	}
	now = tsh_mono_ns();
	if (lost == TSH_LOST_UNKNOWN && lane->counted_at && now - lane->counted_at < LOOK_NS)
		return lost;
	lane->counted_at = now;
	/* Clearing the buffer resets the counters. */
	if (!lane_stats(src, lane, &overruns, &read) || overruns < lane->counted) {
		lane->counts = false;
		return lost;
	}
	missing = overruns - lane->counted;
	lane->counted_ahead = lane->counted_ahead || lost == TSH_LOST_UNKNOWN;
	lost = lost < missing ? lost : missing;
	lane->counted += lost;
	return lost;
}
