/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load.h"
#include "tracesh/xmalloc.h"

/* Documentation/bpf/btf.rst, include/uapi/linux/btf.h */
#define BTF_MAGIC 0xEB9F
#define BTF_HEADER_SIZE 24
#define BTF_TYPE_SIZE 12
#define KIND_ENUM 6
#define KIND_ENUM64 19

/* A kernel has some 5 MB and 30,000 enumerators. */
#define SECTION_MAX (UINT32_C(1) << 26)
#define ENUMERATORS_MAX (UINT32_C(1) << 20)
#define NAME_MAX_LEN 512
#define CHUNK 65536

/* ---- the table ---- */

/* The lowest bits of the hash are ours. */
#define IS_USED 1U
#define IS_AMBIGUOUS 2U
#define OURS ((uint64_t)(IS_USED | IS_AMBIGUOUS))

struct enumerator {
	uint64_t hash;			/* of its name; 0: an empty place */
	int64_t value;
};

struct enum_table {
	struct enumerator *v;
	size_t size;			/* a power of two, or 0 */
	size_t n;
	bool has_signed;		/* some enumeration says that it is signed */
};

struct tsh_enums {
	const struct tsh_provider *provider;
	bool loaded, modules_loaded;
	struct enum_table kernel, modules;
};

static uint64_t hash_name(const char *name, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
	return (hash ^ hash >> 32) & ~OURS;
}

/* Where it is, or the empty place where it would be. */
static struct enumerator *place_of(const struct enum_table *t, uint64_t hash)
{
	size_t i = (size_t)(hash >> 2) & (t->size - 1);

	while (t->v[i].hash && (t->v[i].hash & ~OURS) != hash)
		i = (i + 1) & (t->size - 1);
	return &t->v[i];
}

static void grow(struct enum_table *t)
{
	struct enum_table old = *t;
	size_t i;

	t->size = old.size ? old.size * 2 : 1024;
	t->v = tsh_xcalloc(t->size, sizeof(*t->v));
	for (i = 0; i < old.size; i++)
		if (old.v[i].hash)
			*place_of(t, old.v[i].hash & ~OURS) = old.v[i];
	free(old.v);
}

static void add(struct enum_table *t, uint64_t hash, int64_t value)
{
	struct enumerator *place;

	if (t->n * 4 >= t->size * 3)
		grow(t);
	place = place_of(t, hash);
	if (!place->hash) {
		place->hash = hash | IS_USED;
		place->value = value;
		t->n++;
	} else if (place->value != value) {
		place->hash |= IS_AMBIGUOUS;
	}
}

/* Before enumerations told whether they are signed their 32 bits were. */
static void sign_old(struct enum_table *t)
{
	size_t i;

	for (i = 0; !t->has_signed && i < t->size; i++)
		if (t->v[i].hash)
			t->v[i].value = (int32_t)t->v[i].value;
}

/* ---- the file ---- */

struct btf_header {
	bool big_endian;
	uint32_t types, types_len;	/* places in the file */
	uint32_t strings, strings_len;
};

/* The names of a module are numbered on from those of the kernel. */
struct btf_strings {
	char *text;			/* a NUL behind it is not counted */
	uint32_t len;
};

/* All bytes, or false. */
static bool read_at(int fd, uint32_t offset, void *to, size_t len)
{
	unsigned char *p = to;
	off_t at = offset;

	while (len) {
		ssize_t n = pread(fd, p, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_header(int fd, struct btf_header *ret)
{
	unsigned char h[BTF_HEADER_SIZE];
	uint32_t head, v[4];
	size_t i;

	if (!read_at(fd, 0, h, sizeof(h)))
		return false;
	ret->big_endian = load_u16(h, true) == BTF_MAGIC;
	if (load_u16(h, ret->big_endian) != BTF_MAGIC)
		return false;
	head = load_u32(h + 4, ret->big_endian);
	for (i = 0; i < 4; i++) {
		v[i] = load_u32(h + 8 + 4 * i, ret->big_endian);
		if (v[i] > SECTION_MAX)
			return false;
	}
	if (head < BTF_HEADER_SIZE || head > CHUNK)
		return false;
	ret->types = head + v[0];
	ret->types_len = v[1];
	ret->strings = head + v[2];
	ret->strings_len = v[3];
	return true;
}

/* A false length does not get memory: the file has to have it. */
static bool read_strings(int fd, const struct btf_header *header, struct btf_strings *ret)
{
	off_t size = lseek(fd, 0, SEEK_END);

	if (size < 0 || (uint64_t)header->strings + header->strings_len > (uint64_t)size)
		return false;
	ret->len = header->strings_len;
	ret->text = tsh_xmalloc((size_t)ret->len + 1);
	ret->text[ret->len] = '\0';
	if (read_at(fd, header->strings, ret->text, ret->len))
		return true;
	free(ret->text);
	ret->text = NULL;
	return false;
}

static const char *string_at(const struct btf_strings *base, const struct btf_strings *own,
			     uint32_t offset)
{
	if (offset < base->len)
		return base->text + offset;
	offset -= base->len;
	return offset < own->len ? own->text + offset : "";
}

/* ---- the types, a chunk at a time ---- */

struct btf_walk {
	int fd;
	bool big_endian;
	uint32_t at;			/* where the chunk ends in the file */
	uint32_t left;			/* of the types behind it */
	size_t pos, len;		/* of the chunk */
	unsigned char *chunk;
};

/* The next `n` bytes, at most 12; NULL at the end. */
static const unsigned char *take(struct btf_walk *w, size_t n)
{
	size_t kept = w->len - w->pos, more;

	if (kept < n) {
		memmove(w->chunk, w->chunk + w->pos, kept);
		more = CHUNK - kept < w->left ? CHUNK - kept : w->left;
		if (kept + more < n || !read_at(w->fd, w->at, w->chunk + kept, more))
			return NULL;
		w->at += (uint32_t)more;
		w->left -= (uint32_t)more;
		w->pos = 0;
		w->len = kept + more;
	}
	w->pos += n;
	return w->chunk + w->pos - n;
}

static bool skip(struct btf_walk *w, uint64_t n)
{
	size_t kept = w->len - w->pos;

	if (n <= kept) {
		w->pos += (size_t)n;
		return true;
	}
	n -= kept;
	if (n > w->left)
		return false;
	w->pos = w->len;
	w->at += (uint32_t)n;
	w->left -= (uint32_t)n;
	return true;
}

/* What follows a type of a kind: bytes, and bytes for each of its vlen parts. */
static const struct {
	uint8_t bytes;
	uint8_t each;
} kinds[] = {
	[1] = { 4, 0 },			/* INT */
	[3] = { 12, 0 },		/* ARRAY */
	[4] = { 0, 12 },		/* STRUCT */
	[5] = { 0, 12 },		/* UNION */
	[KIND_ENUM] = { 0, 8 },
	[13] = { 0, 8 },		/* FUNC_PROTO */
	[14] = { 4, 0 },		/* VAR */
	[15] = { 0, 12 },		/* DATASEC */
	[17] = { 4, 0 },		/* DECL_TAG */
	[KIND_ENUM64] = { 0, 12 },
};

static int64_t value_of(const struct btf_walk *w, const unsigned char *p, bool is_64,
			bool is_signed)
{
	uint32_t low = load_u32(p + 4, w->big_endian);

	if (is_64)
		return (int64_t)((uint64_t)load_u32(p + 8, w->big_endian) << 32 | low);
	return is_signed ? (int32_t)low : (int64_t)low;
}

static bool add_enumeration(struct btf_walk *w, struct enum_table *t, uint32_t info,
			    const struct btf_strings *base, const struct btf_strings *own)
{
	bool is_64 = (info >> 24 & 0x7f) == KIND_ENUM64, is_signed = info >> 31;
	uint32_t count = info & 0xffffff;
	const unsigned char *p;
	const char *name;
	size_t len;

	t->has_signed |= is_signed || is_64;
	for (; count; count--) {
		p = take(w, is_64 ? 12 : 8);
		if (!p || t->n == ENUMERATORS_MAX)
			return false;
		name = string_at(base, own, load_u32(p, w->big_endian));
		len = strnlen(name, NAME_MAX_LEN);
		if (len && len < NAME_MAX_LEN)
			add(t, hash_name(name, len), value_of(w, p, is_64, is_signed));
	}
	return true;
}

static bool add_type(struct btf_walk *w, struct enum_table *t, const struct btf_strings *base,
		     const struct btf_strings *own)
{
	const unsigned char *p = take(w, BTF_TYPE_SIZE);
	uint32_t info, kind;

	if (!p)
		return false;
	info = load_u32(p + 4, w->big_endian);
	kind = info >> 24 & 0x7f;
	if (kind == KIND_ENUM || kind == KIND_ENUM64)
		return add_enumeration(w, t, info, base, own);
	/* How long an unknown one is cannot be told. */
	if (kind >= sizeof(kinds) / sizeof(kinds[0]))
		return false;
	return skip(w, kinds[kind].bytes + (uint64_t)kinds[kind].each * (info & 0xffffff));
}

static void add_types(int fd, const struct btf_header *header, struct enum_table *t,
		      const struct btf_strings *base, const struct btf_strings *own)
{
	struct btf_walk w = {
		.fd = fd,
		.big_endian = header->big_endian,
		.at = header->types,
		.left = header->types_len,
		.chunk = tsh_xmalloc(CHUNK),
	};

	while (add_type(&w, t, base, own))
		;
	free(w.chunk);
}

/* ---- the object ---- */

struct tsh_enums *tsh_enums_new(const struct tsh_provider *provider)
{
	struct tsh_enums *enums = tsh_xcalloc(1, sizeof(*enums));

	enums->provider = provider;
	return enums;
}

void tsh_enums_free(struct tsh_enums *enums)
{
	if (!enums)
		return;
	free(enums->kernel.v);
	free(enums->modules.v);
	free(enums);
}

/* Reads the enumerators of one file, which it closes. */
static void load(struct enum_table *t, int fd, const struct btf_strings *base)
{
	struct btf_strings own = { 0 };
	struct btf_header header;

	if (fd < 0)
		return;
	if (read_header(fd, &header) && read_strings(fd, &header, &own))
		add_types(fd, &header, t, base, &own);
	free(own.text);
	close(fd);
}

static int open_btf(const struct tsh_provider *provider)
{
	return provider && provider->btf ? provider->btf(provider->ctx) : -1;
}

static void load_kernel(struct tsh_enums *enums)
{
	struct btf_strings none = { 0 };

	load(&enums->kernel, open_btf(enums->provider), &none);
	sign_old(&enums->kernel);
	enums->loaded = true;
}

static void load_modules(struct tsh_enums *enums)
{
	const struct tsh_provider *provider = enums->provider;
	struct btf_strings base = { 0 };
	struct btf_header header;
	unsigned int i;
	int fd;

	enums->modules_loaded = true;
	if (!provider || !provider->module_btf)
		return;
	fd = open_btf(provider);
	if (fd < 0)
		return;
	if (read_header(fd, &header) && read_strings(fd, &header, &base)) {
		enums->modules.has_signed = enums->kernel.has_signed;
		for (i = 0; i < UINT16_MAX; i++) {
			int module = provider->module_btf(provider->ctx, i);

			if (module < 0)
				break;
			load(&enums->modules, module, &base);
		}
		sign_old(&enums->modules);
	}
	free(base.text);
	close(fd);
}

/* 1: *ret; 0: it is ambiguous; -1: there is none. */
static int value_in(const struct enum_table *t, uint64_t hash, int64_t *ret)
{
	const struct enumerator *place = t->size ? place_of(t, hash) : NULL;

	if (!place || !place->hash)
		return -1;
	*ret = place->value;
	return !(place->hash & IS_AMBIGUOUS);
}

bool tsh_enums_value(struct tsh_enums *enums, const char *name, int64_t *ret)
{
	uint64_t hash = hash_name(name, strlen(name));
	int r;

	if (!enums->loaded)
		load_kernel(enums);
	r = value_in(&enums->kernel, hash, ret);
	if (r < 0) {
		if (!enums->modules_loaded)
			load_modules(enums);
		r = value_in(&enums->modules, hash, ret);
	}
	return r > 0;
}
