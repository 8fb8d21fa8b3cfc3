/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kallsyms.h"

/* Symbols that are looked up in the file, as far as it has to be read. */

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

	ask(&whole, text);
	ask(&steps, text);
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
	ask(&a, kernel);
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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_steps),
		cmocka_unit_test(test_reads_no_more),
		cmocka_unit_test(test_kernel_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
