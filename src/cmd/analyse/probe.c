/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cmd/commands.h"
#include "session/erasing.h"
#include "session/util.h"

/* Declares probe: makes events of functions of the kernel and of programs. */

/* ---- the list ---- */

static char *owner_text(const struct tsh_probe *probe)
{
	if (!probe->owner)
		return NULL;
	if (probe->is_ours)
		return tsh_xstrdup("this session");
	/* Names no process when the owner has our own pid: the owner then is another session, of
	 * another pid namespace, or one that is gone. */
	return probe->owner == getpid() ? tsh_xstrdup("another session") :
					  tsh_xasprintf("process %d", (int)probe->owner);
}

static void add_count(struct tsh_table *table, bool known, uint64_t n)
{
	char *text = known ? tsh_xasprintf("%llu", (unsigned long long)n) : NULL;

	tsh_table_text(table, text);
	free(text);
}

static int list_probes(struct tsh_session *s)
{
	static const struct tsh_column columns[] = {
		{ "probe", TSH_COLUMN_TEXT }, { "kind", TSH_COLUMN_TEXT },
		{ "place", TSH_COLUMN_TEXT }, { "hits", TSH_COLUMN_TEXT },
		{ "missed", TSH_COLUMN_TEXT }, { "owner", TSH_COLUMN_TEXT },
		{ "arguments", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "probe", columns);
	struct tsh_probes probes = { 0 };
	struct tsh_probe_counts *counts;
	size_t i;

	tsh_probes_read(s->dir, &probes);
	counts = tsh_xcalloc(probes.n + 1, sizeof(*counts));
	tsh_probes_count(s->dir, &probes, counts);
	for (i = 0; i < probes.n; i++) {
		const struct tsh_probe *probe = &probes.v[i];
		char *label = tsh_xasprintf("%s:%s", probe->group, probe->name);
		char *owner = owner_text(probe);

		tsh_table_texts(table, label,
				probe->letter == 'r' ? "return" : probe->letter == 'e' ? "event" :
				probe->letter == 't' ? "tracepoint" : "function", probe->place);
		add_count(table, counts[i].has_hits, counts[i].hits);
		add_count(table, counts[i].has_misses, counts[i].misses);
		tsh_table_text(table, owner);
		tsh_table_text(table, *probe->args ? probe->args : NULL);
		free(owner);
		free(label);
	}
	tsh_table_end(table);
	if (!probes.n)
		tsh_out_note(s->out, "there is no probe; probe TARGET makes one");
	free(counts);
	tsh_probes_release(&probes);
	return 0;
}

/* ---- deleting ---- */

struct found_probe {
	const struct tsh_probe *probe;
	const struct tsh_value *value;	/* the word that names the probe */
};
struct find_probes {
	struct found_probe *v;
	size_t n, cap;
};

static int no_such_probe(const struct tsh_probes *probes, const struct tsh_value *value,
			 struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_err_at(err, value->word.span, "this session has no probe '%s'", value->word.text);
	err->status = TSH_FAILED;
	for (i = 0; i < probes->n; i++)
		if (probes->v[i].is_ours)
			tsh_strlist_add(&names, probes->v[i].name);
	if (names.n)
		tsh_cmd_suggest(err, value->word.text, &names);
	else
		tsh_err_hint(err, "probe list shows what there is");
	tsh_strlist_release(&names);
	return -1;
}

/* Finds a probe of this session by NAME, GROUP:NAME or GROUP/NAME. */
static const struct tsh_probe *find_own(struct tsh_dir *dir, const struct tsh_probes *probes,
					const struct tsh_value *value, struct tsh_err *err)
{
	const char *text = value->word.text, *name = strpbrk(text, ":/");
	char *own = tsh_probe_group(dir);
	char *group = name ? tsh_xstrndup(text, (size_t)(name - text)) : tsh_xstrdup(own);
	const struct tsh_probe *probe = tsh_probes_find(probes, group, name ? name + 1 : text);

	if (!probe) {
		no_such_probe(probes, value, err);
	} else if (!probe->is_ours) {
		tsh_err_at(err, value->word.span, "the probe '%s' is not of this session", text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "append %s -:%s/%s", probe->file, probe->group, probe->name);
		probe = NULL;
	}
	free(group);
	free(own);
	return probe;
}

static bool is_found(const struct find_probes *found, const struct tsh_probe *probe)
{
	size_t i;

	for (i = 0; i < found->n; i++)
		if (found->v[i].probe == probe)
			return true;
	return false;
}

/* Finds the probes of this session that the words name or match as globs, each once. */
static int find_all(struct tsh_dir *dir, const struct tsh_probes *probes,
		    const struct tsh_call *call, struct find_probes *ret, struct tsh_err *err)
{
	size_t i, j;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];
		const struct tsh_probe *one = NULL;

		if (value->arg->type == TSH_ARG_CHOICE)
			continue;
		for (j = 0; tsh_is_glob(value->word.text) && j < probes->n; j++) {
			if (!probes->v[j].is_ours ||
			    !tsh_glob_match(value->word.text, probes->v[j].name))
				continue;
			one = &probes->v[j];
			if (!is_found(ret, one))
				*tsh_vec_push(ret) = (struct found_probe){ one, value };
		}
		if (one)
			continue;
		one = find_own(dir, probes, value, err);
		if (!one)
			return -1;
		if (!is_found(ret, one))
			*tsh_vec_push(ret) = (struct found_probe){ one, value };
	}
	return 0;
}

/* Removes probes, the newest first; Ctrl-C leaves the rest. */
static int remove_all(struct tsh_session *s, const struct find_probes *found, size_t *ret_n,
		      struct tsh_err *err)
{
	size_t i = found->n;

	while (i-- > 0) {
		enum tsh_wait_result result = tsh_wait(s->waiter, NULL, 0, 0);

		if (result == TSH_WAIT_ABORT)
			s->aborted = true;
		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
			return s->aborted ? -1 : 0;
		if (tsh_probe_remove(s->dir, found->v[i].probe, err) < 0) {
			tsh_err_blame(err, found->v[i].value->word.span);
			return -1;
		}
		++*ret_n;
	}
	return 0;
}

static int delete_probes(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_erasing erasing;
	struct tsh_probes probes = { 0 };
	struct find_probes found = { 0 };
	size_t n = 0;
	int r;

	tsh_probes_read(s->dir, &probes);
	/* Finds all of them before the first is removed. */
	r = find_all(s->dir, &probes, call, &found, err);
	/* Notes what is in the buffers: the kernel clears those that have had events of a removed
	 * probe. */
	tsh_erasing_begin(&erasing, s->in, r || s->check ? 0 : TSH_ERASES_ELSEWHERE);
	if (!r && !s->check)
		r = remove_all(s, &found, &n, err);
	if (!r && n < found.n && !s->check)
		tsh_out_note(s->out, "stopped: %zu of %zu probes deleted", n, found.n);
	else if (!r && n)
		tsh_out_note(s->out, "%zu probe%s deleted", n, tsh_plural(n));
	tsh_vec_release(&found);
	tsh_probes_release(&probes);
	tsh_erasing_end(s, &erasing, false);
	return r;
}

static int make_probe(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *more = s->interactive ? "" : "; without another command stream --probe";
	struct tsh_events made = { 0 };
	int r = tsh_probe_make(s, call, &made, err);

	if (!r && !s->check && made.n == 1)
		tsh_out_note(s->out, "the event '%s:%s' is there until the session ends: stream %s%s",
			     made.v[0].system, made.v[0].name, made.v[0].name, more);
	else if (!r && !s->check)
		tsh_out_note(s->out, "%zu events are there until the session ends: count '%s:*'%s",
			     made.n, made.v[0].system, more);
	tsh_events_release(&made);
	return r;
}

/* ---- the command ---- */

static int probe_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	const struct tsh_value *target = tsh_args_get(&call->args, "TARGET");

	if (!action && target)
		return make_probe(s, call, err);
	if (action && !strcmp(action, "delete")) {
		if (target)
			return delete_probes(s, call, err);
		tsh_err_at(err, call->args.whole, "missing the probe's name");
		tsh_err_hint(err, "probe delete NAME; probe list shows them");
		return -1;
	}
	if (target)
		return tsh_err_at(err, target->word.span, "list takes no name");
	return s->check ? 0 : list_probes(s);
}

static int probe_explain(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	if (!tsh_args_has(&call->args, "ACTION") && tsh_args_has(&call->args, "TARGET"))
		return tsh_probe_explain(s, call, err);
	tsh_err_at(err, call->args.whole, "there is nothing to explain");
	tsh_err_hint(err, "explain probe vfs_read");
	return -1;
}

static const char *const probe_actions[] = { "list", "delete", NULL };

static const struct tsh_arg probe_args[] = {
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = probe_actions,
	  .flags = TSH_ARG_OPTIONAL, .help = "list (the default), or delete NAME..; undo brings it back" },
	{ .name = "TARGET", .type = TSH_ARG_PROBE, .flags = TSH_ARG_OPTIONAL,
	  .help = "vfs_open, vfs_open%return, /bin/bash:readline, sched:sched_switch; NAME= before" },
	{ .name = "ARG", .type = TSH_ARG_PROBE_ARG, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "what it records: path->dentry->d_name.name, $retval, x=+0($arg1):string" },
	{ 0 }
};

static const struct tsh_example probe_examples[] = {
	{ "probe vfs_open path->dentry->d_name.name", "which files are opened, by the kernel's types" },
	{ "probe vfs_open%return $retval", "and what comes of it" },
	{ "probe line=/bin/bash:readline%return text=+0($retval):string", "what is typed at a bash" },
	{ "probe 'vfs_r*%return' $retval", "the returns of many" },
	{ "probe list", "what there is, how often it was hit and missed" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_probe = {
	.name = "probe", .group = TSH_GROUP_ANALYSE,
	.summary = "make events of functions, in the kernel and in programs",
	.description =
		"TARGET is a function of the kernel, FUNCTION+OFFSET, MODULE:FUNCTION or an address; "
		"PATH:FUNCTION of a program, by its symbols, or PATH:0xADDRESS as nm prints it; "
		"%return behind either (%return:N: as many calls at once are kept, up to 4096; the kernel misses more); "
		"an event SYSTEM:EVENT; rawtracepoint:NAME. The event is called "
		"like the function, or NAME= before it. A glob ('vfs_*', 'vfs_*%return', MODULE:'*read*') "
		"makes one for each function that it matches; more than 256 are asked about (--yes), as "
		"the kernel takes 15 ms to take one away. delete takes globs, too.\n"
		"ARG is a parameter's name, with -> and . and [N] to what it leads to, by the kernel's "
		"own types: char * is recorded as text, and what is __be16 (a port) gets a name that ends so, "
		"skc_dport_be16: the event's own text has it as the machine reads it, where, fields and hist have "
		"the number. Or it is what the kernel's own grammar has: "
		"$retval, $arg1, %di, +8(%si):u32, each with name= before it. Fields of an event "
		"are called by their names.\n"
		"For one command, stream, run, hist, count, latency and stacks have --probe 'TARGET ARG ..': "
		"it goes with the command. latency vfs_read vfs_read%return needs none.\n"
		"Probes are in a group of the session's own, tracesh_PID (tracesh_PID_2, .. where another "
		"session has that), and go at its end, also when "
		"settings are kept; recover removes those of a tracesh that was killed. Those of "
		"others are listed, and never touched.",
	.see_also = "stream latency stacks struct functions events",
	.args = probe_args, .examples = probe_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES |
		 TSH_CMD_IN_CHECK | TSH_CMD_LIVE,
	.run = probe_run, .explain = probe_explain,
};
