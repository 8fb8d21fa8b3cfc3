/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "printk-formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct printk_formats *printk_formats_new(const struct tsh_provider *provider)
{
	struct printk_formats *formats = tsh_xcalloc(1, sizeof(*formats));

	formats->provider = provider;
	return formats;
}

static void release(struct printk_formats *formats)
{
	size_t i;

	for (i = 0; i < formats->ntexts; i++)
		free(formats->texts[i].parts);
	free(formats->texts);
	free(formats->memory);
	formats->texts = NULL;
	formats->memory = NULL;
	formats->ntexts = 0;
	formats->is_read = false;
}

void printk_formats_free(struct printk_formats *formats)
{
	if (!formats)
		return;
	release(formats);
	free(formats);
}

void printk_formats_forget(struct printk_formats *formats)
{
	release(formats);
	formats->misses = 0;
}

/* Undoes the escapes of t_show() in place: \n, \t and \". t_show() does not escape a backslash, so
 * a backslash before any other letter stays. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1] && strchr("nt\"", text[1])) {
			text++;
			*to++ = *text == 'n' ? '\n' : *text == 't' ? '\t' : '"';
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* Cuts a line `0xADDRESS : "text"` (NUL-terminated) into its parts. */
static bool parse_line(char *line, uint64_t *ret_address, char **ret_text)
{
	char *end, *quote;

	if (strncmp(line, "0x", 2))
		return false;
	*ret_address = strtoull(line, &end, 16);
	if (end == line + 2 || strncmp(end, " : \"", 4))
		return false;
	*ret_text = end + 4;
	quote = strrchr(*ret_text, '"');
	if (!quote)
		return false;
	*quote = '\0';
	unescape(*ret_text);
	return true;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct printk_text *)a)->address;
	uint64_t y = ((const struct printk_text *)b)->address;

	return x < y ? -1 : x > y;
}

static void read_all(struct printk_formats *formats)
{
	TSH_VEC(struct printk_text) texts = { NULL, 0, 0 };
	char *line, *next;

	release(formats);
	formats->is_read = true;
	if (!formats->provider->printk_formats)
		return;
	formats->memory = formats->provider->printk_formats(formats->provider->ctx);
	for (line = formats->memory; line && *line; line = next) {
		char *newline = strchr(line, '\n'), *text;
		uint64_t address;

		next = newline ? newline + 1 : line + strlen(line);
		if (newline)
			*newline = '\0';
		if (parse_line(line, &address, &text)) {
			struct printk_text *new = tsh_vec_push(&texts);

			new->address = address;
			new->text = text;
		}
	}
	if (texts.n)
		qsort(texts.v, texts.n, sizeof(*texts.v), compare);
	formats->texts = texts.v;
	formats->ntexts = texts.n;
}

static struct printk_text *lookup(struct printk_formats *formats, uint64_t address)
{
	struct printk_text key = { .address = address };

	if (!formats->ntexts)
		return NULL;
	return bsearch(&key, formats->texts, formats->ntexts, sizeof(key), compare);
}

static struct printk_text *find_text(struct printk_formats *formats, uint64_t address)
{
	struct printk_text *text;

	if (!formats)
		return NULL;
	if (!formats->is_read) {
		read_all(formats);
		return lookup(formats, address);
	}
	text = lookup(formats, address);
	if (text)
		return text;
	formats->misses++;
	/* reads the list again at the 1st, 2nd, 4th, 8th .. miss */
	if (formats->misses & (formats->misses - 1))
		return NULL;
	read_all(formats);
	return lookup(formats, address);
}

const char *printk_formats_find(struct printk_formats *formats, uint64_t address)
{
	struct printk_text *text = find_text(formats, address);

	return text ? text->text : NULL;
}

static void parse_parts(struct printk_text *text, unsigned int long_size)
{
	const char *s = text->text, *end = s + strlen(s);
	TSH_VEC(struct printk_part) parts = { NULL, 0, 0 };

	while (s < end) {
		struct printk_part *part = tsh_vec_push(&parts);

		part->literal = s;
		s = directive_next(s, end, long_size, &part->literal_len, &part->directive);
		if (part->directive.kind == DIRECTIVE_NUMBER && part->directive.size < 4)
			text->has_small = true;
	}
	text->parts = parts.v;
	text->nparts = parts.n;
}

const struct printk_text *printk_formats_parts(struct printk_formats *formats,
					       unsigned int long_size, uint64_t address)
{
	struct printk_text *text = find_text(formats, address);

	if (text && !text->parts)
		parse_parts(text, long_size);
	return text;
}
