/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol-map.h"

#define CHUNK 65536
/* Limits the name of a module; MODULE_NAME_LEN (include/linux/module.h) is less. */
#define MODULE_MAX 64

/* Holds the value of each hexadecimal digit plus 1; 0: the character is no digit. */
static const unsigned char digits[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
	['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15,
	['f'] = 16, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static const char *parse_address(const char *p, const char *end, uint64_t *ret)
{
	const char *begin = p, *limit = end - p < 16 ? end : p + 16;
	uint64_t value = 0;
	unsigned int d;

	for (; p < limit && (d = digits[(unsigned char)*p]); p++)
		value = value << 4 | (d - 1);
	*ret = value;
	return p > begin ? p : NULL;
}

/* Parses "ffffffffc0201000 t name\t[module]". */
static bool parse_line(const char *p, const char *end, struct symbol_line *ret)
{
	const char *tab;

	p = parse_address(p, end, &ret->address);
	if (!p || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	ret->name = p + 3;
	tab = memchr(ret->name, '\t', (size_t)(end - ret->name));
	ret->len = (size_t)((tab ? tab : end) - ret->name);
	if (ret->len >= SYMBOL_NAME_SIZE)
		ret->len = SYMBOL_NAME_SIZE - 1;
	ret->module = NULL;
	ret->module_len = 0;
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']') {
		ret->module = tab + 2;
		ret->module_len = (size_t)(end - 1 - ret->module);
	}
	return ret->len && (!tab || ret->module) && ret->module_len <= MODULE_MAX &&
	       !memchr(ret->name, 0, ret->len);
}

/* Calls `each` for all complete lines, and moves the rest to the front. Returns the length of the
 * rest; -1: `each` has returned false. */
static ssize_t read_lines(char *text, size_t len, symbol_line_each *each, void *ctx)
{
	const char *p = text, *end = text + len, *newline;
	struct symbol_line line;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		if (parse_line(p, newline, &line) && !each(ctx, &line))
			return -1;
		p = newline + 1;
	}
	memmove(text, p, (size_t)(end - p));
	return end - p;
}

bool symbol_reader_next(struct symbol_reader *r, symbol_line_each *each, void *ctx)
{
	ssize_t n;

	if (!r->text)
		r->text = tsh_xmalloc(CHUNK);
	do
		n = read(r->fd, r->text + r->rest, CHUNK - r->rest);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	n = read_lines(r->text, r->rest + (size_t)n, each, ctx);
	/* Drops a line that fills the buffer: no symbol has one. The rest of that line is skipped
	 * too, because it does not parse. */
	r->rest = n < 0 || n == CHUNK ? 0 : (size_t)n;
	return n >= 0;
}

void symbol_reader_release(struct symbol_reader *r)
{
	free(r->text);
	r->text = NULL;
	r->rest = 0;
}

void symbol_lines_read(int fd, symbol_line_each *each, void *ctx)
{
	struct symbol_reader r = { .fd = fd };

	while (symbol_reader_next(&r, each, ctx))
		;
	symbol_reader_release(&r);
}
