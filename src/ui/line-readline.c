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
/* Limits the wait for more bytes of a key, in ms. The bytes come together, but at 1200 baud there
 * is one every 9 ms. */
#define ESCAPE_MS 50

struct tsh_line {
	struct tsh_loop *loop;
	bool reading;			/* readline uses the terminal */
	bool done;			/* the handler has been called */
	bool is_answer;			/* the line answers a question: Escape leaves it */
	bool leaves;			/* Escape was pressed */
	const char *begun;		/* text that is in the line from the beginning */
	bool interrupted;		/* a signal came while readline wanted another key */
	char *text;			/* the line that was read; NULL: the end of the input */
	struct tsh_line_hint hint;
	struct tsh_line_help help;
	int tty;			/* see tty.h */
	int key;			/* a byte for readline that was read before; -1: none */
};

/* Points to the struct for readline's callbacks, which have no argument of ours; there is one
 * terminal. */
static struct tsh_line *current;

static void handle_line(char *text)
{
	/* removes the handler here, so that the rest of the input is left for the next line */
	rl_callback_handler_remove();
	current->reading = false;
	current->done = true;
	current->text = text;
}

/* Releases the terminal from readline. With bracketed paste readline would write a newline at the
 * end of the input, and for every line after that; we write that newline. */
static void release_terminal(void)
{
#if RL_READLINE_VERSION >= 0x0802
	rl_eof_found = 0;
#endif
	rl_deprep_terminal();
}

/* Says whether Escape was pressed alone. (Escape is the first byte of other keys, too.) */
static bool is_alone(unsigned char byte)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };

	return byte == ESCAPE && poll(&pfd, 1, ESCAPE_MS) == 0;
}

/* Reads a byte. When Escape leaves a question, readline gets a blank, in a line that is dropped. */
static ssize_t read_byte(struct tsh_line *line, unsigned char *ret)
{
	ssize_t n = tsh_tty_read(line->tty, ret, 1);

	if (n > 0 && line->is_answer && is_alone(*ret)) {
		line->leaves = true;
		*ret = ' ';
	}
	return n;
}

/* Reads a byte for readline: the key for which readline is called, or a byte of a sequence or a
 * paste. The rest of a sequence may never come (Ctrl-C drops it), so a signal ends the wait. */
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

/* Makes Ctrl-\ an ordinary key while a line is read. (Ctrl-\ works like Ctrl-C while a command
 * runs.) */
static void prepare_terminal(int meta)
{
	struct termios mode;

	rl_prep_terminal(meta);
	if (tcgetattr(STDIN_FILENO, &mode) < 0)
		return;
	mode.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
}

/* Fills the line with its first text, when readline has made the line ready and empty. */
static int begin_line(void)
{
	if (current->begun)
		rl_insert_text(current->begun);
	current->begun = NULL;
	return 0;
}

static void close_terminal(void)
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
	/* Drops the line after `undo ?` and Enter: a user who asks for help does not want the
	 * command to run. */
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
	return color && tsh_terminal_can_move_cursor();
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
	/* signals come by descriptor; children must not get LINES and COLUMNS */
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
	/* for an exit() that was not planned */
	atexit(close_terminal);
	return line;
}

/* Makes a descriptor for SIGWINCH and SIGTSTP while readline has the terminal; -1 when there cannot
 * be one. */
static int open_signals(sigset_t *ret_mask, sigset_t *ret_old)
{
	sigemptyset(ret_mask);
	sigaddset(ret_mask, SIGWINCH);
	sigaddset(ret_mask, SIGTSTP);
	sigprocmask(SIG_BLOCK, ret_mask, ret_old);
	return signalfd(-1, ret_mask, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Stops until the terminal is ours: otherwise readline would adopt the modes that the shell's own
 * line has set. SIGTTOU does not stop us when the shell is gone. */
static void await_foreground(void)
{
	int tries = 100;

	while (tries-- && tcgetpgrp(STDIN_FILENO) > 0 && tcgetpgrp(STDIN_FILENO) != getpgrp())
		raise(SIGTTOU);
}

/* Handles Ctrl-Z: stops with the terminal in order; a later `fg` shows the line again. */
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

/* Ends readline's use of the terminal in the middle of a line. */
static void abandon(struct tsh_line *line, const char *mark)
{
	rl_callback_sigcleanup();
	tsh_line_hint_erase(&line->hint);
	/* avoids that the mark overwrites text, in a search or with the cursor inside the line */
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

/* Ends the line for a signal. When Ctrl-C has dropped keys that readline expects, readline sees an
 * end of input, and would end the line or the input. */
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
	/* readline allocates with malloc */
	*ret_text = line->text;
	return TSH_LINE_TEXT;
}

enum key_result { KEY_TAKEN, KEY_LEAVES, KEY_GONE };

/* Reads a key. Returns KEY_LEAVES when Escape leaves a question, KEY_GONE when the terminal is
 * gone. */
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

/* Waits for the SIGHUP of our terminal, before which the kernel wakes us. */
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
			/* half a line is no command */
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

/* Removes the history: old commands are no answers to a question. */
static HISTORY_STATE *hide_history(void)
{
	HISTORY_STATE none = { 0 }, *state = history_get_history_state();

	history_set_history_state(&none);
	return state;
}

static void restore_history(HISTORY_STATE *state)
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
	signal_fd = open_signals(&mask, &old);
	if (line->is_answer)
		history = hide_history();
	using_history();
	/* the size may have changed while a command ran */
	tsh_line_hint_resize(&line->hint);
	line->hint.before = before;
	line->hint.prompt_width = tsh_line_prompt_width(prompt);
	line->reading = true;
	rl_callback_handler_install(prompt, handle_line);
	result = read_line(line, signal_fd, ret_text);
	if (history)
		restore_history(history);
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

/* Removes an equal command from the history before adding a command. */
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
	close_terminal();
	tsh_matches_release(&line->help.matches);
	rl_clear_history();
	current = NULL;
	if (line->tty >= 0)
		close(line->tty);
	free(line);
}
