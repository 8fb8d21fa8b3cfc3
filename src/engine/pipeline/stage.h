/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PIPELINE_STAGE_H
#define TRACESH_ENGINE_PIPELINE_STAGE_H

#include "events/decode/consumer.h"
#include "events/source/stream.h"
#include "output/output.h"

struct tsh_rows;

/* Holds data that the stages of a stream share while it is open. All of it is borrowed. */
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
	/* Are printed in place of the events' texts; NULL: the texts are printed. */
	const struct tsh_rows *rows;
};

struct tsh_stage;

/*
 * Describes a kind of stage. The functions stand in the order in which they are called, those in
 * the last group at any time. "All stages" says that a function is called for every stage before
 * the next function is called for any. A stage is the last stage when it stands at the end of a
 * stream, in place of the sink. Each function may be NULL, except for show and needs_names of a
 * last stage.
 */
struct tsh_stage_kind {
	const char *name;
	/* Says that the stage needs the records of stacks, so that it comes before the stages
	 * that learn task names. */
	bool is_raw;
	/* Says that the stage's report and clause come after those of the other stages. */
	bool is_reported_last;

	/* All stages, the first one first. Is called before anything is printed. May set
	 * stream->rows. Returns 0, or -1 with err when the stage cannot work. */
	int (*prepare)(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_err *err);
	/* All stages, the last one first, as each needs its .next, which is set by then, as is
	 * .stream. Returns 0; 1: the stage has nothing to do, and no event passes through it; -1
	 * with err. */
	int (*begin)(struct tsh_stage *stage, struct tsh_err *err);

	/* Are those of struct tsh_consumer, called for each event, loss and dropped event. event
	 * NULL: no event passes through the stage. lost or dropped NULL: that of the next stage is
	 * called. */
	bool (*event)(struct tsh_consumer *to, const struct tsh_record *rec, bool late);
	void (*lost)(struct tsh_consumer *to, int cpu, uint64_t count, uint64_t stamp);
	void (*dropped)(struct tsh_consumer *to, const struct tsh_record *rec);
	/* Says whether the stage has all events that it needs, so that the stream can end. Is asked
	 * again and again while events come, and only of the first stage that has this function. */
	bool (*is_done)(struct tsh_stage *stage);

	/* All stages, when no more event comes: passes on the events that the stage holds back. */
	void (*last)(struct tsh_stage *stage);
	/* All stages: adds the number of events that the stage has left out to the stream's summary
	 * (tsh_summary_add_left_out). */
	void (*report)(const struct tsh_stage *stage);
	/* All stages: prints the stage's own notes at the end, and drops events that are still held
	 * back. */
	void (*end)(struct tsh_stage *stage);
	/* Last stage: prints its counts, when the stream has not failed. */
	void (*show)(struct tsh_stage *stage);
	/* All stages: appends the stage's part of the summary line: "12 not matching, ". */
	void (*append_clause)(const struct tsh_stage *stage, struct tsh_strbuf *text);
	/* All stages: frees data that depends on the decoder, which will be freed. Is called even
	 * if the functions above were not. */
	void (*forget)(struct tsh_stage *stage);

	/*
	 * fork: makes a copy of a stage that has begun, for events that another thread passes
	 * through it. *ret stays NULL when no event passes through the stage. Returns false when
	 * the stage's results depend on the order of all events. Then, and when fork is NULL, one
	 * thread passes on all events. The copy is prepared and begun like a stage.
	 * join: adds what the copy has counted to the stage, and lets the copy count anew; NULL: it
	 * counts nothing. free: frees the copy, after forget. remarks: says whether the stage has
	 * something to say of an event that comes for the first time; a copy says nothing.
	 */
	bool (*fork)(const struct tsh_stage *stage, struct tsh_stage **ret);
	void (*join)(struct tsh_stage *stage, struct tsh_stage *copy);
	void (*free)(struct tsh_stage *copy);
	bool (*remarks)(const struct tsh_stage *stage, const struct tsh_event_format *format);

	/* Says whether the stage's results depend on names of tasks. The last stage also says
	 * whether it prints such names, and whether it counts only events of listed tasks. */
	bool (*asks_for_names)(const struct tsh_stage *stage);
	bool (*needs_names)(const struct tsh_stage *stage);
	bool (*is_of_tasks)(const struct tsh_stage *stage);
};

/* Is a consumer between the source and the output that passes on the events that it selects. */
struct tsh_stage {
	struct tsh_consumer consumer;	/* must be the first member */
	struct tsh_consumer *next;	/* borrowed */
	const struct tsh_stage_kind *kind;
	struct tsh_open_stream *stream;	/* borrowed */
};

/* Holds the stages of a stream, in the order in which events pass through them. They are
 * borrowed. */
#define TSH_STAGES_MAX 12
struct tsh_stages {
	struct tsh_stage *v[TSH_STAGES_MAX];
	size_t n;
};

/* Appends a stage; ignores NULL. */
void tsh_stages_push(struct tsh_stages *stages, struct tsh_stage *stage);
/* Inserts a stage before *to, and sets *to to that stage. Does not change *to when the stage has
 * nothing to do. Returns 0, or -1 with err. */
int tsh_stage_begin(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_consumer **to,
		    struct tsh_err *err);

/* Calls .prepare of each stage, in the order of the stages. Returns 0, or -1 with err. */
int tsh_stages_prepare(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_err *err);
/*
 * Begins the stages, from the last to the first. Before the call, *to is the output, or NULL when
 * the last stage takes its place; afterwards *to is the first stage, the consumer for the source.
 * Returns 0, or -1 with err.
 */
int tsh_stages_begin(const struct tsh_stages *stages, struct tsh_open_stream *stream, struct tsh_consumer **to,
		     struct tsh_err *err);
/* Calls .last, then .report, of each stage, when no more event comes. The functions below call
 * .end, .append_clause and .forget of each stage. */
void tsh_stages_finish(const struct tsh_stages *stages);
void tsh_stages_end(const struct tsh_stages *stages);
void tsh_stages_append_clauses(const struct tsh_stages *stages, struct tsh_strbuf *text);
void tsh_stages_forget(const struct tsh_stages *stages);
/* Says whether a stage's results depend on names of tasks (.asks_for_names). */
bool tsh_stages_ask_for_names(const struct tsh_stages *stages);
/* Say whether a stage can end the stream (.is_done), and whether one of them says that it can end
 * now. */
bool tsh_stages_can_end(const struct tsh_stages *stages);
bool tsh_stages_are_done(const struct tsh_stages *stages);

/* Passes an event that was held back to the next stage, and adds it to the stream's summary when
 * the next stage counts it. */
void tsh_stage_pass_held(const struct tsh_stage *stage, const struct tsh_record *rec, bool late);

#endif
