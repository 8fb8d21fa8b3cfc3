/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/process.h"
#include "base/terminfo.h"
#include "engine-internal.h"

/* Sets the time between two checks of a pager that has closed its input but still runs. */
#define LOOK_AGAIN_MS 20
/* Limits the output that is stored, in bytes. A pager that fails does so at its start, after less
 * than this. */
#define KEPT_MAX (4u << 20)

/* ---- the choice of a pager, and its environment ---- */

static bool is_in_path(const char *name)
{
	const char *dir = getenv("PATH");
	bool found = false;

	while (dir && *dir && !found) {
		size_t len = strcspn(dir, ":");
		char *path = tsh_xasprintf("%.*s/%s", (int)len, dir, name);

		/* skips an empty folder, which means the current one */
		found = *dir == '/' && !access(path, X_OK);
		free(path);
		dir += len + (dir[len] == ':');
	}
	return found;
}

const char *tsh_pager_command(void)
{
	const char *command = getenv("TRACESH_PAGER");

	if (!tsh_terminal_can_move_cursor())
		return NULL;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		return is_in_path("less") ? "less" : NULL;
	command += strspn(command, " \t");
	return *command && strcmp(command, "cat") ? command : NULL;
}

/* Says whether a variable is passed on. HOME is not passed on: under sudo it may be another user's
 * folder, and less writes a file there. */
static bool may_pass(const char *variable)
{
	static const char *const names[] = { "TERM", "TERMINFO", "TERMINFO_DIRS", "COLORTERM",
					     "PATH", "LANG", "LANGUAGE" };
	size_t i, len = strcspn(variable, "=");

	if (!strncmp(variable, "LESS", 4) || !strncmp(variable, "LC_", 3))
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(variable, names[i], len))
			return true;
	return false;
}

/* Returns the environment of the pager; the caller frees the array, its strings are borrowed. */
static char **environment(void)
{
	static const char less[] = "LESS=FRX";
	size_t n = 0, i;
	char **ret;

	while (environ[n])
		n++;
	ret = tsh_xcalloc(n + 2, sizeof(*ret));
	for (i = n = 0; environ[i]; i++)
		if (may_pass(environ[i]))
			ret[n++] = environ[i];
	if (!getenv("LESS"))
		ret[n] = (char *)(uintptr_t)less;
	return ret;
}

/* ---- the process ---- */

static void run_child(struct tsh_pager *pager, int in, int alive)
{
	struct tsh_strlist refused = { 0 };
	char **env;

	/* ignores the list, which the prompt has printed */
	tsh_terminfo_restrict(&refused);
	tsh_strlist_release(&refused);
	env = environment();
	tsh_loop_restore_signals(pager->loop);
	dup2(in, STDIN_FILENO);
	if (pager->terminal->fd != STDOUT_FILENO)
		dup2(pager->terminal->fd, STDOUT_FILENO);
	/* Never gets data. This end is closed when the last process of the pager ends. */
	if (dup(alive) < 0)
		_exit(127);
	execle("/bin/sh", "sh", "-c", pager->command, (char *)NULL, env);
	_exit(127);
}

/* Starts the pager. Returns false when that fails. */
static bool start_pager(struct tsh_pager *pager)
{
	int in[2], alive[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return false;
	if (pipe2(alive, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return false;
	}
	tsh_out_flush(pager->terminal);
	pager->pid = fork();
	if (pager->pid == 0)
		run_child(pager, in[0], alive[1]);
	close(in[0]);
	close(alive[1]);
	if (pager->pid < 0) {
		pager->pid = 0;
		close(in[1]);
		close(alive[0]);
		return false;
	}
	/* changes only our end: the other one is another open file */
	fcntl(in[1], F_SETFL, O_WRONLY | O_NONBLOCK);
	pager->fd = in[1];
	pager->alive_fd = alive[0];
	pager->loop->watch.held = true;
	return true;
}

static void write_plain(struct tsh_pager *pager, const char *data, size_t len)
{
	tsh_strbuf_add(&pager->terminal->data, data, len);
	tsh_out_flush(pager->terminal);
}

/* Waits for the pager. Ctrl-C is for the pager; another signal ends the pager and tracesh. */
static bool wait_for(struct tsh_pager *pager, int fd, short events, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	for (;;) {
		switch (tsh_wait(&pager->loop->waiter, &pfd, 1, timeout_ms)) {
		case TSH_WAIT_READY:
			return true;
		case TSH_WAIT_TIMEOUT:
			if (timeout_ms >= 0)
				return true;
			break;
		case TSH_WAIT_ABORT:
			if (pager->loop->signal != SIGINT) {
				kill(pager->pid, SIGTERM);
				return false;
			}
			tsh_loop_forget_interrupt(pager->loop);
			break;
		default:
			break;
		}
	}
}

/* Waits for the end of the pager. Returns false when a signal came that ends tracesh. */
static bool end_pager(struct tsh_pager *pager)
{
	bool carry_on;
	int status = 0;
	char *note;

	if (pager->fd >= 0)
		close(pager->fd);
	pager->fd = -1;
	carry_on = wait_for(pager, pager->alive_fd, POLLIN, -1);
	close(pager->alive_fd);
	pager->alive_fd = -1;
	while (carry_on && tsh_process_reap(pager->pid, &status) == TSH_PROCESS_RUNS)
		carry_on = wait_for(pager, -1, 0, LOOK_AGAIN_MS);
	if (!carry_on)
		(void)tsh_process_terminate(pager->pid, &status);
	pager->pid = 0;
	pager->loop->watch.held = false;
	/* forgets interrupts that were for the pager */
	if (carry_on) {
		tsh_loop_aborted(pager->loop);
		tsh_loop_forget_interrupt(pager->loop);
	}
	/* begins a new line for the prompt: the terminal has shown ^C */
	if (carry_on && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
		write_plain(pager, "\n", 1);
	if (!carry_on || !WIFEXITED(status) || !WEXITSTATUS(status) || WEXITSTATUS(status) >= 128)
		return carry_on;
	pager->plain = true;
	note = tsh_xasprintf("the pager '%s' ended with status %d", pager->command,
			     WEXITSTATUS(status));
	tsh_strlist_add_owned(&pager->notes, note);
	return true;
}

/* ---- the input of the pager ---- */

/* Says whether a text fits on the screen, with the prompt below. */
static bool fits_screen(const struct tsh_pager *pager, const char *data, size_t len)
{
	struct winsize size = { 0 };
	size_t i, column = 0, rows = 0;

	if (ioctl(pager->terminal->fd, TIOCGWINSZ, &size) < 0 || !size.ws_row || !size.ws_col)
		return true;
	for (i = 0; i < len; i++) {
		bool newline = data[i] == '\n';

		/* counts characters, not bytes */
		if (!newline && ((unsigned char)data[i] & 0xc0) != 0x80)
			column++;
		if (newline || column > size.ws_col) {
			column = newline ? 0 : 1;
			if (++rows >= size.ws_row)
				return false;
		}
	}
	return true;
}

static void store_data(struct tsh_pager *pager, const char *data, size_t len)
{
	pager->has_all = pager->has_all && pager->buffered.len + len <= KEPT_MAX;
	if (pager->has_all)
		tsh_strbuf_add(&pager->buffered, data, len);
	else
		tsh_strbuf_release(&pager->buffered);
}

/* Handles the end of a pager: the user has left, or the pager has failed. */
static ssize_t handle_gone(struct tsh_pager *pager, size_t len)
{
	if (end_pager(pager) && pager->plain && pager->has_all) {
		write_plain(pager, pager->buffered.buf, pager->buffered.len);
		tsh_strbuf_release(&pager->buffered);
		return (ssize_t)len;
	}
	errno = EPIPE;
	return -1;
}

/* Replaces write(2) for everything that the command prints. */
static ssize_t write_paged(void *ctx, const char *data, size_t len)
{
	struct tsh_pager *pager = ctx;
	size_t done = 0;

	if (pager->plain || (!pager->pid && (fits_screen(pager, data, len) || !start_pager(pager)))) {
		write_plain(pager, data, len);
		return (ssize_t)len;
	}
	store_data(pager, data, len);
	while (done < len) {
		ssize_t n = write(pager->fd, data + done, len - done);

		if (n < 0 && errno == EAGAIN && wait_for(pager, pager->fd, POLLOUT, -1))
			continue;
		if (n < 0 && (errno == EPIPE || errno == EAGAIN || pager->loop->signal))
			return handle_gone(pager, len);
		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)len;
}

/* Stores a note: while the pager has the screen, nothing else is written. */
static void store_note(void *ctx, const char *text)
{
	struct tsh_pager *pager = ctx;

	if (pager->pid)
		tsh_strlist_add(&pager->notes, text);
	else if (pager->terminal->note)
		pager->terminal->note(pager->terminal->note_ctx, text);
}

void tsh_pager_begin(struct tsh_pager *pager, const char *command, struct tsh_loop *loop,
		     struct tsh_out *terminal, struct tsh_out *out)
{
	*pager = (struct tsh_pager){ .loop = loop, .terminal = terminal, .command = command,
				     .fd = -1, .alive_fd = -1, .has_all = true };
	tsh_strbuf_init(&pager->buffered);
	out->is_terminal = true;
	out->color = terminal->color;
	out->write = write_paged;
	out->write_ctx = pager;
	out->note = store_note;
	out->note_ctx = pager;
}

bool tsh_pager_end(struct tsh_pager *pager)
{
	bool carry_on = true;
	size_t i;

	if (pager->pid) {
		carry_on = end_pager(pager);
		if (pager->plain && pager->has_all)
			write_plain(pager, pager->buffered.buf, pager->buffered.len);
	}
	/* has no notes under -q, which drops notes when they are made */
	for (i = 0; carry_on && i < pager->notes.n; i++)
		if (pager->terminal->note)
			pager->terminal->note(pager->terminal->note_ctx, pager->notes.v[i]);
	tsh_strlist_release(&pager->notes);
	tsh_strbuf_release(&pager->buffered);
	return carry_on;
}
