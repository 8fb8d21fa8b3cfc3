/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a session at the prompt: the first byte says which. An rc file is run on a
 * recorded tree, as it is and only checked; a history is read, added to and read again; a saved
 * state is compared and loaded. Nothing runs a program or writes outside of the input's folder:
 * the calls that could are refused here.
 */
#include "trees.h"

#include <errno.h>
#include <linux/fs.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "session/history.h"

#define LINES_MAX 8

static const struct fuzz_file given[] = {
	{ "tree/events/header_page", "" },
	{ "tree/events/sched/sched_switch/format",
	  "name: sched_switch\nID: 319\nformat:\n"
	  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	  "\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	  "print fmt: \"%d\", REC->prev_pid\n" },
	{ "tree/available_events", "sched:sched_switch\n" },
	{ "tree/set_event", "sched:sched_switch\n" },
	{ "tree/current_tracer", "nop\n" },
	{ "tree/trace_clock", "[local] boot\n" },
	{ "tree/tracing_on", "1\n" },
	{ "tree/options/overwrite", "1\n" },
	{ "state/tracesh/nothing", "" },
	{ NULL, NULL }
};

/* ---- the calls that are refused ---- */

/* The folder of the input while a command of it runs; empty: nothing is refused. */
static char allowed[64];

static int refused(void)
{
	errno = EROFS;
	return -1;
}

/* Whether a path, of a folder, is below the input's folder. */
static bool is_allowed(int dir, const char *path)
{
	char link[32], where[256];
	ssize_t n;

	if (!*allowed || !strcmp(path, "/dev/null"))
		return true;
	if (strstr(path, ".."))
		return false;
	if (*path == '/')
		return !strncmp(path, allowed, strlen(allowed));
	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = dir < 0 ? -1 : readlink(link, where, sizeof(where) - 1);
	return n > 0 && !strncmp(where, allowed, strlen(allowed));
}

int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) && !is_allowed(dir, path))
		return refused();
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return openat(AT_FDCWD, path, flags, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	return is_allowed(dir, path) ? (int)syscall(SYS_mkdirat, dir, path, mode) : refused();
}

int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

int unlinkat(int dir, const char *path, int flags)
{
	return is_allowed(dir, path) ? (int)syscall(SYS_unlinkat, dir, path, flags) : refused();
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
	return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return is_allowed(from_dir, from) && is_allowed(to_dir, to) ?
	       (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0) : refused();
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkostemp(char *name, int flags)
{
	(void)name;
	(void)flags;
	return refused();
}

int chdir(const char *path)
{
	return *allowed ? refused() : (int)syscall(SYS_chdir, path);
}

int kill(pid_t pid, int number)
{
	return *allowed && number ? refused() : (int)syscall(SYS_kill, pid, number);
}

pid_t fork(void)
{
	return refused();
}

int execv(const char *path, char *const *argv)
{
	(void)path;
	(void)argv;
	return refused();
}

int usleep(useconds_t us)
{
	(void)us;
	return 0;
}

/* ---- the files ---- */

static void run(const char *top, bool check)
{
	char *tree = tsh_xasprintf("%s/tree", top);
	struct tsh_engine_options opt = {
		.tracefs = tree, .keep_going = true, .settings.show_error = true,
		.read_only = true, .check = check, .err_fd = open_memory(),
	};
	struct tsh_err err = { 0 };
	struct tsh_engine *e;
	struct tsh_loop loop;

	open_loop(&loop);
	opt.loop = &loop;
	opt.out_fd = opt.err_fd;
	snprintf(allowed, sizeof(allowed), "%s/", top);
	if (tsh_engine_new(&opt, &e, &err) == 0) {
		(void)tsh_engine_run_rc(e);
		tsh_engine_finish(e, false);
		tsh_engine_free(e);
	}
	*allowed = '\0';
	tsh_err_release(&err);
	tsh_loop_release(&loop);
	check_printed(opt.out_fd);
	free(tree);
}

static void try_rc(const char *top, const char *text, size_t len)
{
	make_file(top, "config/tracesh/rc", text, len);
	run(top, true);
	run(top, false);
}

static void try_state(const char *top, const char *text, size_t len)
{
	char *commands = tsh_xasprintf("diff '%s/saved'\nload '%s/saved'\ntry source '%s/saved'\n",
				       top, top, top);

	make_file(top, "saved", text, len);
	try_rc(top, commands, strlen(commands));
	free(commands);
}

/* Each line once, none that is empty or begins with a blank. */
static void check_history(const struct tsh_history *h)
{
	size_t i;

	if (h->lines.n > TSH_HISTORY_MAX)
		abort();
	for (i = 0; i < h->lines.n; i++)
		if (!*h->lines.v[i] || *h->lines.v[i] == '\n')
			abort();
}

static bool is_same(const struct tsh_history *a, const struct tsh_history *b)
{
	size_t i;

	for (i = 0; i < a->lines.n && i < b->lines.n; i++)
		if (strcmp(a->lines.v[i], b->lines.v[i]) != 0)
			return false;
	return a->lines.n == b->lines.n;
}

/* The file is the input to the first NUL; what is behind it is typed. */
static void try_history(const char *top, const char *text, size_t len)
{
	size_t head = strnlen(text, len), lines;
	struct tsh_history h, again;
	struct tsh_err err = { 0 };

	make_file(top, "state/tracesh/history", text, head);
	if (tsh_history_open(&h, false, &err) < 0)
		abort();
	check_history(&h);
	if (tsh_history_open(&again, true, &err) < 0 || !is_same(&h, &again))
		abort();
	for (lines = 0; head < len && lines < LINES_MAX; lines++) {
		char *line = tsh_xstrndup(text + head + 1, len - head - 1);

		head += strlen(line) + 1;
		(void)tsh_history_add(&again, line, &err);
		free(line);
	}
	check_history(&again);
	tsh_history_release(&h);
	if (err.message || tsh_history_open(&h, false, &err) < 0 || !is_same(&h, &again))
		abort();
	(void)tsh_history_refresh(&again);
	tsh_history_release(&h);
	tsh_history_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	char top[60], place[80];

	if (!size || size > 16384)
		return 0;
	name_tree(top, sizeof(top));
	make_tree(top, given, "", 0);
	snprintf(place, sizeof(place), "%s/config", top);
	setenv("XDG_CONFIG_HOME", place, 1);
	snprintf(place, sizeof(place), "%s/state", top);
	setenv("XDG_STATE_HOME", place, 1);
	setenv("HOME", top, 1);
	if (data[0] % 3 == 0)
		try_rc(top, text, size - 1);
	else if (data[0] % 3 == 1)
		try_history(top, text, size - 1);
	else
		try_state(top, text, size - 1);
	remove_tree(top);
	return 0;
}
