/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_AGGREGATE_INTERNAL_H
#define TRACESH_ENGINE_AGGREGATE_INTERNAL_H

/* Between aggregate.c, keys.c (the clauses), read.c (events), rows.c (texts of keys), print.c, and the
 * engines that stand above: src/engine/pair/pair.h, src/engine/histtrigger/count.h. */

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
	BY_PLAIN, BY_EVENT,		/* EVENT: the event itself, nothing was asked for */
	BY_LOG2, BY_LINEAR, BY_SYM, BY_SYM_OFFSET, BY_SYSCALL, BY_HEX,
	BY_STACK,			/* how it came to the event */
};

/* How an event's own text has a key that is a field. */
struct by_text {
	const struct tsh_event_format *format;
	struct tsh_field_text *text;
};

/* Where an event has a key that is a plain integer field. */
struct by_place {
	unsigned int age;		/* of the formats that it is of; 0: not looked at */
	bool is_loaded;			/* the number stands at .offset */
	bool is_plain;			/* and is the key, too */
	bool is_signed;
	uint8_t size;
	uint32_t offset;
	const struct tsh_field_text *text;	/* NULL: it is no field there */
};

/* Keeps what a number of a text is as a key, because to make the text takes long. */
#define BY_SHOWN 4096		/* by the number and the text; the last one stays */
struct by_shown {
	const struct tsh_field_text *text;
	uint64_t number;
	struct tsh_tally_part part;
};

/* A key, or a value that is summed up. */
struct by_item {
	char *title;
	size_t len;			/* of the title without the modifier */
	struct tsh_span span;		/* in the line */
	struct tsh_query *value;	/* NULL: BY_EVENT */
	enum by_modifier modifier;
	uint64_t width;			/* of LINEAR */
	const char *column;		/* of a value: its column; NULL: by_value_names */
	bool is_pointer, has_text;	/* what it was in the events until now */
	bool is_compared;		/* with that of another event: by its number, whatever that is called */
	bool is_learned;		/* .text is of an event that another was made of */
	TSH_VEC(struct by_place) places;	/* by the ids of events */
	TSH_VEC(struct by_text) texts;	/* of a plain one, by events */
	const struct tsh_field_text *text;	/* by which its numbers are shown; or NULL */
	struct by_shown *shown;		/* NULL: nothing was */
	enum tsh_query_jiffies jiffies;
	unsigned int hz;		/* of jiffies; 0: not known */
};

#define BY_VALUES 4
extern const char *const by_value_names[BY_VALUES];	/* sum, avg, min, max */

/* What was counted of a row in the seconds of the last minute. */
#define BY_SECONDS 60
struct by_minute {
	uint32_t v[BY_SECONDS];
	uint64_t before;		/* its count at the last look */
};

/* Of code: the function that an address is in. */
#define BY_SYMBOLS 1024
struct by_symbol {
	uint64_t address, begin;
};

/* Holds since when no CPU has given up events, for the rates of what is left of their buffers. */
struct by_window {
	bool is_on;
	struct tsh_cpuset seen, cut;	/* CPUs: of which there was an event; whose older ones were given up */
	TSH_VEC(uint64_t) before;	/* by rows: what was counted before it */
	uint64_t other, counted;	/* the same of the row for what found no room, and of all */
};

struct by_latency;
struct by_kernel;
struct by_heat;
struct by_stacks;

/* A number of a row behind its keys: its name, and what appends it in the format of the output, if there is one. */
struct by_cell {
	const char *name;
	void (*add)(const struct tsh_by *by, size_t row, size_t which, struct tsh_strbuf *to);
	size_t which;
};
#define BY_CELLS 9

/* Does in its own way what hist does with the events that come; NULL: as hist does. */
struct by_engine {
	const char *type;		/* of its rows, in JSON */
	size_t values;			/* that its rows have beside those of the call */
	bool asks_tasks;		/* it asks itself whether an event is of a task that is traced */
	void (*free)(struct tsh_by *by);
	/* A stream begins that opt is of: sets event and lost of the stage. */
	void (*begin)(struct tsh_by *by, const struct tsh_stream_options *opt);
	/* The decoder goes. */
	void (*forget)(struct tsh_by *by);
	/* Brings the rows up to date before they are shown. */
	int (*read)(struct tsh_by *by, struct tsh_err *err);
	/* Shows `top` rows; last: it is the end. */
	void (*show)(struct tsh_by *by, uint64_t top, bool last);
	/* Gives the cells of a row; returns how many. */
	size_t (*cells)(const struct tsh_by *by, struct by_cell ret[BY_CELLS]);
	/* Adds members behind those, in JSON. */
	void (*add_json)(const struct tsh_by *by, size_t row, struct tsh_json *js);
	/* Says below the last rows what became of the events, and what was lost. */
	void (*account)(struct tsh_by *by, const struct tsh_stream_summary *sum);
	/* Says what there is to know of its rows. */
	void (*note)(const struct tsh_by *by);
	/* Says whether it prints lines while it runs; whether it has what it waited for. */
	bool (*prints)(const struct tsh_by *by);
	bool (*done)(const struct tsh_by *by);
	/* Say whether names of tasks decide what it counts, and whether it shows them, beside the keys. */
	bool (*asks_for_names)(const struct tsh_by *by);
	bool (*needs_names)(const struct tsh_by *by);
	bool (*lacks_filter)(const struct tsh_by *by, const struct tsh_event *event);
	/* As struct tsh_by_ops; NULL: its rows are no pairs. */
	void (*note_gaps)(struct tsh_session *s, const struct tsh_call *call);
	/* Gives how many of its times are in that bucket of log2. */
	uint64_t (*in_bucket)(const struct tsh_by *by, unsigned int bucket);
	/* Appends a stack that it has itself as a key. */
	void (*add_stack)(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to);
};

struct tsh_by {
	const struct by_engine *engine;	/* never NULL */
	bool rates;			/* count: how many a second */
	struct by_latency *latency;	/* of the engine of pairs; or NULL */
	struct by_kernel *kernel;	/* of that of --in-kernel; or NULL */
	struct by_heat *heat;		/* --heat: what it has drawn; or NULL */
	struct by_stacks *stacks;	/* of a stream that has them as a key; or NULL */
	struct by_item keys[TSH_TALLY_PARTS_MAX];
	size_t nkeys;
	struct by_item values[BY_VALUES];
	unsigned int kinds[BY_VALUES];	/* of by_value_names */
	size_t nvalues;
	const char *count_column;	/* what the count is called; NULL: "count" */
	bool are_times;			/* the values, in ns: profile */
	uint64_t top;			/* 0: all */
	uint64_t every;			/* ns; 0: at the end */
	size_t size;
	const struct tsh_events *only;	/* --here: no others; else NULL */
	/* of the present stream */
	struct tsh_stage stage;		/* at the end of it */
	struct tsh_tally *tally;
	struct tsh_decoder *decoder;
	const struct tsh_page_layout *layout;
	const struct tsh_clock *clock;
	struct tsh_out *out;
	unsigned int age;		/* of the formats, from 1 on */
	bool is_live, has_before;
	bool needs_all;			/* tsh_by_needs_all */
	struct by_calls *calls;		/* whose numbers of system calls are; NULL: there were none */
	bool has_syscalls;		/* its numbers are those of this machine */
	uint64_t before;		/* events up to there are not counted */
	uint64_t recorded_ns;		/* so long a recording was made; 0: not known */
	uint64_t counted;
	struct by_window window;
	uint64_t without;		/* events that lack a key */
	uint64_t older, others;		/* not counted */
	uint64_t first, last;		/* stamps */
	struct tsh_strbuf text;		/* scratch */
	struct by_symbol symbols[BY_SYMBOLS];
	TSH_VEC(struct by_place) wanted;	/* by ids: .is_plain: it is one of `only` */
	/* of showing it */
	bool redraws;
	unsigned int rows;		/* of the last time, above the cursor */
	int64_t began, shown, next;	/* CLOCK_MONOTONIC */
	uint64_t tables, round_ns;	/* how many were shown; when, since it began, this one is */
	uint64_t rate_ns;		/* of what time its rates are */
	TSH_VEC(struct by_minute) minutes;	/* by rows */
	size_t second;			/* the place in them of the last */
};

/* ---- keys.c ---- */
/* The expression between begin and end of a clause; what needs a number says so, else NULL. */
int by_read_item(struct tsh_session *s, const struct tsh_call *call,
		 const struct tsh_value *clause, size_t begin, size_t end, const char *what,
		 struct by_item *item, struct tsh_err *err);
/* The keys of a clause, behind those that there are. */
int by_read_keys(struct tsh_session *s, struct tsh_call *call, const struct tsh_value *clause,
		 struct tsh_err *err);
int by_read_values(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* ---- aggregate.c ---- */
/* Begins what a call counts, as call->by, with the options that it has. -1 with err, which blames one. */
int by_new(struct tsh_call *call, const struct by_engine *engine, struct tsh_err *err);
/* -1 with err: the call has what is for events to come, and they are there. */
int by_check_coming(const struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);
/* What its rows are called in JSON. */
static inline const char *by_type(const struct tsh_by *by)
{
	return by->engine->type ? by->engine->type : by->are_times ? "profile" : by->rates ? "count" : "hist";
}
/* Says whether each row has the time of its table: of several in CSV nothing else tells them apart. */
static inline bool by_has_seconds(const struct tsh_by *by)
{
	return by->every && by->out->format == TSH_FORMAT_CSV;
}
/* Says whether numbers are printed as they are, without units. */
static inline bool by_is_for_machines(const struct tsh_by *by)
{
	return by->out->format == TSH_FORMAT_CSV || by->out->format == TSH_FORMAT_JSON;
}
void by_forget_item(struct by_item *item);
void by_free_item(struct by_item *item);
/* Takes note of an event that is not counted. */
void by_see(struct tsh_by *by, const struct tsh_record *rec);

/* What the columns of the count and of a value are called. */
static inline const char *by_count_column(const struct tsh_by *by)
{
	return by->count_column ? by->count_column : "count";
}
static inline const char *by_value_column(const struct tsh_by *by, size_t value)
{
	return by->values[value].column ? by->values[value].column : by_value_names[by->kinds[value]];
}

/* ---- read.c ---- */
static inline struct tsh_field_value by_number_value(uint64_t number, bool is_signed)
{
	return (struct tsh_field_value){ .kind = is_signed ? TSH_VALUE_SIGNED : TSH_VALUE_UNSIGNED,
					 .s = (int64_t)number, .u = number };
}
/* False: the record is too short. */
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
/* Gives how a field of an event is shown, and from then on the numbers of the key: as they stand, if any event has
 * them so. */
const struct tsh_field_text *by_text_of(struct tsh_by *by, struct by_item *item,
					const struct tsh_event_format *format,
					const struct tsh_field *field);
/* Says whether a number of the key is what a text has for it. */
static inline bool by_is_shown(const struct by_item *key, const struct tsh_field_text *text)
{
	return key->modifier == BY_PLAIN && !key->hz && !key->is_compared && text && tsh_field_text_is_own(text);
}
/* Gives what such a number is as a key: its text, unless that is the number. */
struct tsh_tally_part by_shown_part(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
				    const struct tsh_field_text *text, uint64_t number, bool is_signed);
/* The number of a plain field that was looked at before. False: by_part_of finds out. */
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
/* What a record has as a key; a text is one of `texts`. False: nothing. */
bool by_part_of(struct tsh_by *by, struct by_item *key, struct tsh_tally *texts,
		const struct tsh_record *rec, unsigned int id, struct tsh_tally_part *ret);
/* Where the function begins that an address is in: one row for all of them. */
uint64_t by_begin_of(struct tsh_by *by, uint64_t address);
/* What a number is as a key. */
struct tsh_tally_part by_number_part(struct tsh_by *by, const struct by_item *key, uint64_t number,
				     bool is_signed);
/* What belongs to the stage of a by. */
static inline struct tsh_by *by_of(struct tsh_stage *stage)
{
	return (struct tsh_by *)(void *)((char *)stage - offsetof(struct tsh_by, stage));
}
bool by_event(struct tsh_consumer *to, const struct tsh_record *rec, bool late);

/* ---- syscalls.c ---- */
/* The part that stands for a system call: its number, and whose. */
uint64_t by_call_part(struct tsh_by *by, const struct tsh_record *rec, unsigned int id, uint64_t number);
/* "write", "write (32-bit)"; "?4": nobody knows whose number it is. */
void by_add_call(const struct tsh_by *by, uint64_t part, struct tsh_strbuf *to);
/* Events of such. */
uint64_t by_calls_unknown(const struct by_calls *calls);
void by_calls_free(struct by_calls *calls);

/* ---- stacks.c ---- */
/* Gives the stage that brings the events together with their stacks; NULL: no key is one that is to come with them. */
struct tsh_stage *by_stacks_stage(struct tsh_by *by);
/* Says whether one of the keys is the stack; whether that is to come with the events. */
bool by_has_stack(const struct tsh_by *by);
bool by_needs_stacks(const struct tsh_by *by);
/* The stack of the event that is given on just now. False: it has none. */
bool by_stack_part(struct tsh_by *by, struct tsh_tally_part *ret);
/* A stack: its functions, the innermost first, with that between them. */
#define BY_FRAME_BETWEEN " <- "
void by_add_stack(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to);
/* NULL is fine. */
void by_stacks_free(struct by_stacks *stacks);

/* ---- window.c ---- */
void by_window_begin(struct tsh_by *by, const struct tsh_instance *in);
/* Events of that CPU are missing before those that come next. */
void by_window_lose(struct tsh_by *by, int cpu);
/* Takes note of an event, counted or not. */
void by_window_see(struct tsh_by *by, const struct tsh_record *rec);
/* Gives how many of a row were counted before it. */
uint64_t by_window_before(const struct tsh_by *by, size_t row);
void by_window_release(struct by_window *window);

/* ---- rows.c ---- */
bool by_is_bucket(const struct by_item *key);
/* The range of a part of such a key. */
void by_range(const struct by_item *key, struct tsh_tally_part part,
	      struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high);
/* Appends it: "4 -> 7", "below 0". */
void by_add_range(const struct by_item *key, struct tsh_tally_part part, struct tsh_strbuf *to);
void by_add_number(struct tsh_tally_number n, struct tsh_strbuf *to);
/* Says whether what stands for it is always a number. */
bool by_is_number(const struct by_item *key);
/* What stands for a part, not sanitized: "4 -> 7", "schedule". */
void by_add_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		 struct tsh_tally_part part, struct tsh_strbuf *to);
/* For a key of a row. */
void by_add_key(const struct tsh_by *by, size_t row, size_t key, struct tsh_strbuf *to);
/* The value of a row as text; empty where no event had it. */
void by_add_value(const struct tsh_by *by, size_t row, size_t value, struct tsh_strbuf *to);
/* The same of ns, as "1.5ms". */
void by_add_time(const struct tsh_by *by, size_t row, size_t value, struct tsh_strbuf *to);
#define BY_NO_RATE (-1.0)
/* How many a second; of what was recorded by its own time. ns: since the last time. BY_NO_RATE: not known. */
double by_rate(const struct tsh_by *by, size_t row, uint64_t ns);
/* Adds `unknown` for one that is not known. */
void by_add_rate(struct tsh_strbuf *to, double rate, const char *unknown);
/* The rows as they are shown, as tsh_tally_order. */
size_t *by_order(const struct tsh_by *by, size_t *ret_n);

/* ---- json.c ---- */
void by_json_range(struct tsh_json *js, struct tsh_tally_number low, struct tsh_tally_number high);
/* A member "TITLE": VALUE. */
void by_json_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		  struct tsh_tally_part part, struct tsh_json *js);
void by_json_key(const struct tsh_by *by, struct tsh_json *js, size_t row, size_t key);
/* An object of all of them, null of what found no room. */
void by_json_keys(const struct tsh_by *by, struct tsh_json *js, size_t row);
/* Behind the rows of --every; ns: since the begin. */
void by_json_round(const struct tsh_by *by, uint64_t ns);

/* ---- table.c ---- */
/* Shows these rows, and that of what found no room, in the format of the output. */
void by_show_table(const struct tsh_by *by, const size_t *rows, size_t n);

/* ---- groups.c ---- */
/* In text the histograms, in JSON the percentiles that stand below them. */
void by_show_groups(struct tsh_by *by, bool fits);

/* ---- heat.c ---- */
/* --heat of a call, into by->heat, when its keys can be drawn. -1 with err. */
int by_heat_resolve(struct tsh_by *by, const struct tsh_call *call, struct tsh_err *err);
/* A stream begins; there is a heat. */
void by_heat_begin(struct tsh_by *by);
/* Draws what came since the line before; last: it is the end. */
void by_heat_line(struct tsh_by *by, bool last);
/* NULL is fine. */
void by_heat_free(struct by_heat *heat);

/* ---- print.c ---- */
/* Shows what there is. ns: since the last time; last: it is the end. */
void by_show(struct tsh_by *by, uint64_t ns, bool last);
/* The stream is over: shows the rows for the last time. What the kernel has counted is in its sum then. */
void by_show_last(struct tsh_by *by);

/* Says whether it has to see each event, those that do not count too. */
static inline bool by_item_needs_all(const struct by_item *item)
{
	return item->value && tsh_query_needs_all(item->value);
}

#endif
