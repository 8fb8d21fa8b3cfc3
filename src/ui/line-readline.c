/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <readline/readline.h>
#include <readline/history.h>

#include "base/machine.h"
#include "inputrc.h"
#include "line-help.h"
#include "session/history.h"
#include "tty.h"

#define ESCAPE 0x1b
/* What a key sends comes together, on a slow line a byte in 9 ms at 1200 baud. */
#define ESCAPE_MS 50

struct tsh_line {
	struct tsh_loop *loop;
	bool reading;			/* readline has the terminal */
	bool done;			/* the handler has been called */
	bool is_answer;			/* not a command of its own: Escape leaves it */
	bool leaves;			/* Escape was pressed */
	const char *begun;		/* what stands in the line at first */
	bool interrupted;		/* a signal came while readline wanted one more key */
	char *text;			/* what it got; NULL: the end of the input */
	struct tsh_line_hint hint;
	struct tsh_line_help help;
	int tty;			/* see tty.h */
	int key;			/* read, and not given to readline yet; -1: none */
};

/* readline's callbacks have no argument of ours, and there is one terminal. */
static struct tsh_line *current;

static void handle_line(char *text)
{
	/* Here, so that the rest of a burst of input is left for the next line. */
	rl_callback_handler_remove();
	current->reading = false;
	current->done = true;
	current->text = text;
}

/* readline writes a newline for the end of the input where the terminal has bracketed
 * paste, and for every line after it. That newline is ours. */
static void release_terminal(void)
{
#if RL_READLINE_VERSION >= 0x0802
	rl_eof_found = 0;
#endif
	rl_deprep_terminal();
}

/* Escape is the first byte of many a key; alone nothing follows it. */
static bool is_alone(unsigned char byte)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };

	return byte == ESCAPE && poll(&pfd, 1, ESCAPE_MS) == 0;
}

/* Escape leaves a question: readline gets a blank, of a line that is dropped. */
static ssize_t read_byte(struct tsh_line *line, unsigned char *ret)
{
	ssize_t n = tsh_tty_read(line->tty, ret, 1);

	if (n > 0 && line->is_answer && is_alone(*ret)) {
		line->leaves = true;
		*ret = ' ';
	}
	return n;
}

/*
 * What readline reads: the key that it is called for, and of a sequence or a paste that has
 * begun what follows. That may never come (Ctrl-C drops it), so a signal ends the wait.
 */
static int next_byte(FILE *ignored)
{
	struct pollfd pfds[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = current->loop->fd, .events = POLLIN },
	};
	int key = current->key;
	unsigned char byte;
	ssize_t n;

	(void)ignored;
	current->key = -1;
	while (key < 0) {
		if (poll(pfds, 2, -1) < 0 && errno != EINTR)
			return EOF;
		if (!pfds[0].revents && pfds[1].revents) {
			current->interrupted = true;
			return EOF;
		}
		n = read_byte(current, &byte);
		if (n == 0 || (n < 0 && n != -EAGAIN && n != -EINTR))
			return EOF;
		if (n > 0)
			key = byte;
	}
	return key;
}

/* Ctrl-\ is a key like others here; while a command runs it is Ctrl-C. */
static void prepare_terminal(int meta)
{
	struct termios mode;

	rl_prep_terminal(meta);
	if (tcgetattr(STDIN_FILENO, &mode) < 0)
		return;
	mode.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
}

/* readline's own hook: the line is there, and empty. */
static int begin_line(void)
{
	if (current->begun)
		rl_insert_text(current->begun);
	current->begun = NULL;
	return 0;
}

static void leave_terminal(void)
{
	if (!current || !current->reading)
		return;
	rl_callback_handler_remove();
	current->reading = false;
}

static void load_history(const struct tsh_history *history)
{
	size_t i;

	using_history();
	stifle_history(TSH_HISTORY_MAX);
	for (i = 0; history && i < history->lines.n; i++)
		add_history(history->lines.v[i]);
}

static int accept_line(int count, int key)
{
	/* Of `undo ?` and Enter: who asks what it would do does not want it done. */
	if (current->help.explained_before) {
		rl_replace_line("", 1);
		rl_point = 0;
		return 0;
	}
	tsh_line_hint_erase(&current->hint);
	return rl_newline(count, key);
}

static void bind_keys(void)
{
	Keymap maps[] = { emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap };
	size_t i;

	for (i = 0; i < 3; i++) {
		rl_bind_key_in_map('\r', accept_line, maps[i]);
		rl_bind_key_in_map('\n', accept_line, maps[i]);
	}
}

static bool can_draw(bool color)
{
	return color && tsh_terminal_moves();
}

struct tsh_line *tsh_line_open(struct tsh_session *session, struct tsh_loop *loop, bool color)
{
	struct tsh_line *line = tsh_xcalloc(1, sizeof(*line));

	line->loop = loop;
	line->tty = tsh_tty_open();
	line->key = -1;
	current = line;
	rl_readline_name = "tracesh";
	rl_instream = stdin;
	rl_outstream = stdout;
	rl_getc_function = next_byte;
	/* Signals come by descriptor; the children shall not find LINES and COLUMNS. */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_variable_bind("enable-bracketed-paste", "on");
	tsh_inputrc_initialize(session->out);
	rl_prep_term_function = prepare_terminal;
	rl_startup_hook = begin_line;
	rl_deprep_term_function = release_terminal;
	line->hint = (struct tsh_line_hint){ .session = session, .is_possible = can_draw(color) };
	tsh_line_hint_install(&line->hint);
	line->help = (struct tsh_line_help){ .session = session, .hint = &line->hint,
					     .color = color };
	tsh_line_help_install(&line->help);
	bind_keys();
	load_history(session->history);
	/* For an exit() that nobody planned. */
	atexit(leave_terminal);
	return line;
}

/* SIGWINCH and SIGTSTP while readline has the terminal; -1 when they cannot be had. */
static int take_signals(sigset_t *ret_mask, sigset_t *ret_old)
{
	sigemptyset(ret_mask);
	sigaddset(ret_mask, SIGWINCH);
	sigaddset(ret_mask, SIGTSTP);
	sigprocmask(SIG_BLOCK, ret_mask, ret_old);
	return signalfd(-1, ret_mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

/*
 * Stops until the terminal is ours: readline would take the modes that the shell's own line has set for its users'. Nothing
 * stops the tasks of a shell that is gone.
 */
static void await_foreground(void)
{
	int tries = 100;

	while (tries-- && tcgetpgrp(STDIN_FILENO) > 0 && tcgetpgrp(STDIN_FILENO) != getpgrp())
		raise(SIGTTOU);
}

/* Ctrl-Z: stops with the terminal in order; a later `fg` shows the line again. */
static void stop(void)
{
	sigset_t mask, old;

	tsh_line_hint_erase(&current->hint);
	release_terminal();
	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	await_foreground();
	prepare_terminal(1);
	tsh_line_hint_resize(&current->hint);
	rl_on_new_line();
	rl_redisplay();
}

static void handle_signal(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop();
		else
			tsh_line_hint_resize(&current->hint);
	}
}

/* Takes the terminal back from readline in the middle of a line. */
static void abandon(struct tsh_line *line, const char *mark)
{
	rl_callback_sigcleanup();
	tsh_line_hint_erase(&line->hint);
	/* In a search, or with the cursor inside, the mark would overwrite text. */
	rl_point = rl_end;
	rl_redisplay();
	fputs(mark, rl_outstream);
	fputc('\n', rl_outstream);
	rl_free_line_state();
	rl_callback_handler_remove();
	fflush(rl_outstream);
	line->reading = false;
}

static enum tsh_line_result discard(struct tsh_line *line)
{
	bool empty = !rl_end;

	abandon(line, "^C");
	tsh_loop_forget_interrupt(line->loop);
	return empty ? TSH_LINE_NOTHING : TSH_LINE_DISCARDED;
}

/*
 * readline looks whether more keys have come, and takes an end of the input that is none (a
 * Ctrl-C has dropped them) for that of the line, or of all.
 */
static enum tsh_line_result end_by_signal(struct tsh_line *line)
{
	bool ends_all = tsh_wait(&line->loop->waiter, NULL, 0, 0) == TSH_WAIT_ABORT &&
			line->loop->signal != SIGINT;

	fputs(ends_all ? "\n" : "^C\n", rl_outstream);
	fflush(rl_outstream);
	free(line->text);
	line->text = NULL;
	if (ends_all)
		return TSH_LINE_ABORT;
	tsh_loop_forget_interrupt(line->loop);
	return TSH_LINE_DISCARDED;
}

static enum tsh_line_result finish(struct tsh_line *line, char **ret_text)
{
	if (line->interrupted)
		return end_by_signal(line);
	if (!line->text) {
		fputc('\n', rl_outstream);
		fflush(rl_outstream);
		return TSH_LINE_EOF;
	}
	/* readline's memory is malloc's. */
	*ret_text = line->text;
	return TSH_LINE_TEXT;
}

enum key_result { KEY_TAKEN, KEY_LEAVES, KEY_GONE };

/* KEY_LEAVES: Escape leaves a question. KEY_GONE: the terminal has. */
static enum key_result read_key(struct tsh_line *line)
{
	unsigned char byte;
	ssize_t n = read_byte(line, &byte);

	if (n <= 0)
		return n == -EAGAIN || n == -EINTR ? KEY_TAKEN : KEY_GONE;
	line->key = byte;
	tsh_line_help_key(&line->help);
	return line->leaves ? KEY_LEAVES : KEY_TAKEN;
}

/* The kernel wakes us before it sends SIGHUP, if that is our terminal. */
static enum tsh_line_result hung_up(const struct tsh_line *line)
{
	return tsh_wait(&line->loop->waiter, NULL, 0, TSH_HANGUP_MS) == TSH_WAIT_ABORT ?
		       TSH_LINE_ABORT : TSH_LINE_EOF;
}

static enum tsh_line_result read_line(struct tsh_line *line, int signal_fd, char **ret_text)
{
	struct pollfd pfds[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN }
	};
	enum key_result key;

	while (!line->done) {
		switch (tsh_wait(&line->loop->waiter, pfds, 2, -1)) {
		case TSH_WAIT_READY:
			if (pfds[1].revents)
				handle_signal(signal_fd);
			key = pfds[0].revents & (POLLHUP | POLLERR | POLLNVAL) ? KEY_GONE :
			      pfds[0].revents & POLLIN ? read_key(line) : KEY_TAKEN;
			if (key == KEY_TAKEN)
				break;
			/* Half a line is nobody's command. */
			abandon(line, "");
			return key == KEY_GONE ? hung_up(line) : TSH_LINE_DISCARDED;
		case TSH_WAIT_STOP:
			return discard(line);
		case TSH_WAIT_ABORT:
			if (line->loop->signal == SIGINT)
				return discard(line);
			abandon(line, "");
			return TSH_LINE_ABORT;
		default:
			break;
		}
	}
	return finish(line, ret_text);
}

/* Old commands are no answers to a question. */
static HISTORY_STATE *set_history_aside(void)
{
	HISTORY_STATE none = { 0 }, *state = history_get_history_state();

	history_set_history_state(&none);
	return state;
}

static void take_history_back(HISTORY_STATE *state)
{
	rl_clear_history();
	history_set_history_state(state);
	free(state);
}

static enum tsh_line_result read_from(struct tsh_line *line, const char *prompt,
				      const char *before, char **ret_text)
{
	enum tsh_line_result result;
	HISTORY_STATE *history = NULL;
	sigset_t mask, old;
	int signal_fd;

	line->help.before = before;
	line->help.explained = false;
	line->done = false;
	line->leaves = false;
	line->interrupted = false;
	line->text = NULL;
	await_foreground();
	signal_fd = take_signals(&mask, &old);
	if (line->is_answer)
		history = set_history_aside();
	using_history();
	/* It may have changed while a command ran. */
	tsh_line_hint_resize(&line->hint);
	line->hint.before = before;
	line->hint.prompt_width = tsh_line_prompt_width(prompt);
	line->reading = true;
	rl_callback_handler_install(prompt, handle_line);
	result = read_line(line, signal_fd, ret_text);
	if (history)
		take_history_back(history);
	if (signal_fd >= 0)
		close(signal_fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	tsh_line_help_end(&line->help);
	return result;
}

enum tsh_line_result tsh_line_read(struct tsh_line *line, const char *prompt,
				   const char *before, char **ret_text)
{
	line->is_answer = false;
	line->begun = NULL;
	return read_from(line, prompt, before, ret_text);
}

enum tsh_line_result tsh_line_ask(struct tsh_line *line, const char *prompt, const char *before,
				  const char *text, char **ret_text)
{
	line->is_answer = true;
	line->begun = text;
	return read_from(line, prompt, before, ret_text);
}

void tsh_line_forget_typed(struct tsh_line *line)
{
	(void)line;
	tcflush(STDIN_FILENO, TCIFLUSH);
}

void tsh_line_print_above(struct tsh_line *line, const char *text, size_t len)
{
	if (line->reading) {
		tsh_line_hint_erase(&line->hint);
		rl_clear_visible_line();
	}
	fwrite(text, 1, len, rl_outstream);
	if (line->reading) {
		rl_on_new_line();
		(*rl_redisplay_function)();
	}
	fflush(rl_outstream);
}

void tsh_line_set_history(struct tsh_line *line, const struct tsh_history *history)
{
	(void)line;
	rl_clear_history();
	load_history(history);
}

/* An equal one before it goes. */
void tsh_line_add_history(struct tsh_line *line, const char *text)
{
	int i;

	(void)line;
	for (i = history_length - 1; i >= 0; i--) {
		const HIST_ENTRY *entry = history_get(history_base + i);

		if (!entry || strcmp(entry->line, text) != 0)
			continue;
		free_history_entry(remove_history(i));
		break;
	}
	add_history(text);
}

unsigned int tsh_line_columns(struct tsh_line *line)
{
	int rows, columns;

	(void)line;
	rl_get_screen_size(&rows, &columns);
	return columns > 0 ? (unsigned int)columns : 80;
}

void tsh_line_close(struct tsh_line *line)
{
	leave_terminal();
	tsh_matches_release(&line->help.matches);
	rl_clear_history();
	current = NULL;
	if (line->tty >= 0)
		close(line->tty);
	free(line);
}
