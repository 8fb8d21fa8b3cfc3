/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_FILE_H
#define TRACESH_EVENTS_SYMBOLS_BTF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/load.h"
#include "base/vec.h"
#include "provider.h"

/*
 * BTF in memory, the kernel's and those of its modules (Documentation/bpf/btf.rst). A place
 * is where a type begins in the file's data: it is whole, with all of its parts.
 */

#define BTF_TYPE_SIZE 12

struct btf_file {
	unsigned char *data;
	uint32_t size;
	bool big_endian;
	uint32_t strings, strings_len;
	uint32_t first_string, first_id;	/* a module's go on from the kernel's */
	TSH_VEC(uint32_t) types;		/* places in data */
	TSH_VEC(uint32_t) hash;		/* of types by name: 1 + index into types */
	uint8_t *aligns;		/* of structures, once they are known; by index into types */
};

struct btf_set {
	const struct tsh_provider *provider;
	uint32_t hashed;		/* bits of the kinds that are found by name */
	bool is_loaded, has_modules, is_bad;
	TSH_VEC(struct btf_file *) files;	/* the kernel's, and the modules' */
};

/* Each does nothing the second time. Modules are not read without the kernel. is_bad: there
 * is one of the kernel, and it cannot be understood. */
void btf_set_load_kernel(struct btf_set *set);
void btf_set_load_modules(struct btf_set *set);
void btf_set_forget_modules(struct btf_set *set);
void btf_set_release(struct btf_set *set);

/* The place of a type, and the file that it is in; false: an id of no type (0 is void). */
bool btf_type_at(const struct btf_set *set, const struct btf_file **file, uint32_t id,
		 uint32_t *ret);
/* The first of one of the kinds that has the name; an index into file->types, or -1. */
int64_t btf_find_in(const struct btf_set *set, const struct btf_file *file, const char *name,
		    uint32_t kinds);
/* "" when there is none. */
const char *btf_string_at(const struct btf_set *set, const struct btf_file *file,
			  uint32_t offset);
/* "STRUCT": what messages of the kernel call a kind. */
const char *btf_kind_name(uint32_t kind);

static inline uint32_t btf_word(const struct btf_file *file, uint32_t place)
{
	return load_u32(file->data + place, file->big_endian);
}

static inline uint32_t btf_kind_at(const struct btf_file *file, uint32_t place)
{
	return btf_word(file, place + 4) >> 24 & 0x7f;
}

static inline uint32_t btf_parts_at(const struct btf_file *file, uint32_t place)
{
	return btf_word(file, place + 4) & 0xffffff;
}

#endif
