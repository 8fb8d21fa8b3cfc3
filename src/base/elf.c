/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/strbuf.h"
#include "tracesh/vec.h"
#include "tracesh/xmalloc.h"

#define HEADERS_MAX 65536u
#define TABLE_MAX (UINT64_C(256) << 20)	/* a browser has some 100 MB of symbols */
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct segment {
	uint64_t offset, address, size;
};

struct table {
	unsigned char *symbols;
	uint64_t size;
	char *strings;			/* with a NUL behind them */
	uint64_t strings_size;
};

struct tsh_elf {
	int fd;
	uint64_t file_size;
	bool is_64, swaps;
	unsigned int machine;
	TSH_VEC(struct segment) code;
	TSH_VEC(struct table) tables;
};

/* ---- reading ---- */

static bool lies_inside(const struct tsh_elf *elf, uint64_t offset, uint64_t size)
{
	return offset <= elf->file_size && size <= elf->file_size - offset;
}

static bool read_at(const struct tsh_elf *elf, uint64_t offset, void *to, uint64_t size)
{
	return lies_inside(elf, offset, size) && tsh_read_at(elf->fd, offset, to, (size_t)size);
}

static uint64_t number(const struct tsh_elf *elf, const void *from, size_t size)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 2:
		memcpy(&v16, from, sizeof(v16));
		return elf->swaps ? __builtin_bswap16(v16) : v16;
	case 4:
		memcpy(&v32, from, sizeof(v32));
		return elf->swaps ? __builtin_bswap32(v32) : v32;
	default:
		memcpy(&v64, from, sizeof(v64));
		return elf->swaps ? __builtin_bswap64(v64) : v64;
	}
}

/* A member of the 32-bit or the 64-bit form of a structure, which stands at p. */
#define MEMBER(elf, p, what, member)                                                             \
	((elf)->is_64 ? number(elf, (p) + offsetof(Elf64_##what, member),                        \
			       sizeof(((Elf64_##what *)0)->member)) :                            \
			number(elf, (p) + offsetof(Elf32_##what, member),                        \
			       sizeof(((Elf32_##what *)0)->member)))
#define SIZE_OF(elf, what) ((elf)->is_64 ? sizeof(Elf64_##what) : sizeof(Elf32_##what))

/* An array of the file in memory, which the caller frees; NULL: it is not inside of it. */
static unsigned char *read_array(const struct tsh_elf *elf, uint64_t offset, uint64_t size)
{
	unsigned char *data;

	if (!size || size > TABLE_MAX || !lies_inside(elf, offset, size))
		return NULL;
	data = tsh_xmalloc((size_t)size + 1);
	data[size] = '\0';
	if (read_at(elf, offset, data, size))
		return data;
	free(data);
	return NULL;
}

/* ---- the parts of a file ---- */

static void read_segments(struct tsh_elf *elf, const unsigned char *header)
{
	uint64_t n = MEMBER(elf, header, Ehdr, e_phnum), i;
	uint64_t each = MEMBER(elf, header, Ehdr, e_phentsize);
	unsigned char *all;

	if (each < SIZE_OF(elf, Phdr))
		return;
	all = read_array(elf, MEMBER(elf, header, Ehdr, e_phoff), n * each);
	for (i = 0; all && i < n; i++) {
		const unsigned char *p = all + i * each;
		struct segment *code;

		if (MEMBER(elf, p, Phdr, p_type) != PT_LOAD ||
		    !(MEMBER(elf, p, Phdr, p_flags) & PF_X))
			continue;
		code = tsh_vec_push(&elf->code);
		code->offset = MEMBER(elf, p, Phdr, p_offset);
		code->address = MEMBER(elf, p, Phdr, p_vaddr);
		code->size = MEMBER(elf, p, Phdr, p_filesz);
	}
	free(all);
}

static void read_table(struct tsh_elf *elf, const unsigned char *sections, uint64_t n,
		       uint64_t each, const unsigned char *section)
{
	uint64_t strings = MEMBER(elf, section, Shdr, sh_link);
	struct table table = { .size = MEMBER(elf, section, Shdr, sh_size) };

	if (strings >= n)
		return;
	table.symbols = read_array(elf, MEMBER(elf, section, Shdr, sh_offset), table.size);
	section = sections + strings * each;
	table.strings_size = MEMBER(elf, section, Shdr, sh_size);
	table.strings = (char *)read_array(elf, MEMBER(elf, section, Shdr, sh_offset),
					   table.strings_size);
	if (table.symbols && table.strings) {
		*tsh_vec_push(&elf->tables) = table;
		return;
	}
	free(table.symbols);
	free(table.strings);
}

static void read_tables(struct tsh_elf *elf, const unsigned char *header)
{
	uint64_t n = MEMBER(elf, header, Ehdr, e_shnum), i;
	uint64_t each = MEMBER(elf, header, Ehdr, e_shentsize);
	uint64_t offset = MEMBER(elf, header, Ehdr, e_shoff);
	unsigned char first[sizeof(Elf64_Shdr)], *all;

	if (!offset || each < SIZE_OF(elf, Shdr))
		return;
	/* More than 65,279: the first section has their number. */
	if (!n && read_at(elf, offset, first, SIZE_OF(elf, Shdr)))
		n = MEMBER(elf, first, Shdr, sh_size);
	if (n > HEADERS_MAX * 16)
		return;
	all = read_array(elf, offset, n * each);
	for (i = 0; all && i < n && elf->tables.n < 2; i++) {
		uint64_t type = MEMBER(elf, all + i * each, Shdr, sh_type);

		if (type == SHT_SYMTAB || type == SHT_DYNSYM)
			read_table(elf, all, n, each, all + i * each);
	}
	free(all);
}

int tsh_elf_open(int fd, struct tsh_elf **ret, struct tsh_err *err)
{
	struct tsh_elf *elf = tsh_xcalloc(1, sizeof(*elf));
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	struct stat st;

	elf->fd = fd;
	elf->file_size = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 ?
			 (uint64_t)st.st_size : 0;
	if (!read_at(elf, 0, header, EI_NIDENT) || memcmp(header, ELFMAG, SELFMAG) != 0)
		goto no_elf;
	elf->is_64 = header[EI_CLASS] == ELFCLASS64;
	elf->swaps = (header[EI_DATA] == ELFDATA2MSB) != BIG_ENDIAN_HOST;
	if ((!elf->is_64 && header[EI_CLASS] != ELFCLASS32) ||
	    !read_at(elf, 0, header, SIZE_OF(elf, Ehdr)))
		goto no_elf;
	elf->machine = (unsigned int)MEMBER(elf, header, Ehdr, e_machine);
	read_segments(elf, header);
	read_tables(elf, header);
	*ret = elf;
	return 0;
no_elf:
	tsh_elf_close(elf);
	return tsh_err_set(err, TSH_FAILED, "it is no ELF file");
}

void tsh_elf_close(struct tsh_elf *elf)
{
	size_t i;

	if (!elf)
		return;
	for (i = 0; i < elf->tables.n; i++) {
		free(elf->tables.v[i].symbols);
		free(elf->tables.v[i].strings);
	}
	tsh_vec_release(&elf->tables);
	tsh_vec_release(&elf->code);
	free(elf);
}

unsigned int tsh_elf_machine(const struct tsh_elf *elf)
{
	return elf->machine;
}

/* ---- symbols ---- */

static void walk(const struct tsh_elf *elf, const struct table *table,
		 void (*symbol)(void *ctx, const struct tsh_elf_symbol *symbol), void *ctx)
{
	uint64_t each = SIZE_OF(elf, Sym), i;
	struct tsh_strlist name = { 0 };

	for (i = 0; i + each <= table->size; i += each) {
		const unsigned char *p = table->symbols + i;
		unsigned int info = elf->is_64 ? p[offsetof(Elf64_Sym, st_info)] :
						 p[offsetof(Elf32_Sym, st_info)];
		uint64_t at = MEMBER(elf, p, Sym, st_name);
		struct tsh_elf_symbol found = { .address = MEMBER(elf, p, Sym, st_value),
						.size = MEMBER(elf, p, Sym, st_size),
						.is_chosen = (info & 0xf) == STT_GNU_IFUNC };
		const char *text;

		if (((info & 0xf) != STT_FUNC && !found.is_chosen) || !found.address ||
		    MEMBER(elf, p, Sym, st_shndx) == SHN_UNDEF || at >= table->strings_size ||
		    !table->strings[at] || table->strings[at] == '@')
			continue;
		if (elf->machine == EM_ARM)
			found.address &= ~UINT64_C(1);
		text = table->strings + at;
		found.name = text;
		if (strchr(text, '@')) {
			tsh_strlist_addn(&name, text, strcspn(text, "@"));
			found.name = name.v[0];
		}
		symbol(ctx, &found);
		tsh_strlist_release(&name);
	}
}

void tsh_elf_symbols(const struct tsh_elf *elf,
		     void (*symbol)(void *ctx, const struct tsh_elf_symbol *symbol), void *ctx)
{
	size_t i;

	for (i = 0; i < elf->tables.n; i++)
		walk(elf, &elf->tables.v[i], symbol, ctx);
}

static void count(void *ctx, const struct tsh_elf_symbol *symbol)
{
	size_t *n = ctx;

	(void)symbol;
	++*n;
}

size_t tsh_elf_count(const struct tsh_elf *elf)
{
	size_t n = 0;

	tsh_elf_symbols(elf, count, &n);
	return n;
}

struct search {
	const char *name;
	struct tsh_elf_symbol *ret;
	size_t n;
};

static void compare(void *ctx, const struct tsh_elf_symbol *symbol)
{
	struct search *search = ctx;

	if (strcmp(symbol->name, search->name) != 0 ||
	    (search->n && search->ret->address == symbol->address))
		return;
	if (!search->n++)
		*search->ret = *symbol;
}

size_t tsh_elf_find(const struct tsh_elf *elf, const char *name, struct tsh_elf_symbol *ret)
{
	struct search search = { .name = name, .ret = ret };

	tsh_elf_symbols(elf, compare, &search);
	ret->name = name;
	return search.n;
}

bool tsh_elf_offset(const struct tsh_elf *elf, uint64_t address, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < elf->code.n; i++) {
		const struct segment *code = &elf->code.v[i];

		if (address < code->address || address - code->address >= code->size ||
		    !lies_inside(elf, code->offset, address - code->address + 1))
			continue;
		*ret = code->offset + (address - code->address);
		return true;
	}
	return false;
}
