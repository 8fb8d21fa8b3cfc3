/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "session/history.h"

/* Declares history: lists what was typed at the prompt. */

/* Holds which lines are asked for: the last `n`, or those that match the glob. */
struct which {
	size_t n;
	char *glob;
};

static int read_which(const struct tsh_value *value, struct which *ret, struct tsh_err *err)
{
	const char *text = value ? value->word.text : NULL;
	uint64_t n;

	*ret = (struct which){ .n = SIZE_MAX };
	if (!text)
		return 0;
	if (*text == '/') {
		ret->glob = tsh_xasprintf("*%s*", text + 1);
		return 0;
	}
	if (tsh_parse_u64(text, &n) < 0) {
		tsh_err_at(err, value->word.span, "'%s' is no number", text);
		tsh_err_hint(err, "history 20 shows the last 20, history /TEXT those with TEXT");
		return -1;
	}
	ret->n = n > SIZE_MAX ? SIZE_MAX : (size_t)n;
	return 0;
}

static void list(struct tsh_out *out, const struct tsh_strlist *lines, const struct which *which)
{
	static const struct tsh_column columns[] = {
		{ "number", TSH_COLUMN_NUMBER }, { "command", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(out, "history", columns);
	size_t i = lines->n > which->n ? lines->n - which->n : 0;

	for (; i < lines->n; i++) {
		if (which->glob && !tsh_glob_match(which->glob, lines->v[i]))
			continue;
		tsh_table_row(table);
		tsh_table_number(table, i + 1);
		tsh_table_text(table, lines->v[i]);
	}
	tsh_table_end(table);
}

static int history_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_history read = { 0 };
	struct which which;
	int r = 0;

	if (read_which(tsh_args_get(&call->args, "WHICH"), &which, err) < 0)
		return -1;
	if (!s->history)
		r = tsh_history_open(&read, false, err);
	if (!r)
		list(s->out, s->history ? &s->history->lines : &read.lines, &which);
	tsh_history_release(&read);
	free(which.glob);
	return r;
}

static const struct tsh_arg history_args[] = {
	{ .name = "WHICH", .type = TSH_ARG_TEXT, .flags = TSH_ARG_OPTIONAL,
	  .help = "a number: the last so many; /TEXT: those with this text or glob in them" },
	{ 0 }
};

static const struct tsh_example history_examples[] = {
	{ "history 20", "the last 20 commands" },
	{ "history /sched_switch if", "those in which that stands" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_history = {
	.name = "history", .group = TSH_GROUP_SESSION,
	.summary = "list the commands that were typed at the prompt",
	.description = "They are kept for the next session, none twice, 2000 at most. One that "
		       "begins with a blank is not. Ctrl-R searches them, Up and Down go "
		       "through them.",
	.args = history_args, .examples = history_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.run = history_run,
};
