/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "where.h"

#include <stdlib.h>

#include "base/xmalloc.h"
#include "session/util.h"

/* Passes on the events that match the expression of `where`, and counts the others. */

const char *tsh_where_next_unknown(struct tsh_query *query, size_t *reported)
{
	const struct tsh_strlist *words = &tsh_query_account(query)->words;
	struct tsh_span ignored;
	const char *beside;

	while (*reported < words->n) {
		const char *word = words->v[(*reported)++];

		/* In `prev_state == D`, D names a value of prev_state. When the event knows neither
		 * of them, report only prev_state. */
		if (!tsh_query_name_at(query, word, &ignored, &beside) || !beside || !tsh_strlist_has(words, beside))
			return word;
	}
	return NULL;
}

/* Notes, once each, the names that an event does not have, and the reason why the expression cannot
 * be evaluated. */
static void __attribute__((noinline)) note_unknown(struct tsh_where_stage *w, const struct tsh_record *rec)
{
	const struct tsh_open_stream *stream = w->stage.stream;
	const struct tsh_event_format *format;
	struct tsh_common common;
	const char *word;

	if (!tsh_decoder_common(stream->decoder, rec, &common) ||
	    !(format = tsh_decoder_format(stream->decoder, common.id)))
		return;
	while ((word = tsh_where_next_unknown(w->query, &w->reported)))
		tsh_out_note(stream->out, "%s:%s has no '%s': comparisons with it are unknown, and "
					  "events for which the where is unknown are not "
					  "printed", format->system, format->name,
			     word);
	if (w->account->refused && !w->reported_refused)
		tsh_out_warn(stream->out, "%s: it is not printed", w->account->refused);
	w->reported_refused = w->account->refused;
}

static bool where_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_where_stage *w = (struct tsh_where_stage *)consumer;
	const struct tsh_open_stream *stream = w->stage.stream;
	bool matches = tsh_query_match(w->query, stream->decoder, stream->layout, rec);
	struct tsh_consumer *next = w->stage.next;

	if (!w->is_copy && (w->account->words.n > w->reported || (w->account->refused && !w->reported_refused)))
		note_unknown(w, rec);
	if (!matches) {
		w->unmatched++;
		if (next->dropped)
			next->dropped(next, rec);
		return false;
	}
	next->ahead = consumer->ahead;
	return next->event(next, rec, late);
}

/* Counts delta also from events that an earlier stage has left out. */
static void where_dropped(struct tsh_consumer *consumer, const struct tsh_record *rec)
{
	struct tsh_where_stage *w = (struct tsh_where_stage *)consumer;

	tsh_query_observe(w->query, w->stage.stream->decoder, w->stage.stream->layout, rec);
	if (w->stage.next->dropped)
		w->stage.next->dropped(w->stage.next, rec);
}

static int where_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	struct tsh_where_stage *w = (struct tsh_where_stage *)stage;

	(void)err;
	w->account = tsh_query_account(w->query);
	w->reported = 0;
	w->reported_refused = false;
	w->unmatched = 0;
	tsh_query_set_clock(w->query, stage->stream->clock);
	stage->consumer.learns_all = true;
	return 0;
}

static void where_report(const struct tsh_stage *stage)
{
	tsh_summary_add_left_out(stage->stream->sum, TSH_UNMATCHED, ((const struct tsh_where_stage *)stage)->unmatched);
}

/* Appends "3,000 not matching, ", with the numbers of unknown results and divisions by zero.
 * Events that the kernel's filter has excluded are not counted. */
static void where_clause(const struct tsh_stage *stage, struct tsh_strbuf *text)
{
	const struct tsh_where_stage *w = (const struct tsh_where_stage *)stage;
	const struct tsh_query_account *account = tsh_query_account(w->query);

	if (!w->unmatched)
		return;
	tsh_format_count(w->unmatched, text);
	tsh_strbuf_adds(text, " not matching");
	if (account->unknown) {
		tsh_strbuf_adds(text, " (");
		tsh_format_count(account->unknown, text);
		tsh_strbuf_adds(text, " unknown)");
	}
	if (account->divisions) {
		tsh_strbuf_adds(text, ", ");
		tsh_format_count(account->divisions, text);
		tsh_strbuf_adds(text, " divided by zero");
	}
	tsh_strbuf_adds(text, ", ");
}

static bool where_asks_for_names(const struct tsh_stage *stage)
{
	return tsh_query_needs_names(((const struct tsh_where_stage *)stage)->query);
}

static bool where_fork(const struct tsh_stage *stage, struct tsh_stage **ret)
{
	struct tsh_query *query = tsh_query_fork(((const struct tsh_where_stage *)stage)->query);
	struct tsh_where_stage *copy;

	if (!query)
		return false;
	copy = tsh_xcalloc(1, sizeof(*copy));
	*ret = tsh_where_stage(copy, query);
	copy->is_copy = true;
	return true;
}

static void where_join(struct tsh_stage *stage, struct tsh_stage *copy)
{
	struct tsh_where_stage *w = (struct tsh_where_stage *)stage, *of = (struct tsh_where_stage *)copy;

	w->unmatched += of->unmatched;
	of->unmatched = 0;
	tsh_query_join(w->query, of->query);
}

static bool where_remarks(const struct tsh_stage *stage, const struct tsh_event_format *format)
{
	const struct tsh_open_stream *stream = stage->stream;
	struct tsh_strlist unknown = { 0 };
	struct tsh_err err = { 0 };
	bool remarks = tsh_query_check(((const struct tsh_where_stage *)stage)->query, stream->decoder, format,
				       stream->layout->long_size, &unknown, &err) < 0 || unknown.n;

	tsh_strlist_release(&unknown);
	tsh_err_release(&err);
	return remarks;
}

static void where_free(struct tsh_stage *copy)
{
	tsh_query_free(((struct tsh_where_stage *)copy)->query);
	free(copy);
}

static const struct tsh_stage_kind kind = {
	.name = "where", .begin = where_begin, .event = where_event, .dropped = where_dropped, .report = where_report,
	.append_clause = where_clause, .fork = where_fork, .join = where_join, .free = where_free, .remarks = where_remarks,
	.asks_for_names = where_asks_for_names,
};

struct tsh_stage *tsh_where_stage(struct tsh_where_stage *w, struct tsh_query *query)
{
	*w = (struct tsh_where_stage){ .stage.kind = &kind, .query = query };
	return query ? &w->stage : NULL;
}
