/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/now.h"
#include "base/utf8.h"
#include "engine/state/save-boot.h"
#include "engine/state/save-file.h"
#include "engine/state/state.h"
#include "events/clock/clock.h"
#include "session/script.h"
#include "session/util.h"

/* Declares save: prints the settings as a batch file that makes them again. */

/* Adds the machine and the time of the state; for a recorded tree nothing of this machine. */
static void add_head(struct tsh_session *s, bool all, struct tsh_strbuf *out)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	struct utsname machine;
	char *clean;

	tsh_strbuf_addf(&line, "tracesh: settings of %s%s",
			all ? "all instances" : s->in->name ? "instance " : "the top instance",
			!all && s->in->name ? s->in->name : "");
	if (s->dir->kind == TSH_DIR_TREE)
		tsh_strbuf_addf(&line, " of %s", s->dir->path);
	else if (!uname(&machine))
		tsh_strbuf_addf(&line, " of %s, Linux %s %s", machine.nodename, machine.release,
				machine.machine);
	tsh_strbuf_adds(&line, ", ");
	tsh_time_iso(&line, tsh_now_ns(CLOCK_REALTIME));
	clean = tsh_sanitize_dup(line.buf);
	tsh_strbuf_addf(out, "# %s\n", clean);
	free(clean);
	tsh_strbuf_release(&line);
}

static void add_batch(struct tsh_session *s, const struct tsh_state *state, bool all,
		      struct tsh_strbuf *out)
{
	add_head(s, all, out);
	if (s->in->name && !all)
		tsh_strbuf_addf(out, "# to make them again: tracesh -I %s -f FILE\n", s->in->name);
	else
		tsh_strbuf_adds(out, "# to make them again where all is as the kernel starts: "
				     "tracesh -f FILE\n");
	if (!state->items.n)
		tsh_strbuf_adds(out, "# nothing is set\n");
	tsh_state_print(state, out);
}

/* Prints the settings as rows, for programs. */
static void print_rows(struct tsh_session *s, const struct tsh_state *state)
{
	static const struct tsh_column columns[] = {
		{ "instance", TSH_COLUMN_TEXT }, { "file", TSH_COLUMN_TEXT },
		{ "value", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "setting", columns);
	size_t i;

	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *item = &state->items.v[i];

		if (!*item->path)
			continue;
		tsh_table_texts(table, item->instance ? item->instance : tsh_instance_label(s->in), item->path,
				item->value);
	}
	tsh_table_end(table);
}

static int write_output(struct tsh_session *s, const struct tsh_call *call,
			const struct tsh_state *state, const struct tsh_strbuf *text, size_t without,
			struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	bool rows = s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV;
	size_t i, n = 0;

	if (!file || !strcmp(file->word.text, "-")) {
		if (rows && !tsh_args_has(&call->args, "boot"))
			print_rows(s, state);
		else
			tsh_out_script(s->out, text->buf, text->len);
		return 0;
	}
	if (tsh_save_file(file->word.text, text->buf, text->len, tsh_args_has(&call->args, "f"),
			  err) < 0) {
		tsh_err_blame(err, file->word.span);
		return -1;
	}
	for (i = 0; i < state->items.n; i++)
		n += tsh_state_is_counted(state, i);
	if (without)
		tsh_out_note(s->out, "%zu saved, %zu %s no parameter: see %s", n - without, without,
			     without == 1 ? "has" : "have", file->word.text);
	else
		tsh_out_note(s->out, "%zu setting%s saved in %s", n, tsh_plural(n), file->word.text);
	return 0;
}

static int save_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *all = tsh_args_get(&call->args, "a");
	bool boot = tsh_args_has(&call->args, "boot");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_events events = { 0 };
	struct tsh_err ignored = { 0 };
	struct tsh_state state = { 0 };
	size_t without = 0;
	int r = 0;

	if (boot && all)
		return tsh_err_at(err, all->word.span, "parameters are of one instance");
	if (all)
		r = tsh_state_read_all(s->dir, &state, err);
	else
		tsh_state_read(s->in, NULL, &state);
	if (!r)
		r = tsh_state_finish(s, &state, err);
	if (!r && s->dir->kind != TSH_DIR_TREE)
		tsh_state_drop_ended(&state, true);
	if (!r && boot) {
		add_head(s, false, &text);
		tsh_strbuf_adds(&text, "# kernel parameters, in one line: "
				       "grep -v '^#' FILE | tr '\\n' ' '\n");
		if (tsh_events_available(s->dir, &events, &ignored) < 0)
			tsh_err_release(&ignored);
		without = tsh_save_boot(&state, s->in->name, &events, &text);
		tsh_events_release(&events);
	} else if (!r) {
		add_batch(s, &state, all != NULL, &text);
	}
	if (!r)
		r = write_output(s, call, &state, &text, without, err);
	tsh_state_note_unread(s, &state);
	tsh_strbuf_release(&text);
	tsh_state_release(&state);
	return r;
}

static const struct tsh_arg save_args[] = {
	{ .name = "a", .option = "-a", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "of all instances, each with its section" },
	{ .name = "f", .option = "-f", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "replace a file that is there" },
	{ .name = "boot", .option = "--boot", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL,
	  .help = "as parameters for the kernel's command line" },
	{ .name = "FILE", .type = TSH_ARG_FILE, .flags = TSH_ARG_OPTIONAL,
	  .help = "a new file; - or none prints it" },
	{ 0 }
};

static const struct tsh_example save_examples[] = {
	{ "save", "print the settings as commands" },
	{ "save --boot", "what a boot would need to begin with them" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_save = {
	.name = "save", .group = TSH_GROUP_SESSION,
	.summary = "write the settings as a batch file that makes them again",
	.description = "Everything of the instance that is not as the kernel starts: sizes, clock, "
		       "options, pid and function lists, probes, filters, triggers, events, tracer. "
		       "Run on a kernel where nothing is set, the file makes the same state; probes "
		       "belong to all instances and are saved with the top one.\n"
		       "With --boot what has no kernel parameter is a comment.",
	.see_also = "diff source batch",
	.args = save_args, .examples = save_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = save_run, .script = tsh_script_none,
};
