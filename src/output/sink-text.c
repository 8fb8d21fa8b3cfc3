/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "events/printfmt/program.h"
#include "graph.h"
#include "repeats.h"
#include "sink-formats.h"

/* Is the room behind the end of the output for the beginning of a line, a time, and a text that
 * is copied. */
#define SINK_CONTEXT_ROOM (TSH_TASK_COLUMN + 32)
#define SINK_LINE_ROOM (SINK_CONTEXT_ROOM + TSH_TIME_ROOM + REPEAT_TEXT)
/* Is the size of the first copy of a task's column: few are longer. */
#define SINK_TASK_COPY 32

static struct tsh_strbuf *data(struct tsh_sink *sink)
{
	return &sink->out->data;
}

static void begin_comment(struct tsh_sink *sink, enum tsh_style style)
{
	if (sink->out->color)
		tsh_strbuf_adds(data(sink), tsh_out_style(sink->out, style));
	tsh_strbuf_adds(data(sink), "# ");
}

static void end_comment(struct tsh_sink *sink)
{
	if (sink->out->color)
		tsh_strbuf_adds(data(sink), tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_addc(data(sink), '\n');
}

void sink_text_start(struct tsh_sink *sink)
{
	struct tsh_strbuf *out = data(sink);
	const char *instance = sink->info.instance;

	begin_comment(sink, TSH_STYLE_DIM);
	tsh_strbuf_adds(out, "tracesh: instance ");
	tsh_sanitize(out, instance, strlen(instance));
	tsh_strbuf_adds(out, ", clock ");
	tsh_sanitize(out, sink->clock->kind->name, strlen(sink->clock->kind->name));
	tsh_strbuf_adds(out, ", ");
	tsh_event_times_text(sink->clock, sink->time.style, sink->info.zone, tsh_time_text_rounding(&sink->time),
			     sink->info.has_older, out);
	if (sink->info.hides_pointers)
		tsh_strbuf_adds(out, ", pointers hidden");
	else if (sink->info.has_hashed_pointers)
		tsh_strbuf_adds(out, ", pointers real (hashed in show)");
	if (sink->info.names_time)
		tsh_strbuf_addf(out, ", names those of %s", sink->info.names_time);
	end_comment(sink);
}

void sink_text_note(struct tsh_sink *sink, const char *text)
{
	begin_comment(sink, TSH_STYLE_DIM);
	tsh_sanitize(data(sink), text, strlen(text));
	end_comment(sink);
}

void sink_text_gap(struct tsh_sink *sink, const char *text)
{
	begin_comment(sink, TSH_STYLE_ERROR);
	tsh_strbuf_adds(data(sink), text);
	end_comment(sink);
}

void sink_text_lost(struct tsh_sink *sink, int cpu, uint64_t count)
{
	struct tsh_strbuf *out = data(sink);
	bool known = count != TSH_LOST_UNKNOWN;

	if (sink->out->format == TSH_FORMAT_KERNEL) {
		/* as print_trace_line in kernel/trace/trace.c */
		tsh_strbuf_addf(out, "CPU:%d [LOST ", cpu);
		if (known) {
			tsh_strbuf_addu(out, count);
			tsh_strbuf_addc(out, ' ');
		}
		tsh_strbuf_adds(out, "EVENTS]\n");
		return;
	}
	begin_comment(sink, TSH_STYLE_ERROR);
	tsh_event_lost_text(cpu, count, out);
	end_comment(sink);
}

/* Writes "(%7d) ", or dashes when the group is unknown. */
static char *write_tgid(char *p, int tgid)
{
	unsigned int rest = tgid > 0 ? (unsigned int)tgid : 0;
	size_t i;

	memcpy(p, "(-------) ", 10);
	for (i = 7; i && tgid > 0; i--, rest /= 10)
		p[i] = (char)(rest || i == 7 ? '0' + rest % 10 : ' ');
	return p + 10;
}

/* Writes "[%03d] "; Linux has at most 8192 CPUs. */
static char *make_cpu(char *p, unsigned int cpu)
{
	*p++ = '[';
	if (cpu > 999)
		*p++ = (char)('0' + cpu / 1000 % 10);
	p[0] = (char)('0' + cpu / 100 % 10);
	p[1] = (char)('0' + cpu / 10 % 10);
	p[2] = (char)('0' + cpu % 10);
	p[3] = ']';
	p[4] = ' ';
	return p + 5;
}

static inline char *write_cpu(struct sink_heads *heads, char *p, unsigned int cpu)
{
	char *text = heads->cpu[cpu < SINK_CPUS ? cpu : 0];

	if (cpu >= SINK_CPUS)
		return make_cpu(p, cpu);
	if (!*text)
		make_cpu(text, cpu);
	memcpy(p, text, sizeof(heads->cpu[0]));
	return p + strlen("[012] ");
}

static void __attribute__((noinline))
remember_flags(struct tsh_sink *sink, const struct sink_event *ev, struct sink_flags *known, uint16_t key)
{
	size_t len = strlen(sink_flags(sink, ev));

	memcpy(known->text, sink->flags, len);
	known->text[len] = ' ';
	known->len = (unsigned char)(len + 1);
	known->key = key;
}

/* Writes the letters of an event with a blank. Writes up to sizeof(struct sink_flags) bytes. */
static inline char *write_flags(struct tsh_sink *sink, char *p, const struct sink_event *ev)
{
	const struct tsh_common *common = &ev->common;
	uint16_t key = (uint16_t)(common->flags | common->preempt << 8);
	struct sink_flags *known = &sink->heads->flags[(common->flags ^ common->preempt << 5 ^
							common->preempt >> 3) % SINK_FLAGS];

	if (__builtin_expect(known->key != key || !known->len || (common->lazy | common->migrate), 0)) {
		remember_flags(sink, ev, known, key);
		/* other depths may be in none of the key's bits */
		memcpy(p, known, sizeof(*known));
		p += known->len;
		if (common->lazy | common->migrate)
			known->len = 0;
		return p;
	}
	memcpy(p, known, sizeof(*known));
	return p + known->len;
}

/* Adds "%16s-%-7d (%7d) [%03d] FLAGS ", as trace_print_context (kernel/trace/trace_output.c). Then
 * leaves SINK_LINE_ROOM. */
static void __attribute__((noinline))
add_context(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	const char *task;
	size_t len;
	char *p;

	task = tsh_decoder_task_column(sink->decoder, ev->common.pid, sink->raw, &len);
	/* Adds a blank before a name that fills its column and begins with '#'. Otherwise the
	 * line would look like one that tracesh adds. */
	if (*task == '#' && !sink->raw)
		tsh_strbuf_addc(out, ' ');
	tsh_strbuf_adds(out, tsh_out_task_style(sink->out, ev->common.pid));
	tsh_strbuf_add(out, task, len);
	tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_grow(out, SINK_LINE_ROOM);
	p = out->buf + out->len;
	if (sink->info.with_tgid)
		p = write_tgid(p, ev->tgid);
	p = write_cpu(sink->heads, p, (unsigned int)ev->rec->cpu);
	out->len = (size_t)(write_flags(sink, p, ev) - out->buf);
	tsh_strbuf_grow(out, SINK_LINE_ROOM);
}

/* Writes the usual beginning of a line at the end of `out`, which has SINK_LINE_ROOM. Returns
 * its end. */
static inline char *write_context(struct tsh_sink *sink, const struct sink_event *ev,
				  struct tsh_strbuf *out)
{
	const struct tsh_task_column *task = tsh_task_columns_find(sink->tasks, ev->common.pid);
	char *p = out->buf + out->len;

	if (__builtin_expect(!task || *task->text == '#', 0)) {
		add_context(sink, ev, out);
		return out->buf + out->len;
	}
	memcpy(p, task->text, SINK_TASK_COPY);
	if (task->len > SINK_TASK_COPY)
		memcpy(p + SINK_TASK_COPY, task->text + SINK_TASK_COPY, sizeof(task->text) - SINK_TASK_COPY);
	p = write_cpu(sink->heads, p + task->len, (unsigned int)ev->rec->cpu);
	return write_flags(sink, p, ev);
}

/* Adds " +-680ns". Keeps the text, because most clocks have the same error at each event. */
static void add_error(struct tsh_sink *sink, uint64_t error_ns, struct tsh_strbuf *out)
{
	uint64_t rounding = tsh_time_text_rounding(&sink->time);

	if (!sink->error_text.len || sink->error_ns != error_ns) {
		sink->error_ns = error_ns;
		tsh_strbuf_clear(&sink->error_text);
		tsh_strbuf_addc(&sink->error_text, ' ');
		tsh_format_bound(error_ns <= UINT64_MAX - rounding ? error_ns + rounding :
				 UINT64_MAX, &sink->error_text);
	}
	tsh_strbuf_add(out, sink->error_text.buf, sink->error_text.len);
}

/* Adds a mark before the time: ! for an event that came late, ? when the wall clock was set at
 * about that time. */
static void add_mark(struct tsh_sink *sink, char mark, struct tsh_strbuf *out)
{
	if (sink->out->format == TSH_FORMAT_KERNEL)
		return;
	if (sink->out->color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_MARK));
	tsh_strbuf_addc(out, mark);
	if (sink->out->color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
}

void sink_text_time(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->late)
		add_mark(sink, '!', out);
	if (ev->ambiguous && ev->has_wall && sink->time.style != TSH_TIME_TRACE)
		add_mark(sink, '?', out);
	tsh_time_text_set_task(&sink->time, ev->rec->cpu, ev->common.pid);
	tsh_time_text_add(&sink->time, out, sink->clock->kind, ev->rec->stamp, ev->has_wall,
			  ev->wall);
	if (sink->shows_error && ev->has_wall)
		add_error(sink, ev->error_ns, out);
}

static void add_name(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	bool color = sink->out->color;

	/* the text of a system call, or of the function tracer, contains its name */
	if (ev->format && ev->format->label_in_text)
		return;
	if (ev->format && !ev->format->label_varies && !color) {
		tsh_strbuf_add(out, ev->format->heading, ev->format->label_len + 2);
		return;
	}
	if (color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_EVENT));
	if (ev->format && ev->format->label_varies)
		sink_add_label(sink, ev, out);
	else if (ev->format)
		tsh_strbuf_add(out, ev->format->heading, ev->format->label_len);
	else
		sink_add_event_name(ev, out);	/* "unknown:1234" */
	if (color)
		tsh_strbuf_adds(out, tsh_out_style(sink->out, TSH_STYLE_NONE));
	tsh_strbuf_adds(out, ": ");
}

/* Says whether an event is a stack, with a line for each function. Newlines in other texts come
 * from tasks. */
static bool is_stack(const struct sink_event *ev)
{
	const struct tsh_event_format *format = ev->format;

	return format && format->label_in_text && !strcmp(format->system, "ftrace") &&
	       (!strcmp(format->name, "kernel_stack") || !strcmp(format->name, "user_stack"));
}

/* Escapes an event's text, which begins at `begin`. */
static void __attribute__((noinline))
clean_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out, size_t begin)
{
	struct tsh_strbuf *raw = &sink->scratch;

	if (out->len > begin && out->buf[out->len - 1] == '\n')
		tsh_strbuf_truncate(out, out->len - 1);
	if ((ev->format && ev->format->is_clean) || tsh_is_clean(out->buf + begin, out->len - begin))
		return;
	tsh_strbuf_clear(raw);
	tsh_strbuf_add(raw, out->buf + begin, out->len - begin);
	tsh_strbuf_truncate(out, begin);
	if (is_stack(ev))
		tsh_sanitize_lines(out, raw->buf, raw->len);
	else
		tsh_sanitize(out, raw->buf, raw->len);
}

void sink_text_body(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	size_t begin = out->len;

	if (sink->raw) {
		sink_add_text(sink, ev, out);
		if (!ev->format || !ev->format->newline_in_text)
			tsh_strbuf_addc(out, '\n');
		return;
	}
	if (!sink_add_text(sink, ev, out))
		clean_text(sink, ev, out, begin);
	tsh_strbuf_addc(out, '\n');
}

/* Adds a time of any kind. time: its text, if that is already made. */
static void __attribute__((noinline))
add_any_time(struct tsh_sink *sink, const struct sink_event *ev, const struct tsh_strbuf *time,
	     struct tsh_strbuf *out)
{
	if (sink->time.style == TSH_TIME_NONE)
		return;
	if (time)
		tsh_strbuf_add(out, time->buf, time->len);
	else
		sink_text_time(sink, ev, out);
	tsh_strbuf_add(out, ": ", 2);
	tsh_strbuf_grow(out, SINK_LINE_ROOM);
}

/* Adds everything before the event's name. Then leaves REPEAT_TEXT bytes free in `out`, for
 * repeats_add. */
static inline void add_head(struct tsh_sink *sink, const struct sink_event *ev,
			    const struct tsh_strbuf *time, struct tsh_strbuf *out)
{
	char *p;

	add_context(sink, ev, out);
	/* the usual case */
	if (sink->has_plain_times && !time && ev->has_wall && !(ev->late | ev->ambiguous)) {
		p = tsh_time_text_write(&sink->time, out->buf + out->len, ev->wall);
		memcpy(p, ": ", 2);
		out->len = (size_t)(p + 2 - out->buf);
		return;
	}
	add_any_time(sink, ev, time, out);
}

/*
 * Adds the lines that function_graph makes of an event, with our own time in the place of its
 * option funcgraph-abstime. Returns false when the event has an ordinary line; its time is then in
 * sink->cell.
 */
static bool __attribute__((noinline)) add_graph(struct tsh_sink *sink, const struct sink_event *ev,
						struct tsh_strbuf *out)
{
	struct tsh_strbuf *time = &sink->cell;
	unsigned int n;

	tsh_strbuf_clear(time);
	if (sink->time.style != TSH_TIME_NONE)
		sink_text_time(sink, ev, time);
	n = tsh_graph_print(sink->graph, ev->rec, ev->format, &ev->common,
			    tsh_decoder_comm(sink->decoder, ev->common.pid),
			    sink->out->format == TSH_FORMAT_KERNEL ? NULL : time->buf,
			    sink->consumer.ahead, out);
	/* counts a leaf's return, which has no line of its own */
	if (n > 1 && sink->info.is_read_once)
		tsh_out_add_event(sink->out);
	return n;
}

/* Adds the line of a new day before the event's. */
static void __attribute__((noinline))
add_day(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	if (ev->has_wall && tsh_time_text_new_day(&sink->time, ev->wall, out))
		tsh_strbuf_addc(out, '\n');
}

/* Adds the event's name and text. Stores both in `store` (may be NULL), to be copied when the
 * same bytes come again. */
static void __attribute__((noinline))
add_rest(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out,
	 struct repeat *store)
{
	size_t begin = out->len;

	add_name(sink, ev, out);
	sink_text_body(sink, ev, out);
	if (store)
		repeat_store(store, ev->common.id, ev->rec->data + TSH_COMMON_SIZE,
			     ev->rec->size - TSH_COMMON_SIZE, out->buf + begin, out->len - begin);
}

/* Adds the event's name and text, which are copied if the same bytes have come before. */
static inline void add_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	struct repeat *store = NULL;

	if (ev->format && ev->format->is_repeatable && repeats_are_tried(sink->repeats, ev->common.id) &&
	    repeats_add(sink->repeats, ev->common.id, ev->rec->data + TSH_COMMON_SIZE,
			ev->rec->size - TSH_COMMON_SIZE, out, &store))
		return;
	add_rest(sink, ev, out, store);
}

/* Adds the name and the text of an event at the end of `out`, which has SINK_LINE_ROOM. */
static inline void add_plain_text(struct tsh_sink *sink, const struct sink_event *ev, struct tsh_strbuf *out)
{
	const struct tsh_event_format *format = ev->format;
	enum program_text made;
	size_t begin;

	if (!format || format->label_varies || format->label_len + 2 > TSH_HEADING_COPY ||
	    (format->is_repeatable && repeats_are_tried(sink->repeats, ev->common.id))) {
		add_text(sink, ev, out);
		return;
	}
	if (!format->label_in_text) {
		memcpy(out->buf + out->len, format->heading, TSH_HEADING_COPY);
		out->len += format->label_len + 2;
	}
	begin = out->len;
	made = format->quick ? program_run(format->quick, ev->rec, out) : PROGRAM_NOTHING;
	/* the program has left room for more than a newline */
	if (__builtin_expect(made == PROGRAM_CLEAN, 1)) {
		out->buf[out->len++] = '\n';
		out->buf[out->len] = '\0';
		return;
	}
	if (made == PROGRAM_TEXT || !tsh_decoder_print(sink->decoder, format, ev->rec, out))
		clean_text(sink, ev, out, begin);
	tsh_strbuf_addc(out, '\n');
}

void sink_text_event(struct tsh_sink *sink, const struct sink_event *ev)
{
	struct tsh_strbuf *out = data(sink), *time = NULL;

	if (sink->time.style == TSH_TIME_SHORT &&
	    (!sink->columns.n || tsh_line_columns_has(&sink->columns, TSH_LINE_TIME)))
		add_day(sink, ev, out);
	if (sink->graph && ev->format) {
		if (add_graph(sink, ev, out))
			return;
		time = &sink->cell;
	}
	if (sink->columns.n) {
		sink_columns_event(sink, ev);
		return;
	}
	add_head(sink, ev, time, out);
	add_text(sink, ev, out);
}

void sink_text_choose(struct tsh_sink *sink)
{
	sink->is_plain = sink->out->format == TSH_FORMAT_TEXT && !sink->out->color && sink->has_plain_times &&
			 sink->time.style != TSH_TIME_SHORT && !sink->shows_error && !sink->info.with_tgid &&
			 !sink->graph && !sink->columns.n && !sink->rows;
}

bool sink_text_plain(struct tsh_sink *sink, const struct tsh_record *rec)
{
	struct tsh_strbuf *out = data(sink);
	struct sink_event ev;
	char *p;

	if (!tsh_clock_quick(sink->clock, rec->cpu, rec->stamp, &ev.wall))
		return false;
	ev.rec = rec;
	ev.format = tsh_decoder_begin_record(sink->decoder, rec, &ev.common, &ev.damaged);
	tsh_strbuf_grow(out, SINK_LINE_ROOM);
	p = write_context(sink, &ev, out);
	p = tsh_time_text_write(&sink->time, p, ev.wall);
	memcpy(p, ": ", 2);
	out->len = (size_t)(p + 2 - out->buf);
	add_plain_text(sink, &ev, out);
	return true;
}
