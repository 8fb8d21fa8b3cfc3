/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"
#include "base/utf8.h"
#include "print.h"

/* Prints events as lines of chosen columns (set columns) and as rows of CSV. */

struct place {
	struct tsh_show_printer *p;
	const struct tsh_show_item *item;
	const struct tsh_show_when *when;
};

/* Returns the event of an item's text; *ret_skip: length of the name at the beginning of the
 * text. */
static const struct tsh_event *event_of(const struct place *at, size_t *ret_skip)
{
	return tsh_show_names_find(at->p->names, at->item->text + at->item->body, tsh_show_body_len(at->item),
				   ret_skip);
}

static void add_time(const struct place *at, struct tsh_strbuf *out)
{
	const struct tsh_show_item *item = at->item;
	const struct tsh_show_when *when = at->when;
	struct tsh_show_printer *p = at->p;
	enum tsh_time_style style = p->time.style;

	if (style == TSH_TIME_NONE)
		return;
	if (!tsh_time_style_since(style) && (!when->has_wall || style == TSH_TIME_TRACE)) {
		tsh_sanitize(out, item->text + item->time, item->time_len);
		return;
	}
	tsh_time_text_add(&p->time, out, p->clock.kind, item->stamp, when->has_wall, when->wall);
	if (when->has_wall && p->shows_error)
		tsh_show_add_bound(p, when->error_ns, out);
}

static void add_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out)
{
	const struct place *at = ctx;
	const char *text = at->item->text + at->item->body;
	const struct tsh_event *event;
	size_t skip = 0;

	if (column == TSH_LINE_TIME) {
		add_time(at, out);
	} else if (column == TSH_LINE_EVENT) {
		event = event_of(at, &skip);
		if (skip)
			tsh_sanitize(out, text, skip - 2);
		else if (event)
			tsh_strbuf_adds(out, event->name);
	} else {
		/* without the name, which has its own column */
		if (tsh_line_columns_has(&at->p->columns, TSH_LINE_EVENT))
			event_of(at, &skip);
		tsh_sanitize_lines(out, text + skip, tsh_show_body_len(at->item) - skip);
	}
}

static struct tsh_event_line make_line(const struct place *at)
{
	const struct tsh_show_item *item = at->item;
	const struct tsh_show_when *when = at->when;
	struct tsh_show_printer *p = at->p;

	tsh_time_text_set_task(&p->time, item->cpu, item->pid);
	return (struct tsh_event_line){
		.comm = item->text + item->comm, .comm_len = item->comm_len, .pads_comm = true,
		.flags = item->text + item->flags, .flags_len = item->flags_len,
		.cpu = item->cpu, .tgid = item->tgid, .pid = item->pid >= 0 ? item->pid : TSH_NO_PID,
		.time = &p->time, .clock = p->clock.kind, .has_stamp = true, .stamp = item->stamp,
		.stamp_in_ns = !item->bare, .has_wall = when->has_wall, .wall = when->wall,
		.has_error = when->has_wall,
		.error_ns = tsh_saturating_sum(when->error_ns, tsh_time_text_rounding(&p->time)),
	};
}

void tsh_show_columns_event(struct tsh_show_printer *p, const struct tsh_show_item *item,
			    const struct tsh_show_when *when)
{
	struct place at = { p, item, when };
	struct tsh_event_line line = make_line(&at);
	struct tsh_strbuf cell = TSH_STRBUF_INIT;

	tsh_event_line_columns(&p->columns, p->out, &line, add_cell, &at, &cell);
	tsh_strbuf_release(&cell);
}

/* Prints a row without the event's name in the text, as stream does: the name has its own
 * column. */
void tsh_show_csv_event(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf *out = &p->out->data;
	struct tsh_show_when when = { 0 };
	struct place at = { p, item, &when };
	const struct tsh_event *event;
	struct tsh_event_line line;
	size_t skip;

	when.has_wall = tsh_show_wall(p, item, &when.wall, &when.error_ns);
	line = make_line(&at);
	tsh_event_line_csv(&line, out);
	event = event_of(&at, &skip);
	if (event)
		tsh_strbuf_addf(out, "%s:%s", event->system, event->name);
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, item->text + item->body + skip, tsh_show_body_len(item) - skip);
	tsh_strbuf_addc(out, '\n');
}
