/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recipe-files.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/machine.h"
#include "base/xmalloc.h"
#include "session/session.h"

#define SUFFIX ".tsh"

#define HEAD_MAX 1024

const char *tsh_recipes_folder(void)
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
	path = tsh_xasprintf("%s/%s", tsh_recipes_folder(), name);
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

void tsh_recipe_release(struct tsh_recipe *recipe)
{
	free(recipe->name);
	free(recipe->usage);
	free(recipe->shows);
}

void tsh_recipe_read(const char *name, struct tsh_recipe *ret)
{
	char *path = tsh_xasprintf("%s/%s", tsh_recipes_folder(), name), *usage;
	char head[HEAD_MAX] = "", *line;

	ret->name = tsh_xstrdup(name);
	(void)tsh_read_small(path, head, sizeof(head));
	line = strchr(head, '\n');
	line = line && !strncmp(line + 1, "# ", 2) ? line + 3 : head + strlen(head);
	line[strcspn(line, "\n")] = '\0';
	usage = strstr(line, name);
	/* finds ": NAME.tsh PID" at the end of the line */
	if (usage && usage >= line + 2 && !strncmp(usage - 2, ": ", 2)) {
		ret->usage = tsh_xstrdup(usage);
		usage[-2] = '\0';
	} else {
		ret->usage = tsh_xstrdup(name);
	}
	ret->shows = tsh_xstrdup(line);
	free(path);
}

bool tsh_recipes_list(struct tsh_strlist *ret)
{
	const struct dirent *entry;
	DIR *d = opendir(tsh_recipes_folder());

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
