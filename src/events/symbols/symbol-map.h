/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SYMBOL_MAP_H
#define TRACESH_EVENTS_SYMBOLS_SYMBOL_MAP_H

#include "symbol-table.h"
#include "symbols.h"

/* Holds a line of kallsyms; the texts do not end in NUL. */
struct symbol_line {
	uint64_t address;
	char type;			/* as in nm(1) */
	const char *name;
	size_t len;			/* 1 to 511 */
	const char *module;		/* without brackets; NULL for the kernel itself */
	size_t module_len;
};

/* Handles one line. Returns false to end the reading. */
typedef bool symbol_line_each(void *ctx, const struct symbol_line *line);

/* Reads lines of kallsyms in pieces. { .fd = fd } is a reader at the beginning of the file. */
struct symbol_reader {
	int fd;				/* belongs to the caller */
	char *text;			/* the beginning of a line that is not complete yet */
	size_t rest;
};

/* Reads once (the kernel returns a page), and calls `each` for every line; skips lines that are no
 * symbols. Returns false at the end, or when `each` has returned false. */
bool symbol_reader_next(struct symbol_reader *r, symbol_line_each *each, void *ctx);
void symbol_reader_release(struct symbol_reader *r);
/* Calls `each` for all lines that can be read, until it returns false. */
void symbol_lines_read(int fd, symbol_line_each *each, void *ctx);

struct symbol_module {
	char *name;
	uint64_t text_end;		/* end of the module's functions; 0: it has none */
};

/* Holds the addresses [begin, end). */
struct symbol_range {
	uint64_t begin;
	uint64_t end;
};

/* Holds symbols, and for each the index of its module. */
struct symbol_owned {
	struct symbol_table table;
	TSH_VEC(uint16_t) owners;
};

/* Holds all symbols that an address can have. Zeroed memory is an empty map. */
struct symbol_map {
	struct symbol_table core;	/* the kernel itself */
	struct symbol_range text, inittext, all; /* the kernel's sections, if kallsyms marks them */
	struct symbol_range known;	/* functions that are already in .core */
	bool has_gate;			/* the machine has the page of x86's vsyscalls */
	/* data of a module ends where its next symbol begins (recent kernels) */
	bool sizes_data;
	struct symbol_owned rest;	/* modules and BPF programs */
	/* Holds init functions of modules, whose memory was freed. Other symbols at the same
	 * address take precedence. */
	struct symbol_owned init;
	TSH_VEC(struct symbol_module) modules;
};

void symbol_map_release(struct symbol_map *map);
/* Finds the symbol of an address, and writes its name to `name`; ret->name is not set. */
bool symbol_map_find(const struct symbol_map *map, uint64_t address, struct tsh_symbol *ret,
		     char name[SYMBOL_NAME_SIZE]);

/* Fills a map from kallsyms, as far as needed: reading all of it takes the kernel some 50 ms, and
 * most functions that events name are in its first part. */
struct symbol_loader;

/* Makes a loader that owns the file and fills the empty map, which stays the caller's. Stops when
 * the symbols take more than `bound` bytes; 0: no limit. */
struct symbol_loader *symbol_loader_new(struct symbol_map *map, int fd, size_t bound);
/* Says whether reading stopped because of the limit. */
bool symbol_loader_is_full(const struct symbol_loader *l);
/* Reads until the map knows the kernel's function at an address. Reads the whole file when the
 * address is in no function. Returns false when there is no more to read. */
bool symbol_loader_reach(struct symbol_loader *l, uint64_t address);
void symbol_loader_free(struct symbol_loader *l);
/* Fills an empty map with the symbols next to one address, which takes little memory. Closes fd. */
void symbol_map_read_near(struct symbol_map *map, int fd, uint64_t address);

static inline uint64_t symbol_page_end(uint64_t address, uint64_t page)
{
	return (address | (page - 1)) + 1;
}

#endif
