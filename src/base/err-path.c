/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "utf8.h"
#include "xmalloc.h"

/* Returns the longest leading part of a path that exists, "." at least; the caller frees it. */
static char *part_that_is_there(const char *path)
{
	char *part = tsh_xstrdup(path), *slash;
	struct stat st;

	while (*part && stat(part, &st) < 0) {
		slash = strrchr(part, '/');
		if (slash == part && part[1])
			slash++;
		*(slash ? slash : part) = '\0';
	}
	if (*part)
		return part;
	free(part);
	return tsh_xstrdup(".");
}

/* Returns the command that shows the cause of an error number, to be followed by the path; NULL:
 * there is none. */
static const char *hint_of(int number)
{
	switch (number) {
	case ENOENT:
	case EISDIR:
		return "to see what is there: ls";
	case EACCES:
	case EPERM:
	case ENOTDIR:
		return "to see its kind, owner and rights: ls -ld";
	case ENOSPC:
	case EDQUOT:
		return "to see how full it is: df";
	case EROFS:
		return "to see which file system is read-only: df";
	default:
		return NULL;
	}
}

int tsh_err_path(struct tsh_err *err, int number, const char *verb, const char *path)
{
	char *part, *word, *name = tsh_sanitize_dup(path);
	const char *hint;

	tsh_err_errno(err, number, "cannot %s '%s'", verb, name);
	free(name);
	hint = hint_of(err->number);
	if (!hint)
		return -1;
	part = part_that_is_there(path);
	word = tsh_typed_word(part);
	tsh_err_hint(err, "%s %s", hint, word);
	free(word);
	free(part);
	return -1;
}

void tsh_err_hint_word(struct tsh_err *err, const char *before, const char *word, const char *behind)
{
	char *typed = tsh_typed_word(word);

	tsh_err_hint(err, "%s%s%s", before, typed, behind);
	free(typed);
}
