/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "engine/state/resets.h"
#include "kernel/tracefs/defaults.h"
#include "session/script.h"
#include "session/util.h"

/* Declares reset: sets the instance back to what the kernel starts with. */

static const char *const kind_names[TSH_RESET_N] = {
	"event", "trigger", "filter", "probe", "tracer", "function list", "pid setting", "option",
	"setting", "clock", "switch",
};

static const char *const reset_whats[] = {
	"events", "filters", "pids", "triggers", "tracer", "functions", "options", "all", NULL
};

/* Says whether the word stands for that kind. */
static bool includes(const char *what, enum tsh_reset_kind kind)
{
	static const char *const words[TSH_RESET_N] = {
		[TSH_RESET_EVENTS] = "events", [TSH_RESET_TRIGGERS] = "triggers",
		[TSH_RESET_FILTERS] = "filters", [TSH_RESET_TRACER] = "tracer",
		[TSH_RESET_FUNCTIONS] = "functions", [TSH_RESET_PIDS] = "pids",
		[TSH_RESET_OPTIONS] = "options",
	};

	return !strcmp(what, "all") || (words[kind] && !strcmp(words[kind], what));
}

/* Adds "2 events, 1 filter, 3 options". Returns the sum. */
static uint64_t count_all(const struct tsh_reset *r, struct tsh_strbuf *out)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < TSH_RESET_N; i++) {
		if (!r->counts[i])
			continue;
		tsh_strbuf_addf(out, "%s%llu %s%s", out->len ? ", " : "",
				(unsigned long long)r->counts[i], kind_names[i],
				!strcmp(kind_names[i], "switch") && r->counts[i] > 1 ?
					"es" : tsh_plural(r->counts[i]));
		total += r->counts[i];
	}
	return total;
}

static void add_stays(struct tsh_strbuf *out, const char *what)
{
	tsh_strbuf_addf(out, "%s%s", out->len ? ", " : "", what);
}

/* Names what reset leaves although the kernel does not start with it. */
static void list_stays(const struct tsh_reset *r, struct tsh_strbuf *out)
{
	const struct tsh_instance *in = r->s->in;
	char *text = tsh_file_text(in, "buffer_size_kb"), *probes;

	if (text && !tsh_is_default(in, "buffer_size_kb", text))
		add_stays(out, "the buffer's size");
	free(text);
	if (r->others) {
		probes = tsh_xasprintf("%llu probe%s or synthetic event%s of others", (unsigned long long)r->others,
				       tsh_plural(r->others), tsh_plural(r->others));
		add_stays(out, probes);
		free(probes);
	}
	if (tsh_snapshot_state(in) > TSH_SNAPSHOT_FREE)
		add_stays(out, "a snapshot's memory");
}

static void report(const struct tsh_reset *r)
{
	const char *label = tsh_instance_label(r->s->in);
	struct tsh_strbuf counts = TSH_STRBUF_INIT, unseen = TSH_STRBUF_INIT, stays = TSH_STRBUF_INIT;
	uint64_t total = count_all(r, &counts);
	size_t i;

	if (r->list)
		list_stays(r, &stays);
	for (i = 0; i < r->unseen.n; i++)
		tsh_strbuf_addf(&unseen, "%s%s", i ? ", " : "", r->unseen.v[i]);
	if (unseen.len)
		tsh_out_note(r->s->out, "not looked at: %s", unseen.buf);
	tsh_strbuf_release(&unseen);
	for (i = 0; i < r->left.n; i++)
		tsh_out_warn(r->s->out, "left as it is: %s", r->left.v[i]);
	if (r->list && total)
		tsh_out_note(r->s->out, "not as the kernel starts it in '%s': %s; reset all sets "
			     "it back%s%s", label, counts.buf, stays.len ? ", but for " : "", stays.buf);
	else if (r->list)
		tsh_out_note(r->s->out, "'%s' is as the kernel starts it%s%s", label,
			     stays.len ? ", but for " : "", stays.buf);
	else if (total)
		tsh_out_note(r->s->out, "set back in '%s': %s", label, counts.buf);
	else if (!r->left.n)
		tsh_out_note(r->s->out, "there is nothing to set back in '%s'", label);
	tsh_strbuf_release(&stays);
	tsh_strbuf_release(&counts);
}

static int check_result(const struct tsh_reset *r, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_strbuf counts = TSH_STRBUF_INIT;
	uint64_t total = count_all(r, &counts);

	tsh_strbuf_release(&counts);
	/* Succeeds when at least one setting was set back. */
	if (total || !r->left.n)
		return 0;
	tsh_err_set(err, TSH_FAILED, "nothing could be set back in '%s'",
		    tsh_instance_label(r->s->in));
	tsh_err_blame(err, call->args.command);
	return -1;
}

/* Disables events first, to end their load. A trigger that enables one can fire until it is
 * removed: so they are disabled once more, and not counted twice. */
static void do_steps(struct tsh_reset *r, const char *what)
{
	enum tsh_reset_kind kind;
	uint64_t events;

	for (kind = 0; kind < TSH_RESET_N; kind++) {
		if (!includes(what, kind))
			continue;
		tsh_reset_step(r, kind);
		if (kind != TSH_RESET_TRIGGERS || r->list || !includes(what, TSH_RESET_EVENTS))
			continue;
		events = r->counts[TSH_RESET_EVENTS];
		tsh_reset_step(r, TSH_RESET_EVENTS);
		r->counts[TSH_RESET_EVENTS] = events;
	}
}

static int reset_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "setting", TSH_COLUMN_TEXT }, { "now", TSH_COLUMN_TEXT },
		{ "default", TSH_COLUMN_TEXT }, { 0 }
	};
	const char *what = tsh_args_text(&call->args, "WHAT");
	struct tsh_reset r = { .s = s };
	int result;

	if (!what)
		r.list = tsh_table_begin(s->out, "setting", columns);
	do_steps(&r, what ? what : "all");
	if (r.list)
		tsh_table_end(r.list);
	if (!s->aborted)
		report(&r);
	result = s->aborted ? -1 : check_result(&r, call, err);
	tsh_strlist_release(&r.left);
	tsh_strlist_release(&r.unseen);
	return result;
}

static const struct tsh_arg reset_args[] = {
	{ .name = "WHAT", .type = TSH_ARG_CHOICE, .choices = reset_whats,
	  .flags = TSH_ARG_OPTIONAL, .help = "what to set back; without it: what there would be" },
	{ 0 }
};

static const struct tsh_example reset_examples[] = {
	{ "reset", "what is not as the kernel starts it; nothing is changed" },
	{ "reset events", "all events off" },
	{ "reset all", "everything of this instance" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_reset = {
	.name = "reset", .group = TSH_GROUP_CONTROL,
	.summary = "set the instance back to what the kernel starts with",
	.description =
		"For a machine where somebody else was; restore takes back what this session did. "
		"Only what is not the default is written, events off first, the clock last; undo "
		"takes it back, but not the events that another tracer or clock erases.\n"
		"all is also probes and synthetic events whose group or name begins with tracesh "
		"(everybody else's stay), the mask of CPUs, thresholds, the clock, and tracing on. "
		"The clock is the one that the kernel has started with: that of trace_clock= on its command line, or "
		"global where it found its own unstable, as its log says. "
		"The size of the buffer stays, and a snapshot: buffer SIZE, snapshot free.",
	.see_also = "undo restore",
	.args = reset_args, .examples = reset_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = reset_run, .script = tsh_script_none,
};
