/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>

#include "base/number.h"
#include "events/source/stream.h"
#include "session/ask.h"
#include "session/names.h"
#include "session/util.h"

/*
 * Implements clock: lists the trace clocks, shows the present one with its error, sets another one.
 */

/* ---- the clocks that there are ---- */

/* Returns "1 ns", "10 ms", "1 event", "1 tick"; for another machine only the unit. */
static char *resolution_text(const struct tsh_session *s, const struct tsh_clock_kind *kind)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	uint64_t ns = kind->unit_ns;
	struct timespec res;

	if (s->dir->kind != TSH_DIR_TREE && kind->posix != TSH_CLOCK_NO_POSIX &&
	    !clock_getres(kind->posix, &res))
		ns = (uint64_t)res.tv_sec * 1000000000 + (uint64_t)res.tv_nsec;
	if (!kind->has_time)
		tsh_strbuf_adds(&out, "1 event");
	else if (ns)
		tsh_format_ns(ns, &out);
	else
		tsh_strbuf_adds(&out, "1 tick");
	return tsh_strbuf_detach(&out);
}

static void list_clocks(struct tsh_session *s, const char *present)
{
	static const struct tsh_column columns[] = {
		{ "present", TSH_COLUMN_BOOL }, { "clock", TSH_COLUMN_TEXT },
		{ "resolution", TSH_COLUMN_TEXT }, { "suspend", TSH_COLUMN_TEXT },
		{ "cpus", TSH_COLUMN_TEXT }, { "summary", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "clock", columns);
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_clocks(s, &names);
	for (i = 0; i < names.n; i++) {
		const struct tsh_clock_kind *kind = tsh_clock_kind(names.v[i]);
		char *resolution = resolution_text(s, kind);

		tsh_table_row(table);
		tsh_table_bool(table, present && !strcmp(names.v[i], present));
		tsh_table_text(table, names.v[i]);
		tsh_table_text(table, resolution);
		tsh_table_text(table, !kind->has_time ? NULL :
			       kind->runs_in_suspend ? "runs" : "stops");
		tsh_table_text(table, kind->per_cpu ? "may differ" : "same");
		tsh_table_text(table, kind->summary);
		free(resolution);
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
}

/* ---- the present one ---- */

/* Adds the offset to the wall clock: "1795296417.764140910 s, error +-180 ns". */
static void add_offset(struct tsh_session *s, struct tsh_fields *f,
		       const struct tsh_clock_kind *kind)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_clock clock;
	int64_t wall;
	uint64_t ns;

	tsh_clock_init(&clock, kind);
	if (tsh_clock_sample_instance(&clock, s->in, TSH_CLOCK_ROUNDS, &err) < 0) {
		tsh_strbuf_adds(&out, err.message);
	} else if (!tsh_clock_is_ready(&clock)) {
		tsh_strbuf_adds(&out, kind->has_time ? "not known" : "none: it is no time");
	} else {
		if (kind->slewed && tsh_clock_wall(&clock, -1, 0, &wall, NULL)) {
			ns = wall < 0 ? -(uint64_t)wall : (uint64_t)wall;
			if (wall < 0)
				tsh_strbuf_addc(&out, '-');
			tsh_strbuf_addf(&out, "%" PRIu64 ".%09" PRIu64 " s, ",
					ns / 1000000000, ns % 1000000000);
		}
		tsh_clock_error_text(&clock, 0, &out);
	}
	tsh_fields_text(f, "wall_offset", out.buf);
	tsh_clock_release(&clock);
	tsh_strbuf_release(&out);
	tsh_err_release(&err);
}

/* Adds since when a time server keeps the clock right. The kernel does not say; systemd-
 * timesyncd(8) and others touch a file when they set the clock for the first time. */
static void add_ntp_since(struct tsh_strbuf *out)
{
	struct stat st;

	if (stat("/run/systemd/timesync/synchronized", &st) < 0)
		return;
	tsh_strbuf_adds(out, ", since ");
	tsh_time_iso(out, (int64_t)st.st_mtim.tv_sec * 1000000000);
}

/* Adds the error of the wall clock itself: the errors of our times are relative to that clock. */
static void add_ntp(struct tsh_fields *f)
{
	struct timex t = { .modes = 0 };
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (adjtimex(&t) < 0)
		return;
	if (t.status & STA_UNSYNC) {
		tsh_strbuf_adds(&out, "not synchronised");
	} else {
		tsh_strbuf_adds(&out, "synchronised, at most +-");
		tsh_format_ns(tsh_round_bound((uint64_t)t.maxerror * 1000), &out);
		tsh_strbuf_adds(&out, " off, estimated +-");
		tsh_format_ns((uint64_t)t.esterror * 1000, &out);
		add_ntp_since(&out);
	}
	tsh_fields_text(f, "ntp", out.buf);
	tsh_strbuf_release(&out);
}

/* Says why the clock boot is better. NULL: boot is set, or this kernel has none. */
static const char *why_boot_is_better(struct tsh_session *s, const struct tsh_clock_kind *kind)
{
	struct tsh_strlist names = { 0 };
	bool has_boot = false;
	size_t i;

	tsh_names_clocks(s, &names);
	for (i = 0; i < names.n; i++)
		has_boot |= !strcmp(names.v[i], "boot");
	tsh_strlist_release(&names);
	if (!has_boot || !strcmp(kind->name, "boot"))
		return NULL;
	if (!kind->has_time)
		return "boot: this one is no time";
	if (kind->steps_with_realtime)
		return "boot: this one steps when the wall clock is set";
	if (kind->per_cpu)
		return "boot: it is the same on all CPUs, runs in suspend, and its offset is "
		       "constant";
	if (!kind->slewed)
		return "boot: it runs in suspend, and its offset to the wall clock is constant";
	return "boot: it runs in suspend";
}

static void add_change(struct tsh_session *s, struct tsh_fields *f)
{
	uint64_t entries = tsh_cmd_entries(s->in);
	char *text = tsh_xasprintf("erases the buffer: %" PRIu64 " event%s", entries,
				   tsh_plural(entries));

	tsh_fields_text(f, "change", text);
	free(text);
}

static void show_present(struct tsh_session *s, const char *name)
{
	const struct tsh_clock_kind *kind = tsh_clock_kind(name);
	const char *why = why_boot_is_better(s, kind);
	bool live = s->dir->kind != TSH_DIR_TREE;
	char *resolution = resolution_text(s, kind);
	struct tsh_fields *f = tsh_fields_begin(s->out, "present_clock");

	tsh_fields_text(f, "clock", name);
	tsh_fields_text(f, "resolution", resolution);
	tsh_fields_text(f, "suspend", !kind->has_time ? "counts events only" :
			kind->runs_in_suspend ? "runs" : "stops");
	tsh_fields_text(f, "cpus", kind->per_cpu ? "may differ from each other" :
			"the same on all");
	add_offset(s, f, kind);
	/* shows this machine's wall clock only for its own kernel */
	if (live)
		add_ntp(f);
	if (live && why)
		tsh_fields_text(f, "better", why);
	if (live)
		add_change(s, f);
	tsh_fields_end(f);
	free(resolution);
}

static int show_clocks(struct tsh_session *s)
{
	char *present = tsh_clock_name(s->in);

	list_clocks(s, present);
	/* adds no second table to CSV */
	if (present && s->out->format != TSH_FORMAT_CSV) {
		tsh_out_line(s->out, "%s", "");
		show_present(s, present);
	}
	free(present);
	return 0;
}

static int clock_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "CLOCK");
	int r;

	if (!value)
		return show_clocks(s);
	if (tsh_cmd_confirm_write(s, s->in, "trace_clock", TSH_WRITE_SET, value->word.text, err) < 0)
		return -1;
	r = tsh_session_write(s, "trace_clock", TSH_WRITE_SET, value->word.text, value, err);
	if (r < 0)
		return -1;
	tsh_out_note(s->out, "clock of '%s' is %s%s", tsh_instance_label(s->in),
		     value->word.text, r ? "" : " (as before)");
	return 0;
}

static const struct tsh_arg clock_args[] = {
	{ .name = "CLOCK", .type = TSH_ARG_CLOCK, .flags = TSH_ARG_OPTIONAL,
	  .help = "one of trace_clock" },
	{ 0 }
};

static const struct tsh_example clock_examples[] = {
	{ "clock", "what there is, and what the present one is worth" },
	{ "clock boot", "the one that converts best to wall-clock time" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_clock = {
	.name = "clock", .group = TSH_GROUP_CONTROL, .summary = "show or set the trace clock",
	.description = "Another clock erases the buffer; how many events went is said, and at the "
		       "prompt asked before. The same one changes nothing.\n"
		       "Without an argument: the clocks, then of the present one its offset to "
		       "the wall clock, whether NTP keeps that one right (as adjtimex(2) has it), "
		       "and which clock would be better.",
	.see_also = "time clocks",
	.args = clock_args, .examples = clock_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = clock_run,
};
