/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "triggers.h"

#include <stdlib.h>
#include <string.h>

#include "session/util.h"

/* Lists the triggers of events. */

/* Counts the triggers that were found. */
struct seen {
	size_t n;		/* found; TSH_TRIGGERS_MAX of them are listed */
	bool stops;		/* one of them is a traceoff */
};

static void add_rows(struct tsh_session *s, struct tsh_table *table,
		     const struct tsh_event *event, struct seen *seen)
{
	struct tsh_triggers triggers = { 0 };
	size_t i;

	tsh_triggers_read(s->in, event, &triggers);
	for (i = 0; i < triggers.n && seen->n + i < TSH_TRIGGERS_MAX; i++) {
		const struct tsh_trigger *trigger = &triggers.v[i];
		char *label = tsh_xasprintf("%s:%s", event->system, event->name);
		char *left = trigger->left < 0 ? NULL :
			     tsh_xasprintf("%lld", (long long)trigger->left);

		tsh_table_texts(table, label, trigger->command,
				left ? left : trigger->is_paused ? "paused" : NULL, trigger->filter);
		seen->stops = seen->stops || !strcmp(trigger->command, "traceoff");
		free(left);
		free(label);
	}
	seen->n += triggers.n;
	tsh_triggers_release(&triggers);
}

static int check_listed(struct tsh_session *s, const struct tsh_events *events,
			const struct seen *seen, struct tsh_err *err)
{
	/* Fail when a trigger file could not be read, because its number of triggers is unknown. */
	if (tsh_dir_check_unread(s->dir, err) < 0)
		return -1;
	if (seen->n <= TSH_TRIGGERS_MAX)
		return 0;
	tsh_err_set(err, TSH_FAILED, "%zu more triggers are not listed", seen->n - TSH_TRIGGERS_MAX);
	if (events->n > 1)
		tsh_err_hint(err, "trigger SYSTEM:EVENT lists those of one event");
	else
		tsh_err_hint(err, "cat events/%s/%s/trigger", events->v[0].system,
			     events->v[0].name);
	return -1;
}

int tsh_triggers_list(struct tsh_session *s, const struct tsh_events *events, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "trigger", TSH_COLUMN_TEXT },
		{ "left", TSH_COLUMN_TEXT }, { "filter", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "trigger", columns);
	struct seen seen = { 0 };
	char *name;
	size_t i;

	for (i = 0; i < events->n && !tsh_cmd_is_aborted(s); i++)
		add_rows(s, table, &events->v[i], &seen);
	tsh_table_end(table);
	if (s->aborted)
		return -1;
	name = tsh_cmd_instance_name(s->in);
	if (!seen.n)
		tsh_out_note(s->out, "there is no trigger in '%s'", name);
	free(name);
	if (seen.stops && tsh_trigger_has_stopped(s->in))
		tsh_out_note(s->out, "tracing is off in '%s', and not by this session: a traceoff "
			     "trigger has fired, or somebody did it; on", tsh_instance_label(s->in));
	return check_listed(s, events, &seen, err);
}

int tsh_triggers_list_all(struct tsh_session *s, struct tsh_err *err)
{
	/* A trigger soft-enables its event, so that set_event lists the event. */
	struct tsh_events armed = { 0 };
	int r = tsh_events_enabled(s->in, &armed, err);

	if (!r)
		r = tsh_triggers_list(s, &armed, err);
	tsh_events_release(&armed);
	return r;
}
