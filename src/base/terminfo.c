/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "terminfo.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "safe-file.h"
#include "strbuf.h"
#include "xmalloc.h"

/* Checks that others can neither change nor replace a file. */
static bool is_trusted(const char *path)
{
	int fd = tsh_open_protected(path);
	struct stat st;
	bool ret = fd >= 0 && fstat(fd, &st) == 0 && tsh_is_trusted(fd, &st);

	if (fd >= 0)
		close(fd);
	return ret;
}

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Checks a file in a trusted folder. Where it is missing, nobody else can create it. */
static bool is_trusted_below(const char *folder, const char *name)
{
	char *path = tsh_xasprintf("%s/%s", folder, name);
	bool ret = !is_there(path) || is_trusted(path);

	free(path);
	return ret;
}

/* Checks a folder of descriptions, and the one of our terminal in it: x/xterm, or 78/xterm. */
static bool is_trusted_base(const char *folder)
{
	const char *term = getenv("TERM");
	bool ret = is_trusted(folder);
	char *names[4];
	size_t i;

	if (!ret || !term || !*term)
		return ret;
	names[0] = tsh_xasprintf("%c", *term);
	names[1] = tsh_xasprintf("%c/%s", *term, term);
	names[2] = tsh_xasprintf("%02x", (unsigned char)*term);
	names[3] = tsh_xasprintf("%02x/%s", (unsigned char)*term, term);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ret = ret && is_trusted_below(folder, names[i]);
		free(names[i]);
	}
	return ret;
}

static void add_refused(struct tsh_strlist *refused, const char *path)
{
	if (is_there(path))
		tsh_strlist_add(refused, path);
}

/* Reduces a list of folders to those that are trusted; an empty element stands for the usual
 * ones. */
static void restrict_list(const char *variable, struct tsh_strlist *refused)
{
	struct tsh_strbuf left = TSH_STRBUF_INIT;
	char *list = tsh_xstrdup(getenv(variable)), *rest = list, *folder;
	bool is_first = true;

	while ((folder = strsep(&rest, ":"))) {
		if (*folder && !is_trusted_base(folder)) {
			add_refused(refused, folder);
			continue;
		}
		tsh_strbuf_addf(&left, "%s%s", is_first ? "" : ":", folder);
		is_first = false;
	}
	if (is_first)
		unsetenv(variable);
	else
		setenv(variable, left.buf, 1);
	free(list);
	tsh_strbuf_release(&left);
}

/* Removes HOME from the environment when ~/.terminfo or ~/.termcap is not trusted, or could be
 * created by others. */
static void restrict_home(struct tsh_strlist *refused)
{
	const char *home = getenv("HOME");
	char *folder = tsh_xasprintf("%s/.terminfo", home);
	bool is_ours = is_trusted(home) && is_trusted_below(home, ".termcap") &&
		       is_trusted_below(home, ".terminfo.db");

	if (!is_ours || (is_there(folder) && !is_trusted_base(folder))) {
		add_refused(refused, folder);
		unsetenv("HOME");
	}
	free(folder);
}

/* Says whether a variable holds a description itself, not a path. */
static bool is_description(const char *variable, const char *value)
{
	if (!strcmp(variable, "TERMCAP"))
		return *value != '/';
	return !strcmp(variable, "TERMINFO") && (!strncmp(value, "hex:", 4) || !strncmp(value, "b64:", 4));
}

void tsh_terminfo_restrict(struct tsh_strlist *refused)
{
	static const char *const lists[] = { "TERMINFO", "TERMINFO_DIRS", "TERMPATH", "TERMCAP" };
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const char *value = getenv(lists[i]);

		if (value && !is_description(lists[i], value))
			restrict_list(lists[i], refused);
	}
	if (getenv("HOME"))
		restrict_home(refused);
}
