/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol-map.h"

/*
 * Names the first version in which a module's data ends at its next symbol: 7.0, and 6.12 by its
 * stable kernels (seen in 6.12.117). Before, the size of data was the distance to the end of the
 * functions, which is negative.
 */
#define SIZES_DATA_SINCE (6 << 16 | 12 << 8)

#define READY_COUNT 4096
#define READY_COUNT_MIN 64
#define READY_TEXT_SIZE 48

/* Holds a text that was made; fills a cache line. */
struct ready {
	uint64_t address;
	uint8_t style;			/* style + 1; 0: the slot is free */
	bool is_long;
	uint16_t len;
	union {
		char text[READY_TEXT_SIZE];
		char *long_text;	/* owned */
	};
};

struct tsh_symbols {
	const struct tsh_provider *provider;
	bool loaded;			/* .map is complete, or .loader fills it */
	struct symbol_map map;
	/* reads the rest of the symbols on demand; NULL: all are read */
	struct symbol_loader *loader;
	size_t bound;			/* limit in bytes for .map; 0: none */
	bool is_narrow;			/* .map only has the symbols next to one address */
	struct ready *ready;		/* hashed by address; NULL until it is loaded */
	size_t nready;			/* a power of 2 */
	struct tsh_strbuf text;		/* a text that is being made */
	char name[SYMBOL_NAME_SIZE];
};

struct tsh_symbols *tsh_symbols_new(const struct tsh_provider *provider)
{
	struct tsh_symbols *symbols = tsh_xcalloc(1, sizeof(*symbols));

	symbols->provider = provider;
	symbols->nready = READY_COUNT;
	return symbols;
}

void tsh_symbols_bound(struct tsh_symbols *symbols, size_t bytes)
{
	tsh_symbols_forget(symbols);
	symbols->bound = bytes;
	symbols->nready = READY_COUNT;
	while (bytes && symbols->nready > READY_COUNT_MIN &&
	       symbols->nready * sizeof(*symbols->ready) > bytes / 2)
		symbols->nready /= 2;
}

static void forget_text(struct ready *ready)
{
	if (ready->is_long)
		free(ready->long_text);
	memset(ready, 0, sizeof(*ready));
}

void tsh_symbols_forget(struct tsh_symbols *symbols)
{
	size_t i;

	symbol_loader_free(symbols->loader);
	symbols->loader = NULL;
	symbol_map_release(&symbols->map);
	for (i = 0; symbols->ready && i < symbols->nready; i++)
		forget_text(&symbols->ready[i]);
	free(symbols->ready);
	symbols->ready = NULL;
	symbols->loaded = symbols->is_narrow = false;
}

void tsh_symbols_free(struct tsh_symbols *symbols)
{
	if (!symbols)
		return;
	tsh_symbols_forget(symbols);
	tsh_strbuf_release(&symbols->text);
	free(symbols);
}

static int open_kallsyms(const struct tsh_symbols *symbols)
{
	const struct tsh_provider *provider = symbols->provider;

	return provider && provider->kallsyms ? provider->kallsyms(provider->ctx) : -1;
}

static void begin_map(const struct tsh_symbols *symbols, struct symbol_map *map)
{
	const struct tsh_provider *provider = symbols->provider;
	uint64_t value;

	symbol_map_release(map);
	map->has_gate = provider->variable &&
		provider->variable(provider->ctx, "vsyscall", &value) && value;
	map->sizes_data = provider->variable &&
		provider->variable(provider->ctx, "LINUX_VERSION_CODE", &value) &&
		value >= SIZES_DATA_SINCE;
}

static void load(struct tsh_symbols *symbols)
{
	int fd = open_kallsyms(symbols);

	if (fd >= 0) {
		begin_map(symbols, &symbols->map);
		symbols->loader = symbol_loader_new(&symbols->map, fd, symbols->bound);
	}
	symbols->ready = tsh_xcalloc(symbols->nready, sizeof(*symbols->ready));
	symbols->loaded = true;
}

static void read_near(struct tsh_symbols *symbols, uint64_t address)
{
	int fd = open_kallsyms(symbols);

	begin_map(symbols, &symbols->map);
	if (fd >= 0)
		symbol_map_read_near(&symbols->map, fd, address);
}

static void reach(struct tsh_symbols *symbols, uint64_t address)
{
	if (!symbols->loaded)
		load(symbols);
	if (symbols->loader && !symbol_loader_reach(symbols->loader, address)) {
		symbols->is_narrow = symbol_loader_is_full(symbols->loader);
		symbol_loader_free(symbols->loader);
		symbols->loader = NULL;
	}
	if (symbols->is_narrow)
		read_near(symbols, address);
}

bool tsh_symbols_find(struct tsh_symbols *symbols, uint64_t address, struct tsh_symbol *ret)
{
	reach(symbols, address);
	if (!symbol_map_find(&symbols->map, address, ret, symbols->name))
		return false;
	ret->name = symbols->name;
	return true;
}

/* ---- by name ---- */

struct wanted {
	const char *module;		/* from "module:name"; NULL: any */
	size_t module_len;
	const char *name;
	uint64_t address;		/* 0: not found */
};

static bool is_wanted(void *ctx, const struct symbol_line *line)
{
	struct wanted *w = ctx;

	if (line->len != strlen(w->name) || memcmp(line->name, w->name, line->len))
		return true;
	if (w->module && (!line->module || line->module_len != w->module_len ||
			  memcmp(line->module, w->module, line->module_len)))
		return true;
	w->address = line->address;
	return !w->address;
}

/* Reads all of kallsyms, because aliases are not in the map. Few names are searched. */
bool tsh_symbols_address(struct tsh_symbols *symbols, const char *name, uint64_t *ret)
{
	const char *colon = strchr(name, ':');
	struct wanted w = { .name = name };
	int fd = open_kallsyms(symbols);

	if (fd < 0)
		return false;
	if (colon) {
		w.module = name;
		w.module_len = (size_t)(colon - name);
		w.name = colon + 1;
	}
	symbol_lines_read(fd, is_wanted, &w);
	close(fd);
	*ret = w.address;
	return w.address != 0;
}

/* ---- texts ---- */

/* Makes a text as __sprint_symbol of kernel/kallsyms.c; for the bare name as
 * trace_seq_print_sym. */
static void make_text(struct tsh_symbols *symbols, enum tsh_symbol_style style, uint64_t address,
		      struct tsh_strbuf *out)
{
	uint64_t before = style == TSH_SYMBOL_BACKTRACE;
	struct tsh_symbol symbol;

	if (!tsh_symbols_find(symbols, address - before, &symbol)) {
		tsh_strbuf_addf(out, style == TSH_SYMBOL_NAME ? "0x%08llx" : "0x%llx",
				(unsigned long long)address);
		return;
	}
	tsh_strbuf_adds(out, symbol.name);
	if (style == TSH_SYMBOL_OFFSET || style == TSH_SYMBOL_BACKTRACE)
		tsh_strbuf_addf(out, "+0x%llx/0x%llx",
				(unsigned long long)(address - symbol.address),
				(unsigned long long)symbol.size);
	if (style != TSH_SYMBOL_NAME && symbol.module)
		tsh_strbuf_addf(out, " [%s]", symbol.module);
}

static void store_text(struct ready *ready, enum tsh_symbol_style style, uint64_t address,
		       const struct tsh_strbuf *text)
{
	forget_text(ready);
	ready->address = address;
	ready->style = (uint8_t)(style + 1);
	ready->len = (uint16_t)text->len;	/* fits, because names and modules are bounded */
	ready->is_long = text->len >= READY_TEXT_SIZE;
	if (ready->is_long)
		ready->long_text = tsh_xstrndup(text->buf, text->len);
	else
		memcpy(ready->text, text->buf, text->len + 1);
}

const char *tsh_symbols_text(struct tsh_symbols *symbols, enum tsh_symbol_style style,
			     uint64_t address, size_t *ret_len)
{
	struct ready *ready;

	if (!symbols->loaded)
		load(symbols);
	/* Fibonacci hashing: the upper bits of the product */
	ready = &symbols->ready[(address * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (symbols->nready - 1)];
	if (ready->address != address || ready->style != style + 1) {
		tsh_strbuf_clear(&symbols->text);
		make_text(symbols, style, address, &symbols->text);
		store_text(ready, style, address, &symbols->text);
	}
	*ret_len = ready->len;
	return ready->is_long ? ready->long_text : ready->text;
}

void tsh_symbols_print(struct tsh_symbols *symbols, enum tsh_symbol_style style, uint64_t address,
		       struct tsh_strbuf *out)
{
	size_t len;
	const char *text = tsh_symbols_text(symbols, style, address, &len);

	tsh_strbuf_add(out, text, len);
}
