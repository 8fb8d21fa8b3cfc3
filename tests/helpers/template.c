/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <string.h>

#include "session/util.h"

/* lines: how long a file of the instance is. A command to begin from: HACKING.md, "To add a command". */

static int lines_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "file", TSH_COLUMN_TEXT }, { "lines", TSH_COLUMN_NUMBER }, { 0 }
	};
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_table *table;
	uint64_t lines = 0;
	const char *at;
	int r = tsh_file_read(s->in, file->word.text, &text);

	if (r < 0) {
		tsh_file_blame(s->in, file->word.text, r, err);
		tsh_err_blame(err, file->word.span);
		tsh_strbuf_release(&text);
		return -1;
	}
	for (at = text.buf; (at = memchr(at, '\n', text.len - (size_t)(at - text.buf))); at++)
		lines++;
	table = tsh_table_begin(s->out, "lines", columns);
	tsh_table_row(table);
	tsh_table_text(table, file->word.text);
	tsh_table_number(table, lines);
	tsh_table_end(table);
	tsh_strbuf_release(&text);
	return 0;
}

static const struct tsh_arg lines_args[] = {
	{ .name = "FILE", .type = TSH_ARG_TRACE_FILE, .help = "a file below the instance" },
	{ 0 }
};

static const struct tsh_example lines_examples[] = {
	{ "lines available_events", "how many events there are" }, { 0 }
};

const struct tsh_cmd tsh_cmd_lines = {
	.name = "lines", .group = TSH_GROUP_FILE, .summary = "count the lines of a file of the instance",
	.description = "Reads the file, and prints how many lines it has.",
	.see_also = "cat",
	.args = lines_args, .examples = lines_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = lines_run,
};
