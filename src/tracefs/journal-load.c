/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journal-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracesh/machine.h"
#include "tracesh/number.h"

/* Reading a journal's file again, which somebody may have torn or forged. */

#define FIELDS_MAX 9
#define JOURNAL_MAX (256u << 20)

struct record {
	char *field[FIELDS_MAX];	/* decoded, in the line; NULL: \N, or not there */
	size_t n;
};

/* ---- lines ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes a field in place; NULL for \N. */
static char *decode_field(char *field)
{
	char *out = field, *p;

	if (!strcmp(field, "\\N"))
		return NULL;
	for (p = field; *p; p++) {
		if (p[0] == '\\' && p[1] == 'x' && hex_digit(p[2]) >= 0 && hex_digit(p[3]) >= 0) {
			*out++ = (char)(hex_digit(p[2]) * 16 + hex_digit(p[3]));
			p += 3;
		} else {
			*out++ = *p;
		}
	}
	*out = '\0';
	return field;
}

/* Takes a line without its newline apart, in place. False: its checksum is wrong. */
static bool read_record(char *line, size_t len, struct record *record)
{
	char *rest, crc[16];

	memset(record, 0, sizeof(*record));
	if (len < 9 || line[8] != '\t' || memchr(line, '\0', len))
		return false;
	snprintf(crc, sizeof(crc), "%08" PRIx32, tsh_crc32(line + 9, len - 9));
	if (memcmp(line, crc, 8))
		return false;
	for (rest = line + 9; rest && record->n < FIELDS_MAX; record->n++) {
		char *field = rest;

		rest = strchr(field, '\t');
		if (rest)
			*rest++ = '\0';
		record->field[record->n] = decode_field(field);
	}
	return record->n > 0 && record->field[0];
}

static bool number_at(const struct record *record, size_t i, uint64_t *ret)
{
	return i < record->n && record->field[i] && !tsh_parse_u64(record->field[i], ret);
}

/* ---- what they mean ---- */

static struct tsh_journal_entry *find_entry(struct tsh_journal *j, uint64_t number)
{
	size_t i;

	for (i = j->entries.n; i-- > 0;)
		if (j->entries.v[i].number == number)
			return &j->entries.v[i];
	return NULL;
}

static char *copy_field(const struct record *record, size_t i)
{
	return i < record->n && record->field[i] ? tsh_xstrdup(record->field[i]) : NULL;
}

static bool take_command(struct tsh_journal *j, const struct record *record)
{
	struct tsh_journal_command *command;
	uint64_t number, time;

	if (!number_at(record, 1, &number) || !number_at(record, 2, &time) || number > UINT32_MAX)
		return false;
	command = tsh_vec_push(&j->commands);
	command->number = (unsigned int)number;
	command->time = (int64_t)time;
	command->text = record->n > 3 && record->field[3] ? tsh_xstrdup(record->field[3]) :
							   tsh_xstrdup("");
	command->recorded = command->wrote = true;
	if (j->last_command < command->number)
		j->last_command = command->number;
	return true;
}

static bool take_how(const char *text, enum tsh_write_how *ret)
{
	if (!text)
		return false;
	*ret = !strcmp(text, "add") ? TSH_WRITE_ADD :
	       !strcmp(text, "clear") ? TSH_WRITE_CLEAR :
	       !strcmp(text, "expected") ? TSH_WRITE_EXPECTED : TSH_WRITE_SET;
	return true;
}

/* A name or path of a file that anybody could have written is checked like typed ones. */
static bool take_entry(struct tsh_journal *j, const struct record *record, bool is_mkdir)
{
	const char *instance = record->n > 3 ? record->field[3] : NULL;
	enum tsh_write_how how = TSH_WRITE_SET;
	struct tsh_journal_entry *entry;
	uint64_t number, command;

	if (!number_at(record, 1, &number) || !number_at(record, 2, &command) ||
	    number <= j->last_entry || number > UINT32_MAX || command > UINT32_MAX)
		return false;
	if (instance && !tsh_instance_name_is_valid(instance))
		return false;
	if (is_mkdir ? !instance || record->n < 5 || !record->field[4] :
		       record->n < 8 || !record->field[4] || !take_how(record->field[5], &how))
		return false;
	entry = tsh_vec_push(&j->entries);
	entry->number = j->last_entry = (unsigned int)number;
	entry->command = (unsigned int)command;
	entry->op = is_mkdir ? TSH_JOURNAL_MKDIR : TSH_JOURNAL_WRITE;
	entry->instance = copy_field(record, 3);
	entry->path = is_mkdir ? tsh_xstrdup("") : copy_field(record, 4);
	entry->own = is_mkdir && !strcmp(record->field[4], "own");
	entry->how = how;
	entry->before = is_mkdir ? NULL : copy_field(record, 6);
	entry->text = is_mkdir ? NULL : copy_field(record, 7);
	if (!is_mkdir)
		(void)number_at(record, 8, &entry->identity);
	entry->recorded = true;
	return true;
}

static bool take_record(struct tsh_journal *j, const struct record *record)
{
	const char *kind = record->field[0];
	struct tsh_journal_entry *entry;
	uint64_t number = 0;

	if (!strcmp(kind, "command"))
		return take_command(j, record);
	if (!strcmp(kind, "write") || !strcmp(kind, "mkdir"))
		return take_entry(j, record, *kind == 'm');
	if (!strcmp(kind, "keep")) {
		tsh_journal_keep(j);
		return true;
	}
	if (!number_at(record, 1, &number))
		return false;
	entry = find_entry(j, number);
	if (!strcmp(kind, "done") && entry && entry->op == TSH_JOURNAL_MKDIR) {
		(void)number_at(record, 2, &entry->identity);
	} else if (!strcmp(kind, "done") && entry) {
		free(entry->after);
		entry->after = copy_field(record, 2);
	} else if (!strcmp(kind, "gone") && entry) {
		entry->recorded = false;
		tsh_journal_drop(j, (size_t)(entry - j->entries.v));
	} else {
		return false;
	}
	return true;
}

static bool take_header(const struct record *record, struct tsh_journal_owner *owner)
{
	uint64_t version, pid, time;

	if (record->n < 7 || strcmp(record->field[0], "tracesh-journal") || !record->field[2] ||
	    !number_at(record, 1, &version) || version != 1 || !number_at(record, 3, &pid) ||
	    pid > INT32_MAX || !number_at(record, 4, &owner->starttime) ||
	    !number_at(record, 5, &time) || !number_at(record, 6, &owner->device) ||
	    strlen(record->field[2]) >= sizeof(owner->boot_id))
		return false;
	memcpy(owner->boot_id, record->field[2], strlen(record->field[2]) + 1);
	owner->pid = (pid_t)pid;
	owner->time = (int64_t)time;
	return true;
}

int tsh_journal_parse(const char *text, size_t len, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, bool *ret_damaged, struct tsh_err *err)
{
	char *copy = tsh_xcalloc(1, len + 1), *line = copy, *end = copy + len, *newline;
	struct tsh_journal *j = tsh_journal_new();
	bool good, first = true;
	struct record record;

	memset(ret_owner, 0, sizeof(*ret_owner));
	*ret_damaged = false;
	if (len)
		memcpy(copy, text, len);
	for (; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1) {
		*newline = '\0';
		good = read_record(line, (size_t)(newline - line), &record) &&
		       (first ? take_header(&record, ret_owner) : take_record(j, &record));
		if (!good && first)
			break;
		/* What is behind it is compared with the kernel before it is taken back. */
		*ret_damaged |= !good;
		first = false;
	}
	free(copy);
	if (first) {
		tsh_journal_free(j);
		return tsh_err_set(err, TSH_FAILED, "it is not a journal of this version");
	}
	*ret = j;
	return 0;
}

static int read_whole(int fd, struct tsh_strbuf *out)
{
	ssize_t n;

	do {
		tsh_strbuf_grow(out, 65536);
		n = pread(fd, out->buf + out->len, 65536, (off_t)out->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->len += (size_t)n;
	} while (n && out->len < JOURNAL_MAX);
	return out->len < JOURNAL_MAX ? 0 : -EFBIG;
}

int tsh_journal_load(int fd, const char *name, struct tsh_journal_owner *ret_owner,
		     struct tsh_journal **ret, bool *ret_damaged, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = read_whole(fd, &text);

	if (r < 0)
		tsh_err_errno(err, -r, "cannot read the journal");
	else
		r = tsh_journal_parse(text.buf, text.len, ret_owner, ret, ret_damaged, err);
	tsh_strbuf_release(&text);
	if (r < 0) {
		close(fd);
		return -1;
	}
	(*ret)->file = tsh_xcalloc(1, sizeof(*(*ret)->file));
	(*ret)->file->fd = fd;
	(*ret)->file->name = name ? tsh_xstrdup(name) : NULL;
	return 0;
}

int tsh_journal_adopt(const struct tsh_journal *theirs, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, bool *ret_damaged, struct tsh_err *err)
{
	int fd = theirs->file ? fcntl(theirs->file->fd, F_DUPFD_CLOEXEC, 3) : -1;

	if (fd < 0)
		return tsh_err_set(err, TSH_FAILED, "there is no journal to read");
	return tsh_journal_load(fd, theirs->file->name, ret_owner, ret, ret_damaged, err);
}

/* ---- orphans ---- */

/* Of a journal that somebody works with: its owner is gone, so that is a guard or recover. */
static void look_at_busy(int fd, const char *name, const char *boot, uint64_t device,
			 struct tsh_orphans *ret)
{
	struct tsh_busy_orphan busy;
	struct tsh_journal_owner owner;
	struct tsh_journal *j;
	struct tsh_err ignored = { 0 };
	char head[512], *end, *path;
	ssize_t n = pread(fd, head, sizeof(head), 0);
	bool damaged;

	end = n > 0 ? memchr(head, '\n', (size_t)n) : NULL;
	if (!end || tsh_journal_parse(head, (size_t)(end + 1 - head), &owner, &j, &damaged,
				      &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	tsh_journal_free(j);
	if (strcmp(owner.boot_id, boot) != 0 || owner.device != device ||
	    tsh_process_lives(owner.pid, owner.starttime))
		return;
	/* Nobody is seen: it may live in another pid namespace. */
	path = tsh_xasprintf(TSH_JOURNAL_DIR "/%s", name);
	busy = (struct tsh_busy_orphan){ owner.pid, tsh_file_holder(path) };
	if (busy.at_work)
		*(struct tsh_busy_orphan *)tsh_vec_push(&ret->busy) = busy;
	free(path);
}

/* Opens and locks a file that nobody works with; -1 when somebody does (*ret_busy is it then,
 * not locked; -1: it is gone), or *ret_refused. */
static int open_unowned(int dir, const char *name, bool *ret_refused, int *ret_busy)
{
	int fd = openat(dir, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK |
				   O_CLOEXEC);
	struct stat st, named;

	*ret_busy = -1;
	*ret_refused = fd < 0 ? errno != ENOENT :
				fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
					st.st_uid != geteuid() || (st.st_mode & 077);
	if (fd < 0)
		return -1;
	/* Empty: its owner has just made it. */
	if (*ret_refused || !st.st_size) {
		close(fd);
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		*ret_busy = fd;
		return -1;
	}
	/* Between open and lock its owner may have ended and removed it. */
	if (fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_ino == st.st_ino)
		return fd;
	close(fd);
	return -1;
}

static void take_up(int dir, const char *name, const char *boot, uint64_t device,
		    struct tsh_orphans *ret)
{
	struct tsh_orphan orphan = { 0 };
	struct tsh_err ignored = { 0 };
	bool damaged, refused;
	int busy, fd = open_unowned(dir, name, &refused, &busy);

	if (busy >= 0) {
		look_at_busy(busy, name, boot, device, ret);
		close(busy);
	}
	if (fd >= 0)
		refused = tsh_journal_load(fd, name, &orphan.owner, &orphan.journal, &damaged,
					   &ignored) < 0;
	tsh_err_release(&ignored);
	if (refused)
		tsh_strlist_add(&ret->refused, name);
	if (fd < 0 || refused)
		return;
	if (strcmp(orphan.owner.boot_id, boot)) {
		/* A reboot has taken everything back. */
		tsh_journal_file_close(orphan.journal->file, true);
		orphan.journal->file = NULL;
		tsh_journal_free(orphan.journal);
		return;
	}
	if (orphan.owner.device != device) {
		tsh_journal_file_close(orphan.journal->file, false);
		orphan.journal->file = NULL;
		tsh_journal_free(orphan.journal);
		return;
	}
	orphan.damaged = damaged;
	orphan.name = tsh_xstrdup(name);
	*(struct tsh_orphan *)tsh_vec_push(ret) = orphan;
}

static int compare_orphans(const void *a, const void *b)
{
	const struct tsh_orphan *x = a, *y = b;

	return (x->owner.time > y->owner.time) - (x->owner.time < y->owner.time);
}

void tsh_orphans_find(const struct tsh_dir *dir, struct tsh_orphans *ret)
{
	static const char suffix[] = ".journal";
	int fd = tsh_journal_dir_open(false);
	struct dirent *entry;
	struct stat st;
	char boot[40];
	DIR *d;

	if (fd < 0 || dir->kind == TSH_DIR_TREE || fstat(dir->fd, &st) < 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return;
	}
	tsh_boot_id(boot, sizeof(boot));
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len > sizeof(suffix) - 1 &&
		    !strcmp(entry->d_name + len - (sizeof(suffix) - 1), suffix))
			take_up(fd, entry->d_name, boot, st.st_dev, ret);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), compare_orphans);
}

char *tsh_journal_set_aside(struct tsh_journal *j)
{
	struct tsh_journal_file *file = j->file;
	char *name, *path = NULL;
	int dir;

	if (j->entries.n || !file || !file->name)
		return NULL;
	dir = tsh_journal_dir_open(false);
	name = tsh_xasprintf("%s.damaged", file->name);
	if (dir >= 0 && renameat(dir, file->name, dir, name) == 0) {
		path = tsh_xasprintf(TSH_JOURNAL_DIR "/%s", name);
		free(file->name);
		file->name = NULL;
	}
	free(name);
	if (dir >= 0)
		close(dir);
	return path;
}

void tsh_orphans_release(struct tsh_orphans *orphans)
{
	size_t i;

	for (i = 0; i < orphans->n; i++) {
		free(orphans->v[i].name);
		tsh_journal_free(orphans->v[i].journal);
	}
	tsh_strlist_release(&orphans->refused);
	tsh_vec_release(&orphans->busy);
	tsh_vec_release(orphans);
}
