/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tsh_page_layout little = { 8, 16, 4096, false };
static const struct tsh_page_layout big = { 8, 16, 4096, true };

/* libtraceevent forgets some memory of formats that it cannot parse. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

/* ---- a provider of fixtures ---- */

struct world {
	struct tsh_provider provider;
	const char *cmdlines;
	const char *printk;
	const char *override_text;	/* for id 1000, system "sched" */
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

static char *dup_text(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	assert_true(!text || copy);
	return copy;
}

static char *read_fixture(const char *name)
{
	const char *src = getenv("SRC");
	char *text = malloc(1 << 16);
	char path[4096];
	FILE *f;

	assert_non_null(text);
	(void)snprintf(path, sizeof(path), "%s/tests/unit/formats/%s.format", src ? src : ".",
		       name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("no file '%s'", path);
	text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

static int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
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

static char *provide_cmdlines(void *ctx)
{
	struct world *w = ctx;

	w->asked_cmdlines++;
	return dup_text(w->cmdlines);
}

static bool provide_comm(void *ctx, int pid, char comm[16])
{
	struct world *w = ctx;

	w->asked_comm++;
	if (pid < 500 || pid >= 600)
		return false;
	/* as the kernel may do: 16 letters and no NUL */
	memcpy(comm, "proc-of-the-task", 16);
	return true;
}

static int provide_tgid(void *ctx, int pid)
{
	struct world *w = ctx;

	w->asked_tgid++;
	return pid >= 500 && pid < 600 ? 500 : -1;
}

static char *provide_printk(void *ctx)
{
	return dup_text(((struct world *)ctx)->printk);
}

static struct tsh_decoder *make(struct world *w, const struct tsh_page_layout *layout)
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

static void put(struct made *m, uint32_t at, uint64_t value, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		m->bytes[at + (m->layout->big_endian ? size - 1 - i : i)] =
			(unsigned char)(value >> (8 * i));
	if (m->rec.size < at + size)
		m->rec.size = at + size;
}

static void put_text(struct made *m, uint32_t at, const char *text, uint32_t size)
{
	memset(m->bytes + at, 0, size);
	memcpy(m->bytes + at, text, strlen(text) < size ? strlen(text) : size);
	if (m->rec.size < at + size)
		m->rec.size = at + size;
}

static void start(struct made *m, const struct tsh_page_layout *layout, unsigned int id, int pid)
{
	memset(m, 0, sizeof(*m));
	m->layout = layout;
	m->rec.data = m->bytes;
	put(m, 0, id, 2);
	put(m, 2, 1, 1);
	put(m, 3, 2, 1);
	put(m, 4, (uint32_t)pid, 4);
}

static void make_switch(struct made *m, const struct tsh_page_layout *layout, const char *prev,
			int prev_pid, const char *next, int next_pid)
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

/* The text; of the record's copy at an odd address, which ends where its memory does. */
static const char *text_of(struct tsh_decoder *d, const struct made *m)
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
	assert_true(out.len < sizeof(ret));
	assert_int_equal(out.buf[0], '|');
	memcpy(ret, out.buf + 1, out.len);
	tsh_strbuf_release(&out);
	free(copy);
	return ret;
}

/* ---- formats ---- */

static void test_common(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct tsh_common common;
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		make_switch(&m, layouts[i], "bash", -7, "x", 2);
		assert_true(tsh_decoder_common(d, &m.rec, &common));
		assert_int_equal(common.id, SWITCH);
		assert_int_equal(common.flags, 1);
		assert_int_equal(common.preempt, 2);
		assert_int_equal(common.pid, -7);
		m.rec.size = 8;
		assert_true(tsh_decoder_common(d, &m.rec, &common));
		m.rec.size = 7;
		assert_false(tsh_decoder_common(d, &m.rec, &common));
		assert_int_equal(w.asked_format, 0);
		tsh_decoder_free(d);
	}
	tsh_decoder_free(NULL);
}

static void test_on_demand(void **state)
{
	const struct tsh_event_format *format;
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	assert_int_equal(w.asked_cmdlines, 0);
	assert_null(tsh_decoder_format(d, 1));
	assert_null(tsh_decoder_format(d, 65535));
	assert_null(tsh_decoder_format(d, 65536));
	w.asked_format = 0;
	format = tsh_decoder_format(d, SWITCH);
	assert_non_null(format);
	assert_string_equal(format->system, "sched");
	assert_false(format->unprintable);
	assert_ptr_equal(tsh_decoder_format(d, SWITCH), format);
	assert_int_equal(w.asked_format, 1);
	tsh_decoder_forget(d);
	assert_non_null(tsh_decoder_format(d, SWITCH));
	assert_int_equal(w.asked_format, 2);

	/* no format at all: not asked for again; another event's: it is */
	w.override_text = "rubbish";
	assert_null(tsh_decoder_format(d, 1000));
	assert_null(tsh_decoder_format(d, 1000));
	assert_int_equal(w.asked_format, 3);
	tsh_decoder_forget(d);
	w.override_text = "name: x\nID: 1001\n";
	assert_null(tsh_decoder_format(d, 1000));
	w.override_text = "name: x\nID: 1000\nformat:\n\nprint fmt: \"x\"\n";
	format = tsh_decoder_format(d, 1000);
	assert_non_null(format);
	assert_string_equal(format->name, "x");
	/* the id was given to another event */
	tsh_decoder_forget(d);
	w.override_text = "name: y\nID: 1000\nformat:\n\nprint fmt: \"y\"\n";
	assert_string_equal(tsh_decoder_format(d, 1000)->name, "y");
	tsh_decoder_free(d);
}

/* The common fields are where the first format says. */
static void test_other_common(void **state)
{
	struct tsh_common common;
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.override_text = "name: x\nID: 1000\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:12;\tsize:4;\tsigned:1;\n\n"
		"print fmt: \"x\"\n";
	start(&m, &little, 1000, 5);
	assert_non_null(tsh_decoder_format(d, 1000));
	assert_false(tsh_decoder_common(d, &m.rec, &common));
	put(&m, 12, 77, 4);
	assert_true(tsh_decoder_common(d, &m.rec, &common));
	assert_int_equal(common.pid, 77);
	tsh_decoder_free(d);
}

/* ---- values ---- */

static void get(struct tsh_decoder *d, const struct made *m, const char *name,
		struct tsh_field_value *ret)
{
	const struct tsh_event_format *format;
	struct tsh_common common;

	assert_true(tsh_decoder_common(d, &m->rec, &common));
	format = tsh_decoder_format(d, common.id);
	assert_non_null(format);
	tsh_decoder_value(d, tsh_event_format_field(format, name), &m->rec, ret);
}

static void test_values(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct tsh_field_value v;
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		make_switch(&m, layouts[i], "bash", -2, "0123456789abcdef", 70000);
		put(&m, 32, UINT64_C(0xfffffffffffffffe), 8);
		get(d, &m, "prev_comm", &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		assert_int_equal(v.len, 4);
		assert_memory_equal(v.bytes, "bash", 4);
		get(d, &m, "next_comm", &v);
		assert_int_equal(v.len, 16);
		get(d, &m, "prev_pid", &v);
		assert_int_equal(v.kind, TSH_VALUE_SIGNED);
		assert_int_equal(v.s, -2);
		assert_int_equal(v.u, UINT64_MAX - 1);
		get(d, &m, "next_pid", &v);
		assert_int_equal(v.s, 70000);
		get(d, &m, "prev_state", &v);
		assert_int_equal(v.s, -2);
		get(d, &m, "common_type", &v);
		assert_int_equal(v.kind, TSH_VALUE_UNSIGNED);
		assert_int_equal(v.u, SWITCH);
		/* cut short */
		m.rec.size = 59;
		get(d, &m, "next_pid", &v);
		assert_int_equal(v.kind, TSH_VALUE_MISSING);
		get(d, &m, "next_prio", &v);
		assert_int_equal(v.kind, TSH_VALUE_MISSING);
		m.rec.size = 44;
		get(d, &m, "next_comm", &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		assert_int_equal(v.len, 4);
		m.rec.size = 40;
		get(d, &m, "next_comm", &v);
		assert_int_equal(v.kind, TSH_VALUE_MISSING);
		tsh_decoder_free(d);
	}
}

static void test_dynamic_values(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct tsh_field_value v;
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		start(&m, layouts[i], SKB, 1);
		put(&m, 8, UINT64_C(0xffff888112345678), 8);
		put(&m, 16, 1500, 4);
		put(&m, 20, 5U << 16 | 24, 4);
		put_text(&m, 24, "eth0", 8);
		get(d, &m, "skbaddr", &v);
		assert_int_equal(v.kind, TSH_VALUE_POINTER);
		assert_int_equal(v.u, UINT64_C(0xffff888112345678));
		get(d, &m, "name", &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		assert_int_equal(v.len, 4);
		assert_memory_equal(v.bytes, "eth0", 4);
		put(&m, 20, 8U << 16 | 24, 4);
		get(d, &m, "name", &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		put(&m, 20, 9U << 16 | 24, 4);
		get(d, &m, "name", &v);
		assert_int_equal(v.kind, TSH_VALUE_MISSING);
		put(&m, 20, 0xffffffff, 4);
		get(d, &m, "name", &v);
		assert_int_equal(v.kind, TSH_VALUE_MISSING);
		put(&m, 20, 32, 4);
		get(d, &m, "name", &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		assert_int_equal(v.len, 0);
		tsh_decoder_free(d);
	}
}

static void test_arrays(void **state)
{
	const struct tsh_page_layout narrow = { 4, 12, 4096, true };
	const struct tsh_page_layout *layouts[] = { &little, &big, &narrow };
	const struct tsh_event_format *format;
	const struct tsh_field *rel, *longs, *shorts;
	struct tsh_field_value v, e;
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);
		uint32_t size = layouts[i]->long_size, k;

		w.override_text = "name: x\nID: 1000\nformat:\n"
			"\tfield:s16 v[3];\toffset:8;\tsize:6;\tsigned:1;\n"
			"\tfield:__rel_loc char[] s;\toffset:16;\tsize:4;\tsigned:0;\n"
			"\tfield:__data_loc unsigned long[] l;\toffset:20;\tsize:4;\tsigned:0;\n"
			"\nprint fmt: \"x\"\n";
		start(&m, layouts[i], 1000, 5);
		for (k = 0; k < 3; k++)
			put(&m, 8 + 2 * k, (uint64_t)-(int64_t)k, 2);
		put(&m, 16, 4U << 16 | 4, 4);
		put(&m, 20, (3 * size + 1) << 16 | 28, 4);
		put_text(&m, 24, "abc", 4);
		for (k = 0; k < 4; k++)
			put(&m, 28 + size * k, 0x80000000U + k, size);
		format = tsh_decoder_format(d, 1000);
		assert_non_null(format);
		shorts = tsh_event_format_field(format, "v");
		rel = tsh_event_format_field(format, "s");
		longs = tsh_event_format_field(format, "l");
		tsh_decoder_value(d, shorts, &m.rec, &v);
		assert_int_equal(v.kind, TSH_VALUE_ARRAY);
		for (k = 0; tsh_decoder_element(d, shorts, &v, k, &e); k++) {
			assert_int_equal(e.kind, TSH_VALUE_SIGNED);
			assert_int_equal(e.s, -(int)k);
		}
		assert_int_equal(k, 3);
		assert_int_equal(e.kind, TSH_VALUE_MISSING);
		tsh_decoder_value(d, rel, &m.rec, &v);
		assert_int_equal(v.kind, TSH_VALUE_STRING);
		assert_int_equal(v.len, 3);
		assert_memory_equal(v.bytes, "abc", 3);
		assert_false(tsh_decoder_element(d, rel, &v, 0, &e));
		tsh_decoder_value(d, longs, &m.rec, &v);
		for (k = 0; tsh_decoder_element(d, longs, &v, k, &e); k++)
			assert_int_equal(e.u, 0x80000000U + k);
		assert_int_equal(k, 3);
		assert_false(tsh_decoder_element(d, longs, &v, SIZE_MAX, &e));
		tsh_decoder_free(d);
	}
}

/* ---- text ---- */

static void test_print(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		make_switch(&m, layouts[i], "bash", 7, "0123456789abcdefX", 8);
		assert_string_equal(text_of(d, &m), "prev_comm=bash prev_pid=7 prev_prio=120 "
				    "prev_state=D ==> next_comm=0123456789abcdef next_pid=8 "
				    "next_prio=98");
		start(&m, layouts[i], SKB, 1);
		put(&m, 8, 0x1234, 8);
		put(&m, 16, 1500, 4);
		put(&m, 20, 5U << 16 | 24, 4);
		put_text(&m, 24, "eth0", 8);
		assert_string_equal(text_of(d, &m), "dev=eth0 skbaddr=0x1234 len=1500");
		/* a string that nothing ends */
		put(&m, 20, 8U << 16 | 24, 4);
		put_text(&m, 24, "12345678", 8);
		assert_string_equal(text_of(d, &m), "dev=12345678 skbaddr=0x1234 len=1500");
		/* what is longer than the record, and a record that is cut, as fields */
		put(&m, 20, 9U << 16 | 24, 4);
		assert_string_equal(text_of(d, &m), "skbaddr=0x1234 len=1500");
		m.rec.size = 20;
		assert_string_equal(text_of(d, &m), "skbaddr=0x1234 len=1500");
		m.rec.size = 12;
		assert_string_equal(text_of(d, &m), "");
		tsh_decoder_free(d);
	}
}

/* Nothing of it may reach the terminal, whatever the library thinks of a format. */
static void test_unprintable(void **state)
{
	FILE *file = tmpfile();
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	int saved_out = dup(1), saved_err = dup(2);
	char text[512];

	(void)state;
	assert_non_null(file);
	start(&m, &little, MAP_SG, 1);
	put(&m, 8, 4U << 16 | 48, 4);
	put(&m, 12, 3, 4);
	put(&m, 16, (uint32_t)-3, 4);
	put(&m, 20, 1, 1);
	put(&m, 24, 16U << 16 | 52, 4);
	put(&m, 28, 0, 4);
	put(&m, 32, 8U << 16 | 68, 4);
	put(&m, 36, 2, 4);
	put(&m, 40, UINT64_MAX, 8);
	put_text(&m, 48, "dev", 4);
	put(&m, 52, 1, 8);
	put(&m, 60, UINT64_MAX, 8);
	put(&m, 68, 5, 4);
	put(&m, 72, 6, 4);
	(void)fflush(NULL);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	(void)snprintf(text, sizeof(text), "%s", text_of(d, &m));
	w.override_text = "name: bad\nID: 1000\nformat:\n\nprint fmt: \"%d\", ((({ REC->\"x\n";
	assert_true(tsh_decoder_format(d, 1000)->unprintable);
	(void)fflush(NULL);
	dup2(saved_out, 1);
	dup2(saved_err, 2);
	close(saved_out);
	close(saved_err);
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
	(void)fclose(file);
	assert_true(tsh_decoder_format(d, MAP_SG)->unprintable);
	assert_string_equal(text, "device=dev full_nents=3 full_ents=-3 truncated=1 "
			    "phys_addrs={1,18446744073709551615} dma_addrs={} lengths={5,6} dir=2 "
			    "attrs=18446744073709551615");
	tsh_decoder_free(d);
}

static void test_printk_strings(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.printk = "0xffffffff82800010 : \"Start context switch\"\n"
		"0xffffffff82800020 : \"n=%d s=%s x=%llx\\n\"\n"
		"0xffffffff82800030 : \n: \"\"\n\n0x : \"x\"\nzz \"y\"\n\"";
	start(&m, &little, RCU, 1);
	put(&m, 8, UINT64_C(0xffffffff82800010), 8);
	assert_string_equal(text_of(d, &m), "Start context switch");

	start(&m, &little, BPRINT, 1);
	put(&m, 8, UINT64_C(0xffffffff81000000), 8);
	put(&m, 16, UINT64_C(0xffffffff82800020), 8);
	put(&m, 24, (uint32_t)-5, 4);
	put_text(&m, 28, "abc", 4);
	put(&m, 32, UINT64_C(0x123456789a), 8);
	assert_string_equal(text_of(d, &m), "0xffffffff81000000: n=-5 s=abc x=123456789a");
	assert_true(tsh_decoder_format(d, BPRINT)->label_in_text);
	/* its arguments are cut off, after a longer record */
	m.rec.size = 28;
	assert_memory_equal(text_of(d, &m), "0xffffffff81000000: n=-5 s=", 27);
	tsh_decoder_free(d);
}

static void test_syscalls(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	start(&m, &little, ENTER, 1);
	put(&m, 8, 257, 4);
	put(&m, 16, 0xffffff9c, 8);
	put(&m, 24, UINT64_C(0x7ff1a18130b1), 8);
	put(&m, 32, 9, 8);
	put(&m, 40, 10, 8);
	assert_string_equal(text_of(d, &m), "sys_openat(dfd: 0xffffff9c, "
			    "filename: 0x7ff1a18130b1, flags: 9, mode: 0xa)");
	tsh_decoder_set_bare_hex(d, true);
	assert_string_equal(text_of(d, &m), "sys_openat(dfd: ffffff9c, filename: 7ff1a18130b1, "
			    "flags: 9, mode: a)");
	m.rec.size = 31;
	assert_string_equal(text_of(d, &m), "sys_openat(dfd: ffffff9c)");
	start(&m, &little, LEAVE, 1);
	put(&m, 16, (uint64_t)-2, 8);
	assert_string_equal(text_of(d, &m), "sys_openat -> 0xfffffffffffffffe");
	m.rec.size = 12;
	assert_string_equal(text_of(d, &m), "sys_openat");
	tsh_decoder_free(d);
}

static void test_tracers(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	start(&m, &little, PRINT, 1);
	put(&m, 8, UINT64_C(0xffffffff81000000), 8);
	put_text(&m, 16, "hello\nworld\n", 16);
	assert_string_equal(text_of(d, &m), "hello\nworld");
	assert_string_equal(tsh_decoder_format(d, PRINT)->label, "tracing_mark_write");
	put_text(&m, 16, "sixteen letters!", 16);
	assert_string_equal(text_of(d, &m), "sixteen letters!");
	m.rec.size = 16;
	assert_string_equal(text_of(d, &m), "");

	start(&m, &little, RAW, 1);
	put(&m, 8, 0x64636261, 4);
	put_text(&m, 12, "ef\0h", 4);
	assert_string_equal(text_of(d, &m), "# 64636261 buf: 65 66 00 00");

	/* longer than its format says, and ended by -1 */
	start(&m, &little, STACK, 1);
	put(&m, 8, 10, 4);
	{
		uint32_t i;

		for (i = 0; i < 10; i++)
			put(&m, 16 + 8 * i, UINT64_C(0xffffffff81000000) + i, 8);
	}
	put(&m, 96, UINT64_MAX, 8);
	put(&m, 104, 1, 8);
	assert_string_equal(text_of(d, &m), "<stack trace>\n => 0xffffffff81000000\n"
			    " => 0xffffffff81000001\n => 0xffffffff81000002\n"
			    " => 0xffffffff81000003\n => 0xffffffff81000004\n"
			    " => 0xffffffff81000005\n => 0xffffffff81000006\n"
			    " => 0xffffffff81000007\n => 0xffffffff81000008\n"
			    " => 0xffffffff81000009");
	tsh_decoder_free(d);
}

/* Every event, cut at every byte. */
static void test_cut(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	size_t i;
	uint32_t len, k;

	(void)state;
	for (i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		for (len = 8; len <= 160; len++) {
			start(&m, &little, fixtures[i].id, 1);
			for (k = 8; k < len; k++)
				put(&m, k, k % 4 ? 0 : 24, 1);
			m.rec.size = len;
			assert_non_null(text_of(d, &m));
		}
	}
	tsh_decoder_free(d);
}

/* ---- names ---- */

static void test_learn(void **state)
{
	const struct tsh_page_layout *layouts[] = { &little, &big };
	struct world w;
	struct made m;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct tsh_decoder *d = make(&w, layouts[i]);

		assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
		assert_string_equal(tsh_decoder_comm(d, -3), "<XXX>");
		assert_string_equal(tsh_decoder_comm(d, 7), "<...>");
		make_switch(&m, layouts[i], "swapper/0", 0, "0123456789abcdef", 8);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
		assert_string_equal(tsh_decoder_comm(d, 8), "0123456789abcde");
		make_switch(&m, layouts[i], "esc\x1b[1m\n", 7, "", 8);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "esc\x1b[1m\n");
		assert_string_equal(tsh_decoder_comm(d, 8), "");

		start(&m, layouts[i], RENAME, 7);
		put(&m, 8, 7, 4);
		put_text(&m, 12, "esc", 16);
		put_text(&m, 28, "renamed", 16);
		put(&m, 44, 0, 2);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "renamed");
		start(&m, layouts[i], EXEC, 7);
		put(&m, 8, 13U << 16 | 20, 4);
		put(&m, 12, 9, 4);
		put(&m, 16, 9, 4);
		put_text(&m, 20, "/usr/bin/make", 16);
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 9), "make");
		/* cut: nothing is learned */
		make_switch(&m, layouts[i], "no", 7, "no", 8);
		m.rec.size = 8;
		text_of(d, &m);
		assert_string_equal(tsh_decoder_comm(d, 7), "renamed");
		tsh_decoder_free(d);
	}
}

static void test_saved(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	/* 1 has the name "a\n2 root"; 501 one that is too long to be continued */
	w.cmdlines = "11 0123456789abcde\n12 x y \n13 0123456789abcde\n14 \n15 0123456789abcde\n"
		"1 a\n2 root\nb\n501 0123456789ab\n502 forged\n16 0123456789abcdefghi\n"
		"17 0123456789abcde\n17 twice\n99999999999 big\n0 zero\n 18 blank\n19\n20";
	assert_string_equal(tsh_decoder_comm(d, 11), "0123456789abcde");
	assert_int_equal(w.asked_cmdlines, 1);
	assert_string_equal(tsh_decoder_comm(d, 12), "x y ");
	assert_string_equal(tsh_decoder_comm(d, 13), "0123456789abcde");
	assert_string_equal(tsh_decoder_comm(d, 14), "");
	assert_int_equal(w.asked_comm, 0);
	assert_string_equal(tsh_decoder_comm(d, 1), "a");
	/* It could be the rest of the name of 1: what /proc says comes first. */
	assert_string_equal(tsh_decoder_comm(d, 2), "root\nb");
	assert_int_equal(w.asked_comm, 1);
	assert_string_equal(tsh_decoder_comm(d, 501), "0123456789ab");
	assert_string_equal(tsh_decoder_comm(d, 502), "forged");
	assert_string_equal(tsh_decoder_comm(d, 16), "0123456789abcde");
	assert_string_equal(tsh_decoder_comm(d, 17), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 0), "<idle>");
	assert_string_equal(tsh_decoder_comm(d, 18), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 19), "<...>");
	assert_string_equal(tsh_decoder_comm(d, 503), "proc-of-the-tas");
	assert_int_equal(w.asked_cmdlines, 1);
	tsh_decoder_free(d);
}

/* A line that can be the rest of a name does not name a task that /proc knows. */
static void test_forged(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.cmdlines = "7 evil\n510 root\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "evil");
	assert_string_equal(tsh_decoder_comm(d, 510), "proc-of-the-tas");
	tsh_decoder_free(d);
}

static void test_refresh(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	int i;

	(void)state;
	w.cmdlines = "7 before\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "before");
	assert_string_equal(tsh_decoder_comm(d, 8), "<...>");
	w.cmdlines = "7 after\n8 born\n";
	assert_string_equal(tsh_decoder_comm(d, 7), "before");
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 7), "after");
	assert_string_equal(tsh_decoder_comm(d, 8), "born");
	/* gone, and its name stays; what an event told is not asked for */
	w.cmdlines = NULL;
	make_switch(&m, &little, "told", 9, "x", 10);
	text_of(d, &m);
	tsh_decoder_refresh(d);
	assert_string_equal(tsh_decoder_comm(d, 8), "born");
	w.asked_comm = 0;
	assert_string_equal(tsh_decoder_comm(d, 9), "told");
	assert_int_equal(w.asked_comm, 0);
	/* goes by itself */
	w.cmdlines = "8 later\n";
	for (i = 0; i < 5000; i++)
		tsh_decoder_comm(d, 8);
	assert_string_equal(tsh_decoder_comm(d, 8), "later");
	assert_true(w.asked_comm <= 2);
	tsh_decoder_free(d);
}

static void test_tgid(void **state)
{
	struct world w;
	struct tsh_decoder *d = make(&w, &little);
	int i;

	(void)state;
	for (i = 0; i < 10; i++) {
		assert_int_equal(tsh_decoder_tgid(d, 501), 500);
		assert_int_equal(tsh_decoder_tgid(d, 7), -1);
	}
	assert_int_equal(w.asked_tgid, 2);
	assert_int_equal(tsh_decoder_tgid(d, 0), -1);
	assert_int_equal(tsh_decoder_tgid(d, -1), -1);
	w.provider.tgid = NULL;
	assert_int_equal(tsh_decoder_tgid(d, 502), -1);
	tsh_decoder_free(d);
}

/* More tasks than are kept; a provider that knows nothing. */
static void test_many_names(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);
	const struct tsh_event_format *format = tsh_decoder_format(d, SWITCH);
	char comm[16];
	int pid;

	(void)state;
	w.provider.cmdlines = NULL;
	w.provider.comm = NULL;
	make_switch(&m, &little, "swapper/0", 0, "", 0);
	for (pid = 1; pid <= 200000; pid++) {
		put(&m, 56, (uint32_t)pid, 4);
		(void)snprintf(comm, sizeof(comm), "task-%d", pid);
		put_text(&m, 40, comm, 16);
		tsh_decoder_learn(d, format, &m.rec);
		assert_string_equal(tsh_decoder_comm(d, pid), comm);
		if (pid == 60000)
			assert_string_equal(tsh_decoder_comm(d, 1), "task-1");
	}
	assert_string_equal(tsh_decoder_comm(d, 200000), "task-200000");
	assert_string_equal(tsh_decoder_comm(d, 1), "<...>");
	tsh_decoder_free(d);
}

/* ---- flags ---- */

static void test_flags(void **state)
{
	static const struct {
		unsigned int flags, preempt;
		const char *with, *without;
	} table[] = {
		{ 0, 0, ".....", "...." },
		{ 0x01, 0, "d....", "d..." },
		{ 0x80, 0, "b....", "...." },
		{ 0x81, 0, "D....", "d..." },
		{ 0x02, 0, ".l...", "X..." },
		{ 0x03, 0, "dl...", "d..." },
		{ 0x04, 0, ".n...", ".n.." },
		{ 0x20, 0, ".p...", ".p.." },
		{ 0x24, 0, ".N...", ".N.." },
		{ 0x22, 0, ".L...", "Xp.." },
		{ 0x06, 0, ".b...", "Xn.." },
		{ 0x26, 0, ".B...", "XN.." },
		{ 0x08, 0, "..h..", "..h." },
		{ 0x10, 0, "..s..", "..s." },
		{ 0x18, 0, "..H..", "..H." },
		{ 0x40, 0, "..z..", "..z." },
		{ 0x48, 0, "..Z..", "..Z." },
		{ 0x50, 0, "..z..", "..z." },
		{ 0x58, 0, "..Z..", "..Z." },
		{ 0xff, 0xff, "DBZff", "dNZff" },
		{ 0x01, 2, "d..2.", "d..2" },
		{ 0x01, 10, "d..a.", "d..a" },
		{ 0, 0x10, "....1", "...10" },
		{ 0, 0x12, "...21", "...12" },
		{ 0, 0xf0, "....f", "...f0" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tsh_common common = { .flags = (unsigned char)table[i].flags,
					     .preempt = (unsigned char)table[i].preempt };
		char got[8];

		tsh_common_flags(&common, true, got);
		assert_string_equal(got, table[i].with);
		tsh_common_flags(&common, false, got);
		assert_string_equal(got, table[i].without);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_on_demand),
		cmocka_unit_test(test_other_common),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_dynamic_values),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_unprintable),
		cmocka_unit_test(test_printk_strings),
		cmocka_unit_test(test_syscalls),
		cmocka_unit_test(test_tracers),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_forged),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_tgid),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
