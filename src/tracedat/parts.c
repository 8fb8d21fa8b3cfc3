/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Reads the parts that both versions have: headers, formats, options. */

/* ---- formats ---- */

/* Limits a name of a system or an event, in bytes. */
#define NAME_MAX_BYTES 256

static void read_header(struct cursor *c, const char *name, struct piece *ret)
{
	uint64_t size;

	if (!dat_expect(c, name, strlen(name) + 1, "no header of the pages"))
		return;
	size = dat_number(c, 8);
	*ret = dat_piece(c, size);
}

void dat_read_headers(struct dat *dat, struct cursor *c)
{
	read_header(c, "header_page", &dat->header_page);
	read_header(c, "header_event", &dat->header_event);
}

/* Says whether a name can be that of a folder of tracefs. */
static bool is_name(const char *name)
{
	const char *p;

	for (p = name; *p && !iscntrl((unsigned char)*p) && *p != '/' && *p != ' ' && *p != ':'; p++)
		;
	return p > name && !*p && strcmp(name, ".") && strcmp(name, "..");
}

/* Reads the first line of a format, "name: sched_switch". Returns NULL when it has none; the caller
 * frees it. */
static char *event_name(const struct dat *dat, const struct piece *piece)
{
	static const char start[] = "name: ";
	struct piece line = *piece;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *name = NULL;

	if (line.size > NAME_MAX_BYTES)
		line.size = NAME_MAX_BYTES;
	if (!dat_read(dat, &line, NAME_MAX_BYTES, &text) && tsh_begins_with(text.buf, start))
		name = tsh_xstrndup(text.buf + strlen(start), strcspn(text.buf + strlen(start), "\n"));
	tsh_strbuf_release(&text);
	return name;
}

static void read_format(struct dat *dat, struct cursor *c, const char *system)
{
	uint64_t size = dat_number(c, 8), at = c->at;
	struct piece piece = dat_piece(c, size);
	char *name = c->fault ? NULL : event_name(dat, &piece);

	if (name && is_name(name)) {
		*tsh_vec_push(&dat->formats) =
			(struct format){ tsh_xasprintf("events/%s/%s/format", system, name), piece };
	} else if (!c->fault) {
		c->at = at;
		dat_fault(c, "the format of an event has no name");
	}
	free(name);
}

void dat_read_ftrace_formats(struct dat *dat, struct cursor *c)
{
	uint64_t n = dat_number(c, 4);

	for (; n && !c->fault; n--)
		read_format(dat, c, "ftrace");
}

void dat_read_event_formats(struct dat *dat, struct cursor *c)
{
	uint64_t systems = dat_number(c, 4), n;
	char *system;

	for (; systems && !c->fault; systems--) {
		system = dat_string(c, NAME_MAX_BYTES);
		if (system && !is_name(system))
			dat_fault(c, "a system of events has no name");
		for (n = dat_number(c, 4); n && !c->fault; n--)
			read_format(dat, c, system);
		free(system);
	}
}

/* ---- files that tracesh keeps ---- */

#define FILES_MAX 65536
#define PATH_MAX_BYTES 4096

void dat_read_files(struct dat *dat, struct cursor *c)
{
	static const char magic[] = TSH_TRACE_DAT_FILES_MAGIC;
	char found[sizeof(magic)];
	struct format *file;
	uint64_t size;
	char *path;

	if (!dat_bytes(c, found, sizeof(found)) || memcmp(found, magic, sizeof(magic)) != 0) {
		/* no fault: another program has written the file */
		c->fault = NULL;
		return;
	}
	while ((path = dat_string(c, PATH_MAX_BYTES)) && *path && dat->files.n < FILES_MAX) {
		file = tsh_vec_push(&dat->files);
		size = dat_number(c, 8);
		*file = (struct format){ path, dat_piece(c, size) };
	}
	free(path);
}

/* ---- options ---- */

enum { OPTION_DONE, OPTION_DATE, OPTION_CPUSTAT, OPTION_BUFFER, OPTION_TRACECLOCK, OPTION_UNAME, OPTION_HOOK,
       OPTION_OFFSET, OPTION_CPUCOUNT, OPTION_VERSION, OPTION_PROCMAPS, OPTION_TRACEID, OPTION_TIME_SHIFT, OPTION_GUEST,
       OPTION_TSC2NSEC, OPTION_STRINGS, OPTION_HEADER_INFO, OPTION_FTRACE_EVENTS, OPTION_EVENT_FORMATS, OPTION_KALLSYMS,
       OPTION_PRINTK, OPTION_CMDLINES, OPTION_BUFFER_TEXT };

#define TEXT_OPTION_MAX (64u << 10)
#define SHIFTS_MAX 65536
#define LINKS_MAX 65536

/* Reads a text of which the NUL may be missing. The caller frees it. */
static char *option_text(struct cursor *c, const struct piece *piece)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (dat_read(c->dat, piece, TEXT_OPTION_MAX, &text) < 0)
		dat_fault(c, "an option is too long");
	return tsh_strbuf_detach(&text);
}

/* Reads a number as text: decimal, with a sign, or 0x and hexadecimal digits. */
static bool text_number(struct cursor *c, const struct piece *piece, int64_t *ret)
{
	char *text = option_text(c, piece);
	uint64_t number;
	bool good = !tsh_parse_s64(text, ret);

	/* an offset may be negative, and in hexadecimal */
	if (!good && !tsh_parse_u64(text, &number)) {
		*ret = (int64_t)number;
		good = true;
	}
	if (!good)
		dat_fault(c, "a time of an option is no number");
	free(text);
	return good;
}

/* Reads the samples of the first CPU, which trace-cmd gives to all of them. */
static void read_shifts(struct dat *dat, const struct piece *piece)
{
	struct cursor c;
	uint64_t cpus, n, i;

	dat_begin(&c, dat, piece);
	(void)dat_number(&c, 8);
	(void)dat_number(&c, 4);
	cpus = dat_number(&c, 4);
	n = cpus ? dat_number(&c, 4) : 0;
	if (n > SHIFTS_MAX)
		return;
	for (i = 0; i < n && !c.fault; i++)
		tsh_vec_push(&dat->shifts)->stamp = dat_number(&c, 8);
	for (i = 0; i < n && !c.fault; i++)
		dat->shifts.v[i].offset = (int64_t)dat_number(&c, 8);
	if (c.fault)
		dat->shifts.n = 0;
}

static void read_tsc(struct dat *dat, const struct piece *piece)
{
	struct cursor c;

	dat_begin(&c, dat, piece);
	dat->tsc_mult = (uint32_t)dat_number(&c, 4);
	dat->tsc_shift = (uint32_t)dat_number(&c, 4);
	dat->has_tsc = !c.fault && dat->tsc_shift < 64;
}

static void add_section(struct dat_links *links, struct cursor *c, unsigned int id, const struct piece *piece)
{
	struct cursor option;
	uint64_t at;

	dat_begin(&option, c->dat, piece);
	at = dat_number(&option, 8);
	if (option.fault || links->sections.n == LINKS_MAX) {
		dat_fault(c, "an option does not say where its section is");
		return;
	}
	tsh_vec_push(&links->sections);
	links->sections.v[links->sections.n - 1].id = id;
	links->sections.v[links->sections.n - 1].at = at;
}

/* Notes an instance of version 6: where its table of CPUs is, and its name. */
static void add_instance(struct dat_links *links, struct cursor *c, const struct piece *piece)
{
	struct cursor option;
	uint64_t at;
	char *name;

	dat_begin(&option, c->dat, piece);
	at = dat_number(&option, 8);
	name = dat_string(&option, NAME_MAX_BYTES);
	if (option.fault || links->instances.n == LINKS_MAX) {
		dat_fault(c, "an option does not say where an instance is");
		free(name);
		return;
	}
	tsh_vec_push(&links->instances);
	links->instances.v[links->instances.n - 1].name = name;
	links->instances.v[links->instances.n - 1].at = at;
}

static void set_text(char **where, struct cursor *c, const struct piece *piece)
{
	free(*where);
	*where = option_text(c, piece);
}

static void read_option(struct dat *dat, struct cursor *c, unsigned int id, const struct piece *piece,
			struct dat_links *links)
{
	switch (id) {
	case OPTION_DATE:
		dat->has_date = text_number(c, piece, &dat->date);
		break;
	case OPTION_OFFSET:
		dat->has_offset = text_number(c, piece, &dat->offset);
		break;
	case OPTION_TRACECLOCK:
		dat->has_clock_option = true;
		set_text(&dat->clock, c, piece);
		break;
	case OPTION_UNAME:
		set_text(&dat->uname, c, piece);
		break;
	case OPTION_TIME_SHIFT:
		if (!dat->shifts.n)
			read_shifts(dat, piece);
		break;
	case OPTION_TSC2NSEC:
		read_tsc(dat, piece);
		break;
	case OPTION_BUFFER:
		if (dat->version < 7)
			add_instance(links, c, piece);
		break;
	default:
		break;
	}
}

void dat_read_options(struct dat *dat, struct cursor *c, struct dat_links *links, uint64_t *ret_next)
{
	*ret_next = 0;
	while (!c->fault) {
		unsigned int id = (unsigned int)dat_number(c, 2);
		struct piece piece;
		uint64_t size;

		if (id == OPTION_DONE && dat->version < 7)
			return;
		size = dat_number(c, 4);
		piece = dat_piece(c, size);
		if (c->fault)
			return;
		if (id == OPTION_DONE) {
			struct cursor done;

			dat_begin(&done, dat, &piece);
			*ret_next = dat_number(&done, 8);
			return;
		}
		if (dat->version >= 7 && id >= OPTION_HEADER_INFO && id <= OPTION_BUFFER_TEXT) {
			add_section(links, c, id, &piece);
			if (id != OPTION_BUFFER_TEXT)
				continue;
		}
		read_option(dat, c, id, &piece, links);
		if (dat->version >= 7 && (id == OPTION_BUFFER || id == OPTION_BUFFER_TEXT))
			dat_read_buffer_option(dat, c, &piece, id == OPTION_BUFFER_TEXT);
	}
}

void dat_links_release(struct dat_links *links)
{
	size_t i;

	for (i = 0; i < links->instances.n; i++)
		free(links->instances.v[i].name);
	tsh_vec_release(&links->instances);
	tsh_vec_release(&links->sections);
}

/* ---- CPUs ---- */

void dat_add_cpu(const struct dat *dat, struct buffer *buffer, uint64_t cpu, uint64_t at, uint64_t size)
{
	uint64_t there = at < dat->size ? dat->size - at : 0;
	struct cpu *ret;

	if (cpu >= TSH_CPU_MAX)
		return;
	ret = tsh_vec_push(&buffer->cpus);
	*ret = (struct cpu){ .cpu = (uint32_t)cpu, .at = at, .size = size < there ? size : there };
	ret->missing = size - ret->size;
}
