/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/now.h"
#include "base/number.h"
#include "base/utf8.h"
#include "events/decode/page.h"
#include "events/source/stream.h"
#include "output/sink.h"

/* Is half a microsecond: the kernel rounds times to microseconds, and function_graph cuts them. */
#define ROUNDING_NS 500

void tsh_show_printer_init(struct tsh_show_printer *p, struct tsh_session *s, bool needs_clock)
{
	char *name = tsh_clock_name(s->in);
	struct tsh_err err = { 0 };

	memset(p, 0, sizeof(*p));
	p->begin = tsh_now_ns(CLOCK_MONOTONIC);
	p->out = s->out;
	p->dir = s->dir;
	p->instance = tsh_instance_label(s->in);
	p->zone = s->settings.tz;
	p->live = s->dir->kind != TSH_DIR_TREE;
	if (s->settings.columns && p->out->format == TSH_FORMAT_TEXT)
		(void)tsh_line_columns_parse(&p->columns, s->settings.columns, &err);
	p->shows_error = s->settings.show_error && tsh_time_style_is_wall(s->settings.time);
	tsh_clock_init(&p->clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	/* The file has microseconds: three more digits would mean nothing. */
	tsh_time_text_init(&p->time, s->settings.time, false);
	if ((needs_clock || p->out->format != TSH_FORMAT_KERNEL) &&
	    tsh_clock_sample_instance(&p->clock, s->in, TSH_CLOCK_ROUNDS, &err) < 0)
		tsh_out_warn(p->out, "no wall-clock times: %s", err.message);
	tsh_err_release(&err);
}

void tsh_show_printer_end(struct tsh_show_printer *p)
{
	tsh_show_names_free(p->names);
	tsh_time_text_release(&p->time);
	tsh_clock_release(&p->clock);
}

/* Returns the error of the kernel's rounding, in ns. */
static uint64_t rounding_ns(const struct tsh_show_printer *p)
{
	return p->clock.kind->in_ns ? ROUNDING_NS : 0;
}

/* Returns the error of the kernel's rounding and of printing a wall-clock time in microseconds,
 * in ns. */
static uint64_t text_rounding_ns(const struct tsh_show_printer *p)
{
	return rounding_ns(p) + tsh_time_text_rounding(&p->time);
}

static uint64_t error_ns(const struct tsh_show_printer *p)
{
	return tsh_clock_error(&p->clock) + rounding_ns(p);
}

/* ---- the header ---- */

/* Appends the part of the header that describes the times. */
static void add_times(const struct tsh_show_printer *p, struct tsh_strbuf *line)
{
	if (p->layout.kind == TSH_SHOW_OTHER)
		tsh_strbuf_addf(line, "lines as the kernel prints them: %s", p->layout.why);
	else
		tsh_event_times_text(&p->clock, p->time.style, p->zone, text_rounding_ns(p), p->live, line);
}

static void start_text(const struct tsh_show_printer *p)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&line, "# tracesh: instance %s, clock %s, ", p->instance,
			p->clock.kind->name);
	add_times(p, &line);
	tsh_strbuf_adds(&p->out->data, tsh_out_style(p->out, TSH_STYLE_DIM));
	tsh_sanitize(&p->out->data, line.buf, line.len);
	tsh_strbuf_adds(&p->out->data, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(&p->out->data, '\n');
	tsh_strbuf_release(&line);
}

static void start_json(struct tsh_show_printer *p)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_json js;

	tsh_json_line(&js, &p->out->data, "start");
	tsh_json_ku64(&js, "format", 1);
	tsh_json_kstr(&js, "instance", p->instance);
	tsh_json_kstr(&js, "clock", p->clock.kind->name);
	tsh_json_kmaybe(&js, "error_ns", tsh_clock_is_ready(&p->clock), error_ns(p));
	if (tsh_clock_is_ready(&p->clock) && p->live) {
		tsh_strbuf_addf(&text, "%s the event", tsh_clock_condition(&p->clock));
		tsh_json_kstr(&js, "condition", text.buf);
		tsh_strbuf_release(&text);
	}
	tsh_json_line_end(&js);
	if (p->layout.kind != TSH_SHOW_OTHER)
		return;
	tsh_json_line(&js, &p->out->data, "note");
	tsh_json_kstr(&js, "text", p->layout.why);
	tsh_json_line_end(&js);
}

void tsh_show_print_start(struct tsh_show_printer *p, const struct tsh_show_layout *layout)
{
	p->layout = *layout;
	if (p->out->format == TSH_FORMAT_TEXT)
		start_text(p);
	else if (p->out->format == TSH_FORMAT_JSON)
		start_json(p);
	else if (p->out->format == TSH_FORMAT_CSV && layout->kind == TSH_SHOW_OTHER)
		tsh_out_note(p->out, "lines as the kernel prints them: %s", layout->why);
	else if (p->out->format == TSH_FORMAT_CSV)
		tsh_strbuf_adds(&p->out->data, TSH_EVENT_CSV_HEADER);
	if (layout->kind != TSH_SHOW_OTHER &&
	    (p->columns.n || p->out->format == TSH_FORMAT_CSV))
		p->names = tsh_show_names_new(p->dir);
}

/* ---- events ---- */

static bool wall_time(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		      int64_t *ret, uint64_t *ret_error_ns)
{
	uint64_t stamp = item->stamp;

	if (p->layout.kind == TSH_SHOW_GRAPH)
		stamp += ROUNDING_NS;	/* the middle of the microsecond */
	else if (item->bare == p->clock.kind->in_ns)
		return false;		/* the clock was changed after this event */
	return tsh_clock_wall(&p->clock, item->cpu, stamp, ret, ret_error_ns);
}

bool tsh_show_wall(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		   int64_t *ret_wall, uint64_t *ret_error_ns)
{
	if (!wall_time(p, item, ret_wall, ret_error_ns))
		return false;
	if (*ret_error_ns <= UINT64_MAX - rounding_ns(p))
		*ret_error_ns += rounding_ns(p);
	return true;
}

size_t tsh_show_body_len(const struct tsh_show_item *item)
{
	size_t len = item->len - item->body;

	while (len && item->text[item->body + len - 1] == '\n')
		len--;
	return len;
}

/* Appends the event's own text, which can have several lines. */
static void add_body(struct tsh_strbuf *out, const struct tsh_show_item *item)
{
	tsh_sanitize_lines(out, item->text + item->body, tsh_show_body_len(item));
	tsh_strbuf_addc(out, '\n');
}

void tsh_show_add_bound(const struct tsh_show_printer *p, uint64_t error, struct tsh_strbuf *out)
{
	uint64_t rounding = text_rounding_ns(p);

	tsh_strbuf_addc(out, ' ');
	tsh_format_bound(error <= UINT64_MAX - rounding ? error + rounding : UINT64_MAX,
			 out);
}

/* Appends the time column; the kernel's own digits when they are not converted. */
static void add_time(struct tsh_show_printer *p, const struct tsh_show_item *item, bool has_wall,
		     int64_t wall)
{
	struct tsh_strbuf *out = &p->out->data;
	enum tsh_time_style style = p->time.style;
	size_t blanks = item->time - item->head_len;

	if (tsh_time_style_since(style) || (has_wall && style != TSH_TIME_TRACE)) {
		if (p->layout.kind == TSH_SHOW_STANDARD)
			tsh_strbuf_addc(out, ' ');
		tsh_time_text_set_task(&p->time, item->cpu, item->pid);
		tsh_time_text_add(&p->time, out, p->clock.kind, item->stamp, has_wall, wall);
		return;
	}
	tsh_strbuf_addn(out, ' ', blanks);
	tsh_strbuf_add(out, item->text + item->time, item->time_len);
}

static void event_text(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf *out = &p->out->data;
	size_t after = item->time + item->time_len;
	struct tsh_show_when when = { 0 };

	when.has_wall = wall_time(p, item, &when.wall, p->shows_error ? &when.error_ns : NULL);
	if (when.has_wall &&
	    (!p->columns.n || tsh_line_columns_has(&p->columns, TSH_LINE_TIME)) &&
	    tsh_time_text_new_day(&p->time, when.wall, out))
		tsh_strbuf_addc(out, '\n');
	if (p->columns.n && p->layout.kind == TSH_SHOW_STANDARD) {
		tsh_show_columns_event(p, item, &when);
		return;
	}
	/* escapes newlines in a task's name, so that they begin no lines */
	tsh_sanitize(out, item->text, item->head_len);
	if (p->time.style != TSH_TIME_NONE) {
		add_time(p, item, when.has_wall, when.wall);
		if (when.has_wall && p->shows_error)
			tsh_show_add_bound(p, when.error_ns, out);
		tsh_sanitize(out, item->text + after, item->body - after);
	} else if (p->layout.kind == TSH_SHOW_GRAPH) {
		tsh_sanitize(out, item->text + after, item->body - after);
	} else {
		tsh_strbuf_addc(out, ' ');
	}
	add_body(out, item);
}

static void json_bytes(struct tsh_json *js, const char *key, const char *bytes, size_t len)
{
	tsh_json_key(js, key);
	tsh_json_string(js, bytes, len);
}

static void event_json(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf time_text = TSH_STRBUF_INIT;
	struct tsh_json js;
	uint64_t error;
	int64_t wall;

	tsh_json_line(&js, &p->out->data, "event");
	if (tsh_show_wall(p, item, &wall, &error)) {
		tsh_time_iso(&time_text, wall);
		json_bytes(&js, "time", time_text.buf, time_text.len);
		tsh_json_ku64(&js, "error_ns", error);
	} else {
		/* otherwise the digits of the trace clock as in the file */
		tsh_json_kstr(&js, "time", NULL);
		json_bytes(&js, "ts", item->text + item->time, item->time_len);
	}
	tsh_json_kmaybe(&js, "cpu", item->cpu >= 0, (uint64_t)item->cpu);
	tsh_json_kmaybe(&js, "pid", item->pid >= 0, (uint64_t)item->pid);
	if (p->layout.tgid)
		tsh_json_kmaybe(&js, "tgid", item->tgid >= 0, (uint64_t)item->tgid);
	json_bytes(&js, "comm", item->text + item->comm, item->comm_len);
	json_bytes(&js, "flags", item->text + item->flags, item->flags_len);
	json_bytes(&js, "text", item->text + item->body,
		   tsh_show_body_len(item));
	tsh_json_line_end(&js);
	tsh_strbuf_release(&time_text);
}

static void print_event(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	p->sum.events++;
	if (p->out->format == TSH_FORMAT_JSON)
		event_json(p, item);
	else if (p->out->format == TSH_FORMAT_CSV)
		tsh_show_csv_event(p, item);
	else
		event_text(p, item);
}

/* ---- the other lines ---- */

static void print_lost(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	const struct tsh_event_line line = { .cpu = item->cpu, .pid = TSH_NO_PID, .tgid = -1, .comm = "", .flags = "" };
	bool known = item->lost != TSH_LOST_UNKNOWN;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_json js;

	if (known)
		p->sum.lost += item->lost;
	else
		p->sum.lost_unknown = true;
	if (p->out->format == TSH_FORMAT_JSON) {
		tsh_json_line(&js, &p->out->data, "lost");
		tsh_json_ks64(&js, "cpu", item->cpu);
		tsh_json_kmaybe(&js, "count", known, item->lost);
		tsh_json_line_end(&js);
	} else if (p->out->format == TSH_FORMAT_CSV) {
		tsh_event_line_csv_lost(&line, "lost", item->lost, &p->out->data);
	} else {
		tsh_event_lost_text(item->cpu, item->lost, &text);
		tsh_out_line(p->out, "# %s", text.buf);
		tsh_strbuf_release(&text);
	}
}

void tsh_show_print(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	enum tsh_format format = p->out->format;
	bool is_data = format == TSH_FORMAT_JSON || format == TSH_FORMAT_CSV;

	if (format == TSH_FORMAT_KERNEL) {
		tsh_out_text(p->out, item->text, item->len);
		return;
	}
	switch (item->kind) {
	case TSH_SHOW_EVENT:
		print_event(p, item);
		break;
	case TSH_SHOW_LOST:
		print_lost(p, item);
		break;
	case TSH_SHOW_STARTED:
		tsh_out_line(p->out, "# cpu %d: its first event follows", item->cpu);
		break;
	default:
		/* omit the lines at a change of task in a graph: each event has its task */
		if (!is_data || p->layout.kind != TSH_SHOW_GRAPH)
			tsh_out_text(p->out, item->text, item->len);
	}
	tsh_out_flush_if_full(p->out);
}

void tsh_show_print_end(struct tsh_show_printer *p, const struct tsh_range *range)
{
	if (p->out->format != TSH_FORMAT_JSON)
		return;
	p->sum.ns = (uint64_t)(tsh_now_ns(CLOCK_MONOTONIC) - p->begin);
	if (range->is_on)
		tsh_summary_add_left_out(&p->sum, TSH_OUTSIDE, range->outside);
	tsh_json_end_line(&p->out->data, &p->sum);
}
