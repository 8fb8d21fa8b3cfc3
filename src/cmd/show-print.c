/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show-print.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracesh/json.h"
#include "tracesh/number.h"
#include "tracesh/page.h"
#include "tracesh/stream.h"
#include "tracesh/utf8.h"

/* The kernel rounds to microseconds, function_graph cuts. */
#define ROUNDING_NS 500
#define CLOCK_ROUNDS 32

void tsh_show_printer_init(struct tsh_show_printer *p, struct tsh_session *s)
{
	char *name = tsh_clock_name(s->in);
	struct tsh_err err = { 0 };

	memset(p, 0, sizeof(*p));
	p->out = s->out;
	p->instance = tsh_instance_label(s->in);
	tsh_clock_init(&p->clock, tsh_clock_kind(name ? name : "unknown"));
	free(name);
	/* The file has microseconds: nine digits would be three of noise. */
	tsh_time_text_init(&p->time, s->settings.time, false);
	if (p->out->format != TSH_FORMAT_KERNEL &&
	    tsh_clock_sample_instance(&p->clock, s->in, CLOCK_ROUNDS, &err) < 0)
		tsh_out_warn(p->out, "no wall-clock times: %s", err.message);
	tsh_err_release(&err);
}

void tsh_show_printer_end(struct tsh_show_printer *p)
{
	if (p->csv)
		tsh_table_end(p->csv);
	tsh_clock_release(&p->clock);
}

static uint64_t error_ns(const struct tsh_show_printer *p)
{
	return tsh_clock_error(&p->clock) + (p->clock.kind->in_ns ? ROUNDING_NS : 0);
}

/* ---- the header ---- */

static void add_error(const struct tsh_show_printer *p, struct tsh_strbuf *line)
{
	if (!tsh_clock_is_ready(&p->clock))
		return;
	tsh_strbuf_adds(line, ", ");
	tsh_clock_error_text(&p->clock, p->clock.kind->in_ns ? ROUNDING_NS : 0, line);
}

static void add_times(const struct tsh_show_printer *p, struct tsh_strbuf *line)
{
	if (p->layout.kind == TSH_SHOW_OTHER) {
		tsh_strbuf_addf(line, ", lines as the kernel prints them: %s", p->layout.why);
		return;
	}
	switch (p->time.style) {
	case TSH_TIME_NONE:
		tsh_strbuf_adds(line, ", no times");
		return;
	case TSH_TIME_TRACE:
		tsh_strbuf_adds(line, ", times of that clock");
		return;
	case TSH_TIME_REL:
		tsh_strbuf_adds(line, ", times since the first line");
		break;
	case TSH_TIME_DELTA:
		tsh_strbuf_adds(line, ", times since the line before");
		break;
	default:
		if (!tsh_clock_is_ready(&p->clock)) {
			tsh_strbuf_adds(line, ", which has no wall-clock time here");
			return;
		}
		if (p->time.style == TSH_TIME_UTC) {
			tsh_strbuf_adds(line, ", times UTC");
		} else {
			tsh_strbuf_adds(line, ", times local (");
			tsh_time_zone(line, (int64_t)time(NULL) * 1000000000);
			tsh_strbuf_addc(line, ')');
		}
	}
	add_error(p, line);
}

static void start_text(const struct tsh_show_printer *p)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&line, "# tracesh: instance %s, clock %s", p->instance,
			p->clock.kind->name);
	add_times(p, &line);
	tsh_strbuf_adds(&p->out->data, tsh_out_style(p->out, TSH_STYLE_DIM));
	tsh_sanitize(&p->out->data, line.buf, line.len);
	tsh_strbuf_adds(&p->out->data, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(&p->out->data, '\n');
	tsh_strbuf_release(&line);
}

static void begin_json(struct tsh_show_printer *p, struct tsh_json *js, const char *type)
{
	tsh_json_init(js, &p->out->data);
	tsh_json_object(js);
	tsh_json_kstr(js, "type", type);
}

static void end_json(struct tsh_show_printer *p, struct tsh_json *js)
{
	tsh_json_object_end(js);
	tsh_strbuf_addc(&p->out->data, '\n');
}

static void start_json(struct tsh_show_printer *p)
{
	struct tsh_json js;

	begin_json(p, &js, "start");
	tsh_json_ku64(&js, "format", 1);
	tsh_json_kstr(&js, "instance", p->instance);
	tsh_json_kstr(&js, "clock", p->clock.kind->name);
	tsh_json_key(&js, "error_ns");
	if (tsh_clock_is_ready(&p->clock))
		tsh_json_u64(&js, error_ns(p));
	else
		tsh_json_null(&js);
	end_json(p, &js);
	if (p->layout.kind != TSH_SHOW_OTHER)
		return;
	begin_json(p, &js, "note");
	tsh_json_kstr(&js, "text", p->layout.why);
	end_json(p, &js);
}

void tsh_show_print_start(struct tsh_show_printer *p, const struct tsh_show_layout *layout)
{
	static const struct tsh_column columns[] = {
		{ "time", TSH_COLUMN_TEXT }, { "cpu", TSH_COLUMN_NUMBER },
		{ "pid", TSH_COLUMN_NUMBER }, { "comm", TSH_COLUMN_TEXT },
		{ "flags", TSH_COLUMN_TEXT }, { "text", TSH_COLUMN_TEXT }, { 0 }
	};

	p->layout = *layout;
	if (p->out->format == TSH_FORMAT_TEXT)
		start_text(p);
	else if (p->out->format == TSH_FORMAT_JSON)
		start_json(p);
	else if (p->out->format == TSH_FORMAT_CSV && layout->kind == TSH_SHOW_OTHER)
		tsh_out_note(p->out, "lines as the kernel prints them: %s", layout->why);
	else if (p->out->format == TSH_FORMAT_CSV)
		p->csv = tsh_table_begin(p->out, "event", columns);
}

/* ---- events ---- */

static bool wall_time(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		      int64_t *ret)
{
	uint64_t stamp = item->stamp;

	if (p->layout.kind == TSH_SHOW_GRAPH)
		stamp += ROUNDING_NS;	/* the middle of the microsecond that was cut */
	else if (item->bare == p->clock.kind->in_ns)
		return false;		/* the clock was changed meanwhile */
	return tsh_clock_wall(&p->clock, item->cpu, stamp, ret, NULL);
}

/* The event's own text with its lines, without the last newline. */
static void add_body(struct tsh_strbuf *out, const struct tsh_show_item *item)
{
	size_t end = item->len;

	while (end > item->body && item->text[end - 1] == '\n')
		end--;
	tsh_sanitize_lines(out, item->text + item->body, end - item->body);
	tsh_strbuf_addc(out, '\n');
}

/* The time column; the kernel's own digits where there is nothing to convert. */
static void add_time(struct tsh_show_printer *p, const struct tsh_show_item *item, bool has_wall,
		     int64_t wall)
{
	struct tsh_strbuf *out = &p->out->data;
	enum tsh_time_style style = p->time.style;
	size_t blanks = item->time - item->head_len;

	if (style == TSH_TIME_REL || style == TSH_TIME_DELTA ||
	    (has_wall && style != TSH_TIME_TRACE)) {
		if (p->layout.kind == TSH_SHOW_STANDARD)
			tsh_strbuf_addc(out, ' ');
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
	int64_t wall = 0;
	bool has_wall = wall_time(p, item, &wall);

	if (has_wall && tsh_time_text_new_day(&p->time, wall, out))
		tsh_strbuf_addc(out, '\n');
	/* newlines in a name are not lines of text */
	tsh_sanitize(out, item->text, item->head_len);
	if (p->time.style != TSH_TIME_NONE) {
		add_time(p, item, has_wall, wall);
		tsh_sanitize(out, item->text + after, item->body - after);
	} else if (p->layout.kind == TSH_SHOW_GRAPH) {
		tsh_sanitize(out, item->text + after, item->body - after);
	} else {
		tsh_strbuf_addc(out, ' ');
	}
	add_body(out, item);
}

/* The body for JSON and CSV, where a newline is escaped. */
static size_t body_len(const struct tsh_show_item *item)
{
	size_t len = item->len - item->body;

	while (len && item->text[item->body + len - 1] == '\n')
		len--;
	return len;
}

static void json_number(struct tsh_json *js, const char *key, int value)
{
	tsh_json_key(js, key);
	if (value >= 0)
		tsh_json_u64(js, (uint64_t)value);
	else
		tsh_json_null(js);
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
	int64_t wall;

	begin_json(p, &js, "event");
	if (wall_time(p, item, &wall)) {
		tsh_time_iso(&time_text, wall);
		json_bytes(&js, "time", time_text.buf, time_text.len);
	} else {
		/* what there is instead: the trace clock as the file has it */
		tsh_json_kstr(&js, "time", NULL);
		json_bytes(&js, "ts", item->text + item->time, item->time_len);
	}
	json_number(&js, "cpu", item->cpu);
	json_number(&js, "pid", item->pid);
	if (p->layout.tgid)
		json_number(&js, "tgid", item->tgid);
	json_bytes(&js, "comm", item->text + item->comm, item->comm_len);
	json_bytes(&js, "flags", item->text + item->flags, item->flags_len);
	json_bytes(&js, "text", item->text + item->body, body_len(item));
	end_json(p, &js);
	tsh_strbuf_release(&time_text);
}

static void csv_bytes(struct tsh_table *table, const char *bytes, size_t len)
{
	char *text = tsh_xstrndup(bytes, len);

	tsh_table_text(table, text);
	free(text);
}

static void csv_number(struct tsh_table *table, int value)
{
	if (value >= 0)
		tsh_table_number(table, (uint64_t)value);
	else
		tsh_table_text(table, NULL);
}

static void event_csv(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf time_text = TSH_STRBUF_INIT;
	int64_t wall;

	tsh_table_row(p->csv);
	if (wall_time(p, item, &wall))
		tsh_time_iso(&time_text, wall);
	else
		tsh_strbuf_add(&time_text, item->text + item->time, item->time_len);
	tsh_table_text(p->csv, time_text.buf);
	csv_number(p->csv, item->cpu);
	csv_number(p->csv, item->pid);
	csv_bytes(p->csv, item->text + item->comm, item->comm_len);
	csv_bytes(p->csv, item->text + item->flags, item->flags_len);
	csv_bytes(p->csv, item->text + item->body, body_len(item));
	tsh_strbuf_release(&time_text);
}

static void print_event(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	p->events++;
	if (p->out->format == TSH_FORMAT_JSON)
		event_json(p, item);
	else if (p->csv)
		event_csv(p, item);
	else
		event_text(p, item);
}

/* ---- the other lines ---- */

static void print_lost(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	bool known = item->lost != TSH_LOST_UNKNOWN;
	struct tsh_json js;

	if (p->out->format == TSH_FORMAT_JSON) {
		begin_json(p, &js, "lost");
		tsh_json_ks64(&js, "cpu", item->cpu);
		tsh_json_key(&js, "count");
		if (known)
			tsh_json_u64(&js, item->lost);
		else
			tsh_json_null(&js);
		end_json(p, &js);
	} else if (p->out->format == TSH_FORMAT_CSV && known) {
		tsh_out_warn(p->out, "cpu %d: %llu events lost", item->cpu,
			     (unsigned long long)item->lost);
	} else if (p->out->format == TSH_FORMAT_CSV) {
		tsh_out_warn(p->out, "cpu %d: events lost, count unknown", item->cpu);
	} else if (known) {
		tsh_out_line(p->out, "# cpu %d: %llu event%s lost", item->cpu,
			     (unsigned long long)item->lost, item->lost == 1 ? "" : "s");
	} else {
		tsh_out_line(p->out, "# cpu %d: events lost, count unknown", item->cpu);
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
		/* a change of task in a graph: each event has its task */
		if (!is_data || p->layout.kind != TSH_SHOW_GRAPH)
			tsh_out_text(p->out, item->text, item->len);
	}
	tsh_out_flush_if_full(p->out);
}
