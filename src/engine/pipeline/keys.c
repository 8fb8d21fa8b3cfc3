/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keys.h"

#include <stdlib.h>

#include "base/caret.h"
#include "base/machine.h"
#include "base/xmalloc.h"
#include "session/filters.h"

static void clear_screen(struct tsh_stream_keys *w)
{
	static const char sequence[] = "\033[H\033[2J";

	if (w->session->out->is_terminal && tsh_terminal_can_move_cursor())
		tsh_strbuf_add(&w->session->out->data, sequence, sizeof(sequence) - 1);
}

/* Switches the times to the next style; the setting of the session stays. */
static void change_times(struct tsh_stream_keys *w)
{
	enum tsh_time_style style = w->sink->time.style + 1;
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!tsh_time_style_names[style])
		style = 0;
	tsh_sink_set_time(w->sink, style);
	tsh_strbuf_addf(&text, "times from here on: %s", tsh_time_style_names[style]);
	tsh_sink_note(w->sink, text.buf);
	tsh_strbuf_release(&text);
}

#define FILTER_PROMPT "filter: "

/* Returns "stream EVENT.. if ", or the same with hist: the command that the typed filter
 * completes. The caller frees it. */
static char *command_of(const struct tsh_call *call)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&text, tsh_call_name(call));
	for (i = 0; i < call->events.n; i++)
		tsh_strbuf_addf(&text, " %s:%s", call->events.v[i].system, call->events.v[i].name);
	tsh_strbuf_adds(&text, " if ");
	return tsh_strbuf_detach(&text);
}

/* Prints a caret below the line that was typed, and the error, as at the prompt. */
static void blame_filter(struct tsh_stream_keys *w, const char *text, const struct tsh_err *err)
{
	struct tsh_out *out = w->session->out;

	tsh_strbuf_addn(&out->data, ' ', strlen(FILTER_PROMPT));
	tsh_caret_add(&out->data, text, 0, strlen(text), err->span);
	tsh_out_warn(out, "%s", err->message);
	if (err->hint)
		tsh_out_note(out, "%s", err->hint);
}

/* Asks until the kernel accepts a filter; Escape and Ctrl-C leave the old one. */
static void ask_for_filter(struct tsh_stream_keys *w)
{
	const struct tsh_stream_spec *f = w->spec;
	struct tsh_session *s = w->session;
	char *before, *typed = tsh_xstrdup(w->filter), *text;
	bool refused = true;

	tsh_out_flush(s->out);
	before = command_of(f->filtered);
	while (refused && (text = s->terminal->keys_ask(s->terminal_ctx, FILTER_PROMPT, before,
							typed))) {
		struct tsh_err err = { 0 };

		free(typed);
		typed = text;
		refused = f->refilter(f->refilter_ctx, text, &err) < 0;
		if (refused)
			blame_filter(w, text, &err);
		tsh_out_flush(s->out);
		tsh_err_release(&err);
	}
	if (refused) {
		free(typed);
	} else {
		char *note = tsh_xasprintf("filter for what happens from now on: %s",
					   *typed ? typed : "none");

		if (f->sink)
			tsh_out_note(s->out, "%s", note);
		else
			tsh_sink_note(w->sink, note);
		free(note);
		free(w->filter);
		w->filter = typed;
	}
	free(before);
}

static enum tsh_stream_request pause_or_go_on(struct tsh_stream_keys *w)
{
	w->paused = !w->paused;
	if (w->paused)
		tsh_out_note(w->session->out, "paused: space goes on, q ends; up to 8 MB of events "
					      "are kept meanwhile");
	return w->paused ? TSH_REQUEST_PAUSE : TSH_REQUEST_CONTINUE;
}

/* Names the keys: at each '?', and once after a key that has no meaning. */
static void note_keys(struct tsh_stream_keys *w, bool asked)
{
	if (asked || !w->has_named_keys)
		tsh_out_note(w->session->out, "q ends, space pauses, / filters, c clears the "
			     "screen%s", w->spec->sink ? "" : ", t changes the times");
	w->has_named_keys = true;
}

static enum tsh_stream_request read_keys(void *ctx)
{
	struct tsh_stream_keys *w = ctx;
	struct tsh_session *s = w->session;
	int key;

	while ((key = s->terminal->keys_read(s->terminal_ctx)) >= 0) {
		switch (key) {
		case 'q':
		case 'Q':
			return TSH_REQUEST_STOP;
		case ' ':
			return pause_or_go_on(w);
		case '/':
			if (w->filter)
				ask_for_filter(w);
			else
				tsh_out_note(s->out, "/ works with stream EVENT.. only: use filter "
						     "for these events");
			break;
		case 'c':
			clear_screen(w);
			break;
		case 't':
			if (!w->spec->sink)
				change_times(w);
			break;
		case '\r':
		case '\n':
			/* Enter separates the events so far from the next ones by an empty line. */
			if (s->out->is_terminal)
				tsh_strbuf_addc(&s->out->data, '\n');
			break;
		default:
			note_keys(w, key == '?');
		}
	}
	return TSH_REQUEST_NONE;
}

void tsh_stream_keys_begin(struct tsh_stream_keys *w, struct tsh_session *s, const struct tsh_stream_spec *f,
			   struct tsh_sink *sink, struct tsh_stream_options *opt)
{
	*w = (struct tsh_stream_keys){ .session = s, .spec = f, .sink = sink };
	opt->request_fd = -1;
	/* During `run` the keys belong to its program, and in a watch to the watch. */
	if (!s->terminal || s->is_watched || f->done || f->drain)
		return;
	opt->request_fd = s->terminal->keys_begin(s->terminal_ctx);
	if (opt->request_fd < 0)
		return;
	w->has_keys = true;
	if (f->refilter) {
		const struct tsh_value *filter = tsh_filters_value(f->filtered);

		w->filter = tsh_xstrdup(filter ? filter->word.text : "");
	}
	opt->request = read_keys;
	opt->request_ctx = w;
}

void tsh_stream_keys_end(struct tsh_stream_keys *w)
{
	const struct tsh_session *s = w->session;

	free(w->filter);
	w->filter = NULL;
	if (w->has_keys)
		s->terminal->keys_end(s->terminal_ctx);
}
