/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"

#ifdef LIBTRACEFS_VERSION
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <trace-seq.h>
#include <tracefs.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xmalloc.h"

/* Is how long we wait: it only computes, but an emulated machine is slow. */
#define PATIENCE_MS 5000
#define SAID_MAX (1u << 20)
/* Begin the answer of the process: COMMANDS before commands, REASON before the reason of a
 * failure. */
#define COMMANDS 'y'
#define REASON 'n'

static void write_answer(int out, char what, const char *text, size_t len)
{
	if (!tsh_write_all(out, &what, 1))
		(void)tsh_write_all(out, text, len);
}

/* Prints the commands: a statement of two events is a synthetic event, one of one event is a
 * histogram. */
static void print_commands(int out, struct tracefs_synth *synth)
{
	struct trace_seq seq;
	int r;

	trace_seq_init(&seq);
	if (tracefs_synth_complete(synth))
		r = tracefs_synth_echo_cmd(&seq, synth);
	else
		r = tracefs_hist_echo_cmd(&seq, NULL, tracefs_synth_get_start_hist(synth), 0);
	if (r < 0 || seq.state != TRACE_SEQ__GOOD)
		write_answer(out, REASON, "", 0);
	else
		write_answer(out, COMMANDS, seq.buffer, seq.len);
}

/*
 * Runs in a process apart, because some statements crash it. Keeps our privileges: it reads
 * tracefs, and statement and formats come from the user and this kernel.
 */
static void translate(void *ctx, int out)
{
	const struct tsh_sqlhist *ask = ctx;
	char *tracefs = tsh_xstrdup(ask->tracefs), *why = NULL;
	struct tracefs_synth *synth;
	const struct rlimit no_core = { 0, 0 };
	struct tep_handle *tep;
	size_t i;

	setrlimit(RLIMIT_CORE, &no_core);
	tep = tep_alloc();
	if (!tep || tracefs_set_tracing_dir(tracefs) < 0)
		_exit(1);
	tep_set_loglevel(TEP_LOG_NONE);
	for (i = 0; i < ask->formats.n; i++)
		(void)tep_parse_event(tep, ask->formats.v[i], strlen(ask->formats.v[i]), ask->systems.v[i]);
	synth = tracefs_sql(tep, ask->name, ask->statement, &why);
	if (synth)
		print_commands(out, synth);
	else
		write_answer(out, REASON, why ? why : "", why ? strlen(why) : 0);
}

/* Finds the place of the fault: libtracefs repeats a line of the statement, with a caret below. */
static void find_place(const char *statement, const char *why, size_t token_len, struct tsh_err *err)
{
	size_t len = strcspn(why, "\n"), all = strlen(statement), begin;
	char *line = tsh_xstrndup(why, len);
	const char *there = strstr(statement, line), *below = why + len + (why[len] == '\n');

	free(line);
	begin = strspn(below, " \t");
	if (!there || below[begin] != '^')
		return;
	begin += (size_t)(there - statement);
	if (begin >= all)
		begin = all ? all - 1 : 0;
	err->span = (struct tsh_span){ begin, begin + (token_len ? token_len : 1) };
	if (err->span.end > all)
		err->span.end = all;
}

/* Adds a line, unless it has bytes that are no text. */
static void add_words(struct tsh_strbuf *to, const char *line, size_t len)
{
	if (tsh_is_clean(line, len))
		tsh_strbuf_addf(to, "%s%s", to->len && len ? " " : "", line);
}

/* Joins the lines of the message, without that of the statement and the caret below it. */
static int refuse(const char *statement, const char *why, struct tsh_err *err)
{
	struct tsh_strbuf words = TSH_STRBUF_INIT;
	const char *line = why, error[] = "ERROR: '";
	size_t token_len = 0;

	while (*line) {
		size_t len = strcspn(line, "\n"), begin = strspn(line, " \t");
		char *text = tsh_xasprintf("%.*s", (int)(len > begin ? len - begin : 0), line + begin);

		if (!strncmp(text, error, strlen(error))) {
			const char *token = text + strlen(error);

			token_len = strcspn(token, "'");
			/* skips a token with other bytes: the caret is enough */
			if (token_len && tsh_is_clean(token, token_len))
				tsh_strbuf_addf(&words, "'%.*s'", (int)token_len, token);
		} else if (*text && *text != '^' && !strstr(statement, text)) {
			add_words(&words, text, strlen(text));
		}
		free(text);
		line += len + (line[len] == '\n');
	}
	if (words.len)
		tsh_err_set(err, TSH_USAGE, "libtracefs refuses it: %s", words.buf);
	else
		tsh_err_set(err, TSH_USAGE, "libtracefs refuses it, and does not say why");
	find_place(statement, why, token_len, err);
	tsh_strbuf_release(&words);
	return -1;
}

int tsh_sqlhist(struct tsh_sqlhist *ask, const struct tsh_waiter *waiter, struct tsh_strbuf *ret, struct tsh_err *err)
{
	struct tsh_strbuf said = TSH_STRBUF_INIT;
	int r = -1;

	switch (tsh_apart_run(translate, ask, waiter, PATIENCE_MS, SAID_MAX, &said)) {
	case TSH_APART_DONE:
		if (*said.buf == COMMANDS)
			r = 0;
		else
			refuse(ask->statement, said.buf + 1, err);
		break;
	case TSH_APART_SIGNAL:
		tsh_err_set(err, TSH_FAILED, "stopped before libtracefs had answered");
		break;
	case TSH_APART_SILENT:
		tsh_err_set(err, TSH_FAILED, "libtracefs did not answer within %d s", PATIENCE_MS / 1000);
		break;
	case TSH_APART_FAILED:
		tsh_err_set(err, TSH_FAILED, "libtracefs crashed on this statement");
		break;
	}
	if (!r)
		tsh_strbuf_add(ret, said.buf + 1, said.len - 1);
	tsh_strbuf_release(&said);
	return r;
}
#else
int tsh_sqlhist(struct tsh_sqlhist *ask, const struct tsh_waiter *waiter, struct tsh_strbuf *ret, struct tsh_err *err)
{
	(void)ask;
	(void)waiter;
	(void)ret;
	return tsh_err_set(err, TSH_ENVIRONMENT, "this build is without libtracefs");
}
#endif
