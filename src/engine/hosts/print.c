/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "print.h"

#include <string.h>

#include "base/number.h"
#include "events/decode/page.h"

/* Prints lines in the format of the output; has its header, and CSV. */

/* Prints "# tracesh: times local (+0100), the hosts' clocks taken as in step". */
static void print_header(struct tsh_merge_printer *p, const struct tsh_session *s,
			 uint64_t skew_ns)
{
	struct tsh_strbuf *out = &p->out->data;

	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_DIM));
	tsh_strbuf_adds(out, "# tracesh: ");
	tsh_event_times_text(NULL, p->style, s->settings.tz, 0, false, out);
	if (skew_ns) {
		tsh_strbuf_adds(out, ", the hosts' clocks within ");
		tsh_format_ns(skew_ns, out);
	} else {
		tsh_strbuf_adds(out, ", the hosts' clocks taken as in step");
	}
	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(out, '\n');
}

void tsh_merge_print_begin(struct tsh_merge_printer *p, struct tsh_session *s, uint64_t skew_ns)
{
	bool is_text = s->out->format == TSH_FORMAT_TEXT;
	struct tsh_err ignored = { 0 };

	*p = (struct tsh_merge_printer){
		.out = s->out,
		.style = s->settings.time,
		.in_ns = s->settings.precision_ns,
	};
	p->by_host = p->style == TSH_TIME_DELTA_CPU || p->style == TSH_TIME_DELTA_TASK;
	p->shows_error = is_text && s->settings.show_error && tsh_time_style_is_wall(p->style);
	tsh_time_text_init(&p->time, p->style, p->in_ns);
	tsh_strbuf_init(&p->raw);
	tsh_strbuf_init(&p->cell);
	tsh_strbuf_init(&p->comm);
	tsh_strbuf_init(&p->flags);
	if (is_text && s->settings.columns)
		(void)tsh_line_columns_parse(&p->columns, s->settings.columns, &ignored);
	tsh_err_release(&ignored);
	p->columns.in_ns = p->in_ns;
	if (is_text)
		print_header(p, s, skew_ns);
	else if (p->out->format == TSH_FORMAT_CSV)
		tsh_strbuf_adds(&p->out->data, "host," TSH_EVENT_CSV_HEADER);
}

void tsh_merge_print_end(struct tsh_merge_printer *p)
{
	size_t i;

	tsh_time_text_release(&p->time);
	for (i = 0; i < p->times.n; i++)
		tsh_time_text_release(&p->times.v[i]);
	tsh_vec_release(&p->times);
	tsh_strbuf_release(&p->raw);
	tsh_strbuf_release(&p->cell);
	tsh_strbuf_release(&p->comm);
	tsh_strbuf_release(&p->flags);
}

/* ---- CSV ---- */

/* Prints a row for an event, or for lost events. */
static void print_csv(struct tsh_merge_printer *p, const struct tsh_host_line *line, const struct tsh_host *host)
{
	struct tsh_strbuf *out = &p->out->data;
	struct tsh_event_line cells;

	tsh_merge_event_line(p, line, host, &cells);
	tsh_csv_cell(out, host->name, strlen(host->name));
	tsh_strbuf_addc(out, ',');
	if (line->kind == TSH_HOST_LOST) {
		cells.comm_len = cells.flags_len = 0;
		cells.pid = TSH_NO_PID;
		cells.tgid = -1;
		tsh_event_line_csv_lost(&cells, "lost", line->has_count ? line->count : TSH_LOST_UNKNOWN, out);
		return;
	}
	tsh_event_line_csv(&cells, out);
	tsh_strbuf_clear(&p->cell);
	if (line->event.len)
		tsh_json_unescape(&line->event, &p->cell);
	tsh_csv_cell(out, p->cell.buf, p->cell.len);
	tsh_strbuf_addc(out, ',');
	tsh_strbuf_clear(&p->cell);
	tsh_merge_add_body(p, line, &p->cell);
	tsh_csv_cell(out, p->cell.buf, p->cell.len);
	tsh_strbuf_addc(out, '\n');
}

/* ---- any ---- */

void tsh_merge_print(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		     const struct tsh_host *host)
{
	switch (p->out->format) {
	case TSH_FORMAT_JSON:
		tsh_merge_json(p, line, host);
		break;
	case TSH_FORMAT_CSV:
		if (line->kind == TSH_HOST_EVENT || line->kind == TSH_HOST_LOST)
			print_csv(p, line, host);
		break;
	default:
		tsh_merge_text(p, line, host);
	}
	tsh_out_flush_if_full(p->out);
}
