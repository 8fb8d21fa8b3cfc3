/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "base/number.h"
#include "base/safe-file.h"
#include "base/utf8.h"
#include "session.h"
#include "erasing.h"
#include "events/clock/clock.h"
#include "events/recording/record.h"
#include "state-dir.h"
#include "util.h"

/* Saves unread events as a recording before their buffer is erased. */

#define RESCUE_BYTES (UINT64_C(16) << 20)
#define RECORDINGS_BYTES (8 * RESCUE_BYTES)
#define NOTICES ".notices"
#define NOTICES_MAX 16384		/* bytes of notices that one session prints */
#define NOTICES_FILE_MAX (1u << 20)

/* ---- older recordings ---- */

static uint64_t bytes_of(int parent, const char *name, unsigned int depth)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	/* Counts a file, which is the text of a snapshot. */
	if (fd < 0 && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		bytes = (uint64_t)st.st_blocks * 512;
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
 * Removes the oldest recordings to make room for another one. Their names begin with the time, so
 * the first ones are the oldest. The limit is in bytes, so that many small recordings do not push
 * out a large one.
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
		int r = tsh_remove_beneath(fd, names.v[i]);

		bytes -= sizes[i];
		if (r < 0)
			tsh_out_warn(s->out, "the oldest recording in %s cannot be removed: %s: %s", folder, names.v[i],
				     strerror(-r));
		else
			tsh_out_note(s->out, "the oldest recording in %s is dropped: %s", folder, names.v[i]);
	}
	free(sizes);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	tsh_strlist_release(&names);
}

/* ---- a new one ---- */

/* Makes room, and returns the path of a new recording, which the caller frees; NULL with err.
 * suffix: the end of its name. */
static char *new_path(struct tsh_session *s, const struct tsh_instance *in, const char *suffix, struct tsh_err *err)
{
	char *folder = tsh_state_dir("rescued", err), *path;
	struct tsh_strbuf now = TSH_STRBUF_INIT;
	const char *t;

	if (!folder)
		return NULL;
	drop_oldest(s, folder);
	/* Turns 2024-01-02T22:47:33.843825123Z into 20240102T224733Z-843, for the name. */
	tsh_time_utc(&now, tsh_now_ns(CLOCK_REALTIME));
	t = now.buf;
	path = tsh_xasprintf("%s/%.4s%.2s%.5s%.2s%.2sZ-%.3s-%s%s", folder, t, t + 5, t + 8, t + 14,
			     t + 17, t + 20, tsh_instance_label(in), suffix);
	tsh_strbuf_release(&now);
	free(folder);
	return path;
}

static int record(struct tsh_session *s, struct tsh_instance *in, const char *path,
		  struct tsh_record_summary *ret, struct tsh_err *err)
{
	struct tsh_record_options opt = {
		.waiter = s->waiter, .in = in, .path = path, .max_bytes = RESCUE_BYTES,
		.whole = true,
	};
	struct tsh_recorder *r;
	int result;

	if (tsh_recorder_open(&opt, &r, err) < 0)
		return -1;
	result = tsh_recorder_finish(r, true, ret, err);
	tsh_recorder_free(r);
	return result;
}

/* Stores a text for the next session to print, because nobody reads what this one prints. */
static void store_notice(const char *text)
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

/* Prints the first notices, whole lines of at most NOTICES_MAX bytes, but at least one. Returns the
 * rest of the text. */
static const char *print_notices(struct tsh_session *s, const char *text)
{
	const char *line = text;
	size_t len;

	for (; *line && (line == text || (size_t)(line - text) + strcspn(line, "\n") < NOTICES_MAX);
	     line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (len)
			tsh_out_note(s->out, "from an earlier session: %.*s", (int)len, line);
	}
	return line;
}

static void note_rest(struct tsh_session *s, const char *rest)
{
	size_t n = 0;

	for (; rest && *rest; n++) {
		rest = strchr(rest, '\n');
		rest = rest ? rest + 1 : NULL;
	}
	tsh_out_note(s->out, "the next session prints %zu more note%s of earlier ones", n, tsh_plural(n));
}

/* Removes the notices that were printed, so that only one session prints them; a session under -q
 * or a batch counts, too. */
static void remove_notices(int folder, const char *rest)
{
	if (!*rest || tsh_replace_beneath(folder, NOTICES, rest, strlen(rest)) < 0)
		(void)unlinkat(folder, NOTICES, 0);
}

void tsh_cmd_note_rescued(struct tsh_session *s)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_state_path("rescued");
	int folder = path ? tsh_open_folder(path, false) : -1, fd = -1;
	const char *rest;

	free(path);
	if (folder < 0)
		return;
	fd = tsh_open_regular_beneath(folder, NOTICES);
	if (fd >= 0) {
		/* Drops half a line at the limit. */
		if (tsh_strbuf_read(&text, fd, NOTICES_FILE_MAX) == -EFBIG)
			while (text.len && text.buf[text.len - 1] != '\n')
				tsh_strbuf_truncate(&text, text.len - 1);
		close(fd);
		rest = text.len ? print_notices(s, text.buf) : "";
		if (*rest)
			note_rest(s, rest);
		if (!s->read_only)
			remove_notices(folder, rest);
	}
	close(folder);
	tsh_strbuf_release(&text);
}

void tsh_cmd_warn_or_store(struct tsh_session *s, struct tsh_strbuf *text)
{
	tsh_out_warn(s->out, "%s", text->buf);
	if (s->unattended) {
		tsh_strbuf_addc(text, '\n');
		store_notice(text->buf);
	}
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
	if (sum->lost) {
		tsh_strbuf_adds(&text, ", ");
		tsh_format_count(sum->lost, &text);
		tsh_strbuf_adds(&text, " could not be written");
	}
	tsh_strbuf_addf(&text, "; read them with: tracesh --tracefs %s drain", word);
	free(word);
	tsh_cmd_warn_or_store(s, &text);
	tsh_strbuf_release(&text);
}

uint64_t tsh_cmd_count_unread(const struct tsh_session *s)
{
	return tsh_cmd_entries(s->in) + tsh_cmd_session_pending(s);
}

/* Returns the reason why events cannot be saved, which the caller frees. kind: "unread event". */
static char *cannot_save(const struct tsh_instance *in, uint64_t n, const char *kind, const struct tsh_err *err)
{
	struct tsh_strbuf why = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&why, "this would erase %llu %s%s, which cannot be saved: %s (set XDG_STATE_HOME to another "
			"folder, or erase them yourself: %s", (unsigned long long)n, kind, tsh_plural(n), err->message,
			strcmp(kind, "unread event") ? "snapshot clear" : "clear");
	if (in->name)
		tsh_strbuf_addf(&why, " or instance delete %s", in->name);
	tsh_strbuf_addc(&why, ')');
	return tsh_strbuf_detach(&why);
}

static int rescue_buffer(struct tsh_session *s, struct tsh_instance *in, char **why)
{
	struct tsh_record_summary sum = { 0 };
	struct tsh_err err = { 0 };
	uint64_t unread;
	char *path;
	int r = -1;

	if (!tsh_cmd_count_entries(in, &unread)) {
		*why = tsh_xstrdup("this would erase events, and their number cannot be read");
		return -1;
	}
	if (!unread)
		return 0;
	path = new_path(s, in, "", &err);
	if (path)
		r = record(s, in, path, &sum, &err);
	/* Reports events that were saved before an error, as that of a full disk: no buffer has
	 * them any more. */
	if (!r || sum.events || sum.lost)
		note_rescued(s, in, path, &sum);
	if (r) {
		(void)tsh_cmd_count_entries(in, &unread);
		*why = cannot_save(in, unread, "unread event", &err);
	}
	tsh_err_release(&err);
	free(path);
	return r;
}

/* ---- the snapshot ---- */

/* Reads a text, or its last RESCUE_BYTES from the start of a line on. *ret_cut: the text is longer.
 * Returns 0 or -errno. */
static int read_end(int fd, struct tsh_strbuf *out, bool *ret_cut)
{
	char chunk[16384];
	const char *line;
	ssize_t n;

	*ret_cut = false;
	while ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)) {
		tsh_strbuf_add(out, chunk, n > 0 ? (size_t)n : 0);
		if (out->len > 2 * RESCUE_BYTES) {
			tsh_strbuf_remove(out, out->len - RESCUE_BYTES);
			*ret_cut = true;
		}
	}
	if (n < 0)
		return -errno;
	*ret_cut |= out->len > RESCUE_BYTES;
	if (out->len > RESCUE_BYTES)
		tsh_strbuf_remove(out, out->len - RESCUE_BYTES);
	line = *ret_cut ? strchr(out->buf, '\n') : NULL;
	if (line)
		tsh_strbuf_remove(out, (size_t)(line + 1 - out->buf));
	return 0;
}

static int save_text(struct tsh_instance *in, const char *path, bool *ret_cut, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int from = tsh_file_open(in, "snapshot", 0), to = -1, r = from < 0 ? from : read_end(from, &text, ret_cut);

	if (from >= 0)
		close(from);
	if (r < 0) {
		tsh_strbuf_release(&text);
		return tsh_err_errno(err, -r, "cannot read the snapshot");
	}
	to = tsh_open_file(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	r = to < 0 ? to : tsh_write_all(to, text.buf, text.len);
	if (to >= 0 && close(to) < 0 && !r)
		r = -errno;
	if (r < 0 && to >= 0)
		(void)unlink(path);
	tsh_strbuf_release(&text);
	return r < 0 ? tsh_err_errno(err, -r, "cannot write '%s'", path) : 0;
}

static int rescue_snapshot(struct tsh_session *s, struct tsh_instance *in, char **why)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t held = tsh_snapshot_entries(in);
	bool cut = false;
	struct tsh_err err = { 0 };
	char *path, *word;
	int r = -1;

	if (!held)
		return 0;
	path = new_path(s, in, "-snapshot", &err);
	if (path)
		r = save_text(in, path, &cut, &err);
	if (!r) {
		word = tsh_typed_word(path);
		tsh_format_count(held, &text);
		tsh_strbuf_addf(&text, " event%s of the snapshot of '%s' %s saved%s as text; read them with: less %s",
				tsh_plural(held), tsh_instance_label(in), held == 1 ? "is" : "are",
				cut ? ", the last 16 MB of them," : "", word);
		tsh_cmd_warn_or_store(s, &text);
		free(word);
	} else {
		*why = cannot_save(in, held, "snapshot event", &err);
	}
	tsh_strbuf_release(&text);
	tsh_err_release(&err);
	free(path);
	return r;
}

int tsh_cmd_rescue(struct tsh_session *s, struct tsh_instance *in, unsigned int what, char **why)
{
	int r = 0;

	if (in->own)
		return 0;
	if (what & (TSH_ERASES_BUFFER | TSH_ERASES_SOME))
		r = rescue_buffer(s, in, why);
	if (!r && what & (TSH_ERASES_SNAPSHOT | TSH_ERASES_SNAPSHOT_SOME))
		r = rescue_snapshot(s, in, why);
	/* Warns of names that will be erased, because names cannot be saved. */
	if (what & TSH_ERASES_NAMES)
		tsh_cmd_note_names(s, "taking saved_cmdlines_size back erases", tsh_cmd_count_names(s));
	return r;
}
