/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "state-dir.h"
#include "tracesh/clock.h"
#include "tracesh/cmd.h"
#include "tracesh/now.h"
#include "tracesh/number.h"
#include "tracesh/safe-file.h"
#include "tracesh/record.h"
#include "tracesh/utf8.h"
#include "util.h"

/* Events that nobody has read yet, before their buffer is erased: a recording of them. */

#define RESCUE_BYTES (UINT64_C(16) << 20)
#define RECORDINGS_BYTES (8 * RESCUE_BYTES)
#define NOTICES ".notices"
#define NOTICES_MAX 16384

/* ---- older recordings ---- */

static uint64_t bytes_of(int parent, const char *name, unsigned int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	if (!d && fd >= 0)
		close(fd);
	while (d && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		bytes += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode) && depth)
			bytes += bytes_of(fd, entry->d_name, depth - 1);
	}
	if (d)
		closedir(d);
	return bytes;
}

/*
 * Makes room for another one. Their names begin with the time: the first ones are the
 * oldest. Small ones do not drive a large one out.
 */
static void drop_oldest(struct tsh_session *s, const char *folder)
{
	int fd = tsh_open_file(folder, O_RDONLY | O_DIRECTORY, 0);
	uint64_t *sizes, bytes = RESCUE_BYTES;
	struct tsh_strlist names = { 0 };
	const struct dirent *entry;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t i;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			tsh_strlist_add(&names, entry->d_name);
	tsh_strlist_sort(&names);
	sizes = tsh_xcalloc(names.n + 1, sizeof(*sizes));
	for (i = 0; i < names.n; i++) {
		sizes[i] = bytes_of(fd, names.v[i], 8);
		bytes += sizes[i];
	}
	for (i = 0; i < names.n && bytes > RECORDINGS_BYTES; i++) {
		bytes -= sizes[i];
		(void)tsh_remove_beneath(fd, names.v[i]);
		tsh_out_note(s->out, "the oldest recording in %s is dropped: %s", folder,
			     names.v[i]);
	}
	free(sizes);
	if (d)
		closedir(d);
	tsh_strlist_release(&names);
}

/* ---- a new one ---- */

static char *new_path(struct tsh_session *s, const struct tsh_instance *in, struct tsh_err *err)
{
	char *folder = tsh_state_dir("rescued", err), *path;
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	const char *t;

	if (!folder)
		return NULL;
	drop_oldest(s, folder);
	/* 2024-01-02T22:47:33.843825123Z: 20240102T224733Z-843, in a name */
	tsh_time_utc(&now, tsh_now_ns(CLOCK_REALTIME));
	t = now.buf;
	path = tsh_xasprintf("%s/%.4s%.2s%.5s%.2s%.2sZ-%.3s-%s", folder, t, t + 5, t + 8, t + 14,
			     t + 17, t + 20, tsh_instance_label(in));
	tsh_strbuf_release(&now);
	free(folder);
	return path;
}

static int record(struct tsh_session *s, struct tsh_instance *in, const char *path,
		  struct tsh_record_summary *ret, struct tsh_err *err)
{
	struct tsh_record_options opt = {
		.waiter = s->waiter, .in = in, .path = path, .max_bytes = RESCUE_BYTES,
	};
	struct tsh_recorder *r;
	int result;

	if (tsh_recorder_open(&opt, &r, err) < 0)
		return -1;
	result = tsh_recorder_finish(r, true, ret, err);
	tsh_recorder_free(r);
	return result;
}

/* For the next session to print: nobody reads what this one prints. */
static void leave_notice(const char *text)
{
	struct tsh_err ignored = { 0 };
	char *path = tsh_state_dir("rescued", &ignored);
	int folder = path ? tsh_open_folder(path, false) : -1, fd = -1;

	tsh_err_release(&ignored);
	free(path);
	if (folder >= 0)
		fd = openat(folder, NOTICES, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW |
						     O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0) {
		if (tsh_write_all(fd, text, strlen(text)) < 0)
			(void)unlinkat(folder, NOTICES, 0);
		close(fd);
	}
	if (folder >= 0)
		close(folder);
}

void tsh_cmd_note_rescued(struct tsh_session *s)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	char *path = tsh_state_path("rescued");
	int folder = path ? tsh_open_folder(path, false) : -1, fd = -1;
	size_t i;

	free(path);
	if (folder < 0)
		return;
	fd = tsh_open_regular_beneath(folder, NOTICES);
	if (fd >= 0) {
		(void)tsh_strbuf_read(&text, fd, NOTICES_MAX);
		close(fd);
		tsh_strlist_split_lines(&lines, text.buf);
		for (i = 0; i < lines.n; i++)
			tsh_out_note(s->out, "%s", lines.v[i]);
		/* Said once; a session under -q or a batch says it, too. */
		if (!s->read_only)
			(void)unlinkat(folder, NOTICES, 0);
	}
	close(folder);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&text);
}

static void note_rescued(struct tsh_session *s, const struct tsh_instance *in, const char *path,
			 const struct tsh_record_summary *sum)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *word = tsh_typed_word(path);

	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " unread event%s of '%s' %s saved", tsh_plural(sum->events),
			tsh_instance_label(in), sum->events == 1 ? "is" : "are");
	if (sum->overwritten) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(sum->overwritten, &text);
		tsh_strbuf_adds(&text, " older ones did not fit");
	}
	tsh_strbuf_addf(&text, "; read them with: tracesh --tracefs %s drain", word);
	free(word);
	tsh_out_warn(s->out, "%s", text.buf);
	if (s->unattended) {
		tsh_strbuf_addc(&text, '\n');
		leave_notice(text.buf);
	}
	tsh_strbuf_release(&text);
}

uint64_t tsh_cmd_unread(const struct tsh_session *s)
{
	return tsh_cmd_entries(s->in) + tsh_cmd_session_pending(s);
}

static char *cannot_save(const struct tsh_instance *in, uint64_t unread,
			 const struct tsh_err *err)
{
	struct tsh_strbuf why = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&why, "it would erase %llu unread event%s, which cannot be saved: %s "
			"(XDG_STATE_HOME names another folder; clear gives them up",
			(unsigned long long)unread, tsh_plural(unread), err->message);
	if (in->name)
		tsh_strbuf_addf(&why, ", instance delete %s all of it", in->name);
	tsh_strbuf_addc(&why, ')');
	return tsh_strbuf_detach(&why);
}

int tsh_cmd_rescue(struct tsh_session *s, struct tsh_instance *in, char **why)
{
	struct tsh_record_summary sum;
	struct tsh_err err = { 0 };
	uint64_t unread;
	char *path;
	int r = -1;

	if (in->own)
		return 0;
	if (!tsh_cmd_count_entries(in, &unread)) {
		*why = tsh_xstrdup("it would erase events, and how many cannot be read");
		return -1;
	}
	if (!unread)
		return 0;
	path = new_path(s, in, &err);
	if (path)
		r = record(s, in, path, &sum, &err);
	if (!r)
		note_rescued(s, in, path, &sum);
	else
		*why = cannot_save(in, unread, &err);
	tsh_err_release(&err);
	free(path);
	return r;
}
