/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/pipeline/range.h"
#include "engine/show/show.h"
#include "session/ask.h"
#include "session/memory.h"
#include "session/script.h"
#include "session/snapshot-size.h"
#include "session/tasks.h"
#include "session/util.h"

/* Declares snapshot: a second buffer, which the kernel swaps with the first one. */

static int write_snapshot(struct tsh_session *s, const struct tsh_call *call, const char *value,
			  struct tsh_err *err)
{
	const struct tsh_value *action = tsh_args_get(&call->args, "ACTION");
	int r = tsh_session_write(s, "snapshot", TSH_WRITE_SET, value, action, err);

	if (r >= 0)
		return 0;
	if (err->number == ENOMEM) {
		tsh_err_set(err, TSH_FAILED, "there is not enough memory for a snapshot of '%s'",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "to make the buffer and its snapshot smaller: buffer SIZE");
	} else if (err->number == EBUSY) {
		tsh_err_set(err, TSH_FAILED, "the snapshot buffer of '%s' is in use, by a latency "
			    "tracer or a reader", tsh_instance_label(s->in));
	} else if (err->number == EINVAL) {
		tsh_err_set(err, TSH_FAILED, "there is no snapshot of '%s'",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "snapshot take");
	}
	tsh_err_blame(err, action->word.span);
	return -1;
}

static int write_new_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	enum tsh_snapshot_state state = tsh_snapshot_state(s->in);
	uint64_t before = tsh_cmd_entries(s->in), size = tsh_snapshot_size(s->in);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (tsh_snapshot_check_memory(s, tsh_args_get(&call->args, "ACTION"), err) < 0 ||
	    write_snapshot(s, call, "1", err) < 0)
		return -1;
	tsh_format_size(size, &text);
	tsh_out_note(s->out, "a snapshot of '%s' holds its %llu event%s%s%s; undo cannot take "
		     "this back: snapshot free", tsh_instance_label(s->in),
		     (unsigned long long)before, tsh_plural(before),
		     state == TSH_SNAPSHOT_FREE ? ", in more memory: " : ", in memory as before: ",
		     text.buf);
	tsh_strbuf_release(&text);
	return 0;
}

/* Allocates the snapshot. The kernel swaps when it allocates, so a second swap brings the events
 * back. */
static int allocate(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!tsh_tasks_are_of_other_machine(s) && tsh_snapshot_state(s->in) != TSH_SNAPSHOT_FREE) {
		tsh_out_note(s->out, "'%s' has memory for a snapshot (as before)",
			     tsh_instance_label(s->in));
		return 0;
	}
	if (tsh_snapshot_check_memory(s, tsh_args_get(&call->args, "ACTION"), err) < 0 ||
	    write_snapshot(s, call, "1", err) < 0 || write_snapshot(s, call, "1", err) < 0)
		return -1;
	tsh_format_size(tsh_snapshot_size(s->in), &text);
	tsh_out_note(s->out, "'%s' has memory for a snapshot: %s; undo cannot take this back: "
		     "snapshot free", tsh_instance_label(s->in), text.buf);
	tsh_strbuf_release(&text);
	return 0;
}

static int release(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	enum tsh_snapshot_state state = tsh_snapshot_state(s->in);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (state == TSH_SNAPSHOT_FREE) {
		tsh_out_note(s->out, "'%s' has no snapshot (as before)", tsh_instance_label(s->in));
		return 0;
	}
	if (tsh_cmd_confirm_write(s, s->in, "snapshot", TSH_WRITE_SET, "0", err) < 0 ||
	    write_snapshot(s, call, "0", err) < 0)
		return -1;
	tsh_format_size(tsh_snapshot_size(s->in), &text);
	tsh_out_note(s->out, "the snapshot of '%s' is gone, %s of memory are free again%s",
		     tsh_instance_label(s->in), text.buf,
		     state == TSH_SNAPSHOT_FULL ? "; undo does not bring its events back" : "");
	tsh_strbuf_release(&text);
	return 0;
}

static int clear(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	/* Refuses without a snapshot, where the kernel would report success. */
	if (tsh_snapshot_state(s->in) == TSH_SNAPSHOT_FREE) {
		tsh_err_set(err, TSH_FAILED, "there is no snapshot of '%s'",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "snapshot take");
		tsh_err_blame(err, tsh_args_get(&call->args, "ACTION")->word.span);
		return -1;
	}
	if (tsh_cmd_confirm_write(s, s->in, "snapshot", TSH_WRITE_SET, "2", err) < 0 ||
	    write_snapshot(s, call, "2", err) < 0)
		return -1;
	tsh_out_note(s->out, "the snapshot of '%s' is empty, its memory is kept",
		     tsh_instance_label(s->in));
	return 0;
}

static void show_state(struct tsh_session *s)
{
	static const char *const states[] = { "not there", "none", "empty", "holds events" };
	enum tsh_snapshot_state state = tsh_snapshot_state(s->in);
	struct tsh_fields *f = tsh_fields_begin(s->out, "snapshot");
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_size(tsh_snapshot_size(s->in), &text);
	tsh_fields_text(f, "instance", tsh_instance_label(s->in));
	tsh_fields_text(f, "snapshot", states[state]);
	tsh_fields_text(f, state == TSH_SNAPSHOT_FREE ? "would_take" : "memory", text.buf);
	tsh_fields_end(f);
	tsh_strbuf_release(&text);
}

static int show(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *n = tsh_args_get(&call->args, "N");
	struct tsh_range range;
	int r;

	tsh_range_init(&range, s, call);
	r = tsh_show_text(s, "snapshot", n ? &n->number : NULL, &range, err);
	tsh_range_release(&range);
	return r;
}

static int snapshot_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");

	if (tsh_tasks_are_of_other_machine(s) && !tsh_file_exists(s->in, "snapshot")) {
		tsh_err_at(err, call->args.command, "the recording does not tell whether that kernel has snapshots");
		err->status = TSH_FAILED;
		tsh_err_hint(err, "tracesh --dry-run where that kernel runs knows it");
		return -1;
	}
	if (!tsh_file_exists(s->in, "snapshot")) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no snapshots");
		tsh_err_hint(err, "it was built without CONFIG_TRACER_SNAPSHOT");
		tsh_err_blame(err, call->args.command);
		return -1;
	}
	if (!action)
		show_state(s);
	else if (!strcmp(action, "take"))
		return write_new_snapshot(s, call, err);
	else if (!strcmp(action, "alloc"))
		return allocate(s, call, err);
	else if (!strcmp(action, "clear"))
		return clear(s, call, err);
	else if (!strcmp(action, "free"))
		return release(s, call, err);
	else
		return show(s, call, err);
	return 0;
}

static const char *const snapshot_actions[] = {
	"take", "show", "clear", "alloc", "free", NULL
};

static const struct tsh_arg snapshot_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "show only the last N events" },
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = snapshot_actions,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "take: swap the buffers; show: its text; clear: empty it; alloc, free: its "
		  "memory" },
	{ 0 }
};

static const struct tsh_example snapshot_examples[] = {
	{ "try snapshot", "whether there is one, and its memory" },
	{ "try snapshot take", "keep what is in the buffer" },
	{ "try snapshot show", "its text" },
	{ "try snapshot free", "give its memory back" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_snapshot = {
	.name = "snapshot", .group = TSH_GROUP_SEE,
	.summary = "keep the buffer as it is now, and show it",
	.description =
		"The kernel swaps the buffer for a second one of the same size: the events are in "
		"the snapshot from then on, and tracing goes on in the other. The first take "
		"allocates it, and only free gives its memory back; alloc takes the memory, and "
		"the events stay where they are. A second take brings the older events back into the buffer.\n"
		"clear and free, a smaller buffer and another clock erase its events: how many is said, and at the "
		"prompt asked before; a step back (help undo) saves them first, as text.\n"
		"show is as the command show, for the snapshot. Undo gives back settings, never "
		"events: it takes no snapshot back.",
	.see_also = "trigger show",
	.args = snapshot_args, .examples = snapshot_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_LIVE,
	.run = snapshot_run, .script = tsh_script_snapshot, .writes_with = "ACTION", .prints_with = "show",
};
