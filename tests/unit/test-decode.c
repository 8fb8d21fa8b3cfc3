/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoders.h"

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

#define PROBE(name, id, field)								\
	"name: " name "\nID: " id "\nformat:\n"						\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"		\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"			\
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"		\
	"\tfield:u32 " field ";\toffset:16;\tsize:4;\tsigned:0;\n\n"			\
	"print fmt: \"" field "=%u\", REC->" field "\n"

/* A probe goes, and another one gets its id, while a stream runs. */
static void test_id_of_another_probe(void **state)
{
	const struct tsh_event_format *first, *second;
	struct world w;
	struct tsh_decoder *d = make(&w, &little);

	(void)state;
	w.override_text = PROBE("mine", "1000", "count");
	first = tsh_decoder_format(d, 1000);
	assert_string_equal(first->name, "mine");
	w.asked_format = 0;
	tsh_decoder_renew(d);
	assert_ptr_equal(tsh_decoder_format(d, 1000), first);
	assert_ptr_equal(tsh_decoder_format(d, 1000), first);
	assert_int_equal(w.asked_format, 1);
	/* gone: what was read before is still printed as what it was */
	w.override_text = PROBE("theirs", "1001", "size");
	tsh_decoder_renew(d);
	assert_ptr_equal(tsh_decoder_format(d, 1000), first);
	w.override_text = PROBE("theirs", "1000", "size");
	assert_ptr_equal(tsh_decoder_format(d, 1000), first);
	tsh_decoder_renew(d);
	second = tsh_decoder_format(d, 1000);
	assert_string_equal(second->name, "theirs");
	assert_non_null(tsh_event_format_field(second, "size"));
	assert_string_equal(first->name, "mine");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_common),
		cmocka_unit_test(test_on_demand),
		cmocka_unit_test(test_id_of_another_probe),
		cmocka_unit_test(test_other_common),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_dynamic_values),
		cmocka_unit_test(test_arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
