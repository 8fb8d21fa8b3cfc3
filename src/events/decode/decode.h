/* events/decode/decode.h - raw records into fields and text */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_DECODE_H
#define TRACESH_EVENTS_DECODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "events/printfmt/format.h"
#include "events/symbols/provider.h"
#include "page.h"

/* The fields that every record begins with (struct trace_entry). */
struct tsh_common {
	unsigned int id;
	unsigned char flags;		/* enum trace_flag_type */
	unsigned char preempt;		/* low nibble depth, high nibble migrate-disable */
	unsigned char lazy, migrate;	/* of real-time kernels' fields of their own: depths */
	int pid;
};

/* A decoder: formats by id, task names, printers. One per stream. It keeps no copy of
 * the provider: that must live longer. layout->big_endian is the records' byte order. */
struct tsh_decoder;
struct tsh_decoder *tsh_decoder_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout);
void tsh_decoder_free(struct tsh_decoder *d);
/* The most memory that names of addresses may take (tsh_symbols_bound); before it is used. */
void tsh_decoder_bound(struct tsh_decoder *d, size_t bytes);

/* False when the record is shorter than the common fields. */
bool tsh_decoder_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			struct tsh_common *ret);
/*
 * Both, and tsh_decoder_learn, at once: what a line of the record begins with. NULL: nobody
 * knows the event, or the record is shorter than the common fields (*ret_damaged).
 */
const struct tsh_event_format *tsh_decoder_look(struct tsh_decoder *d,
						const struct tsh_record *rec,
						struct tsh_common *ret, bool *ret_damaged);
/* The format of an id, read on first use; NULL when the provider has none. */
const struct tsh_event_format *tsh_decoder_format(struct tsh_decoder *d, unsigned int id);
/* Forgets the formats (all pointers to them end here) and printk_formats. Task names stay. */
void tsh_decoder_forget(struct tsh_decoder *d);
/*
 * What comes now was read later: probes and synthetic events come and go, and their ids are
 * used again. The format of such an id is looked at once more; pointers to the one before
 * stay good.
 */
void tsh_decoder_renew(struct tsh_decoder *d);
/* Prints events in the place of a decoder: see tsh_decoders_attach. The decoder owns its ctx. */
struct tsh_printer {
	void *ctx;
	bool all;		/* asked for every event, not just for those that would be name=value */
	/* Gives a number above 0 for `print`, and says who it is; 0: it does not know the event. The caller frees
	 * the name. is_doubtful: only who does without the print format may have it. */
	unsigned int (*take)(void *ctx, const struct tsh_event_format *format, const char *text, bool is_doubtful,
			     char **ret_who);
	/* Appends the text; false, and nothing is appended: this time it cannot. */
	bool (*print)(void *ctx, unsigned int number, const struct tsh_record *rec, struct tsh_strbuf *out);
	void (*forget)(void *ctx);	/* all that it took */
	void (*free)(void *ctx);
};
/* Before a format is asked for. It is not asked for what the tracers write, and for events that come and go. */
void tsh_decoder_set_printer(struct tsh_decoder *d, const struct tsh_printer *printer);
/* The byte order, and what a long is. */
const struct tsh_page_layout *tsh_decoder_layout(const struct tsh_decoder *d);
/* Gives the text of printk_formats, which the caller frees; NULL: there is none. */
char *tsh_decoder_printk_formats(const struct tsh_decoder *d);
struct tsh_symbols;
/* Borrows the names of addresses that the decoder prints with. */
struct tsh_symbols *tsh_decoder_symbols(const struct tsh_decoder *d);
/* From now on pointers are ptr-1, ptr-2 and so on, equal ones staying equal. */
void tsh_decoder_hide_pointers(struct tsh_decoder *d);
/* "0x.." or "ptr-N": a field that is a pointer, as JSON and name=value have it. */
void tsh_decoder_pointer(const struct tsh_decoder *d, uint64_t value, struct tsh_strbuf *out);
/* What stands before the colon where format->label_varies. */
void tsh_decoder_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);
/*
 * The event's text as `trace` has it after "name: " (see .label), unsanitized; stacks have
 * several lines. The newline that ends the kernel's line is not in it, but where
 * format->newline_in_text. A record shorter than its fields prints what is there. format
 * is one that this decoder gave.
 */
void tsh_decoder_print(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);
/* Learns task names from an event (sched_switch, task_rename, ..) before it is printed. */
void tsh_decoder_learn(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec);
/* The kernel's words (kernel/trace/trace_sched_switch.c, __trace_find_cmdline). */
#define TSH_COMM_UNKNOWN "<...>"
#define TSH_COMM_IDLE	 "<idle>"
/*
 * The name of a task as the events told it, or saved_cmdlines, or the provider; UNKNOWN when
 * nobody knows it, IDLE for 0. Borrowed until the next call with this decoder.
 * At most 64 K names are kept.
 */
const char *tsh_decoder_comm(struct tsh_decoder *d, int pid);
/* Each change of a name is among the records (task_newtask, task_rename): what a task is called when
 * it begins holds until it is told otherwise. Else it is a guess, as it may exec unseen. */
void tsh_decoder_trust_forks(struct tsh_decoder *d);
/*
 * A record that will be looked at later (task_rename, task_newtask): until then the task has its
 * old name, whatever others call it by now. Any record may be given, in any order.
 */
void tsh_decoder_foresee(struct tsh_decoder *d, const struct tsh_record *rec);
/* Tells what a task was called when the stream began, unless more is known of it. */
void tsh_decoder_see_comm(struct tsh_decoder *d, int pid, const char *comm);
/* All of both that were given. */
void tsh_decoder_each_comm(const struct tsh_decoder *d,
			   void (*tell)(void *ctx, int pid, const char *comm), void *ctx);
/* Every task is known, and each change is among the records: no name is asked for again, as what
 * others know is newer than the records. */
void tsh_decoder_tell_all(struct tsh_decoder *d);
/* Some of those records are missing. */
void tsh_decoder_doubt_names(struct tsh_decoder *d);
/* Whether each event of a task is among the records, as somebody says who knows which are recorded; true where nobody
 * does. Of another one there are some, so that what is between two of them may be missing. */
void tsh_decoder_set_whole(struct tsh_decoder *d, bool (*is_whole)(void *ctx, int pid), void *ctx);
bool tsh_decoder_is_whole(const struct tsh_decoder *d, int pid);
/* Events are missing between those before and those that come next. */
void tsh_decoder_lose(struct tsh_decoder *d);
/* How often that was. */
uint64_t tsh_decoder_losses(const struct tsh_decoder *d);
/* The stamp of the last record (task_newtask) that told of the task's birth: what was before is of another one that had
 * the number. 0: none did. */
uint64_t tsh_decoder_birth(const struct tsh_decoder *d, int pid);
/* That is its name at the record that is looked at: somebody who knows it says so. */
void tsh_decoder_set_comm(struct tsh_decoder *d, int pid, const char *comm);
/*
 * The column that a line begins with, "%16s-%-7d ", with the name sanitized unless `raw`
 * (the same at each call). TSH_TASK_COLUMN bytes can be read of it, *ret_len or more are
 * its text. Borrowed until the next call with this decoder.
 */
#define TSH_TASK_COLUMN 64
const char *tsh_decoder_task_column(struct tsh_decoder *d, int pid, bool raw, size_t *ret_len);
/* Counts up whenever a column that was given may read otherwise now. Valid as long as d. */
const unsigned int *tsh_decoder_names_version(const struct tsh_decoder *d);
/* From now on tasks have the names that saved_cmdlines has, as in the kernel's own text:
 * no better ones of the events and of the provider. */
void tsh_decoder_use_saved_names(struct tsh_decoder *d);
/* 32 or 64: of a task's program; 0: nobody knows. */
unsigned int tsh_decoder_bits(struct tsh_decoder *d, int pid);
/* The thread group, or -1; kept like the names. */
int tsh_decoder_tgid(struct tsh_decoder *d, int pid);
/* Tasks rename themselves and end: what no event told is asked for again. To be called
 * every few seconds of a live stream. */
void tsh_decoder_refresh(struct tsh_decoder *d);
/* The kernel's ticks a second (CONFIG_HZ); 0: not known. */
unsigned int tsh_decoder_hz(const struct tsh_decoder *d);
#define TSH_FLAGS_ROOM 12
/*
 * The kernel's flag letters, "d..2." or "d..2" (kernel/trace/trace_output.c,
 * trace_print_lat_fmt). with_migrate: the kernel shows the migrate-disable depth.
 */
void tsh_decoder_flags(struct tsh_decoder *d, const struct tsh_common *common,
		       bool with_migrate, char ret[TSH_FLAGS_ROOM]);

/* ---- names of the kernel's addresses, sanitized by nobody ---- */

/* "schedule", "ext4_iget [ext4]" (%ps); "0x.." when nothing is known to be there. */
void tsh_decoder_symbol_name(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out);
/* "ext4_iget+0x15/0xb0 [ext4]", with the option sym-addr " <ffffffffc0123456>" after it
 * (kernel/trace/trace_output.c, seq_print_ip_sym). */
void tsh_decoder_symbol_offset(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out);
/* "(a=1, b=0x2)": what a function was called with, from a record that has it at `offset`
 * (print_function_args); "()" when the function's parameters are not known. */
void tsh_decoder_arguments(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
			   uint32_t offset, struct tsh_strbuf *out);
/* The return addresses of a record of ftrace's kernel_stack, the innermost first, at most `max`;
 * TSH_STACK_TRAMPOLINE stands for code that ftrace has made. 0: it is no such record. */
#define TSH_STACK_TRAMPOLINE 0x7fffffff
size_t tsh_decoder_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			 const struct tsh_record *rec, uint64_t *ret, size_t max);
/* The same of ftrace's user_stack, whose addresses are those of the process *ret_tgid. */
size_t tsh_decoder_user_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, int *ret_tgid, uint64_t *ret,
			      size_t max);
/* The address of a symbol; false when none has that name. */
bool tsh_decoder_symbol_address(struct tsh_decoder *d, const char *name, uint64_t *ret);
/* Where it begins and how long it is, 0: nobody knows; false when none has that name. */
bool tsh_decoder_symbol_range(struct tsh_decoder *d, const char *name, uint64_t *ret_address,
			      uint64_t *ret_size);
/* The same of the symbol that an address lies in. */
bool tsh_decoder_code_range(struct tsh_decoder *d, uint64_t address, uint64_t *ret_address,
			    uint64_t *ret_size);

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
