/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoders.h"

#include "base/xmalloc.h"

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
		assert_string_equal(text_of(d, &m), "dev=eth0 skbaddr=0000000000001234 len=1500");
		/* a string that nothing ends */
		put(&m, 20, 8U << 16 | 24, 4);
		put_text(&m, 24, "12345678", 8);
		assert_string_equal(text_of(d, &m), "dev=12345678 skbaddr=0000000000001234 "
				    "len=1500");
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

/* A format beyond us says why and prints its fields. */
static void test_unprintable(void **state)
{
	const struct tsh_event_format *format;
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.override_text = "name: bad\nID: 1000\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:u8 y[2];\toffset:12;\tsize:2;\tsigned:0;\n"
		"print fmt: \"%d\", ((({ REC->\"x\n";
	start(&m, &little, 1000, 1);
	put(&m, 8, (uint32_t)-3, 4);
	put(&m, 12, 0x0201, 2);
	format = tsh_decoder_format(d, 1000);
	assert_non_null(format->unprintable);
	assert_string_equal(text_of(d, &m), "x=-3 y={1,2}");
	tsh_decoder_free(d);
}

/* A statement expression, and arrays. */
static void test_statements(void **state)
{
	struct world w;
	struct made m;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	start(&m, &little, MAP_SG, 1);
	put(&m, 8, 4U << 16 | 48, 4);
	put(&m, 12, 3, 4);
	put(&m, 16, (uint32_t)-3, 4);
	put(&m, 20, 1, 1);
	put(&m, 24, 16U << 16 | 52, 4);
	put(&m, 28, 0, 4);
	put(&m, 32, 8U << 16 | 68, 4);
	put(&m, 36, 2, 4);
	put(&m, 40, 6, 8);
	put_text(&m, 48, "dev", 4);
	put(&m, 52, 1, 8);
	put(&m, 60, UINT64_MAX, 8);
	put(&m, 68, 5, 4);
	put(&m, 72, 6, 4);
	assert_string_equal(text_of(d, &m), "dev dir=FROM_DEVICE nents=3/3 ents=-3/-3 [TRUNCATED] "
			    "dma_addrs={} sizes={0x5,0x6} "
			    "phys_addrs={0x1,0xffffffffffffffff} "
			    "attrs=WEAK_ORDERING|WRITE_COMBINE");
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

static bool old_version(void *ctx, const char *name, uint64_t *ret)
{
	(void)ctx;
	*ret = 6 << 16 | 1 << 8;
	return !strcmp(name, "LINUX_VERSION_CODE");
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
	/* Kernels before 6.18 print %lx. */
	w.provider.variable = old_version;
	tsh_decoder_forget(d);
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
	struct world w;
	struct tsh_decoder *d = make(&w, &little);
	struct tsh_common all = { .flags = 0xff, .preempt = 0xff };
	char letters[TSH_FLAGS_ROOM];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tsh_common common = { .flags = (unsigned char)table[i].flags,
					     .preempt = (unsigned char)table[i].preempt };
		char got[TSH_FLAGS_ROOM];

		/* each as the first */
		tsh_decoder_free(d);
		d = make(&w, &little);
		tsh_decoder_flags(d, &common, true, got);
		assert_string_equal(got, table[i].with);
		tsh_decoder_flags(d, &common, false, got);
		assert_string_equal(got, table[i].without);
	}
	tsh_decoder_flags(d, &all, true, letters);
	assert_string_equal(letters, "DBZff");
	tsh_decoder_free(d);
	/* Before 6.13 the bit has another meaning. */
	w.provider.variable = old_version;
	d = tsh_decoder_new(&w.provider, &little);
	tsh_decoder_flags(d, &all, true, letters);
	assert_string_equal(letters, "DNZff");
	tsh_decoder_free(d);
}

/* Real-time kernels: depths in fields of their own, a letter for lazy need of scheduling. */
static void test_flags_rt(void **state)
{
	static const struct {
		const char *fields;
		unsigned int flags, preempt;
		const char *want;
	} table[] = {
		{ "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n",
		  0x10, 0x20, "...s.12" },
		{ "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;\tsigned:0;\n",
		  0x21, 0x33, "d.L.313" },
		{ "\tfield:unsigned char common_migrate_disable;\toffset:8;\tsize:1;\tsigned:0;\n"
		  "\tfield:unsigned char common_preempt_lazy_count;\toffset:9;\tsize:1;\tsigned:0;\n",
		  0x0d, 0x12, "dn.h12.1" },
	};
	struct world w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tsh_decoder *d = make(&w, &little);
		char letters[TSH_FLAGS_ROOM];
		struct tsh_common common;
		bool damaged;
		struct made m;

		w.override_text = tsh_xasprintf("name: rt\nID: 1000\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n%s\n"
			"\tfield:int x;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: \"%%d\", REC->x\n",
			table[i].fields);
		start(&m, &little, 1000, 1);
		put(&m, 2, table[i].flags, 1);
		put(&m, 3, table[i].preempt, 1);
		put(&m, 8, 1, 1);
		put(&m, 12, 0, 4);
		/* the first record of all as well */
		assert_non_null(tsh_decoder_begin_record(d, &m.rec, &common, &damaged));
		tsh_decoder_flags(d, &common, true, letters);
		assert_string_equal(letters, table[i].want);
		tsh_decoder_free(d);
		free((char *)(uintptr_t)w.override_text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_flags_rt),
		cmocka_unit_test(test_unprintable),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_printk_strings),
		cmocka_unit_test(test_syscalls),
		cmocka_unit_test(test_tracers),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
