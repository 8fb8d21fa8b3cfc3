/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ask.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "erasing.h"
#include "kernel/tracefs/trigger.h"
#include "read-ahead.h"
#include "util.h"

/* Fails because nobody can be asked; the hint names --yes. */
static int refuse(const char *sentence, const struct tsh_value *value, const char *instead,
		  struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "%s: this needs --yes", sentence);
	if (instead)
		tsh_err_hint(err, "%s; or tracesh --yes", instead);
	else
		tsh_err_hint(err, "tracesh --yes, or: set confirm off");
	if (value)
		tsh_err_blame(err, value->word.span);
	return -1;
}

int tsh_cmd_confirm(struct tsh_session *s, const struct tsh_value *value, const char *instead,
		    struct tsh_err *err, const char *fmt, ...)
{
	struct tsh_strbuf sentence = TSH_STRBUF_INIT;
	enum tsh_answer answer;
	char *question;
	va_list ap;
	int r = 0;

	if (s->settings.confirm_off)
		return 0;
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&sentence, fmt, ap);
	va_end(ap);
	question = tsh_xasprintf("%s; go on? [y/N] ", sentence.buf);
	tsh_out_flush(s->out);
	answer = s->terminal ? s->terminal->confirm(s->terminal_ctx, question) : TSH_ANSWER_NOBODY;
	/* Sets no caret: the question stands between the typed line and this message. */
	if (answer == TSH_ANSWER_NO) {
		r = tsh_err_set(err, TSH_FAILED, "not done");
		err->number = ECANCELED;
	} else if (answer == TSH_ANSWER_NOBODY) {
		r = refuse(sentence.buf, value, instead, err);
	}
	free(question);
	tsh_strbuf_release(&sentence);
	return r;
}

static bool reads_instance(const struct tsh_reader *reader, const struct tsh_instance *in)
{
	if (!reader->instance || !in->name)
		return !reader->instance && !in->name;
	return !strcmp(reader->instance, in->name);
}

uint64_t tsh_cmd_count_unread_of(const struct tsh_session *s, const struct tsh_instance *in)
{
	uint64_t unread = tsh_cmd_entries(in);
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		if (reads_instance(&s->readers.v[i], in))
			unread += tsh_source_pending(s->readers.v[i].source);
	return unread;
}

/* Appends "erases 3 unread events of 'x' and 5 of its snapshot"; appends no text when both counts
 * are 0. */
static void add_losses(struct tsh_strbuf *out, const char *label, const char *verb, uint64_t unread, uint64_t held)
{
	if (unread || held)
		tsh_strbuf_addf(out, "%s ", verb);
	if (unread) {
		tsh_format_count(unread, out);
		tsh_strbuf_addf(out, " unread event%s of '%s'%s", tsh_plural(unread), label, held ? " and " : "");
	}
	if (!held)
		return;
	tsh_format_count(held, out);
	if (unread)
		tsh_strbuf_adds(out, " of its snapshot");
	else
		tsh_strbuf_addf(out, " event%s of the snapshot of '%s'", tsh_plural(held), label);
}

int tsh_cmd_confirm_erase(struct tsh_session *s, const struct tsh_instance *in, unsigned int what, const char *sentence,
			  struct tsh_err *err)
{
	bool some = what & (TSH_ERASES_SOME | TSH_ERASES_SNAPSHOT_SOME);
	struct tsh_strbuf losses = TSH_STRBUF_INIT;
	uint64_t unread = 0, held = 0;
	int r = 0;

	/* Does not ask for a recording, which cannot be written to. */
	if (!s->interactive || s->settings.confirm_off || (s->dir->kind == TSH_DIR_TREE && !s->dir->dry))
		return 0;
	if (what & (TSH_ERASES_BUFFER | TSH_ERASES_SOME))
		unread = some ? tsh_cmd_entries(in) : tsh_cmd_count_unread_of(s, in);
	if (what & (TSH_ERASES_SNAPSHOT | TSH_ERASES_SNAPSHOT_SOME))
		held = tsh_snapshot_entries(in);
	add_losses(&losses, tsh_instance_label(in), some ? "may erase some of" : "erases", unread, held);
	if (losses.len)
		r = tsh_cmd_confirm(s, NULL, NULL, err, "%s %s", sentence, losses.buf);
	tsh_strbuf_release(&losses);
	return r;
}

int tsh_cmd_confirm_rows(struct tsh_session *s, const struct tsh_instance *in, const char *event, uint64_t rows,
			 struct tsh_err *err)
{
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	int r;

	if (!s->interactive || s->settings.confirm_off || !rows)
		return 0;
	tsh_format_count(rows, &count);
	r = tsh_cmd_confirm(s, NULL, NULL, err, event ? "this erases %s row%s of the histogram of '%s' in '%s'" :
			    "this erases %s row%s of histograms%s in '%s'", count.buf, tsh_plural(rows), event ? event : "",
			    tsh_instance_label(in));
	tsh_strbuf_release(&count);
	return r;
}

static int confirm_hist(struct tsh_session *s, const struct tsh_instance *in, const char *path, const char *text,
			struct tsh_err *err)
{
	size_t histograms;
	uint64_t rows = tsh_hist_rows_emptied(in, path, text, &histograms);
	char *event = rows ? tsh_trigger_event(path) : NULL;
	int r = tsh_cmd_confirm_rows(s, in, event, rows, err);

	free(event);
	return r;
}

static int confirm_names(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	uint64_t names = tsh_cmd_count_names(s);
	int r = 0;

	tsh_format_count(names, &count);
	if (names)
		r = tsh_cmd_confirm(s, NULL, NULL, err, "another size erases the name%s of %s task%s, in all instances",
				    tsh_plural(names), count.buf, tsh_plural(names));
	tsh_strbuf_release(&count);
	return r;
}

int tsh_cmd_confirm_write(struct tsh_session *s, const struct tsh_instance *in, const char *path,
			  enum tsh_write_how how, const char *text, struct tsh_err *err)
{
	const char *sentence = !strcmp(path, "current_tracer") ? "another tracer" :
			       !strcmp(path, "trace_clock")    ? "another clock" : "this";
	unsigned int what = s->interactive && !s->settings.confirm_off ? tsh_write_erases(in, path, how, text) : 0;

	if (how == TSH_WRITE_ADD && s->interactive && !s->settings.confirm_off && confirm_hist(s, in, path, text,
											       err) < 0)
		return -1;
	if (what & TSH_ERASES_NAMES)
		return confirm_names(s, err);
	if (what & (TSH_ERASES_SOME | TSH_ERASES_SNAPSHOT_SOME))
		sentence = "a smaller buffer";
	return what ? tsh_cmd_confirm_erase(s, in, what, sentence, err) : 0;
}
