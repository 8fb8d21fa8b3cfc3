/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "help/recipe-files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/machine.h"
#include "cmd/commands.h"
#include "session/util.h"

/* Declares recipes: lists them, with what each shows. */

/* ---- the command ---- */

/* Says whether the recipe has all of the words. */
static bool is_about(const struct tsh_call *call, const struct tsh_recipe *recipe)
{
	const struct tsh_value *word = NULL;

	while ((word = tsh_args_next(&call->args, "WORD", word)))
		if (!strcasestr(recipe->name, word->word.text) &&
		    !strcasestr(recipe->shows, word->word.text))
			return false;
	return true;
}

static int recipes_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "recipe", TSH_COLUMN_TEXT }, { "shows", TSH_COLUMN_TEXT }, { 0 }
	};
	const struct tsh_value *first = tsh_args_get(&call->args, "WORD");
	struct tsh_strlist names = { 0 };
	struct tsh_table *table;
	size_t i, found = 0;

	if (!tsh_recipes_list(&names)) {
		tsh_err_at(err, call->args.command, "there are no recipes in '%s'", tsh_recipes_folder());
		err->status = TSH_FAILED;
		tsh_err_hint(err, "make install puts them there; TRACESH_RECIPES names another folder");
		return -1;
	}
	table = tsh_table_begin(s->out, "recipe", columns);
	for (i = 0; i < names.n; i++) {
		struct tsh_recipe recipe;

		tsh_recipe_read(names.v[i], &recipe);
		if (is_about(call, &recipe)) {
			tsh_table_texts(table, recipe.usage, recipe.shows);
			found++;
		}
		tsh_recipe_release(&recipe);
	}
	tsh_table_end(table);
	tsh_strlist_release(&names);
	if (found)
		return 0;
	tsh_err_at(err, first ? first->word.span : call->args.command, "no recipe is about that");
	err->status = TSH_FAILED;
	tsh_err_hint(err, "recipes lists all; apropos looks in the help");
	return -1;
}

static const struct tsh_arg recipes_args[] = {
	{ .name = "WORD", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "what they are about; of several words all" },
	{ 0 }
};

static const struct tsh_example recipes_examples[] = {
	{ "recipes", "all of them" },
	{ "try recipes packets", "those about packets" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_recipes = {
	.name = "recipes", .group = TSH_GROUP_FIND,
	.summary = "list the batch files that come with tracesh",
	.description = "Each answers a question, and is a batch file like any other: tracesh NAME "
		       "ARG.. runs it, source NAME ARG.. here; without a / in its name it is "
		       "looked for in the folder of the recipes, too, if no file here has it.",
	.see_also = "source batch",
	.args = recipes_args, .examples = recipes_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.run = recipes_run,
};
