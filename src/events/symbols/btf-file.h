/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_BTF_FILE_H
#define TRACESH_EVENTS_SYMBOLS_BTF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/load.h"
#include "base/vec.h"
#include "provider.h"

/*
 * Holds the BTF of the kernel and of its modules in memory (Documentation/bpf/btf.rst). Functions
 * refer to a type by its place: the offset in the file's data at which it begins. The data has the
 * whole type, with all of its parts.
 */

#define BTF_TYPE_SIZE 12

struct btf_file {
	unsigned char *data;
	uint32_t size;
	bool big_endian;
	uint32_t strings, strings_len;
	uint32_t first_string, first_id;	/* a module's begin behind those of the kernel */
	TSH_VEC(uint32_t) types;		/* the place of each type */
	TSH_VEC(uint32_t) hash;		/* of types by name: 1 + index into types */
	/* alignments of structures, by index into types; 0: not known yet */
	uint8_t *aligns;
};

struct btf_set {
	const struct tsh_provider *provider;
	uint32_t hashed;		/* bits of the kinds that can be found by name */
	bool is_loaded, has_modules, is_bad;
	TSH_VEC(struct btf_file *) files;	/* the kernel's file, then those of its modules */
};

/* Load BTF, at the first call only. Modules are not loaded when the kernel's BTF is missing. is_bad
 * is set when the kernel's BTF is damaged. */
void btf_set_load_kernel(struct btf_set *set);
void btf_set_load_modules(struct btf_set *set);
void btf_set_forget_modules(struct btf_set *set);
void btf_set_release(struct btf_set *set);

/* Finds the place of a type, and its file. Returns false for an id of no type (0 is void). */
bool btf_type_at(const struct btf_set *set, const struct btf_file **file, uint32_t id,
		 uint32_t *ret);
/* Returns the first type of one of the kinds with that name, as an index into file->types; -1:
 * there is none. */
int64_t btf_find_in(const struct btf_set *set, const struct btf_file *file, const char *name,
		    uint32_t kinds);
/* Returns a string, "" when there is none. */
const char *btf_string_at(const struct btf_set *set, const struct btf_file *file,
			  uint32_t offset);
/* Returns the name of a kind in the kernel's messages: "STRUCT". */
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
