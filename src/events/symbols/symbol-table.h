/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SYMBOL_TABLE_H
#define TRACESH_EVENTS_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* KSYM_NAME_LEN of include/linux/kallsyms.h, counting its NUL. */
#define SYMBOL_NAME_SIZE 512

/* Holds addresses with the same upper half, from symbol `first` on. */
struct symbol_run {
	uint32_t high;
	uint32_t first;
};

/*
 * Holds addresses and names in the order of addresses, some 16 bytes for each symbol. A name is
 * stored behind its length; only every SYMBOL_MARK-th name can be found directly. "__pfx_NAME"
 * before NAME (half of the symbols of a kernel with call padding) takes a single byte. Zeroed
 * memory is an empty table.
 */
struct symbol_table {
	TSH_VEC(uint32_t) low;
	TSH_VEC(struct symbol_run) runs;
	struct tsh_strbuf names;
	TSH_VEC(uint32_t) marks;	/* where in names every SYMBOL_MARK-th name begins */
	uint32_t last;			/* where the last name begins */
};

/* Adds a symbol, whose name has 1 to 511 bytes. Keeps the first of several at one address. Returns
 * false, and adds nothing, when the address is lower than the one before, or the table is full. */
bool symbol_table_add(struct symbol_table *t, uint64_t address, const char *name, size_t len);
void symbol_table_release(struct symbol_table *t);

/* Finds the last symbol that is not above an address. */
bool symbol_table_find(const struct symbol_table *t, uint64_t address, size_t *ret_index);
uint64_t symbol_table_address(const struct symbol_table *t, size_t index);
/* Writes the name of a symbol; returns its length. */
size_t symbol_table_name(const struct symbol_table *t, size_t index, char ret[SYMBOL_NAME_SIZE]);

#endif
