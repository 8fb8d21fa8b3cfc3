/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_INTERNAL_H
#define TRACESH_EVENTS_SYMBOLS_BTF_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "provider.h"

/*
 * Knows the enumerators of the running kernel from its BTF (Documentation/bpf/btf.rst), for names
 * whose numbers the kernel did not put into the format files. Reads BTF on first use, and stores
 * only a table of hashed names and values. Reads the modules' BTF when the kernel itself lacks a
 * name.
 */
struct tsh_enums;

/* provider->btf and provider->module_btf may be NULL. */
struct tsh_enums *tsh_enums_new(const struct tsh_provider *provider);
void tsh_enums_free(struct tsh_enums *enums);
/*
 * Finds the value of an enumerator. Returns false when there is none, or when several enumerations
 * give it different values. For a kernel without BTF, knows those whose number has never changed.
 */
bool tsh_enums_value(struct tsh_enums *enums, const char *name, int64_t *ret);

/* Finds the value of an enumerator in the table of enums-known.c. Returns false when the table does
 * not have it. */
bool enums_known(const char *name, int64_t *ret);

#endif
