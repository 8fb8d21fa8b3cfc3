/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "sink-formats.h"

/* A cell, quoted where it must be: no allocation for the usual one. */
static void add_cell(struct tsh_strbuf *out, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == ',' || text[i] == '"')
			break;
	if (i == len && len && !memchr("=+-@", *text, 4))
		tsh_strbuf_add(out, text, len);
	else
		tsh_csv_cell(out, text, len);
}

static void add_time(struct tsh_sink *sink, int cpu, int pid, uint64_t stamp,
		     const int64_t *wall)
{
	tsh_time_text_of(&sink->time, cpu, pid);
	tsh_strbuf_clear(&sink->cell);
	/* the kernel's leading blanks are for columns */
	if (sink->time.style != TSH_TIME_NONE)
		tsh_time_text_add(&sink->time, &sink->cell, sink->clock->kind, stamp, wall,
				  wall ? *wall : 0);
	while (sink->cell.len && sink->cell.buf[0] == ' ') {
		memmove(sink->cell.buf, sink->cell.buf + 1, sink->cell.len);
		sink->cell.len--;
	}
	/* of a task that was forgotten */
	if (sink->cell.len == 1 && sink->cell.buf[0] == '-')
		tsh_strbuf_clear(&sink->cell);
	/* a number of seconds may be negative, and is no formula */
	tsh_strbuf_add(&sink->out->data, sink->cell.buf, sink->cell.len);
	tsh_strbuf_addc(&sink->out->data, ',');
	tsh_strbuf_addu(&sink->out->data, stamp);
	tsh_strbuf_addc(&sink->out->data, ',');
	tsh_strbuf_clear(&sink->cell);
}

void sink_csv_start(struct tsh_sink *sink)
{
	tsh_strbuf_adds(&sink->out->data, TSH_SINK_CSV_HEADER);
}

void sink_csv_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;
	const char *comm;

	add_time(sink, ev->rec->cpu, ev->common.pid, ev->rec->stamp,
		 ev->has_wall ? &ev->wall : NULL);
	if (ev->has_wall)
		tsh_strbuf_addu(out, ev->error_ns + tsh_time_text_rounding(&sink->time));
	tsh_strbuf_addf(out, ",%d,%d,", ev->rec->cpu, ev->common.pid);
	if (ev->tgid > 0)
		tsh_strbuf_addu(out, (unsigned int)ev->tgid);
	tsh_strbuf_addc(out, ',');
	comm = tsh_decoder_comm(sink->decoder, ev->common.pid);
	add_cell(out, comm, strlen(comm));
	tsh_strbuf_addc(out, ',');
	tsh_strbuf_adds(out, sink_flags(sink, ev));
	tsh_strbuf_addc(out, ',');
	sink_add_event_name(ev, &sink->cell);
	add_cell(out, sink->cell.buf, sink->cell.len);
	tsh_strbuf_addc(out, ',');
	sink_make_text(sink, ev);
	add_cell(out, sink->scratch.buf, sink->scratch.len);
	tsh_strbuf_addc(out, '\n');
}

/* An event's name has a colon, so "lost" is none. */
void sink_csv_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp,
		   const int64_t *wall)
{
	struct tsh_strbuf *out = &sink->out->data;

	add_time(sink, cpu, -1, stamp, wall);
	tsh_strbuf_addf(out, ",%d,,,,,lost,", cpu);
	if (count != TSH_LOST_UNKNOWN)
		tsh_strbuf_addu(out, count);
	else
		tsh_strbuf_adds(out, "unknown");
	tsh_strbuf_addc(out, '\n');
}

/* They are of all CPUs. */
void sink_csv_skipped(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp,
		      const int64_t *wall)
{
	struct tsh_strbuf *out = &sink->out->data;

	add_time(sink, cpu, -1, stamp, wall);
	tsh_strbuf_adds(out, ",,,,,,skipped,");
	tsh_strbuf_addu(out, count);
	tsh_strbuf_addc(out, '\n');
}
