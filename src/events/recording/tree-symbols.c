/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

/*
 * Finds the few symbols, of some 200,000, whose addresses are in the records. Only the decoder
 * knows which fields are printed as symbols, so every number that may be an address is taken for
 * one. A wrong guess costs a line.
 */

#define LINE_MAX_LEN 1024

enum use { IS_NUMBER = 1, IS_CALLED = 2 };

struct tsh_used_symbols {
	const struct tsh_provider *provider;
	unsigned int long_size;
	uint64_t lowest;		/* lowest address that can be the kernel's */
	bool loaded;
	TSH_VEC(uint64_t) addresses;	/* addresses of all symbols, sorted, each one once */
	unsigned char *used;		/* bits of enum use, by the same index */
	/* numbers that were searched last, hashed; [1]: functions that were called */
	uint64_t recent[2][1024];
};

/* Reads the lines of kallsyms. */
struct reader {
	int fd;
	char buf[65536];
	size_t begin, end;
};

/* Returns the next line, NUL-terminated, valid until the next call; NULL at the end. */
static char *next_line(struct reader *r)
{
	char *newline, *line;
	ssize_t n;

	for (;;) {
		line = r->buf + r->begin;
		newline = memchr(line, '\n', r->end - r->begin);
		if (newline) {
			*newline = '\0';
			r->begin = (size_t)(newline + 1 - r->buf);
			return line;
		}
		memmove(r->buf, line, r->end - r->begin);
		r->end -= r->begin;
		r->begin = 0;
		/* no line is that long */
		if (r->end == sizeof(r->buf))
			return NULL;
		do {
			n = read(r->fd, r->buf + r->end, sizeof(r->buf) - r->end);
		} while (n < 0 && errno == EINTR);
		if (n <= 0)
			return NULL;
		r->end += (size_t)n;
	}
}

static bool parse_address(const char *line, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(line, &end, 16);
	return end != line && *end == ' ' && !errno;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static struct reader *open_kallsyms(const struct tsh_used_symbols *used)
{
	const struct tsh_provider *provider = used->provider;
	int fd = provider->kallsyms ? provider->kallsyms(provider->ctx) : -1;
	struct reader *r;

	if (fd < 0)
		return NULL;
	r = tsh_xcalloc(1, sizeof(*r));
	r->fd = fd;
	return r;
}

static void close_kallsyms(struct reader *r)
{
	close(r->fd);
	free(r);
}

static void load_addresses(struct tsh_used_symbols *used)
{
	struct reader *r = open_kallsyms(used);
	uint64_t address;
	size_t i, n = 0;
	char *line;

	used->loaded = true;
	if (!r)
		return;
	/* Skips symbols with the address zero, and those of per-CPU variables, which are small. */
	while ((line = next_line(r)))
		if (parse_address(line, &address) && address >= used->lowest)
			*tsh_vec_push(&used->addresses) = address;
	close_kallsyms(r);
	if (!used->addresses.n)
		return;
	qsort(used->addresses.v, used->addresses.n, sizeof(uint64_t), by_value);
	for (i = 0; i < used->addresses.n; i++)
		if (!n || used->addresses.v[n - 1] != used->addresses.v[i])
			used->addresses.v[n++] = used->addresses.v[i];
	used->addresses.n = n;
	used->used = tsh_xcalloc(n, 1);
}

/* Returns where the kernel's code begins; UINT64_MAX: unknown. */
static uint64_t code_begin(const struct tsh_used_symbols *used)
{
	struct reader *r = open_kallsyms(used);
	uint64_t address, ret = UINT64_MAX;
	char *line, *name;

	if (!r)
		return ret;
	while (ret == UINT64_MAX && (line = next_line(r))) {
		name = strrchr(line, ' ');
		if (name && !strcmp(name, " _stext") && parse_address(line, &address) && address)
			ret = address;
	}
	close_kallsyms(r);
	return ret;
}

struct tsh_used_symbols *tsh_used_symbols_new(const struct tsh_provider *provider,
					      unsigned int long_size)
{
	struct tsh_used_symbols *used = tsh_xcalloc(1, sizeof(*used));
	uint64_t begin;

	used->provider = provider;
	used->long_size = long_size;
	/* A 32-bit kernel may begin anywhere from 1 GB on; s390's has an address space
	 * of its own. */
	used->lowest = long_size == 8 ? UINT64_C(1) << 63 : 0x40000000;
	begin = code_begin(used);
	if (begin < used->lowest)
		used->lowest = begin;
	return used;
}

void tsh_used_symbols_free(struct tsh_used_symbols *used)
{
	if (!used)
		return;
	tsh_vec_release(&used->addresses);
	free(used->used);
	free(used);
}

/* Returns the index of the symbol that an address lies in; n when there is none. */
static size_t find_symbol(const struct tsh_used_symbols *used, uint64_t address)
{
	size_t low = 0, high = used->addresses.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (used->addresses.v[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : used->addresses.n;
}

static void mark(struct tsh_used_symbols *used, uint64_t address, enum use use)
{
	uint64_t *recent = &used->recent[use == IS_CALLED][address * UINT64_C(0x9e3779b97f4a7c15) >> 54];
	size_t i;

	if (*recent == address)
		return;
	*recent = address;
	if (!used->loaded)
		load_addresses(used);
	i = find_symbol(used, address);
	/* Far behind the last symbol there are no addresses. */
	if (i == used->addresses.n || address - used->addresses.v[i] > (1u << 20))
		return;
	used->used[i] |= use;
	/* marks the symbol before too: a return address behind a function's last call is the
	 * address of the next function */
	if (i && used->addresses.v[i] == address)
		used->used[i - 1] |= IS_NUMBER;
}

void tsh_used_symbols_call(struct tsh_used_symbols *used, uint64_t function)
{
	mark(used, function, IS_CALLED);
}

void tsh_used_symbols_scan(struct tsh_used_symbols *used, const struct tsh_record *rec,
			   bool big_endian)
{
	bool swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint32_t at;

	for (at = 4; at + used->long_size <= rec->size; at += 4) {
		uint64_t number;
		uint32_t half;

		if (used->long_size == 8) {
			memcpy(&number, rec->data + at, 8);
			number = swap ? __builtin_bswap64(number) : number;
		} else {
			memcpy(&half, rec->data + at, 4);
			number = swap ? __builtin_bswap32(half) : half;
		}
		if (number >= used->lowest)
			mark(used, number, IS_NUMBER);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Says whether a name marks the beginning or the end of a section. These are always needed:
 * addresses outside of the sections have no name. */
static bool is_section(const char *name)
{
	static const char *const sections[] = { "_stext", "_etext", "_sinittext", "_einittext", "_end" };
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strcmp(name, sections[i]))
			return true;
	return false;
}

/* Copies the name from a line of kallsyms. Returns false when it is missing or too long. */
static bool read_name(const char *line, char ret[LINE_MAX_LEN])
{
	const char *p = strchr(line, ' ');
	size_t len;

	p = p ? strchr(p + 1, ' ') : NULL;
	len = p ? strcspn(p + 1, "\t") : 0;
	if (!len || len >= LINE_MAX_LEN)
		return false;
	memcpy(ret, p + 1, len);
	ret[len] = '\0';
	return true;
}

/* Says whether the symbol of a line is one of the names. */
static bool is_named(const struct tsh_strlist *names, const char *line)
{
	char name[LINE_MAX_LEN], *key = name;

	return read_name(line, name) && (is_section(name) || (names->n && tsh_vec_find(names, &key, by_name)));
}

/* Returns the bits of the symbols at an address. A symbol that follows a used one is needed too,
 * because it is the end of the used one. */
static unsigned int use_of(const struct tsh_used_symbols *used, uint64_t address)
{
	size_t i = find_symbol(used, address);

	if (i == used->addresses.n || used->addresses.v[i] != address)
		return 0;
	return used->used[i] | (i && used->used[i - 1] ? IS_NUMBER : 0);
}

/*
 * Adds the last function of each module to the text. Sizes of a module's functions depend on the
 * end of its last one. A second block of a module's lines, behind those of other modules, has
 * functions that the module has freed, so its first block must have a line too.
 */
struct module_lines {
	/* module of these lines, with the tab before it; "": the kernel */
	char name[LINE_MAX_LEN];
	/* the module's last function so far; "": it is in the text already */
	char line[LINE_MAX_LEN];
	uint64_t address;		/* address of the last function; 0: none so far */
	/* where the first module's lines begin in the text; 0: there was no module */
	size_t begin;
	bool is_used;			/* a symbol of a module is needed */
};

static void end_module(struct module_lines *m, struct tsh_strbuf *out)
{
	if (*m->line)
		tsh_strbuf_addf(out, "%s\n", m->line);
	*m->line = '\0';
	m->address = 0;
}

/* Notes the module of a line, and its last function. The caller calls it before it may write the
 * line. */
static void note_module(struct module_lines *m, const char *line, uint64_t address, bool is_kept,
			struct tsh_strbuf *out)
{
	const char *name = strchr(line, '\t'), *type = strchr(line, ' ');

	name = name && strlen(line) < LINE_MAX_LEN ? name : "";
	if (strcmp(name, m->name) != 0) {
		end_module(m, out);
		if (!*m->name && !m->begin)
			m->begin = out->len + 1;
		snprintf(m->name, sizeof(m->name), "%s", name);
	}
	m->is_used |= *name && is_kept;
	if (*name && type && strchr("tTwW", type[1]) && address > m->address) {
		m->address = address;
		snprintf(m->line, sizeof(m->line), "%s", is_kept ? "" : line);
	}
}

void tsh_used_symbols_text(struct tsh_used_symbols *used, const struct tsh_strlist *names,
			   struct tsh_strbuf *out, struct tsh_strlist *called)
{
	struct reader *r = used->loaded || names->n ? open_kallsyms(used) : NULL;
	struct module_lines modules = { 0 };
	char *line, name[LINE_MAX_LEN];
	uint64_t address;
	unsigned int use;
	bool is_kept;

	if (!r)
		return;
	while ((line = next_line(r))) {
		if (!parse_address(line, &address) || !address)
			continue;
		use = use_of(used, address);
		is_kept = use || is_named(names, line);
		note_module(&modules, line, address, is_kept, out);
		if (is_kept)
			tsh_strbuf_addf(out, "%s\n", line);
		if (use & IS_CALLED && read_name(line, name))
			tsh_strlist_add(called, name);
	}
	end_module(&modules, out);
	/* drops the modules' lines when none of their symbols is used */
	if (modules.begin && !modules.is_used)
		tsh_strbuf_truncate(out, modules.begin - 1);
	close_kallsyms(r);
}
