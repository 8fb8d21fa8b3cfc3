/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sink.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xmalloc.h"
#include "graph.h"
#include "repeats.h"
#include "sink-formats.h"

/* Is the time after which names of tasks are read again, when the trace clock counts ns. */
#define REFRESH_NS UINT64_C(2000000000)

/* ---- as a consumer of events/source ---- */

static struct tsh_sink *of(struct tsh_consumer *to)
{
	/* it is the first member */
	return (struct tsh_sink *)(void *)to;
}

static bool print_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	tsh_sink_event(of(to), rec, late);
	return true;
}

static void print_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	tsh_sink_lost(of(to), cpu, count, stamp);
}

static void print_note(struct tsh_consumer *to, const char *text)
{
	tsh_sink_note(of(to), text);
}

/* Learns names of tasks from an event that is not printed. */
static bool learn_names(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct tsh_common common;
	bool damaged;

	(void)late;
	(void)tsh_decoder_begin_record(of(to)->decoder, rec, &common, &damaged);
	return true;
}

static void mute(struct tsh_consumer *to, bool on)
{
	to->event = on ? learn_names : print_event;
}

static void print_skipped(struct tsh_consumer *to, uint64_t count, int cpu, uint64_t stamp)
{
	tsh_sink_skipped(of(to), count, cpu, stamp);
}

/* Limits what is buffered for a blocked output: the rest waits as pages. */
#define STUCK_BYTES 262144

static int flush(struct tsh_consumer *to, struct tsh_err *err)
{
	struct tsh_out *out = of(to)->out;

	if (of(to)->info.live)
		tsh_decoder_renew(of(to)->decoder);
	/* Empties the file when waiting for events begins, since its old content has none of
	 * these. */
	tsh_out_begin(out);
	if (out->data.len)
		(void)tsh_out_write_some(out);
	/* Checks the reader too: when events are rare, the next write may be hours away. */
	if (out->closed || tsh_out_check_reader(out))
		return 1;
	return out->error ? tsh_out_finish(out, err) : 0;
}

static int stuck(struct tsh_consumer *to)
{
	struct tsh_out *out = of(to)->out;
	size_t waits = out->data.len;

	if (of(to)->is_unbuffered && waits)
		waits = tsh_out_write_some(out);
	return waits > (of(to)->is_unbuffered ? 0 : STUCK_BYTES) ? tsh_out_poll_fd(out) : -1;
}

static bool is_data(const struct tsh_sink *sink)
{
	return sink->out->format == TSH_FORMAT_JSON || sink->out->format == TSH_FORMAT_CSV;
}

void tsh_sink_init(struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_clock *clock, const struct tsh_stream_info *info,
		   enum tsh_time_style style, bool ns)
{
	memset(sink, 0, sizeof(*sink));
	sink->consumer = (struct tsh_consumer){
		.event = print_event, .lost = print_lost, .note = print_note, .flush = flush,
		.stuck = stuck, .mute = mute, .skipped = print_skipped, .learns_all = true,
	};
	sink->out = out;
	sink->decoder = decoder;
	sink->clock = clock;
	sink->info = *info;
	tsh_time_text_init(&sink->time,
			   out->format == TSH_FORMAT_KERNEL ? TSH_TIME_TRACE :
			   out->format == TSH_FORMAT_JSON   ? TSH_TIME_ISO :
							      style,
			   ns || out->format == TSH_FORMAT_JSON);
	sink->has_plain_times = tsh_time_style_is_wall(sink->time.style);
	sink->raw = tsh_out_is_raw(out);
	if (out->format == TSH_FORMAT_KERNEL)
		tsh_decoder_use_saved_names(decoder);
	if (info->is_graph) {
		sink->graph = tsh_graph_new(decoder, info->provider);
		tsh_graph_set_migrate(sink->graph, info->with_migrate);
		tsh_graph_set_raw(sink->graph, sink->raw);
	}
	sink->names_version = tsh_decoder_names_version(decoder);
	sink->tasks = tsh_decoder_task_columns(decoder);
	sink->heads = tsh_xcalloc(1, sizeof(*sink->heads));
	sink->repeats = tsh_xcalloc(1, sizeof(*sink->repeats));
	if (is_data(sink))
		sink->parts = sink_parts_new(out->format);
	tsh_strbuf_init(&sink->error_text);
	tsh_strbuf_init(&sink->scratch);
	tsh_strbuf_init(&sink->cell);
	tsh_strbuf_init(&sink->row);
	tsh_strbuf_init(&sink->row_keys);
}

bool tsh_sink_can_fork(const struct tsh_sink *sink)
{
	switch (sink->time.style) {
	case TSH_TIME_WALL:
	case TSH_TIME_ISO:
	case TSH_TIME_UTC:
	case TSH_TIME_TRACE:
	case TSH_TIME_NONE:
		break;
	default:
		return false;
	}
	/* columns grow as wide as what they had to hold before */
	return !sink->graph && !sink->info.hides_pointers && !sink->is_unbuffered && !sink->columns.n &&
	       !(sink->rows && sink->out->format == TSH_FORMAT_TEXT);
}

void tsh_sink_fork(struct tsh_sink *ret, const struct tsh_sink *sink, struct tsh_out *out, struct tsh_decoder *decoder,
		   const struct tsh_rows *rows)
{
	tsh_sink_init(ret, out, decoder, sink->clock, &sink->info, sink->time.style, sink->time.ns);
	ret->columns = sink->columns;
	ret->header_done = true;
	if (sink->shows_error)
		tsh_sink_show_error(ret);
	if (rows)
		tsh_sink_set_rows(ret, rows);
	sink_text_choose(ret);
}

void tsh_sink_show_error(struct tsh_sink *sink)
{
	sink->shows_error = sink->out->format == TSH_FORMAT_TEXT &&
			    tsh_time_style_is_wall(sink->time.style);
	sink->has_plain_times = sink->has_plain_times && !sink->shows_error;
	sink_text_choose(sink);
}

void tsh_sink_set_unbuffered(struct tsh_sink *sink)
{
	sink->is_unbuffered = true;
	tsh_out_begin_live(sink->out);
}

void tsh_sink_set_columns(struct tsh_sink *sink, const struct tsh_line_columns *columns)
{
	if (sink->out->format == TSH_FORMAT_TEXT && !sink->graph)
		sink->columns = *columns;
	sink->columns.in_ns = sink->time.ns;
	sink_text_choose(sink);
}

void tsh_sink_set_time(struct tsh_sink *sink, enum tsh_time_style style)
{
	bool ns = sink->time.ns;

	if (sink->out->format != TSH_FORMAT_TEXT)
		return;
	tsh_time_text_release(&sink->time);
	tsh_time_text_init(&sink->time, style, ns);
	sink->has_plain_times = tsh_time_style_is_wall(style) && !sink->shows_error;
	sink_text_choose(sink);
}

void tsh_sink_release(struct tsh_sink *sink)
{
	tsh_time_text_release(&sink->time);
	tsh_strbuf_release(&sink->error_text);
	tsh_strbuf_release(&sink->scratch);
	tsh_strbuf_release(&sink->cell);
	tsh_graph_free(sink->graph);
	free(sink->row_columns);
	tsh_strbuf_release(&sink->row_keys);
	tsh_strbuf_release(&sink->row);
	free(sink->heads);
	free(sink->repeats);
	free(sink->parts);
}

/* ---- an event ---- */

/* Makes the decoder read again the names of tasks that it has from no event: these may have
 * changed. */
static void refresh_names(struct tsh_sink *sink, uint64_t stamp)
{
	if (sink->info.live && stamp - sink->refreshed > REFRESH_NS &&
	    stamp > sink->refreshed) {
		sink->refreshed = stamp;
		tsh_decoder_refresh(sink->decoder);
	}
}

/* Finds the wall-clock time of an event and its error. Sets has_wall to false when there is
 * none. */
static void __attribute__((noinline)) find_wall(struct tsh_sink *sink, struct sink_event *ev)
{
	const struct tsh_record *rec = ev->rec;
	struct tsh_wall wall = { 0 };

	ev->has_wall = tsh_clock_at(sink->clock, rec->cpu, rec->stamp, &wall);
	ev->wall = wall.ns;
	ev->error_ns = wall.error_ns;
	ev->ambiguous = wall.ambiguous;
}

static inline void prepare(struct tsh_sink *sink, const struct tsh_record *rec, bool late,
			   struct sink_event *ev)
{
	ev->rec = rec;
	ev->late = late;
	ev->format = tsh_decoder_begin_record(sink->decoder, rec, &ev->common, &ev->damaged);
	/* does not read /proc for a group that is not printed */
	ev->tgid = 0;
	if (sink->info.with_tgid || tsh_line_columns_has(&sink->columns, TSH_LINE_TGID))
		ev->tgid = tsh_decoder_tgid(sink->decoder, ev->common.pid);
	ev->has_wall = true;
	ev->ambiguous = false;
	if (is_data(sink) || sink->shows_error ||
	    !tsh_clock_quick(sink->clock, rec->cpu, rec->stamp, &ev->wall))
		find_wall(sink, ev);
}

/* ---- public functions ---- */

void tsh_sink_start(struct tsh_sink *sink)
{
	if (sink->header_done)
		return;
	sink->header_done = true;
	sink_text_choose(sink);
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_start(sink);
		break;
	case TSH_FORMAT_CSV:
		if (sink->rows)
			sink_rows_csv_start(sink);
		else
			sink_csv_start(sink);
		break;
	case TSH_FORMAT_TEXT:
		sink_text_start(sink);
		break;
	case TSH_FORMAT_KERNEL:
		break;
	}
}

/* Prints an event in any format. */
static void __attribute__((noinline)) print_any(struct tsh_sink *sink, const struct tsh_record *rec, bool late)
{
	struct sink_event ev;

	prepare(sink, rec, late, &ev);
	if (sink->time.style == TSH_TIME_DELTA_TASK)
		sink->time.birth = tsh_decoder_birth(sink->decoder, ev.common.pid);
	if (sink->out->format == TSH_FORMAT_JSON)
		sink_json_event(sink, &ev);
	else if (sink->rows && sink->out->format == TSH_FORMAT_CSV)
		sink_rows_csv(sink, &ev);
	else if (sink->rows)
		sink_rows_text(sink, &ev);
	else if (sink->out->format == TSH_FORMAT_CSV)
		sink_csv_event(sink, &ev);
	else
		sink_text_event(sink, &ev);
}

void tsh_sink_event(struct tsh_sink *sink, const struct tsh_record *rec, bool late)
{
	if (!sink->header_done)
		tsh_sink_start(sink);
	refresh_names(sink, rec->stamp);
	if (!sink->is_plain || late || !sink_text_plain(sink, rec))
		print_any(sink, rec, late);
	if (sink->info.is_read_once)
		tsh_out_add_event(sink->out);
	tsh_out_flush_if_full(sink->out);
}

void tsh_sink_lost(struct tsh_sink *sink, int cpu, uint64_t count, uint64_t stamp)
{
	int64_t wall;
	bool has_wall = tsh_clock_wall(sink->clock, cpu, stamp, &wall, NULL);

	tsh_sink_start(sink);
	tsh_time_text_note_loss(&sink->time);
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_lost(sink, cpu, count, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_CSV:
		if (!sink->rows)
			sink_csv_missing(sink, "lost", cpu, count, stamp, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_TEXT:
	case TSH_FORMAT_KERNEL:
		sink_text_lost(sink, cpu, count);
		break;
	}
}

void tsh_sink_skipped(struct tsh_sink *sink, uint64_t count, int cpu, uint64_t stamp)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int64_t wall;
	bool has_wall = tsh_clock_wall(sink->clock, cpu, stamp, &wall, NULL);

	tsh_sink_start(sink);
	tsh_format_count(count, &text);
	tsh_strbuf_adds(&text, count == 1 ? " event skipped, the output is too slow" :
					    " events skipped, the output is too slow");
	switch (sink->out->format) {
	case TSH_FORMAT_JSON:
		sink_json_skipped(sink, count, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_CSV:
		if (!sink->rows)
			sink_csv_missing(sink, "skipped", cpu, count, stamp, has_wall ? &wall : NULL);
		break;
	case TSH_FORMAT_TEXT:
		sink_text_gap(sink, text.buf);
		break;
	case TSH_FORMAT_KERNEL:
		tsh_out_note(sink->out, "%s", text.buf);
		break;
	}
	tsh_strbuf_release(&text);
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
		tsh_json_end_line(&sink->out->data, summary);
}
