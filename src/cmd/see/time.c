/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/now.h"
#include "base/number.h"
#include "events/clock/moment.h"
#include "events/source/stream.h"
#include "session/when.h"

/* Declares time: shows a moment on the trace clock and on the wall clock. */

/* Bounds the rounding of the kernel's text, which has microseconds. */
#define PRINTED_NS 500
/* Bounds the time between reading the clock and printing a moment, within one command. */
#define LOOKED_NS 100000000

/* Holds one moment on both clocks. */
struct both {
	int64_t wall;
	uint64_t stamp;
	uint64_t error_ns;
};

/* ---- conversion ---- */

static int open_clock(struct tsh_session *s, struct tsh_clock *clock, struct tsh_err *err)
{
	char *name = tsh_clock_name(s->in);

	tsh_clock_init(clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	if (tsh_clock_sample_instance(clock, s->in, TSH_CLOCK_ROUNDS, err) < 0)
		return -1;
	if (tsh_clock_is_ready(clock))
		return 0;
	if (clock->kind->has_time) {
		tsh_err_set(err, TSH_FAILED, "nothing is known of the wall-clock time of this "
			    "recording");
		return -1;
	}
	tsh_err_set(err, TSH_FAILED, "the clock '%s' is no time: it counts events",
		    clock->kind->name);
	tsh_err_hint(err, "clock boot (which erases the buffer)");
	return -1;
}

static int from_stamp(const struct tsh_clock *clock, const struct tsh_moment *m,
		      struct both *ret, struct tsh_err *err)
{
	ret->stamp = m->stamp;
	if (m->bare && clock->kind->in_ns) {
		tsh_err_set(err, TSH_USAGE, "the kernel prints times of the clock '%s' with a dot",
			    clock->kind->name);
		tsh_err_hint(err, "%" PRIu64 ".0 are seconds of that clock, @%" PRIu64 " those "
			     "since 1970", m->stamp, m->stamp);
		return -1;
	}
	if (!m->bare && !clock->kind->in_ns) {
		tsh_err_set(err, TSH_USAGE, "the clock '%s' counts in whole numbers",
			    clock->kind->name);
		tsh_err_hint(err, "with an @ before it it is a wall-clock time, seconds since 1970");
		return -1;
	}
	/* Refuses larger stamps, which mean times before the clock began. */
	if (ret->stamp > INT64_MAX ||
	    !tsh_clock_wall(clock, -1, ret->stamp, &ret->wall, &ret->error_ns) ||
	    ret->wall < 0 || ret->error_ns == UINT64_MAX)
		return tsh_err_set(err, TSH_FAILED, "the wall-clock time of that is not known");
	ret->error_ns = tsh_saturating_sum(ret->error_ns, m->rounding_ns);
	return 0;
}

static int from_wall(const struct tsh_clock *clock, int64_t wall, struct both *ret,
		     struct tsh_err *err)
{
	struct tsh_strbuf began = TSH_STRBUF_INIT;
	int64_t zero;

	ret->wall = wall;
	if (tsh_clock_stamp(clock, -1, wall, &ret->stamp, &ret->error_ns))
		return 0;
	tsh_err_set(err, TSH_FAILED, "the clock '%s' had not begun to count then",
		    clock->kind->name);
	if (tsh_clock_wall(clock, -1, 0, &zero, NULL)) {
		tsh_time_iso(&began, zero);
		tsh_err_hint(err, "it counts since %s", began.buf);
	}
	tsh_strbuf_release(&began);
	return -1;
}

/* ---- printing ---- */

/* Adds the wall time in the style of the settings where that shows the wall clock. Adds the zone,
 * so that the text can be typed as a moment. */
static void add_wall(struct tsh_session *s, struct tsh_fields *f, int64_t wall)
{
	enum tsh_time_style style = tsh_time_style_is_wall(s->settings.time) ?
					    s->settings.time : TSH_TIME_WALL;
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_time_text time;

	if (s->out->format != TSH_FORMAT_TEXT)
		style = TSH_TIME_ISO;
	tsh_time_text_init(&time, style, true);
	tsh_time_text_add(&time, &out, NULL, 0, true, wall);
	tsh_time_text_release(&time);
	if (style == TSH_TIME_WALL) {
		tsh_strbuf_addc(&out, ' ');
		tsh_time_zone(&out, wall);
	}
	tsh_fields_text(f, "time", out.buf);
	tsh_strbuf_release(&out);
}

/* Adds the stamp as the kernel prints it, without padding; JSON has the whole number as `ts`, as
 * for events. */
static void add_stamp(struct tsh_session *s, struct tsh_fields *f, const struct tsh_clock *clock,
		      uint64_t stamp)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	uint64_t us = stamp / 1000 + (stamp % 1000 >= PRINTED_NS);

	if (clock->kind->in_ns)
		tsh_strbuf_addf(&out, "%" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
	else
		tsh_strbuf_addu(&out, stamp);
	tsh_fields_text(f, "trace", out.buf);
	if (s->out->format != TSH_FORMAT_TEXT) {
		tsh_strbuf_clear(&out);
		tsh_strbuf_addu(&out, stamp);
		tsh_fields_text(f, "ts", out.buf);
	}
	tsh_strbuf_release(&out);
}

/* Adds "+-1.24 us". */
static void add_error(struct tsh_session *s, struct tsh_fields *f, uint64_t error_ns)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (s->out->format != TSH_FORMAT_TEXT) {
		tsh_fields_number(f, "error_ns", error_ns);
		return;
	}
	tsh_strbuf_adds(&out, "+-");
	tsh_format_ns(tsh_round_bound(error_ns), &out);
	tsh_fields_text(f, "error", out.buf);
	tsh_strbuf_release(&out);
}

/* Returns a text with the condition under which the time of a moment other than now is right: that
 * the clock was not changed unnoticed. NULL: it is right in any case. */
static const char *condition(const struct tsh_clock *clock, int64_t wall, int64_t now)
{
	if (wall < now - LOOKED_NS)
		return tsh_clock_condition(clock);
	if (wall <= now)
		return NULL;
	return clock->kind->runs_in_suspend ?
		       "if the clock is not set until then" :
		       "if the clock is not set, and the machine does not sleep, until then";
}

/* Returns the condition for moments after the end of a recording. */
static const char *after_recording(const struct tsh_clock *clock, int64_t wall)
{
	int64_t last;

	return !tsh_clock_last_sample(clock, &last) || wall <= last + LOOKED_NS ? NULL :
	       "if the machine ran on, and its clock was not set, after the recording";
}

/* Adds "boot, error +-21 ns", as the header of events has it. */
static void add_clock(struct tsh_session *s, struct tsh_fields *f, const struct tsh_clock *clock,
		      int64_t wall, int64_t now)
{
	const char *only_if = s->dir->kind == TSH_DIR_TREE ? after_recording(clock, wall) :
							     condition(clock, wall, now);
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&out, clock->kind->name);
	if (s->out->format == TSH_FORMAT_TEXT) {
		tsh_strbuf_adds(&out, ", ");
		tsh_clock_error_text(clock, 0, &out);
		if (only_if)
			tsh_strbuf_addf(&out, ", %s", only_if);
	}
	tsh_fields_text(f, "clock", out.buf);
	tsh_strbuf_release(&out);
}

static void add_age(struct tsh_fields *f, int64_t wall, int64_t now)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (wall > now) {
		tsh_strbuf_adds(&out, "in ");
		tsh_format_span((uint64_t)wall - (uint64_t)now, &out);
	} else {
		tsh_format_span((uint64_t)now - (uint64_t)wall, &out);
		tsh_strbuf_adds(&out, " ago");
	}
	tsh_fields_text(f, "age", out.buf);
	tsh_strbuf_release(&out);
}

static void print(struct tsh_session *s, const struct tsh_clock *clock, const struct both *both)
{
	struct tsh_fields *f;
	int64_t now = tsh_now_ns(CLOCK_REALTIME);

	f = tsh_fields_begin(s->out, "time");
	add_wall(s, f, both->wall);
	add_stamp(s, f, clock, both->stamp);
	add_error(s, f, both->error_ns);
	add_age(f, both->wall, now);
	add_clock(s, f, clock, both->wall, now);
	tsh_fields_end(f);
}

/* ---- the command ---- */

static int convert(struct tsh_session *s, const struct tsh_clock *clock,
		   const struct tsh_moment *m, struct both *ret, struct tsh_err *err)
{
	if (m->is_stamp)
		return from_stamp(clock, m, ret, err);
	if (from_wall(clock, m->wall, ret, err) < 0)
		return -1;
	/* adds the rounding of the printed stamp */
	if (clock->kind->in_ns && s->out->format == TSH_FORMAT_TEXT)
		ret->error_ns = tsh_saturating_sum(ret->error_ns, PRINTED_NS);
	return 0;
}

static int time_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "TEXT");
	const struct tsh_moment *m = tsh_call_moment(call, "TEXT");
	struct tsh_moment now = { 0 };
	struct tsh_clock clock;
	int64_t last;
	struct both both;
	int r;

	if (!m) {
		now.wall = tsh_moments_now(s);
		m = &now;
	}
	r = open_clock(s, &clock, err);
	/* Takes the last sample of the clock for the end of an old recording, which does not say
	 * when it ended. */
	if (!r && m == &now && s->dir->kind == TSH_DIR_TREE &&
	    tsh_clock_last_sample(&clock, &last) && last < now.wall)
		now.wall = last;
	if (!r)
		r = convert(s, &clock, m, &both, err);
	if (!r && m->is_twofold)
		tsh_out_warn(s->out, "'%s' came twice in this zone: this is the first time",
			     value->word.text);
	if (!r)
		print(s, &clock, &both);
	else if (value)
		tsh_err_blame(err, value->word.span);
	tsh_clock_release(&clock);
	return r;
}

static const struct tsh_arg time_args[] = {
	{ .name = "TEXT", .type = TSH_ARG_MOMENT, .flags = TSH_ARG_OPTIONAL,
	  .help = "22:47:33, 2024-01-02 22:47:33, a log's date, -5s, now; or 12345.678901" },
	{ 0 }
};

static const struct tsh_example time_examples[] = {
	{ "time", "now, on both clocks" },
	{ "time 12345.678901", "the wall-clock time of a time that the kernel printed" },
	{ "time -5s", "where five seconds ago is in the trace" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_time = {
	.name = "time", .group = TSH_GROUP_SEE,
	.summary = "convert between the trace clock and the wall clock",
	.description =
		"Both ways: a time of the trace clock as the kernel prints it (12345.678901; "
		"67368528 of a clock that counts in whole numbers) into wall-clock time, a "
		"wall-clock time into the trace clock's, with the bound of the error.\n"
		"A wall-clock time is as in a log: 22:47:33 or 22:47:33.843825 (today, or "
		"yesterday when today's is more than 12 hours ahead), 2024-01-02 22:47:33, with T "
		"between them, with Z, +08:00 or +0800 behind them, syslog's Jan  2 22:47:33 (the "
		"last one that was, or at most 12 hours ahead), what date(1) and ctime(3) print "
		"(Tue Jan  2 22:47:33 CET 2024, its own zone only), a mail's Tue, 2 Jan 2024 "
		"22:47:33 +0100, a web server's 02/Jan/2024:22:47:33 +0000, "
		"@1704206853.843825, -5s, -2m, -1m30s, -2h30m, -1d (24 hours), now. --since and "
		"--until of show, drain and stream take the same, as one word.\n"
		"On a recorded tree now is the end of the recording.",
	.see_also = "clock clocks",
	.args = time_args, .examples = time_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = time_run,
};
