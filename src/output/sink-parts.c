/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/xmalloc.h"
#include "events/symbols/digits.h"
#include "sink-formats.h"

/* Writes parts of a line of JSON or CSV. Those that come again are made once, and then copied. */

struct sink_parts *sink_parts_new(enum tsh_format format)
{
	struct sink_parts *parts = tsh_xcalloc(1, sizeof(*parts));

	parts->words = format == TSH_FORMAT_JSON ? &sink_json_words : &sink_csv_words;
	return parts;
}

char *sink_write_stamp(struct sink_parts *parts, char *p, uint64_t stamp)
{
	uint64_t rest = stamp - parts->stamp;

	if (rest >= DIGITS_E8 || !parts->stamp_len) {
		if (stamp < DIGITS_E8)
			return digits_write_unsigned(p, stamp);
		rest = stamp % DIGITS_E8;
		parts->stamp = stamp - rest;
		parts->stamp_len = (size_t)(digits_write_unsigned(parts->stamp_text, stamp / DIGITS_E8) -
					    parts->stamp_text);
	}
	memcpy(p, parts->stamp_text, SINK_STAMP_COPY);
	return digits_write_eight(p + parts->stamp_len, (uint32_t)rest);
}

char *sink_write_error(struct tsh_sink *sink, char *p, uint64_t error_ns)
{
	struct sink_parts *parts = sink->parts;

	if (!parts->error_len || parts->error_ns != error_ns) {
		tsh_strbuf_clear(&sink->cell);
		parts->words->add_error(sink, error_ns, &sink->cell);
		parts->error_ns = error_ns;
		parts->error_len = sink->cell.len;
		memcpy(parts->error, sink->cell.buf, sink->cell.len);
	}
	memcpy(p, parts->error, SINK_ERROR_ROOM);
	return p + parts->error_len;
}

/* Makes the part of a task. Returns false when it is not to be kept: it is too long, or the task's
 * name may be known at its next event. */
static bool __attribute__((noinline))
remember_task(struct tsh_sink *sink, int pid, struct sink_task *task, struct tsh_strbuf *text)
{
	int tgid = tsh_decoder_tgid(sink->decoder, pid);
	const char *comm = tsh_decoder_comm(sink->decoder, pid);

	tsh_strbuf_clear(text);
	sink->parts->words->add_task(pid, tgid, comm, text);
	task->len = 0;
	if (text->len > sizeof(task->text) || !strcmp(comm, TSH_COMM_UNKNOWN))
		return false;
	task->pid = pid;
	task->version = *sink->names_version;
	task->len = text->len;
	memcpy(task->text, text->buf, text->len);
	return true;
}

char *sink_write_task(struct tsh_sink *sink, char *p, int pid)
{
	struct sink_task *task = &sink->parts->tasks[(unsigned int)pid % SINK_TASKS];

	if ((task->pid != pid || task->version != *sink->names_version || !task->len) &&
	    !remember_task(sink, pid, task, &sink->cell)) {
		memcpy(p, sink->cell.buf, sink->cell.len);
		return p + sink->cell.len;
	}
	memcpy(p, task->text, SINK_TASK_COPY);
	if (task->len > SINK_TASK_COPY)
		memcpy(p + SINK_TASK_COPY, task->text + SINK_TASK_COPY, task->len - SINK_TASK_COPY);
	return p + task->len;
}

char *sink_write_flags(struct tsh_sink *sink, char *p, const struct sink_event *ev)
{
	const struct tsh_common *common = &ev->common;
	struct sink_letters *letters = &sink->parts->letters[(common->flags ^ common->flags >> 4 ^
							      common->preempt * 3U) % SINK_LETTERS];
	uint64_t key = UINT64_C(1) << 32 | (uint64_t)common->migrate << 24 | (uint64_t)common->lazy << 16 |
		       (uint64_t)common->preempt << 8 | common->flags;

	if (letters->key != key) {
		tsh_strbuf_clear(&sink->cell);
		sink->parts->words->add_flags(sink_flags(sink, ev), &sink->cell);
		letters->key = key;
		letters->len = sink->cell.len;
		memcpy(letters->text, sink->cell.buf, sink->cell.len);
	}
	memcpy(p, letters->text, sizeof(letters->text));
	return p + letters->len;
}
