/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/diagnose/doctor.h"

#include "cmd/commands.h"
#include "session/util.h"

/* Declares doctor: says why no event arrives, and what to type. */

static int doctor_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "check", TSH_COLUMN_TEXT }, { "fix", TSH_COLUMN_TEXT },
		{ "finding", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_doctor d = { .s = s, .in = s->in };

	(void)call;
	(void)err;
	d.table = tsh_table_begin(s->out, "finding", columns);
	tsh_doctor_examine(&d);
	tsh_table_end(d.table);
	/* repeats at the prompt what a batch says at its start */
	if (s->interactive)
		tsh_cmd_note_left(s);
	if (d.tested.len)
		tsh_out_note(s->out, "tested: %s", d.tested.buf);
	if (d.findings)
		tsh_out_note(s->out, "%zu finding%s in '%s'; the column fix is what to type",
			     d.findings, tsh_plural(d.findings), tsh_instance_label(s->in));
	else
		tsh_out_note(s->out, "nothing found in '%s'", tsh_instance_label(s->in));
	/* Sets $? without failing, so that a batch goes on. */
	s->run_status = d.findings ? TSH_FAILED : TSH_OK;
	tsh_doctor_release(&d);
	return s->aborted ? -1 : 0;
}

static const struct tsh_arg no_args[] = { { 0 } };

static const struct tsh_example doctor_examples[] = {
	{ "enable sched:sched_switch; doctor", "what would keep its events away" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_doctor = {
	.name = "doctor", .group = TSH_GROUP_SEE,
	.summary = "say why nothing arrives, and what to type",
	.description =
		"A line for each finding, with the command that mends it: tracing off and by what, "
		"nothing enabled, filters that can never match, tasks that are gone, CPUs that are "
		"left out, other readers, losses, function filters, clocks without times.\n"
		"Then it tests: whether the events that are enabled come within a moment, and whether "
		"a marker arrives in an instance of its own, which is removed. Nothing of the present "
		"instance is written or consumed.\n"
		"Its status is 0 when nothing was found and 1 otherwise; findings are no error, so a "
		"batch file goes on and can look at $?.",
	.see_also = "status stats",
	.args = no_args, .examples = doctor_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_LIVE,
	.run = doctor_run,
};
