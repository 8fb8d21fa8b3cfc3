/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BATCH_FILE_MAX (16u << 20)

/* 0 or -errno; -ECANCELED: a signal. */
static int read_pipe(int fd, const struct tsh_waiter *waiter, struct tsh_strbuf *ret)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n = 1;

	while (n) {
		enum tsh_wait_result result = tsh_wait(waiter, &pfd, 1, -1);

		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
			return -ECANCELED;
		tsh_strbuf_grow(ret, 4096);
		n = read(fd, ret->buf + ret->len, 4096);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		ret->len += n > 0 ? (size_t)n : 0;
		ret->buf[ret->len] = '\0';
		if (ret->len > BATCH_FILE_MAX)
			return -EFBIG;
	}
	return 0;
}

int tsh_batch_read(int fd, const char *path, const struct tsh_waiter *waiter,
		   struct tsh_strbuf *ret, struct tsh_err *err)
{
	int r = waiter ? read_pipe(fd, waiter, ret) : tsh_strbuf_read(ret, fd, BATCH_FILE_MAX);

	if (r == -ECANCELED)
		return -1;
	if (r < 0 && r != -EFBIG) {
		tsh_err_path(err, -r, "read", path);
		err->status = TSH_USAGE;
		return -1;
	}
	if (r == -EFBIG || memchr(ret->buf, '\0', ret->len))
		return tsh_err_set(err, TSH_USAGE, "'%s' is not a batch file: it %s", path,
				   r == -EFBIG ? "is larger than 16 MB" : "has a zero byte");
	/* Some editors begin a file with a byte order mark. */
	if (ret->len >= 3 && !memcmp(ret->buf, "\xef\xbb\xbf", 3))
		tsh_strbuf_remove(ret, 3);
	return 0;
}

static bool refuse_bytes(struct tsh_engine *e, struct tsh_input *input,
			 const struct tsh_strbuf *text)
{
	struct tsh_err err = { 0 };

	input->text = text->buf;
	input->len = strnlen(text->buf, 80);
	tsh_err_set(&err, TSH_USAGE, "'%s' is not a batch file: it %s", input->name,
		    text->len > BATCH_FILE_MAX ? "is larger than 16 MB" : "has a zero byte");
	tsh_report(e, input, "error", &err);
	tsh_err_release(&err);
	e->failed = true;
	e->first_failure = TSH_USAGE;
	return false;
}

/* Reads what is there and runs it as soon as it is whole commands. */
bool tsh_engine_run_fd(struct tsh_engine *e, const char *name, int fd)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_input input = { .name = name };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool carry_on = true, end = false;

	while (carry_on && !end) {
		enum tsh_wait_result r = tsh_wait(&e->loop->waiter, &pfd, 1, -1);
		size_t whole, i;
		ssize_t n;

		if (r == TSH_WAIT_STOP || r == TSH_WAIT_ABORT) {
			if (!e->loop->signal)
				e->loop->signal = SIGINT;
			e->session.aborted = true;
			break;
		}
		tsh_strbuf_grow(&text, 4096);
		n = read(fd, text.buf + text.len, 4096);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		end = n <= 0;
		if (n > 0)
			text.len += (size_t)n;
		text.buf[text.len] = '\0';
		if (text.len > BATCH_FILE_MAX || (n > 0 && memchr(text.buf + text.len - n, '\0', (size_t)n))) {
			carry_on = refuse_bytes(e, &input, &text);
			break;
		}
		/* Whole lines, the last of which asks for no more. */
		for (whole = text.len; !end && whole && text.buf[whole - 1] != '\n'; whole--)
			;
		if (!whole || (!end && tsh_lexer_unfinished(text.buf, whole)))
			continue;
		input.text = text.buf;
		input.len = whole;
		carry_on = tsh_run_input(e, &input);
		for (i = 0; i < whole; i++)
			input.first_line += text.buf[i] == '\n';
		memmove(text.buf, text.buf + whole, text.len - whole + 1);
		text.len -= whole;
	}
	tsh_strbuf_release(&text);
	return carry_on && !e->session.aborted;
}
