/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/xmalloc.h"
#include "cmd/table.h"
#include "help/help.h"
#include "session/settings.h"

/* Declares apropos: finds commands, topics and settings by their help. */

static bool has_word(const char *text, const char *word)
{
	return text && strcasestr(text, word);
}

static bool examples_have_word(const struct tsh_example *example, const char *word)
{
	for (; example && example->text; example++)
		if (has_word(example->text, word) || has_word(example->help, word))
			return true;
	return false;
}

static bool is_about(const struct tsh_cmd *cmd, const char *word)
{
	const struct tsh_arg *arg;

	if (has_word(cmd->name, word) || has_word(cmd->alias, word) || has_word(cmd->summary, word) ||
	    has_word(cmd->description, word) || examples_have_word(cmd->examples, word))
		return true;
	for (arg = cmd->args; arg->name; arg++)
		if (has_word(arg->help, word) || has_word(arg->option, word))
			return true;
	return false;
}

static bool topic_is_about(const struct tsh_topic *topic, const char *word)
{
	return has_word(topic->name, word) || has_word(topic->summary, word) || has_word(topic->text, word) ||
	       examples_have_word(topic->examples, word);
}

static bool setting_is_about(const struct tsh_setting *setting, const char *word)
{
	size_t i;

	if (has_word(setting->name, word) || has_word(setting->help, word))
		return true;
	for (i = 0; setting->choices && setting->choices[i]; i++)
		if (has_word(setting->choices[i], word) ||
		    has_word(tsh_setting_choice_help(setting, setting->choices[i]), word))
			return true;
	return false;
}

/* Lists words of other tools for what the help calls something else. */
static const struct {
	const char *word;
	const char *names;	/* each between blanks */
} others[] = {
	{ "container", " pid ps instance " }, { "docker", " pid ps " }, { "podman", " pid ps " }, { "lxc", " pid ps " },
	{ "namespace", " pid ps " }, { "permission", " caps doctor instance " }, { "root", " caps doctor run " },
	{ "kprobe", " probe " }, { "kretprobe", " probe " }, { "uprobe", " probe " }, { "uretprobe", " probe " },
	{ "fprobe", " probe " }, { "bpf", " probe where hist " }, { "ebpf", " probe where hist " },
	{ "bpftrace", " probe where hist " }, { "systemtap", " probe where hist " }, { "gdb", " probe struct stacks " },
	{ "strace", " run latency hist " }, { "ltrace", " probe run " }, { "perf", " stacks profile hist record " },
	{ "trace-cmd", " record stream graph " }, { "perfetto", " record output merge " },
	{ "32-bit", " hist run caps " }, { "compat", " hist run caps " },
	{ "oops", " save trigger boards show " }, { "panic", " save trigger boards show " },
	{ "crash", " save trigger boards show " }, { "dmesg", " show time boards " },
	{ "sleep", " latency stacks wait " }, { "duration", " latency profile graph " },
	{ "futex", " latency stacks " }, { "lock", " latency stacks " }, { "mutex", " latency stacks " },
	{ "deadlock", " latency stacks " }, { "stuck", " stacks latency " }, { "hang", " stacks latency " },
	{ "disk", " latency hist " }, { "network", " hist probe where " },
};

static bool has_other_name(const char *name, const char *word)
{
	char *between = tsh_xasprintf(" %s ", name);
	bool has = false;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]) && !has; i++)
		has = !strcasecmp(others[i].word, word) && strstr(others[i].names, between);
	free(between);
	return has;
}

/* Says whether the help of a command, topic or setting has all of the words. */
static bool hits(const struct tsh_call *call, const struct tsh_cmd *cmd,
		 const struct tsh_topic *topic, const struct tsh_setting *setting)
{
	const struct tsh_value *word = NULL;
	bool about = true;

	while (about && (word = tsh_args_next(&call->args, "WORD", word)))
		about = cmd ? is_about(cmd, word->word.text) || has_other_name(cmd->name, word->word.text) :
			topic ? topic_is_about(topic, word->word.text) || has_other_name(topic->name, word->word.text) :
				setting_is_about(setting, word->word.text);
	return about;
}

static void add_row(struct tsh_table *table, const char *name, const char *kind,
		    const char *summary)
{
	tsh_table_texts(table, name, kind, summary);
}

/* Says how many events have the word in their names, which apropos does not search. */
static void note_events(struct tsh_session *s, const char *word)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i, n = 0;

	if (s->dir && tsh_events_available(s->dir, &all, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < all.n; i++)
		n += strstr(all.v[i].name, word) != NULL;
	if (n)
		tsh_out_note(s->out, "and %zu event%s: events '*%s*'", n, n == 1 ? "" : "s", word);
	tsh_events_release(&all);
}

static int apropos_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "name", TSH_COLUMN_TEXT }, { "kind", TSH_COLUMN_TEXT },
		{ "summary", TSH_COLUMN_TEXT }, { 0 }
	};
	const struct tsh_value *first = tsh_args_get(&call->args, "WORD");
	struct tsh_table *table = tsh_table_begin(s->out, "help", columns);
	size_t i, found = 0;

	for (i = 0; tsh_commands[i]; i++)
		if (hits(call, tsh_commands[i], NULL, NULL)) {
			add_row(table, tsh_commands[i]->name, "command", tsh_commands[i]->summary);
			found++;
		}
	for (i = 0; tsh_topics[i].name; i++)
		if (hits(call, NULL, &tsh_topics[i], NULL)) {
			add_row(table, tsh_topics[i].name, "topic", tsh_topics[i].summary);
			found++;
		}
	for (i = 0; tsh_settings_table[i].name; i++)
		if (hits(call, NULL, NULL, &tsh_settings_table[i])) {
			char *name = tsh_xasprintf("set %s", tsh_settings_table[i].name);

			add_row(table, name, "setting", tsh_settings_table[i].help);
			free(name);
			found++;
		}
	tsh_table_end(table);
	if (found && call->args.n == 1 && !tsh_is_glob(first->word.text))
		note_events(s, first->word.text);
	if (found)
		return 0;
	tsh_err_at(err, first->word.span, "the help says nothing about '%s'", first->word.text);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "help --all lists all commands; events '*%s*' looks for events",
		     first->word.text);
	return -1;
}

static const struct tsh_arg apropos_args[] = {
	{ .name = "WORD", .type = TSH_ARG_WORD, .flags = TSH_ARG_MANY,
	  .help = "what it is about; of several words all" },
	{ 0 }
};

static const struct tsh_example apropos_examples[] = {
	{ "apropos snapshot", "what has to do with it" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_apropos = {
	.name = "apropos", .group = TSH_GROUP_SESSION,
	.summary = "search the help for a word",
	.description = "Looks in the names, summaries, descriptions, arguments and examples of "
		       "commands, in the topics and in the settings; words that others use (kprobe, strace, "
		       "container, oops) lead to what it is called here.",
	.see_also = "help",
	.args = apropos_args, .examples = apropos_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_IN_CHECK,
	.run = apropos_run,
};
