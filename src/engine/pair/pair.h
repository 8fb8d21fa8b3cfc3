/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PAIR_PAIR_H
#define TRACESH_ENGINE_PAIR_PAIR_H

/*
 * latency: pairs of events. It is a hist whose rows have durations: between src/cmd/analyse/latency.c (the
 * command), known.c and parse.c (its words), engine.c (pairs), pair.c (durations),
 * slowest.c (single pairs), context.c (what was in them), print.c (tables),
 * and src/engine/aggregate/aggregate.c, which the rest of it shares with hist.
 */

#include "engine/aggregate/internal.h"
#include "engine/tally/pairs.h"
#include "engine/tally/spread.h"
#include "session/session.h"

/* The two events, and places in arrays of two. */
enum latency_role {
	LATENCY_BEGIN, LATENCY_END, LATENCY_ROLES, LATENCY_NEITHER = LATENCY_ROLES,
	LATENCY_MADE	/* an event is a pair: --in-kernel */
};

/* Pairs that have a name, or that one would give the same keys. */
struct latency_known {
	const char *name;		/* NULL: only as two events */
	const char *begin, *end;	/* "sched:sched_waking" */
	const char *on;			/* the clauses that are meant where there are none */
	const char *by;			/* of the name; NULL: none */
	/* Of an END, with that `on`: the key whose START is none after all; or NULL. */
	const char *drops;
	const char *ends;		/* with that `on`: where that is not 0 a START is none, as its task ends; or NULL */
	bool no_zero;			/* with that `on`: where the key is 0 it is neither */
	const char *help;
};
extern const struct latency_known latency_known[];	/* ends with an entry without begin */
/* A name that an event word's place can have, too: "syscall", which a word follows. */
#define LATENCY_SYSCALL "syscall"

/* One pair, for --slower, --worst and --stop-at. */
#define LATENCY_COMM 32
struct latency_pair {
	uint64_t ns;
	uint64_t stamp;			/* of the end */
	int cpu, pid;
	char comm[LATENCY_COMM];
	char other[LATENCY_COMM];	/* the name of the task in a key, if that is another; or "" */
	struct tsh_pairs_begin begin;	/* .with: its parts of by; .cpu -1: not known */
	struct tsh_tally_part on[TSH_TALLY_PARTS_MAX];
	char *between;			/* lines of the events in it, the newest; NULL: not asked for */
	uint64_t more;			/* that are older than those */
	bool may_be_more;		/* and others that were not kept */
};

/* What an event is for us, by its id. */
struct latency_place {
	unsigned int age;		/* of the formats that it is of; 0: not looked at */
	enum latency_role role;
};

/*
 * Says which events are pairs, for latency, synth and sql: their words fill it in, and what makes the pairs, here or in
 * the kernel, is told nothing else. Zeroed memory is an empty one.
 */
struct pair_spec {
	const struct tsh_event *events;	/* START and END; borrowed */
	struct by_item keys[LATENCY_ROLES][TSH_TALLY_PARTS_MAX];	/* equal in pairs */
	size_t nkeys;
	struct by_item drops, ends;	/* .value NULL: none */
	bool no_zero;			/* where the first key is 0 it is neither */
	bool has_task;			/* a key is a task's number */
	bool is_one;			/* one event is both: first the END, then a START */
	bool same_cpu;			/* both are on one CPU: that is in the key */
	bool nests;			/* calls in calls: an END is that of the last START */
};

/* Pairs of one stream. Zeroed memory is one that has not begun. */
struct pairing {
	struct pair_spec *spec;
	struct tsh_by *by;		/* reads the keys */
	const struct tsh_event *made;	/* a pair that the kernel has made; or NULL */
	struct tsh_pairs *pairs;
	struct tsh_tally *texts;	/* of the keys */
	TSH_VEC(struct latency_place) places;	/* by ids */
	uint64_t no_room;		/* texts that were not kept */
};

struct latency_between;
struct by_latency {
	struct pair_spec spec;
	bool are_events;		/* synth: the kernel makes an event of each that stays, nobody counts them */
	bool is_filtered;		/* there is a filter */
	enum latency_role from[TSH_TALLY_PARTS_MAX];	/* which of the two has a key of by */
	bool unfiltered[LATENCY_ROLES];	/* the filter is for the other one, or asked here */
	struct tsh_query *asked[LATENCY_ROLES];	/* the filter, where the kernel's would make false pairs; or NULL */
	bool has_slower, has_stop;
	uint64_t slower, stop_at;	/* ns */
	size_t most;			/* --worst */
	struct tsh_event *made;		/* --in-kernel: what the kernel makes of each pair; or NULL */
	struct by_item lat;		/* its time */
	struct tsh_event_format *formats[LATENCY_ROLES];	/* of the two, for --in-kernel */
	enum tsh_time_style style;
	bool in_ns;			/* the times of pairs have nine digits */
	struct by_item next;		/* of sched_switch, where it is one of the two; .value NULL: not looked at */
	enum latency_role switches;	/* which one */
	/* of the present stream */
	TSH_VEC(int64_t) running;	/* by CPUs: who has come to it last, and 1; 0: not known */
	uint64_t unswitched;		/* how often somebody else has left it: a switch is missing */
	struct pairing pairing;
	TSH_VEC(struct tsh_spread) spreads;	/* by rows */
	TSH_VEC(struct latency_pair) worst;	/* a heap, the shortest first */
	struct latency_between *between;	/* for its pairs; or NULL */
	struct tsh_time_text time, begin_time;
	uint64_t others;		/* events of tasks that are not traced */
	uint64_t unmatched;		/* pairs that the filter does not let through */
	int64_t made_since;		/* CLOCK_MONOTONIC: the kernel had no START before */
	uint64_t backwards;		/* pairs of the kernel that cannot be, as their START was later */
	uint64_t untimed;		/* pairs of a clock that does not tell how long */
	bool has_names;			/* those of tasks are shown */
	bool has_titles;		/* of the pairs in CSV */
	bool with_migrate;		/* five letters of flags, as the kernel prints them */
	bool stopped;
};

/* The usual `on`: both are of one task. */
#define LATENCY_USUAL_ON "common_pid"
static inline bool latency_is_of_task(const struct by_latency *l)
{
	return l->spec.nkeys == 1 && !strcmp(l->spec.keys[LATENCY_BEGIN][0].title, LATENCY_USUAL_ON) &&
	       !strcmp(l->spec.keys[LATENCY_END][0].title, LATENCY_USUAL_ON);
}

/* ---- known.c ---- */
/* struct tsh_cmd's .name_events */
int latency_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
/* For completion: what the words before the cursor name, as far as they do; START first. */
void latency_events_of(const struct tsh_events *all, const struct tsh_strlist *words,
		       struct tsh_events *ret);
/* Says whether both are the same one. */
bool latency_is_one(const struct tsh_event *events);
/* What is known of the two events, or NULL. */
const struct latency_known *latency_known_of(const struct tsh_events *events);

/* ---- parse.c ---- */
/*
 * -1 with err, which blames `span`: of what is recorded of some tasks, or on some CPUs, halves of pairs are missing, and
 * the others would be pairs that never were.
 */
int latency_check_tasks(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
int latency_check_cpus(const struct tsh_call *call, struct tsh_span span, struct tsh_err *err);
/* Reads filter, keys and options into call->by; for the declarations of latency, and of synth with its two events. */
int latency_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
int synth_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err);
void latency_free(struct tsh_by *by);
/* Whether filters of the two in the kernel (NULL: none) cannot make pairs that never were. */
bool latency_may_be_filtered(struct tsh_session *s, const struct tsh_call *call, const char *begin, const char *end);
/* Says whether its filter is asked here, for names of tasks. */
bool latency_asks_for_names(const struct tsh_by *by);
/* As struct by_engine has it. */
bool latency_lacks_filter(const struct tsh_by *by, const struct tsh_event *event);
void latency_note_gaps(struct tsh_session *s, const struct tsh_call *call);

/* ---- engine.c ---- */
/* Says whether a number of that key is a task's. */
bool pair_names_task(const struct by_item *item);
/* Takes note of a key that was filled in behind the others, of both events. */
void pair_spec_key_done(struct pair_spec *spec);
void pair_spec_release(struct pair_spec *spec);
/* Bounds what is kept: STARTs that wait, parts with each of them, different texts. */
struct pairing_room {
	size_t starts, with, texts;
};
/* Begins with a stream. The spec and the by are borrowed; of that the decoder, the layout and the age are asked. */
void pairing_begin(struct pairing *p, struct pair_spec *spec, struct tsh_by *by, const struct pairing_room *room);
/* Ends, when the decoder goes; one that has not begun is fine. */
void pairing_forget(struct pairing *p);
enum latency_role pairing_find_role(struct pairing *p, unsigned int id);
/* Says what an event of that id is. */
static inline enum latency_role pairing_role(struct pairing *p, unsigned int id)
{
	return id < p->places.n && p->places.v[id].age == p->by->age ? p->places.v[id].role : pairing_find_role(p, id);
}
/* Gives what an event has as a key; false: nothing. */
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
/* Gives all keys. False: one is missing. */
bool pairing_key(struct pairing *p, enum latency_role role, const struct tsh_record *rec, unsigned int id,
		 struct tsh_tally_part *ret);
/* Says whether a task in a key is traced, if one is: of another one an event may be the half of what happened, and the
 * rest would be that of a later pair. */
bool pairing_is_traced(const struct pairing *p, const struct tsh_tally_part *key);
/* Ends the pair of that key: true with its START in *ret. */
bool pairing_end(struct pairing *p, const struct tsh_tally_part *key, uint64_t stamp, struct tsh_pairs_begin *ret);

/* ---- pair.c ---- */
extern const struct by_engine latency_engine;

/* ---- slowest.c ---- */
/* A pair that was just made: prints it, or keeps it, as it was asked for. */
void latency_look_at(struct tsh_by *by, struct latency_pair *pair);
/* --worst, at the end. */
void latency_show_worst(struct tsh_by *by);

/* ---- context.c ---- */
struct latency_between *latency_between_new(struct tsh_by *by);
/* NULL is fine. */
void latency_between_free(struct latency_between *b);
/* An event that may be in a pair. */
void latency_between_keep(struct latency_between *b, const struct tsh_record *rec, int pid);
/* What there was between the two of a pair that is kept: its .between, which the pair owns. */
void latency_between_take(struct tsh_by *by, struct latency_pair *pair);

/* ---- print.c ---- */
size_t latency_cells(const struct tsh_by *by, struct by_cell ret[BY_CELLS]);
/* Adds how many were how long. */
void latency_add_json(const struct tsh_by *by, size_t row, struct tsh_json *js);
/* In place of the rows of a hist. */
void latency_show(struct tsh_by *by, uint64_t top, bool last);
/* Whether it prints pairs while it runs. */
bool latency_prints(const struct tsh_by *by);
/* In JSON the object before the end; in text the lines below the table. */
void latency_account(struct tsh_by *by, const struct tsh_stream_summary *sum);

#endif
