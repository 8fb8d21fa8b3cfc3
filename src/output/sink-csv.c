/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "sink-formats.h"

void sink_csv_start(struct tsh_sink *sink)
{
	tsh_strbuf_adds(&sink->out->data, TSH_EVENT_CSV_HEADER);
}

/* ---- the parts of a line that come again ---- */

static char *write_error(struct tsh_sink *sink, char *p, uint64_t error_ns)
{
	*p = ',';
	p = digits_write_unsigned(p + 1, tsh_saturating_sum(error_ns, tsh_time_text_rounding(&sink->time)));
	*p = ',';
	return p + 1;
}

static void add_task(int pid, int tgid, const char *comm, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, pid < 0 ? ",-" : ",");
	tsh_strbuf_addu(out, pid < 0 ? -(unsigned int)pid : (unsigned int)pid);
	tsh_strbuf_addc(out, ',');
	if (tgid > 0)
		tsh_strbuf_addu(out, (unsigned int)tgid);
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, comm, strlen(comm));
	tsh_strbuf_addc(out, ',');
}

const struct sink_words sink_csv_words = { write_error, add_task, "," };

/* Writes the cells of a usual event up to its name. */
static void add_head(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	char *p;

	tsh_strbuf_grow(out, SINK_PARTS_ROOM);
	p = tsh_time_text_write(&sink->time, out->buf + out->len, ev->wall);
	*p = ',';
	p = sink_write_parts(sink, p + 1, ev);
	*p = '\0';
	out->len = (size_t)(p - out->buf);
}

/* Writes these cells of any event. */
static void __attribute__((noinline))
add_any_head(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	struct tsh_event_line line;

	sink_event_line(sink, ev, &line);
	line.tgid = tsh_decoder_tgid(sink->decoder, ev->common.pid);
	line.comm = tsh_decoder_comm(sink->decoder, ev->common.pid);
	line.comm_len = strlen(line.comm);
	tsh_event_line_csv(&line, out);
}

void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;
	size_t begin;

	if (sink->has_plain_times && ev->has_wall && ev->format)
		add_head(sink, ev, out);
	else
		add_any_head(sink, ev, out);
	begin = out->len;
	sink_add_event_name(ev, out);
	if (!ev->format || !ev->format->has_plain_name)
		tsh_csv_make_cell(out, begin);
	tsh_strbuf_addc(out, ',');
	begin = out->len;
	sink_add_text(sink, ev, out);
	if (out->len > begin && out->buf[out->len - 1] == '\n')
		tsh_strbuf_truncate(out, out->len - 1);
	tsh_csv_make_cell(out, begin);
	tsh_strbuf_addc(out, '\n');
}

void sink_csv_missing(struct tsh_sink *sink, const char *event, int cpu, uint64_t count, uint64_t stamp,
		      const int64_t *wall)
{
	struct tsh_event_line line = {
		/* skipped events are of all CPUs */
		.cpu = strcmp(event, "lost") ? -1 : cpu, .pid = TSH_NO_PID, .tgid = -1, .comm = "", .flags = "",
		.time = &sink->time, .clock = sink->clock->kind, .has_stamp = true, .stamp = stamp,
		.has_wall = wall, .wall = wall ? *wall : 0,
	};

	tsh_time_text_set_task(&sink->time, cpu, -1);
	tsh_event_line_csv_lost(&line, event, count, &sink->out->data);
}
