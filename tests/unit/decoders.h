/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_DECODERS_H
#define TESTS_UNIT_DECODERS_H

#include "fixtures.h"
#include "events/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tsh_page_layout little = { 8, 16, 4096, false };
static const struct tsh_page_layout big = { 8, 16, 4096, true };

/* ---- a provider of the format files in tests/unit/formats ---- */

struct world {
	struct tsh_provider provider;
	const char *cmdlines;
	const char *printk;
	const char *override_text;	/* format of id 1000, system "sched" */
	int asked_format, asked_cmdlines, asked_comm, asked_tgid;
};

static const struct {
	unsigned int id;
	const char *system, *name;
} fixtures[] = {
	{ 372, "sched", "sched_switch" }, { 365, "sched", "sched_process_exec" },
	{ 204, "task", "task_rename" }, { 782, "syscalls", "sys_enter_openat" },
	{ 781, "syscalls", "sys_exit_openat" }, { 2303, "net", "netif_receive_skb" },
	{ 5, "ftrace", "print" }, { 4, "ftrace", "kernel_stack" }, { 19, "ftrace", "raw_data" },
	{ 6, "ftrace", "bprint" }, { 431, "dma", "dma_map_sg" }, { 424, "rcu", "rcu_utilization" },
	{ 658, "kmem", "kmalloc" }, { 353, "ipi", "ipi_send_cpumask" },
};

enum { SWITCH = 372, EXEC = 365, RENAME = 204, ENTER = 782, LEAVE = 781, SKB = 2303, PRINT = 5,
       STACK = 4, RAW = 19, BPRINT = 6, MAP_SG = 431, RCU = 424 };

static inline char *dup_text(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	assert_true(!text || copy);
	return copy;
}

static inline int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct world *w = ctx;
	size_t i;

	w->asked_format++;
	if (id == 1000 && w->override_text) {
		*ret_system = dup_text("sched");
		*ret_text = dup_text(w->override_text);
		return 0;
	}
	for (i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		if (fixtures[i].id != id)
			continue;
		*ret_system = dup_text(fixtures[i].system);
		*ret_text = read_fixture(fixtures[i].name);
		return 0;
	}
	return -ENOENT;
}

static inline char *provide_cmdlines(void *ctx)
{
	struct world *w = ctx;

	w->asked_cmdlines++;
	return dup_text(w->cmdlines);
}

static inline bool provide_comm(void *ctx, int pid, char comm[16])
{
	struct world *w = ctx;

	w->asked_comm++;
	if (pid < 500 || pid >= 600)
		return false;
	/* writes 16 letters and no NUL, as the kernel may do */
	memcpy(comm, "proc-of-the-task", 16);
	return true;
}

static inline int provide_tgid(void *ctx, int pid)
{
	struct world *w = ctx;

	w->asked_tgid++;
	return pid >= 500 && pid < 600 ? 500 : -1;
}

static inline char *provide_printk(void *ctx)
{
	return dup_text(((struct world *)ctx)->printk);
}

static inline struct tsh_decoder *make(struct world *w, const struct tsh_page_layout *layout)
{
	memset(w, 0, sizeof(*w));
	w->provider = (struct tsh_provider){
		.format = provide_format, .cmdlines = provide_cmdlines, .comm = provide_comm,
		.tgid = provide_tgid, .printk_formats = provide_printk, .ctx = w,
	};
	return tsh_decoder_new(&w->provider, layout);
}

/* ---- records made by hand ---- */

struct made {
	const struct tsh_page_layout *layout;
	unsigned char bytes[512];
	struct tsh_record rec;
};

static inline void put(struct made *m, uint32_t at, uint64_t value, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		m->bytes[at + (m->layout->big_endian ? size - 1 - i : i)] =
			(unsigned char)(value >> (8 * i));
	if (m->rec.size < at + size)
		m->rec.size = at + size;
}

static inline void put_text(struct made *m, uint32_t at, const char *text, uint32_t size)
{
	memset(m->bytes + at, 0, size);
	memcpy(m->bytes + at, text, strlen(text) < size ? strlen(text) : size);
	if (m->rec.size < at + size)
		m->rec.size = at + size;
}

static inline void start(struct made *m, const struct tsh_page_layout *layout, unsigned int id,
			 int pid)
{
	memset(m, 0, sizeof(*m));
	m->layout = layout;
	m->rec.data = m->bytes;
	put(m, 0, id, 2);
	put(m, 2, 1, 1);
	put(m, 3, 2, 1);
	put(m, 4, (uint32_t)pid, 4);
}

static inline void make_switch(struct made *m, const struct tsh_page_layout *layout,
			       const char *prev, int prev_pid, const char *next, int next_pid)
{
	start(m, layout, SWITCH, prev_pid);
	put_text(m, 8, prev, 16);
	put(m, 24, (uint32_t)prev_pid, 4);
	put(m, 28, 120, 4);
	put(m, 32, 2, 8);
	put_text(m, 40, next, 16);
	put(m, 56, (uint32_t)next_pid, 4);
	put(m, 60, 98, 4);
}

/* Returns the text of a record. Decodes a copy in a block of its own, at an address that is no
 * multiple of 8. */
static inline const char *text_of(struct tsh_decoder *d, const struct made *m)
{
	static char ret[2048];
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_record rec = m->rec;
	struct tsh_common common;
	const struct tsh_event_format *format;
	unsigned char *copy = malloc(rec.size + 4);

	assert_non_null(copy);
	memcpy(copy + 4, m->bytes, rec.size);
	rec.data = copy + 4;
	assert_true(tsh_decoder_common(d, &rec, &common));
	format = tsh_decoder_format(d, common.id);
	assert_non_null(format);
	tsh_decoder_learn(d, format, &rec);
	tsh_strbuf_adds(&out, "|");
	tsh_decoder_print(d, format, &rec, &out);
	if (format->newline_in_text && out.buf[out.len - 1] == '\n')
		tsh_strbuf_truncate(&out, out.len - 1);
	assert_true(out.len < sizeof(ret));
	assert_int_equal(out.buf[0], '|');
	memcpy(ret, out.buf + 1, out.len);
	tsh_strbuf_release(&out);
	free(copy);
	return ret;
}

#endif
