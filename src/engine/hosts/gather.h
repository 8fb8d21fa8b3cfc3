/* engine/hosts/gather.h - JSON lines of several hosts, as one stream by the wall clock */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_GATHER_H
#define TRACESH_ENGINE_HOSTS_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json-read.h"
#include "base/wait.h"
#include "events/decode/page.h"

/* ---- one line ---- */

enum tsh_host_line_kind {
	TSH_HOST_START, TSH_HOST_EVENT, TSH_HOST_LOST, TSH_HOST_NOTE, TSH_HOST_END,
	TSH_HOST_OTHER,			/* of a type that this tracesh does not know */
};

/* What a line says; the pieces lie in its text. What it does not have is empty, NULL for text. */
struct tsh_host_line {
	enum tsh_host_line_kind kind;
	const char *text;		/* the object, from '{' to '}' */
	size_t len;
	struct tsh_json_text host, boot_id, kernel, instance, clock, condition;
	struct tsh_json_text ts, comm, flags, event;
	struct tsh_json_text body;	/* "text": of a note, or of an event that has no fields */
	struct tsh_json_text fields;	/* the object, brackets included */
	bool has_wall, has_error, has_count;
	bool late, unordered, ambiguous, damaged, lost_unknown;
	bool is_rewritten;		/* has keys that tracesh does not write, or merge's own */
	int64_t wall;			/* ns since 1970 */
	uint64_t error_ns;
	uint64_t format;		/* of a start */
	uint64_t count;			/* of lost */
	uint64_t ns;			/* of an end: its "seconds" */
	int cpu, tgid;			/* -1 and 0: not there */
	int pid;			/* TSH_NO_PID */
};

/*
 * Where the object begins in a line that may have a host's name before it: "board1\t{..}" as
 * parallel --tag writes it, "board1: {..}" as pdsh does, "trace/board1 {..}" as mosquitto_sub
 * -v. *ret_name is so long. SIZE_MAX: there is none.
 */
size_t tsh_host_line_find(const char *line, size_t len, size_t *ret_name);
/* False: it is no JSON, or no line of tracesh's. tracesh writes its keys without escapes, and
 * each once: a key with escapes says nothing, and a line that has one twice is not tracesh's. */
bool tsh_host_line_read(const char *text, size_t len, struct tsh_host_line *ret);
/* Whether that name, of `len` bytes without escapes, is the key of something that a line says. */
bool tsh_host_line_has_member(const char *name, size_t len);

/* ---- all of them ---- */

/* Hosts, and streams of them: more names are no machines'. */
#define TSH_HOSTS_MAX 4096

/*
 * A machine, as its start lines tell it; machines of one name get another each. What comes by two
 * labels is never one machine, and a label that does not have the host's name in it stands behind
 * the name: "board1@10.0.0.7".
 */
struct tsh_host {
	char *name;			/* sanitized, as the next two */
	char *boot_id;			/* "" when not known */
	char *called;			/* what its start line calls it */
	char *label;			/* that the transport put before its lines, as it is; "" */
	char *from;			/* of its last start line: the file, and the name before */
	char *clock;			/* the trace clock of its last start line, as it is; or NULL */
	size_t number;			/* from 0 on */
	uint64_t events, lost, late, unordered;
	uint64_t untimed;		/* events without a wall time, among others that have one */
	uint64_t ns;			/* that its streams took, of those that have ended */
	uint64_t cut;			/* streams without an end line */
	bool lost_unknown;
	bool has_wall;
	int64_t first, last;		/* wall times of its events */
};

/* An input, for what is to be said of it at the end. */
struct tsh_gather_input {
	const char *name;
	uint64_t lines;
	uint64_t bad;			/* that were not JSON of tracesh's */
	uint64_t first_bad;		/* the number of the first of them, from 1 on */
	uint64_t crowded;		/* of hosts beyond the limit: they are left out */
	bool is_unread;			/* a file that was not read to its end */
	bool is_cut;			/* the last line has no end, and is one of them */
	bool has_mix;			/* lines of several hosts, with their names */
	bool is_doubtful;		/* the same, and nothing says whose they are */
};

enum tsh_gather_end {
	TSH_GATHER_EMPTY,		/* all inputs are at their end */
	TSH_GATHER_DONE,		/* `line` had enough */
	TSH_GATHER_STOP, TSH_GATHER_ABORT,	/* signals, see base/wait.h */
	TSH_GATHER_CLOSED,		/* `flush` says that nobody reads any more */
};

struct tsh_gather_options {
	const struct tsh_waiter *waiter;	/* or NULL */
	int out_fd;			/* whose reader may go away while all is silent; or -1 */
	uint64_t delay_ns;		/* that a line waits for silent pipes */
	uint64_t skew_ns;		/* by which the hosts' clocks may differ */
	size_t room;			/* bytes of lines that are held */
	/* Each line in its place: line->late and ->unordered are those of the merged stream.
	 * False: no more. */
	bool (*line)(void *ctx, const struct tsh_host_line *line, struct tsh_host *host);
	/* Before it waits. False: nobody reads what is printed. */
	bool (*flush)(void *ctx);
	void *ctx;
};

/*
 * Merges streams by their wall times: of each the lines are held until no other can have an
 * earlier one. Files are waited for; a pipe that is silent is for delay_ns, then what comes out
 * of it late is marked. Lines of equal times stand in the order of the inputs, those of one
 * stream in its own order. A file of one host takes one line and its buffer of memory, one that
 * mixes hosts up to `room`.
 *
 * Of two hosts' events whose errors let either be the first, the second is `unordered`.
 */
struct tsh_gather;
struct tsh_gather *tsh_gather_new(const struct tsh_gather_options *opt);
void tsh_gather_free(struct tsh_gather *g);
/* fd becomes its own, unless it is 0. */
void tsh_gather_add(struct tsh_gather *g, const char *name, int fd);
/* 0; or -1 with err: an input cannot be read, or its events have no wall times. */
int tsh_gather_run(struct tsh_gather *g, enum tsh_gather_end *ret_end, struct tsh_err *err);

/* Afterwards, by number; NULL: there are no more. */
const struct tsh_host *tsh_gather_host(const struct tsh_gather *g, size_t i);
/* The first one that says it is the same machine as this one, and came by another label; NULL. */
const struct tsh_host *tsh_gather_twin(const struct tsh_gather *g, const struct tsh_host *host);
const struct tsh_gather_input *tsh_gather_input(const struct tsh_gather *g, size_t i);

#endif
