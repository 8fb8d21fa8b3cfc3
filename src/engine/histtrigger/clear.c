/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "triggers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/dryrun/dryrun.h"
#include "kernel/journal/journal.h"
#include "session/util.h"

int tsh_trigger_write(struct tsh_session *s, const struct tsh_event *event, const char *text,
		      struct tsh_err *err)
{
	char *path = tsh_event_path(event, "trigger");
	int r = tsh_session_write(s, path, TSH_WRITE_ADD, text, NULL, err);

	if (r < 0 && err->number == ENOENT && !tsh_file_exists(s->in, path))
		tsh_err_set(err, TSH_FAILED, "the event '%s:%s' takes no triggers", event->system,
			    event->name);
	free(path);
	return r;
}

bool tsh_trigger_exists(const struct tsh_instance *in, const struct tsh_event *event,
			const struct tsh_trigger *trigger)
{
	struct tsh_triggers now = { 0 };
	bool found;

	tsh_triggers_read(in, event, &now);
	found = tsh_triggers_find(&now, trigger) != NULL;
	tsh_triggers_release(&now);
	return found;
}

int tsh_trigger_remove(struct tsh_session *s, const struct tsh_event *event,
		       const struct tsh_trigger *trigger, struct tsh_err *err)
{
	char *text = tsh_trigger_removal(trigger);
	int r;

	/* the kernel needs no filter to remove a trigger, but the script of --dry-run compares the
	 * text with that of the trigger */
	if (s->dir->dry && !trigger->is_hist && trigger->filter) {
		free(text);
		text = tsh_xasprintf("!%s if %s", trigger->command, trigger->filter);
	}
	r = tsh_trigger_write(s, event, text, err);

	free(text);
	if (r < 0 && err->number == EBUSY) {
		tsh_err_set(err, TSH_FAILED, "the histogram of '%s:%s' is in use: another one "
			    "uses its variables", event->system, event->name);
		err->number = EBUSY;
	}
	if (r >= 0 && tsh_trigger_exists(s->in, event, trigger)) {
		tsh_err_set(err, TSH_FAILED, "the kernel did not remove '%s' of '%s:%s', though "
			    "it said so", trigger->command, event->system, event->name);
		return -1;
	}
	return r < 0 ? -1 : 0;
}

/* Removes the triggers of an event, but not those that are in use, which it adds to *busy. Returns
 * how many were removed, or -1 with err. */
static int clear_event(struct tsh_session *s, const struct tsh_event *event, size_t *busy,
		       struct tsh_err *err)
{
	struct tsh_triggers triggers = { 0 };
	int r = 0, removed = 0;
	size_t i;

	if (s->dir->dry)
		return tsh_trigger_write(s, event, TSH_TRIGGERS_ALL, err) < 0 ? -1 : 1;
	tsh_triggers_read(s->in, event, &triggers);
	for (i = 0; !r && i < triggers.n; i++) {
		r = tsh_trigger_remove(s, event, &triggers.v[i], err);
		removed += !r;
		if (r < 0 && err->number == EBUSY) {
			++*busy;
			r = 0;
		}
	}
	tsh_triggers_release(&triggers);
	return r < 0 ? -1 : removed;
}

int tsh_triggers_clear(struct tsh_session *s, const struct tsh_events *events,
		       struct tsh_err *err)
{
	size_t i, busy, total = 0, removed;

	do {
		busy = removed = 0;
		for (i = events->n; i-- > 0;) {
			int r = clear_event(s, &events->v[i], &busy, err);

			if (r < 0)
				return -1;
			removed += (size_t)r;
		}
		total += removed;
	} while (busy && removed);
	if (busy)
		return -1;
	tsh_err_release(err);
	return (int)total;
}

int tsh_triggers_remove(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
			bool filtered, size_t *ret_removed, struct tsh_err *err)
{
	size_t i, k, removed = 0;
	int r = 0;

	/* Remove each trigger by its own text. For "!traceoff" the kernel would remove a traceon as
	 * well, and it reports success even if it removes nothing. */
	for (i = 0; !r && i < events->n; i++) {
		struct tsh_triggers now = { 0 };

		if (s->dir->dry) {
			r = tsh_trigger_remove(s, &events->v[i], wanted, err);
			removed++;
		}
		tsh_triggers_read(s->in, &events->v[i], &now);
		for (k = 0; !r && !s->dir->dry && k < now.n; k++) {
			if (strcmp(now.v[k].command, wanted->command) != 0 ||
			    ((filtered || wanted->is_hist) && !tsh_trigger_same(&now.v[k], wanted)))
				continue;
			r = tsh_trigger_remove(s, &events->v[i], &now.v[k], err);
			removed += !r;
		}
		tsh_triggers_release(&now);
	}
	*ret_removed = removed;
	return r;
}

bool tsh_trigger_has_stopped(const struct tsh_instance *in)
{
	const struct tsh_journal *j = in->dir->journal;
	size_t i;

	if (tsh_file_number(in, "tracing_on", 1))
		return false;
	for (i = j ? j->entries.n : 0; i-- > 0;) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];

		if (!strcmp(entry->path, "tracing_on") &&
		    !strcmp(entry->instance ? entry->instance : "", in->name ? in->name : ""))
			return *entry->text != '0';
	}
	return true;
}
