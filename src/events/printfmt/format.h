/* events/printfmt/format.h - records, and the format files that describe them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_FORMAT_H
#define TRACESH_EVENTS_PRINTFMT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Describes a page as events/header_page does (kernel/trace/ring_buffer.c,
 * ring_buffer_print_page_header): a u64 timestamp, a commit word of the kernel's long, data. Each
 * instance has its own file, because its sub-buffers may be larger.
 */
struct tsh_page_layout {
	unsigned int long_size;		/* of the kernel: 4 or 8 bytes */
	unsigned int data_offset;
	unsigned int page_size;		/* data_offset + size of data */
	bool big_endian;
};

/* Holds one event of the ring buffer. data is borrowed from its page, and may be aligned to 4 bytes
 * only. */
struct tsh_record {
	uint64_t stamp;			/* in units of the trace clock */
	int cpu;
	uint32_t size;
	const unsigned char *data;
};

enum tsh_field_kind {
	TSH_FIELD_INT,			/* size 1, 2, 4, 8 */
	TSH_FIELD_POINTER,
	TSH_FIELD_CHARS,		/* char[N]: a string up to NUL */
	TSH_FIELD_STRING,		/* __data_loc or __rel_loc char[] */
	/* fixed array of integers; structures are arrays of bytes */
	TSH_FIELD_ARRAY,
	TSH_FIELD_DYNAMIC,		/* array of integers by __data_loc or __rel_loc */
};

struct program;

/* Describes a `field:` line of a format file (kernel/trace/trace_events.c, f_show). A CHARS or
 * ARRAY of size 0 (`char buf[]`) extends to the end of the record. */
struct tsh_field {
	char *type;			/* "unsigned short", "char[16]", "__data_loc char[]" */
	char *name;
	uint32_t offset;
	uint32_t size;
	/* size of an array's elements; 0: that of the kernel's long */
	uint32_t element_size;
	enum tsh_field_kind kind;
	bool is_signed;
	bool is_relative;		/* __rel_loc */
	bool is_network;		/* __be16, __be32, __be64: big-endian */
	bool is_common;
};

/* Is more than the length of most labels with ": ". */
#define TSH_HEADING_COPY 32
/* Counts the bytes of struct trace_entry, which every record begins with: type, flags, preempt
 * count, pid. */
#define TSH_COMMON_SIZE 8

/* Holds a parsed format file. */
struct tsh_event_format {
	char *system;
	char *name;
	char *full_name;		/* "SYSTEM:NAME" */
	size_t full_len;
	bool has_plain_name;		/* it has letters, digits, '_' and ':' only */
	struct tsh_field *fields;
	size_t nfields;
	char *print_fmt;		/* the text behind "print fmt: " */
	/*
	 * Names the event before the colon, as the kernel prints it; borrowed. label_varies: the
	 * name depends on the record (ftrace:print), and tsh_decoder_label returns it.
	 * label_in_text: the text stands alone, without a label (system calls, function, stacks,
	 * bprint, bputs, raw_data).
	 */
	const char *label;
	unsigned int id;
	size_t label_len;
	/* "LABEL: "; TSH_HEADING_COPY bytes can be copied, also when it is shorter */
	char *heading;
	bool label_in_text;
	bool label_varies;
	/* Says that the text itself has the line's newline, or lacks it (markers, trace_printk).
	 * Without one the kernel prints the next event in the same line. */
	bool newline_in_text;
	bool is_tracer;			/* SYSTEM is ftrace: an event of the tracers themselves */
	bool is_clean;			/* the text is printable ASCII for every record */
	/* The text is the same for all records with the same bytes behind the common ones
	 * (TSH_COMMON_SIZE). */
	bool is_repeatable;
	/* prints most records; borrowed from the decoder. NULL: tsh_decoder_print has to. */
	const struct program *quick;
	char *unprintable;		/* why fields are printed as name=value; or NULL */
	/* name of a library that prints the event instead of the decoder; or NULL */
	char *printed_by;
};

/*
 * Parses a format file. Two fields may have the same name. Hostile text is bounded, and never
 * crashes. Returns 0, or -EINVAL: no name, no ID, or an offset or size that is no number below 64
 * K.
 */
int tsh_event_format_parse(const char *system, const char *text, size_t len,
			   struct tsh_event_format **ret);
void tsh_event_format_free(struct tsh_event_format *format);
/* Returns the field of that name, or NULL. */
const struct tsh_field *tsh_event_format_field(const struct tsh_event_format *format,
					       const char *name);

/* Returns the number of an error such as "ENOENT", also of the kernel's own (ERESTARTSYS); 0: there
 * is none of that name. */
int tsh_error_number(const char *name);
/* Returns the name of an error number, "ENOENT" for 2; NULL: there is none. */
const char *tsh_error_name(unsigned int number);

#endif
