/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "help/recipe-files.h"
#include "lang/lexer.h"
#include "session/commands.h"

/* Completes files of tracefs and of the machine, tasks and users. */

#define USERS_MAX (1u << 20)

/* Splits "dir/na" behind its last slash. Returns the second part. The caller frees *ret_dir, which
 * has the slash. */
static const char *split_path(const char *word, char **ret_dir)
{
	const char *slash = strrchr(word, '/');
	size_t len = slash ? (size_t)(slash - word) + 1 : 0;

	*ret_dir = tsh_xstrndup(word, len);
	return word + len;
}

void tsh_candidates_trace_files(const struct tsh_cursor *at)
{
	/* leaves out files that the command refuses: cat to read them, write to write them */
	unsigned int refused = tsh_cmd_writes(at->cmd) ? TSH_CLASS_NO_WRITE :
								  TSH_CLASS_NO_READ;
	struct tsh_strlist names = { 0 };
	const char *start;
	char *dir;
	size_t i;

	start = split_path(at->word, &dir);
	if (at->s->in && tsh_file_list(at->s->in, *dir ? dir : ".", &names) < 0)
		names.n = 0;
	for (i = 0; i < names.n; i++) {
		char *path;
		int fd;

		if (!tsh_begins_with(names.v[i], start))
			continue;
		path = tsh_xasprintf("%s%s/", dir, names.v[i]);
		fd = tsh_file_open(at->s->in, path, O_DIRECTORY);
		if (fd >= 0)
			close(fd);
		else
			path[strlen(path) - 1] = '\0';
		if (fd >= 0 || !(tsh_file_class(path)->flags & refused))
			tsh_candidate_add(at, path, NULL, fd >= 0);
		free(path);
	}
	tsh_strlist_release(&names);
	free(dir);
}

static bool can_execute(DIR *d, const char *name)
{
	return !faccessat(dirfd(d), name, X_OK, AT_EACCESS);
}

static void add_files(const struct tsh_cursor *at, bool executable)
{
	struct dirent *entry;
	const char *start;
	struct stat st;
	char *dir;
	DIR *d;

	start = split_path(at->word, &dir);
	d = opendir(*dir ? dir : ".");
	while (d && (entry = readdir(d))) {
		bool is_dir;
		char *path;

		if (!tsh_begins_with(entry->d_name, start) || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, "..") || (entry->d_name[0] == '.' && *start != '.'))
			continue;
		is_dir = !fstatat(dirfd(d), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
		if (executable && !is_dir && !can_execute(d, entry->d_name))
			continue;
		path = tsh_xasprintf("%s%s%s", dir, entry->d_name, is_dir ? "/" : "");
		tsh_candidate_add(at, path, NULL, is_dir);
		free(path);
	}
	if (d)
		closedir(d);
	free(dir);
}

static void add_all_files(const struct tsh_cursor *at)
{
	add_files(at, false);
}

void tsh_candidates_files(const struct tsh_cursor *at)
{
	tsh_candidates_apart(at, add_all_files);
}

/* Adds the programs of one folder of $PATH. */
static void add_programs_of(const struct tsh_cursor *at, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (tsh_begins_with(entry->d_name, at->word) && entry->d_name[0] != '.' &&
		    can_execute(d, entry->d_name))
			tsh_candidate_add(at, entry->d_name, NULL, false);
	if (d)
		closedir(d);
}

static void add_programs(const struct tsh_cursor *at)
{
	const char *path = getenv("PATH");
	size_t len;

	if (strchr(at->word, '/')) {
		add_files(at, true);
		return;
	}
	for (; path && *path; path += len + (path[len] == ':')) {
		char *dir;

		len = strcspn(path, ":");
		dir = tsh_xstrndup(path, len);
		add_programs_of(at, dir);
		free(dir);
	}
}

void tsh_candidates_programs(const struct tsh_cursor *at)
{
	tsh_candidates_apart(at, add_programs);
}

/* ---- tasks and users ---- */

typedef void add_task(const struct tsh_cursor *at, const char *pid, const char *comm);

/* Calls add for each line "PID COMM" of a recording. */
static void each_saved_task(const struct tsh_cursor *at, add_task *add)
{
	char *text = tsh_file_text(at->s->in, "saved_cmdlines");
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		char *blank = strchr(lines.v[i], ' ');

		if (!blank)
			continue;
		*blank = '\0';
		add(at, lines.v[i], blank + 1);
	}
	tsh_strlist_release(&lines);
	free(text);
}

/* Calls add for every task, with its number and name. */
static void each_task(const struct tsh_cursor *at, add_task *add)
{
	bool is_tree = at->s->in && at->s->dir->kind == TSH_DIR_TREE;
	struct dirent *entry;
	char comm[64];
	DIR *d = is_tree ? NULL : opendir("/proc");

	if (is_tree)
		each_saved_task(at, add);
	while (d && (entry = readdir(d))) {
		char *path;

		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
			continue;
		path = tsh_xasprintf("/proc/%s/comm", entry->d_name);
		if (tsh_read_line(path, comm, sizeof(comm)))
			add(at, entry->d_name, comm);
		free(path);
	}
	if (d)
		closedir(d);
}

static void add_task_name(const struct tsh_cursor *at, const char *pid, const char *comm)
{
	char *help = tsh_xasprintf("pid %s", pid);

	tsh_candidate_add(at, comm, help, false);
	free(help);
}

static void add_pid(const struct tsh_cursor *at, const char *pid, const char *comm)
{
	tsh_candidate_add_called(at, pid, comm);
}

/* Says whether a name needs '..' as quotes. A filter takes a string in either kind of quotes, but
 * no string with both kinds in it. In ".." tracesh would replace a variable. */
static bool needs_single_quotes(const struct tsh_cursor *at, const char *comm)
{
	return *at->word == '\'' || at->wrapper == '"' || strchr(comm, '"') ||
	       (!at->wrapper && tsh_lexer_has_variable(comm));
}

static void add_quoted_name(const struct tsh_cursor *at, const char *pid, const char *comm)
{
	char quote = needs_single_quotes(at, comm) ? '\'' : '"';
	char *text = tsh_xasprintf("%c%s%c", quote, comm, quote);
	char *help = tsh_xasprintf("pid %s", pid);

	if (!strchr(comm, quote))
		tsh_candidate_add(at, text, help, false);
	free(help);
	free(text);
}

/* Adds "tid:N" for each thread of a process. */
static void add_threads(const struct tsh_cursor *at, const char *pid, const char *ignored)
{
	char *path = tsh_xasprintf("/proc/%s/task", pid);
	struct dirent *entry;
	char comm[64];
	DIR *d = opendir(path);

	(void)ignored;
	while (d && (entry = readdir(d))) {
		char *file = tsh_xasprintf("%s/%s/comm", path, entry->d_name);
		char *text = tsh_xasprintf("tid:%s", entry->d_name);

		if (entry->d_name[0] != '.' && tsh_read_line(file, comm, sizeof(comm)))
			tsh_candidate_add(at, text, comm, false);
		free(text);
		free(file);
	}
	if (d)
		closedir(d);
	free(path);
}

/* Adds names, numbers once a digit is typed, or threads. */
void tsh_candidates_tasks(const struct tsh_cursor *at)
{
	if (tsh_begins_with(at->word, "tid:")) {
		/* leaves out threads for a recording, whose tasks are not this machine's */
		if (!at->s->dir || at->s->dir->kind != TSH_DIR_TREE)
			each_task(at, add_threads);
		return;
	}
	tsh_candidate_add(at, "tid:", "a single thread, by its number", true);
	each_task(at, *at->word >= '0' && *at->word <= '9' ? add_pid : add_task_name);
}

void tsh_candidates_pids(const struct tsh_cursor *at)
{
	each_task(at, add_pid);
}

void tsh_candidates_comms(const struct tsh_cursor *at)
{
	each_task(at, add_quoted_name);
}

void tsh_candidates_users(const struct tsh_cursor *at)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	size_t i;

	/* Reads the file itself: getpwent of a static binary would load plugins of the C
	 * library. */
	if (fd >= 0) {
		(void)tsh_strbuf_read(&text, fd, USERS_MAX);
		close(fd);
	}
	tsh_strlist_split_lines(&lines, text.buf);
	for (i = 0; i < lines.n; i++) {
		lines.v[i][strcspn(lines.v[i], ":")] = '\0';
		tsh_candidate_add(at, lines.v[i], NULL, false);
	}
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
}

void tsh_candidates_recipes(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	if (!strchr(at->word, '/'))
		(void)tsh_recipes_list(&names);
	for (i = 0; i < names.n; i++) {
		struct tsh_recipe recipe;

		tsh_recipe_read(names.v[i], &recipe);
		tsh_candidate_add(at, recipe.name, recipe.shows, false);
		tsh_recipe_release(&recipe);
	}
	tsh_strlist_release(&names);
}
