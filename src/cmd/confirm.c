/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "util.h"

/* Nobody can be asked. */
static int refuse(const char *sentence, const struct tsh_value *value, const char *instead,
		  struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "%s: not without --yes", sentence);
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

	if (s->settings.unasked)
		return 0;
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&sentence, fmt, ap);
	va_end(ap);
	question = tsh_xasprintf("%s; go on? [y/N] ", sentence.buf);
	tsh_out_flush(s->out);
	answer = s->terminal ? s->terminal->confirm(s->terminal_ctx, question) : TSH_ANSWER_NOBODY;
	/* The question stands between the typed line and this: no caret. */
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

uint64_t tsh_cmd_unread_of(const struct tsh_session *s, const struct tsh_instance *in)
{
	uint64_t unread = tsh_cmd_entries(in);
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		if (reads_instance(&s->readers.v[i], in))
			unread += tsh_source_pending(s->readers.v[i].source);
	return unread;
}

int tsh_cmd_confirm_erase(struct tsh_session *s, const struct tsh_instance *in, const char *what,
			  struct tsh_err *err)
{
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	uint64_t unread;
	int r = 0;

	/* A recorded tree refuses it, unasked. */
	if (!s->interactive || s->settings.unasked || (s->dir->kind == TSH_DIR_TREE && !s->dir->dry))
		return 0;
	unread = tsh_cmd_unread_of(s, in);
	tsh_format_count(unread, &count);
	if (unread)
		r = tsh_cmd_confirm(s, NULL, NULL, err, "%s erases %s unread event%s of '%s'", what,
				    count.buf, tsh_plural(unread), tsh_instance_label(in));
	tsh_strbuf_release(&count);
	return r;
}

int tsh_cmd_confirm_size(struct tsh_session *s, const struct tsh_instance *in, const char *path, const char *size,
			 struct tsh_err *err)
{
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	uint64_t unread;
	int r;

	if (!s->interactive || s->settings.unasked || !tsh_size_may_drop(in, path, size))
		return 0;
	unread = tsh_cmd_entries(in);
	tsh_format_count(unread, &count);
	r = tsh_cmd_confirm(s, NULL, NULL, err, "a smaller buffer may erase some of %s unread event%s of '%s'",
			    count.buf, tsh_plural(unread), tsh_instance_label(in));
	tsh_strbuf_release(&count);
	return r;
}
