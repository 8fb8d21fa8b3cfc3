/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "specials.h"

#include "events/recording/tree.h"

/* The arguments of functions, by prototypes of a BTF that is made here, and of what a recording keeps of it. */

#define FUNCTION 1

/* ---- a BTF ---- */

struct btf {
	unsigned char types[65536], strings[1024];
	uint32_t types_len, strings_len;
};

static void put(unsigned char *to, uint32_t value)
{
	to[0] = (unsigned char)value;
	to[1] = (unsigned char)(value >> 8);
	to[2] = (unsigned char)(value >> 16);
	to[3] = (unsigned char)(value >> 24);
}

static void add(struct btf *b, uint32_t value)
{
	assert_true(b->types_len + 4 <= sizeof(b->types));
	put(b->types + b->types_len, value);
	b->types_len += 4;
}

static uint32_t string(struct btf *b, const char *text)
{
	uint32_t at = b->strings_len, len = (uint32_t)strlen(text) + 1;

	assert_true(at + len <= sizeof(b->strings));
	memcpy(b->strings + at, text, len);
	b->strings_len += len;
	return *text ? at : 0;
}

static void add_type(struct btf *b, const char *name, uint32_t kind, uint32_t parts,
		     uint32_t size_or_type)
{
	add(b, string(b, name));
	add(b, kind << 24 | parts);
	add(b, size_or_type);
}

static void add_pair(struct btf *b, const char *name, uint32_t value)
{
	add(b, string(b, name));
	add(b, value);
}

enum { INT = 1, UNSIGNED, POINTER, ENUM, CONST, STRUCT, PROTO, FUNC };

#define MANY 5000

/* void vast(int xxx.., enum large large): no compiler makes these. */
static void add_vast(struct btf *b)
{
	char name[301] = { 0 };
	uint32_t i;

	memset(name, 'x', sizeof(name) - 1);
	add_type(b, "large", 6, MANY, 4);
	for (i = 0; i < MANY; i++) {
		add(b, 1);
		add(b, i);
	}
	add_type(b, "", 13, 2, 0);
	add_pair(b, name, INT);
	add_pair(b, "large", FUNC + 5);
	add_type(b, "vast", 12, 1, FUNC + 6);
}

/* long work(int count, unsigned long size, const void *p, enum mode mode, struct pair pair,
 * void (unknown), ..); void idle(void); */
static void make_btf(struct btf *b)
{
	memset(b, 0, sizeof(*b));
	string(b, "");
	add_type(b, "int", 1, 0, 4);
	add(b, 1 << 24 | 32);
	add_type(b, "unsigned long", 1, 0, 8);
	add(b, 64);
	add_type(b, "", 2, 0, 0);
	add_type(b, "mode", 6, 2, 4);
	add_pair(b, "MODE_A", 0);
	add_pair(b, "MODE_B", 7);
	add_type(b, "", 10, 0, POINTER);
	add_type(b, "pair", 4, 1, 16);
	add(b, string(b, "first"));
	add(b, UNSIGNED);
	add(b, 0);
	add_type(b, "", 13, 6, UNSIGNED);
	add_pair(b, "count", INT);
	add_pair(b, "size", UNSIGNED);
	add_pair(b, "p", CONST);
	add_pair(b, "mode", ENUM);
	add_pair(b, "pair", STRUCT);
	add_pair(b, "more", UNSIGNED);
	add_type(b, "work", 12, 1, PROTO);
	add_type(b, "", 13, 0, 0);
	add_type(b, "idle", 12, 1, FUNC + 1);
	add_type(b, "", 13, 1, 0);
	add_pair(b, "odd", 999);
	add_type(b, "odd", 12, 1, FUNC + 3);
	add_vast(b);
}

static int make_file(const struct btf *b)
{
	unsigned char header[24] = { 0x9f, 0xeb, 1, 0 };
	int fd = memfd_create("btf", 0);

	put(header + 4, sizeof(header));
	put(header + 12, b->types_len);
	put(header + 16, b->types_len);
	put(header + 20, b->strings_len);
	assert_int_equal(write(fd, header, sizeof(header)), sizeof(header));
	assert_int_equal(write(fd, b->types, b->types_len), b->types_len);
	assert_int_equal(write(fd, b->strings, b->strings_len), b->strings_len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* ---- a provider ---- */

static struct btf btf;

static int get_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	if (id != FUNCTION)
		return -ENOENT;
	*ret_system = strdup("ftrace");
	*ret_text = strdup("name: function\nID: 1\nformat:\n"
			   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			   "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			   "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
			   "\tfield:unsigned long args[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
			   "print fmt: \"\"\n");
	return 0;
}

static int get_kallsyms(void *ctx)
{
	static const char text[] = "ffffffff81000000 T _stext\nffffffff81001000 T work\n"
		"ffffffff81002000 T idle\nffffffff81003000 T unknown\n"
		"ffffffff81004000 T odd\nffffffff81004800 T vast\nffffffff81005000 T _etext\n";

	(void)ctx;
	return symbols_file(text);
}

static int get_btf(void *ctx)
{
	(void)ctx;
	return make_file(&btf);
}

/* Of the same, what a recording of all functions keeps. */
static int get_kept_btf(void *ctx)
{
	const struct tsh_provider own = { .btf = get_btf, .ctx = ctx };
	struct tsh_strlist none = { 0 }, functions = { 0 };
	struct tsh_strbuf kept = TSH_STRBUF_INIT;
	int fd = memfd_create("btf", 0);

	tsh_strlist_split_words(&functions, "idle odd unknown vast work work");
	tsh_btf_extract(&own, &none, &functions, &kept);
	if (kept.len)
		assert_int_equal(write(fd, kept.buf, kept.len), kept.len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	tsh_strlist_release(&functions);
	tsh_strbuf_release(&kept);
	return fd;
}

static void begin(struct world *w, unsigned int major, bool recorded)
{
	struct tsh_provider own = {
		.format = get_format, .cmdlines = no_text, .kallsyms = get_kallsyms,
		.btf = recorded ? get_kept_btf : get_btf,
	};

	make_btf(&btf);
	begin_version(w, &own, major, 0, "");
}

/* A function at an address, with this many arguments. */
static const char *print(struct world *w, uint64_t ip, const uint64_t *args, uint32_t nargs)
{
	uint64_t data[3 + 8] = { FUNCTION, ip };
	struct tsh_record rec = { 0, 0, 8 * (3 + nargs), (const unsigned char *)data };

	memcpy(data + 3, args, nargs * sizeof(*args));
	tsh_strbuf_clear(&w->out);
	tsh_decoder_print(w->d, tsh_decoder_format(w->d, FUNCTION), &rec, &w->out);
	return w->out.buf;
}

/* ---- tests ---- */

static const uint64_t args[8] = { (uint64_t)-5, 10, 0xffff888000001000, 7, 1, 2, 3, 4 };

static void prototypes(void **state)
{
	struct world w;
	int recorded;

	(void)state;
	for (recorded = 0; recorded < 2; recorded++) {
		begin(&w, 6, recorded);
		assert_string_equal(print(&w, TEXT + 0x1000, args, 8),
				    "work(count=-5, size=0xa, p=0xffff888000001000, mode=7, "
				    "pair=(STRUCT)[0x1:0x2], more=0x3)");
		assert_string_equal(print(&w, TEXT + 0x1000, args, 6),
				    "work(count=-5, size=0xa, p=0xffff888000001000, mode=7, "
				    "pair=(STRUCT)[0x1:0x2], ...)");
		assert_string_equal(print(&w, TEXT + 0x1000, args, 5), "work");
		assert_string_equal(print(&w, TEXT + 0x2000, args, 6), "idle()");
		assert_string_equal(print(&w, TEXT + 0x3000, args, 6), "unknown()");
		assert_string_equal(print(&w, TEXT + 0x4000, args, 6), "odd(odd=?0xfffffffffffffffb)");
		end(&w);

		begin(&w, 7, recorded);
		assert_string_equal(print(&w, TEXT + 0x1000, args, 8),
				    "work(count=-5, size=0xa, p=0xffff888000001000, mode=7 [MODE_B], "
				    "pair=(STRUCT)[0x1:0x2], more=0x3)");
		end(&w);
	}
}

/* What no kernel has is looked at so far and no further. */
static void vast(void **state)
{
	static const uint64_t first[6] = { 1, 4 }, last[6] = { 1, MANY - 1 };
	struct world w;
	int recorded;

	(void)state;
	for (recorded = 0; recorded < 2; recorded++) {
		begin(&w, 7, recorded);
		assert_string_equal(print(&w, TEXT + 0x4800, first, 6), "vast(=1, large=4 [int])");
		assert_string_equal(print(&w, TEXT + 0x4800, last, 6), "vast(=1, large=4999)");
		end(&w);
	}
}

/* Any of it can be false; what is read must be there. */
static void hostile(void **state)
{
	struct world w;
	uint32_t i;

	(void)state;
	for (i = 0; i < 2 * 300; i++) {
		begin(&w, 7, i % 4 > 1);
		if (i & 1)
			btf.types[i / 2 % btf.types_len] ^= 0xff;
		else
			btf.strings_len = i / 2 % btf.strings_len;
		print(&w, TEXT + 0x1000, args, 8);
		print(&w, TEXT + 0x4000, args, 8);
		print(&w, TEXT + 0x4800, args, 8);
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prototypes),
		cmocka_unit_test(vast),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
