/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_STAGE_H
#define TRACESH_ENGINE_PIPELINE_STAGE_H

#include "events/decode/consumer.h"
#include "events/source/stream.h"
#include "output/output.h"

struct tsh_rows;

/* Holds what the stages of a stream share while it is open. All is borrowed. */
struct tsh_open_stream {
	const struct tsh_instance *in;
	struct tsh_source *source;
	const struct tsh_provider *provider;
	struct tsh_decoder *decoder;
	const struct tsh_page_layout *layout;
	const struct tsh_clock *clock;
	struct tsh_out *out;
	const struct tsh_stream_options *options;
	struct tsh_stream_summary *sum;
	const struct tsh_rows *rows;	/* printed in place of the events' texts; NULL: the texts */
};

struct tsh_stage;

/*
 * Says what a stage does. Each may be NULL. In the order of their calls; what stands in brackets is for the stage at
 * the end of a stream, which takes the place of the sink.
 */
struct tsh_stage_kind {
	const char *name;
	bool is_raw;			/* it needs the stacks: it stands before what learns the names of tasks */
	bool is_told_last;		/* its clause and report stand behind those of the others */
	/* Before anything is printed. It may set stream->rows. 0, or -1 with err: it cannot work. */
	int (*prepare)(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_err *err);
	/* .next and .stream are set. 0; 1: it has nothing to do, and is left out; -1 with err. */
	int (*begin)(struct tsh_stage *stage, struct tsh_err *err);
	/* As those of struct tsh_consumer; event NULL: no event goes through it. The others pass on what they get. */
	bool (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	void (*see)(struct tsh_consumer *to, const struct tsh_record *rec);
	/* Says whether the stream has come to its end. */
	bool (*is_done)(struct tsh_stage *stage);
	/* No event comes any more: gives on what waits. */
	void (*last)(struct tsh_stage *stage);
	/* Says in the sum of the stream what it has left out (tsh_say_left_out). */
	void (*report)(const struct tsh_stage *stage);
	/* Says what it has to say. */
	void (*end)(struct tsh_stage *stage);
	/* [Shows what it has counted; the stream has not failed.] */
	void (*show)(struct tsh_stage *stage);
	/* Its part of the sum line: "12 not matching, ". */
	void (*append_clause)(const struct tsh_stage *stage, struct tsh_strbuf *text);
	/* The decoder goes. Also where the others were not called. */
	void (*forget)(struct tsh_stage *stage);
	/* Says whether names of tasks decide what it does; [if it shows them; if it is of listed tasks alone]. */
	bool (*asks_for_names)(const struct tsh_stage *stage);
	bool (*needs_names)(const struct tsh_stage *stage);
	bool (*is_of_tasks)(const struct tsh_stage *stage);
};

/* A consumer between the source and the output that gives on what it wants of the events. */
struct tsh_stage {
	struct tsh_consumer consumer;	/* the first member */
	struct tsh_consumer *next;	/* borrowed */
	const struct tsh_stage_kind *kind;
	struct tsh_open_stream *stream;	/* borrowed */
};

/* The stages of a stream in the order in which events go through them. They are borrowed. */
#define TSH_STAGES_MAX 12
struct tsh_stages {
	struct tsh_stage *v[TSH_STAGES_MAX];
	size_t n;
};

/* Puts one behind the others; NULL is none. */
void tsh_stages_push(struct tsh_stages *stages, struct tsh_stage *stage);
/* Puts a stage before *to, which becomes the stage; *to stays when it has nothing to do. 0, or -1 with err. */
int tsh_stage_begin(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_consumer **to,
		    struct tsh_err *err);

/* All of them, in the order in which they stand here; see struct tsh_stage_kind. */
int tsh_stages_prepare(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_err *err);
/* From the one that is nearest to the output on. *to: the output, or NULL if the last stage is the end; it becomes what
 * the source gives to. */
int tsh_stages_begin(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_consumer **to,
		     struct tsh_err *err);
/* No event comes any more: .last and .report. */
void tsh_stages_finish(const struct tsh_stages *stages);
void tsh_stages_end(const struct tsh_stages *stages);
void tsh_stages_append_clauses(const struct tsh_stages *stages, struct tsh_strbuf *text);
void tsh_stages_forget(const struct tsh_stages *stages);
/* Says whether one was told to look at names, other than the text of an event has them. */
bool tsh_stages_ask_for_names(const struct tsh_stages *stages);
/* Gives the first that knows when it has enough; NULL: none does. */
struct tsh_stage *tsh_stages_ending(const struct tsh_stages *stages);

/* Gives on an event that was kept: if it counts, it does now. */
void tsh_stage_give_kept(const struct tsh_stage *stage, const struct tsh_record *rec, bool late);

#endif
