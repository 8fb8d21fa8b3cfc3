/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Reads the two layouts of a trace.dat: version 6 has its parts in a fixed order, version 7 in
 * sections that options point to. */

static const char flyrecord[] = "flyrecord", latency[] = "latency  ";

static struct piece piece_by_size(struct cursor *c, unsigned int bytes)
{
	uint64_t size = dat_number(c, bytes);

	return dat_piece(c, size);
}

/* ---- version 6 ---- */

/* Reads the clock behind the table of the top buffer, "[local]": older files say it only here. */
static void read_clock(struct dat *dat, struct cursor *c)
{
	struct piece clock = piece_by_size(c, 8);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!c->fault && !strchr(dat->clock, '[') && !dat_read(dat, &clock, 64, &text) && text.len) {
		free(dat->clock);
		dat->clock = tsh_strbuf_detach(&text);
	}
	tsh_strbuf_release(&text);
	/* a file without it is whole */
	c->fault = NULL;
}

/* Reads a table of CPUs, each an offset and a size. */
static void read_table(struct dat *dat, struct cursor *c, const char *name, uint64_t cpus)
{
	struct buffer *buffer = tsh_vec_push(&dat->buffers);
	uint64_t i, at, size;

	*buffer = (struct buffer){ .name = tsh_xstrdup(name), .page_size = dat->page_size };
	for (i = 0; i < cpus && !c->fault; i++) {
		at = dat_number(c, 8);
		size = dat_number(c, 8);
		if (!c->fault)
			dat_add_cpu(dat, buffer, i, at, size);
	}
	if (*name || c->fault)
		return;
	if (dat->has_clock_option)
		read_clock(dat, c);
	dat_read_files(dat, c);
}

static void read_buffer_v6(struct dat *dat, struct cursor *c, const char *kind, const char *name, uint64_t cpus)
{
	if (!strcmp(kind, flyrecord)) {
		read_table(dat, c, name, cpus);
	} else if (!strcmp(kind, latency)) {
		struct buffer *buffer = tsh_vec_push(&dat->buffers);

		*buffer = (struct buffer){ .name = tsh_xstrdup(name), .page_size = dat->page_size };
		buffer->text = dat_piece(c, c->piece.size - (c->at - c->piece.at));
	} else {
		dat_fault(c, "neither events nor a text");
	}
}

int dat_read_v6(struct dat *dat, struct cursor *c, struct tsh_err *err)
{
	struct dat_links links = { 0 };
	uint64_t cpus, next;
	char kind[10];
	size_t i;

	dat_read_headers(dat, c);
	dat_read_ftrace_formats(dat, c);
	dat_read_event_formats(dat, c);
	dat->kallsyms = piece_by_size(c, 4);
	dat->printk = piece_by_size(c, 4);
	dat->cmdlines = piece_by_size(c, 8);
	cpus = dat_number(c, 4);
	(void)dat_bytes(c, kind, sizeof(kind));
	if (!c->fault && !memcmp(kind, "options  ", sizeof(kind))) {
		dat_read_options(dat, c, &links, &next);
		(void)dat_bytes(c, kind, sizeof(kind));
	}
	kind[sizeof(kind) - 1] = '\0';
	if (!c->fault)
		read_buffer_v6(dat, c, kind, "", cpus);
	for (i = 0; i < links.instances.n && !c->fault; i++) {
		dat_seek(c, links.instances.v[i].at);
		(void)dat_bytes(c, kind, sizeof(kind));
		kind[sizeof(kind) - 1] = '\0';
		if (!c->fault)
			read_buffer_v6(dat, c, kind, links.instances.v[i].name, cpus);
	}
	dat_links_release(&links);
	return dat_check(c, err);
}

/* ---- version 7 ---- */

enum { SECTION_OPTIONS, SECTION_BUFFER = 3, SECTION_HEADER_INFO = 16, SECTION_FTRACE_EVENTS, SECTION_EVENT_FORMATS,
       SECTION_KALLSYMS, SECTION_PRINTK, SECTION_CMDLINES, SECTION_BUFFER_TEXT };
#define SECTION_IS_PACKED 1
#define OPTION_SECTIONS_MAX 4096
#define SECTION_HEADER 16
/* Limit what a compressed section becomes, and all of them: formats of all events take 3 MB, kallsyms 11 MB. */
#define SECTION_MAX (64u << 20)
#define SECTIONS_MAX (128u << 20)

/* Unpacks a section. Returns the piece of its bytes; size 0 and a fault when that failed. */
static struct piece unpack_section(struct dat *dat, struct cursor *c)
{
	uint64_t packed = dat_number(c, 4), unpacked = dat_number(c, 4);
	struct piece from = dat_piece(c, packed);
	struct tsh_strbuf *to, in = TSH_STRBUF_INIT;
	size_t used = 0, made, n = 0, step;
	struct unpack *u;
	int r = 0;

	dat->unpacked += unpacked;
	if (c->fault || unpacked > SECTION_MAX || dat->unpacked > SECTIONS_MAX || dat_read(dat, &from, SECTION_MAX, &in) < 0) {
		dat_fault(c, "a section is larger than any should be");
		tsh_strbuf_release(&in);
		return (struct piece){ 0 };
	}
	u = unpack_new(dat->packing);
	to = tsh_xcalloc(1, sizeof(*to));
	tsh_strbuf_init(to);
	*tsh_vec_push(&dat->sections) = to;
	while (u && !r && to->len < unpacked) {
		size_t room = unpacked - to->len < (1u << 20) ? (size_t)(unpacked - to->len) : 1u << 20;

		/* grows as bytes come: a small section may say that it becomes a large one */
		tsh_strbuf_grow(to, room);
		r = unpack_step(u, in.buf + n, in.len - n, &used, to->buf + to->len, room, &made);
		n += used;
		to->len += made;
		step = used + made;
		if (!step)
			r = -EBADMSG;
	}
	if (to->cap)
		to->buf[to->len] = '\0';
	unpack_free(u);
	tsh_strbuf_release(&in);
	if (r < 0 || to->len < unpacked)
		dat_fault(c, "a compressed section cannot be unpacked");
	return (struct piece){ to, 0, to->len };
}

/* Moves to a section, which must have this id. Returns where its bytes are, unpacked when it is
 * compressed. */
static struct piece open_section(struct dat *dat, struct cursor *c, uint64_t at, unsigned int id, bool *ret_is_packed)
{
	unsigned int flags;
	struct piece piece;
	uint64_t size;

	dat_seek(c, at);
	if (dat_number(c, 2) != id)
		dat_fault(c, "no section of the kind that an option names");
	flags = (unsigned int)dat_number(c, 2);
	(void)dat_number(c, 4);
	size = dat_number(c, 8);
	*ret_is_packed = flags & SECTION_IS_PACKED;
	if (id == SECTION_BUFFER)
		/* the pages are found by their own offsets, and may be cut */
		return (struct piece){ .at = c->at, .size = 0 };
	piece = dat_piece(c, size);
	if (!*ret_is_packed || c->fault)
		return piece;
	dat_begin(c, dat, &piece);
	return unpack_section(dat, c);
}

/* Says which clock the events have: "boot", and what trace_clock then is. */
static void set_clock(struct dat *dat, const char *name)
{
	if (!dat->clock && *name)
		dat->clock = tsh_xasprintf("[%s]", name);
}

void dat_read_buffer_option(struct dat *dat, struct cursor *c, const struct piece *piece, bool is_text)
{
	struct cursor option, section;
	struct buffer buffer = { 0 };
	uint64_t at, n, cpu, offset, size;
	char *clock;

	dat_begin(&option, dat, piece);
	at = dat_number(&option, 8);
	buffer.name = dat_string(&option, 256);
	clock = dat_string(&option, 256);
	if (clock && buffer.name && !*buffer.name)
		set_clock(dat, clock);
	free(clock);
	dat_begin(&section, dat, &(struct piece){ .size = dat->size });
	if (is_text) {
		buffer.page_size = dat->page_size;
		if (!option.fault)
			buffer.text = open_section(dat, &section, at, SECTION_BUFFER_TEXT, &buffer.is_packed);
	} else {
		buffer.page_size = (uint32_t)dat_number(&option, 4);
		n = dat_number(&option, 4);
		if (!option.fault)
			(void)open_section(dat, &section, at, SECTION_BUFFER, &buffer.is_packed);
		for (; n && !option.fault; n--) {
			cpu = dat_number(&option, 4);
			offset = dat_number(&option, 8);
			size = dat_number(&option, 8);
			if (!option.fault)
				dat_add_cpu(dat, &buffer, cpu, offset, size);
		}
	}
	if (section.fault)
		dat_fault(c, section.fault);
	else if (option.fault)
		dat_fault(c, "an option does not say where the pages of a buffer are");
	*tsh_vec_push(&dat->buffers) = buffer;
}

static void read_section(struct dat *dat, struct cursor *c, unsigned int id, uint64_t at)
{
	struct piece piece;
	bool is_packed;

	/* the texts are opened by their options; a part that is named again says nothing new */
	if (id == SECTION_BUFFER_TEXT || dat->parts >> id & 1)
		return;
	dat->parts |= 1u << id;
	piece = open_section(dat, c, at, id, &is_packed);
	if (c->fault)
		return;
	dat_begin(c, dat, &piece);
	switch (id) {
	case SECTION_HEADER_INFO:
		dat_read_headers(dat, c);
		break;
	case SECTION_FTRACE_EVENTS:
		dat_read_ftrace_formats(dat, c);
		break;
	case SECTION_EVENT_FORMATS:
		dat_read_event_formats(dat, c);
		break;
	case SECTION_KALLSYMS:
		dat->kallsyms = piece_by_size(c, 4);
		break;
	case SECTION_PRINTK:
		dat->printk = piece_by_size(c, 4);
		break;
	case SECTION_CMDLINES:
		dat->cmdlines = piece_by_size(c, 8);
		break;
	default:
		break;
	}
}

static enum unpack_kind packing_of(const char *name)
{
	return !strcmp(name, "none") ? UNPACK_NONE : !strcmp(name, "zstd") ? UNPACK_ZSTD :
	       !strcmp(name, "zlib") ? UNPACK_ZLIB : UNPACK_UNKNOWN;
}

/* Reads how the file is compressed. Returns 0, or -1 with err when it cannot be unpacked here. */
static int read_packing(struct dat *dat, struct cursor *c, struct tsh_err *err)
{
	char *name = dat_string(c, sizeof(dat->packing_name)), *version = dat_string(c, 256);
	char *word;

	if (name)
		memcpy(dat->packing_name, name, strlen(name) + 1);
	dat->packing = packing_of(dat->packing_name);
	free(name);
	free(version);
	if (c->fault)
		return dat_check(c, err);
	if (unpack_is_known(dat->packing))
		return 0;
	if (dat->packing == UNPACK_UNKNOWN)
		return tsh_err_set(err, TSH_FAILED, "'%s' is compressed in a way that nothing here knows", dat->path);
	tsh_err_set(err, TSH_FAILED, "'%s' is compressed with %s, which this tracesh was built without", dat->path,
		    dat->packing_name);
	word = tsh_typed_word(dat->path);
	tsh_err_hint(err, "trace-cmd convert --compression none -i %s -o FILE", word);
	free(word);
	return -1;
}

int dat_read_v7(struct dat *dat, struct cursor *c, struct tsh_err *err)
{
	struct dat_links links = { 0 };
	uint64_t next;
	unsigned int sections = 0;
	struct piece piece;
	bool is_packed;
	size_t i;

	if (read_packing(dat, c, err) < 0)
		return -1;
	next = dat_number(c, 8);
	if (dat_number(c, 2) == TSH_TRACE_DAT_FILES) {
		(void)dat_piece(c, 14);
		dat_read_files(dat, c);
	}
	while (next && !c->fault) {
		if (++sections > OPTION_SECTIONS_MAX) {
			dat_fault(c, "its lists of options have no end");
			break;
		}
		piece = open_section(dat, c, next, SECTION_OPTIONS, &is_packed);
		if (c->fault)
			break;
		dat_begin(c, dat, &piece);
		dat_read_options(dat, c, &links, &next);
	}
	for (i = 0; i < links.sections.n && !c->fault; i++)
		read_section(dat, c, links.sections.v[i].id, links.sections.v[i].at);
	dat_links_release(&links);
	return dat_check(c, err);
}
