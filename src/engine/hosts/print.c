/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "print.h"

#include <string.h>
#include <time.h>

#include "base/number.h"

/* merge: the format that is asked for, its header, and CSV. */

#define CSV_HEADER "host,time,ts,error_ns,cpu,pid,tgid,comm,flags,event,text\n"

/* "# tracesh: times local (+0100), the hosts' clocks taken as in step" */
static void print_header(struct tsh_merge_printer *p, const struct tsh_session *s,
			 uint64_t skew_ns)
{
	const char *since = tsh_time_style_since(p->style);
	struct tsh_strbuf *out = &p->out->data;

	tsh_strbuf_adds(out, tsh_out_style(p->out, TSH_STYLE_DIM));
	tsh_strbuf_adds(out, "# tracesh: ");
	if (since || p->style == TSH_TIME_NONE || p->style == TSH_TIME_UTC) {
		tsh_strbuf_adds(out, since ? since : p->style == TSH_TIME_UTC ? "times UTC" :
				     "no times");
	} else if (p->style == TSH_TIME_TRACE) {
		tsh_strbuf_adds(out, "times of each host's trace clock");
	} else {
		tsh_strbuf_addf(out, "times %s (", s->settings.tz ? s->settings.tz : "local");
		tsh_time_zone(out, (int64_t)time(NULL) * 1000000000);
		tsh_strbuf_addc(out, ')');
	}
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
	if (is_text && s->settings.columns)
		(void)tsh_line_columns_parse(&p->columns, s->settings.columns, &ignored);
	tsh_err_release(&ignored);
	p->columns.in_ns = p->in_ns;
	if (is_text)
		print_header(p, s, skew_ns);
	else if (p->out->format == TSH_FORMAT_CSV)
		tsh_strbuf_adds(&p->out->data, CSV_HEADER);
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
}

/* ---- CSV ---- */

static void csv_string(struct tsh_merge_printer *p, const struct tsh_json_text *text)
{
	tsh_strbuf_clear(&p->cell);
	if (text->len)
		tsh_json_unescape(text, &p->cell);
	tsh_csv_cell(&p->out->data, p->cell.buf, p->cell.len);
	tsh_strbuf_addc(&p->out->data, ',');
}

static void csv_number(struct tsh_merge_printer *p, int number, bool is_there)
{
	if (is_there)
		tsh_strbuf_addf(&p->out->data, "%d", number);
	tsh_strbuf_addc(&p->out->data, ',');
}

/* The host, the time, the stamp and the error. */
static void csv_head(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		     const struct tsh_host *host)
{
	struct tsh_strbuf *out = &p->out->data;
	uint64_t stamp;

	tsh_csv_cell(out, host->name, strlen(host->name));
	tsh_strbuf_addc(out, ',');
	tsh_strbuf_clear(&p->cell);
	if (p->style != TSH_TIME_NONE)
		tsh_merge_add_time(p, line, host, &p->cell);
	if (strcmp(p->cell.buf, "-") != 0)
		tsh_strbuf_adds(out, p->cell.buf + strspn(p->cell.buf, " "));
	tsh_strbuf_addc(out, ',');
	if (tsh_json_to_u64(&line->ts, &stamp))
		tsh_strbuf_addu(out, stamp);
	tsh_strbuf_addc(out, ',');
	if (line->has_wall && line->has_error)
		tsh_strbuf_addu(out, tsh_saturating_sum(line->error_ns,
							tsh_time_text_rounding(&p->time)));
	tsh_strbuf_addc(out, ',');
	csv_number(p, line->cpu, line->cpu >= 0);
}

static void csv_event(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		      const struct tsh_host *host)
{
	csv_head(p, line, host);
	csv_number(p, line->pid, line->pid != TSH_NO_PID);
	csv_number(p, line->tgid, line->tgid > 0);
	csv_string(p, &line->comm);
	csv_string(p, &line->flags);
	csv_string(p, &line->event);
	tsh_strbuf_clear(&p->cell);
	tsh_merge_add_body(p, line, &p->cell);
	tsh_csv_cell(&p->out->data, p->cell.buf, p->cell.len);
	tsh_strbuf_addc(&p->out->data, '\n');
}

static void csv_lost(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		     const struct tsh_host *host)
{
	csv_head(p, line, host);
	tsh_strbuf_adds(&p->out->data, ",,,,lost,");
	if (line->has_count)
		tsh_strbuf_addu(&p->out->data, line->count);
	else
		tsh_strbuf_adds(&p->out->data, "unknown");
	tsh_strbuf_addc(&p->out->data, '\n');
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
		if (line->kind == TSH_HOST_EVENT)
			csv_event(p, line, host);
		else if (line->kind == TSH_HOST_LOST)
			csv_lost(p, line, host);
		break;
	default:
		tsh_merge_text(p, line, host);
	}
	tsh_out_flush_if_full(p->out);
}
