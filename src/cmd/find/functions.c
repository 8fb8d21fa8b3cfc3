/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "session/flood-check.h"
#include "session/function-names.h"
#include "session/util.h"

/* Declares functions: lists the kernel's functions, and sets which the function tracers trace. */

/* Lists the files of the actions, in the order of function_actions. */
static const char *const lists[] = { "set_ftrace_filter", "set_ftrace_notrace",
				     "set_graph_function" };
static const char *const function_actions[] = { "filter", "notrace", "graph", "clear", NULL };

static int explain(const struct tsh_instance *in, const char *path, struct tsh_err *err)
{
	if (err->number != EPERM && err->number != EACCES && err->number != ENOENT)
		return -1;
	if (err->number == ENOENT)
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no function tracing");
	else
		tsh_err_set(err, TSH_ENVIRONMENT, "the kernel refuses '%s', even to root", path);
	tsh_err_hint(err, tsh_file_exists(in, path) ?
			     "its security policy forbids function tracing" :
			     "it needs CONFIG_DYNAMIC_FTRACE");
	return -1;
}

static int list_functions(struct tsh_session *s, const struct tsh_call *call,
			  struct tsh_err *err)
{
	static const struct tsh_column columns[] = { { "function", TSH_COLUMN_TEXT }, { 0 } };
	static const char path[] = "available_filter_functions";
	/* reads the top one: another instance has no such list */
	const struct tsh_instance top = tsh_top(s->dir);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const struct tsh_value *glob = tsh_args_get(&call->args, "FUNCTION");
	struct tsh_table *table;
	char *line, *end;
	size_t shown = 0;
	int r;

	r = tsh_file_read(&top, path, &text);
	if (r < 0) {
		tsh_strbuf_release(&text);
		tsh_err_errno(err, -r, "cannot read '%s'", path);
		return explain(&top, path, err);
	}
	table = tsh_table_begin(s->out, "function", columns);
	tsh_table_set_plain(table);
	for (line = text.buf; *line; line = end) {
		const struct tsh_value *g;
		bool hit = !glob;
		char name[256];
		size_t len = strcspn(line, " \t\n");

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (len >= sizeof(name))
			continue;
		memcpy(name, line, len);
		name[len] = '\0';
		for (g = glob; g && !hit; g = tsh_args_next(&call->args, "FUNCTION", g))
			hit = tsh_glob_match(g->word.text, name);
		if (!hit)
			continue;
		tsh_table_row(table);
		tsh_table_text(table, line);
		shown++;
	}
	tsh_table_end(table);
	tsh_strbuf_release(&text);
	if (!shown && glob) {
		tsh_err_at(err, glob->word.span, "no function matches '%s'", glob->word.text);
		err->status = TSH_FAILED;
		return -1;
	}
	return 0;
}

static int show_list(struct tsh_session *s, const char *path, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_cmd_read_file(s, path, &text, err);

	if (!r)
		tsh_out_text(s->out, text.buf, text.len);
	tsh_strbuf_release(&text);
	return r < 0 ? explain(s->in, path, err) : 0;
}

static int set_list(struct tsh_session *s, const struct tsh_call *call, const char *path,
		    struct tsh_err *err)
{
	const struct tsh_value *glob = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist set = { 0 };
	char *now;
	int r;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob)))
		tsh_strbuf_addf(&text, "%s%s", text.len ? "\n" : "", glob->word.text);
	r = tsh_session_write(s, path, TSH_WRITE_SET, text.buf, NULL, err);
	tsh_strbuf_release(&text);
	if (r < 0) {
		explain(s->in, path, err);
		return err->number == EINVAL ? tsh_function_names_blame(s, call, err) : -1;
	}
	now = tsh_file_text(s->in, path);
	if (now)
		tsh_strlist_split_lines(&set, now);
	tsh_out_note(s->out, "%zu function%s in %s of '%s'", set.n, tsh_plural(set.n), path,
		     tsh_instance_label(s->in));
	tsh_strlist_release(&set);
	free(now);
	return 0;
}

static int clear_lists(struct tsh_session *s, struct tsh_err *err)
{
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (tsh_file_exists(s->in, lists[i]) &&
		    tsh_session_write(s, lists[i], TSH_WRITE_CLEAR, NULL, NULL, err) < 0)
			return explain(s->in, lists[i], err);
	tsh_out_note(s->out, "all functions are traceable in '%s'", tsh_instance_label(s->in));
	return 0;
}

static int functions_run(struct tsh_session *s, const struct tsh_call *call,
			 struct tsh_err *err)
{
	const char *action = tsh_args_text(&call->args, "ACTION");
	size_t i;

	if (!action)
		return list_functions(s, call, err);
	if (!strcmp(action, "clear"))
		return tsh_flood_check_all_functions(s, err) < 0 ? -1 : clear_lists(s, err);
	for (i = 0; strcmp(function_actions[i], action); i++)
		;
	if (!tsh_args_has(&call->args, "FUNCTION"))
		return show_list(s, lists[i], err);
	return set_list(s, call, lists[i], err);
}

static const struct tsh_arg functions_args[] = {
	{ .name = "ACTION", .type = TSH_ARG_CHOICE, .choices = function_actions,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "filter: trace only these; notrace: not these; graph: below these; clear" },
	{ .name = "FUNCTION", .type = TSH_ARG_FUNCTION, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "names or globs; without an action they are listed" },
	{ 0 }
};

static const struct tsh_example functions_examples[] = {
	{ "try functions 'vfs_*'", "which there are" },
	{ "try functions filter vfs_read vfs_write", "what the function tracer traces" },
	{ "try functions clear", "all again" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_functions = {
	.name = "functions", .group = TSH_GROUP_FIND,
	.summary = "list functions, or choose those that the tracers trace",
	.description = "The lists belong to the tracers function and function_graph; events are "
		       "not touched.",
	.see_also = "tracer",
	.args = functions_args, .examples = functions_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES |
		 TSH_CMD_LIVE,
	.run = functions_run,
};
