/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/decode/decode.h"
#include "fixtures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMON \
	"unsigned short common_type 0+2 int u\n" \
	"unsigned char common_flags 2+1 int u\n" \
	"unsigned char common_preempt_count 3+1 int u\n" \
	"int common_pid 4+4 int s\n"

#define HEAD	"name: x\nID: 7\nformat:\n"

/* Of Linux 6.18, x86-64. */
static const struct {
	const char *system, *name;
	unsigned int id;
	const char *fields;
} real[] = {
	{ "sched", "sched_switch", 372, COMMON
	  "char[16] prev_comm 8+16 chars/1 u\n"
	  "pid_t prev_pid 24+4 int s\n"
	  "int prev_prio 28+4 int s\n"
	  "long prev_state 32+8 int s\n"
	  "char[16] next_comm 40+16 chars/1 u\n"
	  "pid_t next_pid 56+4 int s\n"
	  "int next_prio 60+4 int s\n" },
	{ "syscalls", "sys_enter_openat", 782, COMMON
	  "int __syscall_nr 8+4 int s\n"
	  "int dfd 16+8 int u\n"
	  "const char * filename 24+8 pointer u\n"
	  "int flags 32+8 int u\n"
	  "umode_t mode 40+8 int u\n" },
	{ "syscalls", "sys_exit_openat", 781, COMMON
	  "int __syscall_nr 8+4 int s\n"
	  "long ret 16+8 int s\n" },
	{ "net", "netif_receive_skb", 2303, COMMON
	  "void * skbaddr 8+8 pointer u\n"
	  "unsigned int len 16+4 int u\n"
	  "__data_loc char[] name 20+4 string/1 u\n" },
	{ "kmem", "kmalloc", 658, COMMON
	  "unsigned long call_site 8+8 int u\n"
	  "const void * ptr 16+8 pointer u\n"
	  "size_t bytes_req 24+8 int u\n"
	  "size_t bytes_alloc 32+8 int u\n"
	  "unsigned long gfp_flags 40+8 int u\n"
	  "int node 48+4 int s\n" },
	{ "task", "task_rename", 204, COMMON
	  "pid_t pid 8+4 int s\n"
	  "char[16] oldcomm 12+16 chars/1 u\n"
	  "char[16] newcomm 28+16 chars/1 u\n"
	  "short oom_score_adj 44+2 int s\n" },
	{ "ftrace", "print", 5, COMMON
	  "unsigned long ip 8+8 int u\n"
	  "char[] buf 16+0 chars/1 u\n" },
	{ "ftrace", "kernel_stack", 4, COMMON
	  "int size 8+4 int s\n"
	  "unsigned long[8] caller 16+64 array/8 u\n" },
	{ "ftrace", "raw_data", 19, COMMON
	  "unsigned int id 8+4 int u\n"
	  "char[] buf 12+0 chars/1 u\n" },
	{ "ftrace", "bprint", 6, COMMON
	  "unsigned long ip 8+8 int u\n"
	  "const char * fmt 16+8 pointer u\n"
	  "u32[] buf 24+0 array/4 u\n" },
	{ "ipi", "ipi_send_cpumask", 353, COMMON
	  "__data_loc cpumask_t cpumask 8+4 dynamic/0 u\n"
	  "void * callsite 16+8 pointer u\n"
	  "void * callback 24+8 pointer u\n" },
	{ "dma", "dma_map_sg", 431, COMMON
	  "__data_loc char[] device 8+4 string/1 u\n"
	  "int full_nents 12+4 int s\n"
	  "int full_ents 16+4 int s\n"
	  "bool truncated 20+1 int u\n"
	  "__data_loc u64[] phys_addrs 24+4 dynamic/8 u\n"
	  "__data_loc u64[] dma_addrs 28+4 dynamic/8 u\n"
	  "__data_loc unsigned int[] lengths 32+4 dynamic/4 u\n"
	  "enum dma_data_direction dir 36+4 int u\n"
	  "unsigned long attrs 40+8 int u\n" },
};

static void describe(const struct tsh_event_format *format, struct tsh_strbuf *out)
{
	static const char *const kinds[] = { "int", "pointer", "chars", "string", "array",
					     "dynamic" };
	size_t i;

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *f = &format->fields[i];

		tsh_strbuf_addf(out, "%s %s %u+%u %s", f->type, f->name, (unsigned int)f->offset,
				(unsigned int)f->size, kinds[f->kind]);
		if (f->kind >= TSH_FIELD_CHARS)
			tsh_strbuf_addf(out, "/%u", (unsigned int)f->element_size);
		tsh_strbuf_addf(out, " %s%s\n", f->is_signed ? "s" : "u",
				f->is_relative ? " relative" : "");
		assert_int_equal(f->is_common, !strncmp(f->name, "common_", 7));
	}
}

static void test_real(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		char *text = read_fixture(real[i].name);
		struct tsh_strbuf got = TSH_STRBUF_INIT;
		struct tsh_event_format *format;
		const char *print_fmt = strstr(text, "print fmt: ") + strlen("print fmt: ");

		assert_int_equal(tsh_event_format_parse(real[i].system, text, strlen(text), &format),
				 0);
		assert_string_equal(format->system, real[i].system);
		assert_string_equal(format->name, real[i].name);
		assert_int_equal(format->id, real[i].id);
		describe(format, &got);
		assert_string_equal(got.buf, real[i].fields);
		assert_int_equal(strlen(format->print_fmt), strlen(print_fmt) - 1);
		assert_memory_equal(format->print_fmt, print_fmt, strlen(format->print_fmt));
		assert_non_null(tsh_event_format_field(format, "common_pid"));
		assert_null(tsh_event_format_field(format, "common"));
		tsh_event_format_free(format);
		tsh_strbuf_release(&got);
		free(text);
	}
}

/* The only field of a format, as describe() has it; NULL when the format is bad. */
static const char *one_field(const char *line)
{
	static char ret[1024];
	struct tsh_strbuf text = TSH_STRBUF_INIT, got = TSH_STRBUF_INIT;
	struct tsh_event_format *format;
	bool good;

	tsh_strbuf_addf(&text, HEAD "\t%s\n\nprint fmt: \"\"\n", line);
	good = tsh_event_format_parse("s", text.buf, text.len, &format) == 0;
	if (good) {
		describe(format, &got);
		assert_true(got.len < sizeof(ret));
		memcpy(ret, got.len ? got.buf : "", got.len + 1);
		tsh_event_format_free(format);
	}
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&got);
	return good ? ret : NULL;
}

static const struct {
	const char *line, *field;	/* NULL: an error */
} declarations[] = {
	{ "field:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;",
	  "unsigned long[6] args 16+48 array/8 u\n" },
	{ "field:unsigned long args[6];\toffset:16;\tsize:24;\tsigned:0;",
	  "unsigned long[6] args 16+24 array/4 u\n" },
	{ "field:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;",
	  "unsigned long[] args 24+0 array/0 u\n" },
	{ "field:s16 v[3];\toffset:8;\tsize:6;\tsigned:1;", "s16[3] v 8+6 array/2 s\n" },
	{ "field:const void *const attr;\toffset:16;\tsize:8;\tsigned:0;", "const void *const attr 16+8 pointer u\n" },
	{ "field:char * restrict p;\toffset:8;\tsize:4;\tsigned:0;", "char * restrict p 8+4 pointer u\n" },
	{ "field:const int n;\toffset:8;\tsize:4;\tsigned:1;", "const int n 8+4 int s\n" },
	{ "field:void *const v[];\toffset:8;\tsize:0;\tsigned:0;", "void *const[] v 8+0 array/0 u\n" },
	{ "field:__u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;", "__u8[6] mac 8+6 array/1 u\n" },
	{ "field:u8 m[2][4];\toffset:8;\tsize:8;\tsigned:0;", "u8[2][4] m 8+8 array/4 u\n" },
	{ "field:struct in6_addr a[2];\toffset:8;\tsize:32;\tsigned:0;",
	  "struct in6_addr[2] a 8+32 array/1 u\n" },
	{ "field:struct timespec64 t;\toffset:8;\tsize:16;\tsigned:0;",
	  "struct timespec64 t 8+16 array/1 u\n" },
	{ "field:char x[3 * 4 + 1];\toffset:8;\tsize:13;\tsigned:1;",
	  "char[3 * 4 + 1] x 8+13 chars/1 s\n" },
	{ "field:char prev_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;",
	  "char[TASK_COMM_LEN] prev_comm 8+16 chars/1 s\n" },
	{ "field:int v[MAX];\toffset:8;\tsize:16;\tsigned:1;", "int[MAX] v 8+16 array/4 s\n" },
	{ "field:void *p[2];\toffset:8;\tsize:16;\tsigned:0;", "void *[2] p 8+16 array/8 u\n" },
	{ "field:const char *s;\toffset:8;\tsize:4;\tsigned:0;",
	  "const char * s 8+4 pointer u\n" },
	{ "field:struct page * p;\toffset:8;\tsize:8;\tsigned:0;",
	  "struct page * p 8+8 pointer u\n" },
	{ "field:__rel_loc char[] s;\toffset:8;\tsize:4;\tsigned:1;",
	  "__rel_loc char[] s 8+4 string/1 s relative\n" },
	{ "field:__rel_loc u32[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__rel_loc u32[] s 8+4 dynamic/4 u relative\n" },
	{ "field:__data_loc unsigned long[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc unsigned long[] s 8+4 dynamic/0 u\n" },
	{ "field:__data_loc unsigned long long[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc unsigned long long[] s 8+4 dynamic/8 u\n" },
	{ "field:__data_loc short int[] s;\toffset:8;\tsize:4;\tsigned:1;",
	  "__data_loc short int[] s 8+4 dynamic/2 s\n" },
	{ "field:__data_loc __u8[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc __u8[] s 8+4 dynamic/1 u\n" },
	{ "field:__data_loc struct x[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc struct x[] s 8+4 dynamic/1 u\n" },
	{ "field:__data_loc enum x[] s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc enum x[] s 8+4 dynamic/4 u\n" },
	/* of a synthetic event */
	{ "field:__data_loc char[] s;\toffset:8;\tsize:8;\tsigned:0;",
	  "__data_loc char[] s 8+8 string/1 u\n" },
	/* no word of length and offset */
	{ "field:__data_loc char[] s;\toffset:8;\tsize:2;\tsigned:0;",
	  "__data_loc char[] s 8+2 int u\n" },
	{ "field:__data_loc s;\toffset:8;\tsize:4;\tsigned:0;",
	  "__data_loc s 8+4 int u\n" },
	{ "field special:char buf[4];\toffset:8;\tsize:4;", "char[4] buf 8+4 chars/1 u\n" },
	{ "field:u8 b;\toffset:65535;\tsize:1;\tsigned:0;", "u8 b 65535+1 int u\n" },
	{ "field:x3 b;\toffset:8;\tsize:3;\tsigned:0;", "x3 b 8+3 array/1 u\n" },
	{ "field:b;\toffset:8;\tsize:4;\tsigned:0;", " b 8+4 int u\n" },
	{ "field:*;\toffset:8;\tsize:8;\tsigned:0;", "*  8+8 pointer u\n" },
	{ "field:*;\toffset:8;\tsize:2;\tsigned:0;", "*  8+2 int u\n" },
	{ "field:];\toffset:8;\tsize:8;\tsigned:0;", "]  8+8 array/1 u\n" },
	{ "field:[];\toffset:8;\tsize:8;\tsigned:0;", "[]  8+8 array/1 u\n" },
	{ "field:[0];\toffset:8;\tsize:8;\tsigned:0;", "[0]  8+8 array/1 u\n" },
	{ "field:int x[0];\toffset:8;\tsize:8;\tsigned:0;", "int[0] x 8+8 array/4 u\n" },
	{ "field:void (*f)(int);\toffset:8;\tsize:8;\tsigned:0;",
	  "void (*f)(int)  8+8 int u\n" },
	{ "something else", "" },
	{ "field:int x;\toffset:8;", NULL },
	{ "field:int x;\tsize:8;", NULL },
	{ "field:int x\toffset:8;\tsize:4", NULL },
	{ "field:int x", NULL },
	{ "field:;\toffset:8;\tsize:4;", NULL },
	{ "field:int x;\toffset:65536;\tsize:4;", NULL },
	{ "field:int x;\toffset:8;\tsize:65536;", NULL },
	{ "field:int x;\toffset:-8;\tsize:4;", NULL },
	{ "field:int x;\toffset:8;\tsize:99999999999999999999;", NULL },
};

static void test_declarations(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++) {
		const char *got = one_field(declarations[i].line);

		if (!declarations[i].field || !got) {
			if (got || declarations[i].field)
				fail_msg("'%s': %s", declarations[i].line, got ? got : "bad");
			continue;
		}
		assert_string_equal(got, declarations[i].field);
	}
}

static int parse(const char *text, size_t len, struct tsh_event_format **ret)
{
	return tsh_event_format_parse("s", text, len, ret);
}

static void test_head(void **state)
{
	static const char *const bad[] = {
		"", "name: x\n", "ID: 7\n", "name: x\nname: y\nID: 7\n", "name: x\nID: 7\nID: 8\n",
		"name:\nID: 7\n", "name: x\nID: 65536\n", "name: x\nID: -1\n", "name: x\nID: 7x\n",
		"name: x\nID:\n", "print fmt: \"\"\nname: x\nID: 7\n",
	};
	static const char nul[] = "name: x\0y\nID: 7\n";
	struct tsh_event_format *format;
	struct tsh_strbuf many = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(bad[i], strlen(bad[i]), &format), -EINVAL);
	assert_int_equal(parse(nul, sizeof(nul) - 1, &format), -EINVAL);
	assert_int_equal(parse(HEAD, strlen(HEAD), &format), 0);
	assert_string_equal(format->print_fmt, "");
	assert_int_equal(format->nfields, 0);
	assert_string_equal(format->label, "x");
	tsh_event_format_free(format);
	tsh_event_format_free(NULL);

	/* a print format of several lines; fields of one name: the first is found */
	tsh_strbuf_adds(&many, HEAD "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
			"\tfield:int a;\toffset:12;\tsize:4;\tsigned:1;\n\n"
			"print fmt: \"%d\n\tfield:b\" , REC->a\n\n");
	assert_int_equal(parse(many.buf, many.len, &format), 0);
	assert_int_equal(format->nfields, 2);
	assert_int_equal(tsh_event_format_field(format, "a")->offset, 8);
	assert_string_equal(format->print_fmt, "\"%d\n\tfield:b\" , REC->a");
	tsh_event_format_free(format);

	tsh_strbuf_clear(&many);
	tsh_strbuf_adds(&many, HEAD);
	for (i = 0; i < 2000; i++)
		tsh_strbuf_adds(&many, "field:int a;\toffset:8;\tsize:4;\n");
	assert_int_equal(parse(many.buf, many.len, &format), -EINVAL);
	tsh_strbuf_clear(&many);
	tsh_strbuf_adds(&many, HEAD);
	tsh_strbuf_addn(&many, '\n', 1 << 20);
	assert_int_equal(parse(many.buf, many.len, &format), -EINVAL);
	tsh_strbuf_release(&many);
}

static void test_label(void **state)
{
	static const struct {
		const char *system, *name, *label;
		bool in_text;
	} table[] = {
		{ "sched", "sched_switch", "sched_switch", false },
		{ "syscalls", "sys_enter_openat", "sys_enter_openat", true },
		{ "syscalls", "sys_exit_openat", "sys_exit_openat", true },
		{ "syscalls", "other", "other", false },
		{ "raw_syscalls", "sys_enter", "sys_enter", false },
		{ "mine", "sys_enter_openat", "sys_enter_openat", false },
		{ "ftrace", "print", "tracing_mark_write", false },
		{ "mine", "print", "print", false },
		{ "ftrace", "function", "function", true },
		{ "ftrace", "kernel_stack", "kernel_stack", true },
		{ "ftrace", "hwlat", "hwlat", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tsh_event_format *format;
		char text[100];
		int len = snprintf(text, sizeof(text), "name: %s\nID: 1\n", table[i].name);

		assert_int_equal(tsh_event_format_parse(table[i].system, text, (size_t)len,
							&format), 0);
		assert_string_equal(format->label, table[i].label);
		assert_int_equal(format->label_in_text, table[i].in_text);
		tsh_event_format_free(format);
	}
}

/* ---- hostile ---- */

static uint64_t xorshift(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Values of every field, from records of every length up to 128 bytes. */
static void read_values(const struct tsh_decoder *d, const struct tsh_event_format *format,
			uint64_t *seed)
{
	unsigned char *block = malloc(128);
	uint64_t sum = 0, word;
	size_t len = xorshift(seed) % 129, i, k;
	struct tsh_record rec = { .size = (uint32_t)len };

	assert_non_null(block);
	for (i = 0; i < 128; i += 8) {
		word = xorshift(seed) & UINT64_C(0x003f003f003f003f);
		memcpy(block + i, &word, 8);
	}
	rec.data = block + 128 - len;
	for (i = 0; i < format->nfields; i++) {
		struct tsh_field_value value, element;

		tsh_decoder_value(d, &format->fields[i], &rec, &value);
		if (value.kind == TSH_VALUE_STRING || value.kind == TSH_VALUE_ARRAY) {
			assert_true(value.len <= len);
			for (k = 0; k < value.len; k++)
				sum += (unsigned char)value.bytes[k];
		}
		for (k = 0; tsh_decoder_element(d, &format->fields[i], &value, k, &element); k++)
			sum += element.u;
	}
	assert_true(sum + 1 > 0);
	free(block);
}

static int no_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	(void)id;
	(void)ret_system;
	(void)ret_text;
	return -ENOENT;
}

static void mutate(char *text, size_t *len, uint64_t *seed)
{
	static const char odd[] = "\n\t ;:[]*_0197field:name:ID:offset:size:signed:\0\xff";
	size_t n = 1 + xorshift(seed) % 8, at, from, count;

	while (n--) {
		at = xorshift(seed) % *len;
		switch (xorshift(seed) % 4) {
		case 0:
			text[at] = (char)xorshift(seed);
			break;
		case 1:
			text[at] = odd[xorshift(seed) % sizeof(odd)];
			break;
		case 2:		/* a piece of it over another */
			from = xorshift(seed) % *len;
			count = xorshift(seed) % 64;
			if (at + count < *len && from + count < *len)
				memmove(text + at, text + from, count);
			break;
		default:
			if (xorshift(seed) % 8 == 0 && *len > 1)
				*len = 1 + at;
			break;
		}
	}
}

static void test_mutations(void **state)
{
	const struct tsh_page_layout layout = { 8, 16, 4096, true };
	const struct tsh_provider provider = { .format = no_format };
	struct tsh_decoder *d = tsh_decoder_new(&provider, &layout);
	uint64_t seed = UINT64_C(0xf0f1f2f3f4f5f6f7);
	size_t i, good = 0;
	int round;

	(void)state;
	for (i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		char *text = read_fixture(real[i].name);
		size_t full = strlen(text);

		for (round = 0; round < 5000; round++) {
			struct tsh_event_format *format;
			/* without a NUL behind it */
			size_t len = full > 900 ? 900 : full;
			char *copy = malloc(len);

			assert_non_null(copy);
			memcpy(copy, text, len);
			mutate(copy, &len, &seed);
			copy = realloc(copy, len);
			assert_non_null(copy);
			if (!parse(copy, len, &format)) {
				good++;
				read_values(d, format, &seed);
				tsh_event_format_free(format);
			}
			free(copy);
		}
		free(text);
	}
	assert_true(good > 1000);
	tsh_decoder_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
