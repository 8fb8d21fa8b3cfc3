/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_INTERNAL_H
#define TRACESH_EVENTS_SYMBOLS_BTF_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "provider.h"


/*
 * The enumerators of the running kernel, from its BTF (Documentation/bpf/btf.rst), for
 * those that the kernel did not put into the format files. Read on first use; only a
 * table of hashed names and values is kept. Modules are read when the kernel itself has
 * not got a name.
 */
struct tsh_enums;

/* provider->btf and provider->module_btf may be NULL. */
struct tsh_enums *tsh_enums_new(const struct tsh_provider *provider);
void tsh_enums_free(struct tsh_enums *enums);
/* False: no such name, or one that several enumerations give different values. Of a kernel without
 * BTF it knows those that have always had the same number. */
bool tsh_enums_value(struct tsh_enums *enums, const char *name, int64_t *ret);

/* enums-known.c: those. */
bool enums_known(const char *name, int64_t *ret);

#endif
