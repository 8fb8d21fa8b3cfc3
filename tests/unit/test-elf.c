/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

static uint32_t seed = 1;

/* The same numbers in every run. */
static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static struct tsh_elf *open_self(int *ret_fd)
{
	struct tsh_err err = { 0 };
	struct tsh_elf *elf;

	*ret_fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_int_equal(tsh_elf_open(*ret_fd, TSH_ELF_BYTES_MAX, NULL, &elf, &err), 0);
	return elf;
}

int main(void);

/* This very program: what lies at the offset in the file is what runs. */
static void test_self(void **state)
{
	struct tsh_elf_symbol symbol;
	unsigned char code[16];
	struct tsh_elf *elf;
	uint64_t offset;
	int fd;

	(void)state;
	elf = open_self(&fd);
	assert_true(tsh_elf_has_symbols(elf));
	assert_int_equal(tsh_elf_find(elf, "main", &symbol), 1);
	assert_string_equal(symbol.name, "main");
	assert_true(symbol.size > sizeof(code));
	assert_true(tsh_elf_offset(elf, symbol.address, &offset));
	assert_int_equal(pread(fd, code, sizeof(code), (off_t)offset), sizeof(code));
	assert_memory_equal(code, (const void *)main, sizeof(code));
	assert_int_equal(tsh_elf_find(elf, "no_such_function", &symbol), 0);
	assert_false(tsh_elf_offset(elf, UINT64_MAX, &offset));
	assert_false(tsh_elf_offset(elf, 0, &offset));
	tsh_elf_close(elf);
	close(fd);
}

/* ---- a file in the making ---- */

/* Of 32 bits, the numbers big-endian: header, one segment, three sections, symbols, names. */
struct made {
	Elf32_Ehdr header;
	Elf32_Phdr code;
	Elf32_Shdr sections[3];
	Elf32_Sym symbols[6];
	char names[40];
};

static uint32_t b32(uint32_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap32(v);
}

static uint16_t b16(uint16_t v)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? v : __builtin_bswap16(v);
}

static Elf32_Sym made_symbol(uint32_t name, uint32_t address, unsigned char type)
{
	return (Elf32_Sym){ .st_name = b32(name), .st_value = b32(address), .st_size = b32(8),
			    .st_info = type, .st_shndx = b16(1) };
}

static void make(struct made *m)
{
	static const char names[] = "\0one\0two@@V_1\0two\0ifunc\0data";

	memset(m, 0, sizeof(*m));
	memcpy(m->header.e_ident, ELFMAG, SELFMAG);
	m->header.e_ident[EI_CLASS] = ELFCLASS32;
	m->header.e_ident[EI_DATA] = ELFDATA2MSB;
	m->header.e_machine = b16(EM_ARM);
	m->header.e_phoff = b32(offsetof(struct made, code));
	m->header.e_phnum = b16(1);
	m->header.e_phentsize = b16(sizeof(Elf32_Phdr));
	m->header.e_shoff = b32(offsetof(struct made, sections));
	m->header.e_shnum = b16(3);
	m->header.e_shentsize = b16(sizeof(Elf32_Shdr));
	m->code = (Elf32_Phdr){ .p_type = b32(PT_LOAD), .p_flags = b32(PF_X | PF_R),
				.p_vaddr = b32(0x10000), .p_offset = b32(4),
				.p_filesz = b32(sizeof(*m) - 4) };
	m->sections[1] = (Elf32_Shdr){ .sh_type = b32(SHT_SYMTAB), .sh_link = b32(2),
				       .sh_offset = b32(offsetof(struct made, symbols)),
				       .sh_size = b32(sizeof(m->symbols)) };
	m->sections[2] = (Elf32_Shdr){ .sh_type = b32(SHT_STRTAB),
				       .sh_offset = b32(offsetof(struct made, names)),
				       .sh_size = b32(sizeof(m->names)) };
	memcpy(m->names, names, sizeof(names));
	m->symbols[1] = made_symbol(1, 0x10011, STT_FUNC);
	m->symbols[2] = made_symbol(5, 0x10020, STT_FUNC);
	m->symbols[3] = made_symbol(14, 0x10030, STT_FUNC);
	m->symbols[4] = made_symbol(18, 0x10040, STT_GNU_IFUNC);
	m->symbols[5] = made_symbol(24, 0x10050, STT_OBJECT);
}

static int file_of(const void *data, size_t len)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	return fd;
}

static bool add_one(void *ctx, const struct tsh_elf_symbol *symbol)
{
	size_t *n = ctx;

	(void)symbol;
	++*n;
	return true;
}

static size_t count(struct tsh_elf *elf)
{
	size_t n = 0;

	tsh_elf_each_symbol(elf, add_one, &n);
	return n;
}

static void test_made(void **state)
{
	struct tsh_elf_symbol symbol;
	struct tsh_err err = { 0 };
	struct tsh_elf *elf;
	uint64_t offset;
	struct made m;
	int fd;

	(void)state;
	make(&m);
	fd = file_of(&m, sizeof(m));
	assert_int_equal(tsh_elf_open(fd, TSH_ELF_BYTES_MAX, NULL, &elf, &err), 0);
	assert_int_equal(tsh_elf_machine(elf), EM_ARM);
	assert_int_equal(count(elf), 4);
	assert_int_equal(tsh_elf_left_out(elf), 0);
	assert_int_equal(tsh_elf_find(elf, "one", &symbol), 1);
	/* without the bit of Thumb */
	assert_int_equal(symbol.address, 0x10010);
	assert_true(tsh_elf_offset(elf, symbol.address, &offset));
	assert_int_equal(offset, 0x14);
	/* a version is no part of the name, and then there are two */
	assert_int_equal(tsh_elf_find(elf, "two", &symbol), 2);
	assert_int_equal(symbol.address, 0x10020);
	assert_int_equal(tsh_elf_find(elf, "ifunc", &symbol), 1);
	assert_true(symbol.is_chosen);
	assert_int_equal(tsh_elf_find(elf, "data", &symbol), 0);
	assert_false(tsh_elf_offset(elf, 0xffff, &offset));
	assert_false(tsh_elf_offset(elf, 0x10000 + sizeof(m) - 4, &offset));
	tsh_elf_close(elf);
	close(fd);
}

/* ---- large ones ---- */

#define LONG_NAMES 2000u
#define LONG_BYTES 200000u

/* Symbols whose names are the rests of one long string. The caller closes it. */
static int make_long(uint64_t nsymbols)
{
	uint64_t at = offsetof(struct made, symbols), names = at + nsymbols * sizeof(Elf32_Sym);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct made m;
	uint32_t i;
	int fd;

	make(&m);
	m.sections[1].sh_size = b32((uint32_t)(nsymbols * sizeof(Elf32_Sym)));
	m.sections[2].sh_offset = b32((uint32_t)names);
	m.sections[2].sh_size = b32(LONG_BYTES);
	m.code.p_filesz = b32((uint32_t)names);
	tsh_strbuf_add(&text, &m, at);
	for (i = 0; i < LONG_NAMES; i++) {
		Elf32_Sym symbol = made_symbol(i, 0x10010 + 2 * i, STT_FUNC);

		tsh_strbuf_add(&text, &symbol, sizeof(symbol));
	}
	fd = file_of(text.buf, text.len);
	tsh_strbuf_clear(&text);
	tsh_strbuf_addn(&text, 'A', LONG_BYTES - 1);
	assert_int_equal(pwrite(fd, text.buf, LONG_BYTES, (off_t)names), LONG_BYTES);
	tsh_strbuf_release(&text);
	return fd;
}

struct sums {
	size_t n, cut, longest;
};

static bool add_up(void *ctx, const struct tsh_elf_symbol *symbol)
{
	struct sums *sums = ctx;
	size_t len = strlen(symbol->name);

	sums->n++;
	sums->cut += symbol->is_cut;
	sums->longest = len > sums->longest ? len : sums->longest;
	return true;
}

/* Half a megabyte of names that overlap is no gigabyte. */
static void test_overlapping(void **state)
{
	int fd = make_long(LONG_NAMES);
	struct tsh_elf_symbol symbol;
	struct tsh_err err = { 0 };
	struct sums sums = { 0 };
	struct tsh_elf *elf;
	char *name;

	(void)state;
	assert_int_equal(tsh_elf_open(fd, TSH_ELF_BYTES_MAX, NULL, &elf, &err), 0);
	tsh_elf_each_symbol(elf, add_up, &sums);
	assert_int_equal(sums.n, LONG_NAMES);
	assert_int_equal(sums.cut, LONG_NAMES);
	assert_int_equal(sums.longest, TSH_ELF_NAME_MAX);
	assert_int_equal(tsh_elf_left_out(elf), 0);
	assert_int_equal(tsh_elf_bytes(elf), LONG_BYTES);
	/* a long one is found all the same */
	name = calloc(1, LONG_BYTES);
	assert_non_null(name);
	memset(name, 'A', LONG_BYTES - 1 - 5);
	assert_int_equal(tsh_elf_find(elf, name, &symbol), 1);
	assert_int_equal(symbol.address, 0x1001a & ~1u);
	free(name);
	tsh_elf_close(elf);
	/* names beyond what may be kept */
	assert_int_equal(tsh_elf_open(fd, 1000, NULL, &elf, &err), 0);
	assert_int_equal(count(elf), 1000);
	assert_int_equal(tsh_elf_left_out(elf), LONG_NAMES - 1000);
	tsh_elf_close(elf);
	close(fd);
}

/* As many symbols as the table says, but no more than 4 M are looked at. */
static void test_many(void **state)
{
	int fd = make_long(TSH_ELF_SYMBOLS_MAX + 7);
	struct tsh_err err = { 0 };
	struct tsh_elf *elf;

	(void)state;
	assert_int_equal(tsh_elf_open(fd, TSH_ELF_BYTES_MAX, NULL, &elf, &err), 0);
	assert_int_equal(count(elf), LONG_NAMES);
	assert_int_equal(tsh_elf_left_out(elf), 7);
	tsh_elf_close(elf);
	close(fd);
}

static enum tsh_wait_result interrupt(void *ctx, struct pollfd *fds, unsigned int nfds, int ms)
{
	unsigned int *looks = ctx;

	(void)fds;
	(void)nfds;
	(void)ms;
	return (*looks)-- ? TSH_WAIT_TIMEOUT : TSH_WAIT_STOP;
}

static void test_signal(void **state)
{
	int fd = make_long(TSH_ELF_SYMBOLS_MAX);
	unsigned int looks = UINT_MAX;
	const struct tsh_waiter waiter = { interrupt, &looks };
	struct tsh_err err = { 0 };
	struct tsh_elf *elf;

	(void)state;
	assert_int_equal(tsh_elf_open(fd, TSH_ELF_BYTES_MAX, &waiter, &elf, &err), 0);
	/* while they were opened there were some, too */
	assert_true(looks < UINT_MAX);
	looks = 3;
	assert_int_equal(count(elf), LONG_NAMES);
	/* no look behind the one that hears it */
	assert_int_equal(looks, UINT_MAX);
	tsh_elf_close(elf);
	close(fd);
}

/* ---- broken ones ---- */

static bool touch(void *ctx, const struct tsh_elf_symbol *symbol)
{
	size_t *sum = ctx;

	*sum += strlen(symbol->name) + (size_t)symbol->address;
	return true;
}

/* Whatever it holds: no crash, no read outside, and an offset is inside of the file. */
static void try(const void *data, size_t len)
{
	static const uint64_t addresses[] = { 0, 1, 0x1000, 0x10010, 0x7fffffff, UINT64_MAX };
	struct tsh_elf_symbol symbol;
	struct tsh_err err = { 0 };
	struct tsh_elf *elf;
	int fd = file_of(data, len);
	size_t i, sum = 0;
	uint64_t offset;

	if (tsh_elf_open(fd, TSH_ELF_BYTES_MAX, NULL, &elf, &err) == 0) {
		tsh_elf_each_symbol(elf, touch, &sum);
		(void)tsh_elf_find(elf, "two", &symbol);
		for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
			if (tsh_elf_offset(elf, addresses[i], &offset))
				assert_true(offset < len);
		tsh_elf_close(elf);
	} else {
		assert_non_null(err.message);
	}
	tsh_err_release(&err);
	close(fd);
}

static void test_cut(void **state)
{
	struct made m;
	size_t len;

	(void)state;
	make(&m);
	for (len = 0; len < sizeof(m); len++)
		try(&m, len);
	try("#!/bin/sh\n", 10);
}

static void test_damaged(void **state)
{
	static const unsigned char nasty[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned char bytes[sizeof(struct made)];
	struct made m;
	size_t i, round;

	(void)state;
	make(&m);
	for (i = 0; i < sizeof(m); i++) {
		memcpy(bytes, &m, sizeof(m));
		for (round = 0; round < sizeof(nasty); round++) {
			bytes[i] = nasty[round];
			try(bytes, sizeof(bytes));
		}
	}
	for (round = 0; round < 3000; round++) {
		memcpy(bytes, &m, sizeof(m));
		for (i = 0; i < 8; i++)
			bytes[next_random(sizeof(bytes))] = (unsigned char)next_random(256);
		/* still an ELF file */
		memcpy(bytes, ELFMAG, SELFMAG);
		bytes[EI_CLASS] = (unsigned char)(ELFCLASS32 + next_random(2));
		try(bytes, sizeof(bytes));
	}
}

/* A real one, with its first pages damaged. */
static void test_damaged_self(void **state)
{
	struct tsh_strbuf whole = TSH_STRBUF_INIT;
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);
	size_t round, i;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(tsh_strbuf_read(&whole, fd, 64 << 20), 0);
	close(fd);
	for (round = 0; round < 300; round++) {
		char saved[32];
		size_t at = next_random((uint32_t)(whole.len < 4096 ? whole.len : 4096) - 32);

		memcpy(saved, whole.buf + at, sizeof(saved));
		for (i = 0; i < sizeof(saved); i++)
			whole.buf[at + i] ^= (char)next_random(256);
		try(whole.buf, whole.len);
		memcpy(whole.buf + at, saved, sizeof(saved));
	}
	tsh_strbuf_release(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),	cmocka_unit_test(test_made),
		cmocka_unit_test(test_cut),	cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_damaged_self), cmocka_unit_test(test_overlapping),
		cmocka_unit_test(test_many),	cmocka_unit_test(test_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
