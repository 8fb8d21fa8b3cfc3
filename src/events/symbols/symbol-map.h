/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SYMBOL_MAP_H
#define TRACESH_EVENTS_SYMBOLS_SYMBOL_MAP_H

#include "symbol-table.h"
#include "symbols.h"

/* A line of kallsyms; the texts do not end in NUL. */
struct symbol_line {
	uint64_t address;
	char type;			/* as nm has it */
	const char *name;
	size_t len;			/* 1 to 511 */
	const char *module;		/* without brackets; NULL: the kernel itself */
	size_t module_len;
};

/* False: no more. */
typedef bool symbol_line_each(void *ctx, const struct symbol_line *line);

/* Where in a file the next lines are; { .fd = fd } is its begin. */
struct symbol_reader {
	int fd;				/* the caller's */
	char *text;			/* the begin of a line whose end has not been read */
	size_t kept;
};

/* Reads once (the kernel gives a page), and gives the lines. What is none is left out.
 * False: that was all, or enough. */
bool symbol_reader_next(struct symbol_reader *r, symbol_line_each *each, void *ctx);
void symbol_reader_release(struct symbol_reader *r);
/* Gives all lines that can be read. */
void symbol_lines_read(int fd, symbol_line_each *each, void *ctx);

struct symbol_module {
	char *name;
	uint64_t text_end;		/* behind its functions; 0: it has none */
};

/* Addresses [begin, end). */
struct symbol_range {
	uint64_t begin;
	uint64_t end;
};

/* Symbols, and the index of the module that each is of. */
struct symbol_owned {
	struct symbol_table table;
	TSH_VEC(uint16_t) owners;
};

/*
 * All symbols that an address can have. Zeroed memory is an empty map.
 */
struct symbol_map {
	struct symbol_table core;	/* the kernel itself */
	struct symbol_range text, inittext, all; /* of it; as far as kallsyms tells */
	struct symbol_range known;	/* its functions that are in .core while others are not */
	bool has_gate;			/* the page of x86's vsyscalls is there */
	bool sizes_data;		/* kernels of today end a module's data where the next begins */
	struct symbol_owned rest;	/* modules and BPF programs */
	/* What modules ran when they were loaded. Its memory is free: anything else may lie
	 * there by now, and goes before it. */
	struct symbol_owned init;
	TSH_VEC(struct symbol_module) modules;
};

void symbol_map_release(struct symbol_map *map);
/* ret->name is not set: it is written to `name`. */
bool symbol_map_find(const struct symbol_map *map, uint64_t address, struct tsh_symbol *ret,
		     char name[SYMBOL_NAME_SIZE]);

/*
 * Fills a map from kallsyms, as far as it is asked for: to read all of the file takes the
 * kernel some 50 ms, and most functions that events name stand in its first part.
 */
struct symbol_loader;

/* Takes over the file; the map is empty, and the caller's. It reads no further when the symbols
 * take more than `bound` bytes; 0: no bound. */
struct symbol_loader *symbol_loader_new(struct symbol_map *map, int fd, size_t bound);
bool symbol_loader_is_full(const struct symbol_loader *l);
/* Reads until the map knows the function of the kernel that an address lies in; all, if it
 * is in none. False: there is no more to read. */
bool symbol_loader_reach(struct symbol_loader *l, uint64_t address);
void symbol_loader_free(struct symbol_loader *l);
/* Instead of all that: an empty map gets what one address needs, and keeps nothing else. It
 * takes over the file. */
void symbol_map_read_near(struct symbol_map *map, int fd, uint64_t address);

static inline uint64_t symbol_page_end(uint64_t address, uint64_t page)
{
	return (address | (page - 1)) + 1;
}

#endif
