/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tty.h"

/* Reads lines without readline: with the terminal's own editing, without history and completion. */

struct tsh_line {
	struct tsh_loop *loop;
	struct tsh_strbuf typed;	/* bytes that were read, but are no complete line yet or
					 * belong to a later one */
	bool eof;
	bool hung_up;
	int tty;			/* see tty.h */
	const char *prompt;		/* set while a line is read */
};

struct tsh_line *tsh_line_open(struct tsh_session *session, struct tsh_loop *loop, bool color)
{
	struct tsh_line *line = tsh_xcalloc(1, sizeof(*line));

	(void)session;
	(void)color;
	line->loop = loop;
	line->tty = tsh_tty_open();
	tsh_strbuf_init(&line->typed);
	return line;
}

/* Shows a prompt without \001 and \002, which are for readline. */
static void show_prompt(const char *prompt)
{
	for (; *prompt; prompt++)
		if (*prompt != '\001' && *prompt != '\002')
			putchar(*prompt);
	fflush(stdout);
}

/* Returns the next complete line; at the end of the input what is left. */
static char *next_line(struct tsh_line *line)
{
	char *end = memchr(line->typed.buf, '\n', line->typed.len);
	size_t len = end ? (size_t)(end - line->typed.buf) : line->typed.len;
	size_t used = end ? len + 1 : len;
	char *text;

	if (!end && (!line->eof || !len))
		return NULL;
	text = tsh_xstrndup(line->typed.buf, len);
	memmove(line->typed.buf, line->typed.buf + used, line->typed.len - used + 1);
	line->typed.len -= used;
	return text;
}

static void read_more(struct tsh_line *line)
{
	ssize_t n;

	tsh_strbuf_grow(&line->typed, 4096);
	n = tsh_tty_read(line->tty, line->typed.buf + line->typed.len, 4096);
	if (n == -EINTR || n == -EAGAIN)
		return;
	/* EIO: the terminal is gone; then half a line is no command */
	if (n < 0)
		tsh_strbuf_clear(&line->typed);
	line->hung_up = n < 0;
	line->eof = n <= 0;
	line->typed.len += n > 0 ? (size_t)n : 0;
	line->typed.buf[line->typed.len] = '\0';
}

/* Handles Ctrl-C, after which the terminal has dropped the line. */
static enum tsh_line_result discard(struct tsh_line *line)
{
	enum tsh_line_result result = line->typed.len ? TSH_LINE_DISCARDED : TSH_LINE_NOTHING;

	tsh_strbuf_clear(&line->typed);
	tsh_loop_forget_interrupt(line->loop);
	putchar('\n');
	fflush(stdout);
	return result;
}

static enum tsh_line_result read_line(struct tsh_line *line, char **ret_text)
{
	struct pollfd pfd = { .fd = STDIN_FILENO, .events = POLLIN };

	for (;;) {
		char *text = next_line(line);

		if (text) {
			*ret_text = text;
			return TSH_LINE_TEXT;
		}
		if (line->eof) {
			/* after Ctrl-D more can be read: a question may follow */
			line->eof = false;
			/* waits for SIGHUP, which comes after the wake-up if that was our
			 * terminal */
			if (line->hung_up && tsh_wait(&line->loop->waiter, NULL, 0,
						      TSH_HANGUP_MS) == TSH_WAIT_ABORT)
				return TSH_LINE_ABORT;
			putchar('\n');
			fflush(stdout);
			return TSH_LINE_EOF;
		}
		switch (tsh_wait(&line->loop->waiter, &pfd, 1, -1)) {
		case TSH_WAIT_READY:
			read_more(line);
			line->hung_up |= line->eof && (pfd.revents & (POLLHUP | POLLERR));
			break;
		case TSH_WAIT_STOP:
			return discard(line);
		case TSH_WAIT_ABORT:
			if (line->loop->signal == SIGINT)
				return discard(line);
			putchar('\n');
			fflush(stdout);
			return TSH_LINE_ABORT;
		default:
			break;
		}
	}
}

enum tsh_line_result tsh_line_read(struct tsh_line *line, const char *prompt,
				   const char *before, char **ret_text)
{
	enum tsh_line_result result;

	(void)before;
	show_prompt(prompt);
	line->prompt = prompt;
	result = read_line(line, ret_text);
	line->prompt = NULL;
	return result;
}

/* Ignores `text`: the terminal's own editing cannot begin with one. */
enum tsh_line_result tsh_line_ask(struct tsh_line *line, const char *prompt, const char *before,
				  const char *text, char **ret_text)
{
	(void)text;
	return tsh_line_read(line, prompt, before, ret_text);
}

void tsh_line_forget_typed(struct tsh_line *line)
{
	tsh_strbuf_clear(&line->typed);
	tcflush(STDIN_FILENO, TCIFLUSH);
}

/* Prints above the line. The terminal still has the typed text, but does not show the text
 * again. */
void tsh_line_print_above(struct tsh_line *line, const char *text, size_t len)
{
	if (line->prompt)
		putchar('\n');
	fwrite(text, 1, len, stdout);
	if (line->prompt)
		show_prompt(line->prompt);
	fflush(stdout);
}

void tsh_line_set_history(struct tsh_line *line, const struct tsh_history *history)
{
	(void)line;
	(void)history;
}

void tsh_line_add_history(struct tsh_line *line, const char *text)
{
	(void)line;
	(void)text;
}

unsigned int tsh_line_columns(struct tsh_line *line)
{
	struct winsize size;

	(void)line;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return 80;
	return size.ws_col;
}

void tsh_line_close(struct tsh_line *line)
{
	tsh_strbuf_release(&line->typed);
	if (line->tty >= 0)
		close(line->tty);
	free(line);
}
