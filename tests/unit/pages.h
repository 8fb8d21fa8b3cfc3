/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_PAGES_H
#define TESTS_UNIT_PAGES_H

#include "events/source/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Makes recordings of raw pages in a temporary directory. The files of a "live" one grow while the
 * stream runs: read(2) at the end of a file returns 0, as the kernel does when all events are read.
 */

#define PAGE 4096
#define HEAD 16
#define MAX_CPUS 3

struct tree {
	char path[64];
	struct tsh_dir *dir;
	struct tsh_instance *in;
};

static inline void make_folder(const struct tree *t, const char *name)
{
	char *path = tsh_xasprintf("%s/%s", t->path, name);

	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
}

static inline void put_file(const struct tree *t, const char *name, int flags, const void *data,
			    size_t len)
{
	char *path = tsh_xasprintf("%s/%s", t->path, name);
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
	free(path);
}

static inline void put_text(const struct tree *t, const char *name, const char *text)
{
	put_file(t, name, O_TRUNC, text, strlen(text));
}

static inline void set_stats(const struct tree *t, unsigned int cpu, unsigned int dropped)
{
	char *name = tsh_xasprintf("per_cpu/cpu%u/stats", cpu);
	char *text = tsh_xasprintf("entries: 0\noverrun: 5\ncommit overrun: 1\nbytes: 0\n"
				   "oldest event ts:     0.000000\nnow ts:   120.000007\n"
				   "dropped events: %u\nread events: 0\n", dropped);

	put_text(t, name, text);
	free(name);
	free(text);
}

static inline void tree_open(struct tree *t, bool live, unsigned int ncpus)
{
	struct tsh_err err = { 0 };
	unsigned int cpu;

	memset(t, 0, sizeof(*t));
	snprintf(t->path, sizeof(t->path), "/tmp/tracesh-merge.XXXXXX");
	assert_non_null(mkdtemp(t->path));
	make_folder(t, "events");
	put_text(t, "events/header_page",
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	make_folder(t, "per_cpu");
	for (cpu = 0; cpu < ncpus; cpu++) {
		char *name = tsh_xasprintf("per_cpu/cpu%u", cpu);

		make_folder(t, name);
		free(name);
		name = tsh_xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu);
		put_text(t, name, "");
		free(name);
		name = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpu);
		put_text(t, name, "1408\n");
		free(name);
		set_stats(t, cpu, 0);
	}
	assert_int_equal(tsh_dir_open(t->path, &t->dir, &err), 0);
	assert_int_equal(t->dir->kind, TSH_DIR_TREE);
	assert_int_equal(tsh_instance_open(t->dir, NULL, &t->in, &err), 0);
	if (live)
		t->dir->kind = TSH_DIR_TRACEFS;
}

static inline void tree_close(struct tree *t)
{
	char *command[] = { (char *)"rm", (char *)"-rf", t->path, NULL };
	pid_t pid;

	tsh_instance_close(t->in);
	tsh_dir_close(t->dir);
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

/* ---- pages ---- */

struct page_maker {
	unsigned char bytes[PAGE];
	size_t used;
	uint64_t stamp;
};

static inline void page_begin(struct page_maker *p, uint64_t stamp)
{
	memset(p, 0, sizeof(*p));
	memcpy(p->bytes, &stamp, 8);
	p->stamp = stamp;
}

static inline void add_u32(struct page_maker *p, uint32_t value)
{
	assert_true(HEAD + p->used + 4 <= PAGE);
	memcpy(p->bytes + HEAD + p->used, &value, 4);
	p->used += 4;
}

/* Adds an event of 8 bytes: its number and its CPU. */
static inline void add_event(struct page_maker *p, uint64_t stamp, uint32_t number, uint32_t cpu)
{
	uint64_t delta = stamp - p->stamp;

	if (delta >> 27) {
		/* adds a TIME_STAMP, which is absolute, so that the time can also go back */
		add_u32(p, 31 | (uint32_t)(stamp & 0x7ffffff) << 5);
		add_u32(p, (uint32_t)(stamp >> 27));
		delta = 0;
	}
	add_u32(p, 2 | (uint32_t)delta << 5);
	add_u32(p, number);
	add_u32(p, cpu);
	p->stamp = stamp;
}

/* Ends a page. lost: 0 for none, TSH_LOST_UNKNOWN, or a count that is written behind the data. */
static inline void page_end(struct page_maker *p, uint64_t lost)
{
	uint64_t commit = p->used;

	if (lost)
		commit |= UINT64_C(1) << 31;
	if (lost && lost != TSH_LOST_UNKNOWN) {
		commit |= UINT64_C(1) << 30;
		memcpy(p->bytes + HEAD + p->used, &lost, 8);
	}
	memcpy(p->bytes + 8, &commit, 8);
}

static inline void put_page(const struct tree *t, unsigned int cpu, struct page_maker *p,
			    uint64_t lost, size_t len)
{
	char *name = tsh_xasprintf("per_cpu/cpu%u/trace_pipe_raw", cpu);

	page_end(p, lost);
	put_file(t, name, O_APPEND, p->bytes, len);
	free(name);
}

/* Writes one page with events first, first + 1, .. at these stamps, which end with 0. */
static inline void put_events(const struct tree *t, unsigned int cpu, uint32_t first, uint64_t lost,
			      const uint64_t *stamps)
{
	struct page_maker p;

	page_begin(&p, *stamps);
	for (; *stamps; stamps++)
		add_event(&p, *stamps, first++, cpu);
	put_page(t, cpu, &p, lost, PAGE);
}

#define STAMPS(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static inline struct tsh_source *source_of(const struct tree *t)
{
	struct tsh_source *src = NULL;
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_source_open(t->in, NULL, &src, &err), 0);
	return src;
}

static inline uint32_t number_of(const struct tsh_record *rec)
{
	uint32_t value[2];

	assert_int_equal(rec->size, 8);
	memcpy(value, rec->data, 8);
	assert_int_equal(value[1], rec->cpu);
	return value[0];
}

/* ---- a consumer that logs its calls ---- */

struct diary {
	struct tsh_consumer consumer;
	struct tsh_strbuf text;
	unsigned int flushes;
	int flush_result;
};

static inline struct tsh_strbuf *diary_of(struct tsh_consumer *to)
{
	return &((struct diary *)(void *)to)->text;
}

static inline bool diary_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	tsh_strbuf_addf(diary_of(to), "%s%u ", late ? "!" : "", number_of(rec));
	return true;
}

static inline void diary_lost(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp)
{
	(void)stamp;
	if (count == TSH_LOST_UNKNOWN)
		tsh_strbuf_addf(diary_of(to), "lost(%d,?) ", cpu);
	else
		tsh_strbuf_addf(diary_of(to), "lost(%d,%d) ", cpu, (int)count);
}

static inline void diary_note(struct tsh_consumer *to, const char *text)
{
	tsh_strbuf_addf(diary_of(to), "<%s> ", text);
}

static inline int diary_flush(struct tsh_consumer *to, struct tsh_err *err)
{
	struct diary *d = (struct diary *)(void *)to;

	d->flushes++;
	if (d->flush_result < 0)
		return tsh_err_set(err, TSH_FAILED, "the disk is full");
	return d->flush_result;
}

static inline void diary_init(struct diary *d)
{
	memset(d, 0, sizeof(*d));
	d->consumer = (struct tsh_consumer){
		.event = diary_event, .lost = diary_lost, .note = diary_note, .flush = diary_flush,
	};
	tsh_strbuf_init(&d->text);
}

/* ---- a waiter that calls the test at each tick ---- */

struct script {
	struct tsh_waiter waiter;
	const struct tree *tree;
	unsigned int tick;
	enum tsh_wait_result (*step)(struct script *script);
	uint64_t stamp;
};

static inline enum tsh_wait_result script_wait(void *ctx, struct pollfd *fds, unsigned int nfds,
					       int timeout_ms)
{
	struct script *script = ctx;

	(void)fds;
	(void)nfds;
	assert_true(timeout_ms >= 0 && timeout_ms <= 20);
	script->tick++;
	/* fails after some ten seconds, which no test needs */
	assert_true(script->tick < 5000);
	if (timeout_ms)
		usleep(1000);
	return script->step ? script->step(script) : TSH_WAIT_TIMEOUT;
}

static inline void run_stream(struct tsh_source *src, struct tsh_consumer *to,
			      struct script *script, struct tsh_stream_options *opt,
			      struct tsh_stream_summary *sum, enum tsh_stream_end expected)
{
	enum tsh_stream_end end = TSH_STREAM_ABORT;
	struct tsh_err err = { 0 };

	script->waiter = (struct tsh_waiter){ script_wait, script };
	opt->waiter = &script->waiter;
	assert_int_equal(tsh_stream_run(src, to, opt, sum, &end, &err), 0);
	assert_int_equal(end, expected);
}

static inline void close_stream(struct tree *t, struct tsh_source *src, struct diary *d)
{
	tsh_strbuf_release(&d->text);
	tsh_source_close(src);
	tree_close(t);
}

/* Streams a recording to its end and compares the log. */
static inline void expect_tree(struct tree *t, const char *expected)
{
	struct tsh_source *src = source_of(t);
	struct tsh_stream_options opt = { 0 };
	struct tsh_stream_summary sum;
	struct script script = { 0 };
	struct diary d;

	diary_init(&d);
	run_stream(src, &d.consumer, &script, &opt, &sum, TSH_STREAM_EMPTY);
	assert_string_equal(d.text.buf, expected);
	assert_int_equal(tsh_source_pending(src), 0);
	close_stream(t, src, &d);
}

static inline uint64_t boot_now(void)
{
	uint64_t now;

	assert_true(tsh_clock_now(tsh_clock_kind("boot"), &now));
	return now;
}

/* Writes many pages on three CPUs. Returns the number of events; the events have the numbers 0, 1,
 * .. in the order of time. */
static inline uint32_t put_many(const struct tree *t)
{
	static struct page_maker pages[MAX_CPUS];
	uint32_t number, seed = 12345, total = 200000;
	unsigned int cpu = 0;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		page_begin(&pages[cpu], 1000);
	for (number = 0, cpu = 0; number < total; number++) {
		struct page_maker *p;

		seed = seed * 1664525 + 1013904223;
		if (seed >> 28 < 3)
			cpu = (seed >> 8) % MAX_CPUS;
		p = &pages[cpu];
		if (p->used > PAGE - HEAD - 20) {
			put_page(t, cpu, p, 0, PAGE);
			page_begin(p, 1000 + number * 10);
		}
		add_event(p, 1000 + number * 10, number, cpu);
	}
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		put_page(t, cpu, &pages[cpu], 0, PAGE);
	return total;
}

/* ---- a consumer that counts events ---- */

struct counter {
	struct tsh_consumer consumer;
	uint32_t next;
};

static inline bool count_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late)
{
	struct counter *c = (struct counter *)(void *)to;

	assert_false(late);
	assert_int_equal(number_of(rec), c->next);
	c->next++;
	return true;
}

static inline int count_flush(struct tsh_consumer *to, struct tsh_err *err)
{
	(void)to;
	(void)err;
	return 0;
}

#define COUNTER { .consumer = { .event = count_event, .flush = count_flush } }

#endif
