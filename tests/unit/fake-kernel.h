/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_FAKE_KERNEL_H
#define TESTS_UNIT_FAKE_KERNEL_H

#include "kernel/journaled/journaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/journal/file.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/write.h"

/*
 * Makes a tracefs of plain files, which change as the kernel's do, and sessions with journals in a
 * folder of the test. It needs neither root nor a kernel. The program is linked with
 * fake_kernel_wraps (tests/Makemodule.am).
 */

#define SESSIONS_MAX 8

struct fake_file {
	char *path, *text;	/* path below the tree; the text without the last newline */
};

struct fake_kernel {
	char path[64];		/* has the folders "tree" and "journals" */
	char folder[80];	/* path of the journals */
	TSH_VEC(struct fake_file) files;
	struct tsh_strbuf wrote;	/* "PATH=TEXT;" of each write, "rmdir NAME;" */
	const char *refused;	/* writes to this path fail; NULL: none */
	int error;		/* their errno; 0: EIO */
	const char *busy;	/* this instance cannot be removed; NULL: none */
	bool is_closed;		/* no journal can be opened */
	unsigned int number;	/* start time of the session that acts; its journal is named by it */
	bool ended[SESSIONS_MAX];	/* sessions that do not run any more */
};

/* Is the kernel of the running test. The functions that replace those of src need it. */
static struct fake_kernel *kernel;

/* ---- files ---- */

static inline struct fake_file *fake_find(const char *path)
{
	size_t i;

	for (i = 0; i < kernel->files.n; i++)
		if (!strcmp(kernel->files.v[i].path, path))
			return &kernel->files.v[i];
	return NULL;
}

/* Returns the path of an instance's file below the tree, which the caller frees. */
static inline char *fake_path(const struct tsh_instance *in, const char *path)
{
	return in->name ? tsh_xasprintf("instances/%s/%s", in->name, path) : tsh_xstrdup(path);
}

static inline void fake_make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
}

/* Writes the file as the kernel would print it. */
static inline void fake_print(const struct fake_file *file)
{
	char *path = tsh_xasprintf("%s/tree/%s", kernel->path, file->path);
	FILE *f;

	fake_make_folders(path);
	f = fopen(path, "w");
	assert_non_null(f);
	if (!*file->text && strstr(file->path, "/trigger"))
		(void)fprintf(f, "# Available triggers:\n# traceon traceoff stacktrace hist\n");
	else if (*file->text || !strstr(file->path, "_pid"))
		(void)fprintf(f, "%s\n", file->text);
	assert_int_equal(fclose(f), 0);
	free(path);
}

/* Sets the text of a file, as somebody without a journal does. */
static inline void fake_put(const char *path, const char *text)
{
	struct fake_file *file = fake_find(path);

	if (!file) {
		file = tsh_vec_push(&kernel->files);
		file->path = tsh_xstrdup(path);
	}
	free(file->text);
	file->text = tsh_xstrdup(text);
	fake_print(file);
}

static inline void fake_drop(const char *path)
{
	struct fake_file *file = fake_find(path);
	char *name = tsh_xasprintf("%s/tree/%s", kernel->path, path);

	assert_non_null(file);
	assert_int_equal(unlink(name), 0);
	free(name);
	free(file->path);
	free(file->text);
	*file = kernel->files.v[--kernel->files.n];
}

static inline const char *fake_text(const char *path)
{
	const struct fake_file *file = fake_find(path);

	return file ? file->text : "(none)";
}

/* ---- the kernel's rules ---- */

static inline bool fake_ends(const char *path, const char *end)
{
	size_t len = strlen(path), its = strlen(end);

	return len >= its && !strcmp(path + len - its, end);
}

/* Says whether a trigger is "enable_event:SYSTEM:EVENT", or such a one with disable. */
static inline bool fake_switches(const char *line)
{
	return !strncmp(line, "enable_", strlen("enable_")) || !strncmp(line, "disable_", strlen("disable_"));
}

/* Returns the length of a trigger's words without the count and the filter. */
static inline size_t fake_command(const char *line)
{
	size_t len = strcspn(line, " "), i, colons = fake_switches(line) ? 3 : 1;

	for (i = 0; strncmp(line, "hist", strlen("hist")) != 0 && i < len; i++)
		if (line[i] == ':' && !--colons)
			return i;
	return len;
}

/* Returns the kind of a trigger: an event has one of each, and any text of its kind removes it. The
 * caller frees it. */
static inline char *fake_kind(const char *line)
{
	size_t len = fake_command(line);

	if (!strncmp(line, "traceo", strlen("traceo")))
		return tsh_xstrdup("traceon");
	if (fake_switches(line))
		return tsh_xasprintf("able%.*s", (int)(len - strcspn(line, "_")), line + strcspn(line, "_"));
	return tsh_xstrndup(line, len);
}

static inline char *fake_trigger_line(const char *text)
{
	size_t kind = fake_command(text), len = strcspn(text, " ");

	if (!strncmp(text, "hist", 4))
		return tsh_xasprintf("%s [active]", text);
	return tsh_xasprintf("%.*s:%s%.*s%s", (int)kind, text, kind < len ? "count=" : "unlimited",
			     kind < len ? (int)(len - kind - 1) : 0, text + kind + (kind < len), text + len);
}

/* Adds a line to a text; first: the newest line is the first one. The caller frees the result. */
static inline char *fake_add(const char *text, const char *line, bool first)
{
	if (!*text)
		return tsh_xstrdup(line);
	return tsh_xasprintf("%s\n%s", first ? line : text, first ? text : line);
}

/* Leaves out the lines of which key() is that of `line`. The caller frees the result. */
static inline char *fake_without(const char *text, const char *line, char *(*key)(const char *line), bool *ret_found)
{
	struct tsh_strlist lines = { 0 }, left = { 0 };
	char *gone = key(line), *now;
	size_t i;

	*ret_found = false;
	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		char *its = key(lines.v[i]);

		if (!strcmp(its, gone))
			*ret_found = true;
		else if (*lines.v[i])
			tsh_strlist_add(&left, lines.v[i]);
		free(its);
	}
	now = tsh_lines_join(&left);
	tsh_strlist_release(&lines);
	tsh_strlist_release(&left);
	free(gone);
	return now;
}

static inline char *fake_trigger(const char *old, const char *text)
{
	bool found;
	char *line, *now;

	if (*text == '!')
		return fake_without(old, text + 1, fake_kind, &found);
	line = fake_trigger_line(text);
	now = fake_add(old, line, true);
	free(line);
	return now;
}

static inline bool fake_has_trigger(const char *now, const char *text)
{
	bool has;

	free(fake_without(now, text, fake_kind, &has));
	return has;
}

/* Returns "GROUP/NAME" of a probe, which the caller frees. */
static inline char *fake_probe_name(const char *line)
{
	const char *colon = strchr(line, ':');

	return colon ? tsh_xstrndup(colon + 1, strcspn(colon + 1, " ")) : tsh_xstrdup("");
}

/* A probe "p:GROUP/NAME PLACE" has files of an event, which go with it. */
static inline char *fake_probe(const char *old, const char *text)
{
	static const struct { const char *name, *text; } files[] = {
		{ "enable", "0" }, { "filter", "none" }, { "trigger", "" },
	};
	char *name = fake_probe_name(text), *path;
	bool found;
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		path = tsh_xasprintf("events/%s/%s", name, files[i].name);
		if (*text == '-')
			fake_drop(path);
		else
			fake_put(path, files[i].text);
		free(path);
	}
	if (*text == '-') {
		path = tsh_xasprintf("%s/tree/events/%s", kernel->path, name);
		(void)rmdir(path);
		free(path);
	}
	free(name);
	return *text == '-' ? fake_without(old, text, fake_probe_name, &found) : fake_add(old, text, false);
}

static inline char *fake_tasks(const char *old, bool truncate, const char *text)
{
	const char *before = truncate ? "" : old;

	return text && *text ? tsh_xasprintf("%s%s%s", before, *before ? "\n" : "", text) : tsh_xstrdup(before);
}

static inline char *fake_clock(const char *text)
{
	static const char *const clocks[] = { "local", "global", "mono" };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		tsh_strbuf_addf(&out, strcmp(clocks[i], text) ? "%s%s" : "%s[%s]", i ? " " : "", clocks[i]);
	return tsh_strbuf_detach(&out);
}

/* Is called after each write (struct tsh_dir, .wrote). */
static inline void fake_wrote(void *ctx, const struct tsh_wrote *what)
{
	const char *name = what->in->name, *text = what->text ? what->text : "", *old;
	char *path, *now;

	(void)ctx;
	if (what->program) {
		tsh_strbuf_addf(&kernel->wrote, "%s %s;", what->program, name);
		return;
	}
	path = fake_path(what->in, what->path);
	tsh_strbuf_addf(&kernel->wrote, "%s=%s;", path, text);
	old = fake_find(path) ? fake_find(path)->text : "";
	if (fake_ends(path, "/trigger"))
		now = fake_trigger(old, text);
	else if (fake_ends(path, "probe_events") || fake_ends(path, "dynamic_events"))
		now = fake_probe(old, text);
	else if (fake_ends(path, "_pid"))
		now = fake_tasks(old, what->truncate, text);
	else if (fake_ends(path, "trace_clock"))
		now = fake_clock(text);
	else
		now = tsh_xstrdup(fake_ends(path, "/filter") && !strcmp(text, "0") ? "none" : text);
	fake_put(path, now);
	free(now);
	free(path);
}

/* ---- what replaces functions of src ---- */

int __real_tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate, const char *text);
int __wrap_tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate, const char *text);
int __wrap_tsh_write_raw(const struct tsh_instance *in, const char *path, bool truncate, const char *text)
{
	char *enable, *whole;
	bool is_used = false, is_there;

	if (kernel->refused && !strcmp(path, kernel->refused))
		return kernel->error ? -kernel->error : -EIO;
	/* an event has one trigger of a kind */
	if (fake_ends(path, "/trigger") && *text != '!') {
		whole = fake_path(in, path);
		is_there = fake_has_trigger(fake_text(whole), text);
		free(whole);
		if (is_there)
			return -EEXIST;
	}
	/* an event that is enabled has its probe */
	if ((fake_ends(path, "probe_events") || fake_ends(path, "dynamic_events")) && *text == '-') {
		enable = tsh_xasprintf("events/%s/enable", text + 2);
		is_used = fake_find(enable) && !strcmp(fake_text(enable), "1");
		free(enable);
	}
	return is_used ? -EBUSY : __real_tsh_write_raw(in, path, truncate, text);
}

static inline int fake_unlink(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind;
	return at->level ? remove(path) : 0;
}

/* Removes what is in the instance, as rmdir(2) in tracefs does. */
int __real_tsh_instance_remove(struct tsh_dir *dir, const char *name);
int __wrap_tsh_instance_remove(struct tsh_dir *dir, const char *name);
int __wrap_tsh_instance_remove(struct tsh_dir *dir, const char *name)
{
	char *path = tsh_xasprintf("%s/tree/instances/%s", kernel->path, name), *below;
	size_t i;

	if (kernel->busy && !strcmp(kernel->busy, name)) {
		free(path);
		return -EBUSY;
	}
	(void)nftw(path, fake_unlink, 8, FTW_DEPTH | FTW_PHYS);
	free(path);
	below = tsh_xasprintf("instances/%s/", name);
	for (i = kernel->files.n; i-- > 0;) {
		struct fake_file *file = &kernel->files.v[i];

		if (strncmp(file->path, below, strlen(below)) != 0)
			continue;
		free(file->path);
		free(file->text);
		*file = kernel->files.v[--kernel->files.n];
	}
	free(below);
	return __real_tsh_instance_remove(dir, name);
}

int __wrap_tsh_journal_dir_open(unsigned int place, bool create);
int __wrap_tsh_journal_dir_open(unsigned int place, bool create)
{
	int fd;

	(void)create;
	if (place || kernel->is_closed)
		return place ? -ENOENT : -EPERM;
	fd = open(kernel->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

const char *__wrap_tsh_journal_folder(unsigned int place);
const char *__wrap_tsh_journal_folder(unsigned int place)
{
	return place ? "/nowhere" : kernel->folder;
}

int __wrap_tsh_journal_check_writable(void);
int __wrap_tsh_journal_check_writable(void)
{
	return 0;
}

/* Each session is a process of its own: it has this number, but a start of its own. */
uint64_t __real_tsh_process_start(pid_t pid);
uint64_t __wrap_tsh_process_start(pid_t pid);
uint64_t __wrap_tsh_process_start(pid_t pid)
{
	return pid == getpid() && kernel->number ? kernel->number * 10 : __real_tsh_process_start(pid);
}

bool __wrap_tsh_process_is_alive(pid_t pid, uint64_t start);
bool __wrap_tsh_process_is_alive(pid_t pid, uint64_t start)
{
	return pid == getpid() && start % 10 == 0 && start / 10 < SESSIONS_MAX && !kernel->ended[start / 10];
}

/* ---- the kernel ---- */

static inline void kernel_begin(struct fake_kernel *k)
{
	static const struct { const char *path, *text; } files[] = {
		{ "tracing_on", "1" }, { "current_tracer", "nop" }, { "trace_clock", "[local] global mono" },
		{ "buffer_size_kb", "1408" }, { "per_cpu/cpu0/buffer_size_kb", "1408" }, { "options/sym-addr", "0" },
		{ "options/event-fork", "0" }, { "set_event_pid", "" }, { "kprobe_events", "" },
		{ "events/sched/a/enable", "0" }, { "events/sched/a/filter", "none" }, { "events/sched/a/trigger", "" },
		{ "events/sched/b/enable", "1" }, { "events/sched/b/filter", "none" }, { "events/sched/b/trigger", "" },
	};
	size_t i;
	char *path;

	*k = (struct fake_kernel){ .path = "/tmp/tracesh-kernel-XXXXXX", .wrote = TSH_STRBUF_INIT };
	kernel = k;
	assert_non_null(mkdtemp(k->path));
	snprintf(k->folder, sizeof(k->folder), "%s/journals", k->path);
	assert_int_equal(mkdir(k->folder, 0700), 0);
	path = tsh_xasprintf("%s/tree/instances/", k->path);
	fake_make_folders(path);
	free(path);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		fake_put(files[i].path, files[i].text);
}

static inline void kernel_end(struct fake_kernel *k)
{
	size_t i;

	(void)nftw(k->path, fake_unlink, 8, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(rmdir(k->path), 0);
	for (i = 0; i < k->files.n; i++) {
		free(k->files.v[i].path);
		free(k->files.v[i].text);
	}
	tsh_vec_release(&k->files);
	tsh_strbuf_release(&k->wrote);
}

static inline int compare_files(const void *a, const void *b)
{
	const struct fake_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Returns all files with their texts, which the caller frees: equal before and after, nothing is left behind. */
static inline char *kernel_state(void)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	qsort(kernel->files.v, kernel->files.n, sizeof(kernel->files.v[0]), compare_files);
	for (i = 0; i < kernel->files.n; i++)
		tsh_strbuf_addf(&out, "%s=%s\n", kernel->files.v[i].path, kernel->files.v[i].text);
	return tsh_strbuf_detach(&out);
}

static inline void file_is(const char *path, const char *text)
{
	if (strcmp(fake_text(path), text) != 0)
		fail_msg("%s: '%s' and not '%s'", path, fake_text(path), text);
}

/* Checks what was written since the last call. */
static inline void wrote_is(const char *text)
{
	assert_string_equal(kernel->wrote.len ? kernel->wrote.buf : "", text);
	tsh_strbuf_clear(&kernel->wrote);
}

/* Returns how many journals there are. */
static inline size_t journals(void)
{
	struct tsh_strlist names = { 0 };
	int fd = open(kernel->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct tsh_dir dir = { .fd = fd };
	const struct tsh_instance in = { .dir = &dir, .fd = fd };
	size_t n;

	assert_int_equal(tsh_file_list(&in, "journals", &names), 0);
	n = names.n;
	close(fd);
	tsh_strlist_release(&names);
	return n;
}

/* Checks that a list has exactly these lines; the list ends with NULL. */
static inline void lines_are(const struct tsh_strlist *lines, const char *const *expected)
{
	size_t i;

	for (i = 0; expected[i] && i < lines->n; i++)
		assert_string_equal(lines->v[i], expected[i]);
	if (i < lines->n)
		fail_msg("one more: %s", lines->v[i]);
	if (expected[i])
		fail_msg("missing: %s", expected[i]);
}

#define ARE(lines, ...) lines_are(&(lines), (const char *const []){ __VA_ARGS__, NULL })
#define NONE(lines) lines_are(&(lines), (const char *const []){ NULL })

/* ---- sessions ---- */

struct fake_session {
	unsigned int number;
	struct tsh_dir *dir;
	struct tsh_instance top;
};

static inline void session_begin(struct fake_session *s, unsigned int number)
{
	char *path = tsh_xasprintf("%s/tree", kernel->path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*s = (struct fake_session){ .number = number, .dir = tsh_dir_open_tree(fd, path) };
	assert_non_null(s->dir);
	close(fd);
	free(path);
	s->dir->kind = TSH_DIR_TRACEFS;
	s->dir->read_only = false;
	s->dir->wrote = fake_wrote;
	s->top = tsh_top(s->dir);
	tsh_journaled_open(s->dir);
}

/* Writes to an instance, or the top one (in NULL), as a command of its own. */
static inline void session_set_in(struct fake_session *s, struct tsh_instance *in, const char *path, const char *text)
{
	bool adds = tsh_file_class(path)->flags & TSH_CLASS_ADD_ONLY;
	struct tsh_err err = { 0 };

	kernel->number = s->number;
	tsh_journal_begin(s->dir->journal, path);
	if (tsh_file_write(in ? in : &s->top, path, adds ? TSH_WRITE_ADD : TSH_WRITE_SET, text, &err) < 0)
		fail_msg("%s: %s", path, err.message);
}

static inline void session_set(struct fake_session *s, const char *path, const char *text)
{
	session_set_in(s, NULL, path, text);
}

static inline void session_append(struct fake_session *s, const char *path, const char *text)
{
	struct tsh_err err = { 0 };

	kernel->number = s->number;
	tsh_journal_begin(s->dir->journal, path);
	if (tsh_file_write(&s->top, path, TSH_WRITE_ADD, text, &err) < 0)
		fail_msg("%s: %s", path, err.message);
}

/* Takes everything back. The caller releases the report. */
static inline struct tsh_undo_report session_undo(struct fake_session *s)
{
	struct tsh_undo_report report = { 0 };

	kernel->number = s->number;
	tsh_journal_undo_to(s->dir, s->dir->journal, 0, &report);
	return report;
}

/* Ends without taking anything back: what is left in the journal stays, if there is something. */
static inline void session_close(struct fake_session *s)
{
	kernel->number = s->number;
	kernel->ended[s->number] = true;
	tsh_dir_close(s->dir);
}

/* Ends as with kill -9, the guard too. */
static inline void session_kill(struct fake_session *s)
{
	tsh_journal_disown(s->dir->journal);
	session_close(s);
}

#endif
