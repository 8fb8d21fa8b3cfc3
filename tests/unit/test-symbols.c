/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"

/* Set: each address is looked for in the file by itself, as where memory is scarce. */
static bool narrow;

static void begin(struct asked *a, const char *text)
{
	ask(a, text);
	if (narrow)
		tsh_symbols_bound(a->symbols, 1);
}

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
	};
	int failed = cmocka_run_group_tests(both, NULL, NULL);

	failed += cmocka_run_group_tests(in_memory, NULL, NULL);
	narrow = true;
	return failed + cmocka_run_group_tests(both, NULL, NULL);
}
