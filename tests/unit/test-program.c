/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

static void numbers_print_as_their_directive_says(void **state)
{
	static const struct test_case cases[] = {
		{ "\"\"", "", NULL },
		{ "\"100%%\"", "100%", NULL },
		{ "\"%d %ld %u %x\", REC->n8, REC->n8, REC->n8, REC->n8",
		  "-1 -1 4294967295 ffffffff", NULL },
		{ "\"%d %ld %u %x\", REC->n16, (long)REC->n16, REC->n16, REC->n16",
		  "-1 -1 4294967295 ffffffff", NULL },
		{ "\"%d %lld %u %x %llx\", REC->n32, (s64)REC->n32, REC->n32, REC->n32, "
		  "(u64)REC->n32",
		  "-1 -1 4294967295 ffffffff ffffffffffffffff", NULL },
		{ "\"%d %lld %u %x %llu\", REC->n64, REC->n64, REC->n64, REC->n64, REC->n64",
		  "-1 -1 4294967295 ffffffff 18446744073709551615", NULL },
		{ "\"%hhu %hhd %hu %hd %hx\", REC->u8, REC->u8, REC->u16, REC->u16, REC->n32",
		  "200 -56 60000 -5536 ffff", NULL },
		{ "\"%u %d %x %lu\", REC->u32, REC->u32, REC->u32, (unsigned long)REC->u32",
		  "4000000000 -294967296 ee6b2800 4000000000", NULL },
		{ "\"%llu %lld %llx %u %d %x\", REC->u64, REC->u64, REC->u64, REC->u64, "
		  "REC->u64, REC->u64",
		  "12345678901234567890 -6101065172474983726 ab54a98ceb1f0ad2 3944680146 "
		  "-350287150 eb1f0ad2", NULL },
		{ "\"%d %u %lld\", REC->u8, REC->u16, (long long)REC->u16", "200 60000 60000",
		  NULL },
		{ "\"%#x %#llx %#x\", REC->u32, REC->u64, REC->zero",
		  "0xee6b2800 0xab54a98ceb1f0ad2 0x0", NULL },
		{ "\"%02x %08x %016llx %04x %#06x\", REC->one, REC->u16, REC->ns, REC->u32, "
		  "REC->one",
		  "01 0000ea60 00000002dfdc1c40 ee6b2800 0x0001", NULL },
		{ "\"%03d %03d %04u %06ld %010llu\", REC->one, REC->n32, REC->u16, REC->state, "
		  "REC->ns",
		  "001 -01 60000 000258 12345678912", NULL },
		{ "\"%5d|%-5d|%+d|% d|%X|%o|%#o\", REC->one, REC->one, REC->one, REC->one, "
		  "REC->u32, REC->u8, REC->u8",
		  "    1|1    |+1| 1|EE6B2800|310|0310", NULL },
		{ "\"%*d|%-*d|%.3d\", 4, REC->one, 3, REC->one, REC->one", "   1|1  |001", NULL },
		{ "\"%-1d|%1u|%0x\", REC->one, REC->u8, REC->u16", "1|200|ea60", NULL },
		{ "\"%zu %zx\", REC->flags, REC->flags", "133 85", NULL },
		{ "\"%c%c%5c|\", REC->one ? 'S' : ' ', REC->zero ? 'R' : '.', 'x'", "S.    x|",
		  NULL },
		{ "\"%d %d\", REC->yes, !REC->yes", "1 0", NULL },
		{ "\"a long literal that does not fit in one op %d and another long one\", "
		  "REC->one",
		  "a long literal that does not fit in one op 1 and another long one", NULL },
		/* The kernel stops at what it does not know. */
		{ "\"%d %y %d\", REC->one, REC->one", "1 ", NULL },
	};

	(void)state;
	check_all(cases, N(cases));
}

static void expressions_compute_as_C_does(void **state)
{
	static const struct test_case cases[] = {
		{ "\"%s\", REC->n32 < 0 ? \"yes\" : \"no\"", "yes", NULL },
		{ "\"%s\", REC->n8 < 0 ? \"yes\" : \"no\"", "yes", NULL },
		{ "\"%s\", REC->n32 < REC->u32 ? \"yes\" : \"no\"", "no", NULL },
		{ "\"%s\", REC->n32 < (s64)REC->u32 ? \"yes\" : \"no\"", "yes", NULL },
		{ "\"%s\", REC->n64 > REC->u64 ? \"yes\" : \"no\"", "yes", NULL },
		{ "\"%d %d %d\", REC->n32 == REC->n8, REC->n16 != REC->n64, REC->n32 <= REC->n32",
		  "1 0 1", NULL },
		{ "\"%d:%d\", ((unsigned int)((REC->dev) >> 20)), "
		  "((unsigned int)((REC->dev) & ((1U << 20) - 1)))", "8:3", NULL },
		{ "\"%d %d\", REC->u8 & (1|8|64), REC->u8 & ~(8|64)", "72 128", NULL },
		{ "\"%d\", (REC->u8 + 100) * 2 - REC->one", "599", NULL },
		{ "\"%u %d\", REC->u32 + REC->u32, REC->u32 + REC->u32", "3705032704 -589934592",
		  NULL },
		{ "\"%llu\", (u64)REC->u32 + REC->u32", "8000000000", NULL },
		{ "\"%u %d\", REC->u32 * 2 / 2, (int)REC->u32 / 2", "1852516352 -147483648", NULL },
		{ "\"%d %d %d %d\", REC->u8 / REC->zero, REC->u8 % REC->zero, REC->n32 / REC->n32, "
		  "REC->n64 % REC->n32", "0 0 1 0", NULL },
		{ "\"%d %u %d\", REC->n32 >> 1, (u32)REC->n32 >> 1, REC->n32 << 1",
		  "-1 2147483647 -2",
		  NULL },
		{ "\"%d %d %llx\", 1 << REC->u8, REC->n32 >> REC->u8, 1ULL << REC->u8",
		  "256 -1 100", NULL },
		{ "\"%d %d %lld\", -REC->u8, ~REC->u8, -(s64)REC->u32", "-200 -201 -4000000000",
		  NULL },
		{ "\"%u %llu\", -REC->u32, ~REC->u64", "294967296 6101065172474983725", NULL },
		{ "\"%d %d %d\", REC->one && REC->zero, REC->one || REC->zero, REC->u8 && REC->n8",
		  "0 1 1", NULL },
		{ "\"%d\", REC->one ? REC->zero ? 1 : REC->u8 : 3", "200", NULL },
		{ "\"%lld %lld\", REC->one ? REC->n32 : REC->u32, REC->one ? REC->n32 : REC->n64",
		  "4294967295 -1", NULL },
		{ "\"%d %d %u\", (s8)REC->u8, (u8)REC->n32, (u16)REC->u32", "-56 255 10240", NULL },
		{ "\"%d\", (bool)REC->u8", "1", NULL },
		{ "\"%d %d\", REC->u8 ^ 255, REC->u8 | 7", "55 207", NULL },
		{ "\"%x %x\", REC->words[0], REC->words[2]", "1 ffffffff", NULL },
		{ "\"%x\", REC->words[REC->one]", "20", NULL },
		{ "\"%d\", REC->mac[5]", "255", NULL },
		{ "\"%c%c\", REC->comm[1], REC->comm[REC->one + REC->one]", "as", NULL },
		{ "\"%x\", *(u16 *)&REC->port", "1234", NULL },
		{ "\"%d %d\", __get_str(str)[0] ? 1 : 0, __get_str(empty)[0] ? 1 : 0", "1 0",
		  NULL },
		{ "\"%llx\", ((u64 *)__get_dynamic_array(longs))[1]", "8000000000000000", NULL },
		{ "\"%d %d\", __get_dynamic_array_len(longs), __get_rel_dynamic_array_len(rel)",
		  "16 8",
		  NULL },
		{ "\"%llu.%09u\", __print_ns_to_secs(REC->ns), __print_ns_without_secs(REC->ns)",
		  "12.345678912", NULL },
		{ "\"%u %u\", jiffies_to_msecs(REC->u8), jiffies_to_usecs(REC->u8)", "800 800000",
		  NULL },
		{ "\"%lu\", jiffies - REC->u8", "4800", NULL },
		{ "\"%lld %lld\", ktime_to_us(REC->ns), ktime_to_ns(REC->ns)",
		  "12345678 12345678912", NULL },
		{ "\"%lx\", (unsigned long)(((struct page *)vmemmap_base) + (REC->one))",
		  "7fea0040", "7fea0020" },
		{ "\"%lx\", (unsigned long)(vmemmap + (REC->one))", "7fea0040", "7fea0020" },
		{ "\"%lx\", (unsigned long)(mem_map + ((REC->one) - __pv_phys_pfn_offset))",
		  "7fea0040", "7fea0020" },
		{ "\"%d %d %d\", __event_in_irq(), __event_in_hardirq(), __event_in_softirq()",
		  "24 8 16",
		  NULL },
		{ "\"%lu\", REC->flags + (unsigned long)-1", "132", NULL },
		{ "\"%lx %lx\", ~REC->flags, (unsigned long)-1",
		  "ffffffffffffff7a ffffffffffffffff",
		  "ffffff7a ffffffff" },
	};

	(void)state;
	check_all(cases, N(cases));
}

static void byte_orders_are_the_records(void **state)
{
	const char *print_fmt = "\"%x %x\", be16_to_cpu(REC->port), le16_to_cpu(REC->port)";
	struct world w;

	(void)state;
	set_up(&w, false, 8);
	check(&w, print_fmt, "3412 1234");
	check(&w, "\"%x\", ntohs(REC->port)", "3412");
	tear_down(&w);
	set_up(&w, true, 8);
	check(&w, print_fmt, "1234 3412");
	check(&w, "\"%x\", __be32_to_cpu(REC->u32)", "ee6b2800");
	tear_down(&w);
}

static void strings_come_from_everywhere(void **state)
{
	static const struct test_case cases[] = {
		{ "\"%s\", \"text\"", "text", NULL },
		{ "\"<%s> <%s> <%s>\", REC->comm, REC->full, REC->short_name",
		  "<bash> <0123456789abcdef> <eth0>", NULL },
		{ "\"<%s> <%s>\", __get_str(str), __get_str(empty)", "<hello> <>", NULL },
		{ "\"<%s> <%s>\", __get_rel_str(rel), (char *)__get_dynamic_array(str)",
		  "<related> <hello>",
		  NULL },
		{ "\"<%s>\", __get_str(str) + 2", "<llo>", NULL },
		{ "\"<%s>\", &REC->comm[1]", "<ash>", NULL },
		{ "\"<%.*s>\", 3, __get_str(str)", "<hel>", NULL },
		{ "\"<%.*s>\", REC->one, (char *)__get_dynamic_array(blob)", "<0>", NULL },
		{ "\"<%-8s> <%8s> <%3s> <%.2s> <%*s>\", REC->comm, REC->comm, REC->comm, "
		  "REC->comm, 6, "
		  "REC->comm", "<bash    > <    bash> <bash> <ba> <  bash>", NULL },
		{ "\"<%-8s>\", REC->one ? __get_str(str) : \"no\"", "<hello   >", NULL },
		{ "\"<%s>\", REC->one ? __get_str(str) : \"no\"", "<hello>", NULL },
		{ "\"<%s>\", REC->zero ? __get_str(str) : REC->one ? REC->comm : \"no\"",
		  "<bash>", NULL },
		{ "\"<%s>\", REC->label", "<rcu \"sched\"\n>", NULL },
		{ "\"<%s> <%s>\", REC->nobody, REC->null", "<0x82000000> <(null)>", NULL },
		{ "\"<%s>\", (char *)0x81000103", "<memory>", NULL },
		{ "\"<%s> <%s>\", (char *)16, (char *)-1L", "<(efault)> <(efault)>", NULL },
		{ "\"<%s>\", mc_event_error_type(REC->one)", "<Uncorrected>", NULL },
		{ "\"<%s>\", mc_event_error_type(REC->n32)", "<Info>", NULL },
	};

	(void)state;
	check_all(cases, N(cases));
}

static void tables_name_numbers(void **state)
{
#define STATES "{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }"
	static const struct test_case cases[] = {
		{ "\"%s\", __print_symbolic(REC->one, { 0, \"zero\" }, { 1, \"one\" }, { 1, "
		  "\"again\" })",
		  "one", NULL },
		{ "\"%s\", __print_symbolic(REC->u8, { 0, \"zero\" }, { 1, \"one\" })", "0xc8",
		  NULL },
		{ "\"%s\", __print_symbolic(REC->one, { 1, \"\" }, { 1, \"one\" })", "0x1", NULL },
		{ "\"%s %s\", __print_symbolic(REC->n32, { -1, \"none\" }), "
		  "__print_symbolic(REC->n32, { 1, \"\" })",
		  "none 0xffffffffffffffff", "none 0xffffffff" },
		{ "\"%s\", __print_symbolic(REC->u32, { 1, \"a\" }, { 4000000000U, \"b\" }, "
		  "{ 77777, \"c\" })",
		  "b", NULL },
		{ "\"%s\", __print_symbolic_u64(REC->u64, { 1, \"a\" }, { 0xab54a98ceb1f0ad2ULL, "
		  "\"b\" })",
		  "b", NULL },
		{ "\"%s\", __print_symbolic(REC->u64, { 0xeb1f0ad2, \"low\" })",
		  "0xab54a98ceb1f0ad2", "low" },
		{ "\"%s\", __print_symbolic(REC->one, { NOBODY, \"a\" }, { 2, \"b\" })", "0x1?",
		  NULL },
		{ "\"%s\", __print_symbolic(REC->one, { NOBODY, \"a\" }, { 1, \"b\" })", "b",
		  NULL },
		{ "\"%s\", __print_symbolic(REC->one, { })", "0x1", NULL },
		{ "\"%s\", __print_symbolic(REC->one, { 1, "
		  "\"a name of more than sixteen bytes\" })",
		  "a name of more than sixteen bytes", NULL },
		{ "\"%s\", __print_flags(REC->flags, \"|\", { 1, \"a\" }, { 4, \"b\" }, { 0x80, "
		  "\"c\" })",
		  "a|b|c", NULL },
		{ "\"%s\", __print_flags(REC->flags, \"|\", { 4, \"b\" }, { 1, \"a\" }, { 6, "
		  "\"no\" })",
		  "b|a|0x80", NULL },
		{ "\"%s\", __print_flags(REC->flags, \"\", { 5, \"both\" }, { 1, \"a\" })",
		  "both0x80", NULL },
		{ "\"<%s> <%s>\", __print_flags(REC->zero, \"|\", { 0, \"none\" }), "
		  "__print_flags(REC->one, \"|\", { 0, \"none\" }, { 1, \"a\" })", "<> <none|a>",
		  NULL },
		{ "\"%s\", __print_flags(REC->one, \"|\", { NOBODY, \"a\" })", "0x1?", NULL },
		{ "\"%s\", __print_flags(REC->n32, \"|\", { 1, \"a\" })", "a|0xfffffffffffffffe",
		  "a|0xfffffffe" },
		{ "\"%s\", __print_flags_u64(REC->u64, \"|\", { 0xab54a98c00000000ULL, \"high\" })",
		  "high|0xeb1f0ad2", NULL },
		/* The scheduler's way to print states: made for all values beforehand. */
		{ "\"%s%s\", (REC->state & 0xff) ? __print_flags(REC->state & 0xff, \"|\", " STATES
		  ") : \"R\", REC->state & 0x100 ? \"+\" : \"\"", "D+", NULL },
		{ "\"%s\", (REC->zero & 0xff) ? __print_flags(REC->zero & 0xff, \"|\", "
		  "" STATES ") : \"R\"",
		  "R", NULL },
		{ "\"<%s>\", __print_flags(REC->u8, \"|\", " STATES ", { 0x08, "
		  "\"a name of more than sixteen bytes\" })",
		  "<a name of more than sixteen bytes|0xc0>", NULL },
		{ "\"<%s>\", __print_flags((REC->u8 >> 3) & 3, \"|\", " STATES ")", "<S>", NULL },
	};

	(void)state;
	check_all(cases, N(cases));
}

static void memory_prints_as_the_kernel_prints_it(void **state)
{
	static const struct test_case cases[] = {
		{ "\"%s\", __print_hex(REC->mac, 6)", "02 00 5e 10 20 ff", NULL },
		{ "\"%s\", __print_hex_str(REC->mac, 6)", "02005e1020ff", NULL },
		{ "\"%s\", __print_hex(__get_dynamic_array(blob), __get_dynamic_array_len(blob))",
		  "30 31 32 33 34 35 36 37 38 39 41 42 43 44 45 46 47 48 49 0a", NULL },
		{ "\"<%s> <%s>\", __print_hex(REC->mac, REC->n32), __print_hex(REC->mac, 1000)",
		  "<> <02 00 5e 10 20 ff>", NULL },
		{ "\"%s\", __print_array(REC->words, 3, 4)", "{0x1,0x20,0xffffffff}", NULL },
		{ "\"%s\", __print_array(__get_dynamic_array(longs), "
		  "__get_dynamic_array_len(longs) / 8, 8)",
		  "{0x1,0x8000000000000000}", NULL },
		{ "\"%s\", __print_dynamic_array(shorts, 2)", "{0x1,0x2,0xffff}", NULL },
		{ "\"%s\", __print_array(__get_rel_dynamic_array(relwords), 2, 4)", "{0x5,0x6}",
		  NULL },
		{ "\"%s\", __print_array(REC->words, 0, 4)", "{}", NULL },
		{ "\"%s\", __print_hex_dump(\"p: \", 2, 16, 1, __get_dynamic_array(blob), 20, "
		  "true)",
		  "\np: "
		  "00000000: 30 31 32 33 34 35 36 37 38 39 41 42 43 44 45 46  0123456789ABCDEF\n"
		  "p: 00000010: 47 48 49 0a                                      GHI.\n", NULL },
		{ "\"%s\", __print_hex_dump(\"\", 0, 16, 2, __get_dynamic_array(shorts), 6, 0)",
		  "\n0001 0002 ffff\n", NULL },
		{ "\"%s\", __get_bitmask(cpus)", "00000001,0000000f", NULL },
		{ "\"%s\", __get_stacktrace(stack)", "STACK:\n=> do_it+0x10/0x1000\n",
		  "STACK:\n=> 0x0\n=> do_it+0x10/0x1000\n=> 0x0\n" },
		{ "\"%pM\", REC->mac", "02:00:5e:10:20:ff", NULL },
		{ "\"%pI4\", REC->ip4", "10.0.0.1", NULL },
		{ "\"%pU\", REC->id", "01234567-89ab-cdef-0123-456789abcdef", NULL },
		{ "\"%*ph\", 3, REC->mac", "02 00 5e", NULL },
		{ "\"%pS %ps\", REC->ip, (void *)REC->ip", "do_it+0x10/0x1000 do_it", NULL },
		{ "\"%px\", REC->ip", "0000000080001010", "80001010" },
	};

	(void)state;
	check_all(cases, N(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_print_as_their_directive_says),
		cmocka_unit_test(expressions_compute_as_C_does),
		cmocka_unit_test(byte_orders_are_the_records),
		cmocka_unit_test(strings_come_from_everywhere),
		cmocka_unit_test(tables_name_numbers),
		cmocka_unit_test(memory_prints_as_the_kernel_prints_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
