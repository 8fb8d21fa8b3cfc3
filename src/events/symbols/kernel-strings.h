/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_KERNEL_STRINGS_H
#define TRACESH_EVENTS_SYMBOLS_KERNEL_STRINGS_H

#include "provider.h"

/*
 * Strings that a record holds only the address of: those of printk_formats, else the
 * kernel's memory, where it can be had. Read on first use.
 */
struct kernel_strings;
struct printk_formats;

/* Both are borrowed; formats may be NULL. */
struct kernel_strings *kernel_strings_new(const struct tsh_provider *provider,
					  struct printk_formats *formats);
void kernel_strings_free(struct kernel_strings *strings);
/* Modules come and go: read anew at the next question. */
void kernel_strings_forget(struct kernel_strings *strings);
/* Gives at most 256 bytes, borrowed until the next call that forgets. NULL: nobody knows. */
const char *kernel_strings_find(struct kernel_strings *strings, uint64_t address,
				size_t *ret_len);

#endif
