/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "engine/show/show.h"
#include "events/recording/record.h"
#include "events/source/stream.h"
#include "session/util.h"

/* Declares stats: shows what the buffer of each CPU holds and has lost. */

/* Bounds the rounding of the kernel's microseconds (kernel/trace/trace.c, ns2usecs). */
#define ROUNDING_NS 500
/* Counts pages of a recording that are read between two checks for signals. */
#define PAGES 64

struct cpu_stats {
	unsigned int cpu;
	uint64_t entries;
	uint64_t overrun;
	uint64_t dropped;
	uint64_t bytes;
	char *oldest;		/* times as text, NULL when unknown */
	char *newest;
	uint64_t error_ns;	/* the larger of both bounds */
	bool has_error;		/* the times are those of the wall clock */
};

struct stats {
	struct tsh_clock clock;
	struct tsh_time_text time;
};

/* Reads the line "NAME: 2290.483563" (for clocks in ns) or "NAME: 229044". */
static bool stat_time(const char *text, const char *name, uint64_t *ret, bool *ret_is_ns)
{
	size_t len = strlen(name), digits;
	const char *line = text, *p;
	uint64_t usecs;

	while (line && (strncmp(line, name, len) || line[len] != ':')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	p = line + len + 1;
	p += strspn(p, " ");
	digits = strspn(p, "0123456789");
	if (!digits || digits > 19)
		return false;
	for (*ret = 0; digits--; p++)
		*ret = *ret * 10 + (uint64_t)(*p - '0');
	*ret_is_ns = *p == '.';
	if (!*ret_is_ns)
		return true;
	if (strspn(++p, "0123456789") != 6)
		return false;
	for (usecs = 0, digits = 6; digits--; p++)
		usecs = usecs * 10 + (uint64_t)(*p - '0');
	*ret = *ret * 1000000000 + usecs * 1000;
	return true;
}

static char *time_text(struct stats *st, uint64_t stamp, struct cpu_stats *cpu,
		       enum tsh_format format)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	uint64_t error_ns = 0;
	int64_t wall = 0;
	bool has_wall = tsh_clock_wall(&st->clock, (int)cpu->cpu, stamp, &wall, &error_ns);

	cpu->has_error |= has_wall;
	error_ns = tsh_saturating_sum(error_ns, ROUNDING_NS);
	if (has_wall && error_ns > cpu->error_ns)
		cpu->error_ns = error_ns;
	if (has_wall && (format == TSH_FORMAT_JSON || format == TSH_FORMAT_CSV)) {
		tsh_time_iso(&out, wall);
	} else {
		tsh_time_text_add(&st->time, &out, st->clock.kind, stamp, has_wall, wall);
		while (out.len && out.buf[0] == ' ') {
			memmove(out.buf, out.buf + 1, out.len - 1);
			tsh_strbuf_truncate(&out, out.len - 1);
		}
	}
	return tsh_strbuf_detach(&out);
}

/* Holds what is counted of a CPU of a recording. */
struct counted {
	uint64_t events, bytes;
	uint64_t first, last;		/* stamps */
};

/* Reads the events of a CPU of a recording, which has no text of its buffer. */
static void count_events(struct tsh_session *s, unsigned int cpu, struct counted *ret)
{
	struct tsh_cpuset one = { 0 };
	struct tsh_source *src = NULL;
	struct tsh_err ignored = { 0 };
	struct tsh_record rec;
	enum tsh_source_item item;
	bool drained, late;
	uint64_t lost;
	int r;

	*ret = (struct counted){ 0 };

	tsh_cpuset_add(&one, cpu);
	r = tsh_source_open(s->in, &one, &src, &ignored);
	for (drained = false; r >= 0 && !drained && !tsh_cmd_is_aborted(s);) {
		r = tsh_source_fill(src, PAGES, &drained);
		while ((item = tsh_source_next(src, UINT64_MAX, &rec, &lost, &late)) != TSH_ITEM_NONE) {
			if (item != TSH_ITEM_EVENT)
				continue;
			ret->first = ret->events ? ret->first : rec.stamp;
			ret->last = rec.stamp;
			ret->events++;
			/* with the four bytes before it, as the kernel counts them */
			ret->bytes += rec.size + 4;
		}
	}
	tsh_source_close(src);
	tsh_cpuset_release(&one);
	tsh_err_release(&ignored);
}

static bool find_newest(struct tsh_session *s, unsigned int cpu, uint64_t *ret_stamp)
{
	struct counted counted;

	if (s->dir->kind != TSH_DIR_TREE)
		return tsh_show_read_newest(s, cpu, ret_stamp);
	count_events(s, cpu, &counted);
	*ret_stamp = counted.last;
	return counted.events;
}

/* Counts what a recording has of a CPU whose stats it does not have. */
static bool count_cpu(struct tsh_session *s, struct stats *st, unsigned int cpu, struct cpu_stats *ret)
{
	struct counted counted;

	if (s->dir->kind != TSH_DIR_TREE || tsh_tree_is_cut(s->in))
		return false;
	count_events(s, cpu, &counted);
	ret->cpu = cpu;
	ret->entries = counted.events;
	ret->bytes = counted.bytes;
	if (counted.events) {
		ret->oldest = time_text(st, counted.first, ret, s->out->format);
		ret->newest = time_text(st, counted.last, ret, s->out->format);
	}
	return true;
}

static bool read_cpu(struct tsh_session *s, struct stats *st, unsigned int cpu,
		     struct cpu_stats *ret)
{
	enum tsh_format format = s->out->format;
	uint64_t stamp;
	bool is_ns;

	char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpu);
	char *text = tsh_file_text(s->in, path);

	free(path);
	memset(ret, 0, sizeof(*ret));
	if (!text)
		return count_cpu(s, st, cpu, ret);	/* a CPU of a kernel then has no buffer */
	ret->cpu = cpu;
	ret->entries = tsh_stats_number(text, "entries");
	ret->overrun = tsh_stats_number(text, "overrun");
	ret->dropped = tsh_stats_number(text, "dropped events") + tsh_stats_number(text, "commit overrun");
	ret->bytes = tsh_stats_number(text, "bytes");
	/* ignores the time of an empty buffer, which is an old one */
	if (ret->entries && stat_time(text, "oldest event ts", &stamp, &is_ns) &&
	    is_ns == st->clock.kind->in_ns)
		ret->oldest = time_text(st, stamp, ret, format);
	if (ret->entries && find_newest(s, cpu, &stamp))
		ret->newest = time_text(st, stamp, ret, format);
	free(text);
	return true;
}

static void print_cpu(struct tsh_table *table, const struct cpu_stats *cpu, bool with_error)
{
	tsh_table_row(table);
	tsh_table_number(table, cpu->cpu);
	tsh_table_number(table, cpu->entries);
	tsh_table_number(table, cpu->overrun);
	tsh_table_number(table, cpu->dropped);
	tsh_table_number(table, cpu->bytes);
	tsh_table_text(table, cpu->oldest);
	tsh_table_text(table, cpu->newest);
	if (with_error && cpu->has_error)
		tsh_table_number(table, cpu->error_ns);
	else if (with_error)
		tsh_table_text(table, NULL);
}

/* Prints a note with the sums of all CPUs and the error of the times, and a hint when events were
 * lost or the recording is cut off. */
static void print_sum(struct tsh_session *s, const struct cpu_stats *sum)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *name = tsh_cmd_instance_name(s->in);

	tsh_strbuf_addf(&text, "%llu event%s in the buffer of '%s', %llu overwritten, %llu dropped",
			(unsigned long long)sum->entries, tsh_plural(sum->entries),
			name, (unsigned long long)sum->overrun,
			(unsigned long long)sum->dropped);
	free(name);
	if (sum->has_error) {
		tsh_strbuf_adds(&text, "; times ");
		tsh_format_bound(sum->error_ns, &text);
	}
	tsh_out_note(s->out, "%s", text.buf);
	if (tsh_tree_is_cut(s->in))
		tsh_out_warn(s->out, TSH_TREE_CUT);
	else if (sum->overrun + sum->dropped)
		tsh_out_note(s->out, "a larger buffer loses less: buffer SIZE");
	tsh_strbuf_release(&text);
}

/* Returns a style that shows a time of its own, and no difference. */
static enum tsh_time_style style_of(const struct tsh_session *s)
{
	enum tsh_time_style style = s->settings.time;

	if (tsh_time_style_since(style) || style == TSH_TIME_NONE)
		return TSH_TIME_WALL;
	return style;
}

static void start(struct tsh_session *s, struct stats *st)
{
	char *name = tsh_clock_name(s->in);
	struct tsh_err err = { 0 };

	tsh_clock_init(&st->clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	tsh_time_text_init(&st->time, style_of(s), false);
	if (tsh_clock_sample_instance(&st->clock, s->in, TSH_CLOCK_ROUNDS, &err) < 0)
		tsh_out_warn(s->out, "no wall-clock times: %s", err.message);
	tsh_err_release(&err);
}

static int stats_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_column columns[] = {
		{ "cpu", TSH_COLUMN_NUMBER }, { "entries", TSH_COLUMN_NUMBER },
		{ "overrun", TSH_COLUMN_NUMBER }, { "dropped", TSH_COLUMN_NUMBER },
		{ "bytes", TSH_COLUMN_SIZE }, { "oldest", TSH_COLUMN_TEXT },
		{ "newest", TSH_COLUMN_TEXT }, { 0 }, { 0 }
	};
	/* Adds a column for the error only in JSON and CSV: in text it stands below the table. */
	bool with_error = s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV;
	struct cpu_stats cpu, sum = { 0 };
	struct tsh_table *table;
	struct stats st = { 0 };
	unsigned int *cpus;
	size_t i, n, rows = 0;

	(void)call;
	(void)err;
	start(s, &st);
	n = tsh_cpus_present(s->in, &cpus);
	if (with_error)
		columns[7] = (struct tsh_column){ "error_ns", TSH_COLUMN_NUMBER };
	table = tsh_table_begin(s->out, "stats", columns);
	for (i = 0; i < n; i++) {
		if (!read_cpu(s, &st, cpus[i], &cpu))
			continue;
		print_cpu(table, &cpu, with_error);
		rows++;
		sum.entries += cpu.entries;
		sum.overrun += cpu.overrun;
		sum.dropped += cpu.dropped;
		sum.has_error |= cpu.has_error;
		if (cpu.error_ns > sum.error_ns)
			sum.error_ns = cpu.error_ns;
		free(cpu.oldest);
		free(cpu.newest);
	}
	tsh_table_end(table);
	/* prints no sum for a recording that was cut off: record writes the statistics last */
	if (rows || !tsh_tree_is_cut(s->in))
		print_sum(s, &sum);
	else
		tsh_out_warn(s->out, "how many events there are is not recorded, count tells: " TSH_TREE_CUT);
	tsh_clock_release(&st.clock);
	free(cpus);
	return 0;
}

static const struct tsh_arg no_args[] = { { 0 } };

static const struct tsh_example stats_examples[] = {
	{ "stats", "entries and losses of each CPU" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_stats = {
	.name = "stats", .group = TSH_GROUP_SEE, .summary = "show what each CPU's buffer holds",
	.description =
		"entries: events that are there; overrun: old ones that newer ones have overwritten "
		"since the buffer was cleared; dropped: events that found no room.\n"
		"oldest and newest are the wall-clock times of the first and the last event that is "
		"there, with the bound of their error below them (error_ns in JSON and CSV). The "
		"kernel tells the newest only in the buffer's text, all of which is read "
		"for it.",
	.see_also = "buffer status",
	.args = no_args, .examples = stats_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = stats_run,
};
