/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/decode/special-bprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "events/decode/special.h"
#include "events/symbols/printk-formats.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define FORMAT_ADDRESS	0x81000100
#define IP		0x81000042

/* ---- a kernel: its formats, and how it packs arguments ---- */

struct kernel {
	unsigned int long_size;
	bool big_endian;
	bool small_is_int;		/* 6.15 and later */
};

struct packer {
	struct kernel kernel;
	unsigned char bytes[512];
	size_t len;
};

static void put(struct packer *p, uint64_t value, size_t size)
{
	size_t i, align = size < 4 ? size : 4;

	while (p->len % align)
		p->bytes[p->len++] = 0xee;
	for (i = 0; i < size; i++) {
		size_t byte = p->kernel.big_endian ? size - 1 - i : i;

		p->bytes[p->len++] = (unsigned char)(value >> (8 * byte));
	}
}

static void put_text(struct packer *p, const char *text)
{
	size_t len = strlen(text) + 1;

	memcpy(p->bytes + p->len, text, len);
	p->len += len;
}

/* One letter an argument: h 1, s 2, i 4, q 8 bytes, l a long, c a character, t a text. */
static void pack(struct packer *p, const char *types, const uint64_t *values,
		 const char *const *texts)
{
	for (; *types; types++) {
		switch (*types) {
		case 'h':
			put(p, *values++, p->kernel.small_is_int ? 4 : 1);
			break;
		case 's':
			put(p, *values++, p->kernel.small_is_int ? 4 : 2);
			break;
		case 'i':
			put(p, *values++, 4);
			break;
		case 'q':
			put(p, *values++, 8);
			break;
		case 'l':
			put(p, *values++, p->kernel.long_size);
			break;
		case 'c':
			put(p, *values++, 1);
			break;
		case 't':
			put_text(p, *texts++);
			break;
		}
	}
	while (p->len % 4)
		p->bytes[p->len++] = 0xee;
}

static char *give_formats(void *ctx)
{
	return tsh_xstrdup(ctx);
}

/* ---- printing ---- */

struct fixture {
	struct tsh_decoder d;
	struct tsh_provider provider;
	struct tsh_event_format *format;
	struct tsh_strbuf out;
};

static void fixture_init(struct fixture *f, const struct kernel *kernel, const char *formats)
{
	unsigned int size = kernel->long_size;
	char text[1024];
	int len;

	memset(f, 0, sizeof(*f));
	f->provider.printk_formats = give_formats;
	f->provider.ctx = (void *)(uintptr_t)formats;
	f->d.provider = &f->provider;
	f->d.layout.long_size = size;
	f->d.layout.big_endian = kernel->big_endian;
	f->d.env.pointer.long_size = size;
	f->d.env.pointer.big_endian = kernel->big_endian;
	f->d.printk = printk_formats_new(&f->provider);
	len = snprintf(text, sizeof(text), "name: bprint\nID: 6\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:unsigned long ip;\toffset:8;\tsize:%u;\tsigned:0;\n"
		"\tfield:const char * fmt;\toffset:%u;\tsize:%u;\tsigned:0;\n"
		"\tfield:u32 buf[];\toffset:%u;\tsize:0;\tsigned:0;\n\n"
		"print fmt: \"%%ps: %%s\", (void *)REC->ip, REC->fmt\n",
		size, 8 + size, size, 8 + 2 * size);
	assert_int_equal(tsh_event_format_parse("ftrace", text, (size_t)len, &f->format), 0);
}

static void fixture_release(struct fixture *f)
{
	tsh_event_format_free(f->format);
	printk_formats_free(f->d.printk);
	tsh_special_forget(&f->d);
	tsh_strbuf_release(&f->out);
}

/* The text of a record, in memory of its exact size. */
static const char *print(struct fixture *f, uint64_t address, const void *args, size_t len)
{
	struct packer head = { .kernel = { .long_size = f->d.layout.long_size,
					   .big_endian = f->d.layout.big_endian } };
	struct tsh_record rec = { 0 };
	unsigned char *data;

	put(&head, 6, 4);
	put(&head, 1, 4);
	put(&head, IP, head.kernel.long_size);
	put(&head, address, head.kernel.long_size);
	data = malloc(head.len + len);
	assert_non_null(data);
	memcpy(data, head.bytes, head.len);
	if (len)
		memcpy(data + head.len, args, len);
	rec.data = data;
	rec.size = (uint32_t)(head.len + len);
	tsh_strbuf_clear(&f->out);
	special_print_bprint(&f->d, f->format, &rec, &f->out);
	free(data);
	return f->out.buf;
}

#define PRINTED	"0x81000042: "

static const struct {
	const char *expect;
	const char *format;
	const char *types;
	uint64_t values[8];
	const char *texts[4];
} rows[] = {
	{ "plain\n", "plain\\n", "", { 0 }, { NULL } },
	{ "1 -2 3", "%d %d %u", "iii", { 1, (uint32_t)-2, 3 }, { NULL } },
	{ "a 81 b 100000000", "%c %lx %c %llx", "clcq", { 'a', 0x81, 'b', 1ULL << 32 }, { NULL } },
	{ "[one] [two] 7", "[%s] [%s] %d", "tti", { 7 }, { "one", "two" } },
	{ "[   one|tw|  ]", "[%6s|%.2s|%*s]", "ttit", { 2 }, { "one", "two", "" } },
	{ "  7|007|7  ", "%*d|%.*d|%-*d", "iiiiii", { 3, 7, 3, 7, 3, 7 }, { NULL } },
	{ "-1 255 -2 65534", "%hhd %hhu %hd %hu", "hhss", { 255, 255, 65534, 65534 }, { NULL } },
	{ "5 x 9", "%hhu %s %d", "hti", { 5, 9 }, { "x" } },
	{ "100% 10.0.0.1 5", "100%% %pI4 %d", "ti", { 5 }, { "10.0.0.1" } },
	{ "c0 ff ee|eth0", "%*ph|%10pd", "itt", { 3 }, { "c0 ff ee", "eth0" } },
	{ "-ENOENT|0x81000042|2", "%pe|%pS|%d", "lli", { (uint64_t)-2, IP, 2 }, { NULL } },
	{ "say \"x\"\ty \\z 1", "say \\\"x\\\"\\ty \\z %d", "i", { 1 }, { NULL } },
	{ "1 ", "%d %n %d", "ii", { 1, 2 }, { NULL } },
};

static void check_kernel(struct kernel kernel)
{
	char formats[256];
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		struct packer packer = { .kernel = kernel };
		struct fixture f;
		const char *text;

		snprintf(formats, sizeof(formats), "0x10 : \"other %%s\"\n0x%x : \"%s\"\n",
			 FORMAT_ADDRESS, rows[i].format);
		fixture_init(&f, &kernel, formats);
		pack(&packer, rows[i].types, rows[i].values, rows[i].texts);
		text = print(&f, FORMAT_ADDRESS, packer.bytes, packer.len);
		assert_memory_equal(text, PRINTED, sizeof(PRINTED) - 1);
		assert_string_equal(text + sizeof(PRINTED) - 1, rows[i].expect);
		fixture_release(&f);
	}
}

static void test_kernels(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		struct kernel kernel = { .long_size = i & 1 ? 4 : 8, .big_endian = i & 2,
					 .small_is_int = i & 4 };

		check_kernel(kernel);
	}
}

/* A kernel's way to pack small numbers is kept from the record that showed it. */
static void test_small_is_learned(void **state)
{
	static const char formats[] = "0x20 : \"%hhd %hhd %hhd\"\n0x30 : \"%hhd %s\"\n";
	static const uint64_t values[] = { 1, 2, 3 };
	static const char *const texts[] = { "abc" };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct kernel kernel = { .long_size = 8, .small_is_int = i };
		struct packer clear = { .kernel = kernel }, unclear = { .kernel = kernel };
		struct fixture f;

		fixture_init(&f, &kernel, formats);
		pack(&clear, "hhh", values, NULL);
		pack(&unclear, "ht", values, texts);
		assert_string_equal(print(&f, 0x20, clear.bytes, clear.len), PRINTED "1 2 3");
		assert_string_equal(print(&f, 0x30, unclear.bytes, unclear.len), PRINTED "1 abc");
		fixture_release(&f);
	}
}

static void test_unknown(void **state)
{
	static const struct kernel kernel = { .long_size = 8 };
	static const unsigned char args[] = { 1, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 9 };
	struct fixture f;

	(void)state;
	fixture_init(&f, &kernel, "");
	assert_string_equal(print(&f, 0x1234, args, sizeof(args)),
			    PRINTED "0x1234 00000001 12345678");
	assert_string_equal(print(&f, 0x1234, NULL, 0), PRINTED "0x1234");
	f.d.env.pointer.hidden = hidden_pointers_new();
	assert_string_equal(print(&f, 0x1234, args, 8), PRINTED "ptr-1 (2 words)");
	hidden_pointers_free(f.d.env.pointer.hidden);
	f.provider.printk_formats = NULL;
	printk_formats_forget(f.d.printk);
	assert_null(printk_formats_find(f.d.printk, 0x1234));
	fixture_release(&f);
}

/* Records that end anywhere, formats of anything. */
static void test_hostile(void **state)
{
	static const struct kernel kernel = { .long_size = 8 };
	static const char formats[] =
		"0x1 : \"%*.*s %d %s %hd %lld %pS %pI4 %c\"\n"
		"0x2\n0x : \"x\"\n0x3 : \"\n0x4 : \"%s\n0xzz : \"a\"\n : \"\"\n\n"
		"0x5 : \"%\"\n0x6 : \"\"\n0xffffffffffffffffffff : \"big\"\n"
		"0x7 : \"\\\"\n0x8 : \"%8388607d%8388607s\"";
	unsigned char args[64];
	struct fixture f;
	size_t len, i;

	(void)state;
	fixture_init(&f, &kernel, formats);
	for (i = 0; i < sizeof(args); i++)
		args[i] = (unsigned char)(i * 37);
	for (len = 0; len <= sizeof(args); len++)
		for (i = 0; i <= 9; i++)
			assert_memory_equal(print(&f, i, args, len), PRINTED, sizeof(PRINTED) - 1);
	memset(args, 'a', sizeof(args));
	assert_string_equal(print(&f, 8, args, 4) + f.out.len - 10, "1633771873");
	assert_null(printk_formats_find(f.d.printk, 3));
	assert_string_equal(printk_formats_find(f.d.printk, 6), "");
	fixture_release(&f);
}

static unsigned int reads;

static char *count_reads(void *ctx)
{
	(void)ctx;
	reads++;
	return tsh_xstrdup(reads < 3 ? "" : "0x77 : \"new\"\n");
}

/* A list is read at the first question, and when new texts may have come. */
static void test_reading(void **state)
{
	static const struct tsh_provider provider = { .printk_formats = count_reads };
	struct printk_formats *formats = printk_formats_new(&provider);
	unsigned int i;

	(void)state;
	assert_int_equal(reads, 0);
	assert_null(printk_formats_find(formats, 0x77));
	assert_int_equal(reads, 1);
	assert_null(printk_formats_find(formats, 0x77));
	assert_string_equal(printk_formats_find(formats, 0x77), "new");
	for (i = 0; i < 1000; i++)
		assert_null(printk_formats_find(formats, 0x88));
	assert_in_range(reads, 3, 14);
	i = reads;
	printk_formats_forget(formats);
	assert_string_equal(printk_formats_find(formats, 0x77), "new");
	assert_int_equal(reads, i + 1);
	printk_formats_free(formats);
	assert_null(printk_formats_find(NULL, 0x77));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_small_is_learned),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
