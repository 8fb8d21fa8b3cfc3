/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enable.h"

#include <errno.h>
#include <stdlib.h>

#include "base/now.h"
#include "counter.h"
#include "flight-recorder.h"
#include "session/event-format.h"
#include "session/filters.h"
#include "where.h"

/* Enables the events of a call, each with a filter: that of the user, and the part of `where`
 * that the kernel can evaluate. */

/* Limits how long events are enabled before events are read again, in ns. */
#define PORTION_NS (5 * 1000 * 1000)

const char *tsh_where_no_pushdown(const struct tsh_call *call)
{
	if (!call->events.n && !tsh_call_is_live(call))
		return "the events are not enabled for this command";
	if (tsh_args_has(&call->args, "here"))
		return "other programs may use the events of the current instance";
	if (tsh_args_has(&call->args, "no-pushdown"))
		return "--no-pushdown";
	if (tsh_flight_recorder_of(call))
		return "--stop-when needs every event";
	if (tsh_query_needs_all(tsh_where_query(call)) || tsh_counter_needs_all(call))
		return "delta needs every event";
	return NULL;
}

bool tsh_where_split(struct tsh_session *s, const struct tsh_call *call,
		     const struct tsh_event *event, struct tsh_query_split *ret,
		     unsigned int *ret_id)
{
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	const struct tsh_where *where = tsh_where_of(call);
	struct tsh_err ignored = { 0 };
	bool can = format && !tsh_query_split(where->query, where->decoder, format, sizeof(long), ret, &ignored);

	*ret_id = format ? format->id : 0;
	tsh_err_release(&ignored);
	tsh_event_format_free(format);
	return can;
}

/*
 * Writes a filter for the event that joins `filter` and the part of `where` that the kernel can
 * evaluate. Does so only in an instance of our own, where no other program uses the events. Returns
 * 1 when it is written; 0 when there is no such part, or the kernel has refused it: the caller then
 * writes `filter` alone.
 */
static int push_down(struct tsh_session *s, struct tsh_instance *in,
		     const struct tsh_event *event, const struct tsh_call *call,
		     const char *filter, bool replaces)
{
	struct tsh_query *where = tsh_where_query(call);
	struct tsh_query_split split = { 0 };
	struct tsh_err refused = { 0 };
	unsigned int id = 0;
	char *text;
	int r = -1;

	if (!where || !in->own || tsh_where_no_pushdown(call))
		return 0;
	if (tsh_where_split(s, call, event, &split, &id) && split.filter.len) {
		text = *filter ? tsh_xasprintf("(%s) && %s", filter, split.filter.buf) :
				 tsh_xstrdup(split.filter.buf);
		r = tsh_own_write_filter(s, in, event, call, text, replaces, &refused);
		if (!r && !replaces)
			tsh_query_filtered(where, id);
		tsh_err_release(&refused);
		free(text);
	}
	/* Let tracesh evaluate the whole `where` for each event of this kind: the kernel evaluates
	 * no part of it from now on, and events recorded until now have passed the old filter. */
	if (r && replaces)
		tsh_query_unfiltered(where, id);
	tsh_query_split_release(&split);
	return !r;
}

int tsh_own_refilter(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		     const char *filter, struct tsh_err *err)
{
	size_t i;

	/* Check first: an event whose filter is refused would be recorded unfiltered. */
	if (*filter && tsh_filters_check_text(s, &call->events, filter, err) < 0)
		return -1;
	for (i = 0; i < call->events.n; i++)
		if (push_down(s, in, &call->events.v[i], call, filter, true) <= 0 &&
		    tsh_own_write_filter(s, in, &call->events.v[i], call, filter, true, err) < 0)
			return -1;
	return 0;
}

static int enable_event(struct tsh_session *s, struct tsh_instance *in,
			const struct tsh_event *event, const struct tsh_call *call,
			struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_counter_lacks_filter(call, event) ? NULL : tsh_filters_value(call);
	const struct tsh_value *word = tsh_args_get(&call->args, "EVENT");
	const char *text = filter ? filter->word.text : "";
	char *path;
	int r = push_down(s, in, event, call, text, false);

	if (r <= 0)
		r = tsh_own_write_filter(s, in, event, call, text, false, err);

	if (r < 0 && filter)
		tsh_err_blame(err, filter->word.span);
	path = tsh_event_path(event, "enable");
	if (r >= 0)
		r = tsh_file_write(in, path, TSH_WRITE_SET, "1", err);
	if (r < 0 && err->number == ENOENT)
		tsh_err_set(err, TSH_FAILED, "the event '%s:%s' cannot be enabled",
			    event->system, event->name);
	if (r < 0 && word)
		tsh_err_blame(err, word->word.span);
	free(path);
	return r;
}

int tsh_own_enable_some(struct tsh_session *s, struct tsh_instance *in,
			const struct tsh_call *call, size_t *next, struct tsh_err *err)
{
	int64_t start = tsh_now_ns(CLOCK_MONOTONIC);

	while (*next < call->events.n) {
		const struct tsh_event *event = &call->events.v[(*next)++];

		if (enable_event(s, in, event, call, err) < 0)
			return -1;
		tsh_own_note_switches(s, in, event);
		if (tsh_now_ns(CLOCK_MONOTONIC) - start >= PORTION_NS)
			break;
	}
	return *next < call->events.n;
}

static bool is_interrupted(struct tsh_session *s)
{
	enum tsh_wait_result result = tsh_wait(s->waiter, NULL, 0, 0);

	s->aborted |= result == TSH_WAIT_ABORT;
	return result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT;
}

int tsh_own_enable(struct tsh_session *s, struct tsh_instance *in, const struct tsh_call *call,
		   struct tsh_err *err)
{
	size_t next = 0;
	int r;

	while ((r = tsh_own_enable_some(s, in, call, &next, err)) > 0)
		if (is_interrupted(s))
			return tsh_err_set(err, TSH_FAILED, "interrupted while events were being enabled");
	return r;
}
