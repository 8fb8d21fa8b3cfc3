/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calibration.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/vec.h"

/* Saves and loads a calibration as text, for recordings: see tsh_clock_save. */

/* ---- writing ---- */

static void save_line(const struct tsh_track *track, int cpu, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < track->n; i++) {
		const struct tsh_track_node *node = &track->node[i];

		tsh_strbuf_addf(out, "cpu %d %" PRIu64 " %" PRId64 " %" PRId64 " %d\n", cpu,
				node->at, node->value.lo, node->value.hi, node->broken);
	}
	if (track->fuzz)
		tsh_strbuf_addf(out, "fuzz %d %" PRIu64 "\n", cpu, track->fuzz);
}

static void save_wall(const struct tsh_track *track, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < track->n; i++) {
		const struct tsh_track_node *node = &track->node[i];

		tsh_strbuf_addf(out,
				"wall %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId32 " %" PRId32
				" %d\n",
				node->at, node->value.lo, node->value.hi, node->slew.lo,
				node->slew.hi, node->broken);
	}
}

void tsh_clock_save(const struct tsh_clock *clock, struct tsh_strbuf *out)
{
	size_t i;

	tsh_strbuf_addf(out, "%s\n%s", clock->kind->name, clock->is_dated ? "dated\n" : "");
	if (clock->wall)
		save_wall(clock->wall, out);
	for (i = 0; i < clock->nlines; i++)
		save_line(&clock->line[i], (int)i - 1, out);
}

/* ---- reading ---- */

static bool load_node(char **words, struct tsh_track_node *node)
{
	return !tsh_parse_u64(words[0], &node->at) && !tsh_parse_s64(words[1], &node->value.lo) &&
	       !tsh_parse_s64(words[2], &node->value.hi);
}

static bool load_break(const char *word, struct tsh_track_node *node)
{
	node->broken = !strcmp(word, "1");
	return node->broken || !strcmp(word, "0");
}

static bool load_wall(struct tsh_clock *clock, char **words)
{
	struct tsh_track_node node = { 0 };
	int lo, hi;

	if (!load_node(words, &node) || tsh_parse_int(words[3], &lo) ||
	    tsh_parse_int(words[4], &hi) || !load_break(words[5], &node))
		return false;
	node.slew = (struct tsh_slew){ lo, hi };
	return clock->kind->has_time && tsh_track_append(clock->wall, &node);
}

static bool load_cpu(struct tsh_clock *clock, char **words)
{
	struct tsh_track_node node = { 0 };
	int cpu;

	return !tsh_parse_int(words[0], &cpu) && load_node(words + 1, &node) &&
	       load_break(words[4], &node) && tsh_clock_has_line(clock->kind, cpu) &&
	       tsh_track_append(tsh_clock_line(clock, cpu), &node);
}

/* Limits the fuzz of a track that is loaded, in ns: twice the fuzz is added to errors, and must not
 * overflow. */
#define FUZZ_MAX (UINT64_MAX / 8)

static bool load_fuzz(struct tsh_clock *clock, char **words)
{
	uint64_t ns;
	int cpu;

	if (tsh_parse_int(words[0], &cpu) || tsh_parse_u64(words[1], &ns) ||
	    !tsh_clock_has_line(clock->kind, cpu) || ns > FUZZ_MAX)
		return false;
	tsh_clock_line(clock, cpu)->fuzz = ns;
	tsh_track_draw_rays(tsh_clock_line(clock, cpu));
	return true;
}

static bool load_line(struct tsh_clock *clock, const char *line)
{
	struct tsh_strlist words = { 0 };
	bool good = false;

	tsh_strlist_split_words(&words, line);
	if (words.n == 7 && !strcmp(words.v[0], "wall"))
		good = load_wall(clock, words.v + 1);
	else if (words.n == 6 && !strcmp(words.v[0], "cpu"))
		good = load_cpu(clock, words.v + 1);
	else if (words.n == 3 && !strcmp(words.v[0], "fuzz"))
		good = load_fuzz(clock, words.v + 1);
	else if (words.n == 1 && !strcmp(words.v[0], "dated"))
		good = clock->is_dated = true;
	tsh_strlist_release(&words);
	return good;
}

int tsh_clock_load(struct tsh_clock *clock, const char *text)
{
	struct tsh_strlist lines = { 0 };
	struct tsh_clock loaded;
	bool good;
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	good = lines.n > 0 && *lines.v[0] && !strpbrk(lines.v[0], " \t");
	tsh_clock_init(&loaded, tsh_clock_kind(good ? lines.v[0] : ""));
	for (i = 1; good && i < lines.n; i++)
		good = load_line(&loaded, lines.v[i]);
	tsh_strlist_release(&lines);
	if (!good) {
		tsh_clock_release(&loaded);
		return -EINVAL;
	}
	tsh_clock_set_constant(&loaded);
	tsh_clock_release(clock);
	*clock = loaded;
	return 0;
}
