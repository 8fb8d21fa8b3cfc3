/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "directives.h"

/* Those marked K are of the kernel's own tests: lib/test_printf.c. */
static void test_basic(void **state)
{
	const struct row rows[] = {
		{ "", "", { N(0) } },					/* K */
		{ "100%", "100%%", { N(0) } },				/* K */
		{ "xxx%yyy", "xxx%cyyy", { N('%') } },			/* K */
		{ "%%a%", "%%%%a%-5%", { N(0) } },
		{ "%7", "%*%%d", { N(3), N(7) } },
		{ "    a|b    |c", "%5c|%-5c|%0c", { N('a'), N('b'), N('c') } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
}

static void test_bad(void **state)
{
	const struct row rows[] = {
		{ "a", "a%", { N(0) } },
		{ "a", "a%n b %d", { N(1), N(2) } },
		{ "1 ", "%d %qd %d", { N(1), N(2), N(3) } },
		{ "", "%f", { N(0) } },
		{ "x", "x%-08.", { N(0) } },
		{ "x", "x%l", { N(0) } },
		{ "x", "x%LLd", { N(0) } },
		{ "x", "x%lll", { N(0) } },
		{ "x", "x%jd", { N(0) } },
		{ "x", "x%Zd", { N(0) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
}

static void test_numbers(void **state)
{
	const struct row rows[] = {
		{ "0x1234abcd  ", "%#-12x", { N(0x1234abcd) } },	/* K */
		{ "  0x1234abcd", "%#12x", { N(0x1234abcd) } },		/* K */
		{ "0|001| 12|+123| 1234|-123|-1234", "%d|%03d|%3d|%+d|% d|%+d|% d",	/* K */
		  { N(0), N(1), N(12), N(123), N(1234), N(-123), N(-1234) } },
		{ "0|1|1|128|255", "%hhu|%hhu|%hhu|%hhu|%hhu",		/* K */
		  { N(0), N(1), N(257), N(128), N(-1) } },
		{ "0|1|1|-128|-1", "%hhd|%hhd|%hhd|%hhd|%hhd",		/* K */
		  { N(0), N(1), N(257), N(128), N(-1) } },
		{ "2015122420151225", "%ho%ho%#ho", { N(1037), N(5282), N(-11627) } },	/* K */
		{ "00|0|0|0|0", "%.2d|%.1d|%.0d|%.*d|%1.0d",		/* K */
		  { N(0), N(0), N(0), N(0), N(0), N(0) } },
		{ "0xfffffff0|0xf0|0xf0", "%#02x|%#02x|%#02x",		/* K */
		  { N(-16), N(0xf0), N(0xf0) } },
		{ "0x0|0X0|0|0x00", "%#x|%#X|%#o|%#04x", { N(0), N(0), N(0), N(0) } },
		{ "0x00000000001234", "%#016lx", { N(0x1234) } },
		{ "0X00ABCDEF|017|07", "%#010X|%#o|%#lo", { N(0xabcdef), N(15), N(7) } },
		{ "0000000042|4294967295", "%010lu|%u", { N(42), N(-1) } },
		{ "ff|5|+5", "%0x|%-1d|%+d", { N(255), N(5), N(5) } },
		{ "-0005|00005|  005|005  ", "%05d|%.5d|%5.3d|%-5.3d",
		  { N(-5), N(5), N(5), N(5) } },
		{ "0000000123|123       ", "%010.5d|%-010d", { N(123), N(123) } },
		{ "+5|+5", "%+ d|% +d", { N(5), N(5) } },
		{ "5|5|ffff", "%+u|% u|%+x", { N(5), N(5), N(0xffff) } },
		{ "-128|-32768|-2147483648", "%hhd|%hd|%d", { N(128), N(32768), N(1u << 31) } },
		{ "-9223372036854775808|18446744073709551615", "%lld|%llu",
		  { N(INT64_MIN), N(-1) } },
		{ "-1|ffffffffffffffff|1777777777777777777777", "%Ld|%llx|%llo",
		  { N(-1), N(-1), N(-1) } },
		{ "-3|18446744073709551613|-3|3", "%zd|%zu|%td|%ti",
		  { N(-3), N(-3), N(-3), N(3) } },
		{ "  7|7  |7  ", "%*d|%-*d|%*d", { N(3), N(7), N(3), N(7), N(-3), N(7) } },
		{ "007|7", "%.*d|%.*d", { N(3), N(7), N(-3), N(7) } },
		{ "9|10|99|100|12345|4294967295|4294967296", "%llu|%llu|%llu|%llu|%llu|%llu|%llu",
		  { N(9), N(10), N(99), N(100), N(12345), N(4294967295), N(4294967296) } },
		{ "    9|   10|12345|4294967296", "%5llu|%5llu|%5llu|%5llu",
		  { N(9), N(10), N(12345), N(4294967296) } },
		/* Bit fields of 24 and 16 bits, signed: a width that wraps is none. */
		{ "5|5", "%16777215d|%.65535d", { N(5), N(5) } },
	};
	const struct row rows32[] = {
		{ "-1|4294967295|-1|18446744073709551615", "%ld|%lu|%zd|%llu",
		  { N(-1), N(-1), N(-1), N(-1) } },
		{ "0x00000000001234", "%#016lx", { N(0x1234) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env32, rows32, COUNT(rows32));
}

static void test_strings(void **state)
{
	const struct row rows[] = {
		{ "", "%s%.0s", { S(""), S("123") } },			/* K */
		{ "ABCD|abc|123", "%s|%.3s|%.*s",			/* K */
		  { S("ABCD"), S("abcdef"), N(3), S("123456") } },
		{ "1  |  2|3  |  4|5  ", "%-3s|%3s|%-*s|%*s|%*s",	/* K */
		  { S("1"), S("2"), N(3), S("3"), N(3), S("4"), N(-3), S("5") } },
		{ "1234      ", "%-10.4s", { S("123456") } },		/* K */
		{ "      1234", "%10.4s", { S("123456") } },		/* K */
		{ "    ", "%4.*s", { N(-5), S("123456") } },		/* K */
		{ "123456", "%.s", { S("123456") } },			/* K */
		{ "a||", "%.s|%.0s|%.*s", { S("a"), S("b"), N(0), S("c") } },	/* K */
		{ "a  |   |   ", "%-3.s|%-3.0s|%-3.*s", { S("a"), S("b"), N(0), S("c") } }, /* K */
		{ "  a|a", "%03s|%hs", { S("a"), S("a") } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
}

/* Widths and precisions of hostile formats end at the kernel's line. */
static void test_bounds(void **state)
{
	static const char *const formats[] = {
		"%8388607d", "%.32767d", "%08388607.32767x", "%-8388607c", "%8388607s",
		"%-8388607s", "%*d", "%.*d", "%99999999999999999999d", "%.99999999999999999999s",
		"%8388607p", "%8388607pS", "%8388607pI4", "%8388607ph",
	};
	static const struct arg arg[3] = {
		{ .value = INT32_MAX, .text = "x", .bytes = "\1\2\3\4", .len = 4 },
		{ .value = 1, .text = "x" },
	};
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		format_all(&out, &env64, formats[i], arg);
		assert_true(out.len <= 3 * 8192);
	}
	tsh_strbuf_release(&out);
}

/* Every text of two directives' letters is read without a step beyond its end. */
static void test_any_text(void **state)
{
	static const char letters[] = "%-+ #0159.*hlLqztdcspiIS46bUn\xe9\0";
	unsigned int seed = 1, round, i;
	struct directive d;

	(void)state;
	for (round = 0; round < 20000; round++) {
		size_t len = round % 12, literal;
		char *text = malloc(len ? len : 1);
		const char *s = text;

		assert_non_null(text);
		for (i = 0; i < len; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = letters[(seed >> 16) % sizeof(letters)];
		}
		while (s < text + len) {
			const char *next = directive_next(s, text + len, 8, &literal, &d);

			assert_true(literal <= (size_t)(text + len - s));
			assert_true(next <= text + len);
			if (next == s || d.kind == DIRECTIVE_NONE)
				break;
			s = next;
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_basic),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_any_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
