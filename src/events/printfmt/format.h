/* events/printfmt/format.h - records, and the format files that say what is in them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_PRINTFMT_FORMAT_H
#define TRACESH_EVENTS_PRINTFMT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The layout that events/header_page states (kernel/trace/ring_buffer.c,
 * ring_buffer_print_page_header): u64 timestamp, a commit word of the kernel's
 * long, data. Read the instance's own file: its sub-buffers may be larger.
 */
struct tsh_page_layout {
	unsigned int long_size;		/* of the kernel: 4 or 8 */
	unsigned int data_offset;
	unsigned int page_size;		/* data_offset + size of data */
	bool big_endian;
};

/* One event as the ring buffer holds it. data is borrowed from its page and may be
 * aligned to 4 bytes only. */
struct tsh_record {
	uint64_t stamp;			/* the trace clock's */
	int cpu;
	uint32_t size;
	const unsigned char *data;
};

enum tsh_field_kind {
	TSH_FIELD_INT,			/* size 1, 2, 4, 8 */
	TSH_FIELD_POINTER,
	TSH_FIELD_CHARS,		/* char[N]: a string up to NUL */
	TSH_FIELD_STRING,		/* __data_loc or __rel_loc char[] */
	TSH_FIELD_ARRAY,		/* of integers, fixed; structures are arrays of bytes */
	TSH_FIELD_DYNAMIC,		/* of integers, __data_loc or __rel_loc */
};

/*
 * A `field:` line of a format file (kernel/trace/trace_events.c, f_show). A CHARS or
 * ARRAY of size 0 (`char buf[]`) goes on to the end of the record.
 */
struct tsh_field {
	char *type;			/* "unsigned short", "char[16]", "__data_loc char[]" */
	char *name;
	uint32_t offset;
	uint32_t size;
	uint32_t element_size;		/* of arrays; 0: the kernel's long */
	enum tsh_field_kind kind;
	bool is_signed;
	bool is_relative;		/* __rel_loc */
	bool is_network;		/* __be16, __be32, __be64: a number whose first byte is the largest */
	bool is_common;
};

/* struct trace_entry, which every record begins with: type, flags, preempt count, pid. */
#define TSH_COMMON_SIZE 8

/* A parsed format file. */
struct tsh_event_format {
	unsigned int id;
	char *system;
	char *name;
	struct tsh_field *fields;
	size_t nfields;
	char *print_fmt;		/* the text after "print fmt: " */
	/*
	 * What the kernel prints before the colon: the name, borrowed. label_varies: it
	 * depends on the record (ftrace:print), tsh_decoder_label knows. label_in_text: it
	 * prints nothing there, the text stands alone (system calls, function, stacks,
	 * bprint, bputs, raw_data).
	 */
	const char *label;
	size_t label_len;
	char *heading;			/* "LABEL: " */
	bool label_in_text;
	bool label_varies;
	/* The text of markers and trace_printk brings the line's end along, or does not: then
	 * the kernel's next line goes on behind it. */
	bool newline_in_text;
	bool is_clean;			/* its text is printable ASCII whatever the record */
	/* Its text is that of any other record with the same bytes behind those that all
	 * records begin with (TSH_COMMON_SIZE). */
	bool is_repeatable;
	char *unprintable;		/* why it prints its fields as name=value; or NULL */
	char *printed_by;		/* who prints it in the place of the decoder; or NULL */
};

/*
 * Parses a format file. 0, or -EINVAL (hostile text: bounded, never a crash): no name,
 * no ID, an offset or size that is no number below 64 K. Two fields may have one name.
 */
int tsh_event_format_parse(const char *system, const char *text, size_t len,
			   struct tsh_event_format **ret);
void tsh_event_format_free(struct tsh_event_format *format);
const struct tsh_field *tsh_event_format_field(const struct tsh_event_format *format,
					       const char *name);

/* Gives the number of "ENOENT"; 0: no error has that name. The kernel's own (ERESTARTSYS) are known. */
int tsh_error_number(const char *name);
/* "ENOENT" of 2; NULL: no error has that number. */
const char *tsh_error_name(unsigned int number);

#endif
