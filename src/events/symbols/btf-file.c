/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xmalloc.h"

/* include/uapi/linux/btf.h */
#define MAGIC 0xEB9F
#define HEADER_SIZE 24

#define FILE_MAX (UINT32_C(1) << 26)
#define FILES_MAX 4096
/* Limits the bytes of all modules together; those of a distribution have some 60 MB. */
#define MODULES_MAX (UINT64_C(256) << 20)
/* Limit how many bytes of a name are hashed (KSYM_NAME_LEN), and how many places of the hash are
 * probed. */
#define NAME_COUNTS 512
#define PROBES_MAX 512

/* Says what follows a type of each kind: bytes, and bytes for each of its parts. */
static const struct {
	const char *name;
	uint8_t bytes;
	uint8_t each;
} all_kinds[] = {
	{ "UNKNOWN", 0, 0 }, { "INT", 4, 0 }, { "PTR", 0, 0 }, { "ARRAY", 12, 0 },
	{ "STRUCT", 0, 12 }, { "UNION", 0, 12 }, { "ENUM", 0, 8 }, { "FWD", 0, 0 },
	{ "TYPEDEF", 0, 0 }, { "VOLATILE", 0, 0 }, { "CONST", 0, 0 }, { "RESTRICT", 0, 0 },
	{ "FUNC", 0, 0 }, { "FUNC_PROTO", 0, 8 }, { "VAR", 4, 0 }, { "DATASEC", 0, 12 },
	{ "FLOAT", 0, 0 }, { "DECL_TAG", 4, 0 }, { "TYPE_TAG", 0, 0 }, { "ENUM64", 0, 12 },
};

#define NKINDS (sizeof(all_kinds) / sizeof(all_kinds[0]))

const char *btf_string_at(const struct btf_set *set, const struct btf_file *file,
			  uint32_t offset)
{
	if (offset < file->first_string)
		file = set->files.v[0];
	offset -= file->first_string;
	/* a NUL of ours follows the last string */
	return offset < file->strings_len ?
		(const char *)file->data + file->strings + offset : "";
}

static bool read_all(int fd, struct btf_file *file)
{
	uint32_t cap = 0;

	for (;;) {
		ssize_t n;

		if (file->size == cap) {
			cap = cap ? cap * 2 : 1 << 20;
			if (cap > FILE_MAX)
				return false;
			file->data = tsh_xreallocarray(file->data, cap + 1, 1);
		}
		n = read(fd, file->data + file->size, cap - file->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		file->size += (uint32_t)n;
	}
}

/* Finds the sections. Makes sure that the strings end in a NUL. */
static bool parse_header(struct btf_file *file, uint32_t *ret_types, uint32_t *ret_end)
{
	uint64_t head, types, types_len, strings, strings_len;

	if (file->size < HEADER_SIZE)
		return false;
	file->big_endian = load_u16(file->data, true) == MAGIC;
	if (load_u16(file->data, file->big_endian) != MAGIC)
		return false;
	head = btf_word(file, 4);
	types = head + btf_word(file, 8);
	types_len = btf_word(file, 12);
	strings = head + btf_word(file, 16);
	strings_len = btf_word(file, 20);
	if (types + types_len > file->size || strings + strings_len > file->size)
		return false;
	file->strings = (uint32_t)strings;
	file->strings_len = (uint32_t)strings_len;

	if (strings + strings_len == file->size)
		file->data[file->size] = '\0';
	else if (!strings_len || file->data[strings + strings_len - 1])
		return false;
	*ret_types = (uint32_t)types;
	*ret_end = (uint32_t)(types + types_len);
	return true;
}

static bool index_types(struct btf_file *file, uint32_t place, uint32_t end)
{
	while (end - place >= BTF_TYPE_SIZE) {
		uint32_t kind = btf_kind_at(file, place);
		uint64_t more;

		if (kind >= NKINDS)
			return false;
		more = BTF_TYPE_SIZE + all_kinds[kind].bytes +
			(uint64_t)all_kinds[kind].each *
			(all_kinds[kind].each ? btf_parts_at(file, place) : 0);
		if (more > end - place)
			return false;
		*tsh_vec_push(&file->types) = place;
		place += (uint32_t)more;
	}
	return true;
}

/* Hashes a name up to a limit, because names may overlap in one string of megabytes. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 0x811c9dc5;
	size_t i;

	for (i = 0; i < NAME_COUNTS && name[i]; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x01000193;
	return hash ^ hash >> 15;
}

static bool is_hashed(const struct btf_set *set, const struct btf_file *file, uint32_t place)
{
	return set->hashed >> btf_kind_at(file, place) & 1 && btf_word(file, place);
}

/* Returns the place of a type in the hash, by kind and name, or the free place where it belongs.
 * Returns NULL after PROBES_MAX other types: a hostile BTF may have many names with one hash. */
static uint32_t *hash_place(const struct btf_set *set, const struct btf_file *file,
			    const char *name, uint32_t kinds)
{
	uint32_t h = hash_name(name), last = h + PROBES_MAX;

	for (; h != last; h++) {
		uint32_t *there = &file->hash.v[h & (file->hash.n - 1)], place;

		if (!*there)
			return there;
		place = file->types.v[*there - 1];
		if (kinds >> btf_kind_at(file, place) & 1 &&
		    !strncmp(btf_string_at(set, file, btf_word(file, place)), name, NAME_COUNTS))
			return there;
	}
	return NULL;
}

static void index_names(const struct btf_set *set, struct btf_file *file)
{
	size_t i, size = 16, n = 0;

	for (i = 0; i < file->types.n; i++)
		n += is_hashed(set, file, file->types.v[i]);
	while (size < 2 * n)
		size *= 2;
	file->hash.v = tsh_xcalloc(size, sizeof(*file->hash.v));
	file->hash.n = size;
	for (i = 0; i < file->types.n; i++) {
		uint32_t place = file->types.v[i], *there;

		if (!is_hashed(set, file, place))
			continue;
		there = hash_place(set, file, btf_string_at(set, file, btf_word(file, place)),
				   UINT32_C(1) << btf_kind_at(file, place));
		/* of several types with one name, the hash has the first */
		if (there && !*there)
			*there = (uint32_t)i + 1;
	}
}

int64_t btf_find_in(const struct btf_set *set, const struct btf_file *file, const char *name,
		    uint32_t kinds)
{
	const uint32_t *there = hash_place(set, file, name, kinds);

	return there ? (int64_t)*there - 1 : -1;
}

static void free_file(struct btf_file *file)
{
	tsh_vec_release(&file->types);
	tsh_vec_release(&file->hash);
	free(file->aligns);
	free(file->data);
	free(file);
}

/* Reads a BTF file and adds it to the set. Closes fd. Returns false when the file is damaged. */
static bool add_file(struct btf_set *set, int fd)
{
	struct btf_file *file = tsh_xcalloc(1, sizeof(*file));
	const struct btf_file *kernel = set->files.n ? set->files.v[0] : NULL;
	uint32_t types, end;
	bool is_good;

	file->first_id = kernel ? (uint32_t)kernel->types.n + 1 : 1;
	file->first_string = kernel ? kernel->strings_len : 0;
	is_good = read_all(fd, file) && parse_header(file, &types, &end) &&
		  index_types(file, types, end);
	if (is_good) {
		*tsh_vec_push(&set->files) = file;
		index_names(set, file);
		file->aligns = tsh_xcalloc(file->types.n + 1, sizeof(*file->aligns));
	} else {
		free_file(file);
	}
	close(fd);
	return is_good;
}

/* ---- all files ---- */

static uint64_t size_of(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);

	return size > 0 && lseek(fd, 0, SEEK_SET) == 0 ? (uint64_t)size : 0;
}

void btf_set_load_kernel(struct btf_set *set)
{
	const struct tsh_provider *provider = set->provider;
	int fd;

	if (set->is_loaded)
		return;
	set->is_loaded = true;
	fd = provider->btf ? provider->btf(provider->ctx) : -1;
	if (fd >= 0)
		set->is_bad = !add_file(set, fd);
}

void btf_set_load_modules(struct btf_set *set)
{
	const struct tsh_provider *provider = set->provider;
	uint64_t bytes = 0;
	unsigned int i;
	int fd;

	if (set->has_modules)
		return;
	set->has_modules = true;
	for (i = 0; set->files.n && provider->module_btf && i < FILES_MAX && bytes < MODULES_MAX; i++) {
		fd = provider->module_btf(provider->ctx, i);
		if (fd < 0)
			break;
		bytes += size_of(fd);
		add_file(set, fd);
	}
}

void btf_set_forget_modules(struct btf_set *set)
{
	while (set->files.n > 1)
		free_file(set->files.v[--set->files.n]);
	set->has_modules = false;
}

void btf_set_release(struct btf_set *set)
{
	btf_set_forget_modules(set);
	if (set->files.n)
		free_file(set->files.v[0]);
	tsh_vec_release(&set->files);
}

bool btf_type_at(const struct btf_set *set, const struct btf_file **file, uint32_t id,
		 uint32_t *ret)
{
	if (id < (*file)->first_id)
		*file = set->files.v[0];
	if (id < (*file)->first_id || id - (*file)->first_id >= (*file)->types.n)
		return false;
	*ret = (*file)->types.v[id - (*file)->first_id];
	return true;
}

const char *btf_kind_name(uint32_t kind)
{
	return all_kinds[kind < NKINDS ? kind : 0].name;
}
