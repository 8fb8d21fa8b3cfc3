/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "inputrc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include <readline/readline.h>
#include <readline/tilde.h>

#include "base/safe-file.h"
#include "base/strbuf.h"
#include "base/terminfo.h"
#include "base/vec.h"
#include "base/xmalloc.h"

#define FILE_MAX (1u << 20)
#define INCLUDES_MAX 16

/* Collects the text for readline: files one after the other, with all files that these include. */
struct inputrc {
	struct tsh_strbuf text;
	unsigned int files;
	char *refused;			/* first file that others can write; or NULL */
};

static int add_file(struct inputrc *rc, const char *path);

/* Says whether a folder is like /tmp: others may write to the folder, so that its owner could
 * replace our files in spite of the sticky bit, and a link may be anybody's. */
static bool is_like_tmp(const struct stat *st)
{
	return (st->st_mode & S_ISVTX) && (st->st_uid == 0 || st->st_uid == geteuid());
}

/* Opens `name` of a folder. Returns -EPERM when others can write to the file, or replace it. */
static int open_safe(int folder, const char *name)
{
	struct stat st;
	bool is_shared;
	int fd;

	if (fstat(folder, &st) < 0)
		return -errno;
	is_shared = !tsh_is_safe(&st);
	if (is_shared && !is_like_tmp(&st))
		return -EPERM;
	fd = tsh_open_regular_at(folder, name, O_RDONLY | (is_shared ? O_NOFOLLOW : 0));
	if (fd < 0)
		return fd == -ELOOP || fd == -EOPNOTSUPP ? -EPERM : fd;
	if (fstat(fd, &st) == 0 && tsh_is_safe(&st))
		return fd;
	close(fd);
	return -EPERM;
}

static int open_path(const char *path)
{
	char *name;
	int folder, fd;

	if (!tsh_is_protected(path))
		return access(path, F_OK) < 0 ? -errno : -EPERM;
	folder = tsh_open_parent(path, &name);
	if (folder < 0)
		return folder == -ELOOP ? -EPERM : folder;
	fd = open_safe(folder, name);
	close(folder);
	free(name);
	return fd;
}

/* Returns the path of "$include PATH", or NULL for any other line. */
static const char *included(const char *line)
{
	static const char word[] = "include";

	line += strspn(line, " \t");
	if (*line != '$')
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	if (strncasecmp(line, word, strlen(word)) || !strchr(" \t", line[strlen(word)]))
		return NULL;
	return line + strlen(word) + strspn(line + strlen(word), " \t");
}

/* Adds a text, with the files that the text includes. Lines of files under a false $if are skipped
 * by readline, too. */
static void add_text(struct inputrc *rc, const char *text)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		const char *path = included(lines.v[i]);
		char *expanded;

		if (!path) {
			tsh_strbuf_addf(&rc->text, "%s\n", lines.v[i]);
			continue;
		}
		expanded = tilde_expand(path);
		(void)add_file(rc, expanded);
		free(expanded);
	}
	tsh_strlist_release(&lines);
}

/* Adds a file. Returns 0 or -errno; notes one that is refused. */
static int add_file(struct inputrc *rc, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd, r;

	if (++rc->files > INCLUDES_MAX)
		return -ELOOP;
	fd = open_path(path);
	if (fd == -EPERM && !rc->refused)
		rc->refused = tsh_xstrdup(path);
	if (fd < 0)
		return fd;
	r = tsh_strbuf_read(&text, fd, FILE_MAX);
	close(fd);
	if (!r)
		add_text(rc, text.buf);
	tsh_strbuf_release(&text);
	return r;
}

/* Collects the text as readline looks for it: the first file that exists. */
static void collect(struct inputrc *rc)
{
	const char *named = getenv("INPUTRC");
	char *home;

	if (named && *named) {
		home = tilde_expand(named);
		(void)add_file(rc, home);
	} else {
		home = tilde_expand("~/.inputrc");
		if (add_file(rc, home) < 0 && !rc->refused)
			(void)add_file(rc, "/etc/inputrc");
	}
	free(home);
}

/* Makes a file in memory with the text. Returns -1 when that cannot be made, or a file is
 * refused. */
static int in_memory(const struct inputrc *rc)
{
	int fd = rc->refused ? -1 : memfd_create("inputrc", MFD_CLOEXEC);

	if (fd < 0 || tsh_write_all(fd, rc->text.buf, rc->text.len) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Lists the variables by which readline and terminfo(5) find their files. */
static const char *const variables[] = { "INPUTRC", "HOME",	"TERMINFO", "TERMINFO_DIRS",
					 "TERMPATH", "TERMCAP" };
#define VARIABLES (sizeof(variables) / sizeof(variables[0]))

static void store_variables(char **values)
{
	size_t i;

	for (i = 0; i < VARIABLES; i++) {
		const char *value = getenv(variables[i]);

		values[i] = value ? tsh_xstrdup(value) : NULL;
	}
}

static void restore_variables(char **values)
{
	size_t i;

	for (i = 0; i < VARIABLES; i++) {
		if (values[i])
			setenv(variables[i], values[i], 1);
		else
			unsetenv(variables[i]);
		free(values[i]);
	}
}

static void warn_unread(struct tsh_out *out, const char *path)
{
	tsh_out_warn(out, "'%s' is not read: somebody else owns it or a folder above it, or may write there",
		     path);
}

void tsh_inputrc_initialize(struct tsh_out *out)
{
	struct inputrc rc = { .text = TSH_STRBUF_INIT };
	struct tsh_strlist refused = { 0 };
	char *before[VARIABLES], path[64] = "/dev/null";
	size_t i;
	int fd;

	store_variables(before);
	collect(&rc);
	if (rc.refused)
		warn_unread(out, rc.refused);
	tsh_terminfo_restrict(&refused);
	for (i = 0; i < refused.n; i++)
		warn_unread(out, refused.v[i]);
	/* stays open, because Ctrl-X Ctrl-R reads it again */
	fd = in_memory(&rc);
	if (fd >= 0)
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("INPUTRC", path, 1);
	rl_initialize();
	restore_variables(before);
	tsh_strlist_release(&refused);
	free(rc.refused);
	tsh_strbuf_release(&rc.text);
}
