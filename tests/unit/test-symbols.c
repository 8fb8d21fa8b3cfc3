/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracesh/xmalloc.h"

/* ---- a provider whose kallsyms is a text ---- */

struct source {
	const char *text;
	size_t len;
	unsigned int opened;
	int same_fd;			/* where the next line is, too */
	uint64_t version;		/* LINUX_VERSION_CODE */
};

static bool give_version(void *ctx, const char *name, uint64_t *ret)
{
	const struct source *source = ctx;

	*ret = source->version;
	return !strcmp(name, "LINUX_VERSION_CODE");
}

static int give(void *ctx)
{
	struct source *source = ctx;
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	assert_true(fd >= 0);
	source->opened++;
	assert_int_equal(write(fd, source->text, source->len), source->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* As /proc/kallsyms: of no size, and a piece at a read, here a line. */
static int give_lines(void *ctx)
{
	struct source *source = ctx;
	const char *p = source->text, *end = p + source->len;
	size_t len;
	int fds[2];

	assert_int_equal(pipe2(fds, O_DIRECT | O_CLOEXEC), 0);
	source->opened++;
	for (; p < end; p += len) {
		len = strcspn(p, "\n") + 1;
		assert_int_equal(write(fds[1], p, len), len);
	}
	close(fds[1]);
	if (source->same_fd >= 0)
		close(source->same_fd);
	source->same_fd = dup(fds[0]);
	return fds[0];
}

static int give_none(void *ctx)
{
	(void)ctx;
	return -1;
}

struct asked {
	struct source source;
	struct tsh_provider provider;
	struct tsh_symbols *symbols;
};

/* Set: each address is looked for in the file by itself, as where memory is scarce. */
static bool narrow;

static void begin(struct asked *a, const char *text)
{
	a->source = (struct source){ .text = text, .len = strlen(text), .same_fd = -1 };
	a->provider = (struct tsh_provider){ .kallsyms = give, .ctx = &a->source };
	a->symbols = tsh_symbols_new(&a->provider);
	if (narrow)
		tsh_symbols_bound(a->symbols, 1);
}

static void finish(struct asked *a)
{
	tsh_symbols_free(a->symbols);
}

static void expect(struct asked *a, enum tsh_symbol_style style, uint64_t address, const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	const char *ready;
	size_t len;

	tsh_symbols_print(a->symbols, style, address, &out);
	assert_string_equal(out.buf, text);
	/* from the cache */
	ready = tsh_symbols_text(a->symbols, style, address, &len);
	assert_string_equal(ready, text);
	assert_int_equal(len, strlen(text));
	tsh_strbuf_release(&out);
}

static void expect_none(struct asked *a, uint64_t address)
{
	struct tsh_symbol symbol;

	assert_false(tsh_symbols_find(a->symbols, address, &symbol));
}

/* With the ends of its sections; data is in it. */
static const char kernel[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A cpu_debug_store\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000040 t __pfx_first\n"
	"ffffffff81000050 T first\n"
	"ffffffff81000050 T first_alias\n"
	"ffffffff81000100 T second\n"
	"ffffffff81001000 T _etext\n"
	"ffffffff82000000 D some_data\n"
	"ffffffff82000010 D jiffies\n"
	"ffffffff82000010 D jiffies_64\n"
	"ffffffff83000000 T _sinittext\n"
	"ffffffff83001000 T _einittext\n"
	"ffffffff84000000 B _end\n";

static void test_styles(void **state)
{
	struct tsh_symbol symbol;
	struct asked a;

	(void)state;
	begin(&a, kernel);
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000055, "first");
	expect(&a, TSH_SYMBOL_NAME_MODULE, 0xffffffff81000055, "first");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000055, "first+0x5/0xb0");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000050, "first+0x0/0xb0");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff8100004f, "__pfx_first+0xf/0x10");
	expect(&a, TSH_SYMBOL_BACKTRACE, 0xffffffff81000100, "first+0xb0/0xb0");
	expect(&a, TSH_SYMBOL_BACKTRACE, 0xffffffff81000101, "second+0x1/0xf00");
	assert_true(tsh_symbols_find(a.symbols, 0xffffffff81000101, &symbol));
	assert_string_equal(symbol.name, "second");
	assert_null(symbol.module);
	assert_true(symbol.address == 0xffffffff81000100 && symbol.size == 0xf00);
	assert_true(narrow || a.source.opened == 1);
	finish(&a);
}

static void test_unknown(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, kernel);
	expect(&a, TSH_SYMBOL_OFFSET, 0x1234, "0x1234");
	expect(&a, TSH_SYMBOL_NAME_MODULE, 0, "0x0");
	/* trace_seq_print_sym prints at least eight digits */
	expect(&a, TSH_SYMBOL_NAME, 0x1234, "0x00001234");
	expect(&a, TSH_SYMBOL_BACKTRACE, 0, "0x0");
	expect(&a, TSH_SYMBOL_BACKTRACE, 0xffffffff81000000, "0xffffffff81000000");
	expect_none(&a, 0xffffffff80ffffff);
	expect_none(&a, 0xffffffff84000000);
	expect_none(&a, UINT64_MAX);
	/* percpu symbols are offsets, no addresses */
	expect_none(&a, 0x1000);
	finish(&a);
}

static void test_data(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, kernel);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff82000008, "some_data+0x8/0x10");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff82000010, "jiffies+0x0/0xfffff0");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff83ffffff, "_einittext+0xffefff/0xfff000");
	finish(&a);
}

/* A kernel without CONFIG_KALLSYMS_ALL knows functions only. */
static void test_functions_only(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "ffffffff81000000 T _stext\n"
		  "ffffffff81000100 T only\n"
		  "ffffffff81001000 T _etext\n"
		  "ffffffff82000000 R a_section\n"
		  "ffffffff83000000 T _sinittext\n"
		  "ffffffff83000020 t setup\n"
		  "ffffffff83001000 T _einittext\n");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000fff, "only+0xeff/0xf00");
	expect_none(&a, 0xffffffff81001000);
	expect_none(&a, 0xffffffff82000000);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff83000021, "setup+0x1/0xfe0");
	expect_none(&a, 0xffffffff83001000);
	finish(&a);
}

static void test_addresses(void **state)
{
	uint64_t address = 1;
	struct asked a;

	(void)state;
	begin(&a, kernel);
	assert_true(tsh_symbols_address(a.symbols, "jiffies_64", &address));
	assert_true(address == 0xffffffff82000010);
	assert_true(tsh_symbols_address(a.symbols, "first_alias", &address));
	assert_true(address == 0xffffffff81000050);
	assert_false(tsh_symbols_address(a.symbols, "firs", &address));
	assert_false(tsh_symbols_address(a.symbols, "first_alia", &address));
	assert_false(tsh_symbols_address(a.symbols, "", &address));
	finish(&a);
	begin(&a, "ffffffffc0001000 t same\t[one]\n"
		  "ffffffffc0002000 t same\t[two]\n");
	assert_true(tsh_symbols_address(a.symbols, "same", &address));
	assert_true(address == 0xffffffffc0001000);
	assert_true(tsh_symbols_address(a.symbols, "two:same", &address));
	assert_true(address == 0xffffffffc0002000);
	assert_false(tsh_symbols_address(a.symbols, "three:same", &address));
	finish(&a);
}

/* Those of a module come as its symbol table has them. */
static const char modules[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T core\n"
	"ffffffff84000000 B _end\n"
	"ffffffffc0001100 t late\t[one]\n"
	"ffffffffc0001010 t $x\t[one]\n"
	"ffffffffc0001010 t .L7\t[one]\n"
	"ffffffffc0001010 t early\t[one]\n"
	"ffffffffc0001010 t early_alias\t[one]\n"
	"ffffffffc0003000 d data\t[one]\n"
	"ffffffffc0003010 d more_data\t[one]\n"
	"0000000000005000 a in_percpu\t[one]\n"
	"ffffffffc0101000 t other\t[two]\n"
	"ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0301000 t bpf_prog_6deef7357e7b4530_probe\t[bpf]\n"
	"ffffffffc0301200 t bpf_prog_other\t[bpf]\n";

static void test_modules(void **state)
{
	struct tsh_symbol symbol;
	struct asked a;

	(void)state;
	begin(&a, modules);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0001011, "early+0x1/0xf0 [one]");
	expect(&a, TSH_SYMBOL_NAME_MODULE, 0xffffffffc0001011, "early [one]");
	expect(&a, TSH_SYMBOL_NAME, 0xffffffffc0001011, "early");
	/* up to the end of the module's functions */
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0001100, "late+0x0/0xf00 [one]");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0101fff, "other+0xfff/0x1000 [two]");
	/* as the kernel has it, which counts from there for data, too */
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0003004, "data+0x4/0xfffffffffffff000 [one]");
	assert_true(tsh_symbols_find(a.symbols, 0xffffffffc0001100, &symbol));
	assert_string_equal(symbol.module, "one");
	expect_none(&a, 0xffffffffc0102000);
	expect_none(&a, 0xffffffffc0000fff);
	expect_none(&a, 0x5000);
	finish(&a);
}

/* 6.12.117 counts from one symbol of a module's data to the next. */
static void test_data_of_modules(void **state)
{
	static const struct {
		uint64_t version;
		const char *text;
	} kernels[] = {
		{ 5 << 16 | 10 << 8 | 255, "data+0x4/0xfffffffffffff000 [one]" },
		{ 6 << 16 | 1 << 8 | 170, "data+0x4/0xfffffffffffff000 [one]" },
		{ 6 << 16 | 12 << 8 | 117, "data+0x4/0x10 [one]" },
		{ 7 << 16 | 2 << 8, "data+0x4/0x10 [one]" },
	};
	struct asked a;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		begin(&a, modules);
		a.source.version = kernels[i].version;
		a.provider.variable = give_version;
		expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0003004, kernels[i].text);
		expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0001011, "early+0x1/0xf0 [one]");
		finish(&a);
	}
}

/* What ftrace remembers of the loading of modules comes last, and counts last. */
static void test_init(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "ffffffff81000000 T _stext\n"
		  "ffffffff82000000 B _end\n"
		  "ffffffffc0200000 t begin_two\t[two]\n"
		  "ffffffffc0200040 t end_two\t[two]\n"
		  "ffffffffc0100000 t begin_one\t[one]\n"
		  "ffffffffc0100100 t end_one\t[one]\n"
		  "ffffffffc0400000 t init_two\t[two]\n"
		  "ffffffffc0200020 t init_one\t[one]\n"
		  "ffffffffc0300000 t init_one_more\t[one]\n"
		  "ffffffffc0400100 t bpf_dispatcher\t[bpf]\n");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0300000, "init_one_more+0x0/0x1000 [one]");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0400010, "init_two+0x10/0x1000 [two]");
	/* Something else has been loaded there. */
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0200024, "begin_two+0x24/0x40 [two]");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0400100, "bpf_dispatcher+0x0/0xf00");
	expect_none(&a, 0xffffffffc0301000);
	finish(&a);
}

/* Profilers may know pages of ftrace, kallsyms_lookup does not; nor that BPF is a module. */
static void test_generated_code(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, modules);
	expect_none(&a, 0xffffffffc0201000);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0301010,
	       "bpf_prog_6deef7357e7b4530_probe+0x10/0x200");
	expect(&a, TSH_SYMBOL_NAME_MODULE, 0xffffffffc0301200, "bpf_prog_other");
	expect_none(&a, 0xffffffffc0302000);
	finish(&a);
}

/* kptr_restrict */
static void test_zeros(void **state)
{
	uint64_t address;
	struct asked a;

	(void)state;
	begin(&a, "0000000000000000 T _stext\n0000000000000000 T first\n"
		  "0000000000000000 B _end\n0000000000000000 t other\t[one]\n");
	expect_none(&a, 0);
	expect_none(&a, 0xffffffff81000000);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000000, "0xffffffff81000000");
	assert_false(tsh_symbols_address(a.symbols, "first", &address));
	finish(&a);
}

static void test_none(void **state)
{
	struct tsh_provider provider = { .kallsyms = give_none };
	struct asked a;

	(void)state;
	begin(&a, "");
	expect_none(&a, 0xffffffff81000000);
	finish(&a);
	a.symbols = tsh_symbols_new(&provider);
	expect_none(&a, 0xffffffff81000000);
	finish(&a);
	a.symbols = tsh_symbols_new(NULL);
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000000, "0xffffffff81000000");
	finish(&a);
}

/* A tree's copy may be in any order, and need not say where sections end. */
static void test_unsorted(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "ffffffff81000200 T c\n"
		  "ffffffffc0001000 t m\t[one]\n"
		  "ffffffff81000000 T a\n"
		  "ffffffff81000100 T b\n"
		  "ffffffff81000100 T b_alias\n");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000001, "a+0x1/0x100");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000101, "b+0x1/0x100");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000201, "c+0x1/0xe00");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffffc0001000, "m+0x0/0x1000 [one]");
	finish(&a);
}

static void test_garbage(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "\n\n \nT\nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
		  "ffffffff81000000 T \nxyz T wrong\nffffffff8100000000 T long_address\n"
		  "ffffffff81000000 T half\t[mod\nffffffff81000000 T none\t[]\n"
		  "ffffffff81000000 T good\n"
		  "ffffffff81000010 T also\n"
		  "ffffffff81000020 T cut");
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000001, "good+0x1/0x10");
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000020, "also");
	finish(&a);
	/* 32 bits */
	begin(&a, "c0100000 T _stext\nc0100010 T f\nc0200000 B _end\nbf000000 t g\t[one]\n");
	expect(&a, TSH_SYMBOL_OFFSET, 0xc0100012, "f+0x2/0xffff0");
	expect(&a, TSH_SYMBOL_OFFSET, 0xbf000001, "g+0x1/0x1000 [one]");
	finish(&a);
}

/* Lines longer than any buffer, names longer than any symbol. */
static void test_long_names(void **state)
{
	char *name = tsh_xmalloc(300001), *text, *expected;
	struct asked a;

	(void)state;
	memset(name, 'n', 300000);
	name[300000] = '\0';
	text = tsh_xasprintf("ffffffff81000000 T first\nffffffff81000010 T %s\n"
			     "ffffffff81000020 T %.600s\nffffffff81000030 T __pfx_%.300s\n"
			     "ffffffff81000040 T %.300s\nffffffff81000050 T last\n",
			     name, name, name, name);
	begin(&a, text);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000010, "first+0x10/0x20");
	expected = tsh_xasprintf("%.511s", name);
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000020, expected);
	free(expected);
	expected = tsh_xasprintf("__pfx_%.300s+0x1/0x10", name);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000031, expected);
	expect(&a, TSH_SYMBOL_OFFSET, 0xffffffff81000041, expected + strlen("__pfx_"));
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000050, "last");
	free(expected);
	finish(&a);
	free(text);
	free(name);
}

/* More than fit into one read, over more than 4 GB, half of them with a prefix symbol. */
static void test_many(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const uint64_t step = UINT64_C(0x12345670);
	char expected[64];
	struct asked a;
	unsigned int i;

	(void)state;
	for (i = 1; i <= 5000; i++) {
		if (i % 2)
			tsh_strbuf_addf(&text, "%016llx t __pfx_name_%u\n",
					(unsigned long long)(i * step - 16), i);
		tsh_strbuf_addf(&text, "%016llx T name_%u\n", (unsigned long long)(i * step), i);
	}
	begin(&a, text.buf);
	for (i = 1; i <= 5000; i++) {
		snprintf(expected, sizeof(expected), "name_%u", i);
		expect(&a, TSH_SYMBOL_NAME, i * step + 7, expected);
		snprintf(expected, sizeof(expected), "%sname_%u", i % 2 ? "__pfx_" : "",
			 i % 2 ? i : i - 1);
		if (i > 1)
			expect(&a, TSH_SYMBOL_NAME, i * step - 1, expected);
	}
	finish(&a);
	tsh_strbuf_release(&text);
}

static void test_forget(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "ffffffff81000000 T before\n");
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000000, "before");
	a.source.text = "ffffffff81000000 T behind\n";
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000000, "before");
	tsh_symbols_forget(a.symbols);
	expect(&a, TSH_SYMBOL_NAME, 0xffffffff81000000, "behind");
	assert_int_equal(a.source.opened, 2);
	finish(&a);
}

static bool same_symbol(const struct tsh_symbol *a, const struct tsh_symbol *b)
{
	return a->address == b->address && a->size == b->size && !strcmp(a->name, b->name) &&
	       !a->module == !b->module && (!a->module || !strcmp(a->module, b->module));
}

/*
 * What is read as far as it is asked for says the same as all of it, whatever is asked first;
 * with a bound, too, whether the first address is still found within it or not.
 */
static void expect_same_in_steps(const char *text, uint64_t address, uint64_t then, size_t bound)
{
	struct tsh_symbol symbol = { 0 }, other = { 0 };
	struct asked whole, steps;
	bool found;

	begin(&whole, text);
	begin(&steps, text);
	tsh_symbols_bound(steps.symbols, bound);
	steps.provider.kallsyms = give_lines;
	for (;;) {
		found = tsh_symbols_find(whole.symbols, address, &symbol);
		assert_int_equal(tsh_symbols_find(steps.symbols, address, &other), found);
		if (found)
			assert_true(same_symbol(&symbol, &other));
		if (address == then)
			break;
		address = then;
	}
	close(steps.source.same_fd);
	finish(&whole);
	finish(&steps);
}

static void test_in_steps(void **state)
{
	static const uint64_t addresses[] = {
		0, 0x1000, 0x1001, 0x80ffffffffffffff, 0xffffffff80ffffff, 0xffffffff81000000,
		0xffffffff81000001, 0xffffffff81000040, 0xffffffff81000050, 0xffffffff810000ff,
		0xffffffff81000100, 0xffffffff81000fff, 0xffffffff81001000, 0xffffffff81001001,
		0xffffffff82000000, 0xffffffff82000010, 0xffffffff83000000, 0xffffffff83000fff,
		0xffffffff83001000, 0xffffffff84000000, 0xffffffffc0001000, 0xffffffffc0001011,
		0xffffffffc0002000, 0xffffffffc0003000, 0xffffffffff600000, UINT64_MAX,
	};
	static const size_t n = sizeof(addresses) / sizeof(addresses[0]);
	static const char *const texts[] = {
		kernel, modules,
		/* without the ends of sections */
		"ffffffff81000000 T first\nffffffff81000100 t second\nffffffff81001000 T third\n",
		/* only functions */
		"ffffffff81000000 T _stext\nffffffff81000050 T first\nffffffff81000100 T _etext\n"
		"ffffffff82000000 T _sinittext\nffffffff82000010 T setup\n"
		"ffffffff82001000 T _einittext\n",
	};
	static const size_t bounds[] = { 0, 1, 48, 160 };
	size_t i, j, k, b;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (j = 0; j < n; j++)
			for (k = 0; k < n; k++)
				for (b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
					expect_same_in_steps(texts[i], addresses[j],
							     addresses[k], bounds[b]);
}

/* No more is read than the line of the function behind it. */
static void test_reads_no_more(void **state)
{
	static const char next[] = "ffffffff81001000 T _etext\n";
	struct tsh_symbol symbol;
	char line[64];
	struct asked a;

	(void)state;
	begin(&a, kernel);
	a.provider.kallsyms = give_lines;
	assert_true(tsh_symbols_find(a.symbols, 0xffffffff81000051, &symbol));
	assert_string_equal(symbol.name, "first");
	assert_int_equal(symbol.size, 0xb0);
	assert_int_equal(read(a.source.same_fd, line, sizeof(line)), strlen(next));
	assert_memory_equal(line, next, strlen(next));
	close(a.source.same_fd);
	finish(&a);
}

static int open_own_kallsyms(void *ctx)
{
	(void)ctx;
	return open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
}

/* Of the running kernel: what one pass for an address says is what all of the table says. */
static void test_kernel_bounded(void **state)
{
	struct tsh_provider provider = { .kallsyms = open_own_kallsyms };
	struct tsh_symbols *whole = tsh_symbols_new(&provider), *bounded = tsh_symbols_new(&provider);
	struct tsh_symbol symbol, other;
	uint64_t begin, address;
	unsigned int i;

	(void)state;
	tsh_symbols_bound(bounded, 1);
	if (!tsh_symbols_address(whole, "_stext", &begin)) {
		tsh_symbols_free(whole);
		tsh_symbols_free(bounded);
		skip();
	}
	for (i = 0; i < 6; i++) {
		/* functions, data, and what lies behind them */
		address = begin + (uint64_t)i * i * 1999993;
		if (!tsh_symbols_find(whole, address, &symbol)) {
			assert_false(tsh_symbols_find(bounded, address, &other));
			continue;
		}
		assert_true(tsh_symbols_find(bounded, address, &other));
		assert_true(same_symbol(&symbol, &other));
	}
	tsh_symbols_free(whole);
	tsh_symbols_free(bounded);
}

/* Every way to cut it. */
static void test_truncated(void **state)
{
	struct tsh_symbol symbol;
	struct asked a;
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(modules); len++) {
		begin(&a, modules);
		a.source.len = len;
		tsh_symbols_find(a.symbols, 0xffffffffc0001011, &symbol);
		tsh_symbols_find(a.symbols, 0xffffffff81000101, &symbol);
		finish(&a);
	}
}

int main(void)
{
	/* in memory as a whole, and looked up in the file with a pool that has no room for it */
	const struct CMUnitTest both[] = {
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_functions_only),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_data_of_modules),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_generated_code),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_unsorted),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_truncated),
	};
	const struct CMUnitTest in_memory[] = {
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_in_steps),
		cmocka_unit_test(test_reads_no_more),
	};
	const struct CMUnitTest in_the_file[] = {
		cmocka_unit_test(test_kernel_bounded),
	};
	int failed = cmocka_run_group_tests(both, NULL, NULL);

	failed += cmocka_run_group_tests(in_memory, NULL, NULL);
	narrow = true;
	failed += cmocka_run_group_tests(both, NULL, NULL);
	return failed + cmocka_run_group_tests(in_the_file, NULL, NULL);
}
