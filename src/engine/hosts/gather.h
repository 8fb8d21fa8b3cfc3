/* engine/hosts/gather.h - merges JSON lines of several hosts into one stream by the wall clock */
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
	TSH_HOST_OTHER,			/* a type that this tracesh does not know */
};

/*
 * Holds the members of a line; strings point into its text. A member that is missing has no text.
 */
struct tsh_host_line {
	enum tsh_host_line_kind kind;
	const char *text;		/* the object, from '{' to '}' */
	size_t len;
	struct tsh_json_text host, boot_id, kernel, instance, clock, condition;
	struct tsh_json_text ts, comm, flags, event;
	struct tsh_json_text body;	/* the member "text" of a note, or of an event without fields */
	struct tsh_json_text fields;	/* the object, with its braces */
	bool has_wall, has_error, has_count;
	bool late, unordered, ambiguous, damaged, lost_unknown;
	bool is_rewritten;		/* has keys that tracesh does not write, or those that merge adds */
	int64_t wall;			/* ns since 1970 */
	uint64_t error_ns;
	uint64_t format;		/* of a start line */
	uint64_t count;			/* lost events */
	uint64_t ns;			/* the "seconds" of an end line */
	int cpu, tgid;			/* -1 and 0: missing */
	int pid;			/* TSH_NO_PID: missing */
};

/*
 * Returns where the object begins in a line, which can have a host's name before it: "board1\t{..}"
 * (parallel --tag), "board1: {..}" (pdsh), "trace/board1 {..}" (mosquitto_sub -v). *ret_name:
 * length of the name. SIZE_MAX: there is no object.
 */
size_t tsh_host_line_find(const char *line, size_t len, size_t *ret_name);
/* Reads a line. Returns false for what is no JSON, or no line of tracesh, which writes each key
 * once and without escapes: a key with escapes is ignored, a line with a key twice is refused. */
bool tsh_host_line_read(const char *text, size_t len, struct tsh_host_line *ret);
/* Says whether that name, of `len` bytes without escapes, is a key that a line is read for. */
bool tsh_host_line_has_member(const char *name, size_t len);

/* Finds the latest wall time at the end of a file of such lines ("-": stdin), and reads no more than
 * the end. Returns 1; 0: a file that has none there; -1: it cannot be read, or is a pipe, where more
 * can come. */
int tsh_host_last_time(const char *path, int64_t *ret);

/* ---- all of them ---- */

/* Limits the hosts and their streams. Lines of further hosts are left out, and counted. */
#define TSH_HOSTS_MAX 4096

/*
 * Holds what start lines say of a machine. A machine whose name is taken gets another name. Lines
 * with different labels are of different machines, and a label without the host's name in it is
 * added to the name: "board1@10.0.0.7".
 */
struct tsh_host {
	char *name;			/* sanitized, as boot_id and called are */
	char *boot_id;			/* "": unknown */
	char *called;			/* the name in its start line */
	char *label;			/* the text that the transport has put before its lines, not sanitized; or "" */
	char *from;			/* file of its last start line, with the label */
	char *clock;			/* trace clock of its last start line, not sanitized; or NULL */
	size_t number;			/* its place among the hosts, from 0 */
	uint64_t events, lost, late, unordered;
	uint64_t untimed;		/* events without a wall time that follow one with it in their stream */
	uint64_t ns;			/* the time that its ended streams took */
	uint64_t cut;			/* streams without an end line */
	bool lost_unknown;
	bool has_wall;
	int64_t first, last;		/* wall times of its events */
};

/* Counts what was wrong with an input. */
struct tsh_gather_input {
	const char *name;
	uint64_t lines;
	uint64_t bad;			/* lines that are no JSON of tracesh */
	uint64_t first_bad;		/* number of the first bad line, from 1 */
	uint64_t untimed;		/* events that are left out: no event up to them in their stream has a wall time */
	uint64_t first_untimed;		/* number of the first such line, from 1 */
	uint64_t crowded;		/* lines that are left out: their hosts are beyond the limit */
	bool is_unread;			/* a file that was not read to its end */
	bool is_cut;			/* the last line has no end, and is bad */
	bool has_mix;			/* has lines of several hosts */
	bool is_doubtful;		/* has such lines without the hosts' names */
};

enum tsh_gather_end {
	TSH_GATHER_EMPTY,		/* all inputs are at their end */
	TSH_GATHER_DONE,		/* `line` returned false */
	TSH_GATHER_STOP, TSH_GATHER_ABORT,	/* a signal came, see base/wait.h */
	TSH_GATHER_CLOSED,		/* `flush` returned false */
};

struct tsh_gather_options {
	const struct tsh_waiter *waiter;	/* or NULL */
	int out_fd;			/* descriptor of the output, to notice that its reader is gone; or -1 */
	uint64_t delay_ns;		/* how long a line waits for silent pipes */
	uint64_t skew_ns;		/* by how much the hosts' clocks can differ */
	size_t room;			/* bytes of lines that are held */
	/* Says whether a line is wanted. A line that is not is neither passed on nor counted in its
	 * host. NULL: all lines are wanted. */
	bool (*is_wanted)(void *ctx, const struct tsh_host_line *line);
	/* Gets each wanted line in order: line->late and ->unordered are those of the merged stream.
	 * Returns false to end the merge. */
	bool (*line)(void *ctx, const struct tsh_host_line *line, struct tsh_host *host);
	/* Is called before each wait. Returns false to end the merge, as the reader of the output
	 * is gone. */
	bool (*flush)(void *ctx);
	void *ctx;
};

/*
 * Merges streams by their wall times: holds a line until no other stream can have an earlier one.
 * Waits for files, and for a silent pipe delay_ns; a line that comes later is marked. Lines of
 * equal times keep the order of the inputs, lines of one stream their own order. A file of one
 * host takes memory for one line and a buffer, one with several hosts up to `room`.
 *
 * Of two hosts' events whose errors let either be the first, the second is `unordered`.
 */
struct tsh_gather;
struct tsh_gather *tsh_gather_new(const struct tsh_gather_options *opt);
void tsh_gather_free(struct tsh_gather *g);
/* Adds an input; takes over fd, unless it is 0. Copies the name. */
void tsh_gather_add(struct tsh_gather *g, const char *name, int fd);
/* Runs the merge to its end. Returns 0; or -1 with err when an input cannot be read. */
int tsh_gather_run(struct tsh_gather *g, enum tsh_gather_end *ret_end, struct tsh_err *err);

/* Returns host number i after the merge; NULL: there are no more. */
const struct tsh_host *tsh_gather_host(const struct tsh_gather *g, size_t i);
/* Returns the first host that claims to be the same machine as this one, but has another label;
 * NULL: there is none. */
const struct tsh_host *tsh_gather_find_twin(const struct tsh_gather *g, const struct tsh_host *host);
const struct tsh_gather_input *tsh_gather_input(const struct tsh_gather *g, size_t i);

#endif
