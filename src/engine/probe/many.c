/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "kernel/dryrun/dryrun.h"
#include "session/ask.h"
#include "session/util.h"

/* Makes a probe for each function of the kernel that a glob matches: probe 'vfs_*'. */

/* Limit the probes that are made without a question. To remove one, the kernel waits for an RCU
 * grace period of about 15 ms (kernel/kprobes.c, unregister_kprobes). */
#define UNASKED	   256
#define REMOVAL_MS 15

struct many {
	struct tsh_session *session;
	const struct tsh_call *call;
	const struct tsh_value *value;
	const char *file;
	char *group;
	char *module, *glob; /* parts of the target; module may be NULL */
	bool is_return;
	unsigned int at_once;
	struct tsh_strlist functions; /* [MODULE:]NAME */
	size_t several; /* functions that share their name with another one */
	size_t without; /* functions without one of the ARGs */
	size_t refused; /* functions that the kernel has refused */
	const char *first_name; /* first function of `without` or `refused`, borrowed; or NULL */
	struct tsh_err first; /* error of that function */
	struct tsh_events *made;
};

/* Returns the text behind NAME=. */
static const char *target_of(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return text[n] == '=' ? text + n + 1 : text;
}

bool probe_is_glob(const struct tsh_call *call)
{
	const char *text = target_of(tsh_args_text(&call->args, "TARGET"));

	return *text != '/' && !tsh_begins_with(text, "rawtracepoint:") && tsh_is_glob(text);
}

/* Splits the target, [MODULE:]GLOB[%return[:AT_ONCE]]. Returns 0, or -1 with err. */
static int parse_target(struct many *many, struct tsh_err *err)
{
	const char *text = many->value->word.text, *mark = tsh_target_return(text, &many->at_once);
	const char *end = mark ? mark : text + strlen(text), *colon = memchr(text, ':', (size_t)(end - text));

	if (target_of(text) != text)
		return tsh_err_at(
			err, many->value->word.span,
			"each event of many is called like its function: no NAME= before");
	many->is_return = mark;
	if (colon)
		many->module = tsh_xstrndup(text, (size_t)(colon - text));
	text = colon ? colon + 1 : text;
	many->glob = tsh_xstrndup(text, (size_t)(end - text));
	if (!strchr(many->glob, '+') && !(many->module && tsh_is_glob(many->module)))
		return 0;
	tsh_err_at(err, many->value->word.span, "a glob is of functions: 'vfs_*', MODULE:'*read*'");
	return -1;
}

static void make_target(const struct many *many, const char *function, struct tsh_target *ret)
{
	const char *colon = strchr(function, ':'), *name = colon ? colon + 1 : function;

	*ret = (struct tsh_target){
		.kind = TSH_TARGET_FUNCTION,
		.is_return = many->is_return,
		.at_once = many->at_once,
		.base = tsh_xasprintf("%s%s", name, many->is_return ? "_return" : ""),
		.place = tsh_xstrdup(function),
		.function = tsh_xstrdup(name),
	};
}

static void count_error(struct many *many, size_t *count, const char *function, struct tsh_err *err)
{
	if (!many->first_name) {
		many->first_name = function;
		many->first = *err;
	} else {
		tsh_err_release(err);
	}
	*err = (struct tsh_err){ 0 };
	++*count;
}

/* Says whether an error would also occur for all other functions. */
static bool is_general_error(const struct tsh_err *err)
{
	return err->number == EPERM || err->number == EACCES || err->number == EROFS ||
	       err->number == ENOMEM || err->number == ENOSPC;
}

static int write_line(struct many *many, struct making *m, struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(many->session->dir);

	if (!many->session->check)
		return tsh_file_write(&top, m->file, TSH_WRITE_ADD, m->line.text.buf, err);
	tsh_dry_run_add_probe_line(&top, m->file, m->line.text.buf);
	return 0;
}

/* Makes the probe of one function, or counts why there is none. Returns -1 with err when no
 * other function can have one either. */
static int make_one(struct many *many, const char *function, struct tsh_err *err)
{
	struct making m = { .value = many->value, .file = many->file };
	int r;

	make_target(many, function, &m.target);
	m.name = tsh_xstrdup(m.target.base);
	r = probe_make_line(many->session, many->call, &m, many->group, err);
	if (r < 0) {
		count_error(many, &many->without, function, err);
		r = 0;
	} else if (write_line(many, &m, err) >= 0) {
		tsh_events_add(many->made, many->group, m.name);
	} else if (is_general_error(err)) {
		tsh_err_blame(err, many->value->word.span);
		r = -1;
	} else {
		count_error(many, &many->refused, function, err);
	}
	probe_release(&m);
	free(m.name);
	return r;
}

static int handle_stop(struct many *many, enum tsh_wait_result result, size_t begin, unsigned int mark,
		       struct tsh_err *err)
{
	struct tsh_session *s = many->session;
	size_t n = many->made->n - begin;

	if (result == TSH_WAIT_ABORT)
		s->aborted = true;
	else
		tsh_out_note(s->out,
			     "stopped: %zu of %zu probes were made; removing them takes about %zu s", n,
			     many->functions.n, n * REMOVAL_MS / 1000 + 1);
	(void)tsh_out_write_some(s->out);
	tsh_cmd_undo_since(s, mark);
	tsh_err_set(err, TSH_FAILED, "no probe was made");
	return -1;
}

static int make_all(struct many *many, struct tsh_err *err)
{
	struct tsh_session *s = many->session;
	unsigned int mark = tsh_cmd_mark(s);
	size_t i, begin = many->made->n;

	for (i = 0; i < many->functions.n; i++) {
		enum tsh_wait_result result = tsh_wait(s->waiter, NULL, 0, 0);

		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
			return handle_stop(many, result, begin, mark, err);
		if (make_one(many, many->functions.v[i], err) < 0) {
			tsh_cmd_undo_since(s, mark);
			return -1;
		}
	}
	if (many->made->n > begin)
		return 0;
	*err = many->first;
	many->first = (struct tsh_err){ 0 };
	tsh_err_blame(err, many->value->word.span);
	return -1;
}

static void note_left_out(const struct many *many)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (many->refused)
		tsh_strbuf_addf(&text, ", %zu the kernel refuses", many->refused);
	if (many->without)
		tsh_strbuf_addf(&text, ", %zu without such an argument", many->without);
	if (many->several)
		tsh_strbuf_addf(&text, ", %zu with a name that several functions have", many->several);
	if (text.len)
		tsh_out_note(many->session->out, "functions left out: %s", text.buf + 2);
	if (many->first_name)
		tsh_out_note(many->session->out, "the first, %s: %s", many->first_name,
			     many->first.number ? strerror(many->first.number) :
						  many->first.message);
	tsh_strbuf_release(&text);
}

static int find_functions(struct many *many, struct tsh_err *err)
{
	struct tsh_session *s = many->session;

	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_err_at(err, many->value->word.span,
			   "the functions of that kernel are not known");
		tsh_err_hint(err, "name them, one probe each");
		return -1;
	}
	tsh_symbol_functions(s, many->glob, many->module, &many->functions, &many->several);
	if (many->functions.n)
		return 0;
	tsh_err_at(err, many->value->word.span, "no function of %s matches '%s'",
		   many->module ? many->module : "the kernel", many->glob);
	err->status = TSH_FAILED;
	if (many->several)
		tsh_err_hint(err, "%zu match, but each shares its name with another function", many->several);
	else
		tsh_err_hint(err, "functions '*WORD*' searches");
	return -1;
}

static int ask(const struct many *many, struct tsh_err *err)
{
	size_t n = many->functions.n;

	if (n <= UNASKED || many->session->settings.confirm_off || many->session->check)
		return 0;
	return tsh_cmd_confirm(many->session, many->value, "a narrower glob", err,
			       "this makes %zu probes; removing them takes the kernel about %zu s",
			       n, n * REMOVAL_MS / 1000 + 1);
}

int probe_make_many(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		    struct tsh_err *err)
{
	struct many many = { .session = s,
			     .call = call,
			     .value = tsh_args_get(&call->args, "TARGET"),
			     .group = tsh_probe_group(s->dir),
			     .made = ret };
	struct making m = { .value = many.value };
	int r = parse_target(&many, err);

	m.target.kind = TSH_TARGET_FUNCTION;
	m.target.is_return = many.is_return;
	if (!r)
		r = probe_find_file(s, &m, err);
	many.file = m.file;
	if (!r)
		r = find_functions(&many, err);
	if (!r)
		r = ask(&many, err);
	if (!r)
		r = make_all(&many, err);
	if (!r && !s->check)
		note_left_out(&many);
	tsh_strlist_release(&many.functions);
	tsh_err_release(&many.first);
	free(many.module);
	free(many.glob);
	free(many.group);
	return r;
}
