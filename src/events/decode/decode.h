/* events/decode/decode.h - turns raw records into fields and text */
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

/* Holds the fields that every record begins with (struct trace_entry). */
struct tsh_common {
	unsigned int id;
	unsigned char flags;		/* enum trace_flag_type */
	unsigned char preempt;		/* low nibble depth, high nibble migrate-disable */
	/* depths that real-time kernels have in fields of their own */
	unsigned char lazy, migrate;
	int pid;
};

/* Decodes the records of one stream: has formats by id, names of tasks, and printers. Borrows the
 * provider, which must outlive the decoder. layout->big_endian is the byte order of the records. */
struct tsh_decoder;
/* Makes a decoder. Copies layout. */
struct tsh_decoder *tsh_decoder_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout);
void tsh_decoder_free(struct tsh_decoder *d);
/* Limits the memory for names of addresses (tsh_symbols_bound). To be called before they
 * are used. */
void tsh_decoder_bound(struct tsh_decoder *d, size_t bytes);

/* Reads the common fields. Returns false when the record is shorter. */
bool tsh_decoder_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			struct tsh_common *ret);
/* Returns the id of a record's event; 0 when the record is shorter than the common fields. */
unsigned int tsh_decoder_id(const struct tsh_decoder *d, const struct tsh_record *rec);
/*
 * Does tsh_decoder_common, tsh_decoder_format and tsh_decoder_learn together, which every line
 * needs. Returns NULL when the event is unknown, or the record is shorter than the common fields
 * (*ret_damaged).
 */
const struct tsh_event_format *tsh_decoder_begin_record(struct tsh_decoder *d,
							const struct tsh_record *rec,
							struct tsh_common *ret, bool *ret_damaged);
/* Returns the format of an id, which is read on first use; NULL when the provider has none. */
const struct tsh_event_format *tsh_decoder_format(struct tsh_decoder *d, unsigned int id);
/* Drops the formats (no pointer to one is valid any more) and printk_formats. The names of tasks
 * stay. */
void tsh_decoder_forget(struct tsh_decoder *d);
/*
 * Lets formats be checked again, because the following records were read later. Probes and
 * synthetic events are made and removed, and their ids are reused. Each such id is checked when it
 * is needed next. Pointers to old formats stay valid.
 */
void tsh_decoder_renew(struct tsh_decoder *d);
/* Prints events instead of the decoder (see tsh_decoders_attach). The decoder owns its ctx. */
struct tsh_printer {
	void *ctx;
	/* prints every event, not only those whose print format cannot be used */
	bool all;
	/*
	 * Accepts an event, or not. Returns a number above 0 for `print`, and the name of the
	 * printer, which the caller frees. Returns 0 for an event that it does not know.
	 * is_doubtful: only a printer that does not use the print format prints it rightly.
	 */
	unsigned int (*accept)(void *ctx, const struct tsh_event_format *format, const char *text, bool is_doubtful,
			       char **ret_who);
	/* Appends the text. Returns false, and appends nothing, when it cannot print
	 * this record. */
	bool (*print)(void *ctx, unsigned int number, const struct tsh_record *rec, struct tsh_strbuf *out);
	void (*forget)(void *ctx);	/* forgets all events that it has accepted */
	void (*free)(void *ctx);
};
/* Sets a printer, before the first format is read. It does not get events of the tracers
 * themselves, nor events that can be removed (probes, synthetic events). */
void tsh_decoder_set_printer(struct tsh_decoder *d, const struct tsh_printer *printer);
/* Returns the layout: byte order and size of a long. */
const struct tsh_page_layout *tsh_decoder_layout(const struct tsh_decoder *d);
/* Returns the text of printk_formats, which the caller frees; NULL: there is none. */
char *tsh_decoder_printk_formats(const struct tsh_decoder *d);
struct tsh_symbols;
/* Returns the symbols that the decoder prints with; they stay the decoder's. */
struct tsh_symbols *tsh_decoder_symbols(const struct tsh_decoder *d);
/* From now on prints pointers as ptr-1, ptr-2 ..; equal pointers get the same number. */
void tsh_decoder_hide_pointers(struct tsh_decoder *d);
/* Appends a field that is a pointer, as JSON and name=value have it: "0x.." or "ptr-N". */
void tsh_decoder_pointer(const struct tsh_decoder *d, uint64_t value, struct tsh_strbuf *out);
/* Appends the name that `trace` prints before the colon, when format->label_varies. */
void tsh_decoder_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);
/*
 * Appends the event's text as `trace` has it behind "name: " (see .label), unsanitized; stacks have
 * several lines. The newline that ends the kernel's line is only included when
 * format->newline_in_text. A record shorter than its fields is printed as far as it goes. format
 * must come from this decoder. Returns whether the text is known to be printable ASCII.
 */
bool tsh_decoder_print(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);
/*
 * Appends the last members of an event's line in JSON, and the end of that line:
 * "event":"SYSTEM:NAME","fields":{"a":1,"b":"c"}} and a newline. with_name: false leaves "event"
 * out. format must come from this decoder.
 */
void tsh_decoder_add_json(struct tsh_decoder *d, const struct tsh_event_format *format,
			  const struct tsh_record *rec, bool with_name, struct tsh_strbuf *out);
/* Learns names of tasks from an event (sched_switch, task_rename, ..), before it is printed. */
void tsh_decoder_learn(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec);
/* Are the kernel's words (kernel/trace/trace_sched_switch.c, __trace_find_cmdline). */
#define TSH_COMM_UNKNOWN "<...>"
#define TSH_COMM_IDLE	 "<idle>"
/*
 * Returns the name of a task: from events, from saved_cmdlines, or from the provider; UNKNOWN when
 * none of them has it, IDLE for 0. Valid until the next call with this decoder. The decoder stores
 * at most 64 K names.
 */
const char *tsh_decoder_comm(struct tsh_decoder *d, int pid);
/*
 * Promises that each change of a name is among the records (task_newtask, task_rename). So the name
 * of a new task holds until an event changes it. Otherwise that name is a guess, because the task
 * may exec unseen.
 */
void tsh_decoder_trust_forks(struct tsh_decoder *d);
/* Learns from a later record (task_rename, task_newtask) in advance: until its time the task has
 * its old name, and other sources are not asked. The caller may pass any records, in any order. */
void tsh_decoder_learn_ahead(struct tsh_decoder *d, const struct tsh_record *rec);
/* Does tsh_decoder_learn_ahead for an event of a page (NULL: none) and for all those of the walk,
 * which is not moved. */
void tsh_decoder_learn_page_ahead(struct tsh_decoder *d, int cpu, const struct tsh_page_event *first,
				  const struct tsh_page_walk *walk);
/* Sets a function that passes all records to tsh_decoder_learn_ahead. It is called once, as soon as a
 * name is asked for that no event has told yet. ctx must outlive the decoder. */
void tsh_decoder_set_ahead(struct tsh_decoder *d, void (*ahead)(void *ctx), void *ctx);
/* Sets the name that a task had when the stream began, unless a name is known already. */
void tsh_decoder_set_first_comm(struct tsh_decoder *d, int pid, const char *comm);
/* Calls `each` for every task whose name is known. */
void tsh_decoder_each_comm(struct tsh_decoder *d,
			   void (*each)(void *ctx, int pid, const char *comm), void *ctx);
/* Promises that the names of all tasks are known, and that each change is among the records. So
 * other sources, which are newer than the records, are not asked again. */
void tsh_decoder_set_names_complete(struct tsh_decoder *d);
/* Notes that some of the records that change names are missing. */
void tsh_decoder_doubt_names(struct tsh_decoder *d);
/* Sets a function that says whether the stream has all events of a task. NULL: it has all events of
 * every task. Events of other tasks may be missing between two records. */
void tsh_decoder_set_whole(struct tsh_decoder *d, bool (*is_whole)(void *ctx, int pid), void *ctx);
bool tsh_decoder_is_whole(const struct tsh_decoder *d, int pid);
/* Notes that events are missing between the last record and the next. */
void tsh_decoder_note_loss(struct tsh_decoder *d);
/* Returns how often events were missing. */
uint64_t tsh_decoder_losses(const struct tsh_decoder *d);
/* Returns the stamp of the last record (task_newtask) that started a task with this number; earlier
 * events are of another task. 0: there was none. */
uint64_t tsh_decoder_birth(const struct tsh_decoder *d, int pid);
/* Sets the name of a task at the present record, when the caller knows it. */
void tsh_decoder_set_comm(struct tsh_decoder *d, int pid, const char *comm);
/*
 * Returns the column that a line begins with, "%16s-%-7d ", with the name sanitized unless `raw`
 * (which must be the same at each call). *ret_len is the length of the text. The caller may copy
 * TSH_TASK_COLUMN bytes, even when the text is shorter. Valid until the next call with this
 * decoder.
 */
#define TSH_TASK_COLUMN 64
const char *tsh_decoder_task_column(struct tsh_decoder *d, int pid, bool raw, size_t *ret_len);
/* Holds columns that were made, ready to be copied: slots by the low bits of the pid. Belongs to the
 * decoder, which frees a slot when a name changes. */
#define TSH_TASK_COLUMNS 1024
struct tsh_task_columns {
	/* Counts lookups since the names that do not come from events were asked for the last time. They
	 * are asked for again after TSH_TASK_LOOKUPS. */
	unsigned int lookups;
	struct tsh_task_column {
		int pid;
		unsigned char len;	/* 0: the slot is free */
		char text[TSH_TASK_COLUMN];
	} of[TSH_TASK_COLUMNS];
};
#define TSH_TASK_LOOKUPS (1U << 20)
struct tsh_task_columns *tsh_decoder_task_columns(const struct tsh_decoder *d);
/* Returns the column of a task; NULL: tsh_decoder_task_column has to make it. */
static inline const struct tsh_task_column *tsh_task_columns_find(struct tsh_task_columns *columns, int pid)
{
	const struct tsh_task_column *column = &columns->of[(unsigned int)pid % TSH_TASK_COLUMNS];

	return column->len && column->pid == pid && ++columns->lookups < TSH_TASK_LOOKUPS ? column : NULL;
}
/* Returns a counter that grows when the text of a column may have changed. Valid as long as d. */
const unsigned int *tsh_decoder_names_version(const struct tsh_decoder *d);
/* From now on uses only names from saved_cmdlines, as the kernel's own text does, not the better
 * ones of events and provider. */
void tsh_decoder_use_saved_names(struct tsh_decoder *d);
/* Returns whether a task's program is made for 32 or 64 bits; 0: unknown. */
unsigned int tsh_decoder_bits(struct tsh_decoder *d, int pid);
/* Returns the thread group of a task, or -1. It is stored like the names. */
int tsh_decoder_tgid(struct tsh_decoder *d, int pid);
/* Asks again for names that do not come from events, because tasks rename themselves and end. The
 * caller calls it every few seconds of a live stream. */
void tsh_decoder_refresh(struct tsh_decoder *d);
/* Returns the kernel's ticks per second (CONFIG_HZ); 0: unknown. */
unsigned int tsh_decoder_hz(const struct tsh_decoder *d);
#define TSH_FLAGS_ROOM 12
/* Appends the kernel's flag letters, "d..2." or "d..2" (kernel/trace/trace_output.c,
 * trace_print_lat_fmt). with_migrate: the kernel shows the migrate-disable depth. */
void tsh_decoder_flags(struct tsh_decoder *d, const struct tsh_common *common,
		       bool with_migrate, char ret[TSH_FLAGS_ROOM]);

/* ---- names of the kernel's addresses, unsanitized ---- */

/* Appends "schedule" or "ext4_iget [ext4]" (%ps); "0x.." when no symbol is known there. */
void tsh_decoder_symbol_name(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out);
/* Appends "ext4_iget+0x15/0xb0 [ext4]", with the option sym-addr followed by " <ffffffffc0123456>"
 * (kernel/trace/trace_output.c, seq_print_ip_sym). */
void tsh_decoder_symbol_offset(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out);
/* Appends the arguments of a function call, "(a=1, b=0x2)", which the record has at `offset`
 * (print_function_args); "()" when the function's parameters are unknown. */
void tsh_decoder_arguments(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
			   uint32_t offset, struct tsh_strbuf *out);
/*
 * Reads the return addresses of a kernel_stack record, the innermost first, at most `max`. An
 * address TSH_STACK_TRAMPOLINE means code that ftrace has made. Returns their number; 0: it is no
 * such record.
 */
#define TSH_STACK_TRAMPOLINE 0x7fffffff
size_t tsh_decoder_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			 const struct tsh_record *rec, uint64_t *ret, size_t max);
/* Reads the return addresses of a user_stack record, as tsh_decoder_stack. The addresses are those
 * of the process *ret_tgid. */
size_t tsh_decoder_user_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, int *ret_tgid, uint64_t *ret,
			      size_t max);
/* Finds the address of a symbol. Returns false when none has that name. */
bool tsh_decoder_symbol_address(struct tsh_decoder *d, const char *name, uint64_t *ret);
/* Finds the address and the size of a symbol (0: unknown). Returns false when none has
 * that name. */
bool tsh_decoder_symbol_range(struct tsh_decoder *d, const char *name, uint64_t *ret_address,
			      uint64_t *ret_size);
/* Finds the address and the size (0: unknown) of the symbol that an address lies in. Returns false
 * when there is none. */
bool tsh_decoder_code_range(struct tsh_decoder *d, uint64_t address, uint64_t *ret_address,
			    uint64_t *ret_size);

/* ---- values of fields ---- */

enum tsh_field_value_kind { TSH_VALUE_SIGNED, TSH_VALUE_UNSIGNED, TSH_VALUE_POINTER,
			    TSH_VALUE_STRING, TSH_VALUE_ARRAY, TSH_VALUE_MISSING };
struct tsh_field_value {
	enum tsh_field_value_kind kind;
	int64_t s;
	uint64_t u;
	const char *bytes;		/* of a STRING or an ARRAY; borrowed from the record */
	/* in bytes; a STRING is counted without a NUL, and need not end in one */
	size_t len;
};

/*
 * Reads the value of a field, and checks every bound against the record's size. A number, or a
 * dynamic field, that is not entirely in the record is MISSING; of an array or a char[N] the value
 * is what the record has. SIGNED sets u too.
 */
void tsh_decoder_value(const struct tsh_decoder *d, const struct tsh_field *field,
		       const struct tsh_record *rec, struct tsh_field_value *ret);
/* Returns element i of an ARRAY value; false at its end. */
bool tsh_decoder_element(const struct tsh_decoder *d, const struct tsh_field *field,
			 const struct tsh_field_value *value, size_t i,
			 struct tsh_field_value *ret);

#endif
