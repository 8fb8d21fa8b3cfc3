/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/load.h"
#include "base/vec.h"
#include "base/xmalloc.h"

/* Documentation/bpf/btf.rst, include/uapi/linux/btf.h */
#define BTF_MAGIC 0xEB9F
#define BTF_HEADER_SIZE 24
#define BTF_TYPE_SIZE 12
#define KIND_ENUM 6
#define KIND_ENUM64 19

/* Limits a section; a kernel has some 5 MB and 30,000 enumerators. */
#define SECTION_MAX (UINT32_C(1) << 26)
/* Limits the bytes of all modules together; those of a distribution have some 60 MB. */
#define MODULES_MAX (UINT64_C(256) << 20)
#define ENUMERATORS_MAX (UINT32_C(1) << 20)
#define NAME_MAX_LEN 512
#define CHUNK 65536
/* Sets how many bytes of the strings are read at once. Names of enumerators mostly lie close
 * together. */
#define WINDOW 16384

/* ---- the table ---- */

/* Marks a value in the lowest bit of the hash: the name has several values. */
#define IS_AMBIGUOUS UINT64_C(1)

struct enumerator {
	/* hash of its name; while its file is read, the offset of the name */
	uint64_t hash;
	int64_t value;
};

struct enum_table {
	TSH_VEC(struct enumerator) list;	/* sorted by hash when all is read */
	bool has_signed;		/* an enumeration is marked as signed */
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
	return (hash ^ hash >> 32) & ~IS_AMBIGUOUS;
}

static int by_hash(const void *a, const void *b)
{
	const struct enumerator *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static void sort(struct enumerator *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof(*v), by_hash);
}

/* Sorts the table. Leaves one entry for each name, marked when the name has several values. */
static void finish_table(struct enum_table *t)
{
	struct enumerator *v = t->list.v;
	size_t i, kept = 0;

	sort(v, t->list.n);
	for (i = 0; i < t->list.n; i++) {
		/* Old BTF marks no enumeration as signed; its values are signed 32-bit numbers. */
		if (!t->has_signed)
			v[i].value = (int32_t)v[i].value;
		if (!kept || (v[kept - 1].hash & ~IS_AMBIGUOUS) != v[i].hash)
			v[kept++] = v[i];
		else if (v[kept - 1].value != v[i].value)
			v[kept - 1].hash |= IS_AMBIGUOUS;
	}
	t->list.n = kept;
}

/* ---- the file ---- */

struct btf_header {
	bool big_endian;
	uint32_t types, types_len;	/* places in the file */
	uint32_t strings, strings_len;
};

/* Reads exactly len bytes, or returns false. */
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

/* ---- the strings, read piece by piece ---- */

struct btf_strings {
	int fd;
	uint32_t at, size;		/* place and size of the section */
	uint32_t begin, len;		/* the piece that is in memory, as offsets in the section */
	char window[WINDOW];
};

static bool open_strings(struct btf_strings *s, int fd, const struct btf_header *header)
{
	off_t size = lseek(fd, 0, SEEK_END);

	s->fd = fd;
	s->at = header->strings;
	s->size = header->strings_len;
	s->begin = s->len = 0;
	return size >= 0 && (uint64_t)s->at + s->size <= (uint64_t)size;
}

/* Returns the hash of the name at an offset; 0: there is none. Reads the file only when the name is
 * not in the window. */
static uint64_t hash_at(struct btf_strings *s, uint32_t offset)
{
	uint32_t end;
	size_t len;

	if (offset >= s->size)
		return 0;
	end = s->size - offset < NAME_MAX_LEN ? s->size : offset + NAME_MAX_LEN;
	if (offset < s->begin || end > s->begin + s->len) {
		s->begin = offset;
		s->len = s->size - offset < WINDOW ? s->size - offset : WINDOW;
		if (!read_at(s->fd, s->at + s->begin, s->window, s->len)) {
			s->len = 0;
			return 0;
		}
	}
	len = strnlen(s->window + (offset - s->begin), end - offset);
	return len && len < NAME_MAX_LEN ? hash_name(s->window + (offset - s->begin), len) : 0;
}

/* Replaces the offsets in v by hashes of names. A module's offsets follow those of the kernel,
 * whose strings are in `base`; NULL: the names are the kernel's own. */
static size_t name_all(struct enumerator *v, size_t n, struct btf_strings *base,
		       struct btf_strings *own)
{
	uint32_t base_size = base ? base->size : 0;
	size_t i, kept = 0;

	sort(v, n);
	for (i = 0; i < n; i++) {
		uint32_t offset = (uint32_t)v[i].hash;
		uint64_t hash = offset < base_size ? hash_at(base, offset) :
						     hash_at(own, offset - base_size);

		if (hash)
			v[kept++] = (struct enumerator){ hash, v[i].value };
	}
	return kept;
}

/* ---- the types, read chunk by chunk ---- */

struct btf_walk {
	int fd;
	bool big_endian;
	uint32_t at;			/* where the chunk ends in the file */
	uint32_t left;			/* bytes of types behind the chunk */
	size_t pos, len;		/* position in the chunk, and its length */
	unsigned char *chunk;
};

/* Returns the next `n` bytes, at most 12; NULL at the end. */
static const unsigned char *read_bytes(struct btf_walk *w, size_t n)
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

/* Says what follows a type of each kind: bytes, and bytes for each of its vlen parts. */
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

static bool add_enumeration(struct btf_walk *w, struct enum_table *t, uint32_t info)
{
	bool is_64 = (info >> 24 & 0x7f) == KIND_ENUM64, is_signed = info >> 31;
	uint32_t count = info & 0xffffff;
	const unsigned char *p;

	t->has_signed |= is_signed || is_64;
	for (; count; count--) {
		p = read_bytes(w, is_64 ? 12 : 8);
		if (!p || t->list.n == ENUMERATORS_MAX)
			return false;
		*tsh_vec_push(&t->list) = (struct enumerator){
			.hash = load_u32(p, w->big_endian),
			.value = value_of(w, p, is_64, is_signed),
		};
	}
	return true;
}

static bool add_type(struct btf_walk *w, struct enum_table *t)
{
	const unsigned char *p = read_bytes(w, BTF_TYPE_SIZE);
	uint32_t info, kind;

	if (!p)
		return false;
	info = load_u32(p + 4, w->big_endian);
	kind = info >> 24 & 0x7f;
	if (kind == KIND_ENUM || kind == KIND_ENUM64)
		return add_enumeration(w, t, info);
	/* stops: the length of an unknown kind is not known */
	if (kind >= sizeof(kinds) / sizeof(kinds[0]))
		return false;
	return skip(w, kinds[kind].bytes + (uint64_t)kinds[kind].each * (info & 0xffffff));
}

static void add_types(int fd, const struct btf_header *header, struct enum_table *t)
{
	struct btf_walk w = {
		.fd = fd,
		.big_endian = header->big_endian,
		.at = header->types,
		.left = header->types_len,
		.chunk = tsh_xmalloc(CHUNK),
	};

	while (add_type(&w, t))
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
	tsh_vec_release(&enums->kernel.list);
	tsh_vec_release(&enums->modules.list);
	free(enums);
}

/* Reads the enumerators of one file, and closes it. */
static void load_file(struct enum_table *t, int fd, struct btf_strings *base)
{
	size_t before = t->list.n;
	struct btf_strings *own;
	struct btf_header header;

	if (fd < 0)
		return;
	own = tsh_xmalloc(sizeof(*own));
	if (read_header(fd, &header) && open_strings(own, fd, &header)) {
		add_types(fd, &header, t);
		if (t->list.n > before)
			t->list.n = before + name_all(t->list.v + before, t->list.n - before, base,
						      own);
	}
	free(own);
	close(fd);
}

static int open_btf(const struct tsh_provider *provider)
{
	return provider && provider->btf ? provider->btf(provider->ctx) : -1;
}

static void load_kernel(struct tsh_enums *enums)
{
	load_file(&enums->kernel, open_btf(enums->provider), NULL);
	finish_table(&enums->kernel);
	enums->loaded = true;
}

static void load_all_modules(struct tsh_enums *enums, struct btf_strings *base)
{
	const struct tsh_provider *provider = enums->provider;
	uint64_t bytes = 0;
	unsigned int i;
	off_t size;
	int fd;

	enums->modules.has_signed = enums->kernel.has_signed;
	for (i = 0; i < UINT16_MAX && bytes < MODULES_MAX; i++) {
		fd = provider->module_btf(provider->ctx, i);
		if (fd < 0)
			break;
		size = lseek(fd, 0, SEEK_END);
		bytes += size > 0 ? (uint64_t)size : 0;
		load_file(&enums->modules, fd, base);
	}
	finish_table(&enums->modules);
}

static void load_modules(struct tsh_enums *enums)
{
	const struct tsh_provider *provider = enums->provider;
	struct btf_strings *base;
	struct btf_header header;
	int fd;

	enums->modules_loaded = true;
	if (!provider || !provider->module_btf)
		return;
	fd = open_btf(provider);
	if (fd < 0)
		return;
	base = tsh_xmalloc(sizeof(*base));
	if (read_header(fd, &header) && open_strings(base, fd, &header))
		load_all_modules(enums, base);
	free(base);
	close(fd);
}

static int by_name(const void *key, const void *element)
{
	const struct enumerator *e = element;
	uint64_t hash = *(const uint64_t *)key, own = e->hash & ~IS_AMBIGUOUS;

	return hash < own ? -1 : hash > own;
}

/* Finds a value by hash. Returns 1 with *ret; 0 when the name has several values; -1 when there is
 * none. */
static int value_in(const struct enum_table *t, uint64_t hash, int64_t *ret)
{
	const struct enumerator *e = NULL;

	if (t->list.n)
		e = bsearch(&hash, t->list.v, t->list.n, sizeof(*t->list.v), by_name);
	if (!e)
		return -1;
	*ret = e->value;
	return !(e->hash & IS_AMBIGUOUS);
}

bool tsh_enums_value(struct tsh_enums *enums, const char *name, int64_t *ret)
{
	uint64_t hash = hash_name(name, strlen(name));
	int r;

	if (!enums->loaded)
		load_kernel(enums);
	if (!enums->kernel.list.n)
		return enums_known(name, ret);
	r = value_in(&enums->kernel, hash, ret);
	if (r < 0) {
		if (!enums->modules_loaded)
			load_modules(enums);
		r = value_in(&enums->modules, hash, ret);
	}
	return r > 0;
}
