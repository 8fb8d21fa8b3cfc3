/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-func.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "tracesh/vec.h"
#include "tracesh/xmalloc.h"

/* include/uapi/linux/btf.h */
#define MAGIC 0xEB9F
#define HEADER_SIZE 24
#define TYPE_SIZE 12
#define INT_SIGNED 1

enum {
	KIND_TYPEDEF = 8, KIND_VOLATILE, KIND_CONST, KIND_RESTRICT, KIND_FUNC, KIND_FUNC_PROTO,
	KIND_TYPE_TAG = 18,
};

#define FILE_MAX (UINT32_C(1) << 26)
#define FILES_MAX 4096
#define SKIP_MAX 32	/* const of a typedef of a const of .. */

struct btf_file {
	unsigned char *data;
	uint32_t size;
	bool big_endian;
	uint32_t strings, strings_len;
	uint32_t first_string, first_id;	/* a module's go on from the kernel's */
	TSH_VEC(uint32_t) types;		/* places in data */
	TSH_VEC(uint32_t) hash;		/* of functions by name: 1 + index into types */
};

struct btf_funcs {
	const struct tsh_provider *provider;
	bool is_loaded, has_modules;
	TSH_VEC(struct btf_file *) files;	/* the kernel's, and the modules' */
};

/* What follows a type of a kind: bytes, and bytes for each of its parts. */
static const struct {
	const char *name;
	uint8_t bytes;
	uint8_t each;
} kinds[] = {
	{ "UNKNOWN", 0, 0 }, { "INT", 4, 0 }, { "PTR", 0, 0 }, { "ARRAY", 12, 0 },
	{ "STRUCT", 0, 12 }, { "UNION", 0, 12 }, { "ENUM", 0, 8 }, { "FWD", 0, 0 },
	{ "TYPEDEF", 0, 0 }, { "VOLATILE", 0, 0 }, { "CONST", 0, 0 }, { "RESTRICT", 0, 0 },
	{ "FUNC", 0, 0 }, { "FUNC_PROTO", 0, 8 }, { "VAR", 4, 0 }, { "DATASEC", 0, 12 },
	{ "FLOAT", 0, 0 }, { "DECL_TAG", 4, 0 }, { "TYPE_TAG", 0, 0 }, { "ENUM64", 0, 12 },
};

#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

/* ---- a file ---- */

static uint32_t word(const struct btf_file *file, uint32_t place)
{
	return load_u32(file->data + place, file->big_endian);
}

static uint32_t kind_at(const struct btf_file *file, uint32_t place)
{
	return word(file, place + 4) >> 24 & 0x7f;
}

static uint32_t parts_at(const struct btf_file *file, uint32_t place)
{
	return word(file, place + 4) & 0xffffff;
}

static const char *string_at(const struct btf_funcs *funcs, const struct btf_file *file,
			     uint32_t offset)
{
	if (offset < file->first_string)
		file = funcs->files.v[0];
	offset -= file->first_string;
	/* Behind the last one there is a NUL of ours. */
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

/* Where the parts are; the strings end in a NUL then, their own or ours. */
static bool parse_header(struct btf_file *file, uint32_t *ret_types, uint32_t *ret_end)
{
	uint64_t head, types, types_len, strings, strings_len;

	if (file->size < HEADER_SIZE)
		return false;
	file->big_endian = load_u16(file->data, true) == MAGIC;
	if (load_u16(file->data, file->big_endian) != MAGIC)
		return false;
	head = word(file, 4);
	types = head + word(file, 8);
	types_len = word(file, 12);
	strings = head + word(file, 16);
	strings_len = word(file, 20);
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
	while (end - place >= TYPE_SIZE) {
		uint32_t kind = kind_at(file, place);
		uint64_t more;

		if (kind >= NKINDS)
			return false;
		more = TYPE_SIZE + kinds[kind].bytes +
			(uint64_t)kinds[kind].each *
			(kinds[kind].each ? parts_at(file, place) : 0);
		if (more > end - place)
			return false;
		*tsh_vec_push(&file->types) = place;
		place += (uint32_t)more;
	}
	return true;
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x01000193;
	return hash ^ hash >> 15;
}

static void index_functions(const struct btf_funcs *funcs, struct btf_file *file)
{
	size_t i, size = 16, n = 0;

	for (i = 0; i < file->types.n; i++)
		n += kind_at(file, file->types.v[i]) == KIND_FUNC;
	while (size < 2 * n)
		size *= 2;
	file->hash.v = tsh_xcalloc(size, sizeof(*file->hash.v));
	file->hash.n = size;
	for (i = 0; i < file->types.n; i++) {
		uint32_t place = file->types.v[i], h, there;
		const char *name;

		if (kind_at(file, place) != KIND_FUNC)
			continue;
		name = string_at(funcs, file, word(file, place));
		h = hash_name(name);
		while ((there = file->hash.v[h & (size - 1)]) != 0 &&
		       strcmp(string_at(funcs, file, word(file, file->types.v[there - 1])), name))
			h++;
		/* Of several with one name it is the first. */
		if (!there)
			file->hash.v[h & (size - 1)] = (uint32_t)i + 1;
	}
}

static void free_file(struct btf_file *file)
{
	tsh_vec_release(&file->types);
	tsh_vec_release(&file->hash);
	free(file->data);
	free(file);
}

/* Takes over fd. */
static void add_file(struct btf_funcs *funcs, int fd)
{
	struct btf_file *file = tsh_xcalloc(1, sizeof(*file));
	const struct btf_file *kernel = funcs->files.n ? funcs->files.v[0] : NULL;
	uint32_t types, end;

	file->first_id = kernel ? (uint32_t)kernel->types.n + 1 : 1;
	file->first_string = kernel ? kernel->strings_len : 0;
	if (read_all(fd, file) && parse_header(file, &types, &end) &&
	    index_types(file, types, end)) {
		*tsh_vec_push(&funcs->files) = file;
		index_functions(funcs, file);
	} else {
		free_file(file);
	}
	close(fd);
}

/* ---- all of them ---- */

struct btf_funcs *btf_funcs_new(const struct tsh_provider *provider)
{
	struct btf_funcs *funcs = tsh_xcalloc(1, sizeof(*funcs));

	funcs->provider = provider;
	return funcs;
}

void btf_funcs_free(struct btf_funcs *funcs)
{
	size_t i;

	if (!funcs)
		return;
	for (i = 0; i < funcs->files.n; i++)
		free_file(funcs->files.v[i]);
	tsh_vec_release(&funcs->files);
	free(funcs);
}

static void load_kernel(struct btf_funcs *funcs)
{
	const struct tsh_provider *provider = funcs->provider;
	int fd;

	funcs->is_loaded = true;
	fd = provider->btf ? provider->btf(provider->ctx) : -1;
	if (fd >= 0)
		add_file(funcs, fd);
}

static void load_modules(struct btf_funcs *funcs)
{
	const struct tsh_provider *provider = funcs->provider;
	unsigned int i;
	int fd;

	funcs->has_modules = true;
	for (i = 0; funcs->files.n && provider->module_btf && i < FILES_MAX; i++) {
		fd = provider->module_btf(provider->ctx, i);
		if (fd < 0)
			break;
		add_file(funcs, fd);
	}
}

/* The place of a type, and the file that it is in; false: an id of no type (0 is void). */
static bool type_at(const struct btf_funcs *funcs, const struct btf_file **file, uint32_t id,
		    uint32_t *ret)
{
	if (id < (*file)->first_id)
		*file = funcs->files.v[0];
	if (id < (*file)->first_id || id - (*file)->first_id >= (*file)->types.n)
		return false;
	*ret = (*file)->types.v[id - (*file)->first_id];
	return true;
}

static bool find_in(const struct btf_funcs *funcs, const struct btf_file *file,
		    const char *name, struct btf_func *ret)
{
	uint32_t h = hash_name(name), i, place, proto;

	for (; (i = file->hash.v[h & (file->hash.n - 1)]); h++) {
		place = file->types.v[i - 1];
		if (strcmp(string_at(funcs, file, word(file, place)), name))
			continue;
		ret->file = file;
		if (!type_at(funcs, &ret->file, word(file, place + 8), &proto) ||
		    kind_at(ret->file, proto) != KIND_FUNC_PROTO)
			return false;
		ret->params = proto + TYPE_SIZE;
		ret->nparams = parts_at(ret->file, proto);
		return true;
	}
	return false;
}

bool btf_funcs_find(struct btf_funcs *funcs, const char *name, struct btf_func *ret)
{
	size_t i;

	if (!funcs->is_loaded)
		load_kernel(funcs);
	if (funcs->files.n && find_in(funcs, funcs->files.v[0], name, ret))
		return true;
	if (!funcs->has_modules)
		load_modules(funcs);
	for (i = 1; i < funcs->files.n; i++)
		if (find_in(funcs, funcs->files.v[i], name, ret))
			return true;
	return false;
}

void btf_func_param(const struct btf_funcs *funcs, const struct btf_func *func, uint32_t i,
		    struct btf_param *ret)
{
	const struct btf_file *file = func->file;
	uint32_t param = func->params + 8 * i, id = word(file, param + 4), place = 0, kind = 0;
	unsigned int n;

	memset(ret, 0, sizeof(*ret));
	ret->name = string_at(funcs, file, word(file, param));
	for (n = 0; n < SKIP_MAX; n++) {
		if (!type_at(funcs, &file, id, &place)) {
			kind = BTF_UNKNOWN;
			break;
		}
		kind = kind_at(file, place);
		if ((kind < KIND_TYPEDEF || kind > KIND_RESTRICT) && kind != KIND_TYPE_TAG)
			break;
		id = word(file, place + 8);
	}
	ret->kind = kind;
	ret->kind_name = kinds[kind].name;
	if (kind == BTF_UNKNOWN)
		return;
	ret->size = word(file, place + 8);
	ret->is_signed = kind == BTF_INT && word(file, place + TYPE_SIZE) >> 24 & INT_SIGNED;
	ret->file = file;
	ret->enumerators = place + TYPE_SIZE;
	ret->nenumerators = kind == BTF_ENUM ? parts_at(file, place) : 0;
}

const char *btf_enumerator(const struct btf_funcs *funcs, const struct btf_param *param,
			   uint32_t value)
{
	uint32_t i;

	for (i = 0; i < param->nenumerators; i++)
		if (word(param->file, param->enumerators + 8 * i + 4) == value)
			return string_at(funcs, param->file,
					 word(param->file, param->enumerators + 8 * i));
	return NULL;
}
