/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sink-formats.h"

void sink_csv_start(struct tsh_sink *sink)
{
	tsh_strbuf_adds(&sink->out->data, TSH_EVENT_CSV_HEADER);
}

void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;
	struct tsh_event_line line;

	sink_event_line(sink, ev, &line);
	line.comm = tsh_decoder_comm(sink->decoder, ev->common.pid);
	line.comm_len = strlen(line.comm);
	tsh_event_line_csv(&line, out);
	tsh_strbuf_clear(&sink->cell);
	sink_add_event_name(ev, &sink->cell);
	tsh_csv_cell(out, sink->cell.buf, sink->cell.len);
	tsh_strbuf_addc(out, ',');
	sink_make_text(sink, ev);
	tsh_csv_cell(out, sink->scratch.buf, sink->scratch.len);
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
