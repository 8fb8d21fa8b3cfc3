/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_PAIR_H
#define TRACESH_ENGINE_PAIR_PAIR_H

/*
 * Declares latency: pairs of events, whose durations are counted in the rows of a hist
 * (src/engine/aggregate/aggregate.c). Connects src/cmd/analyse/latency.c (the command), known.c and
 * parse.c (its words), engine.c (pairs), pair.c (durations), slowest.c (single pairs), context.c
 * (events within them), and print.c (tables).
 */

#include "engine/aggregate/internal.h"
#include "engine/tally/pairs.h"
#include "engine/tally/distribution.h"
#include "session/session.h"

/* Names the two events, and indexes arrays of two. */
enum latency_role {
	LATENCY_BEGIN, LATENCY_END, LATENCY_ROLES, LATENCY_NEITHER = LATENCY_ROLES,
	LATENCY_MADE	/* an event that is a pair (--in-kernel) */
};

/* Describes two events that are known to be pairs. */
struct latency_known {
	const char *name;		/* name of the pair; NULL: none */
	const char *begin, *end;	/* "sched:sched_waking" */
	const char *on;			/* the clause `on`, where none is given */
	/* the clause `by` of the name, where the user gives none; or NULL */
	const char *by;
	/* the key of an END whose START is dropped (with the usual `on`); or NULL */
	const char *drops;
	/* an expression that is not 0 in a START whose task ends: such a START is dropped (with the
	 * usual `on`); or NULL */
	const char *ends;
	/* an event whose key is 0 is no START and no END (with the usual `on`) */
	bool no_zero;
	const char *help;
};
extern const struct latency_known latency_known[];	/* ends with an entry without begin */
/* Is a word that can stand for both events; the name of a system call may follow. */
#define LATENCY_SYSCALL "syscall"

/* Holds one pair, for --slower, --worst and --stop-at. */
#define LATENCY_COMM 32
struct latency_pair {
	uint64_t ns;
	uint64_t stamp;			/* of the END */
	int cpu, pid;
	char comm[LATENCY_COMM];
	/* name of the task in a key, if it is not the task of END; or "" */
	char other[LATENCY_COMM];
	/* the START; .with: parts of the row's keys; .cpu -1: not known */
	struct tsh_pairs_begin begin;
	struct tsh_tally_part on[TSH_TALLY_PARTS_MAX];
	/* lines of text of the newest events within the pair; NULL: not asked for */
	char *between;
	/* events within the pair that are older than the lines of .between */
	uint64_t more;
	bool may_be_more;		/* more events within the pair may have been dropped */
};

/* Holds the role of the events with an id. */
struct latency_place {
	unsigned int age;		/* age of the formats when it was filled in; 0: never */
	enum latency_role role;
};

/* Describes which events are pairs, for latency, synth and sql. Parsers fill it in; the code that
 * makes the pairs, in tracesh or by the kernel, reads only this. Zeroed memory is an empty spec. */
struct pair_spec {
	const struct tsh_event *events;	/* START and END; borrowed */
	/* expressions that are equal in the events of a pair */
	struct by_item keys[LATENCY_ROLES][TSH_TALLY_PARTS_MAX];
	size_t nkeys;
	struct by_item drops, ends;	/* as in struct latency_known; .value NULL: none */
	bool no_zero;			/* an event whose first key is 0 is no START and no END */
	bool has_task;			/* a key is a task's number */
	bool is_one;			/* one event is both: first an END, then a START */
	bool same_cpu;			/* the CPU is a key: both are on one CPU */
	bool nests;			/* calls nest: an END is that of the last START */
};

/* Makes the pairs of one stream. Zeroed memory is one that has not begun. */
struct pairing {
	struct pair_spec *spec;
	struct tsh_by *by;		/* reads the keys */
	const struct tsh_event *made;	/* the event that the kernel makes of a pair; or NULL */
	struct tsh_pairs *pairs;
	struct tsh_tally *texts;	/* of the keys */
	TSH_VEC(struct latency_place) places;	/* indexed by ids of events */
	uint64_t no_room;		/* texts that found no room */
};

struct latency_between;
struct by_latency {
	struct pair_spec spec;
	/* the kernel makes an event of each pair, and nothing is counted (synth) */
	bool are_events;
	bool is_filtered;		/* the call has a filter */
	/* indexed by keys of the row: the event that has the key */
	enum latency_role from[TSH_TALLY_PARTS_MAX];
	/* the kernel gets no filter for this event: the filter is for the other event, or tracesh
	 * evaluates it */
	bool lacks_filter[LATENCY_ROLES];
	/* filters that tracesh evaluates, because the kernel would make false pairs with them */
	struct tsh_query *queries[LATENCY_ROLES];
	bool has_slower, has_stop;
	uint64_t slower, stop_at;	/* ns */
	size_t worst_max;		/* number of pairs of --worst; 0: not asked for */
	/* the event that the kernel makes of a pair (--in-kernel); or NULL */
	struct tsh_event *made;
	struct by_item lat;		/* the duration in that event */
	/* formats of START and END, for --in-kernel */
	struct tsh_event_format *formats[LATENCY_ROLES];
	enum tsh_time_style style;
	bool in_ns;			/* times have nine digits */
	/* next_pid, if START or END is sched_switch; .value NULL: switches are not checked */
	struct by_item next_pid;
	enum latency_role switches;	/* the event that is sched_switch */
	/* for the present stream */
	/* indexed by CPUs: 1 + pid of the task that came last; 0: not known */
	TSH_VEC(int64_t) running;
	/* times that a task left a CPU to which it had not come: a sched_switch is missing */
	uint64_t unswitched;
	struct pairing pairing;
	TSH_VEC(struct tsh_distribution) distributions;	/* indexed by rows */
	TSH_VEC(struct latency_pair) worst;	/* a heap, the shortest first */
	struct latency_between *between;	/* events within pairs, for --worst; or NULL */
	struct tsh_time_text time, begin_time;
	uint64_t others;		/* events of tasks that are not traced */
	uint64_t unmatched;		/* pairs that the filter does not let through */
	/* time at which --in-kernel began, CLOCK_MONOTONIC, ns: no START is older */
	int64_t made_since;
	/* impossible pairs that the kernel has made: START is later than END */
	uint64_t backwards;
	uint64_t untimed;		/* pairs whose duration the clock cannot measure */
	bool has_names;			/* names of tasks are shown */
	bool has_titles;		/* the header of pairs in CSV was printed */
	bool with_migrate;		/* the kernel prints five letters of flags */
	bool stopped;
};

/* Returns the state of latency of a call, which must have one. */
static inline struct by_latency *latency_of(const struct tsh_call *call)
{
	return tsh_by_of(call)->latency;
}

/* Is the usual `on`: both events are of one task. */
#define LATENCY_USUAL_ON "common_pid"
static inline bool latency_is_of_task(const struct by_latency *l)
{
	return l->spec.nkeys == 1 && !strcmp(l->spec.keys[LATENCY_BEGIN][0].title, LATENCY_USUAL_ON) &&
	       !strcmp(l->spec.keys[LATENCY_END][0].title, LATENCY_USUAL_ON);
}

/* ---- known.c ---- */
/* Finds both events of a call, as .name_events of struct tsh_cmd. */
int latency_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/*
 * Finds the events that the words before the cursor name, START first, for completion; unknown
 * words are left out.
 */
void latency_events_of(const struct tsh_events *all, const struct tsh_strlist *words,
		       struct tsh_events *ret);
/* Says whether both are the same event. */
bool latency_is_same_event(const struct tsh_event *events);
/* Returns the entry of latency_known for the two events; NULL: there is none. */
const struct latency_known *latency_known_of(const struct tsh_events *events);

/* ---- parse.c ---- */
/* Check that no half of a pair is missing when only some tasks, or only some CPUs, are recorded:
 * the other half could make a false pair. Return 0, or -1 with err, which blames `span`. */
int latency_check_tasks(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
int latency_check_cpus(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
/*
 * Parse filter, keys and options: .prepare of latency, and of synth with its two
 * events. Return 0, or -1 with err.
 */
int latency_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int synth_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void latency_free(struct tsh_by *by);
/* Says whether pairs are right although the kernel filters START by `begin` and END by `end` (NULL:
 * no filter). */
bool latency_may_be_filtered(struct tsh_session *s, const struct tsh_call *call, const char *begin, const char *end);
/* Says whether tracesh evaluates a filter that needs names of tasks. */
bool latency_asks_for_names(const struct tsh_by *by);
/* Implement functions of struct by_engine. */
bool latency_lacks_filter(const struct tsh_by *by, const struct tsh_event *event);
void latency_note_gaps(struct tsh_session *s, const struct tsh_call *call);

/* ---- engine.c ---- */
/* Says whether a key is a task's number, by its name. */
bool pair_names_task(const struct by_item *item);
/* Adds 1 to .nkeys, after the caller has filled in the next key for both events. Sets .has_task. */
void pair_spec_key_done(struct pair_spec *spec);
void pair_spec_release(struct pair_spec *spec);
/* Limits the STARTs that wait for their END, the parts that are stored with each START, and the
 * different texts. */
struct pairing_room {
	size_t starts, with, texts;
};
/* Begins to make the pairs of a stream. Borrows the spec, and by, whose decoder, layout and age it
 * reads. */
void pairing_begin(struct pairing *p, struct pair_spec *spec, struct tsh_by *by, const struct pairing_room *room);
/* Ends the stream, before the decoder is freed; one that has not begun is fine. */
void pairing_release(struct pairing *p);
enum latency_role pairing_find_role(struct pairing *p, unsigned int id);
/* Returns the role of the events of an id. */
static inline enum latency_role pairing_role(struct pairing *p, unsigned int id)
{
	return id < p->places.n && p->places.v[id].age == p->by->age ? p->places.v[id].role : pairing_find_role(p, id);
}
/* Reads a part of a key from an event. Returns false if the event does not have it. */
static inline bool pairing_part(struct pairing *p, struct by_item *key, const struct tsh_record *rec, unsigned int id,
				struct tsh_tally_part *ret)
{
	if (by_plain_part(p->by, key, rec, id, ret))
		return true;
	if (!by_part_of(p->by, key, p->texts, rec, id, ret))
		return false;
	p->no_room += ret->kind == TSH_TALLY_NO_ROOM;
	return ret->kind != TSH_TALLY_NO_ROOM;
}
/* Reads all keys of an event. Returns false if one is missing. */
bool pairing_key(struct pairing *p, enum latency_role role, const struct tsh_record *rec, unsigned int id,
		 struct tsh_tally_part *ret);
/* Says whether a task in the key is traced; true if no key is a task. Tasks that are not traced
 * have only some of their events, which would make false pairs. */
bool pairing_is_traced(const struct pairing *p, const struct tsh_tally_part *key);
/* Ends the pair of a key. Returns true with its START in *ret; false when no START waits, or the
 * pair cannot be trusted. */
bool pairing_end(struct pairing *p, const struct tsh_tally_part *key, uint64_t stamp, struct tsh_pairs_begin *ret);

/* ---- pair.c ---- */
extern const struct by_engine latency_engine;

/* ---- slowest.c ---- */
/* Prints a pair that was just made, if --slower or --stop-at ask for it, and stores it if it is one
 * of --worst. */
void latency_handle_pair(struct tsh_by *by, struct latency_pair *pair);
/* Prints the pairs of --worst, at the end. */
void latency_show_worst(struct tsh_by *by);

/* ---- context.c ---- */
struct latency_between *latency_between_new(struct tsh_by *by);
/* Frees it; NULL is fine. */
void latency_between_free(struct latency_between *b);
/* Stores a copy of an event that may be within a pair. */
void latency_between_add(struct latency_between *b, const struct tsh_record *rec, int pid);
/* Fills in .between, .more and .may_be_more of a pair. The pair owns .between. */
void latency_between_read(struct tsh_by *by, struct latency_pair *pair);

/* ---- print.c ---- */
size_t latency_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS]);
/* Writes how many pairs are in each bucket. */
void latency_add_json(const struct tsh_by *by, size_t row, struct tsh_json *js);
/* Shows rows or a histogram, and at the end --worst (.show). */
void latency_show(struct tsh_by *by, uint64_t top, bool last);
/* Says whether pairs are printed before the stream ends (.prints). */
bool latency_prints(const struct tsh_by *by);
/*
 * Prints what became of the events: in JSON the object before the end, in text the lines below the
 * table.
 */
void latency_account(struct tsh_by *by, const struct tsh_stream_summary *sum);

#endif
