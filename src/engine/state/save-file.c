/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "save-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/utf8.h"
#include "base/xmalloc.h"

/* Limits the file, in bytes, as batch files are limited. */
#define FILE_MAX (16u << 20)

/* Writes the text and closes the descriptor. Returns 0 or -errno. */
static int write_and_close(int fd, const char *text, size_t len)
{
	int r = tsh_write_all(fd, text, len);

	if (close(fd) < 0 && !r && errno != EINTR)
		r = -errno;
	return r;
}

static int cannot_write(struct tsh_err *err, const char *path, int number)
{
	if (number == ELOOP) {
		tsh_err_set(err, TSH_FAILED, "'%s' leads through a symbolic link of another user", path);
		tsh_err_hint(err, "name the folder that it leads to");
		return -1;
	}
	tsh_err_path(err, number, "write", path);
	err->status = TSH_FAILED;
	return -1;
}

/* Creates a file that must not exist. Returns 0 or -errno. */
static int make_file(int folder, const char *name, const char *text, size_t len)
{
	int fd = tsh_create_beneath(folder, name), r;

	if (fd < 0)
		return fd;
	r = write_and_close(fd, text, len);
	if (r < 0)
		(void)tsh_unlink_beneath(folder, name);
	return r;
}

/* Refuses to replace anything but a regular file: root could replace a device, too. */
static int check_replaced(int folder, const char *name, const char *path, struct tsh_err *err)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || S_ISREG(st.st_mode))
		return 0;
	tsh_err_set(err, TSH_FAILED, "'%s' is %s", path, tsh_kind_name(st.st_mode));
	tsh_err_hint(err, S_ISLNK(st.st_mode) ? "name the file that it leads to" :
		     S_ISDIR(st.st_mode) ? "save writes a file: give a name in it" :
					   "save replaces only regular files; for a program: save | PROGRAM");
	return -1;
}

int tsh_save_file(const char *path, const char *text, size_t len, bool replace,
		  struct tsh_err *err)
{
	char *name, *word;
	int folder = tsh_open_parent(path, &name), r;

	if (folder < 0)
		return cannot_write(err, path, -folder);
	if (check_replaced(folder, name, path, err) < 0)
		r = 1;
	else
		r = replace ? tsh_replace_beneath(folder, name, text, len) :
			      make_file(folder, name, text, len);
	close(folder);
	free(name);
	if (r == -EEXIST) {
		tsh_err_set(err, TSH_FAILED, "'%s' exists already", path);
		word = tsh_typed_word(path);
		tsh_err_hint(err, "save -f%s%s replaces it", *word == '$' ? "" : " ",
			     *word == '$' ? "" : word);
		free(word);
	} else if (r < 0) {
		cannot_write(err, path, -r);
	}
	return r ? -1 : 0;
}

/* Reads as tsh_strbuf_read does, but waits for a slow pipe or terminal. Returns -ECANCELED when a
 * signal ends the wait. */
static int read_all(const struct tsh_waiter *waiter, int fd, struct tsh_strbuf *ret)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t n;

	for (;;) {
		enum tsh_wait_result result = tsh_wait(waiter, &pfd, 1, -1);

		if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
			return -ECANCELED;
		tsh_strbuf_grow(ret, 4096);
		n = read(fd, ret->buf + ret->len, ret->cap - ret->len - 1);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		ret->len += (size_t)n;
		ret->buf[ret->len] = '\0';
		if (ret->len > FILE_MAX)
			return -EFBIG;
	}
}

int tsh_save_file_read(const struct tsh_waiter *waiter, const char *path, struct tsh_strbuf *ret,
		  struct tsh_err *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO :
			    tsh_open_linked(path, O_RDONLY | O_NONBLOCK);
	int r = fd < 0 ? fd : read_all(waiter, fd, ret);

	if (fd >= 0 && !is_stdin)
		close(fd);
	if (!r && !memchr(ret->buf, '\0', ret->len))
		return 0;
	if (r == -EFBIG)
		tsh_err_set(err, TSH_USAGE, "'%s' is larger than 16 MB", path);
	else if (!r)
		tsh_err_set(err, TSH_USAGE, "'%s' is not a file that save has written", path);
	else
		tsh_err_path(err, r, "read", path);
	err->status = TSH_USAGE;
	return -1;
}
