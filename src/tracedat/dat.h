/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEDAT_DAT_H
#define TRACESH_TRACEDAT_DAT_H

#include "trace-dat.h"
#include "unpack.h"

/* Holds where bytes are: in the file, or in a section that was unpacked. */
struct piece {
	const struct tsh_strbuf *unpacked;	/* NULL: in the file */
	uint64_t at, size;
};

/* Holds where the pages of a CPU are. */
struct cpu {
	uint32_t cpu;
	uint64_t at, size;
	uint64_t missing;		/* bytes behind the end of the file */
};

/* Holds a buffer: that of an instance, or the top one. */
struct buffer {
	char *name;			/* "": the top one */
	uint32_t page_size;
	bool is_packed;
	struct piece text;		/* of a latency tracer; size 0: none */
	struct { struct cpu *v; size_t n, cap; } cpus;
};

struct format {
	char *path;			/* "events/sched/sched_switch/format" */
	struct piece piece;
};

/* Holds a step of a TIME_SHIFT option of a CPU. */
struct shift {
	uint64_t stamp;
	int64_t offset;
};

struct dat {
	struct tsh_tree_file tree;
	int fd;
	char *path;
	uint64_t size;
	unsigned int version;
	bool is_big_endian;
	unsigned int long_size;
	uint32_t page_size;
	enum unpack_kind packing;
	char packing_name[32];

	struct piece header_page, header_event, kallsyms, printk, cmdlines;
	struct { struct format *v; size_t n, cap; } formats;
	struct { struct format *v; size_t n, cap; } files;	/* kept by tracesh */
	struct { struct buffer *v; size_t n, cap; } buffers;
	struct { struct tsh_strbuf **v; size_t n, cap; } sections;	/* unpacked */
	uint64_t unpacked;		/* bytes of all of them */
	uint32_t parts;			/* a bit for the id of each part that was read */

	/* options */
	bool has_date, has_offset, has_tsc;
	int64_t date, offset;		/* us, ns */
	uint32_t tsc_mult, tsc_shift;
	struct { struct shift *v; size_t n, cap; } shifts;	/* of the first CPU */
	char *clock, *uname;		/* NULL: not said */
	bool has_clock_option;
};

/* Reads bytes one after the other. Once it has failed, it returns zeros. */
struct cursor {
	const struct dat *dat;
	struct piece piece;		/* its limits */
	uint64_t at;			/* next byte */
	const char *fault;		/* what was damaged first; NULL: nothing */
	uint64_t fault_at;
	uint64_t buf_at;
	size_t buf_n;
	unsigned char buf[4096];
};

void dat_begin(struct cursor *c, const struct dat *dat, const struct piece *piece);
/* Moves to a byte of the file, to read up to the end of the file. */
void dat_seek(struct cursor *c, uint64_t at);
/* Notes a fault at the byte that comes next, unless there is one. */
void dat_fault(struct cursor *c, const char *what);
uint64_t dat_number(struct cursor *c, unsigned int size);
bool dat_bytes(struct cursor *c, void *data, size_t size);
/* Reads a string up to its NUL. Returns NULL and notes a fault when it has no end within `max`
 * bytes. The caller frees it. */
char *dat_string(struct cursor *c, size_t max);
/* Skips `size` bytes, and returns where they are. */
struct piece dat_piece(struct cursor *c, uint64_t size);
/* Checks for these bytes. */
bool dat_expect(struct cursor *c, const char *bytes, size_t n, const char *fault);
/* Sets the error that a cursor's fault is. Returns -1; 0: it has none. */
int dat_check(const struct cursor *c, struct tsh_err *err);

/* Appends a piece to out. Returns 0 or -errno; -EFBIG: it is larger than max. */
int dat_read(const struct dat *dat, const struct piece *piece, size_t max, struct tsh_strbuf *out);

/* Reads the options of a list that begins at the cursor. *ret_next: of version 7, where the list
 * goes on; 0: nowhere. */
struct dat_links {
	/* what version 7 says where to find, and version 6 of its instances */
	struct { struct { unsigned int id; uint64_t at; } *v; size_t n, cap; } sections;
	struct { struct { char *name; uint64_t at; } *v; size_t n, cap; } instances;
};
void dat_read_options(struct dat *dat, struct cursor *c, struct dat_links *links, uint64_t *ret_next);
void dat_links_release(struct dat_links *links);
/* Reads a BUFFER option of version 7: where the pages of each CPU are, or the text of a latency
 * tracer. */
void dat_read_buffer_option(struct dat *dat, struct cursor *c, const struct piece *piece, bool is_text);

/* Read the parts that both versions have. */
void dat_read_headers(struct dat *dat, struct cursor *c);
void dat_read_ftrace_formats(struct dat *dat, struct cursor *c);
void dat_read_event_formats(struct dat *dat, struct cursor *c);
/* Reads the files that tracesh keeps, if they come next. */
void dat_read_files(struct dat *dat, struct cursor *c);
/* Adds a CPU's pages, cut to what the file has. */
void dat_add_cpu(const struct dat *dat, struct buffer *buffer, uint64_t cpu, uint64_t at, uint64_t size);

int dat_read_v6(struct dat *dat, struct cursor *c, struct tsh_err *err);
int dat_read_v7(struct dat *dat, struct cursor *c, struct tsh_err *err);

/* Opens the compressed pages of a CPU. Returns 0 or -errno. */
int dat_open_packed(const struct dat *dat, const struct cpu *cpu, struct tsh_tree_pages *ret);

/* Lists what a tree of this file does. */
extern const struct tsh_tree_file_ops dat_tree_ops;
/* Appends the lines of tracesh/clock, or nothing when the file does not say its wall clock. */
void dat_append_clock(const struct dat *dat, struct tsh_strbuf *out);
void dat_free(struct dat *dat);

#endif
