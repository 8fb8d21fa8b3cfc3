/* base/elf.h - the symbols of programs and libraries, from their ELF files */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ELF_H
#define TRACESH_BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "wait.h"

/*
 * Reads ELF files of 32 and 64 bits and of either byte order, and both of their symbol tables (a
 * stripped file has only .dynsym). The file may be damaged or hostile: every offset is checked, and
 * what lies outside of the file is ignored. It is read by pread(2), not mapped, because somebody
 * may truncate it meanwhile. Only the names are kept in memory (they may overlap); the symbols are
 * read again, in pieces, each time that they are asked for.
 */
struct tsh_elf;

/* Limit what a file can cost: symbols that are read, and bytes of names in memory. */
#define TSH_ELF_SYMBOLS_MAX (UINT64_C(4) << 20)
#define TSH_ELF_BYTES_MAX (UINT64_C(64) << 20)
/* Limits the bytes of a name that a callback gets; names of C++ can be longer. */
#define TSH_ELF_NAME_MAX 512

struct tsh_elf_symbol {
	const char *name;	/* without "@VERSION", any bytes; valid only during the callback */
	const char *text;	/* the whole name, valid until tsh_elf_close; ends at a NUL or an '@' */
	uint64_t address;	/* as nm(1) prints it; on 32-bit ARM without the bit for Thumb */
	uint64_t size;
	bool is_chosen;		/* an IFUNC: its code runs once and chooses the function */
	bool is_cut;		/* the name is longer than TSH_ELF_NAME_MAX */
};

/* Gets one symbol. Returns false to end the walk. */
typedef bool tsh_elf_callback(void *ctx, const struct tsh_elf_symbol *symbol);

/*
 * Opens an ELF file. Borrows fd and waiter. Checks for signals by waiter before each piece that is
 * read, so that a signal can end a walk over the symbols; NULL: no signal does. Keeps at most
 * names_max bytes of names, and never more than TSH_ELF_BYTES_MAX. Returns 0, or -1 with err when
 * the file is not ELF or cannot be understood.
 */
int tsh_elf_open(int fd, uint64_t names_max, const struct tsh_waiter *waiter,
		 struct tsh_elf **ret, struct tsh_err *err);
void tsh_elf_close(struct tsh_elf *elf);
/* Returns how many bytes of names are in memory. */
uint64_t tsh_elf_bytes(const struct tsh_elf *elf);
/* Says whether any function has a name. */
bool tsh_elf_has_symbols(struct tsh_elf *elf);
/* Returns e_machine: EM_X86_64, .. */
unsigned int tsh_elf_machine(const struct tsh_elf *elf);
/* Calls back for each function, in no particular order; one that is in both tables comes twice. */
void tsh_elf_each_symbol(struct tsh_elf *elf, tsh_elf_callback *symbol, void *ctx);
/* Finds a function by its name. Returns how many different ones have that name; *ret is the
 * first of them. */
size_t tsh_elf_find(struct tsh_elf *elf, const char *name, struct tsh_elf_symbol *ret);
/* Returns how many symbols the last walk left out because of the limits. */
uint64_t tsh_elf_left_out(const struct tsh_elf *elf);
/* Finds where the code at an address lies in the file, by the program headers. Returns false
 * when no code is there. */
bool tsh_elf_offset(const struct tsh_elf *elf, uint64_t address, uint64_t *ret);

#endif
