/* tracesh/decode.h - raw records into fields and text (src/decode) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_DECODE_H
#define TRACESH_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracesh/page.h"
#include "tracesh/strbuf.h"

/* One event as the ring buffer holds it. data is borrowed from its page and may be
 * aligned to 4 bytes only. */
struct tsh_record {
	uint64_t stamp;			/* the trace clock's */
	int cpu;
	uint32_t size;
	const unsigned char *data;
};

/*
 * Where formats, names and symbols come from: a live instance, a recorded tree, a
 * test. decode opens no file. Strings that it returns are malloc'd and given away.
 */
struct tsh_provider {
	/* The format file of event `id`; -ENOENT when no event has it. */
	int (*format)(void *ctx, unsigned int id, char **ret_system, char **ret_text);
	/* saved_cmdlines: "PID COMM" lines; NULL when there is none. */
	char *(*cmdlines)(void *ctx);
	/* The present name of a task (/proc/PID/comm) into comm; false when unknown. */
	bool (*comm)(void *ctx, int pid, char comm[16]);
	/* thread group of a task, or -1 */
	int (*tgid)(void *ctx, int pid);
	/* printk_formats, for bprint and bputs; may return NULL. */
	char *(*printk_formats)(void *ctx);
	void *ctx;
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
	bool is_common;
};

/* A parsed format file. */
struct tsh_event_format {
	unsigned int id;
	char *system;
	char *name;
	struct tsh_field *fields;
	size_t nfields;
	char *print_fmt;		/* the text after "print fmt: " */
	/*
	 * What the kernel prints before the colon: the name, but "tracing_mark_write" for
	 * ftrace:print. Borrowed. label_in_text: it prints nothing there, the text stands
	 * alone (system calls, function, stacks, bprint, bputs, raw_data).
	 */
	const char *label;
	bool label_in_text;
	bool unprintable;		/* no printer could be made: fields as name=value */
	void *printer;			/* owned by the printer that made it */
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

/* The fields that every record begins with (struct trace_entry). */
struct tsh_common {
	unsigned int id;
	unsigned char flags;		/* enum trace_flag_type */
	unsigned char preempt;		/* low nibble depth, high nibble migrate-disable */
	int pid;
};

/* A decoder: formats by id, task names, printers. One per stream. It keeps no copy of
 * the provider: that must live longer. layout->big_endian is the records' byte order. */
struct tsh_decoder;
struct tsh_decoder *tsh_decoder_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout);
void tsh_decoder_free(struct tsh_decoder *d);

/* False when the record is shorter than the common fields. */
bool tsh_decoder_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			struct tsh_common *ret);
/* The format of an id, read on first use; NULL when the provider has none. */
const struct tsh_event_format *tsh_decoder_format(struct tsh_decoder *d, unsigned int id);
/* Probes come and go and ids are used again: forget the formats (all pointers to them
 * end here) and printk_formats. Task names stay. */
void tsh_decoder_forget(struct tsh_decoder *d);
/* Kernels before 6.18 print a system call's arguments as %lx, newer ones as 0x%lx, and
 * numbers below 10 without 0x, which is the default here. */
void tsh_decoder_set_bare_hex(struct tsh_decoder *d, bool bare);
/*
 * The event's text as `trace` has it after "name: " (see .label), unsanitized, without
 * its last newline; stacks have several lines. A record shorter than its fields prints
 * what is there. format is one that this decoder gave.
 */
void tsh_decoder_print(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);
/* Learns task names from an event (sched_switch, task_rename, ..) before it is printed. */
void tsh_decoder_learn(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec);
/*
 * The name of a task as the events told it, or saved_cmdlines, or the provider; "<...>"
 * when nobody knows it, "<idle>" for 0. Borrowed until the next call with this decoder.
 * At most 64 K names are kept.
 */
const char *tsh_decoder_comm(struct tsh_decoder *d, int pid);
/* The thread group, or -1; kept like the names. */
int tsh_decoder_tgid(struct tsh_decoder *d, int pid);
/* Tasks rename themselves and end: what no event told is asked for again. Goes by itself
 * every few thousand names. */
void tsh_decoder_refresh(struct tsh_decoder *d);
/*
 * The kernel's flag letters, "d..2." or "d..2" (kernel/trace/trace_output.c,
 * trace_print_lat_fmt). with_migrate: the kernel shows the migrate-disable depth.
 */
void tsh_common_flags(const struct tsh_common *common, bool with_migrate, char ret[8]);

/* ---- values of fields ---- */

enum tsh_field_value_kind { TSH_VALUE_SIGNED, TSH_VALUE_UNSIGNED, TSH_VALUE_POINTER,
			    TSH_VALUE_STRING, TSH_VALUE_ARRAY, TSH_VALUE_MISSING };
struct tsh_field_value {
	enum tsh_field_value_kind kind;
	int64_t s;
	uint64_t u;
	const char *bytes;		/* STRING, ARRAY: borrowed from the record */
	size_t len;			/* in bytes; STRING: without NUL, and none ends it */
};

/*
 * The value of a field, with every bound checked against the record's size: a number or
 * a dynamic field that is not all there is MISSING, of an array and of char[N] there is
 * as much as the record has. SIGNED sets u too.
 */
void tsh_decoder_value(const struct tsh_decoder *d, const struct tsh_field *field,
		       const struct tsh_record *rec, struct tsh_field_value *ret);
/* Element i of an ARRAY value; false at its end. */
bool tsh_decoder_element(const struct tsh_decoder *d, const struct tsh_field *field,
			 const struct tsh_field_value *value, size_t i,
			 struct tsh_field_value *ret);

#endif
