/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointer.h"

#include <string.h>

#include "base/load.h"
#include "events/symbols/digits.h"
#include "events/symbols/symbols.h"
#include "format.h"

#define PAGE_SIZE	4096
#define MAX_ERRNO	4095
#define HEX_MAX		64		/* limit of bytes for %*ph */
#define UUID_SIZE	16

static uint64_t cut(const struct pointer_env *env, uint64_t value)
{
	return env->long_size == 4 ? (uint32_t)value : value;
}

/* Says whether a value is what ERR_PTR() makes: one of the last 4095 addresses. */
static bool is_error(const struct pointer_env *env, uint64_t value)
{
	return value >= cut(env, (uint64_t)-MAX_ERRNO);
}

/* ---- addresses ---- */

/* Appends ptr-N. NULL and errors are not hidden, as in the kernel. */
static bool append_hidden(struct tsh_strbuf *out, const struct directive *d,
			  const struct pointer_env *env, uint64_t value)
{
	size_t begin = out->len;

	if (!env->hidden || !value || is_error(env, value))
		return false;
	tsh_strbuf_adds(out, "ptr-");
	tsh_strbuf_addu(out, hidden_pointers_number(env->hidden, value));
	directive_pad(out, d, begin);
	return true;
}

/* Appends an address as pointer_string() does: all digits, unless a width is given. */
static void append_address(struct tsh_strbuf *out, const struct directive *d,
			   const struct pointer_env *env, uint64_t value)
{
	struct directive number;

	if (append_hidden(out, d, env, value))
		return;
	if (d->width < 0 && d->precision <= 0 && !d->special && !d->left) {
		tsh_strbuf_grow(out, DIGITS_ROOM);
		out->len = (size_t)(digits_write_hex_wide(out->buf + out->len, value,
							  2 * env->long_size) - out->buf);
		out->buf[out->len] = '\0';
		return;
	}
	number = *d;
	number.base = 16;
	number.is_upper = false;
	number.is_signed = false;
	number.size = (uint8_t)env->long_size;
	if (d->width < 0) {
		number.width = (int)(2 * env->long_size);
		number.zero = true;
	}
	directive_number(out, &number, value);
}

static void append_error(struct tsh_strbuf *out, const struct directive *d, uint64_t value)
{
	int error = (int)(uint32_t)value;
	const char *name = tsh_error_name((unsigned int)-error);
	struct directive number = *d;
	size_t begin = out->len;

	if (name) {
		tsh_strbuf_addc(out, '-');
		tsh_strbuf_adds(out, name);
		directive_pad(out, d, begin);
		return;
	}
	number.base = 10;
	number.size = sizeof(error);
	number.is_signed = true;
	directive_number(out, &number, (uint64_t)(int64_t)error);
}

static bool has_symbol(const struct pointer_env *env, uint64_t value)
{
	struct tsh_symbol symbol;

	return env->symbols && tsh_symbols_find(env->symbols, value, &symbol);
}

static void append_symbol(struct tsh_strbuf *out, const struct directive *d,
			  const struct pointer_env *env, enum tsh_symbol_style style, uint64_t value)
{
	size_t begin = out->len;

	if (env->hidden && !has_symbol(env, style == TSH_SYMBOL_BACKTRACE ? value - 1 : value) &&
	    append_hidden(out, d, env, value))
		return;
	if (env->symbols)
		tsh_symbols_print(env->symbols, style, value, out);
	else
		tsh_strbuf_addf(out, "0x%llx", (unsigned long long)value);
	directive_pad(out, d, begin);
}

bool directive_prints_address(const struct directive *d)
{
	const char *extension = d->extension;

	if (!strncmp(extension, "fw", 2))
		return false;
	return !extension[0] || !strchr("RrhbMmIiEUVN4adtCDgGOAuk", extension[0]);
}

bool directive_symbol_style(const struct directive *d, enum tsh_symbol_style *ret)
{
	switch (d->extension[0]) {
	case 'S':
	case 'F':
		*ret = TSH_SYMBOL_OFFSET;
		return true;
	case 's':
	case 'f':
		*ret = TSH_SYMBOL_NAME_MODULE;
		return true;
	case 'B':
		*ret = TSH_SYMBOL_BACKTRACE;
		return true;
	default:
		return false;
	}
}

static void print_address(struct tsh_strbuf *out, const struct directive *d,
			  const struct pointer_env *env, uint64_t value)
{
	enum tsh_symbol_style style;

	if (directive_symbol_style(d, &style))
		append_symbol(out, d, env, style, value);
	else if (d->extension[0] == 'e' && is_error(env, value))
		append_error(out, d, value);
	else
		append_address(out, d, env, value);
}

/* ---- memory at an address ---- */

static bool print_uuid(struct tsh_strbuf *out, const struct directive *d,
		       const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	static const unsigned char guid[UUID_SIZE] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
	};
	bool is_upper = d->extension[1] == 'B' || d->extension[1] == 'L';
	bool is_guid = d->extension[1] == 'l' || d->extension[1] == 'L';
	size_t begin = out->len;
	unsigned int i;

	(void)env;
	if (len < UUID_SIZE)
		return false;
	for (i = 0; i < UUID_SIZE; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			tsh_strbuf_addc(out, '-');
		pointer_append_byte(out, bytes[is_guid ? guid[i] : i], is_upper);
	}
	directive_pad(out, d, begin);
	return true;
}

static bool print_hex(struct tsh_strbuf *out, const struct directive *d,
		      const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	size_t i, count = d->width < 0 ? 1 : d->width < HEX_MAX ? (size_t)d->width : HEX_MAX;
	char kind = d->extension[1];

	(void)env;
	if (len < count)
		return false;
	for (i = 0; i < count; i++) {
		if (i && kind != 'N')
			tsh_strbuf_addc(out, kind == 'C' ? ':' : kind == 'D' ? '-' : ' ');
		pointer_append_byte(out, bytes[i], false);
	}
	return true;
}

/* Holds an array of the kernel's longs. */
struct bitmap {
	const unsigned char *bytes;
	unsigned int long_size;
	unsigned int nbits;
	bool big_endian;
};

static bool bitmap_init(struct bitmap *map, const struct directive *d,
			const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	unsigned int bits = 8 * env->long_size;

	map->bytes = bytes;
	map->long_size = env->long_size;
	map->nbits = d->width < 0 ? 0 : (unsigned int)d->width;
	map->big_endian = env->big_endian;
	return len / env->long_size >= (map->nbits + bits - 1) / bits;
}

/* Returns 32 bits from bit `i` on, a multiple of 32. */
static uint32_t bitmap_chunk(const struct bitmap *map, unsigned int i)
{
	unsigned int bits = 8 * map->long_size;
	uint64_t word = load_unsigned(map->bytes + (size_t)(i / bits) * map->long_size,
				      map->long_size, map->big_endian);
	unsigned int left = map->nbits - i;
	uint32_t chunk = (uint32_t)(word >> i % bits);

	return left < 32 ? chunk & ((UINT32_C(1) << left) - 1) : chunk;
}

/* Returns the first bit from `i` on that is `value`, or nbits. */
static unsigned int bitmap_find(const struct bitmap *map, unsigned int i, bool value)
{
	while (i < map->nbits) {
		uint32_t chunk = bitmap_chunk(map, i & ~31u);

		chunk = (value ? chunk : ~chunk) >> i % 32;
		if (chunk) {
			i += (unsigned int)__builtin_ctz(chunk);
			break;
		}
		i = (i & ~31u) + 32;
	}
	return i < map->nbits ? i : map->nbits;
}

static void print_bitmap_list(struct tsh_strbuf *out, const struct bitmap *map)
{
	unsigned int begin, end = 0;
	bool is_first = true;

	for (;;) {
		begin = bitmap_find(map, end, true);
		if (begin >= map->nbits)
			return;
		end = bitmap_find(map, begin, false);
		if (!is_first)
			tsh_strbuf_addc(out, ',');
		is_first = false;
		tsh_strbuf_addu(out, begin);
		if (end - begin > 1) {
			tsh_strbuf_addc(out, '-');
			tsh_strbuf_addu(out, end - 1);
		}
	}
}

static void print_bitmap_hex(struct tsh_strbuf *out, const struct bitmap *map)
{
	struct directive number = { .precision = -1, .zero = true, .base = 16, .size = 4 };
	unsigned int i, left = map->nbits % 32;

	number.width = (int)((left ? left : 32) + 3) / 4;
	for (i = (map->nbits + 31) / 32; i-- > 0; number.width = 8) {
		directive_number(out, &number, bitmap_chunk(map, 32 * i));
		if (i)
			tsh_strbuf_addc(out, ',');
	}
}

static bool print_bitmap(struct tsh_strbuf *out, const struct directive *d,
			 const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	struct bitmap map;

	if (!bitmap_init(&map, d, env, bytes, len))
		return false;
	if (d->extension[1] == 'l')
		print_bitmap_list(out, &map);
	else
		print_bitmap_hex(out, &map);
	return true;
}

/* Prints page, vma and gfp flags as a number, because their names differ between kernels. */
static bool print_flags(struct tsh_strbuf *out, const struct directive *d,
			const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	unsigned int size = d->extension[1] == 'g' ? 4 : env->long_size;

	if (len < size)
		return false;
	tsh_strbuf_addf(out, "0x%llx",
			(unsigned long long)load_unsigned(bytes, size, env->big_endian));
	return true;
}

/* Prints %pks and %pus of bpf's printk. */
static bool print_string(struct tsh_strbuf *out, const struct directive *d,
			 const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	(void)env;
	directive_string(out, d, (const char *)bytes, strnlen((const char *)bytes, len));
	return true;
}

static pointer_print *find_print(const struct directive *d)
{
	switch (d->extension[0]) {
	case 'I':
	case 'i':
		return pointer_print_ip;
	case 'M':
	case 'm':
		return pointer_print_mac;
	case 'U':
		return print_uuid;
	case 'h':
		return print_hex;
	case 'b':
		return print_bitmap;
	case 'G':
		return print_flags;
	case 'k':
	case 'u':
		return d->extension[1] == 's' ? print_string : NULL;
	}
	return NULL;
}

/* Prints what check_pointer() prints for a bad address; otherwise the address itself, because the
 * memory cannot be read. */
static void print_unreadable(struct tsh_strbuf *out, const struct directive *d,
			     const struct pointer_env *env, uint64_t value)
{
	struct directive text = *d;

	if (strchr("hbE", d->extension[0])) {
		if (!d->width && d->extension[0] != 'b')
			return;
		text.width = -1;
	}
	if (!value)
		directive_string(out, &text, "(null)", 6);
	else if (value < PAGE_SIZE || is_error(env, value))
		directive_string(out, &text, "(efault)", 8);
	else
		append_address(out, &text, env, value);
}

void directive_pointer(struct tsh_strbuf *out, const struct directive *d,
		       const struct pointer_env *env, uint64_t value, const void *bytes,
		       size_t len)
{
	pointer_print *print;

	value = cut(env, value);
	if (directive_prints_address(d)) {
		print_address(out, d, env, value);
		return;
	}
	print = bytes ? find_print(d) : NULL;
	if (!print || !print(out, d, env, bytes, len))
		print_unreadable(out, d, env, value);
}
