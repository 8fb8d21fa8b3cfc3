/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "events/decode/page.h"
#include "print.h"

/* Prints lines as text, as stream does, with the host before each. */

#define TASK_WIDTH 16			/* the kernel's columns */
#define PID_WIDTH 7

/* ---- pieces ---- */

void tsh_merge_add_string(struct tsh_merge_printer *p, const struct tsh_json_text *text,
			  struct tsh_strbuf *out)
{
	if (text->is_plain) {
		tsh_strbuf_add(out, text->text, text->len);
		return;
	}
	if (!text->len)
		return;
	tsh_strbuf_clear(&p->raw);
	tsh_json_unescape(text, &p->raw);
	tsh_sanitize(out, p->raw.buf, p->raw.len);
}

/* Adds the value that begins with this token as events print it: {1,2} is an array. */
static void add_value(struct tsh_merge_printer *p, struct tsh_json_reader *rd,
		      enum tsh_json_token token, struct tsh_strbuf *out)
{
	unsigned int outside = token == TSH_JSON_OBJECT || token == TSH_JSON_ARRAY ?
				       rd->depth - 1 : rd->depth;
	bool has_member = false;

	for (;; token = tsh_json_next(rd)) {
		bool is_end = token == TSH_JSON_OBJECT_END || token == TSH_JSON_ARRAY_END;

		if (has_member && !is_end)
			tsh_strbuf_addc(out, ',');
		has_member = true;
		if (token == TSH_JSON_OBJECT || token == TSH_JSON_ARRAY) {
			tsh_strbuf_addc(out, '{');
			has_member = false;
		} else if (is_end) {
			tsh_strbuf_addc(out, '}');
		} else if (token == TSH_JSON_KEY) {
			tsh_merge_add_string(p, &rd->value, out);
			tsh_strbuf_addc(out, '=');
			has_member = false;
		} else if (token == TSH_JSON_STRING || token == TSH_JSON_NUMBER) {
			tsh_merge_add_string(p, &rd->value, out);
		} else {
			tsh_strbuf_adds(out, token == TSH_JSON_NULL ? "-" :
					     token == TSH_JSON_TRUE ? "true" : "false");
		}
		if (rd->depth == outside && token != TSH_JSON_KEY)
			return;
	}
}

void tsh_merge_add_body(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			struct tsh_strbuf *out)
{
	struct tsh_json_reader rd;
	size_t begin = out->len;

	if (!line->fields.len) {
		tsh_merge_add_string(p, &line->body, out);
		return;
	}
	tsh_json_read(&rd, line->fields.text, line->fields.len);
	(void)tsh_json_next(&rd);
	while (tsh_json_next(&rd) == TSH_JSON_KEY) {
		if (out->len > begin)
			tsh_strbuf_addc(out, ' ');
		tsh_merge_add_string(p, &rd.value, out);
		tsh_strbuf_addc(out, '=');
		add_value(p, &rd, tsh_json_next(&rd), out);
	}
}

/* Adds "sched_switch" for "sched:sched_switch", as the kernel's lines have it. */
static void add_event_name(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			   struct tsh_strbuf *out)
{
	const char *colon = line->event.len ? memchr(line->event.text, ':', line->event.len) : NULL;
	struct tsh_json_text name = line->event;

	/* keeps unknown:1234 whole, which has no system */
	if (colon && strncmp(name.text, "unknown:", 8) != 0) {
		name.len -= (size_t)(colon + 1 - name.text);
		name.text = colon + 1;
	}
	tsh_merge_add_string(p, &name, out);
}

/* ---- times ---- */

/* Holds an event that is printed. */
struct place {
	struct tsh_merge_printer *p;
	const struct tsh_host_line *line;
	const struct tsh_event_line *cells;
};

static struct tsh_time_text *time_of(struct tsh_merge_printer *p, const struct tsh_host *host)
{
	if (!p->by_host)
		return &p->time;
	while (p->times.n <= host->number)
		tsh_time_text_init(tsh_vec_push(&p->times), p->style, p->in_ns);
	return &p->times.v[host->number];
}

/* Returns the bytes of a string of JSON; `room` holds them where it has escapes. */
static const char *bytes_of(const struct tsh_json_text *text, struct tsh_strbuf *room, size_t *ret_len)
{
	*ret_len = text->len;
	if (text->is_plain)
		return text->text;
	tsh_strbuf_clear(room);
	if (text->len)
		tsh_json_unescape(text, room);
	*ret_len = room->len;
	return room->buf;
}

void tsh_merge_event_line(struct tsh_merge_printer *p, const struct tsh_host_line *line, const struct tsh_host *host,
			  struct tsh_event_line *ret)
{
	struct tsh_time_text *time = time_of(p, host);

	*ret = (struct tsh_event_line){
		.cpu = line->cpu, .pid = line->pid, .tgid = line->tgid > 0 ? line->tgid : -1,
		.clock = tsh_clock_kind(host->clock ? host->clock : "unknown"),
		.has_wall = line->has_wall, .wall = line->wall, .has_error = line->has_wall && line->has_error,
		.error_ns = tsh_saturating_sum(line->error_ns, tsh_time_text_rounding(&p->time)),
	};
	ret->has_stamp = tsh_json_to_u64(&line->ts, &ret->stamp);
	ret->comm = bytes_of(&line->comm, &p->comm, &ret->comm_len);
	ret->flags = bytes_of(&line->flags, &p->flags, &ret->flags_len);
	tsh_time_text_set_task(time, line->cpu, line->pid == TSH_NO_PID ? -1 : line->pid);
	if (p->style == TSH_TIME_TRACE ? ret->has_stamp : line->has_wall)
		ret->time = time;
}

static void add_mark(struct tsh_merge_printer *p, char mark, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_MARK));
	tsh_strbuf_addc(out, mark);
	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
}

/* Adds the time with its marks: ! came late, ~ can have been before the line above, ? the clock was
 * set about then. */
static void add_time(const struct place *at, struct tsh_strbuf *out)
{
	const struct tsh_host_line *line = at->line;
	const struct tsh_event_line *cells = at->cells;
	struct tsh_merge_printer *p = at->p;

	if (line->late)
		add_mark(p, '!', out);
	if (line->unordered)
		add_mark(p, '~', out);
	if (line->ambiguous && line->has_wall && p->style != TSH_TIME_TRACE)
		add_mark(p, '?', out);
	if (cells->time)
		tsh_time_text_add(cells->time, out, cells->clock, cells->stamp, cells->has_wall, cells->wall);
	else
		tsh_strbuf_addc(out, '-');
	if (!p->shows_error || !line->has_wall)
		return;
	tsh_strbuf_addc(out, ' ');
	tsh_format_bound(cells->error_ns, out);
}

/* ---- lines ---- */

static void add_host(struct tsh_merge_printer *p, const struct tsh_host *host)
{
	struct tsh_strbuf *out = &p->out->data;
	size_t width = tsh_utf8_width(host->name, strlen(host->name));

	if (width > p->host_width)
		p->host_width = width;
	/* Adds a blank, as a '#' at the beginning marks a line of our own. */
	if (*host->name == '#')
		tsh_strbuf_addc(out, ' ');
	if (p->out->color)
		tsh_strbuf_adds(out, tsh_out_task_style(p->out, (int)host->number + 1));
	tsh_strbuf_adds(out, host->name);
	if (p->out->color)
		tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addn(out, ' ', p->host_width - width + 1);
}

static void add_comment(struct tsh_merge_printer *p, const struct tsh_host *host,
			enum tsh_style style, const struct tsh_strbuf *text)
{
	struct tsh_strbuf *out = &p->out->data;

	tsh_strbuf_adds(out, tsh_out_style(p->out, style));
	tsh_strbuf_addf(out, "# %s: ", host->name);
	tsh_strbuf_add(out, text->buf, text->len);
	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(out, '\n');
}

/* Adds "LABEL TEXT, " where there is a text. */
static void add_part(struct tsh_merge_printer *p, const char *label,
		     const struct tsh_json_text *text)
{
	if (!text->len)
		return;
	tsh_strbuf_adds(&p->cell, label);
	tsh_merge_add_string(p, text, &p->cell);
	tsh_strbuf_adds(&p->cell, ", ");
}

/* Prints "instance own, clock boot, error +-518 ns, kernel 6.1.0-9-amd64, of boards/a.json". */
static void print_start(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			const struct tsh_host *host)
{
	uint64_t error = tsh_saturating_sum(line->error_ns, tsh_time_text_rounding(&p->time));
	size_t width = tsh_utf8_width(host->name, strlen(host->name));

	if (width > p->host_width)
		p->host_width = width;
	add_part(p, "instance ", &line->instance);
	add_part(p, "clock ", &line->clock);
	if (line->has_error) {
		tsh_strbuf_adds(&p->cell, "error +-");
		tsh_format_ns(tsh_round_bound(error), &p->cell);
		tsh_strbuf_adds(&p->cell, ", ");
	}
	add_part(p, "", &line->condition);
	add_part(p, "kernel ", &line->kernel);
	tsh_strbuf_addf(&p->cell, "of %s", host->from);
	add_comment(p, host, TSH_STYLE_DIM, &p->cell);
}

static void print_lost(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		       const struct tsh_host *host)
{
	tsh_event_lost_text(line->cpu, line->has_count ? line->count : TSH_LOST_UNKNOWN, &p->cell);
	add_comment(p, host, TSH_STYLE_ERROR, &p->cell);
}

/* Adds "%16s-%-7d [%03d] FLAGS ", as the kernel's lines begin. */
static void add_context(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			struct tsh_strbuf *out)
{
	struct tsh_strbuf *cell = &p->cell;
	size_t width;

	tsh_strbuf_clear(cell);
	tsh_merge_add_string(p, &line->comm, cell);
	width = tsh_utf8_width(cell->buf, cell->len);
	tsh_strbuf_addn(out, ' ', width < TASK_WIDTH ? TASK_WIDTH - width : 0);
	if (p->out->color)
		tsh_strbuf_adds(out, tsh_out_task_style(p->out, line->pid));
	tsh_strbuf_add(out, cell->buf, cell->len);
	tsh_strbuf_addc(out, '-');
	width = out->len;
	if (line->pid >= 0)
		tsh_strbuf_addu(out, (unsigned int)line->pid);
	width = out->len - width;
	if (p->out->color)
		tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addn(out, ' ', width < PID_WIDTH ? PID_WIDTH - width + 1 : 1);
	tsh_strbuf_addc(out, '[');
	if (line->cpu >= 0 && line->cpu < 100)
		tsh_strbuf_adds(out, line->cpu < 10 ? "00" : "0");
	if (line->cpu >= 0)
		tsh_strbuf_addu(out, (unsigned int)line->cpu);
	tsh_strbuf_adds(out, "] ");
	tsh_merge_add_string(p, &line->flags, out);
	tsh_strbuf_addc(out, ' ');
}

static void add_usual(const struct place *at, struct tsh_strbuf *out)
{
	const struct tsh_host_line *line = at->line;
	struct tsh_merge_printer *p = at->p;

	add_context(p, line, out);
	if (p->style != TSH_TIME_NONE) {
		add_time(at, out);
		tsh_strbuf_adds(out, ": ");
	}
	if (line->event.len) {
		if (p->out->color)
			tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_EVENT));
		add_event_name(p, line, out);
		if (p->out->color)
			tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
		tsh_strbuf_adds(out, ": ");
	}
	tsh_merge_add_body(p, line, out);
}

/* ---- chosen columns ---- */

static void add_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out)
{
	const struct place *at = ctx;
	struct tsh_merge_printer *p = at->p;

	if (column == TSH_LINE_TIME) {
		if (p->style != TSH_TIME_NONE)
			add_time(at, out);
	} else if (column == TSH_LINE_EVENT) {
		add_event_name(p, at->line, out);
	} else {
		if (!tsh_line_columns_has(&p->columns, TSH_LINE_EVENT) && at->line->event.len) {
			add_event_name(p, at->line, out);
			tsh_strbuf_adds(out, ": ");
		}
		tsh_merge_add_body(p, at->line, out);
	}
}

static void print_event(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			const struct tsh_host *host)
{
	struct tsh_event_line cells;
	struct place at = { p, line, &cells };
	struct tsh_strbuf *out = &p->out->data;

	tsh_merge_event_line(p, line, host, &cells);
	if (p->style == TSH_TIME_SHORT && line->has_wall &&
	    (!p->columns.n || tsh_line_columns_has(&p->columns, TSH_LINE_TIME)) &&
	    tsh_time_text_new_day(&p->time, line->wall, out))
		tsh_strbuf_addc(out, '\n');
	add_host(p, host);
	if (p->columns.n) {
		tsh_event_line_columns(&p->columns, p->out, &cells, add_cell, &at, &p->cell);
		return;
	}
	add_usual(&at, out);
	tsh_strbuf_addc(out, '\n');
}

void tsh_merge_text(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host)
{
	tsh_strbuf_clear(&p->cell);
	switch (line->kind) {
	case TSH_HOST_START:
		print_start(p, line, host);
		break;
	case TSH_HOST_EVENT:
		print_event(p, line, host);
		break;
	case TSH_HOST_LOST:
		print_lost(p, line, host);
		break;
	case TSH_HOST_NOTE:
		tsh_merge_add_string(p, &line->body, &p->cell);
		add_comment(p, host, TSH_STYLE_DIM, &p->cell);
		break;
	case TSH_HOST_END:
	case TSH_HOST_OTHER:
		break;
	}
}
