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
 * Of 32 and 64 bits and of either byte order; both symbol tables, .dynsym being what is left
 * of a stripped file. The file may be damaged, or made to harm: every offset is checked, and
 * what does not lie inside of it is not there. It is read by pread(2), never mapped: somebody
 * may cut it meanwhile. Symbols are read a chunk at a time, each time that they are asked for;
 * in memory are their names, which may overlap.
 */
struct tsh_elf;

/* Limit what a file can cost: symbols that are read, bytes of names in memory. */
#define TSH_ELF_SYMBOLS_MAX (UINT64_C(4) << 20)
#define TSH_ELF_BYTES_MAX (UINT64_C(64) << 20)
/* Cut a name for the callback behind so many bytes; those of C++ can be longer. */
#define TSH_ELF_NAME_MAX 512

struct tsh_elf_symbol {
	const char *name;	/* without "@VERSION", whatever bytes they are; for the callback only */
	const char *text;	/* the same until tsh_elf_close, whole; it ends at a NUL or an '@' */
	uint64_t address;	/* as nm(1) prints it; of 32-bit ARM without the bit of Thumb */
	uint64_t size;
	bool is_chosen;		/* an IFUNC: its code only chooses the function, once */
	bool is_cut;		/* the name is longer than TSH_ELF_NAME_MAX */
};

/* False: no more. */
typedef bool tsh_elf_callback(void *ctx, const struct tsh_elf_symbol *symbol);

/*
 * fd and waiter are borrowed. The waiter is asked before each piece that is read; a signal ends a walk
 * over the symbols, NULL: none does. Of the names at most names_max bytes are kept, and never more than
 * TSH_ELF_BYTES_MAX.
 * 0, or -1 with err: not an ELF file, or one that cannot be understood.
 */
int tsh_elf_open(int fd, uint64_t names_max, const struct tsh_waiter *waiter,
		 struct tsh_elf **ret, struct tsh_err *err);
void tsh_elf_close(struct tsh_elf *elf);
/* Bytes of names in memory. */
uint64_t tsh_elf_bytes(const struct tsh_elf *elf);
/* Whether any function has a name. */
bool tsh_elf_has_symbols(struct tsh_elf *elf);
/* e_machine: EM_X86_64, .. */
unsigned int tsh_elf_machine(const struct tsh_elf *elf);
/* Calls back with each function, in no order; some twice, from both tables. */
void tsh_elf_symbols(struct tsh_elf *elf, tsh_elf_callback *symbol, void *ctx);
/* The function of that name. How many different ones there are: 0, 1 (in *ret) or more, of
 * which *ret is the first. */
size_t tsh_elf_find(struct tsh_elf *elf, const char *name, struct tsh_elf_symbol *ret);
/* Tells of the last walk how many symbols were beyond the limits. */
uint64_t tsh_elf_left_out(const struct tsh_elf *elf);
/* Where code of an address lies in the file, by the program headers. False: no code is there. */
bool tsh_elf_offset(const struct tsh_elf *elf, uint64_t address, uint64_t *ret);

#endif
