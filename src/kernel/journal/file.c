/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/now.h"
#include "base/number.h"
#include "base/safe-file.h"

#define FILES_OF_UNDO 16	/* descriptors that undo needs at once, with that of the journal */

/* ---- creating it ---- */

/* Creates and locks the file. Returns a descriptor or -errno; the caller frees *ret_name. */
static int create_named(unsigned int place, char **ret_name)
{
	int dir = tsh_journal_dir_open(place, true), fd;
	struct stat st;
	char *name;

	if (dir < 0)
		return dir;
	name = tsh_xasprintf("%d-%" PRIu64 TSH_JOURNAL_SUFFIX, (int)getpid(), tsh_process_start(getpid()));
	fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    TSH_JOURNAL_NOT_BEGUN);
	if (fd < 0)
		fd = -errno;
	close(dir);
	/* recover may have removed it before it was locked */
	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || !st.st_nlink)) {
		close(fd);
		fd = -EBUSY;
	}
	if (fd < 0)
		free(name);
	else
		*ret_name = name;
	return fd;
}

/* Reports that records cannot be stored any more, and what a kill -9 would then leave; is called
 * before the setting is made that is not recorded. */
static void warn(struct tsh_journal *j, const char *what, int number)
{
	char *text;

	if (!j->hooks || !j->hooks->warn)
		return;
	text = tsh_xasprintf("%s%s%s; after a kill -9 of tracesh %s", what, number ? ": " : "",
			     number ? strerror(number) : "",
			     j->file->lost ? "nobody undoes its settings" :
			     "and its guard recover does not find their settings; other sessions do not see this one's");
	j->hooks->warn(j->hooks->ctx, text);
	free(text);
}

/* ---- records ---- */

/* Appends a field: a backslash and bytes below 0x20 become \xNN, NULL becomes \N. */
static void add_field(struct tsh_strbuf *line, const char *text)
{
	const char *p, *plain;

	tsh_strbuf_addc(line, '\t');
	if (!text) {
		tsh_strbuf_adds(line, "\\N");
		return;
	}
	for (p = plain = text; *p; p++) {
		if ((unsigned char)*p >= 0x20 && *p != '\\')
			continue;
		tsh_strbuf_add(line, plain, (size_t)(p - plain));
		tsh_strbuf_addf(line, "\\x%02x", (unsigned char)*p);
		plain = p + 1;
	}
	tsh_strbuf_add(line, plain, (size_t)(p - plain));
}

/* Appends the records in memory to the disk, if there is room by now. Says whether the disk has all
 * records. */
static bool is_on_disk(struct tsh_journal_file *file)
{
	struct tsh_journal_memory *memory = file->memory;
	struct tsh_strbuf lines = TSH_STRBUF_INIT;

	if (!file->disk.cut)
		return file->disk.fd >= 0;
	if (file->lost || tsh_journal_log_reserve(&file->disk, memory->len) < 0)
		return false;
	tsh_strbuf_add(&lines, memory->text, memory->len);
	tsh_journal_line(&lines, "whole", strlen("whole"));
	file->disk.cut = tsh_journal_log_append(&file->disk, &lines) < 0;
	if (!file->disk.cut)
		memory->len = 0;
	tsh_strbuf_release(&lines);
	return !file->disk.cut;
}

/* Appends the text of the file from offset `len` on to another one. Returns false when there is no
 * room. */
static bool copy_from(int fd, size_t len, struct tsh_journal_log *to)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, rest = TSH_STRBUF_INIT;
	bool good = !tsh_journal_read(fd, &text);

	if (good && text.len > len) {
		tsh_strbuf_add(&rest, text.buf + len, text.len - len);
		good = !tsh_journal_log_append(to, &rest);
	}
	tsh_strbuf_release(&rest);
	tsh_strbuf_release(&text);
	return good;
}

/* Removes a file. Returns 0, also when there is none, or -errno. */
static int unlink_named(unsigned int place, const char *name)
{
	int dir = tsh_journal_dir_open(place, false), r;

	if (dir < 0)
		return dir == -ENOENT ? 0 : dir;
	r = unlinkat(dir, name, 0) < 0 && errno != ENOENT ? -errno : 0;
	close(dir);
	return r;
}

/* Moves the journal to the next folder. The last record of the old file says so to the guard, which
 * has it open. Another session may append to the old file until it is unlinked. */
static bool move_on(struct tsh_journal_file *file)
{
	struct tsh_journal_log old = file->disk, log = { .fd = -1 };
	unsigned int place = file->place + 1;
	char *name, record[32];
	struct stat st;
	off_t copied;
	bool good;

	if (place == TSH_JOURNAL_PLACES || file->loaded || fstat(old.fd, &st) < 0)
		return false;
	log.fd = create_named(place, &name);
	if (log.fd < 0)
		return false;
	good = copy_from(old.fd, 0, &log) && !fchmod(log.fd, st.st_mode & 0777);
	copied = log.len;
	snprintf(record, sizeof(record), "moved\t%u", place);
	if (!good || tsh_journal_log_mark(&old, record) < 0) {
		/* The new file has no more than the old one, which is still used. */
		(void)unlink_named(place, name);
		close(log.fd);
		free(name);
		return false;
	}
	/* An old file that cannot be removed names the folder in which the journal goes on. */
	(void)unlink_named(file->place, file->name);
	if (!copy_from(old.fd, (size_t)copied, &log))
		(void)tsh_journal_log_mark(&log, "cut");
	close(old.fd);
	free(file->name);
	file->name = name;
	file->place = place;
	file->disk = log;
	return true;
}

int tsh_journal_open_moved(const struct tsh_journal_file *from)
{
	int dir = tsh_journal_dir_open(from->place + 1, false), fd, r = 0;

	if (dir < 0)
		return dir;
	fd = openat(dir, from->name, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		close(fd);
	close(dir);
	return r < 0 ? r : fd;
}

/* Appends what is wrong with a folder. Returns false when the folder is right. */
static bool add_wrong(unsigned int place, const char *before, struct tsh_strbuf *out)
{
	char *cure = NULL, *wrong = tsh_journal_dir_fault(place, &cure);

	if (wrong)
		tsh_strbuf_addf(out, "%s%s (%s)", before, wrong, cure);
	free(cure);
	free(wrong);
	return wrong != NULL;
}

static void warn_of_end(struct tsh_journal *j, int number)
{
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	unsigned int place;

	tsh_strbuf_addf(&what, "the journal's file ends here: %s%s", strerror(number),
			number == ENOSPC ? " (where: df /run /var/lib)" : "");
	for (place = j->file->place + 1; place < TSH_JOURNAL_PLACES; place++)
		(void)add_wrong(place, ", and ", &what);
	warn(j, what.buf, 0);
	tsh_strbuf_release(&what);
}

/* Stores lines on the disk or in memory. Returns false when they do not fit, which is reported; for
 * a loaded journal it is not reported. Returns true when records are lost already: then nothing
 * more is stored. */
static bool store_lines(struct tsh_journal *j, const struct tsh_strbuf *lines)
{
	struct tsh_journal_file *file = j->file;
	int r;

	if (is_on_disk(file)) {
		r = tsh_journal_log_append(&file->disk, lines);
		if (!r || file->loaded)
			return !r;
		if (move_on(file) && !tsh_journal_log_append(&file->disk, lines))
			return true;
		(void)tsh_journal_log_mark(&file->disk, "cut");
		file->disk.cut = true;
		file->lost |= !file->memory;
		warn_of_end(j, -r);
	}
	if (file->loaded)
		return false;
	if (file->lost || tsh_journal_memory_append(file->memory, lines))
		return true;
	file->lost = true;
	warn(j, "the journal in memory ends here, too", ENOSPC);
	return false;
}

static bool store_record(struct tsh_journal *j, const char *record, size_t len)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	bool good;

	tsh_journal_line(&line, record, len);
	good = store_lines(j, &line);
	tsh_strbuf_release(&line);
	return good;
}

/* Stores a record, and frees it; it has KIND and its fields. */
static void append_record(struct tsh_journal *j, struct tsh_strbuf *record)
{
	(void)store_record(j, record->buf, record->len);
	tsh_strbuf_release(record);
}

static void write_header(struct tsh_journal *j, const struct tsh_dir *dir)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;
	struct stat st = { 0 };
	char boot[40];

	tsh_boot_id(boot, sizeof(boot));
	(void)fstat(dir->fd, &st);
	tsh_strbuf_addf(&record, "tracesh-journal\t1\t%s\t%d\t%" PRIu64 "\t%" PRId64 "\t%" PRIu64,
			boot, (int)getpid(), tsh_process_start(getpid()),
			tsh_now_ns(CLOCK_REALTIME), (uint64_t)st.st_dev);
	append_record(j, &record);
}

bool tsh_journal_find_guard(struct tsh_journal *j)
{
	struct tsh_journal_file *file = j->file;

	if (j->hooks && j->hooks->begin && j->hooks->begin(j->hooks->ctx, file->disk.fd))
		return true;
	/* Frees the memory, which nobody would read. */
	tsh_journal_memory_free(file->memory);
	file->memory = NULL;
	if (!file->lost && (file->disk.fd < 0 || file->disk.cut)) {
		file->lost = true;
		warn(j, "no guard can be started", EAGAIN);
	}
	return false;
}

static void warn_of_folders(struct tsh_journal *j, int number)
{
	struct tsh_strbuf what = TSH_STRBUF_INIT;
	unsigned int place;

	if (!add_wrong(0, "no journal: ", &what))
		tsh_strbuf_addf(&what, "no journal in %s: %s", tsh_journal_folder(0), strerror(number));
	for (place = 1; place < TSH_JOURNAL_PLACES; place++)
		(void)add_wrong(place, ", and ", &what);
	warn(j, what.buf, 0);
	tsh_strbuf_release(&what);
}

/* Reports that the journals of other sessions in a folder that others can write to are not read. */
static void warn_of_unseen(struct tsh_journal *j)
{
	struct tsh_strbuf what = TSH_STRBUF_INIT;

	if (j->hooks && j->hooks->warn && add_wrong(0, "", &what)) {
		tsh_strbuf_adds(&what, ": settings of other sessions are not seen, and undo does not restore them in the right order");
		j->hooks->warn(j->hooks->ctx, what.buf);
	}
	tsh_strbuf_release(&what);
}

int tsh_journal_may_begin(const struct tsh_dir *dir, struct tsh_err *err)
{
	int fds[FILES_OF_UNDO], number;
	size_t n = 0, i;

	if (dir->journal->file)
		return 0;
	while (n < FILES_OF_UNDO && (fds[n] = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	number = errno;
	for (i = 0; i < n; i++)
		close(fds[i]);
	if (n == FILES_OF_UNDO)
		return 0;
	tsh_err_errno(err, number, "nothing is changed, because it could not be undone");
	tsh_err_hint(err, "allow more open files: ulimit -n 1024");
	return -1;
}

bool tsh_journal_file_open(struct tsh_journal *j, const struct tsh_dir *dir)
{
	struct tsh_journal_file *file;
	int first;

	if (j->file)
		return !j->file->lost;
	file = j->file = tsh_xcalloc(1, sizeof(*file));
	file->memory = tsh_journal_memory_new();
	first = file->disk.fd = create_named(0, &file->name);
	while (file->disk.fd < 0 && ++file->place < TSH_JOURNAL_PLACES)
		file->disk.fd = create_named(file->place, &file->name);
	file->lost = file->disk.fd < 0 && !file->memory;
	if (file->disk.fd < 0)
		warn_of_folders(j, -first);
	else if (first == -EPERM)
		warn_of_unseen(j);
	write_header(j, dir);
	if (file->disk.fd >= 0 && fchmod(file->disk.fd, 0600) < 0)
		warn(j, "the journal cannot be begun", errno);
	(void)tsh_journal_find_guard(j);
	return !file->lost;
}

void tsh_journal_file_close(struct tsh_journal_file *file, bool remove)
{
	if (!file)
		return;
	/* A file that stays is found by recover. */
	if (file->name && remove)
		(void)unlink_named(file->place, file->name);
	if (file->disk.fd >= 0)
		close(file->disk.fd);
	tsh_journal_memory_free(file->memory);
	free(file->name);
	free(file);
}

int tsh_journal_remove(struct tsh_journal *j, char **ret_path)
{
	struct tsh_journal_file *file = j->file;
	int r;

	*ret_path = NULL;
	if (!tsh_journal_has_file(j) || !tsh_journal_is_done(j))
		return 0;
	r = unlink_named(file->place, file->name);
	if (r < 0)
		*ret_path = tsh_xasprintf("%s/%s", tsh_journal_folder(file->place), file->name);
	free(file->name);
	file->name = NULL;
	return r < 0 ? r : 1;
}

char *tsh_journal_missing_text(const struct tsh_journal *j, bool given_up)
{
	const char *what = j->cut ? "incomplete: settings that were made after its end are not undone" :
				    "damaged: settings in its unreadable lines are not undone";

	if (!j->cut && !j->damaged)
		return NULL;
	if (!tsh_journal_has_file(j))
		return tsh_xstrdup(what);
	return tsh_xasprintf("%s; its file %s%s/%s%s", what, given_up ? "" : "is ",
			     tsh_journal_folder(j->file->place), j->file->name, given_up ? " is given up" : "");
}

void tsh_journal_file_append_command(struct tsh_journal *j, const struct tsh_journal_command *command)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "command\t%u\t%" PRId64, command->number, command->time);
	add_field(&record, command->text);
	append_record(j, &record);
}

static const char *const how[] = {
	[TSH_WRITE_SET] = "set", [TSH_WRITE_ADD] = "add", [TSH_WRITE_CLEAR] = "clear",
	[TSH_WRITE_LESS] = "less", [TSH_WRITE_EXPECTED] = "expected",
};

void tsh_journal_file_append_entry(struct tsh_journal *j, const struct tsh_journal_entry *entry)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "%s\t%u\t%u", entry->op == TSH_JOURNAL_MKDIR ? "mkdir" : "write",
			entry->number, entry->command);
	add_field(&record, entry->instance);
	if (entry->op == TSH_JOURNAL_MKDIR) {
		add_field(&record, entry->own ? "own" : "user");
	} else {
		add_field(&record, entry->path);
		add_field(&record, how[entry->how]);
		add_field(&record, entry->before);
		add_field(&record, entry->text);
		tsh_strbuf_addf(&record, "\t%" PRIu64, entry->identity);
	}
	tsh_strbuf_addf(&record, "\t%" PRId64, entry->at);
	append_record(j, &record);
}

/* Appends to the file of another session. */
int tsh_journal_append(int fd, const struct tsh_strbuf *lines)
{
	struct tsh_journal_log log = { .fd = fd };

	return tsh_journal_log_append(&log, lines);
}

int tsh_journal_reserve(int fd, size_t len)
{
	struct tsh_journal_log log = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	log.len = st.st_size;
	return st.st_nlink ? tsh_journal_log_reserve(&log, len) : -ENOENT;
}

void tsh_journal_inherit(struct tsh_strbuf *lines, unsigned int number, unsigned int over,
			 const struct tsh_journal_entry *entry)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "inherit\t%u\t%u", number, over);
	add_field(&record, entry->instance);
	add_field(&record, entry->path);
	add_field(&record, how[entry->how]);
	add_field(&record, entry->before);
	add_field(&record, entry->text);
	tsh_strbuf_addf(&record, "\t%" PRIu64 "\t%" PRId64, entry->identity, entry->at);
	add_field(&record, entry->after);
	tsh_journal_line(lines, record.buf, record.len);
	tsh_strbuf_release(&record);
}

void tsh_journal_amend(struct tsh_strbuf *lines, unsigned int number, const char *before, bool kept)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "amend\t%u", number);
	add_field(&record, before);
	if (kept)
		add_field(&record, "kept");
	tsh_journal_line(lines, record.buf, record.len);
	tsh_strbuf_release(&record);
}

void tsh_journal_append_forks(struct tsh_strbuf *lines, unsigned int number)
{
	char record[32];

	snprintf(record, sizeof(record), "forks\t%u\ttold", number);
	tsh_journal_line(lines, record, strlen(record));
}

void tsh_journal_file_append_done(struct tsh_journal *j, const struct tsh_journal_entry *entry)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "done\t%u", entry->number);
	if (entry->op == TSH_JOURNAL_MKDIR)
		tsh_strbuf_addf(&record, "\t%" PRIu64, entry->identity);
	else
		add_field(&record, entry->after);
	append_record(j, &record);
}

static bool append_number(struct tsh_journal *j, const char *kind, unsigned int number)
{
	char record[32];

	snprintf(record, sizeof(record), "%s\t%u", kind, number);
	return store_record(j, record, strlen(record));
}

void tsh_journal_append_gone(struct tsh_strbuf *lines, const unsigned int *numbers, size_t n, bool by_other)
{
	char record[32];
	size_t i;

	for (i = 0; i < n; i++) {
		snprintf(record, sizeof(record), "gone\t%u%s", numbers[i], by_other ? "\ttold" : "");
		tsh_journal_line(lines, record, strlen(record));
	}
}

void tsh_journal_file_append_gone(struct tsh_journal *j, const unsigned int *numbers, size_t n)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;
	bool said;

	tsh_journal_append_gone(&lines, numbers, n, false);
	said = store_lines(j, &lines);
	tsh_strbuf_release(&lines);
	j->file->lacks_gone |= j->file->loaded ? !said : j->file->disk.cut;
}

int tsh_journal_file_append_left(struct tsh_journal *j)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;
	size_t i;
	int r;

	if (!j->file || !j->file->lacks_gone)
		return 0;
	tsh_strbuf_adds(&record, "keep");
	for (i = 0; i < j->entries.n; i++)
		tsh_strbuf_addf(&record, "%c%u", i ? ' ' : '\t', j->entries.v[i].number);
	r = tsh_journal_log_mark(&j->file->disk, record.buf);
	j->file->lacks_gone = r < 0;
	tsh_strbuf_release(&record);
	return r;
}

void tsh_journal_file_append_back(struct tsh_journal *j, unsigned int number)
{
	(void)append_number(j, "back", number);
}

void tsh_journal_file_append_forks(struct tsh_journal *j, unsigned int number)
{
	(void)append_number(j, "forks", number);
}

int tsh_journal_file_commit(struct tsh_journal *j, const char *but)
{
	const struct tsh_journal_file *file = j->file;
	char *record = tsh_xasprintf("keep%s%s", *but ? "\t" : "", but);
	/* The guard undoes the records in memory, so a "keep" has to fit behind them. */
	int r = file->lost && file->memory && file->memory->len ? -ENOSPC : 0;

	if (!r && !store_record(j, record, strlen(record)))
		r = -ENOSPC;
	/* Marks the records before the cut as kept, too. */
	if (!r && file->disk.cut)
		r = tsh_journal_log_mark(&j->file->disk, record);
	free(record);
	return r;
}
