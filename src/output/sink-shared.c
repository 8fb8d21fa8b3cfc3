/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink-formats.h"

#include <string.h>

#include "base/number.h"
#include "base/utf8.h"

/* Holds what the formats share. */

void sink_add_event_name(const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (!ev->format) {
		tsh_strbuf_adds(out, "unknown:");
		tsh_strbuf_addu(out, ev->common.id);
		return;
	}
	tsh_strbuf_add(out, ev->format->full_name, ev->format->full_len);
}

void sink_add_label(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	struct tsh_strbuf *label = &sink->scratch;

	if (sink->raw) {
		tsh_decoder_label(sink->decoder, ev->format, ev->rec, out);
		return;
	}
	tsh_strbuf_clear(label);
	tsh_decoder_label(sink->decoder, ev->format, ev->rec, label);
	tsh_sanitize(out, label->buf, label->len);
}

bool sink_add_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->format)
		return tsh_decoder_print(sink->decoder, ev->format, ev->rec, out);
	if (ev->damaged)
		tsh_strbuf_addf(out, "a damaged record of %u bytes", (unsigned int)ev->rec->size);
	else
		tsh_strbuf_addf(out, "a record of %u bytes of an unknown event",
				(unsigned int)ev->rec->size);
	return false;
}

void sink_make_text(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *text = &sink->scratch;

	tsh_strbuf_clear(text);
	sink_add_text(sink, ev, text);
	if (text->len && text->buf[text->len - 1] == '\n')
		tsh_strbuf_truncate(text, text->len - 1);
}

const char *sink_flags(struct tsh_sink *sink, const struct sink_event *ev)
{
	tsh_decoder_flags(sink->decoder, &ev->common, sink->info.with_migrate, sink->flags);
	return sink->flags;
}

void sink_event_line(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_event_line *ret)
{
	const char *flags = sink_flags(sink, ev);

	*ret = (struct tsh_event_line){
		.comm = "", .flags = flags, .flags_len = strlen(flags), .pads_comm = true,
		.cpu = ev->rec->cpu, .pid = ev->common.pid, .tgid = ev->tgid > 0 ? ev->tgid : -1,
		.time = &sink->time, .clock = sink->clock->kind, .has_stamp = true, .stamp = ev->rec->stamp,
		.stamp_in_ns = sink->clock->kind->in_ns, .has_wall = ev->has_wall, .wall = ev->wall,
		.has_error = ev->has_wall,
		.error_ns = tsh_saturating_sum(ev->error_ns, tsh_time_text_rounding(&sink->time)),
	};
	tsh_time_text_set_task(&sink->time, ev->rec->cpu, ev->common.pid);
}
