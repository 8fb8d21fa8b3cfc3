/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_AGGREGATE_INTERNAL_H
#define TRACESH_ENGINE_AGGREGATE_INTERNAL_H

/*
 * Declares what the files of this room and the engines above it share. aggregate.c handles the
 * stream, parse.c the words of the user, read.c the events, rows.c the texts of keys; print.c shows
 * the rows. The engines above are src/engine/pair/pair.h and src/engine/histtrigger/count.h.
 */

#include <string.h>

#include "aggregate.h"
#include "base/json.h"
#include "base/number.h"
#include "base/vec.h"
#include "engine/tally/tally.h"
#include "events/decode/decode.h"
#include "events/decode/field-text.h"
#include "query/query.h"

enum by_modifier {
	BY_PLAIN, BY_EVENT,		/* EVENT: the event itself, where no key is named */
	BY_LOG2, BY_LINEAR, BY_SYM, BY_SYM_OFFSET, BY_SYSCALL, BY_HEX,
	BY_STACK,			/* the kernel stack of the event */
};

/* Holds the printer of a key's field for one event, which prints it as the event's text does. */
struct by_text {
	const struct tsh_event_format *format;
	struct tsh_field_text *text;
};

/* Caches where an item, if it is a plain integer field, lies in the records of one event. */
struct by_place {
	unsigned int age;		/* age of the formats when it was filled in; 0: never */
	bool is_loaded;			/* the field can be loaded from .offset */
	/* the loaded number is the part of the key, without a text */
	bool is_plain;
	bool is_signed;
	uint8_t size;
	uint32_t offset;
	/* printer of the field; NULL: the item is no field of this event */
	const struct tsh_field_text *text;
};

/* Caches the key that a number with a text becomes: making the text takes long. */
#define BY_SHOWN 4096		/* entries, hashed by number and text */
struct by_shown {
	const struct tsh_field_text *text;
	uint64_t number;
	struct tsh_tally_part part;
};

/*
 * A key, or a value that is summed up: an expression with a modifier. Zeroed memory is an empty
 * one.
 */
struct by_item {
	char *title;
	size_t len;			/* bytes of the title without the modifier */
	struct tsh_span span;		/* place of its text in the command line */
	struct tsh_query *value;	/* NULL: BY_EVENT */
	enum by_modifier modifier;
	uint64_t width;			/* of BY_LINEAR */
	/* name of its column; NULL: the title of a key, one of by_value_names for a value */
	char *column;
	bool is_pointer, has_text;	/* found in events up to now */
	/* compared with the key of another event, by number, not by text */
	bool is_compared;
	/* .text is of START or END, from which the kernel has made the event that is counted */
	bool has_pair_text;
	TSH_VEC(struct by_place) places;	/* indexed by ids of events */
	TSH_VEC(struct by_text) texts;	/* of a plain field, one for each event */
	const struct tsh_field_text *text;	/* shows its numbers; or NULL */
	struct by_shown *shown;		/* BY_SHOWN entries; or NULL */
	enum tsh_query_jiffies jiffies;
	unsigned int hz;		/* jiffies a second; 0: it is no time in jiffies */
};

#define BY_VALUES 4
extern const char *const by_value_names[BY_VALUES];	/* sum, avg, min, max */

/* Counts the events of a row in each second of the last minute. */
#define BY_SECONDS 60
struct by_minute {
	uint32_t v[BY_SECONDS];
	uint64_t before;		/* the row's count when the last second ended */
};

/* Caches where the function begins that an address is in. */
#define BY_SYMBOLS 1024
struct by_symbol {
	uint64_t address, begin;
};

/* Holds the counts of events from before the time at which each CPU has events. Rates exclude these
 * events. */
struct by_window {
	bool is_on;
	/* CPUs that had an event; CPUs whose older events were lost */
	struct tsh_cpuset seen, cut;
	TSH_VEC(uint64_t) before;	/* indexed by rows: events from before that time */
	/* the same for the row `other`, and for all rows together */
	uint64_t other, counted;
};

/*
 * Describes what is counted, for hist, count, profile and sql. For latency, describes the keys that
 * group the pairs. Parsers fill it in; the code that counts, in tracesh or by the kernel, reads
 * only this. Zeroed memory is an empty spec.
 */
struct count_spec {
	const struct tsh_events *events;	/* borrowed; .n 0: those in the buffer already */
	bool only;			/* other events of the stream are not counted */
	struct by_item keys[TSH_TALLY_PARTS_MAX];
	size_t nkeys;
	struct by_item values[BY_VALUES];
	unsigned int kinds[BY_VALUES];	/* of by_value_names */
	size_t nvalues;
	char *count_column;		/* name of the count's column; NULL: "count" */
	bool rates;			/* shows events a second, too (count) */
	bool are_times;			/* values are times in ns (profile) */
	bool are_pairs;			/* rows are of pairs (latency) */
	bool has_heat;			/* draws a heat map (--heat) */
	uint64_t top;			/* rows that are shown; 0: all */
	uint64_t every;			/* ns; 0: at the end */
	size_t size;			/* keys at most; 0: the usual limit */
};

/* Returns item i of a spec, first the keys, then the values; NULL after the last. */
#define count_spec_item(spec, i) \
	((i) < (spec)->nkeys ? &(spec)->keys[i] : \
	 (i) - (spec)->nkeys < (spec)->nvalues ? &(spec)->values[(i) - (spec)->nkeys] : NULL)
/* Returns how many keys are counted apart at most. */
static inline size_t count_spec_size(const struct count_spec *spec)
{
	return spec->size ? spec->size : 65536;
}

struct by_latency;
struct by_kernel;
struct by_heat;
struct by_stacks;

/* Describes a number behind the keys of a row: the name of its column, and a function that appends
 * it in the output's format. The function appends nothing if the row has no such number. */
struct by_cell {
	const char *name;
	void (*add)(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to);
	size_t which;
};
#define BY_CELLS 9

/* Holds the functions by which latency and the kernel's histograms replace those of hist. Each may
 * be NULL: hist's own is used. */
struct by_engine {
	const char *type;		/* "type" of its rows in JSON */
	size_t values;			/* sums in a row besides those of the spec */
	void (*free)(struct tsh_by *by);
	/* Is called when a stream with these options begins. Sets .event and .lost of the stage. */
	void (*begin)(struct tsh_by *by, const struct tsh_stream_options *opt);
	/* Frees data that depends on the decoder. Is called before the decoder is freed. */
	void (*forget)(struct tsh_by *by);
	/* Brings the rows up to date before they are shown. */
	int (*read)(struct tsh_by *by, struct tsh_err *err);
	/* Shows `top` rows (0: all); last: for the last time. */
	void (*show)(struct tsh_by *by, uint64_t top, bool last);
	/* Fills in the numbers of a row; returns how many. */
	size_t (*cells)(const struct tsh_by *by, struct by_cell ret[BY_CELLS]);
	/* Appends members behind the numbers in JSON. */
	void (*add_json)(const struct tsh_by *by, size_t row, struct tsh_json *js);
	/* Prints below the last rows what became of the events, and what was lost. */
	void (*account)(struct tsh_by *by, const struct tsh_stream_summary *sum);
	/* Prints notes about its rows. */
	void (*note)(const struct tsh_by *by);
	/* Say whether the engine prints lines before the stream ends, and whether it has all events
	 * that it needs. */
	bool (*prints)(const struct tsh_by *by);
	bool (*done)(const struct tsh_by *by);
	/*
	 * Say whether names of tasks decide what is counted, and whether they are shown, apart from
	 * the keys.
	 */
	bool (*asks_for_names)(const struct tsh_by *by);
	bool (*needs_names)(const struct tsh_by *by);
	bool (*lacks_filter)(const struct tsh_by *by, const struct tsh_event *event);
	/* Warns of filters, set before the call, that exclude events which the pairs need
	 * (.note_gaps of struct tsh_counter_ops); NULL: the rows are not of pairs. */
	void (*note_gaps)(struct tsh_session *s, const struct tsh_call *call);
	/* Returns how many of its times are in that bucket of powers of two. */
	uint64_t (*in_bucket)(const struct tsh_by *by, unsigned int bucket);
	/* Appends the text of a stack that the engine holds itself. */
	void (*add_stack)(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to);
};

struct tsh_by {
	struct tsh_counter counter;	/* the first member */
	const struct by_engine *engine;	/* never NULL */
	struct count_spec spec;
	struct by_latency *latency;	/* of latency_engine; or NULL */
	struct by_kernel *kernel;	/* of by_kernel_engine; or NULL */
	/* for the present stream */
	uint64_t every;			/* ns; 0: at the end */
	struct by_heat *heat;		/* of --heat; or NULL */
	struct by_stacks *stacks;	/* if the stack is a key; or NULL */
	struct tsh_stage stage;		/* the sink of the stream */
	struct tsh_tally *tally;
	struct tsh_decoder *decoder;
	const struct tsh_page_layout *layout;
	const struct tsh_clock *clock;
	struct tsh_out *out;
	/* generation of the formats: 1, and one more at each renewal */
	unsigned int age;
	bool is_live, has_before;
	bool needs_all;			/* sees events that are not counted, too */
	struct by_syscall_tasks *tasks;	/* programs of tasks, for BY_SYSCALL; NULL: none yet */
	bool has_syscalls;		/* system calls have the numbers of this machine */
	uint64_t before;		/* events up to this stamp are not counted */
	uint64_t recorded_ns;		/* time that was recorded; 0: not known */
	uint64_t counted;
	struct by_window window;
	uint64_t without;		/* events that lack a key */
	/* not counted: events older than the command; events not in the spec */
	uint64_t older, others;
	uint64_t first, last;		/* stamps of counted events */
	struct tsh_strbuf text;		/* scratch */
	struct by_symbol symbols[BY_SYMBOLS];
	TSH_VEC(struct by_place) wanted;	/* indexed by ids; .is_plain: in the spec */
	/* state of the display */
	bool redraws;
	unsigned int rows;		/* lines above the cursor from the last time */
	int64_t began, shown, next;	/* CLOCK_MONOTONIC */
	uint64_t tables, round_ns;	/* tables that were shown; ns from the begin to this one */
	uint64_t rate_ns;		/* time that the rates are of */
	TSH_VEC(struct by_minute) minutes;	/* indexed by rows */
	size_t second;			/* seconds counted up to now */
};

/* ---- parse.c: parses words into a spec; returns -1 with err, which blames a place in them ---- */
/* Parses --top, --every, --size and --here. */
int count_parse_options(const struct tsh_call *call, struct count_spec *spec, struct tsh_err *err);
/* Parses --heat. To be called after the keys are parsed. */
int count_parse_heat(const struct tsh_call *call, struct count_spec *spec, struct tsh_err *err);
/*
 * Parses the expression between the offsets begin and end of a clause, and checks that events of
 * the call have its names. what: the modifier or value that needs a number, for messages; NULL: a
 * string is allowed too.
 */
int count_parse_item(struct tsh_session *s, const struct tsh_call *call, const struct tsh_value *clause, size_t begin,
		     size_t end, const char *what, struct by_item *item, struct tsh_err *err);
/* Parses the keys of a clause, and appends them to spec->keys. */
int count_parse_keys(struct tsh_session *s, const struct tsh_call *call, const struct tsh_value *clause,
		     struct count_spec *spec, struct tsh_err *err);
/* Parses the clause of the value `name` (one of by_value_names), and appends the value to
 * spec->values. */
int count_parse_value(struct tsh_session *s, const struct tsh_call *call, const char *name,
		      const struct tsh_value *clause, struct count_spec *spec, struct tsh_err *err);
/* Appends a spec in words: " by next_comm,prev_state sum prev_prio". */
void count_spec_append(const struct count_spec *spec, struct tsh_strbuf *to);
/* Makes the event the only key. */
static inline void count_spec_use_event(struct count_spec *spec)
{
	spec->keys[0] = (struct by_item){ .title = tsh_xstrdup("event"), .modifier = BY_EVENT };
	spec->nkeys = 1;
}
/* Refuses options that are only for new events, if the call reads events that were recorded before
 * it. */
int count_check_new_events(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

/* ---- aggregate.c ---- */
/* Adds a struct tsh_by to the call, which counts the call's events. The call owns it. engine NULL:
 * that of hist. Returns its spec, which is empty but for .events. */
struct count_spec *by_add_to_call(struct tsh_call *call, const struct by_engine *engine);
/* Returns the "type" of its rows in JSON. */
static inline const char *by_type(const struct tsh_by *by)
{
	return by->engine->type ? by->engine->type : by->spec.are_times ? "profile" : by->spec.rates ? "count" : "hist";
}
/* Says whether each row begins with the time of its table. CSV has one header for all tables of
 * --every, so that only this column separates them. */
static inline bool by_has_seconds(const struct tsh_by *by)
{
	return by->every && by->out->format == TSH_FORMAT_CSV;
}
/* Says whether numbers are printed as they are, without units. */
static inline bool by_is_for_machines(const struct tsh_by *by)
{
	return by->out->format == TSH_FORMAT_CSV || by->out->format == TSH_FORMAT_JSON;
}
/* Drops what was bound to the decoder's formats; the item can be bound again. */
void by_item_release(struct by_item *item);
void by_free_item(struct by_item *item);
/* Shows an event, counted or not, to the window and to the items that need all events (delta). */
void by_observe(struct tsh_by *by, const struct tsh_record *rec);

/* Return the names of the columns of the count, of a key and of a value. */
static inline const char *by_count_column(const struct tsh_by *by)
{
	return by->spec.count_column ? by->spec.count_column : "count";
}
static inline const char *by_key_column(const struct by_item *key)
{
	return key->column ? key->column : key->title;
}
static inline const char *by_value_column(const struct tsh_by *by, size_t value)
{
	return by->spec.values[value].column ? by->spec.values[value].column : by_value_names[by->spec.kinds[value]];
}

/* ---- read.c ---- */
static inline struct tsh_field_value by_number_value(uint64_t number, bool is_signed)
{
	return (struct tsh_field_value){ .kind = is_signed ? TSH_VALUE_SIGNED : TSH_VALUE_UNSIGNED,
					 .s = (int64_t)number, .u = number };
}
/* Loads the number of a plain field. Returns false if the record is too short. */
static inline bool by_load_plain(const struct by_place *place, const struct tsh_record *rec,
				 uint64_t *ret)
{
	const unsigned char *from = rec->data + place->offset;
	uint16_t u16;
	uint32_t u32;

	if (place->offset > rec->size || rec->size - place->offset < place->size)
		return false;
	switch (place->size) {
	case 1:
		*ret = place->is_signed ? (uint64_t)(int64_t)(int8_t)*from : *from;
		return true;
	case 2:
		memcpy(&u16, from, sizeof(u16));
		*ret = place->is_signed ? (uint64_t)(int64_t)(int16_t)u16 : u16;
		return true;
	case 4:
		memcpy(&u32, from, sizeof(u32));
		*ret = place->is_signed ? (uint64_t)(int64_t)(int32_t)u32 : u32;
		return true;
	default:
		memcpy(ret, from, sizeof(*ret));
		return true;
	}
}
/*
 * Returns the printer for a field of an event, and makes it at the first call. From then on,
 * numbers of the item are printed by it, or as plain numbers if the field of another event has no
 * names for them.
 */
const struct tsh_field_text *by_text_of(struct tsh_by *by, struct by_item *item,
					const struct tsh_event_format *format,
					const struct tsh_field *field);
/* Says whether a number of the key is counted by its text. */
static inline bool by_is_shown(const struct by_item *key, const struct tsh_field_text *text)
{
	return key->modifier == BY_PLAIN && !key->hz && !key->is_compared && text && tsh_field_text_is_own(text);
}
/* Returns such a number as a part of a key: its text, or a number if that text is a number. */
struct tsh_tally_part by_shown_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
				    const struct tsh_field_text *text, uint64_t number, bool is_signed);
/* Reads the part of a key from a plain field whose place is known. Returns false if it is not: the
 * caller then uses by_part_of. */
static inline bool by_plain_part(const struct tsh_by *by, const struct by_item *key,
				 const struct tsh_record *rec, unsigned int id,
				 struct tsh_tally_part *ret)
{
	const struct by_place *place = id < key->places.n ? &key->places.v[id] : NULL;

	if (!place || place->age != by->age || !place->is_plain || key->modifier != BY_PLAIN)
		return false;
	ret->kind = place->is_signed ? TSH_TALLY_SIGNED : TSH_TALLY_UNSIGNED;
	return by_load_plain(place, rec, &ret->number);
}
/* Reads a part of a key from a record. Stores texts in `texts`. Returns false if the record has no
 * such part. */
bool by_part_of(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
		const struct tsh_record *rec, unsigned int id, struct tsh_tally_part *ret);
/* Returns where the function of an address begins, so that a function is one row. */
uint64_t by_begin_of(struct tsh_by *by, uint64_t address);
/* Returns a number as a part of a key, by the key's modifier. */
struct tsh_tally_part by_number_part(struct tsh_by *by, const struct by_item *key, uint64_t number,
				     bool is_signed);
/* Returns the struct tsh_by that a stage is in. */
static inline struct tsh_by *by_of(struct tsh_stage *stage)
{
	return (struct tsh_by *)(void *)((char *)stage - offsetof(struct tsh_by, stage));
}
bool by_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late);

/* ---- syscalls.c ---- */
/* Returns the part for a system call: its number, and the table that the number is of. */
uint64_t by_syscall_part(struct tsh_by *by, const struct tsh_record *rec, unsigned int id, uint64_t number);
/*
 * Appends the name of such a part: "write", "write (32-bit)", or "?4 (stat or write)" where the
 * table is not known.
 */
void by_add_syscall(const struct tsh_by *by, uint64_t part, struct tsh_strbuf *to);
/* Returns how many events had a number whose table is not known; NULL: 0. */
uint64_t by_count_unknown_syscalls(const struct by_syscall_tasks *tasks);
void by_syscall_tasks_free(struct by_syscall_tasks *tasks);

/* ---- stacks.c ---- */
/* Returns the stage that attaches stacks to events; NULL: no key needs it. */
struct tsh_stage *by_stacks_stage(struct tsh_by *by);
/*
 * Sets options/stacktrace in an instance of the command's own, if a key is the stack; in another
 * instance checks that it is set (.prepare of struct tsh_counter_ops). Returns 0, or -1 with err.
 */
int by_stacks_prepare(const struct tsh_counter *counter, struct tsh_instance *in, struct tsh_err *err);
/* Say whether one of the keys is the stack, and whether stacks come as events of the stream. */
bool by_has_stack(const struct tsh_by *by);
bool by_needs_stacks(const struct tsh_by *by);
/* Reads the stack of the event that is passed on at present, as a part of a key. Returns false if
 * it has none. */
bool by_stack_part(struct tsh_by *by, struct tsh_tally_part *ret);
/* Appends a stack: its functions, the innermost first, with BY_FRAME_BETWEEN between them. */
#define BY_FRAME_BETWEEN " <- "
void by_add_stack(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to);
/*
 * Returns the next function of such a text, not terminated, and advances *frames; NULL after the
 * last.
 */
const char *by_next_frame(const char **frames, size_t *ret_len);
/* Frees it; NULL is fine. */
void by_stacks_free(struct by_stacks *stacks);

/* ---- window.c ---- */
void by_window_begin(struct tsh_by *by, const struct tsh_instance *in);
/* Notes that events of a CPU are missing before its next one. If the CPU had no event yet, its part
 * of the buffer begins late. */
void by_window_note_loss(struct tsh_by *by, int cpu);
/* Notes the CPU of an event, counted or not. The first event of a CPU whose older events are
 * missing moves the begin of the window. */
void by_window_observe(struct tsh_by *by, const struct tsh_record *rec);
/* Returns how many events of a row were counted before the window. */
uint64_t by_window_before(const struct tsh_by *by, size_t row);
void by_window_release(struct by_window *window);

/* ---- rows.c ---- */
bool by_is_bucket(const struct by_item *key);
/* Sets the lowest and the highest number of the bucket that a part of the key stands for (.log2 or
 * .linear). */
void by_range(const struct by_item *key, struct tsh_tally_part part,
	      struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high);
/* Appends that range: "4 -> 7", "below 0". */
void by_add_range(const struct by_item *key, struct tsh_tally_part part, struct tsh_strbuf *to);
void by_add_number(struct tsh_tally_number n, struct tsh_strbuf *to);
/* Says whether the text of each part of the key is a number. */
bool by_is_number(const struct by_item *key);
/* Appends the text of a part, not sanitized: "4 -> 7", "schedule". */
void by_add_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		 struct tsh_tally_part part, struct tsh_strbuf *to);
/* Does the same for a key of a row. */
void by_add_key(const struct tsh_by *by, size_t row, size_t key, struct tsh_strbuf *to);
/* Appends the value of a row; nothing if no event had it. */
void by_add_value(const struct tsh_by *by, size_t row, size_t value, struct tsh_strbuf *to);
/* Reads the value of a row as a whole number, a negative average as 0. Returns false if no event
 * had it. */
bool by_value_number(const struct tsh_by *by, size_t row, size_t value, struct tsh_tally_number *ret);
#define BY_NO_RATE (-1.0)
/* Returns how many events of a row came per second. ns: the time in which they were counted.
 * BY_NO_RATE: not known. */
double by_rate(const struct tsh_by *by, size_t row, uint64_t ns);
/* Appends a rate; `unknown` if it is not known. */
void by_add_rate(struct tsh_strbuf *to, double rate, const char *unknown);
/* Returns the rows in the order in which they are shown; the caller frees it. */
size_t *by_order(const struct tsh_by *by, size_t *ret_n);

/* ---- json.c ---- */
void by_json_range(struct tsh_json *js, struct tsh_tally_number low, struct tsh_tally_number high);
/* Writes a member "COLUMN": VALUE. */
void by_json_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		  struct tsh_tally_part part, struct tsh_json *js);
/* Writes an object of the first n keys of a row; null for the row `other`. */
void by_json_keys(const struct tsh_by *by, struct tsh_json *js, size_t row, size_t n);
/* Writes the line behind the rows of a round of --every; ns: since the begin. */
void by_json_round(const struct tsh_by *by, uint64_t ns);

/* ---- table.c ---- */
/* Prints these rows, and the row `other` if it has events, in the format of the output. */
void by_show_table(const struct tsh_by *by, const size_t *rows, size_t n);

/* ---- groups.c ---- */
/* Prints the histograms in text, and in JSON the percentiles that stand below them. fits: prints
 * only as many as fit on the screen. */
void by_show_groups(struct tsh_by *by, bool fits);

/* ---- heat.c ---- */
/* Makes by->heat for a stream that begins. */
void by_heat_begin(struct tsh_by *by);
/* Draws a line of what was counted since the last one; last: the stream has ended. */
void by_heat_line(struct tsh_by *by, bool last);
/* Frees it; NULL is fine. */
void by_heat_free(struct by_heat *heat);

/* ---- print.c ---- */
/* Shows the rows. ns: since the last time; last: the stream has ended. */
void by_show(struct tsh_by *by, uint64_t ns, bool last);
/* Prints `top` rows (0: all) in order, and how many are left. */
void by_show_rows(const struct tsh_by *by, uint64_t top);
/* Prints that n rows or groups are left. */
void by_note_more(const struct tsh_by *by, size_t n);
/*
 * Shows the rows for the last time, when the stream has ended, and prints the notes and warnings.
 * Sets the number of events in the stream's summary to the kernel's counts, if the kernel has
 * counted.
 */
void by_show_last(struct tsh_by *by);

/* Says whether the item needs each event, also events that are not counted (delta). */
static inline bool by_item_needs_all(const struct by_item *item)
{
	return item->value && tsh_query_needs_all(item->value);
}

#endif
