/* engine/hosts/internal.h - the inputs and the hosts of a merge */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_INTERNAL_H
#define TRACESH_ENGINE_HOSTS_INTERNAL_H

#include "base/vec.h"
#include "gather.h"

/* A line in its queue, with the memory that its pieces lie in. */
struct held {
	struct held *next;
	struct tsh_host_line line;
	struct tsh_host *host;
	int64_t key;			/* its wall time; without one that of the line before */
	int64_t arrival;		/* CLOCK_MONOTONIC, ns */
	size_t cap;
	char text[];
};

/* The lines of one host in one input: they come in its order. */
struct stream {
	struct input *in;
	char *label;			/* what tells them from others of the input; "" */
	struct tsh_host *host;
	struct held *first, **last;	/* its queue */
	size_t number;			/* of all streams: the order of equal times */
	int64_t key;			/* of the line that came last */
	bool is_open;			/* between a start line and an end line */
	bool has_timed;			/* it had an event with a wall time */
	bool has_lines;
};

/* ---- an input: bytes into lines ---- */

struct input {
	struct tsh_gather_input report;	/* the first member; .name is owned */
	int fd;
	bool is_live;			/* what is not there yet may come: a pipe, a terminal */
	bool at_end;
	bool is_blocked;		/* see is_blocking in gather.c */
	bool has_labels;		/* before its lines, by what carried them */
	bool skips;			/* the rest of a line that is too long */
	int64_t arrival;		/* of the bytes that were read last */
	size_t begin, end, seen;	/* lines that are not taken yet; up to `seen` has no newline */
	size_t cap;
	char *buf;
	struct stream *current;		/* that lines without a name belong to */
	TSH_VEC(struct stream *) streams;
};

struct input *input_new(const char *name, int fd);
void input_free(struct input *in);
/* The next line that is there, without its newline, until the next call; at the end of the input
 * what has none. */
bool input_line(struct input *in, const char **ret_text, size_t *ret_len);
/* Reads more of it, what there is: at_end is set when that is nothing. 0 or -errno. */
int input_fill(struct input *in);
/* A line that is none of ours. */
void input_note_bad(struct input *in);

/* ---- hosts ---- */

struct namesakes {
	char *name;
	TSH_VEC(struct tsh_host *) hosts;	/* NAME, NAME#2, .. */
};

struct hosts {
	TSH_VEC(struct tsh_host *) all;
	TSH_VEC(struct namesakes) namesakes;	/* of all names that were asked for */
};

/*
 * The host of that name and boot. One of the name and another boot is another machine, and gets
 * another name, unless it is `now`: that was booted anew. So is one that came by another label.
 * An empty boot_id is not known. NULL: there are too many hosts.
 */
struct tsh_host *hosts_find(struct hosts *hosts, const struct tsh_json_text *name,
			    const struct tsh_json_text *boot_id, struct tsh_host *now,
			    const struct stream *stream);
/* Its next stream is another one. */
void host_comes_from(struct tsh_host *host, const struct stream *stream);
/* See tsh_gather_twin. */
const struct tsh_host *hosts_twin(const struct hosts *hosts, const struct tsh_host *host);
void hosts_release(struct hosts *hosts);

#endif
