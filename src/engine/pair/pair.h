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
#include "engine/tally/spread.h"
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
	const char *by;			/* the clause `by` of the name, where none is given; or NULL */
	/* the key of an END whose START is dropped (with the usual `on`); or NULL */
	const char *drops;
	const char *ends;		/* not 0 in a START whose task ends, which is dropped (as above); or NULL */
	bool no_zero;			/* an event whose key is 0 is neither (with the usual `on`) */
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
	char other[LATENCY_COMM];	/* name of the task in a key, if that is another task; or "" */
	struct tsh_pairs_begin begin;	/* the START; .with: parts of the row's keys; .cpu -1: not known */
	struct tsh_tally_part on[TSH_TALLY_PARTS_MAX];
	char *between;			/* lines of the newest events within it; NULL: not asked for */
	uint64_t more;			/* events within it that are older than those */
	bool may_be_more;		/* there may be others, which were not kept */
};

/* Holds which role the events of an id have. */
struct latency_place {
	unsigned int age;		/* age of the formats when it was filled in; 0: never */
	enum latency_role role;
};

/*
 * Says which events are pairs, for latency, synth and sql. Parsers fill it in; what makes the
 * pairs, here or in the kernel, reads nothing else. Zeroed memory is an empty one.
 */
struct pair_spec {
	const struct tsh_event *events;	/* START and END; borrowed */
	struct by_item keys[LATENCY_ROLES][TSH_TALLY_PARTS_MAX];	/* equal in the events of a pair */
	size_t nkeys;
	struct by_item drops, ends;	/* as in struct latency_known; .value NULL: none */
	bool no_zero;			/* an event whose first key is 0 is neither */
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
	bool are_events;		/* the kernel makes an event of each pair; nothing is counted (synth) */
	bool is_filtered;		/* the call has a filter */
	enum latency_role from[TSH_TALLY_PARTS_MAX];	/* by keys of the row: which event has it */
	bool unfiltered[LATENCY_ROLES];	/* has no filter in the kernel: it is the other one's, or asked here */
	struct tsh_query *asked[LATENCY_ROLES];	/* filters asked here: the kernel would make false pairs */
	bool has_slower, has_stop;
	uint64_t slower, stop_at;	/* ns */
	size_t most;			/* pairs that are kept (--worst) */
	struct tsh_event *made;		/* the event that the kernel makes of a pair (--in-kernel); or NULL */
	struct by_item lat;		/* the duration in that event */
	struct tsh_event_format *formats[LATENCY_ROLES];	/* of the two events, for --in-kernel */
	enum tsh_time_style style;
	bool in_ns;			/* times have nine digits */
	struct by_item next;		/* next_pid, if one of the two is sched_switch; .value NULL: not checked */
	enum latency_role switches;	/* which of the two that is */
	/* for the present stream */
	TSH_VEC(int64_t) running;	/* by CPUs: pid of the task that came last, plus 1; 0: not known */
	uint64_t unswitched;		/* how often another task has left the CPU: a switch is missing */
	struct pairing pairing;
	TSH_VEC(struct tsh_spread) spreads;	/* indexed by rows */
	TSH_VEC(struct latency_pair) worst;	/* a heap, the shortest first */
	struct latency_between *between;	/* events within pairs, for --worst; or NULL */
	struct tsh_time_text time, begin_time;
	uint64_t others;		/* events of tasks that are not traced */
	uint64_t unmatched;		/* pairs that the filter does not let through */
	int64_t made_since;		/* CLOCK_MONOTONIC; the kernel has no START from before */
	uint64_t backwards;		/* impossible pairs of the kernel, whose START was later */
	uint64_t untimed;		/* pairs whose clock does not tell how long they took */
	bool has_names;			/* names of tasks are shown */
	bool has_titles;		/* the header of pairs in CSV was printed */
	bool with_migrate;		/* the kernel prints five letters of flags */
	bool stopped;
};

/* Returns the pairs of a call that has some. */
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
bool latency_is_one(const struct tsh_event *events);
/* Returns what is known of the two events, or NULL. */
const struct latency_known *latency_known_of(const struct tsh_events *events);

/* ---- parse.c ---- */
/*
 * Check that pairs are whole where only some tasks are recorded, or only some CPUs: else one event
 * of a pair may be missing, and the other one make a false pair. Return 0, or -1 with err, which
 * blames `span`.
 */
int latency_check_tasks(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
int latency_check_cpus(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
/*
 * Parse filter, keys and options: .prepare of latency, and of synth with its two
 * events. Return 0, or -1 with err.
 */
int latency_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int synth_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void latency_free(struct tsh_by *by);
/* Says whether such filters of the two in the kernel (NULL: none) make no false pairs. */
bool latency_may_be_filtered(struct tsh_session *s, const struct tsh_call *call, const char *begin, const char *end);
/* Says whether a filter is asked here that needs names of tasks. */
bool latency_asks_for_names(const struct tsh_by *by);
/* Implement functions of struct by_engine. */
bool latency_lacks_filter(const struct tsh_by *by, const struct tsh_event *event);
void latency_note_gaps(struct tsh_session *s, const struct tsh_call *call);

/* ---- engine.c ---- */
/* Says whether a key is a task's number, by its name. */
bool pair_names_task(const struct by_item *item);
/* Counts a key that was filled in behind the others, for both events. */
void pair_spec_key_done(struct pair_spec *spec);
void pair_spec_release(struct pair_spec *spec);
/* Limits what is kept: STARTs that wait, parts with each of them, different texts. */
struct pairing_room {
	size_t starts, with, texts;
};
/* Begins with a stream. Borrows the spec and the by, whose decoder, layout and age it reads. */
void pairing_begin(struct pairing *p, struct pair_spec *spec, struct tsh_by *by, const struct pairing_room *room);
/* Ends the stream, before the decoder is freed; one that has not begun is fine. */
void pairing_forget(struct pairing *p);
enum latency_role pairing_find_role(struct pairing *p, unsigned int id);
/* Returns the role of the events of an id. */
static inline enum latency_role pairing_role(struct pairing *p, unsigned int id)
{
	return id < p->places.n && p->places.v[id].age == p->by->age ? p->places.v[id].role : pairing_find_role(p, id);
}
/* Gives what an event has as a key. Returns false if it has nothing. */
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
/* Gives all keys. Returns false if one is missing. */
bool pairing_key(struct pairing *p, enum latency_role role, const struct tsh_record *rec, unsigned int id,
		 struct tsh_tally_part *ret);
/*
 * Says whether a task in the key is traced, if the keys have a task. Events of others are
 * incomplete, and would make false pairs.
 */
bool pairing_is_traced(const struct pairing *p, const struct tsh_tally_part *key);
/* Ends the pair of a key. Returns true with its START in *ret, or false: there is none. */
bool pairing_end(struct pairing *p, const struct tsh_tally_part *key, uint64_t stamp, struct tsh_pairs_begin *ret);

/* ---- pair.c ---- */
extern const struct by_engine latency_engine;

/* ---- slowest.c ---- */
/* Prints or keeps a pair that was just made, as the options ask. */
void latency_look_at(struct tsh_by *by, struct latency_pair *pair);
/* Prints the pairs of --worst, at the end. */
void latency_show_worst(struct tsh_by *by);

/* ---- context.c ---- */
struct latency_between *latency_between_new(struct tsh_by *by);
/* Frees it; NULL is fine. */
void latency_between_free(struct latency_between *b);
/* Keeps a copy of an event that may be within a pair. */
void latency_between_keep(struct latency_between *b, const struct tsh_record *rec, int pid);
/* Fills in .between of a pair that is kept, which the pair owns. */
void latency_between_take(struct tsh_by *by, struct latency_pair *pair);

/* ---- print.c ---- */
size_t latency_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS]);
/* Writes how many pairs are in each bucket. */
void latency_add_json(const struct tsh_by *by, size_t row, struct tsh_json *js);
/* Shows rows or a histogram, and at the end --worst (.show). */
void latency_show(struct tsh_by *by, uint64_t top, bool last);
/* Says whether pairs are printed while it runs. */
bool latency_prints(const struct tsh_by *by);
/*
 * Prints what became of the events: in JSON the object before the end, in text the lines below the
 * table.
 */
void latency_account(struct tsh_by *by, const struct tsh_stream_summary *sum);

#endif
