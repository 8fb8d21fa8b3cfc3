/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidates.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "names.h"
#include "settings.h"
#include "tracesh/decode.h"
#include "tracesh/utf8.h"

/* A filter for more events than these is rarely typed by hand. */
#define EVENTS_MAX 64

static bool begins_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* What a terminal cannot show nobody can choose: a task may be called "\033[2J". */
static bool is_clean(const char *text)
{
	char *clean = tsh_sanitize_dup(text);
	bool same = !strcmp(clean, text);

	free(clean);
	return same;
}

void tsh_candidate_add(const struct tsh_cursor *at, const char *text, const char *help,
		       bool partial)
{
	struct tsh_candidate *c;

	if (!*text || !begins_with(text, at->word) || !is_clean(text))
		return;
	c = tsh_vec_push(at->ret);
	c->text = tsh_xstrdup(text);
	c->help = tsh_sanitize_dup(help ? help : "");
	c->partial = partial;
}

/* Adds the names and frees them. */
static void add_names(const struct tsh_cursor *at, struct tsh_strlist *names, const char *help)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		tsh_candidate_add(at, names->v[i], help, false);
	tsh_strlist_release(names);
}

/* Without descriptions: there is one for all of them. */
static void add_choices(const struct tsh_cursor *at, const char *const *choices)
{
	for (; choices && *choices; choices++)
		tsh_candidate_add(at, *choices, NULL, false);
}

void tsh_candidates_commands(const struct tsh_cursor *at)
{
	size_t i;

	for (i = 0; tsh_commands[i]; i++) {
		const struct tsh_cmd *cmd = tsh_commands[i];

		tsh_candidate_add(at, cmd->name, cmd->summary, false);
		if (cmd->alias)
			tsh_candidate_add(at, cmd->alias, cmd->summary, false);
	}
}

/* ---- events ---- */

static size_t count_named(const struct tsh_events *all, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++)
		n += !strcmp(all->v[i].name, name);
	return n;
}

/* Systems, and names that are unique. With nothing typed the names would be
 * thousands, and "sched" means the system before it means sched_switch. */
static void add_bare_events(const struct tsh_cursor *at, const struct tsh_events *all)
{
	bool names = strchr(at->word, '_') != NULL;
	size_t i, first = 0;

	for (i = 0; i < all->n; i++) {
		char *system, *help;

		if (i + 1 < all->n && !strcmp(all->v[i].system, all->v[i + 1].system))
			continue;
		system = tsh_xasprintf("%s:", all->v[i].system);
		help = tsh_xasprintf("%zu event%s", i + 1 - first, i == first ? "" : "s");
		tsh_candidate_add(at, system, help, true);
		free(help);
		free(system);
		first = i + 1;
	}
	if (!*at->word || (at->ret->n && !names))
		return;
	for (i = 0; i < all->n; i++)
		if (begins_with(all->v[i].name, at->word) &&
		    count_named(all, all->v[i].name) == 1)
			tsh_candidate_add(at, all->v[i].name, all->v[i].system, false);
}

static void add_events(const struct tsh_cursor *at)
{
	const char *mark = strpbrk(at->word, ":/");
	struct tsh_events all = { 0 };
	struct tsh_err err = { 0 };
	size_t i, len = mark ? (size_t)(mark - at->word) : 0;

	if (!at->s->dir || tsh_events_available(at->s->dir, &all, &err) < 0) {
		tsh_err_release(&err);
		return;
	}
	if (!mark)
		add_bare_events(at, &all);
	for (i = 0; mark && i < all.n; i++) {
		const struct tsh_event *event = &all.v[i];
		char *full;

		/* ":sched_switch": the event of that name, whatever its system */
		if (len && (strlen(event->system) != len ||
			    memcmp(event->system, at->word, len) != 0))
			continue;
		full = tsh_xasprintf("%s%c%s", len ? event->system : "", *mark, event->name);
		if (len || count_named(&all, event->name) == 1)
			tsh_candidate_add(at, full, NULL, false);
		free(full);
	}
	tsh_events_release(&all);
}

/* ---- fields ---- */

static struct tsh_event_format *read_format(const struct tsh_session *s,
					    const struct tsh_event *event)
{
	struct tsh_event_format *format = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "format");

	if (tsh_file_read(s->in, path, &text) < 0 ||
	    tsh_event_format_parse(event->system, text.buf, text.len, &format) < 0)
		format = NULL;
	tsh_strbuf_release(&text);
	free(path);
	return format;
}

/* A filter is set on each of its events: a field that one of them lacks is refused. */
static void add_common_fields(const struct tsh_cursor *at, const struct tsh_events *events)
{
	struct tsh_event_format *formats[EVENTS_MAX];
	size_t i, k, n = 0;

	for (i = 0; i < events->n && n < EVENTS_MAX; i++) {
		formats[n] = read_format(at->s, &events->v[i]);
		n += formats[n] != NULL;
	}
	for (i = 0; n && i < formats[0]->nfields; i++) {
		const struct tsh_field *field = &formats[0]->fields[i];

		for (k = 1; k < n && tsh_event_format_field(formats[k], field->name); k++)
			;
		if (k == n)
			tsh_candidate_add(at, field->name, field->type, false);
	}
	for (i = 0; i < n; i++)
		tsh_event_format_free(formats[i]);
}

void tsh_candidates_fields(const struct tsh_cursor *at)
{
	struct tsh_events all = { 0 }, events = { 0 };
	struct tsh_err err = { 0 };
	size_t i;

	if (!at->s->in || tsh_events_available(at->s->dir, &all, &err) < 0) {
		tsh_err_release(&err);
		return;
	}
	for (i = 0; i < at->events->n; i++) {
		tsh_events_match(&all, at->events->v[i], &events, &err);
		tsh_err_release(&err);
	}
	add_common_fields(at, &events);
	tsh_events_release(&events);
	tsh_events_release(&all);
}

/* ---- files ---- */

/* Splits "dir/na" behind its last slash; the caller frees *ret_dir (with the slash). */
static const char *split_path(const char *word, char **ret_dir)
{
	const char *slash = strrchr(word, '/');
	size_t len = slash ? (size_t)(slash - word) + 1 : 0;

	*ret_dir = tsh_xstrndup(word, len);
	return word + len;
}

static void add_trace_files(const struct tsh_cursor *at)
{
	/* What cat refuses to read and write refuses to write is not offered. */
	unsigned int refused = at->cmd->flags & TSH_CMD_WRITES ? TSH_CLASS_NO_WRITE :
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

		if (!begins_with(names.v[i], start))
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

void tsh_candidates_files(const struct tsh_cursor *at)
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

		if (!begins_with(entry->d_name, start) || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, "..") || (entry->d_name[0] == '.' && *start != '.'))
			continue;
		is_dir = !fstatat(dirfd(d), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
		path = tsh_xasprintf("%s%s%s", dir, entry->d_name, is_dir ? "/" : "");
		tsh_candidate_add(at, path, NULL, is_dir);
		free(path);
	}
	if (d)
		closedir(d);
	free(dir);
}

/* ---- tasks, users, functions, CPUs ---- */

/* The first line of a file of the machine, without its newline. */
static bool read_line(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* Names; or numbers, once a digit is typed. */
static void add_tasks(const struct tsh_cursor *at)
{
	bool numbers = *at->word >= '0' && *at->word <= '9';
	struct dirent *entry;
	char comm[64];
	DIR *d = opendir("/proc");

	while (d && (entry = readdir(d))) {
		char *path;

		if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
			continue;
		path = tsh_xasprintf("/proc/%s/comm", entry->d_name);
		if (read_line(path, comm, sizeof(comm))) {
			char *help = tsh_xasprintf("pid %s", entry->d_name);

			if (numbers)
				tsh_candidate_add(at, entry->d_name, comm, false);
			else
				tsh_candidate_add(at, comm, help, false);
			free(help);
		}
		free(path);
	}
	if (d)
		closedir(d);
}

static void add_users(const struct tsh_cursor *at)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : 1;
	size_t i;

	/* Not getpwent: a static binary would need the C library's plugins for it. */
	while (n > 0) {
		tsh_strbuf_grow(&text, 4096);
		n = read(fd, text.buf + text.len, 4096);
		text.len += n > 0 ? (size_t)n : 0;
		text.buf[text.len] = '\0';
	}
	if (fd >= 0)
		close(fd);
	tsh_strlist_split_lines(&lines, text.buf);
	for (i = 0; i < lines.n; i++) {
		lines.v[i][strcspn(lines.v[i], ":")] = '\0';
		tsh_candidate_add(at, lines.v[i], NULL, false);
	}
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
}

/* Lines "NAME" and "NAME [MODULE]"; only from the first letter on, they are 60,000. */
static void add_functions(const struct tsh_cursor *at)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_instance top = { 0 };
	char *line, *end;

	if (!*at->word || !at->s->dir)
		return;
	top.dir = at->s->dir;
	top.fd = at->s->dir->fd;
	if (tsh_file_read(&top, "available_filter_functions", &text) < 0)
		tsh_strbuf_clear(&text);
	for (line = text.buf; *line; line = end) {
		char *blank;

		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (!begins_with(line, at->word))
			continue;
		blank = strchr(line, ' ');
		if (blank)
			*blank++ = '\0';
		tsh_candidate_add(at, line, blank, false);
	}
	tsh_strbuf_release(&text);
}

static void add_cpus(const struct tsh_cursor *at)
{
	unsigned int *cpus = NULL;
	size_t i, n = at->s->in ? tsh_cpus_present(at->s->in, &cpus) : 0;

	tsh_candidate_add(at, "all", "every CPU", false);
	for (i = 0; i < n; i++) {
		char *number = tsh_xasprintf("%u", cpus[i]);

		tsh_candidate_add(at, number, "a CPU; lists: 0-3,7", false);
		free(number);
	}
	free(cpus);
}

static void add_clocks(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_names_clocks(at->s, &names);
	for (i = 0; i < names.n; i++)
		tsh_candidate_add(at, names.v[i], tsh_clock_kind(names.v[i])->summary, false);
	tsh_strlist_release(&names);
}

static void add_instances(const struct tsh_cursor *at)
{
	struct tsh_strlist names = { 0 };

	if (!at->s->dir)
		return;
	tsh_candidate_add(at, "top", "the top-level buffer", false);
	tsh_names_instances(at->s, &names);
	add_names(at, &names, "an instance");
}

static void add_settings(const struct tsh_cursor *at)
{
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++)
		tsh_candidate_add(at, setting->name, setting->help, false);
}

void tsh_candidates_of(const struct tsh_cursor *at, const struct tsh_arg *arg)
{
	const struct tsh_setting *setting;
	struct tsh_strlist names = { 0 };

	switch (arg->type) {
	case TSH_ARG_WORD:
		setting = at->setting ? tsh_setting_find(at->setting) : NULL;
		if (setting)
			add_choices(at, setting->choices);
		return;
	case TSH_ARG_CHOICE:
	case TSH_ARG_EXPRESSION:
		add_choices(at, arg->choices);
		return;
	case TSH_ARG_CPUS:
		add_cpus(at);
		return;
	case TSH_ARG_EVENT:
		add_events(at);
		return;
	case TSH_ARG_TASK:
		add_tasks(at);
		return;
	case TSH_ARG_FUNCTION:
		add_functions(at);
		return;
	case TSH_ARG_TRACER:
		tsh_names_tracers(at->s, &names);
		add_names(at, &names, NULL);
		return;
	case TSH_ARG_CLOCK:
		add_clocks(at);
		return;
	case TSH_ARG_OPTION:
		tsh_names_options(at->s, &names);
		add_names(at, &names, NULL);
		return;
	case TSH_ARG_INSTANCE:
		add_instances(at);
		return;
	case TSH_ARG_SETTING:
		add_settings(at);
		return;
	case TSH_ARG_COMMAND_NAME:
		tsh_candidates_commands(at);
		return;
	case TSH_ARG_TRACE_FILE:
		add_trace_files(at);
		return;
	case TSH_ARG_FILE:
	case TSH_ARG_ARGV:
		tsh_candidates_files(at);
		return;
	case TSH_ARG_USER:
		add_users(at);
		return;
	default:
		return;
	}
}
