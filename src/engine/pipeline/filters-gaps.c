/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filters-gaps.h"

#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "session/filters.h"
#include "session/own-instance.h"
#include "session/util.h"
#include "where.h"

char *tsh_filters_read(struct tsh_session *s, const struct tsh_call *call, const struct tsh_event *event)
{
	return tsh_filters_value(call) && !tsh_counter_lacks_filter(call, event) ? NULL : tsh_event_filter(s->in, event);
}

void tsh_filters_warn_gap(struct tsh_session *s, const struct tsh_event *event, const char *filter, const char *what)
{
	bool is_tree = s->dir->kind == TSH_DIR_TREE;

	tsh_out_warn(s->out, "the filter of %s:%s (%s) %s events out%s: %s", event->system, event->name, filter,
		     is_tree ? "left" : "leaves", is_tree ? " of the recording" : "", what);
}

/* Warns of the first event with a filter, because delta is the time since the previous event of the
 * same task. */
static void warn_delta(struct tsh_session *s, const struct tsh_call *call)
{
	const struct tsh_events *events = &call->events;
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	char *filter = NULL;
	size_t i;

	if (!events->n) {
		events = &all;
		if ((s->dir->kind == TSH_DIR_TREE ? tsh_events_available(s->dir, &all, &ignored) :
						    tsh_events_enabled(s->in, &all, &ignored)) < 0)
			tsh_err_release(&ignored);
	}
	for (i = 0; i < events->n && !filter && !tsh_cmd_is_aborted(s); i++)
		filter = tsh_filters_read(s, call, &events->v[i]);
	if (filter)
		tsh_filters_warn_gap(s, &events->v[i - 1], filter, "delta is from the last event "
								   "that passed it");
	else if (tsh_own_lacks_cpus(s->in))
		tsh_out_warn(s->out, "not all CPUs %s: delta is from the last event on those that %s",
			     s->dir->kind == TSH_DIR_TREE ? "were recorded" : "are traced here",
			     s->dir->kind == TSH_DIR_TREE ? "were" : "are");
	tsh_events_release(&all);
	free(filter);
}

/* Notes that a recording was made with filters, which its counts do not show. */
static void note_recorded(struct tsh_session *s)
{
	struct tsh_events events = { 0 };
	struct tsh_strlist texts = { 0 };

	tsh_filters_list(s, s->in, &events, &texts);
	if (events.n == 1)
		tsh_out_note(s->out, "%s:%s was recorded with a filter: %s", events.v[0].system, events.v[0].name,
			     texts.v[0]);
	else if (events.n)
		tsh_out_note(s->out, "%zu events were recorded with filters: 'filter' lists them", events.n);
	tsh_events_release(&events);
	tsh_strlist_release(&texts);
}

void tsh_filters_note_gaps(struct tsh_session *s, const struct tsh_call *call)
{
	const struct tsh_counter *counter = tsh_counter_of(call);
	const struct tsh_query *where = tsh_where_query(call);
	bool are_pairs = counter && counter->ops->note_gaps(s, call);

	if ((where && tsh_query_needs_all(where)) || tsh_counter_needs_all(call))
		warn_delta(s, call);
	else if (counter && !are_pairs && s->dir->kind == TSH_DIR_TREE)
		note_recorded(s);
}
