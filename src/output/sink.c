/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/sink.h"

#include <string.h>

#include "sink-formats.h"

/* ---- as a consumer of src/stream ---- */

static struct tsh_sink *of(struct tsh_consumer *to)
{
	/* the first member */
	return (struct tsh_sink *)(void *)to;
}

static void take_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	tsh_sink_event(of(to), rec, late);
}

static void take_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	tsh_sink_lost(of(to), cpu, count, stamp);
}

static void take_note(struct tsh_consumer *to, const char *text)
{
	tsh_sink_note(of(to), text);
}

static int flush(struct tsh_consumer *to, struct tsh_err *err)
{
	struct tsh_out *out = of(to)->out;

	if (out->data.len)
		tsh_out_flush(out);
	if (out->closed)
		return 1;
	return out->error ? tsh_out_finish(out, err) : 0;
}

void tsh_sink_init(struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_clock *clock, const struct tsh_stream_info *info,
		   enum tsh_time_style style, bool ns)
{
	memset(sink, 0, sizeof(*sink));
	sink->consumer = (struct tsh_consumer){
		.event = take_event, .lost = take_lost, .note = take_note, .flush = flush,
	};
	sink->out = out;
	sink->decoder = decoder;
	sink->clock = clock;
	sink->info = *info;
	tsh_time_text_init(&sink->time,
			   out->format == TSH_FORMAT_KERNEL ? TSH_TIME_TRACE : style, ns);
	tsh_strbuf_init(&sink->scratch);
	tsh_strbuf_init(&sink->cell);
}

void tsh_sink_release(struct tsh_sink *sink)
{
	tsh_strbuf_release(&sink->scratch);
	tsh_strbuf_release(&sink->cell);
}

/* ---- what the formats share ---- */

void sink_add_event_name(const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (!ev->format) {
		tsh_strbuf_adds(out, "unknown:");
		tsh_strbuf_addu(out, ev->common.id);
		return;
	}
	tsh_strbuf_adds(out, ev->format->system);
	tsh_strbuf_addc(out, ':');
	tsh_strbuf_adds(out, ev->format->name);
}

void sink_make_text(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *raw = &sink->scratch;

	tsh_strbuf_clear(raw);
	if (ev->damaged) {
		tsh_strbuf_addf(raw, "a damaged record of %u bytes", (unsigned int)ev->rec->size);
		return;
	}
	if (!ev->format) {
		tsh_strbuf_addf(raw, "a record of %u bytes, no event has this number",
				(unsigned int)ev->rec->size);
		return;
	}
	tsh_decoder_print(sink->decoder, ev->format, ev->rec, raw);
}

static void prepare(struct tsh_sink *sink, const struct tsh_record *rec, bool late,
		    struct sink_event *ev)
{
	enum tsh_format format = sink->out->format;

	ev->rec = rec;
	ev->late = late;
	ev->format = NULL;
	ev->damaged = !tsh_decoder_common(sink->decoder, rec, &ev->common);
	if (ev->damaged) {
		memset(&ev->common, 0, sizeof(ev->common));
	} else {
		ev->format = tsh_decoder_format(sink->decoder, ev->common.id);
		if (ev->format)
			tsh_decoder_learn(sink->decoder, ev->format, rec);
	}
	tsh_common_flags(&ev->common, sink->info.with_migrate, ev->flags);
	/* /proc is asked for the group: not where nobody sees it. */
	ev->tgid = 0;
	if (sink->info.with_tgid || format == TSH_FORMAT_JSON || format == TSH_FORMAT_CSV)
		ev->tgid = tsh_decoder_tgid(sink->decoder, ev->common.pid);
	ev->comm = tsh_decoder_comm(sink->decoder, ev->common.pid);
	ev->has_wall = tsh_clock_wall(sink->clock, rec->cpu, rec->stamp, &ev->wall,
				      &ev->error_ns);
}

/* ---- the calls ---- */

void tsh_sink_start(struct tsh_sink *sink)
{
	if (sink->header_done)
		return;
	sink->header_done = true;
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_start(sink);
		break;
	case TSH_FORMAT_CSV:
		sink_csv_start(sink);
		break;
	case TSH_FORMAT_TEXT:
		sink_text_start(sink);
		break;
	case TSH_FORMAT_KERNEL:
		break;
	}
}

void tsh_sink_event(struct tsh_sink *sink, const struct tsh_record *rec, bool late)
{
	struct sink_event ev;

	tsh_sink_start(sink);
	prepare(sink, rec, late, &ev);
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_event(sink, &ev);
		break;
	case TSH_FORMAT_CSV:
		sink_csv_event(sink, &ev);
		break;
	case TSH_FORMAT_TEXT:
	case TSH_FORMAT_KERNEL:
		sink_text_event(sink, &ev);
		break;
	}
	tsh_out_flush_if_full(sink->out);
}

void tsh_sink_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp)
{
	int64_t wall;
	bool has_wall = tsh_clock_wall(sink->clock, cpu, stamp, &wall, NULL);

	tsh_sink_start(sink);
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_lost(sink, cpu, count, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_CSV:
		sink_csv_lost(sink, cpu, count, stamp, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_TEXT:
	case TSH_FORMAT_KERNEL:
		sink_text_lost(sink, cpu, count);
		break;
	}
}

void tsh_sink_note(struct tsh_sink *sink, const char *text)
{
	tsh_sink_start(sink);
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_note(sink, text);
		break;
	case TSH_FORMAT_TEXT:
		sink_text_note(sink, text);
		break;
	case TSH_FORMAT_CSV:
	case TSH_FORMAT_KERNEL:
		tsh_out_note(sink->out, "%s", text);
		break;
	}
}

void tsh_sink_end(struct tsh_sink *sink, const struct tsh_stream_summary *summary)
{
	tsh_sink_start(sink);
	if (sink->out->format == TSH_FORMAT_JSON)
		sink_json_end(sink, summary);
}
