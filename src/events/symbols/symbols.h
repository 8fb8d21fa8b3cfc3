/* events/symbols/symbols.h - names of the kernel's addresses */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SYMBOLS_H
#define TRACESH_EVENTS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "provider.h"

/* Finds names of the kernel's addresses in kallsyms. Reads kallsyms at the first call that needs
 * it. Uses little memory, because a board may have 64 MB. */
struct tsh_symbols;

struct tsh_symbol {
	const char *name;		/* borrowed until the next call */
	const char *module;		/* NULL for the kernel itself */
	uint64_t address;		/* address at which it begins */
	uint64_t size;			/* up to the next symbol; 0: not known */
};

/* Makes a finder of symbols; provider->kallsyms may be NULL: then no address has a name. */
struct tsh_symbols *tsh_symbols_new(const struct tsh_provider *provider);
void tsh_symbols_free(struct tsh_symbols *symbols);
/* Limits the memory of the symbols, roughly, to `bytes`; 0: no limit. When all symbols would take
 * more, kallsyms is read again for each address, which takes tens of ms. */
void tsh_symbols_bound(struct tsh_symbols *symbols, size_t bytes);
/* Drops all symbols, because modules and probes come and go. The next call reads kallsyms again. */
void tsh_symbols_forget(struct tsh_symbols *symbols);
/* Finds the symbol that an address lies in (kernel/kallsyms.c, kallsyms_lookup); of several at one
 * address the first. */
bool tsh_symbols_find(struct tsh_symbols *symbols, uint64_t address, struct tsh_symbol *ret);
/* Finds the address of a symbol by its name (kallsyms_lookup_name), also "module:name". Reads all
 * of kallsyms each time (30 ms). */
bool tsh_symbols_address(struct tsh_symbols *symbols, const char *name, uint64_t *ret);

enum tsh_symbol_style {
	TSH_SYMBOL_NAME,			/* "schedule": kallsyms_lookup, function traces */
	TSH_SYMBOL_NAME_MODULE,		/* "ext4_iget [ext4]": %ps */
	TSH_SYMBOL_OFFSET,			/* "ext4_iget+0x15/0xb0 [ext4]": %pS */
	TSH_SYMBOL_BACKTRACE,		/* like OFFSET, for the call before the address: %pB */
};
/* Prints as the kernel's sprint_symbol family does. An unknown address is "0x%lx", and "0x%08lx"
 * for TSH_SYMBOL_NAME (kernel/trace/trace_output.c, trace_seq_print_sym). */
void tsh_symbols_print(struct tsh_symbols *symbols, enum tsh_symbol_style style, uint64_t address,
		       struct tsh_strbuf *out);
/* Returns the text of tsh_symbols_print, NUL-terminated, borrowed until the next call. A text that
 * was made before takes some 5 ns. */
const char *tsh_symbols_text(struct tsh_symbols *symbols, enum tsh_symbol_style style,
			     uint64_t address, size_t *ret_len);

#endif
