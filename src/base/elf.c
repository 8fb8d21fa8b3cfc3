/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strbuf.h"
#include "vec.h"
#include "xmalloc.h"

#define SECTIONS_MAX 65536u
#define SEGMENTS_MAX 64u	/* segments with code; a program has two or three */
/* Limit how many bytes, and how many symbols, are read between two checks for signals. */
#define PIECE (UINT64_C(1) << 20)
#define CHUNK 2048u
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct segment {
	uint64_t offset, address, size;
};

struct table {
	uint64_t offset, size;		/* place and size of the symbols in the file */
	char *strings;			/* the names; a NUL follows the last one */
	uint64_t strings_size;		/* bytes of names in memory */
	uint64_t names_size;		/* bytes of names in the file */
};

struct tsh_elf {
	int fd;
	const struct tsh_waiter *waiter;
	uint64_t bytes_left;		/* how many bytes of names may still be kept */
	uint64_t left_out;		/* symbols that the last walk left out */
	bool is_stopped;		/* a signal ended the last walk */
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

static bool hears_signal(struct tsh_elf *elf)
{
	elf->is_stopped = elf->waiter && tsh_wait(elf->waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT;
	return elf->is_stopped;
}

static bool read_at(struct tsh_elf *elf, uint64_t offset, void *to, uint64_t size)
{
	uint64_t done, n;

	if (!lies_inside(elf, offset, size))
		return false;
	for (done = 0; done < size; done += n) {
		n = size - done < PIECE ? size - done : PIECE;
		if (hears_signal(elf) || !tsh_read_at(elf->fd, offset + done, (char *)to + done, (size_t)n))
			return false;
	}
	return true;
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

/* Reads a member of the 32-bit or 64-bit form of a structure that begins at p. */
#define MEMBER(elf, p, what, member)                                                             \
	((elf)->is_64 ? number(elf, (p) + offsetof(Elf64_##what, member),                        \
			       sizeof(((Elf64_##what *)0)->member)) :                            \
			number(elf, (p) + offsetof(Elf32_##what, member),                        \
			       sizeof(((Elf32_##what *)0)->member)))
#define SIZE_OF(elf, what) ((elf)->is_64 ? sizeof(Elf64_##what) : sizeof(Elf32_##what))

/* Reads an array of the file; the caller frees it. Returns NULL when the array does not lie
 * within the file. */
static unsigned char *read_array(struct tsh_elf *elf, uint64_t offset, uint64_t size)
{
	unsigned char *data;

	if (!size || size > TSH_ELF_BYTES_MAX || !lies_inside(elf, offset, size))
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
	for (i = 0; all && i < n && elf->code.n < SEGMENTS_MAX; i++) {
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

/* Reads the names of a table's symbols, up to the bytes that may still be kept. */
static void read_strings(struct tsh_elf *elf, struct table *table, const unsigned char *section)
{
	uint64_t offset = MEMBER(elf, section, Shdr, sh_offset);

	table->names_size = MEMBER(elf, section, Shdr, sh_size);
	if (!lies_inside(elf, offset, table->names_size))
		table->names_size = 0;
	table->strings_size = table->names_size < elf->bytes_left ? table->names_size :
								    elf->bytes_left;
	table->strings = (char *)read_array(elf, offset, table->strings_size);
	if (!table->strings)
		table->strings_size = 0;
	elf->bytes_left -= table->strings_size;
}

static void add_table(struct tsh_elf *elf, const unsigned char *sections, uint64_t n,
		      uint64_t each, const unsigned char *section)
{
	uint64_t strings = MEMBER(elf, section, Shdr, sh_link);
	struct table table = { .offset = MEMBER(elf, section, Shdr, sh_offset),
			       .size = MEMBER(elf, section, Shdr, sh_size) };

	if (strings >= n || !lies_inside(elf, table.offset, table.size))
		return;
	read_strings(elf, &table, sections + strings * each);
	*tsh_vec_push(&elf->tables) = table;
}

static void read_tables(struct tsh_elf *elf, const unsigned char *header)
{
	uint64_t n = MEMBER(elf, header, Ehdr, e_shnum), i;
	uint64_t each = MEMBER(elf, header, Ehdr, e_shentsize);
	uint64_t offset = MEMBER(elf, header, Ehdr, e_shoff);
	unsigned char first[sizeof(Elf64_Shdr)], *all;

	if (!offset || each < SIZE_OF(elf, Shdr))
		return;
	/* Reads the number of sections from the first section: the header cannot hold more than
	 * 65,279. */
	if (!n && read_at(elf, offset, first, SIZE_OF(elf, Shdr)))
		n = MEMBER(elf, first, Shdr, sh_size);
	if (n > SECTIONS_MAX * 16)
		return;
	all = read_array(elf, offset, n * each);
	for (i = 0; all && i < n && elf->tables.n < 2; i++) {
		uint64_t type = MEMBER(elf, all + i * each, Shdr, sh_type);

		if (type == SHT_SYMTAB || type == SHT_DYNSYM)
			add_table(elf, all, n, each, all + i * each);
	}
	free(all);
}

int tsh_elf_open(int fd, uint64_t names_max, const struct tsh_waiter *waiter,
		 struct tsh_elf **ret, struct tsh_err *err)
{
	struct tsh_elf *elf = tsh_xcalloc(1, sizeof(*elf));
	unsigned char header[sizeof(Elf64_Ehdr)] = { 0 };
	struct stat st;

	elf->fd = fd;
	elf->waiter = waiter;
	elf->bytes_left = names_max < TSH_ELF_BYTES_MAX ? names_max : TSH_ELF_BYTES_MAX;
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
	for (i = 0; i < elf->tables.n; i++)
		free(elf->tables.v[i].strings);
	tsh_vec_release(&elf->tables);
	tsh_vec_release(&elf->code);
	free(elf);
}

unsigned int tsh_elf_machine(const struct tsh_elf *elf)
{
	return elf->machine;
}

/* ---- symbols ---- */

struct walk {
	struct tsh_elf *elf;
	tsh_elf_callback *symbol;
	void *ctx;
	uint64_t symbols_left;
};

/* Copies a name without its version, as much as fits. Returns false when it was cut. */
static bool copy_name(const char *text, char name[TSH_ELF_NAME_MAX + 1])
{
	size_t len = strnlen(text, TSH_ELF_NAME_MAX);
	const char *version = memchr(text, '@', len);
	bool is_whole = version || !text[len] || text[len] == '@';

	len = version ? (size_t)(version - text) : len;
	memcpy(name, text, len);
	name[len] = '\0';
	return is_whole;
}

/* Calls the callback for a symbol that is a named function. Returns what the callback returns,
 * otherwise true. */
static bool report_symbol(struct walk *walk, const struct table *table, const unsigned char *p)
{
	struct tsh_elf *elf = walk->elf;
	unsigned int type = 0xf & (elf->is_64 ? p[offsetof(Elf64_Sym, st_info)] :
						p[offsetof(Elf32_Sym, st_info)]);
	uint64_t at = MEMBER(elf, p, Sym, st_name);
	struct tsh_elf_symbol found = { .address = MEMBER(elf, p, Sym, st_value),
					.size = MEMBER(elf, p, Sym, st_size),
					.is_chosen = type == STT_GNU_IFUNC };
	char name[TSH_ELF_NAME_MAX + 1];

	if ((type != STT_FUNC && !found.is_chosen) || !found.address ||
	    MEMBER(elf, p, Sym, st_shndx) == SHN_UNDEF || at >= table->names_size)
		return true;
	if (at >= table->strings_size) {
		elf->left_out++;
		return true;
	}
	found.text = table->strings + at;
	if (!*found.text || *found.text == '@')
		return true;
	if (elf->machine == EM_ARM)
		found.address &= ~UINT64_C(1);
	found.name = name;
	found.is_cut = !copy_name(found.text, name);
	return walk->symbol(walk->ctx, &found);
}

static bool walk_table(struct walk *walk, const struct table *table, unsigned char *chunk)
{
	uint64_t each = SIZE_OF(walk->elf, Sym), all = table->size / each, i, k, n;
	uint64_t most = all < walk->symbols_left ? all : walk->symbols_left;

	walk->symbols_left -= most;
	walk->elf->left_out += all - most;
	for (i = 0; i < most; i += n) {
		n = most - i < CHUNK ? most - i : CHUNK;
		if (!read_at(walk->elf, table->offset + i * each, chunk, n * each)) {
			if (walk->elf->is_stopped)
				return false;
			walk->elf->left_out += most - i;
			return true;
		}
		for (k = 0; k < n; k++)
			if (!report_symbol(walk, table, chunk + k * each))
				return false;
	}
	return true;
}

void tsh_elf_each_symbol(struct tsh_elf *elf, tsh_elf_callback *symbol, void *ctx)
{
	struct walk walk = { elf, symbol, ctx, TSH_ELF_SYMBOLS_MAX };
	unsigned char *chunk = tsh_xmalloc(CHUNK * sizeof(Elf64_Sym));
	size_t i;

	elf->left_out = 0;
	elf->is_stopped = false;
	for (i = 0; i < elf->tables.n; i++)
		if (!walk_table(&walk, &elf->tables.v[i], chunk))
			break;
	free(chunk);
}

uint64_t tsh_elf_left_out(const struct tsh_elf *elf)
{
	return elf->left_out;
}

uint64_t tsh_elf_bytes(const struct tsh_elf *elf)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < elf->tables.n; i++)
		bytes += elf->tables.v[i].strings_size;
	return bytes;
}

static bool note_any(void *ctx, const struct tsh_elf_symbol *symbol)
{
	bool *any = ctx;

	(void)symbol;
	*any = true;
	return false;
}

bool tsh_elf_has_symbols(struct tsh_elf *elf)
{
	bool any = false;

	tsh_elf_each_symbol(elf, note_any, &any);
	return any;
}

struct search {
	const char *name;
	size_t len;
	struct tsh_elf_symbol *ret;
	size_t n;
};

static bool compare(void *ctx, const struct tsh_elf_symbol *symbol)
{
	struct search *search = ctx;

	if (strncmp(symbol->text, search->name, search->len) != 0 ||
	    (symbol->text[search->len] && symbol->text[search->len] != '@') ||
	    (search->n && search->ret->address == symbol->address))
		return true;
	if (!search->n++)
		*search->ret = *symbol;
	return true;
}

size_t tsh_elf_find(struct tsh_elf *elf, const char *name, struct tsh_elf_symbol *ret)
{
	struct search search = { .name = name, .len = strlen(name), .ret = ret };

	tsh_elf_each_symbol(elf, compare, &search);
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
