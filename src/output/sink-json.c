/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/json.h"
#include "sink-formats.h"

/* Is the version of the lines of a stream; it grows when a change would break readers. */
#define FORMAT_VERSION 1

/* Writes "time":"2024-01-02T22:47:33.843825123+08:00" or null. */
static void add_time(struct tsh_sink *sink, struct tsh_json *js, const int64_t *wall)
{
	char text[TSH_TIME_ROOM], *end;

	tsh_json_literal_key(js, "time");
	if (!wall) {
		tsh_json_null(js);
		return;
	}
	end = tsh_time_text_write(&sink->time, text, *wall);
	tsh_json_string(js, text, (size_t)(end - text));
}

void sink_json_start(struct tsh_sink *sink)
{
	bool ready = tsh_clock_is_ready(sink->clock);
	struct tsh_json js;

	tsh_json_line(&js, &sink->out->data, "start");
	tsh_json_ku64(&js, "format", FORMAT_VERSION);
	tsh_json_kstr(&js, "host", sink->info.host);
	tsh_json_kstr(&js, "boot_id", sink->info.boot_id);
	tsh_json_kstr(&js, "kernel", sink->info.kernel);
	tsh_json_kstr(&js, "instance", sink->info.instance);
	tsh_json_kstr(&js, "clock", sink->clock->kind->name);
	tsh_json_kmaybe(&js, "error_ns", ready, ready ? tsh_clock_error(sink->clock) : 0);
	if (ready && sink->clock->is_not_set)
		tsh_json_kbool(&js, "clock_set", false);
	if (ready && sink->info.has_older) {
		tsh_strbuf_clear(&sink->cell);
		tsh_strbuf_addf(&sink->cell, "%s the event", tsh_clock_condition(sink->clock));
		tsh_json_kstr(&js, "condition", sink->cell.buf);
	}
	tsh_json_line_end(&js);
}

/* Writes "function":"vfs_read" for the function tracers, whose fields only have its address. */
static void add_function(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js)
{
	const struct tsh_event_format *format = ev->format;
	const struct tsh_field *field;
	struct tsh_field_value value;

	if (!format || !format->is_tracer)
		return;
	field = tsh_event_format_field(format, strcmp(format->name, "function") ? "func" : "ip");
	if (!field)
		return;
	tsh_decoder_value(sink->decoder, field, ev->rec, &value);
	if (value.kind != TSH_VALUE_POINTER && value.kind != TSH_VALUE_UNSIGNED)
		return;
	tsh_strbuf_clear(&sink->cell);
	tsh_decoder_symbol_name(sink->decoder, value.u, &sink->cell);
	tsh_json_key(js, "function");
	tsh_json_string(js, sink->cell.buf, sink->cell.len);
}

/* ---- the lines ---- */

/* ---- the parts of a line that come again ---- */

static char *write_error(struct tsh_sink *sink, char *p, uint64_t error_ns)
{
	struct tsh_json js;

	tsh_strbuf_clear(&sink->cell);
	tsh_json_init(&js, &sink->cell);
	tsh_json_u64(&js, error_ns);
	return stpcpy(stpcpy(stpcpy(p, "\",\"error_ns\":"), sink->cell.buf), ",\"cpu\":");
}

static void add_task(int pid, int tgid, const char *comm, struct tsh_strbuf *out)
{
	struct tsh_json js;

	tsh_json_init(&js, out);
	tsh_strbuf_adds(out, ",\"pid\":");
	tsh_json_s64(&js, pid);
	tsh_strbuf_adds(out, ",\"tgid\":");
	tsh_json_maybe(&js, tgid > 0, (uint64_t)tgid);
	tsh_strbuf_adds(out, ",\"comm\":");
	tsh_json_str(&js, comm);
	tsh_strbuf_adds(out, ",\"flags\":\"");
}

const struct sink_words sink_json_words = { write_error, add_task, "\"," };

/* Writes all of a usual event's line up to "event". */
static void add_head(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	static const char begin[32] = "{\"type\":\"event\",\"time\":\"", middle[8] = "\",\"ts\":\"";
	char *p;

	tsh_strbuf_grow(out, SINK_PARTS_ROOM);
	p = out->buf + out->len;
	memcpy(p, begin, sizeof(begin));
	p = tsh_time_text_write(&sink->time, p + strlen(begin), ev->wall);
	memcpy(p, middle, sizeof(middle));
	p = sink_write_parts(sink, p + sizeof(middle), ev);
	*p = '\0';
	out->len = (size_t)(p - out->buf);
}

/* ---- any line ---- */

static void add_event_name(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js)
{
	tsh_strbuf_clear(&sink->cell);
	sink_add_event_name(ev, &sink->cell);
	tsh_json_literal_key(js, "event");
	tsh_json_string(js, sink->cell.buf, sink->cell.len);
}

/* Writes the chosen fields. */
static void add_rows(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_json *js)
{
	tsh_json_literal_key(js, "fields");
	tsh_json_object(js);
	if (sink->rows)
		sink_rows_json(sink, ev, js);
	tsh_json_object_end(js);
	tsh_json_line_end(js);
}

/* Writes the line of an event of which something is unusual. */
static void __attribute__((noinline))
add_any(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	int tgid = tsh_decoder_tgid(sink->decoder, ev->common.pid);
	struct tsh_json js;

	tsh_json_line(&js, out, "event");
	add_time(sink, &js, ev->has_wall ? &ev->wall : NULL);
	tsh_strbuf_clear(&sink->cell);
	tsh_strbuf_addu(&sink->cell, ev->rec->stamp);
	tsh_json_kstr(&js, "ts", sink->cell.buf);
	tsh_json_kmaybe(&js, "error_ns", ev->has_wall, ev->error_ns);
	tsh_json_ks64(&js, "cpu", ev->rec->cpu);
	tsh_json_ks64(&js, "pid", ev->common.pid);
	tsh_json_kmaybe(&js, "tgid", tgid > 0, (uint64_t)tgid);
	tsh_json_kstr(&js, "comm", tsh_decoder_comm(sink->decoder, ev->common.pid));
	tsh_json_kstr(&js, "flags", sink_flags(sink, ev));
	add_event_name(sink, ev, &js);
	if (ev->late)
		tsh_json_kbool(&js, "late", true);
	if (ev->ambiguous && ev->has_wall)
		tsh_json_kbool(&js, "ambiguous", true);
	if (ev->damaged)
		tsh_json_kbool(&js, "damaged", true);
	add_function(sink, ev, &js);
	if (sink->rows || !ev->format) {
		add_rows(sink, ev, &js);
		return;
	}
	tsh_strbuf_addc(out, ',');
	tsh_decoder_add_json(sink->decoder, ev->format, ev->rec, false, out);
}

/* Writes the name and the chosen fields of a usual event. */
static void add_chosen(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	struct tsh_json js;

	tsh_strbuf_adds(out, "\"event\":\"");
	tsh_json_add_text(out, ev->format->full_name, ev->format->full_len);
	tsh_strbuf_adds(out, "\",\"fields\":");
	tsh_json_init(&js, out);
	tsh_json_object(&js);
	sink_rows_json(sink, ev, &js);
	tsh_json_object_end(&js);
	tsh_strbuf_adds(out, "}\n");
}

void sink_json_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = &sink->out->data;

	if (!ev->format || !ev->has_wall || ev->late || ev->ambiguous || ev->format->is_tracer) {
		add_any(sink, ev, out);
		return;
	}
	add_head(sink, ev, out);
	if (sink->rows)
		add_chosen(sink, ev, out);
	else
		tsh_decoder_add_json(sink->decoder, ev->format, ev->rec, true, out);
}

void sink_json_lost(struct tsh_sink *sink, int cpu, uint64_t count, const int64_t *wall)
{
	struct tsh_json js;

	tsh_json_line(&js, &sink->out->data, "lost");
	add_time(sink, &js, wall);
	tsh_json_ks64(&js, "cpu", cpu);
	tsh_json_kmaybe(&js, "count", count != TSH_LOST_UNKNOWN, count);
	tsh_json_line_end(&js);
}

void sink_json_skipped(struct tsh_sink *sink, uint64_t count, const int64_t *wall)
{
	struct tsh_json js;

	tsh_json_line(&js, &sink->out->data, "skipped");
	add_time(sink, &js, wall);
	tsh_json_ku64(&js, "count", count);
	tsh_json_kstr(&js, "reason", "slow output");
	tsh_json_line_end(&js);
}

void sink_json_note(struct tsh_sink *sink, const char *text)
{
	struct tsh_json js;

	tsh_json_line(&js, &sink->out->data, "note");
	tsh_json_kstr(&js, "text", text);
	tsh_json_line_end(&js);
}

void tsh_json_end_line(struct tsh_strbuf *out, const struct tsh_stream_summary *summary)
{
	struct tsh_json js;
	size_t i;

	tsh_json_line(&js, out, "end");
	tsh_json_ku64(&js, "events", summary->events);
	tsh_json_ku64(&js, "lost", summary->lost);
	/* `lost` only has what could be counted */
	if (summary->lost_unknown)
		tsh_json_kbool(&js, "lost_unknown", true);
	/* null: some lost events are of kinds that were not asked for, and nobody counts these */
	if (summary->lost_hidden)
		tsh_json_kstr(&js, "lost_hidden", NULL);
	if (summary->overwritten)
		tsh_json_ku64(&js, "overwritten", summary->overwritten);
	if (summary->late)
		tsh_json_ku64(&js, "late", summary->late);
	for (i = 0; i < summary->nleft_out; i++)
		tsh_json_ku64(&js, summary->left_out[i].name, summary->left_out[i].n);
	if (summary->skipped)
		tsh_json_ku64(&js, "skipped", summary->skipped);
	if (summary->unread)
		tsh_json_kbool(&js, "unread", true);
	tsh_json_key(&js, "seconds");
	tsh_json_seconds(&js, summary->ns);
	tsh_json_line_end(&js);
}
