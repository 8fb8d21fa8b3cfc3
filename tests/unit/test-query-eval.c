/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query/bound.h"
#include "query/deltas.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

/* One event with a field of every kind, and a record of it. */

static const char format_text[] =
	"name: sample\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u8 u1;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 s1;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 u2;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int s4;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 u8;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 s8;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned int u4;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:char name[16];\toffset:36;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 daddr[4];\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 daddr6[16];\toffset:60;\tsize:16;\tsigned:0;\n"
	"\tfield:int state;\toffset:76;\tsize:4;\tsigned:1;\n"
	"\tfield:u32 list[3];\toffset:80;\tsize:12;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s %s\", REC->name, __print_symbolic(REC->state, { 1, \"OPEN\" }, { 7, \"TCP_CLOSE\" })\n";

#define PID 4321
#define RECORD_SIZE 104

struct fixture {
	struct tsh_event_format *format;
	struct tsh_decoder *decoder;
	unsigned char data[RECORD_SIZE];
	struct tsh_record rec;
};

static int no_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	(void)id;
	(void)ret_system;
	(void)ret_text;
	return -ENOENT;
}

static char *no_text(void *ctx)
{
	(void)ctx;
	return NULL;
}

static bool name_of(void *ctx, int pid, char comm[16])
{
	(void)ctx;
	strcpy(comm, "worker");
	return pid == PID;
}

static int tgid_of(void *ctx, int pid)
{
	(void)ctx;
	return pid == PID ? 4300 : -1;
}

static const struct tsh_provider provider = {
	.format = no_format, .cmdlines = no_text, .comm = name_of, .tgid = tgid_of,
	.printk_formats = no_text,
};

static void put(unsigned char *data, size_t at, uint64_t value, size_t size)
{
	memcpy(data + at, &value, size);	/* of a little-endian machine */
}

static void fill(unsigned char *data)
{
	static const unsigned char v4[] = { 10, 1, 2, 3 };
	static const unsigned char v6[16] = { 0xfe, 0x80, [15] = 1 };

	put(data, 0, 77, 2);
	put(data, 4, PID, 4);
	put(data, 8, 200, 1);
	put(data, 9, (uint64_t)-5, 1);
	put(data, 10, 60000, 2);
	put(data, 12, (uint64_t)-100, 4);
	put(data, 16, UINT64_C(0xfffffffffffffff0), 8);
	put(data, 24, (uint64_t)-7, 8);
	put(data, 32, UINT64_C(4000000000), 4);
	strcpy((char *)data + 36, "hello world");
	put(data, 52, 92 | 10 << 16, 4);
	memcpy(data + 56, v4, 4);
	memcpy(data + 60, v6, 16);
	put(data, 76, 7, 4);
	put(data, 80, 11, 4);
	put(data, 84, 22, 4);
	put(data, 88, 33, 4);
	strcpy((char *)data + 92, "/etc/host");
}

static int setup(void **state)
{
	struct tsh_page_layout layout = { .long_size = 8, .data_offset = 16, .page_size = 4096 };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(tsh_event_format_parse("made", format_text, strlen(format_text), &f->format), 0);
	layout.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	f->decoder = tsh_decoder_new(&provider, &layout);
	fill(f->data);
	f->rec = (struct tsh_record){ .cpu = 3, .size = RECORD_SIZE, .data = f->data };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tsh_decoder_free(f->decoder);
	tsh_event_format_free(f->format);
	free(f);
	return 0;
}

#define BEYOND "the result does not fit its type (as in C: 32 bits, or 64 when an operand needs them)"

static const char *const truths[] = { "no", "yes", "unknown" };

/* "yes", "no", "unknown"; or the error. */
static void evaluate(const struct fixture *f, const char *text, struct tsh_strbuf *out)
{
	struct tsh_strlist unknown = { 0 };
	struct tsh_err err = { 0 };
	const struct query_binding to = { .format = f->format, .long_size = 8, .unknown = &unknown,
					  .err = &err };
	struct query_run run = { .decoder = f->decoder, .rec = &f->rec, .pid = PID,
				 .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct tsh_query_node *node = tsh_query_parse(text, strlen(text), &err);
	struct bound *b = node ? query_bind(node, &to) : NULL;

	assert_int_equal(b == NULL, tsh_err_is_set(&err));
	if (b)
		tsh_strbuf_adds(out, truths[query_eval(b, &run)]);
	else
		tsh_strbuf_addf(out, "%zu-%zu: %s", err.span.begin, err.span.end, err.message);
	query_bound_free(b);
	tsh_query_node_free(node);
	tsh_strlist_release(&unknown);
	tsh_err_release(&err);
}

static const char *const cases[][2] = {
	/* fields and numbers: as the kernel, the number is cut to the field's size */
	{ "u1 == 200", "yes" }, { "u1 == 456", "yes" }, { "u1 != 200", "no" }, { "u1 > 199", "yes" },
	{ "s1 == -5", "yes" }, { "s1 == 251", "yes" }, { "s1 < 0", "yes" }, { "s1 >= -5", "yes" },
	{ "u2 == 60000", "yes" }, { "u2 == -5536", "yes" }, { "s4 == -100", "yes" },
	{ "s4 < 0", "yes" }, { "s4 == 0xffffff9c", "yes" }, { "s4 > 1", "no" },
	{ "u8 > 0", "yes" }, { "u8 == -16", "yes" }, { "u8 == 0xfffffffffffffff0", "yes" },
	{ "u8 < 5", "no" }, { "s8 == -7", "yes" }, { "s8 < 0", "yes" }, { "u4 == 4000000000", "yes" },
	{ "u4 > 3000000000", "yes" }, { "u4 == -294967296", "yes" },
	{ "common_pid == 4321", "yes" }, { "common_type == 77", "yes" },
	{ "u1 & 8", "yes" }, { "u1 & 7", "no" }, { "u1 & 0xc0 == 0xc0", "yes" },
	/* logic */
	{ "u1 == 200 && s1 == -5", "yes" }, { "u1 == 200 && s1 == 5", "no" },
	{ "u1 == 1 || s1 == -5", "yes" }, { "!(u1 == 1)", "yes" }, { "!u1", "no" }, { "u1", "yes" },
	{ "!u1 == 1", "yes" }, { "(u1 == 200) == (s1 == -5)", "yes" },
	{ "(u1 == 200) + (s1 == -5) == 2", "yes" },
	/* arithmetic, with C's types */
	{ "u1 + 100 == 300", "yes" }, { "u1 * u1 == 40000", "yes" }, { "s1 * -1 == 5", "yes" },
	{ "-s1 == 5", "yes" }, { "~u1 == -201", "yes" }, { "u2 * u2 < 0", "yes" },
	{ "u8 + 16 == 0", "yes" }, { "s8 / 2 == -3", "yes" }, { "s8 % 2 == -1", "yes" },
	{ "s8 >> 1 == -4", "yes" }, { "u8 >> 60 == 15", "yes" }, { "1 << 31 < 0", "yes" },
	{ "1 << u1 == 0", "yes" }, { "u8 >> u1 == 0", "yes" }, { "s8 >> u1 == -1", "yes" },
	{ "u4 > s4", "no" }, { "s4 < u1", "yes" }, { "u4 - 4000000001 == 4294967295", "no" },
	{ "u4 - u4 - 1 > 0", "yes" }, { "u8 > s8", "no" }, { "s8 < s4", "no" }, { "s4 < s8", "yes" },
	{ "u1 / (u1 - 200) == 1", "unknown" }, { "u1 % (u1 - 200) == 1", "unknown" },
	{ "u1 / (u1 - 200) == 1 || u1", "yes" }, { "!(u1 / (u1 - 200))", "unknown" },
	/* strings */
	{ "name == \"hello world\"", "yes" }, { "name == 'hello'", "no" }, { "name != 'hello'", "yes" },
	{ "name ~ 'hello*'", "yes" }, { "name ~ '*world'", "yes" }, { "name ~ '*o w*'", "yes" },
	{ "name ~ 'h?llo*'", "yes" }, { "name ~ 'hello'", "no" }, { "name ~ '!hello'", "yes" },
	{ "name =~ '^h.*d$'", "yes" }, { "name =~ 'o{2}'", "no" }, { "name !~ 'x|y'", "yes" },
	{ "path == '/etc/host'", "yes" }, { "path ~ '/etc/*'", "yes" }, { "path == name", "no" },
	{ "name in {'a', 'hello world'}", "yes" }, { "comm == 'worker'", "yes" },
	{ "COMM ~ 'w*'", "yes" }, { "event == 'sample'", "yes" }, { "event == sample", "yes" },
	{ "nothing != 'x'", "unknown" }, { "'x' != nothing", "unknown" },
	{ "event in {other, sample}", "yes" }, { "system == made", "yes" }, { "system != made", "no" },
	/* the kernel's globs, on bytes: no ^, no classes by name */
	{ "name ~ '*world'", "yes" }, { "name ~ '**o w*'", "yes" }, { "name ~ '[!k]*'", "yes" },
	{ "name ~ '[^k]*'", "no" }, { "name ~ '[a-h]ello*d'", "yes" }, { "name ~ '!*world'", "no" },
	{ "name ~ '*[[:alpha:]]'", "no" }, { "name ~ 'hello\\ world'", "yes" }, { "name ~ '*l?o*'", "yes" },
	{ "name ~ '*['", "no" }, { "name ~ '*lo*lo*'", "no" }, { "path ~ '*t'", "yes" },
	/* what every event has */
	{ "pid == 4321", "yes" }, { "tgid == 4300", "yes" }, { "cpu == 3", "yes" }, { "CPU < 3", "no" },
	/* sets */
	{ "u1 in {1, 2, 200}", "yes" }, { "u1 in 100..200", "yes" }, { "u1 in {1..5, 7}", "no" },
	{ "s1 in -10..-5", "yes" }, { "!(u1 in 100..199)", "yes" }, { "u1 in {nosuch, 200}", "yes" },
	{ "u1 in {nosuch, 201}", "unknown" },
	/* names of numbers */
	{ "state == TCP_CLOSE", "yes" }, { "TCP_CLOSE == state", "yes" }, { "state == OPEN", "no" },
	{ "state in {OPEN, TCP_CLOSE}", "yes" }, { "state == SIGBUS", "yes" }, { "state == NOPE", "unknown" },
	{ "s1 == -EIO", "yes" }, { "s1 == -ENOENT", "no" },
	/* addresses */
	{ "daddr == 10.1.2.3", "yes" }, { "daddr in 10.0.0.0/8", "yes" }, { "daddr in 10.0.0.0/16", "no" },
	{ "daddr in 10.1.2.2/31", "yes" }, { "daddr in 0.0.0.0/0", "yes" }, { "daddr != 10.1.2.4", "yes" },
	{ "daddr6 == fe80::1", "yes" }, { "daddr6 in fe80::/10", "yes" }, { "daddr6 in ff00::/9", "no" },
	{ "daddr == fe80::1", "no" }, { "daddr6 in {10.0.0.0/8, fe80::/10}", "yes" },
	/* CPUs, as the kernel has them: one number is in a set, and equal to a set of one */
	{ "cpu & CPUS{1-3}", "yes" }, { "cpu & CPUS{0-2}", "no" }, { "CPU == CPUS{3}", "yes" },
	{ "cpu == CPUS{3-4}", "no" }, { "cpu != CPUS{3-4}", "yes" }, { "CPUS{3} == cpu", "yes" },
	{ "!(u1 & CPUS{7})", "yes" }, { "nosuch & CPUS{7}", "unknown" },
	{ "cpu < CPUS{3}", "0-13: CPUS{..} goes with ==, != and &" },
	{ "name & CPUS{3}", "0-14: this is neither a CPU nor a set of CPUs" },
	/* bits of a field: the number is cut to it */
	{ "s1 & 0x100", "no" }, { "s1 & 0x80", "yes" }, { "(s1 & 0x100) != 0", "yes" },
	{ "u1 & u1", "yes" }, { "name & 1", "0-8: only numbers have bits" },
	/* arrays */
	{ "list[0] == 11", "yes" }, { "list[1 + 1] == 33", "yes" },
	{ "daddr[1] == 1", "yes" }, { "list[u1 - 255] == 0", "unknown" },
	/* what the event lacks: three truths */
	{ "nosuch == 1", "unknown" }, { "!(nosuch == 1)", "unknown" }, { "nosuch == 1 || u1 == 200", "yes" },
	{ "nosuch == 1 && u1 == 1", "no" }, { "nosuch == 1 && u1 == 200", "unknown" },
	{ "nosuch ~ 'x'", "unknown" }, { "nosuch[1] == 1", "unknown" }, { "nosuch + 1", "unknown" },
	/* what cannot be */
	{ "name == 1", "0-9: a string cannot be compared with a number" },
	{ "list == 1", "0-9: an array cannot be compared with a number: compare one of its elements, as FIELD[0]" },
	{ "list > 1", "0-8: an array has no order: compare one of its elements, as FIELD[0]" },
	{ "list[3] == 0", "5-6: the array has no such element: the first is [0]" },
	{ "list[-1] == 0", "5-7: the array has no such element: the first is [0]" },
	{ "name < 'x'", "0-10: only numbers are less or greater" },
	{ "name + 1", "0-4: this is no number" }, { "u1 ~ 'x'", "0-2: only a string has a pattern" },
	{ "u1 == 'x'", "0-9: a string cannot be compared with a number" }, { "name", "0-4: this is no number" },
	{ "daddr < 10.0.0.0", "0-16: only numbers are less or greater" },
	{ "name =~ '('", "8-11: the ( has no )" }, { "u1[0] == 1", "0-2: this field is no array" },
	{ "u8 == 9223372036854775807 + 1", "6-29: " BEYOND }, { "u8 == 1000000 * 5000", "6-20: " BEYOND },
	{ "s8 == -2147483647 - 2", "6-21: " BEYOND }, { "u8 == 1 - 18446744073709551615", "6-30: " BEYOND },
	/* the least number of 64 bits, and its opposite */
	{ "-9223372036854775808 < 0 && -(-9223372036854775808) > 0 && s8 > -9223372036854775808", "yes" },
	{ "u8 == -9223372036854775808 - 1", "6-30: " BEYOND },
	{ "s8 == -2147483647 - 1", "no" }, { "u8 == 9223372036854775806 + 1", "no" }, { "u8 == 10000000000 * 5000", "no" },
	/* also of what numbers give, and a number with a unit needs 64 bits */
	{ "u8 == 60 * 60 * 1000000", "6-23: " BEYOND }, { "u8 == -(1000000 * 2) * 2000", "6-27: " BEYOND },
	{ "u1 < 60 * 60 * 1s && 1s * 60 == 60000000000 && 4M * 1024 == 4294967296", "yes" },
	{ "list[1 + 2] == 0", "5-10: the array has no such element: the first is [0]" },
	{ "list[0 - 1] == 0", "5-10: the array has no such element: the first is [0]" },
	{ "1 << 20 + 20 == 0", "5-12: the value does not have that many bits" },
	{ "(1 << 31) - 1 == 0x7fffffff && (1 << 31 - 1) + (1 << 30) - 1 == 0x7fffffff", "yes" },
	{ "7 - 2 * 3 == 1 && -(2 + 3) == -5 && u8 != 5 / (1 - 1)", "unknown" },
	{ "1 << 40 == 0", "5-7: the value does not have that many bits" },
};

static void test_cases(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tsh_strbuf got = TSH_STRBUF_INIT;

		evaluate(*state, cases[i][0], &got);
		if (strcmp(got.buf, cases[i][1]) != 0)
			fail_msg("%s: '%s', not '%s'", cases[i][0], got.buf, cases[i][1]);
		tsh_strbuf_release(&got);
	}
}

/* What the kernel gets of a question; and how many of its terms it cannot answer. */
static const struct {
	const char *text, *filter;
	size_t kept;
} splits[] = {
	{ "u1 == 456 && s1 > -300", "u1 == 200 && s1 > -44", 0 },
	{ "u1 == 1 || s4 < 0", "(u1 == 1 || s4 < 0)", 0 },
	{ "!(u1 == 1) && u4 > s4", "!(u1 == 1)", 1 },
	{ "u8 == -1 && u2 & 0x1ffff", "u8 == 18446744073709551615 && u2 & 65535", 0 },
	{ "pid == 5 && cpu > 1 && tgid == 5", "common_pid == 5 && CPU > 1", 1 },
	{ "name == 'x' && 'y' != path", "name == \"x\" && !(path == \"y\")", 0 },
	{ "name ~ 'a\"b*' && name =~ 'x'", "name ~ 'a\"b*'", 1 },
	{ "name == '0123456789abcdef' && comm == 'x'", "COMM == \"x\"", 1 },
	{ "comm != 'x' && 'y' == COMM && comm ~ 'z*'", "!(COMM == \"x\") && COMM == \"y\" && COMM ~ \"z*\"", 0 },
	{ "comm == '0123456789abcdef' && pid == 5", "", 2 },
	{ "comm =~ 'x' && pid == 5", "", 2 },
	{ "comm ~ '*' || comm == '<...>'", "", 1 },
	{ "u1 in {1, 5..9}", "(u1 == 1 || (u1 >= 5 && u1 <= 9))", 0 },
	{ "state == TCP_CLOSE && nosuch == 1", "state == 7", 1 },
	{ "(u1 == 1 || u1 + 1 == 3) && u1", "", 2 },
	{ "cpu & CPUS{0,2-3} && daddr == 10.0.0.1", "CPU & CPUS{0,2-3}", 1 },
	{ "name ~ '*sh' && name ~ '!*sh*'", "name ~ \"**sh\" && name ~ \"!**sh*\"", 0 },
	{ "path ~ '*' && name == '*'", "path ~ \"*\" && name == \"*\"", 0 },
	{ "!!(u1 == 1) && !!!(u1 == 2 || u2 == 3)", "u1 == 1 && !(u1 == 2 || u2 == 3)", 0 },
	{ "pid == 5000000000 && u1 == 2 && delta > 5", "u1 == 2", 2 },
};

static void test_splits(void **state)
{
	const struct fixture *f = *state;
	size_t i, j, kept;

	for (i = 0; i < sizeof(splits) / sizeof(splits[0]); i++) {
		struct tsh_query_split split = { 0 };
		struct tsh_err err = { 0 };
		struct tsh_query *q = tsh_query_new(splits[i].text, strlen(splits[i].text), &err);

		assert_non_null(q);
		assert_int_equal(tsh_query_split(q, f->decoder, f->format, 8, &split, &err), 0);
		for (j = kept = 0; j < split.parts.n; j++)
			kept += split.parts.v[j].why != NULL;
		assert_string_equal(split.filter.buf ? split.filter.buf : "", splits[i].filter);
		assert_int_equal(kept, splits[i].kept);
		tsh_query_split_release(&split);
		tsh_query_free(q);
	}
}

/* The time since the event before, of each task its own; the idle tasks are the CPUs'. */
static void test_deltas(void **state)
{
	struct query_deltas d = { 0 };
	uint64_t delta;
	int pid;

	(void)state;
	assert_false(query_deltas_next(&d, 7, 0, 0, 100, &delta));
	assert_false(query_deltas_next(&d, 8, 0, 0, 110, &delta));
	assert_true(query_deltas_next(&d, 7, 0, 1, 130, &delta));
	assert_int_equal(delta, 30);
	assert_false(query_deltas_next(&d, 7, 0, 0, 120, &delta));
	/* another one has the number */
	assert_false(query_deltas_next(&d, 7, 125, 0, 130, &delta));
	assert_true(query_deltas_next(&d, 7, 125, 0, 140, &delta));
	assert_false(query_deltas_next(&d, 0, 0, 0, 200, &delta));
	assert_false(query_deltas_next(&d, 0, 0, 1, 210, &delta));
	assert_true(query_deltas_next(&d, 0, 0, 0, 220, &delta));
	assert_int_equal(delta, 20);
	for (pid = 1; pid <= 3 * QUERY_TASKS_MAX; pid++)
		query_deltas_next(&d, pid, 0, 0, 300, &delta);
	assert_true(d.n <= QUERY_TASKS_MAX);
	assert_true(query_deltas_next(&d, 3 * QUERY_TASKS_MAX, 0, 0, 301, &delta));
	query_deltas_release(&d);
}

/* A record that ends early: what is not there is unknown, and nothing behind it is read. */
static void test_short(void **state)
{
	struct fixture *f = *state;
	uint32_t size;
	size_t i;

	for (size = 0; size <= RECORD_SIZE; size++) {
		unsigned char *copy = malloc(size ? size : 1);

		assert_non_null(copy);
		memcpy(copy, f->data, size);
		f->rec.data = copy;
		f->rec.size = size;
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			struct tsh_strbuf got = TSH_STRBUF_INIT;

			evaluate(f, cases[i][0], &got);
			tsh_strbuf_release(&got);
		}
		free(copy);
	}
	f->rec.data = f->data;
	f->rec.size = RECORD_SIZE;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_cases, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_splits, setup, teardown),
		cmocka_unit_test(test_deltas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
