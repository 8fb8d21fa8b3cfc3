/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <time.h>

#include "sink-formats.h"
#include "tracesh/number.h"
#include "tracesh/utf8.h"

/* TASK_COMM_LEN, the width of the kernel's column */
#define COMM_WIDTH 16

static struct tsh_strbuf *data(struct tsh_sink *sink)
{
	return &sink->out->data;
}

/* "times local (+0800), error +-180 ns" */
static void add_times(struct tsh_sink *sink, struct tsh_strbuf *out)
{
	const struct tsh_clock *clock = sink->clock;
	enum tsh_time_style style = sink->time.style;
	int64_t wall = (int64_t)time(NULL) * 1000000000;

	if (style == TSH_TIME_NONE) {
		tsh_strbuf_adds(out, "no times");
		return;
	}
	if (style == TSH_TIME_TRACE) {
		tsh_strbuf_adds(out, "times of that clock");
		return;
	}
	if (!tsh_clock_is_ready(clock) && style != TSH_TIME_REL && style != TSH_TIME_DELTA) {
		tsh_strbuf_adds(out, "which has no wall-clock time here");
		return;
	}
	switch (style) {
	case TSH_TIME_UTC:
		tsh_strbuf_adds(out, "times UTC");
		break;
	case TSH_TIME_REL:
		tsh_strbuf_adds(out, "times since the first line");
		break;
	case TSH_TIME_DELTA:
		tsh_strbuf_adds(out, "times since the line before");
		break;
	default:
		tsh_strbuf_adds(out, "times local (");
		tsh_time_zone(out, wall);
		tsh_strbuf_addc(out, ')');
		break;
	}
	if (tsh_clock_is_ready(clock)) {
		tsh_strbuf_adds(out, ", ");
		tsh_clock_error_text(clock, 0, out);
	}
}

static void begin_comment(struct tsh_sink *sink, enum tsh_style style)
{
	if (sink->out->color)
		tsh_strbuf_adds(data(sink), tsh_out_style(sink->out, style));
	tsh_strbuf_adds(data(sink), "# ");
}

static void end_comment(struct tsh_sink *sink)
{
	if (sink->out->color)
		tsh_strbuf_adds(data(sink), tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(data(sink), '\n');
}

void sink_text_start(struct tsh_sink *sink)
{
	struct tsh_strbuf *out = data(sink);
	const char *instance = sink->info.instance;

	begin_comment(sink, TSH_STYLE_DIM);
	tsh_strbuf_adds(out, "tracesh: instance ");
	tsh_sanitize(out, instance, strlen(instance));
	tsh_strbuf_adds(out, ", clock ");
	tsh_sanitize(out, sink->clock->kind->name, strlen(sink->clock->kind->name));
	tsh_strbuf_adds(out, ", ");
	add_times(sink, out);
	end_comment(sink);
}

void sink_text_note(struct tsh_sink *sink, const char *text)
{
	begin_comment(sink, TSH_STYLE_DIM);
	tsh_sanitize(data(sink), text, strlen(text));
	end_comment(sink);
}

void sink_text_lost(struct tsh_sink *sink, int cpu, uint64_t count)
{
	struct tsh_strbuf *out = data(sink);
	bool known = count != TSH_LOST_UNKNOWN;

	if (sink->out->format == TSH_FORMAT_KERNEL) {
		/* kernel/trace/trace.c, print_trace_line */
		tsh_strbuf_addf(out, "CPU:%d [LOST ", cpu);
		if (known) {
			tsh_strbuf_addu(out, count);
			tsh_strbuf_addc(out, ' ');
		}
		tsh_strbuf_adds(out, "EVENTS]\n");
		return;
	}
	begin_comment(sink, TSH_STYLE_WARNING);
	tsh_strbuf_addf(out, "cpu %d: ", cpu);
	if (known)
		tsh_strbuf_addu(out, count);
	if (known)
		tsh_strbuf_addc(out, ' ');
	tsh_strbuf_adds(out, known && count == 1 ? "event lost" : "events lost");
	if (!known)
		tsh_strbuf_adds(out, ", count unknown");
	end_comment(sink);
}

/* "%-*d": a number and blanks up to `width` */
static void add_left(struct tsh_strbuf *out, int value, size_t width)
{
	size_t begin = out->len;

	if (value < 0)
		tsh_strbuf_addc(out, '-');
	tsh_strbuf_addu(out, value < 0 ? 0ULL - (unsigned long long)value : (unsigned int)value);
	if (out->len - begin < width)
		tsh_strbuf_addn(out, ' ', width - (out->len - begin));
}

/* "%0*d" and "%*d" of a number that is not negative */
static void add_right(struct tsh_strbuf *out, unsigned int value, size_t width, char fill)
{
	unsigned int rest = value;
	size_t digits = 1;

	while (rest /= 10)
		digits++;
	if (digits < width)
		tsh_strbuf_addn(out, fill, width - digits);
	tsh_strbuf_addu(out, value);
}

/* kernel/trace/trace_output.c, trace_print_context: "%16s-%-7d (%7d) [%03d] FLAGS" */
static void add_context(struct tsh_sink *sink, const struct sink_event *ev,
			struct tsh_strbuf *out)
{
	struct tsh_strbuf *comm = &sink->scratch;

	tsh_strbuf_clear(comm);
	tsh_sanitize(comm, ev->comm, strlen(ev->comm));
	if (comm->len < COMM_WIDTH)
		tsh_strbuf_addn(out, ' ', COMM_WIDTH - comm->len);
	tsh_strbuf_add(out, comm->buf, comm->len);
	tsh_strbuf_addc(out, '-');
	add_left(out, ev->common.pid, 7);
	tsh_strbuf_addc(out, ' ');
	if (sink->info.with_tgid) {
		tsh_strbuf_addc(out, '(');
		if (ev->tgid > 0)
			add_right(out, (unsigned int)ev->tgid, 7, ' ');
		else
			tsh_strbuf_adds(out, "-------");
		tsh_strbuf_adds(out, ") ");
	}
	tsh_strbuf_addc(out, '[');
	add_right(out, (unsigned int)ev->rec->cpu, 3, '0');
	tsh_strbuf_adds(out, "] ");
	tsh_strbuf_adds(out, ev->flags);
}

static void add_time(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->late && sink->out->format != TSH_FORMAT_KERNEL) {
		if (sink->out->color)
			tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_MARK));
		tsh_strbuf_addc(out, '!');
		if (sink->out->color)
			tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
	}
	tsh_time_text_add(&sink->time, out, sink->clock->kind, ev->rec->stamp, ev->has_wall,
			  ev->wall);
}

static void add_name(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	bool color = sink->out->color;

	/* The text of a system call, or of the function tracer, names itself. */
	if (ev->format && ev->format->label_in_text)
		return;
	if (color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_EVENT));
	if (ev->format)
		tsh_sanitize(out, ev->format->label, strlen(ev->format->label));
	else
		sink_add_event_name(ev, out);	/* "unknown:1234" */
	if (color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_adds(out, ": ");
}

/* Stacks have a line for each function; newlines of other texts come from tasks. */
static bool is_stack(const struct sink_event *ev)
{
	const struct tsh_event_format *format = ev->format;

	return format && format->label_in_text && !strcmp(format->system, "ftrace") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

void sink_text_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = data(sink);

	if (sink->time.style == TSH_TIME_SHORT && ev->has_wall &&
	    tsh_time_text_new_day(&sink->time, ev->wall, out))
		tsh_strbuf_addc(out, '\n');
	add_context(sink, ev, out);
	if (sink->time.style != TSH_TIME_NONE) {
		tsh_strbuf_addc(out, ' ');
		add_time(sink, ev, out);
		tsh_strbuf_addc(out, ':');
	}
	tsh_strbuf_addc(out, ' ');
	add_name(sink, ev, out);
	sink_make_text(sink, ev);
	if (is_stack(ev))
		tsh_sanitize_lines(out, sink->scratch.buf, sink->scratch.len);
	else
		tsh_sanitize(out, sink->scratch.buf, sink->scratch.len);
	tsh_strbuf_addc(out, '\n');
}
