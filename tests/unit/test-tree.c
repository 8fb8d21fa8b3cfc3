/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/recording/tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "events/symbols/btf-internal.h"

/* What a recorded tree keeps of the kernel's symbols and enumerations. */

/* ---- a kernel ---- */

struct kernel {
	struct tsh_provider provider;
	const char *kallsyms;
	struct tsh_strbuf btf, module;
};

static int give(const void *bytes, size_t len)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);

	assert_true(fd >= 0);
	if (len)
		assert_int_equal(write(fd, bytes, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int give_kallsyms(void *ctx)
{
	const struct kernel *k = ctx;

	return give(k->kallsyms, strlen(k->kallsyms));
}

static int give_btf(void *ctx)
{
	const struct kernel *k = ctx;

	return give(k->btf.buf, k->btf.len);
}

static int give_module(void *ctx, unsigned int index)
{
	const struct kernel *k = ctx;

	return index || !k->module.len ? -1 : give(k->module.buf, k->module.len);
}

static void begin(struct kernel *k)
{
	*k = (struct kernel){ .provider = { .kallsyms = give_kallsyms, .btf = give_btf,
					    .module_btf = give_module } };
	k->provider.ctx = k;
}

static void end(struct kernel *k)
{
	tsh_strbuf_release(&k->btf);
	tsh_strbuf_release(&k->module);
}

/* ---- symbols ---- */

static const char symbols[] =
	"0000000000000000 A a_percpu_variable\n"
	"ffffffff81000000 T first\n"
	"ffffffff81000100 t alias\n"
	"ffffffff81000100 T second\n"
	"ffffffff81000200 T third\n"
	"ffffffff81000300 T fourth\n"
	"ffffffff82000000 D a_variable\n"
	"ffffffffc0000000 t of_module\t[module]\n"
	"ffffffffc0000040 t of_module_too\t[module]\n";

static const char modules[] =
	"ffffffffc0001000 t early\t[a]\n"
	"ffffffffc0001040 t ends_there\t[a]\n"
	"ffffffffc0005000 t last\t[a]\n"
	"ffffffffc0009000 r data\t[a]\n"
	"ffffffffc0009040 r more\t[a]\n"
	"ffffffffc0100000 t only\t[b]\n"
	"ffffffffc0200000 t init\t[a]\n"
	"ffffffffc0200040 t init_too\t[a]\n";

static void expect_symbols_of(const char *kallsyms, const uint64_t *numbers, size_t n, const char *name,
			   const char *expected)
{
	struct tsh_strlist names = { 0 }, called = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_used_symbols *used;
	unsigned char data[256] = { 0 };
	struct tsh_record rec = { .data = data, .size = (uint32_t)(8 + 8 * n) };
	struct kernel k;

	begin(&k);
	k.kallsyms = kallsyms;
	memcpy(data + 8, numbers, 8 * n);
	if (name)
		tsh_strlist_add(&names, name);
	used = tsh_used_symbols_new(&k.provider, 8);
	tsh_used_symbols_scan(used, &rec, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	tsh_used_symbols_text(used, &names, &text, &called);
	assert_int_equal(called.n, 0);
	assert_string_equal(text.len ? text.buf : "", expected);
	tsh_used_symbols_free(used);
	tsh_strbuf_release(&text);
	tsh_strlist_release(&names);
	end(&k);
}

static void expect_symbols(const uint64_t *numbers, size_t n, const char *name, const char *expected)
{
	expect_symbols_of(symbols, numbers, n, name, expected);
}

static void test_symbols_used(void **state)
{
	static const uint64_t inside[] = { UINT64_C(0xffffffff81000210) };
	static const uint64_t at[] = { UINT64_C(0xffffffff81000200) };
	static const uint64_t module[] = { UINT64_C(0xffffffffc0000041), 7 };
	static const uint64_t others[] = { 0, 16, UINT64_C(0xffff888000000000),
					   UINT64_C(0xffffffffffffffff) };

	(void)state;
	/* the symbol, and the one behind it */
	expect_symbols(inside, 1, NULL, "ffffffff81000200 T third\nffffffff81000300 T fourth\n");
	/* of a return address the one before as well, with its alias */
	expect_symbols(at, 1, NULL, "ffffffff81000100 t alias\nffffffff81000100 T second\n"
		       "ffffffff81000200 T third\nffffffff81000300 T fourth\n");
	expect_symbols(module, 2, NULL, "ffffffffc0000040 t of_module_too\t[module]\n");
	expect_symbols(others, 4, NULL, "");
	expect_symbols(others, 4, "a_variable", "ffffffff82000000 D a_variable\n");
}

/* A module's functions end with the last one; which of its symbols are freed their order tells. */
static void test_symbols_of_modules(void **state)
{
	static const uint64_t early[] = { UINT64_C(0xffffffffc0001010) }, data[] = { UINT64_C(0xffffffffc0009010) };
	static const uint64_t freed[] = { UINT64_C(0xffffffffc0200050) };

	(void)state;
	expect_symbols_of(modules, early, 1, NULL,
			  "ffffffffc0001000 t early\t[a]\nffffffffc0001040 t ends_there\t[a]\n"
			  "ffffffffc0005000 t last\t[a]\nffffffffc0100000 t only\t[b]\n"
			  "ffffffffc0200040 t init_too\t[a]\n");
	expect_symbols_of(modules, data, 1, NULL,
			  "ffffffffc0009000 r data\t[a]\nffffffffc0009040 r more\t[a]\n"
			  "ffffffffc0005000 t last\t[a]\nffffffffc0100000 t only\t[b]\n"
			  "ffffffffc0200040 t init_too\t[a]\n");
	expect_symbols_of(modules, freed, 1, NULL,
			  "ffffffffc0005000 t last\t[a]\nffffffffc0100000 t only\t[b]\n"
			  "ffffffffc0200040 t init_too\t[a]\n");
}

/* A function with recorded arguments: all names that it has, and no other's. */
static void test_symbols_called(void **state)
{
	struct tsh_strlist names = { 0 }, called = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_used_symbols *used;
	struct kernel k;

	(void)state;
	begin(&k);
	k.kallsyms = symbols;
	used = tsh_used_symbols_new(&k.provider, 8);
	tsh_used_symbols_call(used, UINT64_C(0xffffffff81000104));
	tsh_used_symbols_call(used, UINT64_C(0xffffffffc0000040));
	tsh_used_symbols_text(used, &names, &text, &called);
	assert_int_equal(called.n, 3);
	assert_string_equal(called.v[0], "alias");
	assert_string_equal(called.v[1], "second");
	assert_string_equal(called.v[2], "of_module_too");
	assert_non_null(strstr(text.buf, "third"));
	tsh_used_symbols_free(used);
	tsh_strbuf_release(&text);
	tsh_strlist_release(&called);
	end(&k);
}

/* A record that ends anywhere, of a 32-bit kernel too. */
static void test_symbols_short(void **state)
{
	unsigned char *data;
	struct tsh_record rec = { 0 };
	struct tsh_used_symbols *used;
	struct kernel k;

	(void)state;
	begin(&k);
	k.kallsyms = "nonsense\n\nc0100000 T some\nc0100010\nc0100020 T other";
	for (rec.size = 0; rec.size < 40; rec.size++) {
		data = malloc(rec.size ? rec.size : 1);
		memset(data, 0xff, rec.size);
		rec.data = data;
		used = tsh_used_symbols_new(&k.provider, rec.size % 2 ? 4 : 8);
		tsh_used_symbols_scan(used, &rec, rec.size % 3);
		tsh_used_symbols_free(used);
		free(data);
	}
	end(&k);
}

/* ---- enumerations ---- */

static void word(struct tsh_strbuf *to, uint32_t value)
{
	tsh_strbuf_add(to, &value, sizeof(value));
}

/* "\0first\0second\0..": the place of a name. */
static uint32_t place(const struct tsh_strbuf *strings, const char *name)
{
	return (uint32_t)((char *)memmem(strings->buf, strings->len, name, strlen(name) + 1) -
			  strings->buf);
}

#define KIND(kind, n) ((uint32_t)(kind) << 24 | (n))

static void put_btf(struct tsh_strbuf *out, const struct tsh_strbuf *types,
		    const struct tsh_strbuf *strings)
{
	static const uint16_t magic = 0xeb9f;

	tsh_strbuf_add(out, &magic, sizeof(magic));
	tsh_strbuf_add(out, "\1\0", 2);
	word(out, 24);
	word(out, 0);
	word(out, (uint32_t)types->len);
	word(out, (uint32_t)types->len);
	word(out, (uint32_t)strings->len);
	tsh_strbuf_add(out, types->buf, types->len);
	tsh_strbuf_add(out, strings->buf, strings->len);
}

/* A structure, an enumeration of three, a signed one, one of 64 bits. */
static void make_btf(struct tsh_strbuf *out)
{
	static const char text[] = "\0AAA\0BBB\0CCC\0MINUS\0WIDE\0unused";
	struct tsh_strbuf types = TSH_STRBUF_INIT, strings = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_add(&strings, text, sizeof(text));
	const uint32_t words[] = {
		0, KIND(4, 1), 8, place(&strings, "unused"), 1, 0,
		0, KIND(6, 3), 4, place(&strings, "AAA"), 1, place(&strings, "BBB"), 0xfffffff0,
		place(&strings, "CCC"), 3,
		0, KIND(6, 1) | 1u << 31, 4, place(&strings, "MINUS"), 0xffffffff,
		0, KIND(19, 1), 8, place(&strings, "WIDE"), 1, 2,
	};
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		word(&types, words[i]);
	put_btf(out, &types, &strings);
	tsh_strbuf_release(&types);
	tsh_strbuf_release(&strings);
}

static void extract(struct kernel *k, struct tsh_strbuf *out)
{
	struct tsh_strlist names = { 0 }, functions = { 0 };

	tsh_strlist_split_words(&names, "AAA BBB MINUS NOWHERE WIDE");
	tsh_btf_extract(&k->provider, &names, &functions, out);
	tsh_strlist_release(&names);
}

static void has_value(struct tsh_enums *enums, const char *name, int64_t expected)
{
	int64_t value = 0;

	assert_true(tsh_enums_value(enums, name, &value));
	assert_int_equal(value, expected);
}

static void test_btf_extract(void **state)
{
	struct kernel k, tree;
	struct tsh_enums *enums;
	int64_t value;

	(void)state;
	begin(&k);
	begin(&tree);
	make_btf(&k.btf);
	extract(&k, &tree.btf);
	assert_true(tree.btf.len && tree.btf.len < k.btf.len + 40);
	enums = tsh_enums_new(&tree.provider);
	has_value(enums, "AAA", 1);
	has_value(enums, "BBB", 0xfffffff0);
	has_value(enums, "MINUS", -1);
	has_value(enums, "WIDE", UINT64_C(2) << 32 | 1);
	assert_false(tsh_enums_value(enums, "CCC", &value));
	assert_null(memmem(tree.btf.buf, tree.btf.len, "unused", 6));
	tsh_enums_free(enums);
	end(&k);
	end(&tree);
}

/* Checks that the parts of a BTF are as long as its header says. */
static void is_whole(const struct tsh_strbuf *btf)
{
	uint16_t magic;
	uint32_t header[5];

	assert_true(btf->len >= 24);
	memcpy(&magic, btf->buf, sizeof(magic));
	memcpy(header, btf->buf + 4, sizeof(header));
	assert_int_equal(magic, 0xeb9f);
	assert_int_equal(header[0], 24);
	assert_int_equal(header[1], 0);
	assert_int_equal(header[2], header[3]);
	assert_int_equal(24 + header[2] + header[4], btf->len);
}

/* Cut off anywhere, and with any byte changed: there is nothing in it, or a whole one that is no larger. */
static void test_btf_hostile(void **state)
{
	struct tsh_strbuf whole = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT;
	struct kernel k;
	size_t i;

	(void)state;
	begin(&k);
	make_btf(&whole);
	for (i = 0; i < 2 * whole.len; i++) {
		tsh_strbuf_clear(&k.btf);
		tsh_strbuf_clear(&out);
		tsh_strbuf_add(&k.btf, whole.buf, i < whole.len ? i : whole.len);
		if (i >= whole.len)
			k.btf.buf[i - whole.len] = (char)0xff;
		extract(&k, &out);
		if (out.len)
			is_whole(&out);
		assert_true(out.len < whole.len + 40);
		assert_true(i >= 24 || !out.len);
	}
	end(&k);
	tsh_strbuf_release(&whole);
	tsh_strbuf_release(&out);
}

/* ---- names of tasks ---- */

static void test_names(void **state)
{
	struct tsh_dir dir = { .kind = TSH_DIR_TREE };
	struct tsh_instance top = { .dir = &dir };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tree_names *names = tsh_tree_names_new();
	char folder[] = "/tmp/tracesh-names-XXXXXX";
	struct tsh_tree tree = { 0 };
	static const char first[] = "7 seven\n8 eight\nx y\n\n-1 no\n9\n";
	static const char second[] = "7 seven again and again\n";

	(void)state;
	assert_non_null(mkdtemp(folder));
	tree.fd = top.fd = open(folder, O_RDONLY | O_DIRECTORY);
	tree.path = folder;
	tsh_tree_names_read(names, &top);
	assert_int_equal(tsh_tree_write(&tree, "saved_cmdlines", first, sizeof(first) - 1), 0);
	tsh_tree_names_read(names, &top);
	assert_int_equal(tsh_tree_write(&tree, "saved_cmdlines", second, sizeof(second) - 1), 0);
	tsh_tree_names_read(names, &top);
	tsh_tree_names_text(names, &text);
	assert_non_null(strstr(text.buf, "7 seven again and\n"));
	assert_non_null(strstr(text.buf, "8 eight\\x0ax y\\x0a\\x0a9\n"));
	assert_null(strstr(text.buf, "no"));
	tsh_tree_remove(&tree);
	assert_int_equal(rmdir(folder), 0);
	close(tree.fd);
	tsh_strbuf_release(&text);
	tsh_tree_names_free(names);
}

static void enter_folder(char *folder)
{
	strcpy(folder, "/tmp/tracesh-tree-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
}

/* Somebody renames the folder of a recording, and puts a link to another one, or that itself, in its place. */
static void test_swapped(void **state)
{
	struct tsh_err err = { 0 };
	struct tsh_tree tree;
	char folder[30];

	(void)state;
	enter_folder(folder);
	assert_int_equal(mkdir("other", 0700), 0);
	assert_int_equal(tsh_tree_make(&tree, "new", &err), 0);
	assert_int_equal(rename("new", "moved"), 0);
	assert_int_equal(symlink("other", "new"), 0);
	tsh_tree_remove(&tree);
	tsh_tree_close(&tree);
	assert_int_equal(access("moved", F_OK), -1);
	assert_int_equal(unlink("new"), 0);
	assert_int_equal(tsh_tree_make(&tree, "new", &err), 0);
	assert_int_equal(rmdir("new"), 0);
	assert_int_equal(rename("other", "new"), 0);
	tsh_tree_remove(&tree);
	tsh_tree_close(&tree);
	assert_int_equal(rmdir("new"), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_used),
		cmocka_unit_test(test_symbols_of_modules),
		cmocka_unit_test(test_symbols_called),
		cmocka_unit_test(test_symbols_short),
		cmocka_unit_test(test_btf_extract),
		cmocka_unit_test(test_btf_hostile),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_swapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
