/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "directives.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/symbols/symbols.h"

/* Those marked K are of the kernel's own tests: lib/test_printf.c. */
static void test_addresses(void **state)
{
	const struct row rows[] = {
		{ "ffff0123456789ab", "%px", { N(0xffff0123456789ab) } },
		{ "ffff0123456789ab|00000000000000ab", "%p|%pK",
		  { N(0xffff0123456789ab), N(0xab) } },
		{ "0000000000000000", "%px", { N(0) } },		/* K */
		{ "00000000000000ab", "%px", { N(0xab) } },		/* K */
		{ "0x0000000000abcd|        abcd|abcd        ", "%#px|%12px|%-12px",
		  { N(0xabcd), N(0xabcd), N(0xabcd) } },
		{ "abcd            |", "%-px|", { N(0xabcd) } },
		{ "abcd|00abcd", "%0*px|%06px", { N(0), N(0xabcd), N(0xabcd) } },
		{ "0000000000000001-x", "%p-x", { N(1) } },
		/* no symbols */
		{ "0xffffffff81000000|0x0", "%pS|%ps", { N(0xffffffff81000000), N(0) } },
		{ "-ENOENT|-ERESTARTSYS|-EAGAIN|  -EIO|-1234", "%pe|%pe|%pe|%6pe|%pe",
		  { N(-ENOENT), N(-512), N(-EAGAIN), N(-EIO), N(-1234) } },
		{ "ffffffff81000000|0000000000000000", "%pe|%pe",
		  { N(0xffffffff81000000), N(0) } },
		/* the kernel's memory */
		{ "ffffffff81000000|(null)|(efault)|(efault)", "%pd|%pD|%pOF|%pV",
		  { N(0xffffffff81000000), N(0), N(8), N(-EIO) } },
		{ "(null)|  (null)|(nu", "%pI4|%8pI4|%.3pI4", { N(0), N(0), N(0) } },
		{ "ffffffff81000000|(null)|", "%6ph|%0ph|%*ph",
		  { N(0xffffffff81000000), N(0), N(0), N(0) } },
	};
	const struct row rows32[] = {
		{ "456789ab", "%px", { N(0x456789ab) } },
		{ "00000000", "%p", { N(0) } },				/* K */
		{ "c0001234", "%p", { N(0xffffffffc0001234) } },
		{ "-ENOENT", "%pe", { N((uint32_t)-ENOENT) } },
		{ "0xc0001234", "%pS", { N(0xc0001234) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env32, rows32, COUNT(rows32));
}

static void test_is_address(void **state)
{
	static const char *const address[] = {
		"p", "px", "pK", "pS", "ps", "pSR", "pB", "pF", "pf", "pe", "pz",
	};
	static const char *const memory[] = {
		"pI4", "pi6", "pISpc", "pM", "pmR", "pUb", "ph", "pbl", "pd", "pD4", "pGp",
		"pV", "pOF", "pfwP", "pR", "pra", "pE", "p4cc", "ptT", "pks",
	};
	struct directive d;
	char text[16];
	size_t i, literal;

	(void)state;
	for (i = 0; i < COUNT(address) + COUNT(memory); i++) {
		bool is_address = i < COUNT(address);
		int len = snprintf(text, sizeof(text), "%%%s", is_address ? address[i] :
				   memory[i - COUNT(address)]);

		directive_next(text, text + len, 8, &literal, &d);
		assert_int_equal(d.kind, DIRECTIVE_POINTER);
		assert_string_equal(d.extension, text + 2);
		assert_int_equal(directive_prints_address(&d), is_address);
	}
}

#define MAC	B(0x2d, 0x48, 0xd6, 0xfc, 0x7a, 0x05)
#define BYTES3	B(0xc0, 0xff, 0xee)
#define UUID	B(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf)

static void test_bytes(void **state)
{
	const struct row rows[] = {
		{ "2d:48:d6:fc:7a:05|05:7a:fc:d6:48:2d|2d-48-d6-fc-7a-05", "%pM|%pMR|%pMF",
		  { MAC, MAC, MAC } },						/* K */
		{ "2d48d6fc7a05|057afcd6482d", "%pm|%pmR", { MAC, MAC } },	/* K */
		{ "    2d48d6fc7a05", "%16pm", { MAC } },
		{ "00010203-0405-0607-0809-0a0b0c0d0e0f", "%pUb", { UUID } },	/* K */
		{ "00010203-0405-0607-0809-0A0B0C0D0E0F", "%pUB", { UUID } },	/* K */
		{ "03020100-0504-0706-0809-0a0b0c0d0e0f", "%pUl", { UUID } },	/* K */
		{ "03020100-0504-0706-0809-0A0B0C0D0E0F", "%pUL", { UUID } },	/* K */
		{ "00010203-0405-0607-0809-0a0b0c0d0e0f", "%pU", { UUID } },
		{ "c0 ff ee|c0:ff:ee|c0-ff-ee|c0ffee", "%3ph|%3phC|%3phD|%3phN",	/* K */
		  { BYTES3, BYTES3, BYTES3, BYTES3 } },
		{ "c0 ff ee|c0:ff:ee|c0-ff-ee|c0ffee", "%*ph|%*phC|%*phD|%*phN",	/* K */
		  { N(3), BYTES3, N(3), BYTES3, N(3), BYTES3, N(3), BYTES3 } },
		{ "c0|c0||c0", "%ph|%0ph|%*ph|%-1ph",
		  { BYTES3, BYTES3, N(0), BYTES3, BYTES3 } },
		{ "0x2d48d6fc", "%pGg", { B(0xfc, 0xd6, 0x48, 0x2d) } },
		{ "ab |abc", "%-3.2pks|%pus", { B('a', 'b', 'c', 0, 'x'), B('a', 'b', 'c') } },
		/* too few bytes: the address */
		{ "ffff888000001000|ffff888000001000", "%pM|%pU", { BYTES3, MAC } },
		{ "ffff888000001000|ffff888000001000", "%4ph|%pI4", { BYTES3, BYTES3 } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env64_big, rows, 10);
	check_rows(&env32, rows, 11);
}

/* %*ph prints 64 bytes at most. */
static void test_hex_limit(void **state)
{
	const struct row row = { .format = "%70phN", .arg = { {
		.value = 0xffff888000001000, .bytes = (const unsigned char[70]){ 0 }, .len = 70
	} } };
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	(void)state;
	format_all(&out, &env64, row.format, row.arg);
	assert_int_equal(out.len, 128);
	tsh_strbuf_release(&out);
}

#define LOCALHOST	B(127, 0, 0, 1)
#define IP4		B(1, 2, 3, 4)
#define SOCKADDR4(low, high)	B(low, high, 0x30, 0x39, 1, 2, 3, 4)
#define DOC6		0x20, 0x01, 0x0d, 0xb8

static void test_ip4(void **state)
{
	const struct row rows[] = {
		{ "127.000.000.001|127.0.0.1", "%pi4|%pI4", { LOCALHOST, LOCALHOST } },	/* K */
		{ "4.3.2.1|1.2.3.4|1.2.3.4|4.3.2.1", "%pI4h|%pI4n|%pI4b|%pI4l",
		  { IP4, IP4, IP4, IP4 } },
		{ "        1.2.3.4|1.2.3.4  |255.", "%15pI4|%-9pI4|%.4pI4",
		  { IP4, IP4, B(255, 255, 255, 255) } },
		{ "001.002.003.004|1.2.3.4", "%piS|%pIS",			/* K */
		  { SOCKADDR4(2, 0), SOCKADDR4(2, 0) } },
		{ "001.002.003.004:12345|1.2.3.4:12345", "%piSp|%pISp",		/* K */
		  { SOCKADDR4(2, 0), SOCKADDR4(2, 0) } },
		{ "1.2.3.4:12345|4.3.2.1:12345|1.2.3.4", "%pISpfsc|%pISph|%pISc",
		  { SOCKADDR4(2, 0), SOCKADDR4(2, 0), SOCKADDR4(2, 0) } },
		{ "(einval)|(%pI?)|(%pi?)", "%pISp|%pI|%pi5",
		  { SOCKADDR4(1, 0), IP4, IP4 } },
		{ "ffff888000001000|ffff888000001000", "%pIS|%pIS",
		  { B(2), B(2, 0, 1, 2, 3, 4, 5) } },
	};
	const struct row rows_big[] = {
		{ "1.2.3.4|1.2.3.4|4.3.2.1", "%pI4h|%pI4n|%pI4l", { IP4, IP4, IP4 } },
		{ "1.2.3.4:12345|1.2.3.4:12345|(einval)", "%pISpc|%pISph|%pIS",
		  { SOCKADDR4(0, 2), SOCKADDR4(0, 2), SOCKADDR4(2, 0) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env64_big, rows_big, COUNT(rows_big));
	check_rows(&env32_big, rows_big, COUNT(rows_big));
}

static void test_ip6(void **state)
{
	const struct row rows[] = {
		{ "2001:0db8:0000:0000:0000:0000:0000:0001", "%pI6",
		  { B(DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) } },
		{ "20010db8000000000000000000000001", "%pi6",
		  { B(DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) } },
		{ "2001:db8::1", "%pI6c", { B(DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) } },
		{ "::", "%pI6c", { B(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) } },
		{ "::1", "%pI6c", { B(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) } },
		{ "1::", "%pI6c", { B(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) } },
		/* one zero word is not shortened, of two equal runs the first is */
		{ "1:0:2:3:4:5:6:7", "%pI6c",
		  { B(0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7) } },
		{ "1::2:0:0:3:4", "%pI6c", { B(0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4) } },
		{ "1:0:0:2::3", "%pI6c", { B(0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3) } },
		{ "fe80::a0b:c0d:f0e:ff", "%pI6c",
		  { B(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 10, 11, 12, 13, 15, 14, 0, 0xff) } },
		{ "::ffff:1.2.3.4", "%pI6c",
		  { B(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4) } },
		{ "fe80::5efe:1.2.3.4|fe80::200:5efe:1.2.3.4", "%pI6c|%pI6c",
		  { B(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x5e, 0xfe, 1, 2, 3, 4),
		    B(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0x5e, 0xfe, 1, 2, 3, 4) } },
		{ "        ::1|20", "%11pI6c|%.2pI6",
		  { B(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
		    B(DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env32_big, rows, COUNT(rows));
}

#define SA6	0x30, 0x39, 0xf1, 2, 3, 4, DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1

static void test_sockaddr6(void **state)
{
	const struct row rows[] = {
		{ "2001:db8::1", "%pISc", { B(10, 0, SA6, 9, 0, 0, 0) } },
		{ "[2001:db8::1]:12345", "%pISpc", { B(10, 0, SA6, 9, 0, 0, 0) } },
		{ "[2001:db8::1]:12345/16909060%9", "%pISpfsc",
		  { B(10, 0, 0x30, 0x39, 0xf1, 2, 3, 4, DOC6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		      9, 0, 0, 0) } },
		{ "2001:0db8:0000:0000:0000:0000:0000:0001", "%pIS", { B(10, 0, SA6) } },
		{ "[20010db8000000000000000000000001]:12345", "%piSpc", { B(10, 0, SA6) } },
		{ "ffff888000001000", "%pISsc", { B(10, 0, SA6) } },
		{ "ffff888000001000", "%pISc", { B(10, 0, 1, 2, 3, 4, 5, 6) } },
	};
	const struct row rows_big[] = {
		{ "[2001:db8::1]:12345%9", "%pISpsc", { B(0, 10, SA6, 0, 0, 0, 9) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env64_big, rows_big, COUNT(rows_big));
}

/* The bits 2 3 5 7 11 13 17 19 of 20. */
#define PRIMES		0xac, 0x28, 0x0a, 0
#define PRIMES_BIG	0, 0x0a, 0x28, 0xac

static void test_bitmaps(void **state)
{
	const struct row rows[] = {
		{ "00000|", "%20pb|%20pbl",					/* K */
		  { B(0, 0, 0, 0, 0, 0, 0, 0), B(0, 0, 0, 0, 0, 0, 0, 0) } },
		{ "a28ac|a28ac", "%20pb|%*pb",					/* K */
		  { B(PRIMES, 0, 0, 0, 0), N(20), B(PRIMES, 0, 0, 0, 0) } },
		{ "2-3,5,7,11,13,17,19", "%20pbl", { B(PRIMES, 0, 0, 0, 0) } },	/* K */
		{ "fffff|0-19", "%20pb|%*pbl",					/* K */
		  { B(255, 255, 255, 255, 255, 255, 255, 255), N(20),
		    B(255, 255, 255, 255, 255, 255, 255, 255) } },
		{ "1,00000000,000a28ac", "%65pb",
		  { B(PRIMES, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0) } },
		{ "31-32,63-64", "%65pbl",
		  { B(0, 0, 0, 0x80, 1, 0, 0, 0x80, 3, 0, 0, 0, 0, 0, 0, 0) } },
		{ "|", "%0pb|%pbl", { B(1, 0), B(1, 0) } },
		{ "ffff888000001000", "%65pbl", { B(PRIMES, 0, 0, 0, 0) } },
	};
	const struct row rows_big[] = {
		{ "a28ac|2-3,5,7,11,13,17,19", "%20pb|%20pbl",
		  { B(0, 0, 0, 0, PRIMES_BIG), B(0, 0, 0, 0, PRIMES_BIG) } },
		{ "000a28ac,00000001|0,34-35,37,39,43,45,49,51", "%64pb|%64pbl",
		  { B(PRIMES_BIG, 0, 0, 0, 1), B(PRIMES_BIG, 0, 0, 0, 1) } },
	};
	const struct row rows32[] = {
		{ "a28ac|2-3,5,7,11,13,17,19", "%20pb|%20pbl", { B(PRIMES), B(PRIMES) } },
		{ "1,000a28ac", "%33pb", { B(PRIMES, 1, 0, 0, 0) } },
	};
	const struct row rows32_big[] = {
		{ "a28ac|2-3,5,7,11,13,17,19", "%20pb|%20pbl", { B(PRIMES_BIG), B(PRIMES_BIG) } },
		{ "1,000a28ac", "%33pb", { B(PRIMES_BIG, 0, 0, 0, 1) } },
	};

	(void)state;
	check_rows(&env64, rows, COUNT(rows));
	check_rows(&env64_big, rows_big, COUNT(rows_big));
	check_rows(&env32, rows32, COUNT(rows32));
	check_rows(&env32_big, rows32_big, COUNT(rows32_big));
}

/* Of the kernel's own: 1-20,60000-60014 of 65536 */
static void test_large_bitmap(void **state)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	unsigned char *bits = calloc(1, 65536 / 8);
	unsigned int i;

	(void)state;
	assert_non_null(bits);
	for (i = 1; i <= 20; i++)
		bits[i / 8] |= (unsigned char)(1 << i % 8);
	for (i = 60000; i < 60015; i++)
		bits[i / 8] |= (unsigned char)(1 << i % 8);
	format_all(&out, &env64, "%*pbl", (struct arg[]){ N(65536), { .value = 4096,
		   .bytes = bits, .len = 65536 / 8 } });
	assert_string_equal(out.buf, "1-20,60000-60014");
	tsh_strbuf_release(&out);
	free(bits);
}

/* ---- symbols, and pointers that are hidden ---- */

static int give_kallsyms(void *ctx)
{
	static const char text[] =
		"ffffffff81000000 T schedule\n"
		"ffffffff810000b0 T next_one\n"
		"ffffffff81000200 T last_one\n"
		"ffffffffc0000000 t iget\t[ext4]\n"
		"ffffffffc0000100 t other\t[ext4]\n";
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	(void)ctx;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void test_symbols(void **state)
{
	static const struct tsh_provider provider = { .kallsyms = give_kallsyms };
	struct pointer_env env = { .long_size = 8, .symbols = tsh_symbols_new(&provider) };
	const struct row rows[] = {
		{ "schedule+0x15/0xb0|schedule|schedule+0x0/0xb0", "%pS|%ps|%pS",
		  { N(0xffffffff81000015), N(0xffffffff81000015), N(0xffffffff81000000) } },
		{ "iget+0x4/0x100 [ext4]|iget [ext4]", "%pS|%ps",
		  { N(0xffffffffc0000004), N(0xffffffffc0000004) } },
		{ "schedule+0xb0/0xb0", "%pB", { N(0xffffffff810000b0) } },
		{ "    schedule|sched|schedule  ", "%12ps|%.5ps|%-10pf",
		  { N(0xffffffff81000015), N(0xffffffff81000015), N(0xffffffff81000015) } },
		{ "schedule+0x15/0xb0", "%pSR", { N(0xffffffff81000015) } },
		{ "0x10|0x0", "%pS|%ps", { N(0x10), N(0) } },
	};

	(void)state;
	check_rows(&env, rows, COUNT(rows));
	tsh_symbols_free(env.symbols);
}

static void test_hidden(void **state)
{
	static const struct tsh_provider provider = { .kallsyms = give_kallsyms };
	struct pointer_env env = { .long_size = 8, .symbols = tsh_symbols_new(&provider),
				   .hidden = hidden_pointers_new() };
	const struct row rows[] = {
		{ "ptr-1 ptr-2 ptr-1", "%p %px %pK",
		  { N(0xffff888000001000), N(0xffff888000002000), N(0xffff888000001000) } },
		{ "0000000000000000 fffffffffffffffe -ENOENT", "%p %p %pe",
		  { N(0), N(-2), N(-2) } },
		{ "   ptr-3|ptr-2   ", "%8p|%-8p",
		  { N(0xffff888000003000), N(0xffff888000002000) } },
		{ "schedule+0x15/0xb0 ptr-1 0x0", "%pS %pS %pS",
		  { N(0xffffffff81000015), N(0xffff888000001000), N(0) } },
		{ "ptr-1 ptr-2", "%pe %pd", { N(0xffff888000001000), N(0xffff888000002000) } },
	};

	(void)state;
	check_rows(&env, rows, COUNT(rows));
	hidden_pointers_free(env.hidden);
	tsh_symbols_free(env.symbols);
}

static void test_hidden_many(void **state)
{
	struct hidden_pointers *hidden = hidden_pointers_new();
	uint64_t i, count = 200000, last = 0;

	(void)state;
	assert_int_equal(hidden_pointers_number(hidden, 0), 0);
	for (i = 1; i <= count; i++) {
		uint64_t number = hidden_pointers_number(hidden, i * 64);

		assert_true(number > last);
		assert_int_equal(hidden_pointers_number(hidden, i * 64), number);
		last = number;
	}
	assert_true(last >= count);
	hidden_pointers_free(hidden);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_is_address),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_hex_limit),
		cmocka_unit_test(test_ip4),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_sockaddr6),
		cmocka_unit_test(test_bitmaps),
		cmocka_unit_test(test_large_bitmap),
		cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_hidden_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
