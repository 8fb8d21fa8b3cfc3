/* events/symbols/symbols.h - names of the kernel's addresses */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SYMBOLS_H
#define TRACESH_EVENTS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "provider.h"


/*
 * Names of the kernel's addresses, from kallsyms, read when the first is asked for. Kept
 * small: a board has 64 MB.
 */
struct tsh_symbols;

struct tsh_symbol {
	const char *name;		/* borrowed until the next call */
	const char *module;		/* NULL: the kernel itself */
	uint64_t address;		/* where it begins */
	uint64_t size;			/* up to the next symbol; 0: not known */
};

/* provider->kallsyms may be NULL: nothing has a name then. */
struct tsh_symbols *tsh_symbols_new(const struct tsh_provider *provider);
void tsh_symbols_free(struct tsh_symbols *symbols);
/* Symbols may take so much memory, about; 0: what they need. Where all of them take more, each
 * address is looked for in kallsyms when it is asked for, which is slow: tens of ms. */
void tsh_symbols_bound(struct tsh_symbols *symbols, size_t bytes);
/* Modules come and probes go: read anew at the next question. */
void tsh_symbols_forget(struct tsh_symbols *symbols);
/* The symbol that an address lies in (kernel/kallsyms.c, kallsyms_lookup): of several at
 * one address the first. */
bool tsh_symbols_find(struct tsh_symbols *symbols, uint64_t address, struct tsh_symbol *ret);
/* The address of a symbol by its name (kallsyms_lookup_name), also "module:name". Reads
 * all of kallsyms each time (30 ms): ask once. */
bool tsh_symbols_address(struct tsh_symbols *symbols, const char *name, uint64_t *ret);

enum tsh_symbol_style {
	TSH_SYMBOL_NAME,			/* "schedule": kallsyms_lookup, function traces */
	TSH_SYMBOL_NAME_MODULE,		/* "ext4_iget [ext4]": %ps */
	TSH_SYMBOL_OFFSET,			/* "ext4_iget+0x15/0xb0 [ext4]": %pS */
	TSH_SYMBOL_BACKTRACE,		/* the same, of the call before address: %pB */
};
/* As sprint_symbol and its kin print it; when nothing is there "0x%lx", of TSH_SYMBOL_NAME
 * "0x%08lx" (kernel/trace/trace_output.c, trace_seq_print_sym). */
void tsh_symbols_print(struct tsh_symbols *symbols, enum tsh_symbol_style style, uint64_t address,
		       struct tsh_strbuf *out);
/* The same text, borrowed until the next call; it ends in NUL. Asked for again it costs
 * some 5 ns. */
const char *tsh_symbols_text(struct tsh_symbols *symbols, enum tsh_symbol_style style,
			     uint64_t address, size_t *ret_len);

#endif
