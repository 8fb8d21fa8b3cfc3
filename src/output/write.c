/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "output.h"
#include "writer.h"

/* Writes what is buffered, with and without waiting. */

static bool wait_writable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	/* ignores errors: the next write reports them */
	return poll(&p, 1, timeout_ms) != 0;
}

/* Handles the result of write(2) for the rest from `done` on. Returns false when no more can be
 * written at the moment. */
static bool note_result(struct tsh_out *out, ssize_t n, size_t *done)
{
	if (n > 0) {
		*done += (size_t)n;
		out->bytes += (uint64_t)n;
	} else if (n == 0) {
		out->error = EIO; /* unexpected: without this, the loop might never end */
	} else if (errno == EPIPE) {
		out->closed = true;
	} else if (errno == EAGAIN) {
		return false;
	} else if (errno != EINTR) {
		out->error = errno;
	}
	return true;
}

/* ---- ends of events in the buffer ---- */

/* Removes the ends of events that are completely written. */
static void forget_ends(struct tsh_out *out, uint64_t written)
{
	size_t n = 0;

	while (n < out->ends.n && out->ends.v[n] <= written)
		n++;
	out->ends.n -= n;
	if (n && out->ends.n)
		memmove(out->ends.v, out->ends.v + n, out->ends.n * sizeof(*out->ends.v));
}

/* ---- writing by a second thread ---- */

/* Is the buffer size from which the second thread is used: waking it takes as long as writing
 * some KB. */
#define FULL_OF_WRITER 262144

/* Passes the buffer to the second thread, and empties it. */
static void hand_over(struct tsh_out *out)
{
	uint64_t written;
	int error;

	out->queued += out->data.len;
	error = tsh_writer_append(out->writer, &out->data, &written);
	forget_ends(out, out->bytes + written);
	if (error)
		out->error = error;
}

/* Waits until everything is written, and ends the second thread. */
static void end_writer(struct tsh_out *out)
{
	uint64_t bytes;
	int error;

	if (!out->writer)
		return;
	error = tsh_writer_end(out->writer, &bytes);
	out->writer = NULL;
	out->full = TSH_OUT_FULL;
	out->bytes += bytes;
	out->queued = 0;
	if (error)
		out->error = error;
}

void tsh_out_drop_buffered(struct tsh_out *out)
{
	end_writer(out);
	forget_ends(out, out->bytes);
	out->unprinted += out->ends.n;
	out->ends.n = 0;
	tsh_strbuf_clear(&out->data);
}

/* Starts the second thread when a whole buffer is full: more may come. */
static void start_writer(struct tsh_out *out)
{
	if (out->write || out->writer || out->is_single_threaded || out->error)
		return;
	if (tsh_writer_is_useful(out->fd))
		out->writer = tsh_writer_start(out->fd);
	out->is_single_threaded = !out->writer;
	if (!out->writer)
		return;
	out->full = FULL_OF_WRITER;
	if (out->begun)
		out->begun(out->begun_ctx, tsh_writer_tid(out->writer));
}

void tsh_out_append(struct tsh_out *out, struct tsh_out *from)
{
	uint64_t before = out->bytes + out->queued + out->data.len;
	size_t i;

	for (i = 0; i < from->ends.n; i++) {
		if (out->error)
			out->unprinted++;
		else
			*tsh_vec_push(&out->ends) = before + from->ends.v[i];
	}
	from->ends.n = 0;
	if (!out->data.len) {
		struct tsh_strbuf swap = out->data;

		out->data = from->data;
		from->data = swap;
	} else {
		tsh_strbuf_add(&out->data, from->data.buf, from->data.len);
	}
	tsh_strbuf_clear(&from->data);
	tsh_out_flush_if_full(out);
}

/* ---- in a hurry ---- */

void tsh_out_begin_nonblocking(struct tsh_out *out)
{
	struct stat st;
	char path[32];

	if (out->write || out->nonblocking.is_on || fstat(out->fd, &st) < 0)
		return;
	/* a file, or /dev/null, never blocks */
	if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode) && !out->is_terminal)
		return;
	out->nonblocking.is_on = true;
	out->nonblocking.fd = out->fd;
	out->nonblocking.is_socket = S_ISSOCK(st.st_mode);
	out->nonblocking.piece = SIZE_MAX;
	if (out->nonblocking.is_socket || (fcntl(out->fd, F_GETFL) & O_NONBLOCK))
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
	out->nonblocking.fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (out->nonblocking.fd < 0) {
		out->nonblocking.fd = out->fd;
		/* poll(2) promises that much for a pipe; for a terminal some bytes */
		out->nonblocking.piece = S_ISFIFO(st.st_mode) ? PIPE_BUF : 256;
	}
}

#define CUTS_LINES (NOFLSH | ECHO)

/* Replaces the modes of CUTS_LINES by *modes, which then has the old ones. Returns false when they
 * are the same, or when the terminal is not ours at the moment: setting its modes would stop us. */
static bool swap_modes(int fd, unsigned int *modes)
{
	struct termios now;
	unsigned int before;

	if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &now) < 0)
		return false;
	before = now.c_lflag & CUTS_LINES;
	if (before == *modes)
		return false;
	now.c_lflag = (now.c_lflag & ~(tcflag_t)CUTS_LINES) | *modes;
	*modes = before;
	return tcsetattr(fd, TCSANOW, &now) == 0;
}

void tsh_out_begin_live(struct tsh_out *out)
{
	bool is_data = out->format == TSH_FORMAT_JSON || out->format == TSH_FORMAT_CSV;
	int size = out->nonblocking.is_on ? fcntl(out->fd, F_GETPIPE_SZ) : -1;

	/* asks for less than a page, and gets one page */
	if (size > 0 && fcntl(out->fd, F_SETPIPE_SZ, 1) >= 0)
		out->nonblocking.pipe_size = size;
	out->nonblocking.modes = NOFLSH;
	if (out->nonblocking.is_on && out->is_terminal && is_data)
		out->nonblocking.keeps_lines = swap_modes(out->fd, &out->nonblocking.modes);
}

void tsh_out_end_live(struct tsh_out *out)
{
	if (out->nonblocking.pipe_size)
		(void)fcntl(out->fd, F_SETPIPE_SZ, out->nonblocking.pipe_size);
	if (out->nonblocking.keeps_lines)
		swap_modes(out->fd, &out->nonblocking.modes);
	out->nonblocking.pipe_size = 0;
	out->nonblocking.keeps_lines = false;
	if (out->nonblocking.is_on && out->nonblocking.fd != out->fd)
		close(out->nonblocking.fd);
	out->nonblocking.fd = -1;
	out->nonblocking.is_on = false;
}

int tsh_out_poll_fd(const struct tsh_out *out)
{
	return out->nonblocking.is_on ? out->nonblocking.fd : out->fd;
}

static ssize_t write_now(struct tsh_out *out, const char *text, size_t len)
{
	bool asks_first = out->nonblocking.piece != SIZE_MAX;

	if (out->nonblocking.is_socket)
		return send(out->nonblocking.fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (asks_first && !wait_writable(out->nonblocking.fd, 0)) {
		errno = EAGAIN;
		return -1;
	}
	return write(out->nonblocking.fd, text, len < out->nonblocking.piece ? len : out->nonblocking.piece);
}

/* ---- with waiting ---- */

/* Waits for room. Returns false for a signal. Does not simply block in write(2): a slow reader
 * may never go on, and signals would not be noticed. */
static bool wait_for_room(const struct tsh_out *out)
{
	struct pollfd p = { .fd = tsh_out_poll_fd(out), .events = POLLOUT };
	enum tsh_wait_result result;

	if (!out->waiter)
		return wait_writable(p.fd, -1);
	result = tsh_wait(out->waiter, &p, 1, -1);
	return result != TSH_WAIT_STOP && result != TSH_WAIT_ABORT;
}

static ssize_t write_some(struct tsh_out *out, const char *text, size_t len)
{
	if (out->write)
		return out->write(out->write_ctx, text, len);
	return out->nonblocking.is_on ? write_now(out, text, len) : write(out->fd, text, len);
}

void tsh_out_begin(struct tsh_out *out)
{
	/* only a regular file has content to lose */
	if (out->has_old_content && ftruncate(out->fd, 0) < 0 && errno != EINVAL && !out->error)
		out->error = errno;
	out->has_old_content = false;
}

int tsh_out_flush(struct tsh_out *out)
{
	bool calm = !out->nonblocking.is_on;
	size_t done = 0;

	if (out->data.len)
		tsh_out_begin(out);
	end_writer(out);
	if (out->waiter && out->data.len && !out->closed && !out->error)
		tsh_out_begin_nonblocking(out);
	while (done < out->data.len && !out->closed && !out->error) {
		ssize_t n = write_some(out, out->data.buf + done, out->data.len - done);

		if (!note_result(out, n, &done) && !wait_for_room(out))
			out->closed = true;
	}
	if (calm)
		tsh_out_end_live(out);
	tsh_out_drop_buffered(out);
	return -out->error;
}

/* ---- without waiting ---- */

size_t tsh_out_write_some(struct tsh_out *out)
{
	size_t done = 0;

	if (out->data.len)
		tsh_out_begin(out);
	if (!out->nonblocking.is_on) {
		if (out->writer && !out->error)
			hand_over(out);
		else
			(void)tsh_out_flush(out);
		return 0;
	}
	while (done < out->data.len && !out->closed && !out->error) {
		ssize_t n = write_now(out, out->data.buf + done, out->data.len - done);

		if (!note_result(out, n, &done))
			break;
	}
	tsh_strbuf_remove(&out->data, done);
	forget_ends(out, out->bytes);
	if (out->closed || out->error)
		tsh_out_drop_buffered(out);
	return out->data.len;
}

bool tsh_out_check_reader(struct tsh_out *out)
{
	struct pollfd p = { .fd = out->fd };

	/* poll(2) always reports these two */
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)))
		out->closed = true;
	return out->closed;
}

int tsh_out_flush_full_(struct tsh_out *out)
{
	start_writer(out);
	(void)tsh_out_write_some(out);
	return -out->error;
}
