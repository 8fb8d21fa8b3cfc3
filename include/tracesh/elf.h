/* tracesh/elf.h - the symbols of programs and libraries, from their ELF files (src/base) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ELF_H
#define TRACESH_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracesh/err.h"

/*
 * Of 32 and 64 bits and of either byte order; both symbol tables, .dynsym being what is left
 * of a stripped file. The file may be damaged, or made to harm: every offset is checked, and
 * what does not lie inside of it is not there. It is read by pread(2), never mapped: somebody
 * may cut it meanwhile.
 */
struct tsh_elf;

struct tsh_elf_symbol {
	const char *name;	/* without "@VERSION"; whatever bytes they are */
	uint64_t address;	/* as nm(1) prints it; of 32-bit ARM without the bit of Thumb */
	uint64_t size;
	bool is_chosen;		/* an IFUNC: its code only chooses the function, once */
};

/* fd is borrowed. 0, or -1 with err: not an ELF file, or one that cannot be understood. */
int tsh_elf_open(int fd, struct tsh_elf **ret, struct tsh_err *err);
void tsh_elf_close(struct tsh_elf *elf);
/* How many functions have a name. */
size_t tsh_elf_count(const struct tsh_elf *elf);
/* e_machine: EM_X86_64, .. */
unsigned int tsh_elf_machine(const struct tsh_elf *elf);
/* Calls back with each function, in no order; some twice, from both tables. */
void tsh_elf_symbols(const struct tsh_elf *elf,
		     void (*symbol)(void *ctx, const struct tsh_elf_symbol *symbol), void *ctx);
/* The function of that name. How many different ones there are: 0, 1 (in *ret) or more, of
 * which *ret is the first. */
size_t tsh_elf_find(const struct tsh_elf *elf, const char *name, struct tsh_elf_symbol *ret);
/* Where code of an address lies in the file, by the program headers. False: no code is there. */
bool tsh_elf_offset(const struct tsh_elf *elf, uint64_t address, uint64_t *ret);

#endif
