/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/utf8.h"
#include "help/recipe-files.h"
#include "output/output-file.h"

#define BATCH_FILE_MAX (16u << 20)

/* Reads a pipe to its end. Returns 0 or -errno; -ECANCELED for a signal. */
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
	/* removes a byte order mark, which some editors write */
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

/* Reads from the descriptor, and runs commands as soon as they are complete. */
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
		/* complete lines; a '\' or a quote must not continue the last one */
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

/* Opens a file; if there is none of that name, a recipe. Returns the descriptor, or -errno. */
static int open_batch(struct tsh_engine *e, const char *path)
{
	/* does not wait here for the writer of a pipe: tsh_batch_read does */
	int flags = O_RDONLY | O_NONBLOCK, fd = tsh_open_linked(path, flags);
	char *recipe = fd >= 0 || fd == -ENOENT ? tsh_recipe_path(path) : NULL;

	if (fd < 0 && recipe)
		fd = tsh_open_linked(recipe, flags);
	else if (recipe && !e->syntax_only)
		tsh_out_note(&e->out, "'%s' is run from this folder; the recipe of that name is %s", path,
			     recipe);
	free(recipe);
	return fd;
}

/* Checks that a device is our stdin, our terminal or /dev/null. */
static bool is_own_device(int fd, const struct stat *st)
{
	struct stat in;

	if (!S_ISCHR(st->st_mode))
		return false;
	return st->st_rdev == makedev(1, 3) || tcgetsid(fd) == getsid(0) ||
	       (!fstat(STDIN_FILENO, &in) && S_ISCHR(in.st_mode) && in.st_rdev == st->st_rdev);
}

/* Refuses a file that others can write to, because others could then run commands as our user. */
static int check_writers(int fd, const struct stat *st, const char *path, struct tsh_err *err)
{
	bool is_file = S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode);
	char *word;

	if (S_ISDIR(st->st_mode) || (is_file && tsh_is_trusted(fd, st) && !tsh_is_on_proc(fd)) ||
	    (!is_file && is_own_device(fd, st)))
		return 0;
	word = tsh_typed_word(path);
	tsh_err_set(err, TSH_FAILED, "'%s' is not read: others may write to it", path);
	if (is_file && tsh_is_owned(st) && !tsh_is_on_proc(fd))
		tsh_err_hint(err, "chmod go-w %s", word);
	else if (S_ISREG(st->st_mode))
		tsh_err_hint(err, "run a copy of your own, and read it first: cp -i %s ~/", word);
	else
		tsh_err_hint(err, "name a file of your own in its place");
	free(word);
	return -1;
}

static int cannot_open(int number, const char *path, struct tsh_err *err)
{
	if (number == ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' leads through a symbolic link of another user", path);
		tsh_err_hint(err, "name the file that it leads to");
		return -1;
	}
	tsh_err_path(err, number, "open", path);
	err->status = TSH_USAGE;
	return -1;
}

int tsh_batch_read_path(struct tsh_engine *e, const char *path, struct tsh_input *input, struct tsh_strbuf *ret,
			struct tsh_err *err)
{
	int fd = open_batch(e, path), r;
	struct stat st;

	if (fd < 0)
		return cannot_open(-fd, path, err);
	if (fstat(fd, &st) < 0)
		r = cannot_open(errno, path, err);
	else
		r = check_writers(fd, &st, path, err);
	if (!r)
		r = tsh_output_check(e->session.out->fd, &st, path, err);
	if (!r) {
		input->device = st.st_dev;
		input->inode = st.st_ino;
		r = tsh_batch_read(fd, path, S_ISREG(st.st_mode) ? NULL : &e->loop->strict, ret,
				   err);
	}
	close(fd);
	return r;
}
