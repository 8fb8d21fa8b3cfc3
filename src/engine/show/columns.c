/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/utf8.h"
#include "print.h"

/* Lines of chosen columns (set columns) of the events that show prints. */

static void add_time(struct tsh_show_printer *p, const struct tsh_show_item *item,
		     const struct tsh_show_when *when, struct tsh_strbuf *out)
{
	enum tsh_time_style style = p->time.style;

	if (style == TSH_TIME_NONE)
		return;
	if (!tsh_time_style_since(style) && (!when->has_wall || style == TSH_TIME_TRACE)) {
		tsh_sanitize(out, item->text + item->time, item->time_len);
		return;
	}
	tsh_time_text_of(&p->time, item->cpu, item->pid);
	tsh_time_text_add(&p->time, out, p->clock.kind, item->stamp, when->has_wall, when->wall);
	if (when->has_wall && p->shows_error)
		tsh_show_add_bound(p, when->error_ns, out);
}

static void add_delta(struct tsh_show_printer *p, const struct tsh_show_item *item,
		      const struct tsh_show_when *when, struct tsh_strbuf *out)
{
	if (when->has_wall)
		tsh_line_delta(&p->columns, true, when->wall, out);
	else if (!item->bare)
		tsh_line_delta(&p->columns, false, (int64_t)item->stamp, out);
	else
		tsh_line_no_delta(&p->columns, out);
}

static void add_number(int value, struct tsh_strbuf *out)
{
	if (value >= 0)
		tsh_strbuf_addu(out, (unsigned int)value);
	else
		tsh_strbuf_addc(out, '-');
}

static void add_event(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		      struct tsh_strbuf *out)
{
	const char *text = item->text + item->body;
	const struct tsh_event *event;
	size_t skip;

	event = tsh_show_names_find(p->names, text, tsh_show_body_len(item), &skip);
	if (skip)
		tsh_sanitize(out, text, skip - 2);
	else if (event)
		tsh_strbuf_adds(out, event->name);
}

static void add_text(const struct tsh_show_printer *p, const struct tsh_show_item *item,
		     struct tsh_strbuf *out)
{
	const char *text = item->text + item->body;
	size_t len = tsh_show_body_len(item), skip = 0;

	/* the name that has its own column */
	if (tsh_line_columns_has(&p->columns, TSH_LINE_EVENT))
		tsh_show_names_find(p->names, text, len, &skip);
	tsh_sanitize_lines(out, text + skip, len - skip);
}

static void add_cell(struct tsh_show_printer *p, const struct tsh_show_item *item,
		     const struct tsh_show_when *when, enum tsh_line_column column,
		     struct tsh_strbuf *out)
{
	switch (column) {
	case TSH_LINE_TASK:
		tsh_strbuf_addn(out, ' ', item->comm_len < 16 ? 16 - item->comm_len : 0);
		tsh_sanitize(out, item->text + item->comm, item->comm_len);
		tsh_strbuf_addc(out, '-');
		add_number(item->pid, out);
		break;
	case TSH_LINE_COMM:
		tsh_sanitize(out, item->text + item->comm, item->comm_len);
		break;
	case TSH_LINE_PID:
		add_number(item->pid, out);
		break;
	case TSH_LINE_TGID:
		add_number(item->tgid, out);
		break;
	case TSH_LINE_CPU:
		add_number(item->cpu, out);
		break;
	case TSH_LINE_FLAGS:
		tsh_sanitize(out, item->text + item->flags, item->flags_len);
		break;
	case TSH_LINE_TIME:
		add_time(p, item, when, out);
		break;
	case TSH_LINE_DELTA:
		add_delta(p, item, when, out);
		break;
	case TSH_LINE_EVENT:
		add_event(p, item, out);
		break;
	default:
		add_text(p, item, out);
	}
}

void tsh_show_columns_event(struct tsh_show_printer *p, const struct tsh_show_item *item,
			    const struct tsh_show_when *when)
{
	struct tsh_strbuf cell = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < p->columns.n; i++) {
		tsh_strbuf_clear(&cell);
		add_cell(p, item, when, p->columns.v[i], &cell);
		tsh_line_cell(&p->columns, p->out, i, cell.buf, cell.len, item->pid);
	}
	tsh_strbuf_addc(&p->out->data, '\n');
	tsh_strbuf_release(&cell);
}
