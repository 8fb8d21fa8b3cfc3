/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "make.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/dryrun/dryrun.h"
#include "kernel/tracefs/errlog.h"
#include "session/explain-table.h"
#include "session/util.h"

/* Makes one probe: builds the kernel's line, writes it, and explains errors of the kernel. */

static int refuse_kind(const struct making *m, const char *what, const char *config,
		       struct tsh_err *err)
{
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel makes no probes of %s", what);
	tsh_err_hint(err, "%s", config);
	err->span = tsh_word_span(&m->value->word, m->target.begin, m->value->word.len);
	return -1;
}

int probe_find_file(struct tsh_session *s, struct making *m, struct tsh_err *err)
{
	char letter = tsh_target_letter(&m->target);

	m->file = tsh_probe_file(s->dir, letter, m->target.kind == TSH_TARGET_PROGRAM);
	if (m->file)
		return 0;
	if (s->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_FAILED, "the recording does not tell whether that kernel makes "
			    "such probes: it has no dynamic_events");
		err->span = tsh_word_span(&m->value->word, m->target.begin, m->value->word.len);
		return -1;
	}
	switch (m->target.kind) {
	case TSH_TARGET_PROGRAM:
		return refuse_kind(m, "programs", "it was built without CONFIG_UPROBE_EVENTS", err);
	case TSH_TARGET_EVENT:
		return refuse_kind(m, "events", "it needs CONFIG_EPROBE_EVENTS and 5.15 or newer; "
				   "enable takes the event as it is", err);
	case TSH_TARGET_TRACEPOINT:
		return refuse_kind(m, "raw tracepoints", "it needs CONFIG_FPROBE_EVENTS and 6.5 or "
				   "newer", err);
	default:
		return refuse_kind(m, "its own functions", "it was built without "
				   "CONFIG_KPROBE_EVENTS; functions of programs can be had: "
				   "probe /bin/sh:FUNCTION", err);
	}
}

/* Chooses the event's name: refuses a name of the user that is in use, and numbers any other one
 * until it is free. */
static int choose_name(struct tsh_session *s, struct making *m, const char *group,
		       struct tsh_err *err)
{
	const char *base = m->target.name ? m->target.name : m->target.base;
	struct tsh_probes probes = { 0 };
	unsigned int n = 2;
	int r = 0;

	tsh_probes_read(s->dir, &probes);
	m->name = tsh_xstrdup(base);
	while (!r && tsh_probes_find(&probes, group, m->name)) {
		if (m->target.name) {
			r = tsh_err_at(err, tsh_word_span(&m->value->word, 0, strlen(base)),
				       "there is a probe '%s' already", base);
			err->status = TSH_FAILED;
			tsh_err_hint(err, "probe delete %s", base);
		} else {
			free(m->name);
			m->name = tsh_xasprintf("%s_%u", base, n++);
		}
	}
	tsh_probes_release(&probes);
	return r;
}

int probe_make_line(struct tsh_session *s, const struct tsh_call *call, struct making *m,
		    const char *group, struct tsh_err *err)
{
	tsh_strbuf_addc(&m->line.text, tsh_target_letter(&m->target));
	if (m->target.at_once)
		tsh_strbuf_addf(&m->line.text, "%u", m->target.at_once);
	tsh_strbuf_addf(&m->line.text, ":%s/", group);
	tsh_probe_line_add(&m->line, m->name, m->value, 0, m->target.name != NULL);
	tsh_strbuf_addc(&m->line.text, ' ');
	tsh_probe_line_add(&m->line, m->target.place, m->value, m->target.begin,
			   m->target.kind == TSH_TARGET_FUNCTION);
	return tsh_probe_args(s, &m->target, &call->args, &m->line, err);
}

/* Converts the span of an error from the kernel's line to the command line. */
static void convert_span(const struct making *m, struct tsh_err *err)
{
	size_t i, begin = err->span.begin, end = err->span.end;

	for (i = 0; end && i < m->line.pieces.n; i++) {
		const struct tsh_probe_piece *piece = &m->line.pieces.v[i];

		if (begin < piece->begin || begin >= piece->end)
			continue;
		if (end > piece->end)
			end = piece->end;
		if (piece->is_same)
			err->span = tsh_word_span(&piece->value->word, piece->from + begin - piece->begin,
						  piece->from + end - piece->begin);
		else
			err->span = tsh_word_span(&piece->value->word, piece->from,
						  piece->value->word.len);
		return;
	}
	err->span = m->value->word.span;
}

/* Explains EINVAL for a function in which the kernel allows no probe. Returns false when that is
 * not the cause. */
static bool explain_forbidden(const struct making *m, struct tsh_err *err)
{
	struct tsh_symbol_find found;
	bool forbidden;

	if (m->target.kind != TSH_TARGET_FUNCTION || !m->target.function || err->number != EINVAL)
		return false;
	tsh_symbol_find(m->target.function, NULL, &found);
	forbidden = found.is_forbidden;
	tsh_symbol_find_release(&found);
	if (!forbidden)
		return false;
	tsh_err_set(err, TSH_FAILED, "the kernel allows no probe in '%s': it is on the blacklist of "
		    "what probes themselves use", m->target.function);
	err->number = EINVAL;
	err->span = tsh_word_span(&m->value->word, m->target.begin, m->value->word.len);
	return true;
}

/* Adds a hint to EINVAL, which the kernel also returns for kinds of probes that it was built
 * without. */
static void hint_kind(const struct making *m, struct tsh_err *err)
{
	int is_there = m->target.kind == TSH_TARGET_EVENT && err->number == EINVAL ?
		       tsh_symbol_exists(TSH_EPROBE_FUNCTION) : 1;

	if (!is_there)
		refuse_kind(m, "events", "it needs CONFIG_EPROBE_EVENTS and 5.15 or newer; enable takes the event as it is",
			    err);
	else if (is_there < 0)
		tsh_err_hint(err, "without CONFIG_EPROBE_EVENTS it makes none of events; enable takes the event as it is");
}

static int explain(struct tsh_session *s, const struct making *m, const char *mark,
		   struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);
	int number = err->number;

	if (!number || number == EACCES || number == EROFS || number == EPERM) {
		tsh_err_blame(err, m->value->word.span);
		return -1;
	}
	if (explain_forbidden(m, err))
		return -1;
	if (tsh_errlog_explain(&top, mark, "the probe", m->line.text.buf, err)) {
		convert_span(m, err);
		return -1;
	}
	tsh_err_set(err, TSH_FAILED, "the kernel refuses the probe: %s", strerror(number));
	err->number = number;
	err->span = tsh_word_span(&m->value->word, m->target.begin, m->value->word.len);
	hint_kind(m, err);
	return -1;
}

/* Notes that the tracepoint does not exist yet. Since Linux 6.12 a probe can wait for a module. */
static void note_absent(struct tsh_session *s, const struct making *m)
{
	struct tsh_symbol_find found;
	char *name;

	if (m->target.kind != TSH_TARGET_TRACEPOINT)
		return;
	name = tsh_xasprintf("__traceiter_%s", m->target.event.name);
	tsh_symbol_find(name, NULL, &found);
	if (!found.n && !found.is_unknown)
		tsh_out_note(s->out, "no tracepoint '%s' is there now: the kernel waits for a module "
			     "that has it", m->target.event.name);
	tsh_symbol_find_release(&found);
	free(name);
}

int probe_write(struct tsh_session *s, struct making *m, struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(s->dir);
	char *mark;
	int r;

	if (s->check) {
		tsh_dry_run_add_probe_line(&top, m->file, m->line.text.buf);
		return 0;
	}
	mark = tsh_errlog_mark(&top);
	r = tsh_probe_add(s->dir, m->file, m->line.text.buf, err);
	if (r < 0)
		explain(s, m, mark, err);
	free(mark);
	if (!r)
		note_absent(s, m);
	return r < 0 ? -1 : 0;
}

/* Refuses blanks, newlines and #: the kernel separates words and commands by them. */
static int check_words(const struct tsh_call *call, struct tsh_err *err)
{
	size_t i, at;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_word *word = &call->args.v[i].word;

		at = strcspn(word->text, " \t\n\v\f\r#");
		if (at == word->len)
			continue;
		tsh_err_at(err, tsh_word_span(word, at, at + 1),
			   "the kernel takes no blank and no # in a probe");
		return -1;
	}
	return 0;
}

/* Does everything but the writing. The caller releases *ret also after an error. */
static int prepare(struct tsh_session *s, const struct tsh_call *call, struct making *ret,
		   struct tsh_err *err)
{
	int r = check_words(call, err);
	char *group;

	*ret = (struct making){ .value = tsh_args_get(&call->args, "TARGET") };
	if (!r)
		r = tsh_target_parse(s, ret->value, &ret->target, err);
	if (!r)
		r = probe_find_file(s, ret, err);
	group = tsh_probe_group(s->dir);
	if (!r)
		r = choose_name(s, ret, group, err);
	if (!r)
		r = probe_make_line(s, call, ret, group, err);
	free(group);
	return r;
}

void probe_release(struct making *m)
{
	tsh_target_release(&m->target);
	tsh_probe_line_release(&m->line);
}

int tsh_probe_make(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		   struct tsh_err *err)
{
	struct making m;
	char *group;
	int r;

	if (probe_is_glob(call))
		return probe_make_many(s, call, ret, err);
	r = prepare(s, call, &m, err);
	if (!r)
		r = probe_write(s, &m, err);
	probe_release(&m);
	group = tsh_probe_group(s->dir);
	if (!r)
		tsh_events_add(ret, group, m.name);
	free(group);
	free(m.name);
	return r;
}

int tsh_probe_explain(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_table *table;
	struct making m;
	int r;

	if (probe_is_glob(call)) {
		tsh_err_at(err, tsh_args_get(&call->args, "TARGET")->word.span,
			   "a glob is a probe for each function that it matches");
		tsh_err_hint(err, "--dry-run prints them; explain probe FUNCTION is about one");
		return -1;
	}
	r = prepare(s, call, &m, err);
	if (!r) {
		table = tsh_explain_begin(s);
		tsh_explain_row(table, TSH_EXPLAIN_KERNEL, m.value->word.text,
				m.target.kind == TSH_TARGET_PROGRAM ?
					"in every process that has that file" :
					"");
		tsh_table_end(table);
		table = tsh_explain_writes(s);
		tsh_explain_write(table, m.file, m.line.text.buf);
		tsh_table_end(table);
	}
	probe_release(&m);
	free(m.name);
	return r;
}

const struct tsh_arg tsh_probe_words[] = {
	{ .name = "TARGET", .type = TSH_ARG_PROBE },
	{ .name = "ARG", .type = TSH_ARG_PROBE_ARG, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY },
	{ 0 }
};
