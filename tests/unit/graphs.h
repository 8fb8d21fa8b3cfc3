/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_GRAPHS_H
#define TESTS_UNIT_GRAPHS_H

#include "output/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- a kernel made by the test ---- */

enum { PRINT = 5, EXIT = 10, ENTRY = 11, BPRINT = 6, FUNCTION = 1, STACK = 4, RETADDR = 12,
       WAKEUP = 300 };

/* Are addresses from the kallsyms below. */
#define OUTER	UINT64_C(0xffffffff81001000)
#define INNER	UINT64_C(0xffffffff81002000)
#define DEEP	UINT64_C(0xffffffff81003000)
#define TIMER	UINT64_C(0xffffffff81004100)
#define IGET	UINT64_C(0xffffffffc0001000)

static const char symbols[] =
	"ffffffff81001000 T outer\nffffffff81002000 T inner\nffffffff81003000 t deep\n"
	"ffffffff81004000 T __irqentry_text_start\nffffffff81004100 T timer_interrupt\n"
	"ffffffff81005000 T __irqentry_text_end\nffffffff81006000 T after\n"
	"ffffffffc0001000 t ext4_iget\t[ext4]\nffffffffc0002000 t ext4_end\t[ext4]\n";

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, name, offset, size, is_signed) \
	"\tfield:" type " " name ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"
#define EVENT(name, id, fields) \
	"name: " name "\nID: " #id "\nformat:\n" COMMON fields "\nprint fmt: \"\"\n"

struct event {
	unsigned int id;
	const char *system, *text;
};

#define OTHER_EVENTS \
	{ PRINT, "ftrace", EVENT("print", 5, FIELD("unsigned long", "ip", 8, 8, 0) \
				 FIELD("char", "buf[]", 16, 0, 0)) }, \
	{ FUNCTION, "ftrace", EVENT("function", 1, FIELD("unsigned long", "ip", 8, 8, 0) \
				    FIELD("unsigned long", "parent_ip", 16, 8, 0)) }, \
	{ STACK, "ftrace", EVENT("kernel_stack", 4, FIELD("int", "size", 8, 4, 1) \
				 FIELD("unsigned long", "caller[8]", 16, 64, 0)) }, \
	{ WAKEUP, "sched", "name: wakeup\nID: 300\nformat:\n" COMMON \
	  FIELD("int", "cpu", 8, 4, 1) "\nprint fmt: \"cpu=%d\", REC->cpu\n" }

/* Has the events of kernels before 6.5. */
static const struct event old_kernel[] = {
	{ ENTRY, "ftrace", EVENT("funcgraph_entry", 11, FIELD("unsigned long", "func", 8, 8, 0)
				 FIELD("int", "depth", 16, 4, 1)) },
	{ EXIT, "ftrace", EVENT("funcgraph_exit", 10, FIELD("unsigned long", "func", 8, 8, 0)
				FIELD("int", "depth", 16, 4, 1)
				FIELD("unsigned int", "overrun", 20, 4, 0)
				FIELD("unsigned long long", "calltime", 24, 8, 0)
				FIELD("unsigned long long", "rettime", 32, 8, 0)) },
	OTHER_EVENTS, { 0 }
};

#define EXIT_RETVAL(type, is_signed) \
	{ EXIT, "ftrace", EVENT("funcgraph_exit", 10, FIELD("unsigned long", "func", 8, 8, 0) \
				FIELD(type, "depth", 16, 4, is_signed) \
				FIELD("unsigned int", "overrun", 20, 4, 0) \
				FIELD("unsigned long long", "calltime", 24, 8, 0) \
				FIELD("unsigned long long", "rettime", 32, 8, 0) \
				FIELD("unsigned long", "retval", 40, 8, 0)) }

/* Has the events of kernels from 6.5 on. */
static const struct event retval_kernel[] = {
	{ ENTRY, "ftrace", EVENT("funcgraph_entry", 11, FIELD("unsigned long", "func", 8, 8, 0)
				 FIELD("int", "depth", 16, 4, 1)) },
	EXIT_RETVAL("int", 1), OTHER_EVENTS, { 0 }
};

/* Has the events of kernels from 6.16 on, with return addresses. */
static const struct event new_kernel[] = {
	{ ENTRY, "ftrace", EVENT("funcgraph_entry", 11, FIELD("unsigned long", "func", 8, 8, 0)
				 FIELD("unsigned int", "depth", 16, 4, 0)
				 FIELD("unsigned long", "args[]", 24, 0, 0)) },
	{ RETADDR, "ftrace", EVENT("fgraph_retaddr_entry", 12,
				   FIELD("unsigned long", "func", 8, 8, 0)
				   FIELD("unsigned int", "depth", 16, 4, 0)
				   FIELD("unsigned long", "retaddr", 20, 8, 0)) },
	EXIT_RETVAL("unsigned int", 0), OTHER_EVENTS, { 0 }
};

/* ---- a graph with its records, in order of time, options and output ---- */

#define MAX_RECORDS 32

struct world {
	struct tsh_provider provider;
	struct tsh_page_layout layout;
	const struct event *events;
	/* Names the kernel's options, "funcgraph-tail nofuncgraph-cpu"; others do not exist. */
	const char *options;
	uint64_t ncpus;
	struct tsh_decoder *decoder;
	struct tsh_graph *graph;
	struct tsh_record rec[MAX_RECORDS];
	unsigned char data[MAX_RECORDS][128];
	size_t n, next;
	bool skipped;
	struct tsh_ahead ahead;
	struct tsh_strbuf out;
};

static inline int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	const struct event *event = ((struct world *)ctx)->events;

	for (; event->system && event->id != id; event++)
		;
	if (!event->system)
		return -ENOENT;
	*ret_system = strdup(event->system);
	*ret_text = strdup(event->text);
	return 0;
}

static inline bool provide_comm(void *ctx, int pid, char comm[16])
{
	(void)ctx;
	if (pid == 7)
		memcpy(comm, "bash", 5);
	else if (pid == 123456)
		memcpy(comm, "kworker/u8:0-fl", 16);
	else if (pid == 9)
		memcpy(comm, "a\033[1m\n", 7);
	else
		return false;
	return true;
}

static inline char *provide_cmdlines(void *ctx)
{
	(void)ctx;
	return NULL;
}

static inline int provide_tgid(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	return -1;
}

static inline char *provide_printk(void *ctx)
{
	(void)ctx;
	return NULL;
}

static inline int provide_kallsyms(void *ctx)
{
	int fd = memfd_create("kallsyms", 0);

	(void)ctx;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, symbols, sizeof(symbols) - 1), sizeof(symbols) - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline bool provide_variable(void *ctx, const char *name, uint64_t *ret)
{
	*ret = ((struct world *)ctx)->ncpus;
	return !strcmp(name, "nr_cpu_ids") && *ret;
}

static inline int provide_option(void *ctx, const char *name)
{
	const char *all = ((struct world *)ctx)->options, *found = all;
	size_t len = strlen(name);

	for (; (found = strstr(found, name)); found += len) {
		char before = found == all ? ' ' : found[-1];

		if (found[len] && found[len] != ' ')
			continue;
		if (before == ' ')
			return 1;
		if (before == 'o' && found >= all + 2 && found[-2] == 'n')
			return 0;
	}
	return -1;
}

static inline bool peek(void *ctx, int cpu, struct tsh_record *ret)
{
	struct world *w = ctx;
	size_t i;

	for (i = w->next; i < w->n; i++) {
		if (w->rec[i].cpu != cpu)
			continue;
		*ret = w->rec[i];
		return true;
	}
	return false;
}

static inline void take_out(void *ctx, int cpu)
{
	struct world *w = ctx;
	size_t i;

	for (i = w->next; i < w->n && w->rec[i].cpu != cpu; i++)
		;
	assert_true(i < w->n);
	memmove(&w->rec[i], &w->rec[i + 1], (w->n - i - 1) * sizeof(w->rec[0]));
	w->n--;
	w->skipped = true;
}

static inline void begin(struct world *w, const struct event *events, const char *options)
{
	memset(w, 0, sizeof(*w));
	w->layout = (struct tsh_page_layout){
		.long_size = 8, .data_offset = 16, .page_size = 4096,
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	w->events = events;
	w->options = options;
	w->provider = (struct tsh_provider){
		.format = provide_format, .cmdlines = provide_cmdlines, .comm = provide_comm,
		.tgid = provide_tgid, .printk_formats = provide_printk,
		.kallsyms = provide_kallsyms, .variable = provide_variable,
		.option = provide_option, .ctx = w,
	};
	w->ahead = (struct tsh_ahead){ peek, take_out, w };
	w->decoder = tsh_decoder_new(&w->provider, &w->layout);
	w->graph = tsh_graph_new(w->decoder, &w->provider);
	tsh_strbuf_init(&w->out);
}

static inline void end(struct world *w)
{
	tsh_graph_free(w->graph);
	tsh_decoder_free(w->decoder);
	tsh_strbuf_release(&w->out);
}

static inline struct tsh_record *add(struct world *w, int cpu, int pid, uint16_t id, uint32_t size)
{
	struct tsh_record *rec = &w->rec[w->n];
	unsigned char *data = w->data[w->n++];

	assert_true(w->n <= MAX_RECORDS);
	memset(data, 0, sizeof(w->data[0]));
	memcpy(data, &id, 2);
	data[2] = 1;	/* interrupts are off */
	memcpy(data + 4, &pid, 4);
	*rec = (struct tsh_record){ .stamp = 12345678999 + 1000 * w->n, .cpu = cpu, .size = size,
				    .data = data };
	return rec;
}

static inline unsigned char *last(struct world *w)
{
	return w->data[w->n - 1];
}

static inline void entry(struct world *w, int cpu, int pid, uint64_t func, int depth)
{
	add(w, cpu, pid, ENTRY, 24);
	memcpy(last(w) + 8, &func, 8);
	memcpy(last(w) + 16, &depth, 4);
}

static inline void leave(struct world *w, int cpu, int pid, uint64_t func, int depth, uint64_t ns)
{
	uint64_t called = 1000000, returned = called + ns;
	unsigned int overrun = 3;

	add(w, cpu, pid, EXIT, 48);
	memcpy(last(w) + 8, &func, 8);
	memcpy(last(w) + 16, &depth, 4);
	memcpy(last(w) + 20, &overrun, 4);
	memcpy(last(w) + 24, &called, 8);
	memcpy(last(w) + 32, &returned, 8);
}

static inline void leaf(struct world *w, uint64_t func, int depth, uint64_t ns)
{
	entry(w, 1, 7, func, depth);
	leave(w, 1, 7, func, depth, ns);
}

static inline void set_retval(struct world *w, uint64_t value)
{
	memcpy(last(w) + 40, &value, 8);
}

static inline void other(struct world *w, int cpu, int pid, uint16_t id, const char *text)
{
	add(w, cpu, pid, id, 16 + (uint32_t)strlen(text) + 1);
	memcpy(last(w) + 16, text, strlen(text) + 1);
}

/* Prints the records that were added since the last call. */
static inline void print(struct world *w, const char *time_text, bool with_ahead)
{
	struct tsh_record rec;
	struct tsh_common common;
	const struct tsh_event_format *format;

	while (w->next < w->n) {
		rec = w->rec[w->next++];
		assert_true(tsh_decoder_common(w->decoder, &rec, &common));
		format = tsh_decoder_format(w->decoder, common.id);
		assert_non_null(format);
		if (!tsh_graph_print(w->graph, &rec, format, &common,
				     tsh_decoder_comm(w->decoder, common.pid), time_text,
				     with_ahead ? &w->ahead : NULL, &w->out))
			tsh_strbuf_adds(&w->out, "(ordinary)\n");
	}
}

static inline void expect(struct world *w, const char *text)
{
	print(w, NULL, true);
	assert_string_equal(w->out.buf, text);
	tsh_strbuf_clear(&w->out);
}

#define RULE " ------------------------------------------\n"

#endif
