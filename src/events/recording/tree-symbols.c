/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

/*
 * The few symbols, of some 200,000, whose addresses stand in records. Which fields are
 * printed as symbols is the decoder's to know: every number that may be the address of
 * one is taken for it. A number that only looks like one costs a line.
 */

#define LINE_MAX_LEN 1024

enum use { IS_NUMBER = 1, IS_CALLED = 2 };

struct tsh_used_symbols {
	const struct tsh_provider *provider;
	unsigned int long_size;
	uint64_t lowest;		/* of an address in the kernel, whatever its symbols */
	bool loaded;
	TSH_VEC(uint64_t) addresses;	/* of all symbols, sorted, each once */
	unsigned char *used;		/* by its index: bits of enum use */
	uint64_t recent[2][1024];	/* numbers that were looked at, by their hash */
};

/* A walk over the lines of kallsyms. */
struct reader {
	int fd;
	char buf[65536];
	size_t begin, end;
};

/* The next line, NUL-terminated, valid until the next call; NULL at the end. */
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
		/* No line is that long. */
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

static void load(struct tsh_used_symbols *used)
{
	struct reader *r = open_kallsyms(used);
	uint64_t address;
	size_t i, n = 0;
	char *line;

	used->loaded = true;
	if (!r)
		return;
	/* Those of per-CPU variables are small numbers, those of nobody zero. */
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

/* Where the kernel's code begins; UINT64_MAX: it is not told. */
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
	/* Where a 32-bit kernel begins is its own choice, from 1 GB on; s390's shares no addresses with programs. */
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

/* The index of the symbol that the address lies in; n when there is none. */
static size_t find(const struct tsh_used_symbols *used, uint64_t address)
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
		load(used);
	i = find(used, address);
	/* Far behind the last one nothing is meant. */
	if (i == used->addresses.n || address - used->addresses.v[i] > (1u << 20))
		return;
	used->used[i] |= use;
	/* A return address behind a function's last call is the next one's. */
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

/* Checks whether it is where a section begins or ends: an address beyond those has no name. */
static bool is_section(const char *name)
{
	static const char *const sections[] = { "_stext", "_etext", "_sinittext", "_einittext", "_end" };
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (!strcmp(name, sections[i]))
			return true;
	return false;
}

/* Copies the name of a line; false: it has none that counts. */
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

/* Whether the symbol of a line is one of the names. */
static bool is_named(const struct tsh_strlist *names, const char *line)
{
	char name[LINE_MAX_LEN], *key = name;

	return read_name(line, name) && (is_section(name) || (names->n && tsh_vec_find(names, &key, by_name)));
}

/* The bits of the symbols there; those behind one that is used count, too, as it ends there. */
static unsigned int use_of(const struct tsh_used_symbols *used, uint64_t address)
{
	size_t i = find(used, address);

	if (i == used->addresses.n || used->addresses.v[i] != address)
		return 0;
	return used->used[i] | (i && used->used[i - 1] ? IS_NUMBER : 0);
}

/*
 * The modules' lines. Where a module's last function ends all its functions end, which sizes are counted up to; and its
 * lines that come once more, behind other modules', are what it has freed: so the last function of each is kept.
 */
struct module_lines {
	char name[LINE_MAX_LEN];	/* of the module whose lines these are, behind a tab; "": the kernel itself */
	char line[LINE_MAX_LEN];	/* its last function, if it is not in the text yet */
	uint64_t address;		/* of that; 0: none so far */
	size_t begin;			/* of the text: where the first module's are; 0: no module has come */
	bool is_used;			/* one is kept for itself */
};

static void end_module(struct module_lines *m, struct tsh_strbuf *out)
{
	if (*m->line)
		tsh_strbuf_addf(out, "%s\n", m->line);
	*m->line = '\0';
	m->address = 0;
}

/* Looks at a line before it is written, if it is. */
static void see_module(struct module_lines *m, const char *line, uint64_t address, bool is_kept, struct tsh_strbuf *out)
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
		see_module(&modules, line, address, is_kept, out);
		if (is_kept)
			tsh_strbuf_addf(out, "%s\n", line);
		if (use & IS_CALLED && read_name(line, name))
			tsh_strlist_add(called, name);
	}
	end_module(&modules, out);
	/* Without any module's symbol theirs tell nothing. */
	if (modules.begin && !modules.is_used)
		tsh_strbuf_truncate(out, modules.begin - 1);
	close_kallsyms(r);
}
