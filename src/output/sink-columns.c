/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/utf8.h"
#include "sink-formats.h"

/* Lines of chosen columns: set columns. */

static void add_task(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	size_t len;
	const char *task = tsh_decoder_task_column(sink->decoder, ev->common.pid, false, &len);

	while (len && task[len - 1] == ' ')
		len--;
	tsh_strbuf_add(out, task, len);
}

static void add_comm(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	const char *comm = tsh_decoder_comm(sink->decoder, ev->common.pid);

	tsh_sanitize(out, comm, strlen(comm));
}

static void add_tgid(const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->tgid > 0)
		tsh_strbuf_addu(out, (unsigned int)ev->tgid);
	else
		tsh_strbuf_addc(out, '-');
}

/* Without a wall time as the trace clock has it, if that counts ns. */
static void add_delta(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->has_wall)
		tsh_line_delta(&sink->columns, true, ev->wall, out);
	else if (sink->clock->kind->in_ns)
		tsh_line_delta(&sink->columns, false, (int64_t)ev->rec->stamp, out);
	else
		tsh_line_no_delta(&sink->columns, out);
}

/* The name as in the usual line; where the event's text is its own name, as in CSV. */
static void add_event(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (!ev->format)
		sink_add_event_name(ev, out);
	else if (ev->format->label_in_text)
		tsh_strbuf_adds(out, ev->format->name);
	else if (ev->format->label_varies)
		sink_add_label(sink, ev, out);
	else
		tsh_strbuf_add(out, ev->format->heading, ev->format->label_len);
}

static void add_cell(struct tsh_sink *sink, const struct sink_event *ev,
		     enum tsh_line_column column, struct tsh_strbuf *out)
{
	switch (column) {
	case TSH_LINE_TASK:
		add_task(sink, ev, out);
		break;
	case TSH_LINE_COMM:
		add_comm(sink, ev, out);
		break;
	case TSH_LINE_PID:
		tsh_strbuf_addf(out, "%d", ev->common.pid);
		break;
	case TSH_LINE_TGID:
		add_tgid(ev, out);
		break;
	case TSH_LINE_CPU:
		tsh_strbuf_addf(out, "%d", ev->rec->cpu);
		break;
	case TSH_LINE_FLAGS:
		tsh_strbuf_adds(out, sink_flags(sink, ev));
		break;
	case TSH_LINE_TIME:
		if (sink->time.style != TSH_TIME_NONE)
			sink_text_time(sink, ev, out);
		break;
	case TSH_LINE_DELTA:
		add_delta(sink, ev, out);
		break;
	case TSH_LINE_EVENT:
		add_event(sink, ev, out);
		break;
	default:
		/* the name that the usual line has before it */
		if (!tsh_line_columns_has(&sink->columns, TSH_LINE_EVENT) &&
		    !(ev->format && ev->format->label_in_text)) {
			add_event(sink, ev, out);
			tsh_strbuf_adds(out, ": ");
		}
		sink_text_body(sink, ev, out);
		tsh_strbuf_truncate(out, out->len - 1);
	}
}

void sink_columns_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *cell = &sink->cell;
	size_t i;

	for (i = 0; i < sink->columns.n; i++) {
		tsh_strbuf_clear(cell);
		add_cell(sink, ev, sink->columns.v[i], cell);
		tsh_line_cell(&sink->columns, sink->out, i, cell->buf, cell->len, ev->common.pid);
	}
	tsh_strbuf_addc(&sink->out->data, '\n');
}
