/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recipes.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "tracesh/machine.h"
#include "util.h"

/* recipes: which there are, and what they show. */

#define SUFFIX ".tsh"
#define HEAD_MAX 1024

static const char *folder(void)
{
	const char *own = getenv("TRACESH_RECIPES");

	return own && *own ? own : RECIPESDIR;
}

char *tsh_recipe_path(const char *name)
{
	struct stat st;
	char *path;

	if (strchr(name, '/'))
		return NULL;
	path = tsh_xasprintf("%s/%s", folder(), name);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

/* ---- what a file says of itself ---- */

/* The second line: "# What it shows: NAME.tsh ARGUMENTS", the latter where it takes some. */
struct recipe {
	char *name;
	char *usage;
	char *shows;
};

static void release_recipe(struct recipe *recipe)
{
	free(recipe->name);
	free(recipe->usage);
	free(recipe->shows);
}

static void read_recipe(const char *name, struct recipe *ret)
{
	char *path = tsh_xasprintf("%s/%s", folder(), name), *usage;
	char head[HEAD_MAX] = "", *line;

	ret->name = tsh_xstrdup(name);
	(void)tsh_read_small(path, head, sizeof(head));
	line = strchr(head, '\n');
	line = line && !strncmp(line + 1, "# ", 2) ? line + 3 : head + strlen(head);
	line[strcspn(line, "\n")] = '\0';
	usage = strstr(line, name);
	/* ": NAME.tsh PID" at its end */
	if (usage && usage >= line + 2 && !strncmp(usage - 2, ": ", 2)) {
		ret->usage = tsh_xstrdup(usage);
		usage[-2] = '\0';
	} else {
		ret->usage = tsh_xstrdup(name);
	}
	ret->shows = tsh_xstrdup(line);
	free(path);
}

/* Sorted. False: there is no such folder. */
static bool list_names(struct tsh_strlist *ret)
{
	const struct dirent *entry;
	DIR *d = opendir(folder());

	if (!d)
		return false;
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len > strlen(SUFFIX) && entry->d_name[0] != '.' &&
		    !strcmp(entry->d_name + len - strlen(SUFFIX), SUFFIX))
			tsh_strlist_add(ret, entry->d_name);
	}
	closedir(d);
	tsh_strlist_sort(ret);
	return true;
}

void tsh_candidates_recipes(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	if (!strchr(at->word, '/'))
		(void)list_names(&names);
	for (i = 0; i < names.n; i++) {
		struct recipe recipe;

		read_recipe(names.v[i], &recipe);
		tsh_candidate_add(at, recipe.name, recipe.shows, false);
		release_recipe(&recipe);
	}
	tsh_strlist_release(&names);
}

/* ---- the command ---- */

/* Of several words all. */
static bool is_about(const struct tsh_call *call, const struct recipe *recipe)
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

	if (!list_names(&names)) {
		tsh_err_at(err, call->args.command, "there are no recipes in '%s'", folder());
		err->status = TSH_FAILED;
		tsh_err_hint(err, "make install puts them there; TRACESH_RECIPES names another folder");
		return -1;
	}
	table = tsh_table_begin(s->out, "recipe", columns);
	for (i = 0; i < names.n; i++) {
		struct recipe recipe;

		read_recipe(names.v[i], &recipe);
		if (is_about(call, &recipe)) {
			tsh_table_row(table);
			tsh_table_text(table, recipe.usage);
			tsh_table_text(table, recipe.shows);
			found++;
		}
		release_recipe(&recipe);
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
	.see = "source batch",
	.args = recipes_args, .examples = recipes_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_IN_CHECK,
	.run = recipes_run,
};
