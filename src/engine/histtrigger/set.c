/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "triggers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/tracefs/errlog.h"
#include "session/ask.h"
#include "session/snapshot-size.h"
#include "session/util.h"

/* Sets triggers. */

/* Refuses a second trigger of the same kind, for which the kernel only reports EEXIST. Returns 1
 * when the event has exactly this trigger already; 0 when it has none of the kind; -1 with err. */
static int check_rival(struct tsh_session *s, const struct tsh_event *event,
		       const struct tsh_trigger *wanted, struct tsh_err *err)
{
	struct tsh_triggers now = { 0 };
	const struct tsh_trigger *rival;
	char *text, *behind;
	int r = 0;

	tsh_triggers_read(s->in, event, &now);
	rival = tsh_triggers_find_same_kind(&now, wanted);
	if (rival && tsh_trigger_same(rival, wanted) && rival->left == wanted->left) {
		r = 1;
	} else if (rival) {
		text = tsh_trigger_text(rival);
		tsh_err_set(err, TSH_FAILED, "'%s:%s' has a trigger of this kind already: %s",
			    event->system, event->name, text);
		free(text);
		text = tsh_xasprintf("%s:%s", event->system, event->name);
		behind = tsh_xasprintf(" !%s", rival->command);
		tsh_err_hint_word(err, "trigger ", text, behind);
		free(behind);
		free(text);
		r = -1;
	}
	tsh_triggers_release(&now);
	return r;
}

/* Holds the words that a trigger was made of. */
struct typed {
	const struct tsh_value *action, *filter;	/* filter: or NULL */
};

/* Makes err, which blames a place in "ACTION if FILTER", blame the words that were typed. */
static void convert_span(const struct typed *typed, struct tsh_err *err)
{
	const struct tsh_value *action = typed->action, *filter = typed->filter;
	size_t behind = action->word.len + strlen(" if ");

	if (!err->span.end)
		err->span = action->word.span;
	else if (err->span.begin < action->word.len || !filter)
		err->span = tsh_word_span(&action->word, err->span.begin, err->span.end);
	else if (err->span.begin >= behind)
		err->span = tsh_word_span(&filter->word, err->span.begin - behind,
					  err->span.end - behind);
	else
		err->span = filter->word.span;
}

/* Sets err to the reason why the kernel has refused the trigger, and blames its words. */
static void explain(struct tsh_session *s, const struct typed *typed, const struct tsh_event *event, const char *mark,
		    const char *text, struct tsh_err *err)
{
	if (!err->number || err->number == ENODEV || err->number == EACCES ||
	    err->number == EROFS || err->number == ENOENT) {
		tsh_err_blame(err, typed->action->word.span);
		return;
	}
	if (tsh_errlog_explain(s->in, mark, "the trigger", text, err)) {
		convert_span(typed, err);
		return;
	}
	if (err->number == EEXIST)
		tsh_err_set(err, TSH_FAILED, "'%s:%s' has this trigger already", event->system,
			    event->name);
	else if (err->number == ENOMEM)
		tsh_err_set(err, TSH_FAILED, "there is not enough memory for the trigger");
	else
		tsh_err_set(err, TSH_FAILED, "the kernel refuses the trigger: %s",
			    strerror(err->number));
	tsh_err_blame(err, typed->action->word.span);
}

/* Sets the clock of the instance before a histogram of times does, so that undo can restore it. The
 * kernel sets it once more, which erases the buffer and the snapshot. */
static int set_hist_clock(struct tsh_session *s, const struct tsh_trigger *trigger,
			  struct tsh_err *err)
{
	static const char mark[] = ":clock=";
	const char *found;
	char *clock;
	int r;

	if (!trigger->is_hist || !strstr(trigger->command, "common_timestamp"))
		return 0;
	found = strstr(trigger->command, mark);
	clock = found ? tsh_xstrndup(found + strlen(mark), strcspn(found + strlen(mark), ":")) :
			tsh_xstrdup("global");
	r = tsh_cmd_confirm_erase(s, s->in, TSH_ERASES_ALL, "a histogram of times", err);
	if (!r)
		r = tsh_session_write(s, "trace_clock", TSH_WRITE_SET, clock, NULL, err);
	if (r > 0)
		tsh_out_note(s->out, "a histogram of times sets the clock of '%s' to %s", tsh_instance_label(s->in), clock);
	free(clock);
	return r < 0 ? -1 : 0;
}

/* Sets the trigger of one event. Returns 1; 0 when the trigger exists already; -1 with err. */
static int set_trigger(struct tsh_session *s, const struct typed *typed, const struct tsh_event *event,
		       const struct tsh_trigger *wanted, struct tsh_err *err)
{
	char *text = tsh_trigger_text(wanted), *mark = tsh_errlog_mark(s->in);
	int r = tsh_trigger_write(s, event, text, err);

	if (r < 0)
		explain(s, typed, event, mark, text, err);
	else if (!wanted->is_hist && !tsh_trigger_exists(s->in, event, wanted))
		r = tsh_err_set(err, TSH_FAILED, "the kernel took '%s' for '%s:%s' and does not "
				"list it", text, event->system, event->name);
	free(mark);
	free(text);
	return r < 0 ? -1 : r;
}

/* Asks once for all histograms that would be emptied. */
static int confirm_emptying(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
			    struct tsh_err *err)
{
	char *text = tsh_trigger_text(wanted), *event = NULL;
	size_t i, histograms, n = 0;
	uint64_t rows = 0;
	int r;

	for (i = 0; s->interactive && wanted->is_hist && i < events->n; i++) {
		char *path = tsh_event_path(&events->v[i], "trigger");
		uint64_t its = tsh_hist_rows_emptied(s->in, path, text, &histograms);

		if (its && !n++)
			event = tsh_trigger_event(path);
		rows += its;
		free(path);
	}
	r = tsh_cmd_confirm_rows(s, s->in, n > 1 ? NULL : event, rows, err);
	free(event);
	free(text);
	return r;
}

int tsh_triggers_set(struct tsh_session *s, const struct tsh_events *events, const struct tsh_trigger *wanted,
		     const struct tsh_value *action, const struct tsh_value *filter, struct tsh_err *err)
{
	bool *there = tsh_xcalloc(events->n, sizeof(*there));
	const struct typed typed = { action, filter };
	size_t i, set = 0;
	int r = 0;

	/* Checks all events before the first trigger is set. */
	for (i = 0; r >= 0 && i < events->n; i++) {
		r = check_rival(s, &events->v[i], wanted, err);
		there[i] = r > 0;
	}
	if (r < 0)
		tsh_err_blame(err, action->word.span);
	else if (!strcmp(wanted->command, "snapshot"))
		r = tsh_snapshot_check_memory(s, action, err);
	if (r >= 0)
		r = confirm_emptying(s, events, wanted, err);
	if (r >= 0)
		r = set_hist_clock(s, wanted, err);
	/* Write a trigger even if it exists, so that the journal has an entry for it: the session
	 * that has set it can end before ours. */
	for (i = 0; r >= 0 && i < events->n; i++) {
		if (there[i] && s->dir->dry)
			continue;
		r = set_trigger(s, &typed, &events->v[i], wanted, err);
		set += r > 0;
	}
	free(there);
	if (r < 0)
		return -1;
	tsh_out_note(s->out, "trigger %s on %zu event%s in '%s'%s", wanted->command,
		     events->n, tsh_plural(events->n), tsh_instance_label(s->in),
		     set ? "" : " (as before)");
	return 0;
}
