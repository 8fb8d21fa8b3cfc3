/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_SINKS_H
#define TESTS_UNIT_SINKS_H

#include "output/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- an event with a field of every kind ---- */

#define ID_ALL 100
#define ID_UNKNOWN 4321

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char all_format[] =
	"name: all\nID: 100\nformat:\n" COMMON
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 bits;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 big;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:void * ptr;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:char name[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:u8 mac[6];\toffset:48;\tsize:6;\tsigned:0;\n"
	"\tfield:__data_loc char[] text;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"i=%d bits=%u big=%llu name=%s text=%s\", "
	"REC->i, REC->bits, REC->big, REC->name, __get_str(text)\n";

#define ID_PRINT 5
#define ID_STACK 4

static const char print_format[] =
	"name: print\nID: 5\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

static const char stack_format[] =
	"name: kernel_stack\nID: 4\nformat:\n" COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
	"\nprint fmt: \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], "
	"(void *)REC->caller[1]\n";

struct record {
	uint16_t type;
	uint8_t flags;
	uint8_t preempt;
	int32_t pid;
	int32_t i;
	uint32_t bits;
	uint64_t big;
	uint64_t ptr;
	char name[16];
	uint8_t mac[6];
	uint8_t fill[2];
	uint32_t text_at;
	char text[32];
};

static inline struct record a_record(int pid, const char *name, const char *text)
{
	struct record r = {
		.type = ID_ALL, .flags = 1, .preempt = 2, .pid = pid,
		.i = -5, .bits = 7, .big = (UINT64_C(1) << 53) + 1, .ptr = 0xffff888000000000,
		.mac = { 1, 2, 3, 4, 5, 255 },
	};

	memcpy(r.name, name, strlen(name));
	memcpy(r.text, text, strlen(text));
	r.text_at = offsetof(struct record, text) | (uint32_t)(strlen(text) + 1) << 16;
	return r;
}

static inline int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	*ret_system = strdup(id == ID_ALL ? "test" : "ftrace");
	if (id == ID_ALL)
		*ret_text = strdup(all_format);
	else if (id == ID_PRINT)
		*ret_text = strdup(print_format);
	else if (id == ID_STACK)
		*ret_text = strdup(stack_format);
	else
		free(*ret_system);
	return id == ID_ALL || id == ID_PRINT || id == ID_STACK ? 0 : -ENOENT;
}

static inline char *provide_cmdlines(void *ctx)
{
	(void)ctx;
	return strdup("42 worker\n");
}

static inline bool provide_comm(void *ctx, int pid, char comm[16])
{
	static const struct {
		int pid;
		const char *comm;
	} tasks[] = {
		{ 1, "x-1 [000] d...:" },
		{ 2, "\033[2Jgone" },
		{ 3, "two\nlines\t" },
		{ 4, "bad\xff\xc3(utf8" },
		{ 5, "=cmd|' /C calc" },
		{ 6, "\xe2\x80\xae" "evil,\"q\"" },
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		if (tasks[i].pid != pid)
			continue;
		memset(comm, 0, 16);
		memcpy(comm, tasks[i].comm, strlen(tasks[i].comm));
		return true;
	}
	return false;
}

static inline int provide_tgid(void *ctx, int pid)
{
	(void)ctx;
	return pid == 42 ? 40 : -1;
}

static inline char *provide_nothing(void *ctx)
{
	(void)ctx;
	return NULL;
}

static const struct tsh_provider provider = {
	.format = provide_format,
	.cmdlines = provide_cmdlines,
	.comm = provide_comm,
	.tgid = provide_tgid,
	.printk_formats = provide_nothing,
};

/* ---- a sink into memory ---- */

/* Equals 2024-01-02 14:47:33.843825123 UTC. */
#define WALL INT64_C(1704206853843825123)
#define STAMP UINT64_C(6736852843825123)

struct fixture {
	struct tsh_out out;
	struct tsh_decoder *decoder;
	struct tsh_clock clock;
	struct tsh_stream_info info;
	struct tsh_sink sink;
	char *noted;
};

static inline void take_note(void *ctx, const char *text)
{
	struct fixture *f = ctx;

	free(f->noted);
	f->noted = strdup(text);
}

static inline void begin(struct fixture *f, enum tsh_format format, enum tsh_time_style style,
			 bool ns, const char *clock)
{
	static const struct tsh_page_layout layout = {
		.long_size = sizeof(long), .data_offset = 16, .page_size = 4096,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	/* makes an error of 180 ns each way, of which 1 ns is the width of a stamp */
	const struct tsh_clock_wall_sample wall = {
		.before = WALL - 179, .after = WALL + 179, .base = STAMP,
	};
	const struct tsh_clock_sample line = {
		.before = STAMP, .after = STAMP, .stamp = STAMP, .cpu = -1,
	};

	memset(f, 0, sizeof(*f));
	setenv("TZ", "<+08>-8", 1);
	tzset();
	tsh_out_init(&f->out, -1, format);
	f->out.note = take_note;
	f->out.note_ctx = f;
	f->decoder = tsh_decoder_new(&provider, &layout);
	tsh_clock_init(&f->clock, tsh_clock_kind(clock));
	tsh_clock_add_wall(&f->clock, &wall);
	tsh_clock_add(&f->clock, &line);
	f->info = (struct tsh_stream_info){
		.instance = "top", .host = "box", .boot_id = "b-1", .kernel = "6.18.44",
		.with_migrate = true,
	};
	tsh_sink_init(&f->sink, &f->out, f->decoder, &f->clock, &f->info, style, ns);
}

static inline void put(struct fixture *f, const struct record *r, uint64_t stamp, bool late)
{
	const struct tsh_record rec = {
		.stamp = stamp, .cpu = 9, .size = sizeof(*r), .data = (const void *)r,
	};

	tsh_sink_event(&f->sink, &rec, late);
}

static inline void expect(struct fixture *f, const char *expected)
{
	assert_string_equal(f->out.data.buf, expected);
	tsh_strbuf_clear(&f->out.data);
}

static inline void finish(struct fixture *f)
{
	tsh_sink_release(&f->sink);
	tsh_decoder_free(f->decoder);
	tsh_clock_release(&f->clock);
	tsh_out_release(&f->out);
	free(f->noted);
}

/* Repeats the text of the event for the name "n" and the text "t". */
#define TEXT "i=-5 bits=7 big=9007199254740993 name=n text=t\n"

#endif
