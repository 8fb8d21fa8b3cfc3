/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events/symbols/saved-comms.h"
#include "sink-formats.h"

/* Prints lines of chosen columns: set columns. */

struct place {
	struct tsh_sink *sink;
	const struct sink_event *ev;
};

/* Adds the event's name as the ordinary line has it. Adds the name from the format when the
 * ordinary line has none, because the event's text contains it. */
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

static void add_cell(void *ctx, enum tsh_line_column column, struct tsh_strbuf *out)
{
	const struct place *place = ctx;
	const struct sink_event *ev = place->ev;
	struct tsh_sink *sink = place->sink;

	if (column == TSH_LINE_TIME) {
		if (sink->time.style != TSH_TIME_NONE)
			sink_text_time(sink, ev, out);
	} else if (column == TSH_LINE_EVENT) {
		add_event(sink, ev, out);
	} else {
		/* adds the name that the ordinary line has before the text */
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
	struct place place = { sink, ev };
	struct tsh_event_line line;
	char comm[TSH_COMM_SIZE];

	sink_event_line(sink, ev, &line);
	/* Asks the decoder for the task's name only when it is shown. Copies it, because the
	 * decoder may overwrite it when other cells ask for a name. */
	if (tsh_line_columns_has(&sink->columns, TSH_LINE_TASK) ||
	    tsh_line_columns_has(&sink->columns, TSH_LINE_COMM)) {
		const char *name = tsh_decoder_comm(sink->decoder, ev->common.pid);

		line.comm = comm;
		line.comm_len = strnlen(name, sizeof(comm));
		memcpy(comm, name, line.comm_len);
	}
	tsh_event_line_columns(&sink->columns, sink->out, &line, add_cell, &place, &sink->cell);
}
