/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_KERNEL_STRINGS_H
#define TRACESH_EVENTS_SYMBOLS_KERNEL_STRINGS_H

#include "provider.h"

/* Finds strings of which a record holds only the address: in printk_formats, otherwise in the
 * kernel's memory, where that can be read. Read on first use. */
struct kernel_strings;
struct printk_formats;

/* Makes an empty table of strings. Borrows the provider and the formats; formats may be NULL. */
struct kernel_strings *kernel_strings_new(const struct tsh_provider *provider,
					  struct printk_formats *formats);
void kernel_strings_free(struct kernel_strings *strings);
/* Drops all strings, because modules come and go. The next kernel_strings_find reads again. */
void kernel_strings_forget(struct kernel_strings *strings);
/* Returns a string, at most 256 bytes, borrowed until the next call of kernel_strings_forget.
 * Returns NULL when it is not known. */
const char *kernel_strings_find(struct kernel_strings *strings, uint64_t address,
				size_t *ret_len);

#endif
