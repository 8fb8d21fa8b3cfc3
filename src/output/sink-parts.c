/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stdio.h>
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

static inline char *write_stamp(struct sink_parts *parts, char *p, uint64_t stamp)
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

static void __attribute__((noinline))
remember_cpu(struct tsh_sink *sink, const struct sink_event *ev, struct sink_cpu *cpu)
{
	char *p = sink->parts->words->write_error(sink, cpu->text, ev->error_ns);

	cpu->cpu = ev->rec->cpu;
	cpu->error_ns = ev->error_ns;
	cpu->len = (size_t)(digits_write_signed(p, ev->rec->cpu) - cpu->text);
}

static inline char *write_cpu(struct tsh_sink *sink, char *p, const struct sink_event *ev)
{
	struct sink_cpu *cpu = &sink->parts->cpus[(unsigned int)ev->rec->cpu % SINK_PART_CPUS];

	if (!cpu->len || cpu->cpu != ev->rec->cpu || cpu->error_ns != ev->error_ns)
		remember_cpu(sink, ev, cpu);
	memcpy(p, cpu->text, SINK_CPU_COPY);
	if (cpu->len > SINK_CPU_COPY)
		memcpy(p + SINK_CPU_COPY, cpu->text + SINK_CPU_COPY, SINK_CPU_COPY);
	return p + cpu->len;
}

/* Makes the part of a task. Does not keep it when the name may be known at the task's next event:
 * then its length is 0. Returns the true length. */
static size_t __attribute__((noinline)) remember_task(struct tsh_sink *sink, int pid, struct sink_task *task)
{
	int tgid = tsh_decoder_tgid(sink->decoder, pid);
	const char *comm = tsh_decoder_comm(sink->decoder, pid);
	struct tsh_strbuf *text = &sink->cell;

	task->version = *sink->names_version;
	if (task->len && task->pid == pid && task->tgid == tgid && !strcmp(task->comm, comm))
		return task->len;
	task->pid = pid;
	task->tgid = tgid;
	(void)snprintf(task->comm, sizeof(task->comm), "%s", comm);
	tsh_strbuf_clear(text);
	sink->parts->words->add_task(pid, tgid, task->comm, text);
	assert(text->len <= sizeof(task->text));
	memcpy(task->text, text->buf, text->len);
	task->len = strcmp(comm, TSH_COMM_UNKNOWN) ? text->len : 0;
	return text->len;
}

static inline char *write_task(struct tsh_sink *sink, char *p, int pid)
{
	struct sink_task *task = &sink->parts->tasks[(unsigned int)pid % SINK_TASKS];
	size_t len = task->len;

	if (!len || task->pid != pid || task->version != *sink->names_version)
		len = remember_task(sink, pid, task);
	memcpy(p, task->text, SINK_PART_TASK_COPY);
	if (len > SINK_PART_TASK_COPY)
		memcpy(p + SINK_PART_TASK_COPY, task->text + SINK_PART_TASK_COPY, sizeof(task->text) - SINK_PART_TASK_COPY);
	return p + len;
}

static void __attribute__((noinline))
remember_flags(struct tsh_sink *sink, const struct sink_event *ev, uint64_t key, struct sink_letters *letters)
{
	char *p = letters->text;

	letters->key = key;
	p = stpcpy(p, sink_flags(sink, ev));
	p = stpcpy(p, sink->parts->words->behind_flags);
	letters->len = (size_t)(p - letters->text);
}

static inline char *write_flags(struct tsh_sink *sink, char *p, const struct sink_event *ev)
{
	const struct tsh_common *common = &ev->common;
	struct sink_letters *letters = &sink->parts->letters[(common->flags ^ common->flags >> 4 ^
							      common->preempt * 3U) % SINK_LETTERS];
	uint64_t key = UINT64_C(1) << 32 | (uint64_t)common->migrate << 24 | (uint64_t)common->lazy << 16 |
		       (uint64_t)common->preempt << 8 | common->flags;

	if (letters->key != key)
		remember_flags(sink, ev, key, letters);
	memcpy(p, letters->text, sizeof(letters->text));
	return p + letters->len;
}

char *sink_write_parts(struct tsh_sink *sink, char *p, const struct sink_event *ev)
{
	p = write_stamp(sink->parts, p, ev->rec->stamp);
	p = write_cpu(sink, p, ev);
	p = write_task(sink, p, ev->common.pid);
	return write_flags(sink, p, ev);
}
