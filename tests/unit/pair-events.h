/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_PAIR_EVENTS_H
#define TESTS_UNIT_PAIR_EVENTS_H

#include "events/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

/* Makes two events that form pairs, and records of them: sched:waking has the task that is woken,
 * sched:switch the task that runs next. */

enum { WAKING = 10, SWITCH = 11 };

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const struct tsh_page_layout page_layout = { 8, 16, 4096, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline int provide_pair_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	if (id != WAKING && id != SWITCH)
		return -ENOENT;
	*ret_system = strdup("sched");
	*ret_text = strdup(id == WAKING ?
		"name: waking\nID: 10\nformat:\n" COMMON
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:int pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 prio;\toffset:28;\tsize:1;\tsigned:0;\n"
		"\nprint fmt: \"pid=%d\", REC->pid\n" :
		"name: switch\nID: 11\nformat:\n" COMMON
		"\tfield:char next_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:int next_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 next_prio;\toffset:28;\tsize:1;\tsigned:0;\n"
		"\nprint fmt: \"next_pid=%d\", REC->next_pid\n");
	return 0;
}

static inline char *provide_no_text(void *ctx)
{
	(void)ctx;
	return NULL;
}

static inline bool provide_no_comm(void *ctx, int pid, char comm[16])
{
	(void)ctx;
	(void)pid;
	(void)comm;
	return false;
}

static inline int provide_no_tgid(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	return -1;
}

static inline struct tsh_decoder *make_decoder(void)
{
	static const struct tsh_provider provider = {
		.format = provide_pair_format, .cmdlines = provide_no_text, .comm = provide_no_comm,
		.tgid = provide_no_tgid, .printk_formats = provide_no_text,
	};

	return tsh_decoder_new(&provider, &page_layout);
}

struct pair_event {
	uint16_t type;
	uint8_t flags, preempt;
	int32_t common_pid;
	char comm[16];
	int32_t pid;
	uint8_t prio;
};

/* Makes an event of task 1, about `pid`. The record's bytes are in *data. */
static inline struct tsh_record make_event(struct pair_event *data, unsigned int id, uint64_t stamp, int cpu, int pid,
					   const char *comm, unsigned int prio)
{
	*data = (struct pair_event){ .type = (uint16_t)id, .common_pid = 1, .pid = pid, .prio = (uint8_t)prio };
	memcpy(data->comm, comm, strlen(comm));
	return (struct tsh_record){ .data = (const unsigned char *)data, .size = sizeof(*data), .stamp = stamp,
				    .cpu = cpu };
}

#endif
