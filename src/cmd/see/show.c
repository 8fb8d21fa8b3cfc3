/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/pipeline/range.h"
#include "engine/show/recorded.h"
#include "engine/show/show.h"
#include "events/recording/record.h"
#include "session/script.h"

/* Declares show: prints the text of the buffer, and consumes no event. */

static int show_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *n = tsh_args_get(&call->args, "N");
	const uint64_t *last = n ? &n->number : NULL;
	/* a folder that record has written has pages, but no text */
	bool has_text = s->dir->kind != TSH_DIR_TREE || tsh_file_exists(s->in, "trace");
	struct tsh_range range;
	int r;

	if (tsh_tree_is_cut(s->in))
		tsh_out_warn(s->out, TSH_TREE_CUT);
	if (has_text)
		tsh_show_note_read_ahead(s);
	tsh_range_init(&range, s, call);
	r = has_text ? tsh_show_text(s, "trace", last, &range, err) : tsh_tree_show(s, last, &range, err);
	tsh_range_release(&range);
	return r;
}

static const struct tsh_arg show_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "only the last N events" },
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	{ 0 }
};

static const struct tsh_example show_examples[] = {
	{ "show", "everything that is in the buffer" },
	{ "show -n 10", "the last ten events" },
	{ "show --since -5s", "those of the last five seconds" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_show = {
	.name = "show", .group = TSH_GROUP_SEE, .summary = "show the text of the buffer",
	.description =
		"The kernel's own text of the current instance, with wall-clock times. Nothing is "
		"consumed: it shows the same again.\n"
		"The lines are taken apart by their columns. A marker can hold lines that look like "
		"events, and in this text nothing tells them apart; stream reads the events "
		"themselves.\n"
		"For the tracer function_graph the options funcgraph-abstime and funcgraph-proc are "
		"set for the moment of reading. Layouts without a time that can be converted "
		"(latency-format, raw, hex, bin, context-info off) are printed as they are.\n"
		"CSV has the columns of stream and drain; event is empty where the text names none. "
		"In JSON an event is its text: stream and drain know its fields.\n"
		"Kernels before 5.7 record nothing while this text is read.",
	.see_also = "drain stream snapshot time",
	.args = show_args, .examples = show_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = show_run, .script = tsh_script_show,
};
