/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/symbols/btf-internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"

/* ---- a BTF file in the making (Documentation/bpf/btf.rst) ---- */

struct btf {
	bool big_endian;
	uint32_t base_len;		/* strings of the kernel before ours */
	struct tsh_strbuf types, strings;
};

enum { INT = 1, ARRAY = 3, STRUCT = 4, ENUM = 6, FUNC = 12, FUNC_PROTO = 13, VAR = 14,
       DATASEC = 15, DECL_TAG = 17, TYPE_TAG = 18, ENUM64 = 19 };
#define SIGNED (1U << 31)

static void put(struct tsh_strbuf *to, bool big_endian, uint32_t value, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		tsh_strbuf_addc(to, (char)(value >> 8 * (big_endian ? size - 1 - i : i)));
}

static void btf_begin(struct btf *b, bool big_endian)
{
	memset(b, 0, sizeof(*b));
	b->big_endian = big_endian;
	tsh_strbuf_addc(&b->strings, '\0');
}

static void btf_release(struct btf *b)
{
	tsh_strbuf_release(&b->types);
	tsh_strbuf_release(&b->strings);
}

static void word(struct btf *b, uint32_t value)
{
	put(&b->types, b->big_endian, value, 4);
}

static uint32_t string(struct btf *b, const char *text)
{
	uint32_t at = b->base_len + (uint32_t)b->strings.len;

	tsh_strbuf_add(&b->strings, text, strlen(text) + 1);
	return at;
}

static void type(struct btf *b, uint32_t kind, uint32_t vlen)
{
	word(b, string(b, "a_type"));
	word(b, (kind & ~SIGNED) << 24 | (kind & SIGNED) | vlen);
	word(b, 4);
}

static void words(struct btf *b, unsigned int count)
{
	while (count--)
		word(b, 0x01010101);
}

static void enumerator(struct btf *b, const char *name, uint32_t value)
{
	word(b, string(b, name));
	word(b, value);
}

static void enumerator64(struct btf *b, const char *name, uint64_t value)
{
	word(b, string(b, name));
	word(b, (uint32_t)value);
	word(b, (uint32_t)(value >> 32));
}

static void btf_text(const struct btf *b, struct tsh_strbuf *out)
{
	put(out, b->big_endian, 0xeb9f, 2);
	put(out, b->big_endian, 1, 1);
	put(out, b->big_endian, 0, 1);
	put(out, b->big_endian, 24, 4);
	put(out, b->big_endian, 0, 4);
	put(out, b->big_endian, (uint32_t)b->types.len, 4);
	put(out, b->big_endian, (uint32_t)b->types.len, 4);
	put(out, b->big_endian, (uint32_t)b->strings.len, 4);
	tsh_strbuf_add(out, b->types.buf, b->types.len);
	tsh_strbuf_add(out, b->strings.buf, b->strings.len);
}

/* ---- asking ---- */

struct asked {
	struct tsh_strbuf kernel, module;
	struct tsh_provider provider;
	struct tsh_enums *enums;
};

static int give(const struct tsh_strbuf *text)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	if (text->len)
		assert_int_equal(write(fd, text->buf, text->len), text->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int give_kernel(void *ctx)
{
	return give(&((struct asked *)ctx)->kernel);
}

static int give_module(void *ctx, unsigned int index)
{
	return index ? -1 : give(&((struct asked *)ctx)->module);
}

static void begin(struct asked *a, const struct btf *kernel, const struct btf *module)
{
	memset(a, 0, sizeof(*a));
	btf_text(kernel, &a->kernel);
	if (module)
		btf_text(module, &a->module);
	a->provider = (struct tsh_provider){ .btf = give_kernel, .ctx = a };
	a->provider.module_btf = module ? give_module : NULL;
	a->enums = tsh_enums_new(&a->provider);
}

static void finish(struct asked *a)
{
	tsh_enums_free(a->enums);
	tsh_strbuf_release(&a->kernel);
	tsh_strbuf_release(&a->module);
}

static void expect(struct asked *a, const char *name, int64_t value)
{
	int64_t its_value;

	assert_true(tsh_enums_value(a->enums, name, &its_value));
	assert_true(its_value == value);
}

static void expect_none(struct asked *a, const char *name)
{
	int64_t value;

	assert_false(tsh_enums_value(a->enums, name, &value));
}

/* Every kind, each with something behind it, and enumerations between. */
static void fill(struct btf *b)
{
	static const struct {
		uint32_t kind, vlen, words;
	} others[] = {
		{ INT, 0, 1 }, { ARRAY, 0, 3 }, { STRUCT, 3, 9 }, { FUNC, 1, 0 },
		{ FUNC_PROTO, 2, 4 }, { VAR, 0, 1 }, { DATASEC, 2, 6 }, { DECL_TAG, 0, 1 },
		{ TYPE_TAG, 0, 0 }, { STRUCT, 60000, 180000 },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		type(b, others[i].kind, others[i].vlen);
		words(b, others[i].words);
	}
	type(b, ENUM, 4);
	enumerator(b, "TCP_ESTABLISHED", 1);
	enumerator(b, "TCP_SYN_SENT", 2);
	enumerator(b, "", 7);
	enumerator(b, "HIGH", 0x80000000);
	type(b, ENUM | SIGNED, 2);
	enumerator(b, "MINUS", 0xffffffff);
	enumerator(b, "BOTH", 3);
	type(b, ENUM64, 1);
	enumerator64(b, "LARGE", UINT64_C(0x123456789abcdef0));
	type(b, ENUM64 | SIGNED, 1);
	enumerator64(b, "LARGE_MINUS", UINT64_MAX);
	type(b, ENUM, 2);
	enumerator(b, "BOTH", 4);
	enumerator(b, "TCP_SYN_SENT", 2);
}

static void test_kinds(void **state)
{
	struct asked a;
	struct btf b;
	int big;

	(void)state;
	for (big = 0; big <= 1; big++) {
		btf_begin(&b, big);
		fill(&b);
		begin(&a, &b, NULL);
		expect(&a, "TCP_ESTABLISHED", 1);
		expect(&a, "TCP_SYN_SENT", 2);
		expect(&a, "HIGH", 0x80000000);
		expect(&a, "MINUS", -1);
		expect(&a, "LARGE", 0x123456789abcdef0);
		expect(&a, "LARGE_MINUS", -1);
		expect_none(&a, "BOTH");
		expect_none(&a, "");
		expect_none(&a, "TCP");
		expect_none(&a, "a_type");
		finish(&a);
		btf_release(&b);
	}
}

/* Before enumerations told their sign, values were __s32. */
static void test_old(void **state)
{
	struct asked a;
	struct btf b;

	(void)state;
	btf_begin(&b, false);
	type(&b, ENUM, 2);
	enumerator(&b, "MINUS", 0xffffffff);
	enumerator(&b, "PLUS", 5);
	begin(&a, &b, NULL);
	expect(&a, "MINUS", -1);
	expect(&a, "PLUS", 5);
	finish(&a);
	btf_release(&b);
}

static void test_module(void **state)
{
	struct btf kernel, module;
	uint32_t shared;
	struct asked a;

	(void)state;
	btf_begin(&kernel, false);
	shared = string(&kernel, "SHARED_NAME");
	fill(&kernel);
	btf_begin(&module, false);
	module.base_len = (uint32_t)kernel.strings.len;
	type(&module, ENUM, 3);
	enumerator(&module, "IN_MODULE", 9);
	enumerator(&module, "TCP_ESTABLISHED", 10);
	word(&module, shared);
	word(&module, 11);
	begin(&a, &kernel, &module);
	expect(&a, "TCP_ESTABLISHED", 1);
	expect(&a, "IN_MODULE", 9);
	expect(&a, "SHARED_NAME", 11);
	expect_none(&a, "NOWHERE");
	finish(&a);
	btf_release(&kernel);
	btf_release(&module);
}

/* Without BTF, for whatever reason: those whose number everybody knows. */
static void expect_known(struct asked *a)
{
	expect(a, "TCP_ESTABLISHED", 1);
	expect(a, "TCP_NEW_SYN_RECV", 12);
	expect(a, "HRTIMER_MODE_ABS", 0);
	expect(a, "HRTIMER_MODE_REL_PINNED_HARD", 11);
	expect_none(a, "TCP_STATE_MASK");
	expect_none(a, "HRTIMER_MODE_");
	expect_none(a, "HRTIMER_MODE_RELISH");
	expect_none(a, "HI_SOFTIRQ");
	finish(a);
}

static void test_none(void **state)
{
	struct tsh_provider provider = { 0 };
	struct asked a = { 0 };

	(void)state;
	a.enums = tsh_enums_new(&provider);
	expect_known(&a);
	a.enums = tsh_enums_new(NULL);
	expect_known(&a);
	a.provider = (struct tsh_provider){ .btf = give_kernel, .ctx = &a };
	a.enums = tsh_enums_new(&a.provider);
	expect_known(&a);
}

/* What comes behind a kind that nobody knows cannot be found. */
static void test_unknown_kind(void **state)
{
	struct asked a;
	struct btf b;

	(void)state;
	btf_begin(&b, false);
	type(&b, ENUM, 1);
	enumerator(&b, "BEFORE", 1);
	type(&b, 99, 3);
	type(&b, ENUM, 1);
	enumerator(&b, "BEHIND", 1);
	begin(&a, &b, NULL);
	expect(&a, "BEFORE", 1);
	expect_none(&a, "BEHIND");
	finish(&a);
	btf_release(&b);
}

/* Any byte of it wrong, and cut anywhere. */
static void test_hostile(void **state)
{
	static const char wrong[] = { '\0', '\1', '\x7f', '\xff' };
	struct asked a;
	struct btf b;
	int64_t value;
	size_t i, j;

	(void)state;
	btf_begin(&b, false);
	type(&b, ENUM, 2);
	enumerator(&b, "ONE", 1);
	enumerator(&b, "TWO", 2);
	type(&b, STRUCT, 1);
	words(&b, 3);
	type(&b, ENUM64, 1);
	enumerator64(&b, "THREE", 3);
	for (i = 0; i < 24 + b.types.len + b.strings.len; i++) {
		for (j = 0; j < sizeof(wrong); j++) {
			begin(&a, &b, NULL);
			a.kernel.buf[i] = wrong[j];
			tsh_enums_value(a.enums, "TWO", &value);
			finish(&a);
		}
		begin(&a, &b, NULL);
		tsh_strbuf_truncate(&a.kernel, i);
		expect_none(&a, "ONE");
		finish(&a);
	}
	btf_release(&b);
}

static int open_real(void *ctx)
{
	(void)ctx;
	return open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
}

static void test_real(void **state)
{
	struct tsh_provider provider = { .btf = open_real };
	struct asked a = { 0 };

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		skip();
	a.enums = tsh_enums_new(&provider);
	expect(&a, "TCP_ESTABLISHED", 1);
	expect(&a, "HI_SOFTIRQ", 0);
	expect(&a, "PIDTYPE_PID", 0);
	expect_none(&a, "TRACESH_KNOWS_BETTER");
	finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_unknown_kind),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
