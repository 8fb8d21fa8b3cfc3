/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's small texts, live or from a recorded tree: each input goes to every
 * parser of one. Read as two texts, before and behind the first NUL: what was wanted
 * and what the file has now, the command and the error_log, the header and the events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "engine/show/layout.h"
#include "events/clock/clock.h"
#include "events/clock/moment.h"
#include "kernel/tracefs/errlog.h"
#include "kernel/tracefs/event.h"
#include "kernel/tracefs/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A path of each class of files. */
static const char *const paths[] = {
	"events/sched/sched_switch/enable", "events/sched/sched_switch/filter",
	"events/sched/sched_switch/trigger", "set_event", "set_event_pid", "set_ftrace_filter",
	"kprobe_events", "uprobe_events", "dynamic_events", "synthetic_events", "current_tracer",
	"trace_clock", "buffer_subbuf_size_kb", "buffer_size_kb", "per_cpu/cpu0/buffer_size_kb",
	"tracing_cpumask", "tracing_on", "trace_options", "options/sym-offset", "trace_marker",
	"set_graph_function", "trace",
};

static void classes(const char *wanted, const char *now)
{
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct tsh_file_class *cls = tsh_file_class(paths[i]);
		char *text = tsh_class_normalize(cls, now);

		tsh_class_equal(cls, wanted, now);
		/* What is there is what is there. */
		if (!tsh_class_equal(cls, now, now))
			abort();
		free(text);
	}
}

static void error_log(const char *command, const char *log)
{
	struct tsh_errlog_entry entry;

	if (tsh_errlog_parse(log, command, &entry) && !entry.message)
		abort();
	tsh_errlog_entry_release(&entry);
}

static void show(unsigned int bits, const char *text, size_t len)
{
	const struct tsh_show_options opt = {
		.context_info = true, .latency_format = bits & 1, .record_tgid = bits & 2,
		.irq_info = !(bits & 4), .funcgraph_abstime = true, .funcgraph_cpu = bits & 8,
		.funcgraph_proc = bits & 16,
	};
	struct tsh_show_reader rd = { .eof = true };
	struct tsh_show_item item;
	size_t header_len, total = 0, items = 0;
	const char *header;

	tsh_strbuf_add(&rd.buf, text, len);
	header_len = tsh_show_header(&rd, &header);
	tsh_show_layout_find(&opt, header, header_len, &rd.layout);
	if (!bits)
		rd.layout = (struct tsh_show_layout){ .kind = TSH_SHOW_GRAPH, .cpu = true,
						      .proc = true };
	while (tsh_show_next(&rd, &item)) {
		total += item.len;
		if (!item.len || ++items > len || item.comm + item.comm_len > item.len ||
		    item.body > item.len || item.time + item.time_len > item.len ||
		    item.flags + item.flags_len > item.len || item.head_len > item.len)
			abort();
	}
	if (total + header_len != len)
		abort();	/* bytes got lost */
	tsh_show_reader_release(&rd);
}

/* Written again it is the same. */
static void calibration(const char *text)
{
	struct tsh_strbuf once = TSH_STRBUF_INIT, twice = TSH_STRBUF_INIT;
	struct tsh_clock clock, again;
	uint64_t error;
	int64_t wall;

	tsh_clock_init(&clock, tsh_clock_kind("local"));
	tsh_clock_init(&again, tsh_clock_kind("local"));
	if (!tsh_clock_load(&clock, text)) {
		tsh_clock_wall(&clock, 0, 1000000, &wall, &error);
		tsh_clock_wall(&clock, 1, UINT64_MAX, &wall, &error);
		tsh_clock_stamp(&clock, 0, 1704235653000000000, &error, &error);
		tsh_clock_save(&clock, &once);
		if (tsh_clock_load(&again, once.buf))
			abort();
		tsh_clock_save(&again, &twice);
		if (strcmp(once.buf, twice.buf))
			abort();
	}
	tsh_clock_release(&clock);
	tsh_clock_release(&again);
	tsh_strbuf_release(&once);
	tsh_strbuf_release(&twice);
}

/* Of a board, and of the machine at home, which is one of the two. */
static void samples(const char *first, const char *text)
{
	static const char *const names[] = { "boot", "local", "x86-tsc", "uptime", "mono_raw" };
	struct tsh_clock clock;
	uint64_t error;
	int64_t wall;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tsh_clock_init(&clock, tsh_clock_kind(names[i]));
		if (!tsh_clock_load_samples(&clock, text, *first ? first : NULL, 0)) {
			tsh_clock_wall(&clock, 0, 1000000, &wall, &error);
			tsh_clock_wall(&clock, -1, UINT64_MAX, &wall, &error);
		}
		tsh_clock_release(&clock);
	}
}

static void mask(const char *text)
{
	struct tsh_cpuset set = { 0 };

	tsh_cpuset_parse_mask(text, &set);
	tsh_cpuset_release(&set);
}

static void sanitizer(const char *text, size_t len)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;
	size_t i;

	tsh_sanitize(&clean, text, len);
	for (i = 0; i < clean.len; i++)
		if ((unsigned char)clean.buf[i] < ' ' || clean.buf[i] == 0x7f)
			abort();
	tsh_utf8_width(text, len);
	tsh_strbuf_release(&clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t first_len = nul ? (size_t)(nul - data) : 0;
	size_t rest_len = nul ? size - first_len - 1 : size;
	const uint8_t *rest = nul ? nul + 1 : data;
	/* Of their own, so that a byte too far is seen. */
	char *first = tsh_xstrndup((const char *)data, first_len);
	char *text = tsh_xstrndup((const char *)rest, rest_len);

	if (size < 16384) {
		classes(first, text);
		error_log(first, text);
		show((unsigned int)first_len % 32, (const char *)rest, rest_len);
		calibration(text);
		samples(first, text);
		mask(text);
		sanitizer((const char *)rest, rest_len);
	}
	free(first);
	free(text);
	return 0;
}
