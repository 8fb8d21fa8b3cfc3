/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event-line.h"

#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/utf8.h"
#include "events/decode/page.h"

/* Is the width of a task's name in the kernel's lines. */
#define COMM_WIDTH 16

static void add_number(struct tsh_strbuf *out, int number, bool is_known, const char *otherwise)
{
	if (!is_known) {
		tsh_strbuf_adds(out, otherwise);
		return;
	}
	if (number < 0)
		tsh_strbuf_addc(out, '-');
	tsh_strbuf_addu(out, number < 0 ? -(unsigned long long)number : (unsigned long long)number);
}

/* ---- words ---- */

void tsh_event_times_text(const struct tsh_clock *clock, enum tsh_time_style style, const char *zone, uint64_t rounding,
			  bool has_older, struct tsh_strbuf *out)
{
	const char *since = tsh_time_style_since(style);

	if (style == TSH_TIME_NONE || style == TSH_TIME_TRACE) {
		tsh_strbuf_adds(out, style == TSH_TIME_NONE ? "no times" :
				     clock ? "times of that clock" : "times of each host's trace clock");
		return;
	}
	if (!since && clock && !tsh_clock_is_ready(clock)) {
		tsh_strbuf_adds(out, "which has no wall-clock time here");
		return;
	}
	if (since || style == TSH_TIME_UTC) {
		tsh_strbuf_adds(out, since ? since : "times UTC");
	} else {
		tsh_strbuf_addf(out, "times %s (", zone ? zone : "local");
		tsh_time_zone(out, (int64_t)time(NULL) * 1000000000);
		tsh_strbuf_addc(out, ')');
	}
	if (!clock || !tsh_clock_is_ready(clock))
		return;
	tsh_strbuf_adds(out, ", ");
	/* adds the rounding of the printed times to the error */
	tsh_clock_error_text(clock, rounding, out);
	if (has_older)
		tsh_strbuf_addf(out, ", %s the event", tsh_clock_condition(clock));
}

void tsh_event_lost_text(int cpu, uint64_t count, struct tsh_strbuf *out)
{
	if (cpu >= 0)
		tsh_strbuf_addf(out, "cpu %d: ", cpu);
	if (count == TSH_LOST_UNKNOWN)
		tsh_strbuf_adds(out, "events lost, count unknown");
	else
		tsh_strbuf_addf(out, count == 1 ? "%llu event lost" : "%llu events lost", (unsigned long long)count);
}

/* ---- columns ---- */

static void add_comm(const struct tsh_event_line *line, bool pads, struct tsh_strbuf *out)
{
	size_t begin = out->len, len;

	tsh_sanitize(out, line->comm, line->comm_len);
	len = out->len - begin;
	if (!pads || len >= COMM_WIDTH)
		return;
	tsh_strbuf_addn(out, ' ', COMM_WIDTH - len);
	memmove(out->buf + begin + COMM_WIDTH - len, out->buf + begin, len);
	memset(out->buf + begin, ' ', COMM_WIDTH - len);
}

/* Adds the time since the previous line: of wall times; without these of stamps, when they count
 * ns; otherwise "-". */
static void add_delta(struct tsh_line_columns *c, const struct tsh_event_line *line, struct tsh_strbuf *out)
{
	if (line->has_wall)
		tsh_line_delta(c, true, line->wall, out);
	else if (line->stamp_in_ns)
		tsh_line_delta(c, false, (int64_t)line->stamp, out);
	else
		tsh_line_no_delta(c, out);
}

void tsh_event_line_columns(struct tsh_line_columns *c, struct tsh_out *out, const struct tsh_event_line *line,
			    tsh_event_cell *add, void *ctx, struct tsh_strbuf *cell)
{
	bool has_pid = line->pid != TSH_NO_PID;
	size_t i;

	for (i = 0; i < c->n; i++) {
		tsh_strbuf_clear(cell);
		switch (c->v[i]) {
		case TSH_LINE_TASK:
			add_comm(line, line->pads_comm, cell);
			tsh_strbuf_addc(cell, '-');
			add_number(cell, line->pid, has_pid, "-");
			break;
		case TSH_LINE_COMM:
			add_comm(line, false, cell);
			break;
		case TSH_LINE_PID:
			add_number(cell, line->pid, has_pid, "-");
			break;
		case TSH_LINE_TGID:
			add_number(cell, line->tgid, line->tgid >= 0, "-");
			break;
		case TSH_LINE_CPU:
			add_number(cell, line->cpu, line->cpu >= 0, "-");
			break;
		case TSH_LINE_FLAGS:
			tsh_sanitize(cell, line->flags, line->flags_len);
			break;
		case TSH_LINE_DELTA:
			add_delta(c, line, cell);
			break;
		default:
			add(ctx, c->v[i], cell);
		}
		tsh_line_cell(c, out, i, cell->buf, cell->len, has_pid ? line->pid : -1);
	}
	tsh_strbuf_addc(&out->data, '\n');
}

/* ---- CSV ---- */

/* Adds the time without the blanks that align it in the kernel's text. Leaves the cell empty
 * when the time is "-": TSH_TIME_DELTA_TASK does not know the task's previous line. */
static void add_time(const struct tsh_event_line *line, struct tsh_strbuf *out)
{
	size_t begin = out->len, blanks = 0;

	tsh_time_text_add(line->time, out, line->clock, line->stamp, line->has_wall, line->wall);
	while (begin + blanks < out->len && out->buf[begin + blanks] == ' ')
		blanks++;
	memmove(out->buf + begin, out->buf + begin + blanks, out->len - begin - blanks);
	tsh_strbuf_truncate(out, out->len - blanks);
	if (out->len == begin + 1 && out->buf[begin] == '-')
		tsh_strbuf_truncate(out, begin);
}

void tsh_event_line_csv(const struct tsh_event_line *line, struct tsh_strbuf *out)
{
	if (line->time)
		add_time(line, out);
	tsh_strbuf_addc(out, ',');
	if (line->has_stamp)
		tsh_strbuf_addu(out, line->stamp);
	tsh_strbuf_addc(out, ',');
	if (line->has_error)
		tsh_strbuf_addu(out, line->error_ns);
	tsh_strbuf_addc(out, ',');
	add_number(out, line->cpu, line->cpu >= 0, "");
	tsh_strbuf_addc(out, ',');
	add_number(out, line->pid, line->pid != TSH_NO_PID, "");
	tsh_strbuf_addc(out, ',');
	add_number(out, line->tgid, line->tgid >= 0, "");
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, line->comm, line->comm_len);
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, line->flags, line->flags_len);
	tsh_strbuf_addc(out, ',');
}

void tsh_event_line_csv_lost(const struct tsh_event_line *line, const char *what, uint64_t count,
			     struct tsh_strbuf *out)
{
	tsh_event_line_csv(line, out);
	tsh_strbuf_adds(out, what);
	tsh_strbuf_addc(out, ',');
	if (count != TSH_LOST_UNKNOWN)
		tsh_strbuf_addu(out, count);
	else
		tsh_strbuf_adds(out, "unknown");
	tsh_strbuf_addc(out, '\n');
}
