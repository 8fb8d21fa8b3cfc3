/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_PROGRAMS_H
#define TESTS_UNIT_PROGRAMS_H

#include "base/utf8.h"
#include "events/printfmt/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events/decode/special-bprint.h"
#include "events/symbols/printk-formats.h"
#include "events/symbols/symbols.h"

/*
 * Makes one event with fields of all kinds, and one record of it, in both byte orders and for both
 * sizes of the kernel's long. Runs print formats on the record, and compares with the text that the
 * kernel would print.
 */

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define LONG 0				/* is replaced by the size of the kernel's long */

struct value {
	const char *type, *name;
	unsigned int size, is_signed;
	uint64_t value;
};

static const struct value numbers[] = {
	{ "unsigned short", "common_type", 2, 0, 1 },
	{ "unsigned char", "common_flags", 1, 0, 0x18 },
	{ "unsigned char", "common_preempt_count", 1, 0, 0 },
	{ "int", "common_pid", 4, 1, 42 },
	{ "s8", "n8", 1, 1, UINT64_MAX },
	{ "s16", "n16", 2, 1, UINT64_MAX },
	{ "s32", "n32", 4, 1, UINT64_MAX },
	{ "s64", "n64", 8, 1, UINT64_MAX },
	{ "u8", "u8", 1, 0, 200 },
	{ "u16", "u16", 2, 0, 60000 },
	{ "u32", "u32", 4, 0, 4000000000 },
	{ "u64", "u64", 8, 0, 12345678901234567890U },
	{ "int", "one", 4, 1, 1 },
	{ "int", "zero", 4, 1, 0 },
	{ "unsigned int", "dev", 4, 0, (8 << 20) | 3 },
	{ "unsigned long", "flags", LONG, 0, 0x85 },
	{ "long", "state", LONG, 1, 0x102 },
	{ "s64", "ns", 8, 1, 12345678912 },
	{ "u16", "port", 2, 0, 0x1234 },
	{ "bool", "yes", 1, 0, 1 },
	{ "const char *", "label", LONG, 0, 0x81000010 },
	{ "const char *", "nobody", LONG, 0, 0x82000000 },
	{ "const char *", "null", LONG, 0, 0 },
	{ "void *", "ip", LONG, 0, 0x80001010 },
};

/* Describes a field that is no number. Dynamic fields lie behind all others. */
struct bytes {
	const char *type, *name;
	unsigned int element;		/* size of the numbers in `data`; the record gets them in
					 * its byte order */
	const char *data;
	size_t len;
	enum { FIXED, DYNAMIC, RELATIVE } place;
};
#define BYTES(text) (text), sizeof(text) - 1

static const struct bytes arrays[] = {
	{ "char", "comm", 1, BYTES("bash\0junkjunkjun"), FIXED },
	{ "char", "full", 1, BYTES("0123456789abcdef"), FIXED },
	{ "char", "short_name", 1, BYTES("eth0\0\0\0\0"), FIXED },
	{ "u8", "mac", 1, BYTES("\x02\x00\x5e\x10\x20\xff"), FIXED },
	{ "u8", "ip4", 1, BYTES("\x0a\x00\x00\x01"), FIXED },
	{ "u8", "id", 1, BYTES("\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef"),
	  FIXED },
	{ "u32", "words", 4, BYTES("\1\0\0\0\x20\0\0\0\xff\xff\xff\xff"), FIXED },
	{ "char", "str", 1, BYTES("hello\0"), DYNAMIC },
	{ "char", "empty", 1, BYTES("\0"), DYNAMIC },
	{ "u8", "blob", 1, BYTES("0123456789ABCDEFGHI\n"), DYNAMIC },
	{ "u64", "longs", 8, BYTES("\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80"), DYNAMIC },
	{ "u16", "shorts", 2, BYTES("\1\0\2\0\xff\xff"), DYNAMIC },
	{ "unsigned long", "cpus", LONG, BYTES("\x0f\0\0\0\1\0\0\0"), DYNAMIC },
	{ "unsigned long", "stack", LONG, BYTES("\1\0\0\0\0\0\0\0\x10\x10\0\x80\0\0\0\0"),
		  DYNAMIC },
	{ "char", "rel", 1, BYTES("related\0"), RELATIVE },
	{ "u32", "relwords", 4, BYTES("\5\0\0\0\6\0\0\0"), RELATIVE },
};

struct world {
	struct tsh_provider provider;
	struct program_env env;
	struct printk_formats *printk;
	struct tsh_event_format *format;
	struct tsh_strbuf text;		/* the format file up to "print fmt: " */
	unsigned char record[1024];
	uint32_t size;
	uint32_t fixed_size;		/* without the dynamic fields */
	bool big;
	unsigned int long_size;
};

/* ---- the provider ---- */

static inline bool provide_variable(void *ctx, const char *name, uint64_t *ret)
{
	static const struct {
		const char *name;
		uint64_t value;
	} all[] = { { "HZ", 250 }, { "jiffies", 5000 }, { "vmemmap_base", 0x7fea0000 } };
	size_t i;

	(void)ctx;
	for (i = 0; i < N(all); i++)
		if (!strcmp(all[i].name, name)) {
			*ret = all[i].value;
			return true;
		}
	return false;
}

static inline char *provide_printk_formats(void *ctx)
{
	(void)ctx;
	return strdup("0x81000010 : \"rcu \\\"sched\\\"\\n\"\nbad line\n0x81000020 : \"x\n");
}

static inline bool provide_memory(void *ctx, uint64_t address, void *ret, size_t len)
{
	static const char memory[128] = "in memory";

	(void)ctx;
	if (address < 0x81000100 || address + len > 0x81000100 + sizeof(memory))
		return false;
	memcpy(ret, memory + (address - 0x81000100), len);
	return true;
}

static inline int provide_kallsyms(void *ctx)
{
	static const char text[] = "80001000 T do_it\n80002000 T next\n";
	FILE *f = tmpfile();
	int fd;

	(void)ctx;
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, sizeof(text) - 1, f), sizeof(text) - 1);
	(void)fflush(f);
	fd = dup(fileno(f));
	(void)fclose(f);
	(void)lseek(fd, 0, SEEK_SET);
	return fd;
}

/* ---- the record ---- */

static inline void put(struct world *w, uint32_t at, uint64_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		w->record[at + (w->big ? size - 1 - i : i)] = (unsigned char)(value >> 8 * i);
}

static inline uint32_t align(uint32_t at, unsigned int size)
{
	return (at + size - 1) / size * size;
}

static inline void add_number(struct world *w, const struct value *v)
{
	unsigned int size = v->size ? v->size : w->long_size;

	w->size = align(w->size, size);
	tsh_strbuf_addf(&w->text, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%u;\n", v->type,
			v->name, w->size, size, v->is_signed);
	put(w, w->size, v->value, size);
	w->size += size;
}

/* Writes the numbers, which `data` has in little-endian order. */
static inline void put_bytes(struct world *w, uint32_t at, const struct bytes *b)
{
	unsigned int size = b->element ? b->element : w->long_size;
	uint64_t value;
	size_t i, k;

	for (i = 0; i + size <= b->len; i += size) {
		for (value = 0, k = 0; k < size; k++)
			value |= (uint64_t)(unsigned char)b->data[i + k] << 8 * k;
		put(w, at + (uint32_t)i, value, size);
	}
}

static inline void add_fixed(struct world *w, const struct bytes *b)
{
	w->size = align(w->size, 8);
	tsh_strbuf_addf(&w->text, "\tfield:%s %s[%zu];\toffset:%u;\tsize:%zu;\tsigned:0;\n",
			b->type, b->name, b->len / b->element, w->size, b->len);
	put_bytes(w, w->size, b);
	w->size += (uint32_t)b->len;
}

static inline void add_word(struct world *w, const struct bytes *b)
{
	w->size = align(w->size, 4);
	tsh_strbuf_addf(&w->text, "\tfield:__%s_loc %s[] %s;\toffset:%u;\tsize:4;\tsigned:0;\n",
			b->place == RELATIVE ? "rel" : "data", b->type, b->name, w->size);
	w->size += 4;
}

static inline uint32_t word_offset(const struct world *w, const char *name)
{
	const struct tsh_field *field = tsh_event_format_field(w->format, name);

	assert_non_null(field);
	return field->offset;
}

static inline void add_dynamic(struct world *w, const struct bytes *b)
{
	uint32_t word = word_offset(w, b->name), at = align(w->size, 8);

	put_bytes(w, at, b);
	put(w, word, (b->place == RELATIVE ? at - word - 4 : at) | (uint32_t)b->len << 16, 4);
	w->size = at + (uint32_t)b->len;
}

static inline struct tsh_event_format *parse(const struct world *w, const char *print_fmt)
{
	struct tsh_event_format *format;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_add(&text, w->text.buf, w->text.len);
	tsh_strbuf_adds(&text, print_fmt);
	tsh_strbuf_addc(&text, '\n');
	assert_int_equal(tsh_event_format_parse("test", text.buf, text.len, &format), 0);
	tsh_strbuf_release(&text);
	for (i = 0; i < format->nfields; i++)
		if (!format->fields[i].element_size)
			format->fields[i].element_size = w->long_size;
	return format;
}

static inline void set_up(struct world *w, bool big, unsigned int long_size)
{
	size_t i;

	memset(w, 0, sizeof(*w));
	w->big = big;
	w->long_size = long_size;
	w->provider = (struct tsh_provider){ .variable = provide_variable,
		.printk_formats = provide_printk_formats, .memory = provide_memory,
		.kallsyms = provide_kallsyms };
	w->env.provider = &w->provider;
	w->env.layout = (struct tsh_page_layout){ long_size, 16, 4096, big };
	w->printk = printk_formats_new(&w->provider);
	w->env.strings = kernel_strings_new(&w->provider, w->printk);
	w->env.pointer = (struct pointer_env){ .long_size = long_size, .big_endian = big,
		.symbols = tsh_symbols_new(&w->provider) };
	tsh_strbuf_adds(&w->text, "name: event\nID: 1\nformat:\n");
	for (i = 0; i < N(numbers); i++)
		add_number(w, &numbers[i]);
	for (i = 0; i < N(arrays); i++)
		if (arrays[i].place == FIXED)
			add_fixed(w, &arrays[i]);
	for (i = 0; i < N(arrays); i++)
		if (arrays[i].place != FIXED)
			add_word(w, &arrays[i]);
	w->fixed_size = w->size;
	tsh_strbuf_adds(&w->text, "\nprint fmt: ");
	w->format = parse(w, "\"\"");
	for (i = 0; i < N(arrays); i++)
		if (arrays[i].place != FIXED)
			add_dynamic(w, &arrays[i]);
}

static inline void tear_down(struct world *w)
{
	tsh_event_format_free(w->format);
	tsh_symbols_free(w->env.pointer.symbols);
	kernel_strings_free(w->env.strings);
	printk_formats_free(w->printk);
	tsh_strbuf_release(&w->text);
}

/* ---- programs ---- */

/* Runs a program on a copy of the record, behind which the sanitizer finds any read. */
static inline bool run(const struct program *p, const unsigned char *data, uint32_t size,
		       struct tsh_strbuf *out)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct tsh_record rec = { .data = copy, .size = size };
	size_t begin = out->len;
	enum program_text made;

	assert_non_null(copy);
	memcpy(copy, data, size);
	made = program_run(p, &rec, out);
	free(copy);
	assert_true(made != PROGRAM_CLEAN || tsh_is_clean(out->buf + begin, out->len - begin));
	return made != PROGRAM_NOTHING;
}

static inline struct program *compile(const struct world *w, const struct tsh_event_format *format)
{
	char *why = NULL;
	struct program *p = program_compile(&w->env, format, &why);

	if (!p)
		fail_msg("%s: %s", format->print_fmt, why);
	assert_null(why);
	return p;
}

static inline void check(const struct world *w, const char *print_fmt, const char *expected)
{
	struct tsh_event_format *format = parse(w, print_fmt);
	struct program *p = compile(w, format);
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&out, "before ");
	if (!run(p, w->record, w->size, &out))
		fail_msg("%s: not printed", print_fmt);
	assert_int_equal(strlen(out.buf), out.len);
	if (strncmp(out.buf, "before ", 7) != 0 || strcmp(out.buf + 7, expected) != 0)
		fail_msg("%s\n  printed  '%s'\n  expected '%s'\n  big endian %d, long %u",
			 print_fmt, out.buf + 7, expected, w->big, w->long_size);
	tsh_strbuf_release(&out);
	program_free(p);
	tsh_event_format_free(format);
}

struct test_case {
	const char *print_fmt;
	const char *expected;
	const char *expected_32;	/* for a long of 4 bytes; NULL: the same text */
};

static inline void check_all(const struct test_case *cases, size_t n)
{
	struct world w;
	unsigned int k;
	size_t i;

	for (k = 0; k < 4; k++) {
		set_up(&w, k & 1, k & 2 ? 4 : 8);
		for (i = 0; i < n; i++)
			check(&w, cases[i].print_fmt, k & 2 && cases[i].expected_32 ?
			      cases[i].expected_32 : cases[i].expected);
		tear_down(&w);
	}
}

#endif
