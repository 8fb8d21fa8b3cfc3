/* engine/hosts/internal.h - the inputs and the hosts of a merge */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_INTERNAL_H
#define TRACESH_ENGINE_HOSTS_INTERNAL_H

#include "base/vec.h"
#include "gather.h"

/* Holds a line in its queue, with a copy of its text. */
struct held {
	struct held *next;
	struct tsh_host_line line;
	struct tsh_host *host;
	int64_t key;			/* its wall time; without one that of the line before it */
	int64_t arrival;		/* CLOCK_MONOTONIC, ns */
	size_t cap;
	char text[];
};

/* Holds the lines of one host in one input, in their order. */
struct stream {
	struct input *in;
	char *label;			/* the name that its lines have in the input; or "" */
	struct tsh_host *host;
	struct held *first, **last;	/* its queue */
	size_t number;			/* its place among all streams: the order of equal times */
	int64_t key;			/* wall time of the line that came last */
	bool is_open;			/* between a start line and an end line */
	bool has_timed;			/* it had an event with a wall time */
	bool has_lines;
};

/* ---- an input: bytes into lines ---- */

struct input {
	struct tsh_gather_input report;	/* the first member; .name is owned */
	int fd;
	bool is_live;			/* more can come: a pipe, a terminal */
	bool at_end;
	bool is_blocked;		/* see is_blocking in gather.c */
	bool has_labels;		/* the transport has put labels before its lines */
	bool skips;			/* skips the rest of a line that is too long */
	int64_t arrival;		/* time of the bytes that were read last, CLOCK_MONOTONIC, ns */
	size_t begin, end, seen;	/* bytes of lines that were not read yet; up to `seen` there is no newline */
	size_t cap;
	char *buf;
	struct stream *current;		/* stream of lines without a name */
	TSH_VEC(struct stream *) streams;
};

struct input *input_new(const char *name, int fd);
void input_free(struct input *in);
/* Stores the next line without its newline, valid until the next call; at the end of the input also
 * a line without a newline. Returns false when no line is complete. */
bool input_line(struct input *in, const char **ret_text, size_t *ret_len);
/* Reads what there is, and sets at_end at the end. Returns 0 or -errno. */
int input_fill(struct input *in);
/* Counts the line that was read last as bad. */
void input_note_bad(struct input *in);
/* Counts the line that was read last as an event that is left out. */
void input_note_untimed(struct input *in);

/* ---- hosts ---- */

struct namesakes {
	char *name;
	TSH_VEC(struct tsh_host *) hosts;	/* NAME, NAME#2, .. */
};

struct hosts {
	TSH_VEC(struct tsh_host *) all;
	TSH_VEC(struct namesakes) namesakes;	/* by all names that were looked for */
};

/*
 * Returns the host with this name, boot and label; adds it when it is new. `now` is the stream's
 * present host, or NULL: it is returned for its name also with another boot, because it was booted
 * again. Any other host of the same name gets another name. An empty boot_id is unknown. Returns
 * NULL when there are too many hosts.
 */
struct tsh_host *hosts_find(struct hosts *hosts, const struct tsh_json_text *name,
			    const struct tsh_json_text *boot_id, struct tsh_host *now,
			    const struct stream *stream);
/* Notes that the host's lines come from that stream now. */
void host_set_stream(struct tsh_host *host, const struct stream *stream);
/* See tsh_gather_find_twin. */
const struct tsh_host *hosts_find_twin(const struct hosts *hosts, const struct tsh_host *host);
void hosts_release(struct hosts *hosts);

#endif
