/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <readline/readline.h>
#include <readline/history.h>

#include "matches.h"

#define HISTORY_MAX 2000

struct tsh_line {
	struct tsh_session *session;
	struct tsh_loop *loop;
	bool color;
	const char *before;		/* of the command so far; NULL: completes nothing */
	bool reading;			/* readline has the terminal */
	bool done;			/* the handler has been called */
	char *text;			/* what it got; NULL: the end of the input */
	struct tsh_matches matches;
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

static void leave_terminal(void)
{
	if (!current || !current->reading)
		return;
	rl_callback_handler_remove();
	current->reading = false;
}

static char **complete(const char *word, int start, int end)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool partial = false;
	char **matches;

	(void)word;
	/* No names of files when there is nothing. */
	rl_attempted_completion_over = 1;
	if (!current->before)
		return NULL;
	tsh_strbuf_adds(&text, current->before);
	tsh_strbuf_add(&text, rl_line_buffer, (size_t)end);
	matches = tsh_matches_find(&current->matches, current->session, text.buf,
				   strlen(current->before) + (size_t)start, &partial);
	rl_completion_suppress_append = partial;
	tsh_strbuf_release(&text);
	return matches;
}

/* readline's own list asks "Display all 5001 possibilities?" and waits for no answer
 * in callback mode. */
static void show_matches(char **matches, int n, int longest)
{
	int rows, columns;

	(void)matches;
	(void)n;
	(void)longest;
	rl_get_screen_size(&rows, &columns);
	rl_crlf();
	tsh_matches_show(&current->matches, rl_outstream, rows > 0 ? (size_t)rows : 24,
			 columns > 0 ? (size_t)columns : 80, current->color);
	rl_forced_update_display();
}

struct tsh_line *tsh_line_open(struct tsh_session *session, struct tsh_loop *loop, bool color)
{
	struct tsh_line *line = tsh_xcalloc(1, sizeof(*line));

	line->session = session;
	line->loop = loop;
	line->color = color;
	current = line;
	rl_readline_name = "tracesh";
	rl_instream = stdin;
	rl_outstream = stdout;
	/* Signals come by descriptor; the children shall not find LINES and COLUMNS. */
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_variable_bind("enable-bracketed-paste", "on");
	rl_initialize();
	rl_attempted_completion_function = complete;
	rl_completion_display_matches_hook = show_matches;
	rl_completer_word_break_characters = " \t\n";
	rl_deprep_term_function = release_terminal;
	rl_sort_completion_matches = 0;
	using_history();
	stifle_history(HISTORY_MAX);
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

/* Ctrl-Z: stops with the terminal in order; a later `fg` shows the line again. */
static void stop(void)
{
	sigset_t mask, old;

	release_terminal();
	sigemptyset(&mask);
	sigaddset(&mask, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &mask, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	rl_prep_terminal(1);
	rl_resize_terminal();
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
			rl_resize_terminal();
	}
}

/* Takes the terminal back from readline in the middle of a line. */
static void abandon(struct tsh_line *line, const char *mark)
{
	rl_callback_sigcleanup();
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

static enum tsh_line_result finish(struct tsh_line *line, char **ret_text)
{
	if (!line->text) {
		fputc('\n', rl_outstream);
		fflush(rl_outstream);
		return TSH_LINE_EOF;
	}
	/* readline's memory is malloc's. */
	*ret_text = line->text;
	return TSH_LINE_TEXT;
}

static enum tsh_line_result read_line(struct tsh_line *line, int signal_fd, char **ret_text)
{
	struct pollfd pfds[2] = {
		{ .fd = STDIN_FILENO, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN }
	};

	while (!line->done) {
		switch (tsh_wait(&line->loop->waiter, pfds, 2, -1)) {
		case TSH_WAIT_READY:
			if (pfds[1].revents)
				handle_signal(signal_fd);
			if (pfds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
				/* Half a line is nobody's command. */
				abandon(line, "");
				return TSH_LINE_EOF;
			}
			if (pfds[0].revents & POLLIN)
				rl_callback_read_char();
			break;
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

enum tsh_line_result tsh_line_read(struct tsh_line *line, const char *prompt,
				   const char *before, char **ret_text)
{
	enum tsh_line_result result;
	sigset_t mask, old;
	int signal_fd;

	line->before = before;
	line->done = false;
	line->text = NULL;
	signal_fd = take_signals(&mask, &old);
	using_history();
	/* It may have changed while a command ran. */
	rl_resize_terminal();
	line->reading = true;
	rl_callback_handler_install(prompt, handle_line);
	result = read_line(line, signal_fd, ret_text);
	if (signal_fd >= 0)
		close(signal_fd);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return result;
}

/* Not twice in a row, and not what begins with a blank. */
void tsh_line_add_history(struct tsh_line *line, const char *text)
{
	HIST_ENTRY *last;

	(void)line;
	if (!*text || *text == ' ' || *text == '\t')
		return;
	last = history_length ? history_get(history_base + history_length - 1) : NULL;
	if (!last || strcmp(last->line, text) != 0)
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
	tsh_matches_release(&line->matches);
	clear_history();
	current = NULL;
	free(line);
}
