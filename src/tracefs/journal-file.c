/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tracesh/machine.h"
#include "tracesh/now.h"
#include "tracesh/number.h"

uint32_t tsh_crc32(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint32_t crc = ~0u;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

/* ---- making it ---- */

int tsh_journal_dir_open(bool create)
{
	struct stat st;
	int fd;

	if (create && mkdir(TSH_JOURNAL_DIR, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = open(TSH_JOURNAL_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* What is taken back by it is done as root: nobody else may have written it. */
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 077)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int tsh_journal_writable(void)
{
	int fd = tsh_journal_dir_open(false), r = fd < 0 ? fd : 0;
	struct statvfs fs;

	if (fd == -ENOENT)
		r = access(TSH_JOURNAL_PARENT, W_OK) < 0 ? -errno : 0;
	else if (fd >= 0 && faccessat(fd, ".", W_OK, 0) < 0)
		r = -errno;
	if (!r && !statvfs(fd < 0 ? TSH_JOURNAL_PARENT : TSH_JOURNAL_DIR, &fs) && !fs.f_bavail)
		r = -ENOSPC;
	if (fd >= 0)
		close(fd);
	return r;
}

static int create_named(char **ret_name)
{
	int dir = tsh_journal_dir_open(true), fd;
	char *name;

	if (dir < 0)
		return dir;
	name = tsh_xasprintf("%d-%" PRIu64 ".journal", (int)getpid(), tsh_process_start(getpid()));
	fd = openat(dir, name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = -errno;
	close(dir);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		fd = -EBUSY;
	}
	if (fd < 0)
		free(name);
	else
		*ret_name = name;
	return fd;
}

static void warn(struct tsh_journal *j, const char *what, int number)
{
	char *text;

	if (!j->hooks || !j->hooks->warn)
		return;
	text = tsh_xasprintf("%s: %s; what a kill -9 of tracesh and its guard leaves, "
			     "recover will not find", what, strerror(number));
	j->hooks->warn(j->hooks->ctx, text);
	free(text);
}

/* ---- records ---- */

/* In a field a backslash and what is below 0x20 is \xNN; \N is no field at all. */
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

/* record: KIND and its fields so far. One write(2), so that it is there whole or not. */
static void append_record(struct tsh_journal *j, struct tsh_strbuf *record)
{
	struct tsh_journal_file *file = j->file;
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	ssize_t n;

	if (!file->broken) {
		tsh_strbuf_addf(&line, "%08" PRIx32 "\t", tsh_crc32(record->buf, record->len));
		tsh_strbuf_add(&line, record->buf, record->len);
		tsh_strbuf_addc(&line, '\n');
		do {
			n = write(file->fd, line.buf, line.len);
		} while (n < 0 && errno == EINTR);
		if (n != (ssize_t)line.len) {
			file->broken = true;
			warn(j, "the journal's file ends here", n < 0 ? errno : ENOSPC);
		}
		tsh_strbuf_release(&line);
	}
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

bool tsh_journal_file_open(struct tsh_journal *j, const struct tsh_dir *dir)
{
	struct tsh_journal_file *file;
	char *name = NULL;
	int fd;

	if (j->file || j->file_failed)
		return j->file != NULL;
	fd = create_named(&name);
	if (fd < 0) {
		/* as tsh_journal_dir_open has it */
		warn(j, fd == -EPERM ? "no journal in " TSH_JOURNAL_DIR ", which others may use "
				       "(chown it, chmod 700)" :
				       "no journal in " TSH_JOURNAL_DIR, -fd);
		/* The guard can read one in memory, too. */
		fd = memfd_create("tracesh-journal", MFD_CLOEXEC);
		if (fd >= 0)
			(void)fcntl(fd, F_SETFL, O_APPEND);
	}
	if (fd < 0) {
		j->file_failed = true;
		return false;
	}
	file = j->file = tsh_xcalloc(1, sizeof(*file));
	file->fd = fd;
	file->name = name;
	write_header(j, dir);
	if (j->hooks && j->hooks->begin)
		j->hooks->begin(j->hooks->ctx, fd);
	return true;
}

void tsh_journal_file_close(struct tsh_journal_file *file, bool remove)
{
	int dir;

	if (!file)
		return;
	if (file->name && remove) {
		dir = tsh_journal_dir_open(false);
		if (dir >= 0) {
			(void)unlinkat(dir, file->name, 0);
			close(dir);
		}
	}
	close(file->fd);
	free(file->name);
	free(file);
}

void tsh_journal_file_command(struct tsh_journal *j, const struct tsh_journal_command *command)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "command\t%u\t%" PRId64, command->number, command->time);
	add_field(&record, command->text);
	append_record(j, &record);
}

void tsh_journal_file_entry(struct tsh_journal *j, const struct tsh_journal_entry *entry)
{
	static const char *const how[] = {
		[TSH_WRITE_SET] = "set", [TSH_WRITE_ADD] = "add", [TSH_WRITE_CLEAR] = "clear",
		[TSH_WRITE_EXPECTED] = "expected",
	};
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
	append_record(j, &record);
}

void tsh_journal_file_done(struct tsh_journal *j, const struct tsh_journal_entry *entry)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "done\t%u", entry->number);
	if (entry->op == TSH_JOURNAL_MKDIR)
		tsh_strbuf_addf(&record, "\t%" PRIu64, entry->identity);
	else
		add_field(&record, entry->after);
	append_record(j, &record);
}

void tsh_journal_file_gone(struct tsh_journal *j, unsigned int number)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&record, "gone\t%u", number);
	append_record(j, &record);
}

void tsh_journal_file_keep(struct tsh_journal *j)
{
	struct tsh_strbuf record = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&record, "keep");
	append_record(j, &record);
}
