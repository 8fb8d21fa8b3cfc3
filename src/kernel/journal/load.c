/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

/* Parses a journal's file, which may be incomplete or forged. */

#define FIELDS_MAX 12
#define JOURNAL_MAX (256u << 20)
#define TORN_AT 4096

struct record {
	char *field[FIELDS_MAX];	/* decoded in place; NULL: \N, or missing */
	size_t n;
};

/* ---- lines ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes a field in place. Returns NULL for \N. */
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

/* Splits a line without its newline into fields, in place. Returns false when its checksum is
 * wrong. */
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

/* ---- records ---- */

static struct tsh_journal_entry *find_entry(const struct tsh_journal *j, uint64_t number)
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

static bool read_command(struct tsh_journal *j, const struct record *record)
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

/* Returns false for an unknown word, whose record is damaged. */
static bool parse_how(const char *text, enum tsh_write_how *ret)
{
	if (!text)
		return false;
	*ret = !strcmp(text, "add") ? TSH_WRITE_ADD :
	       !strcmp(text, "clear") ? TSH_WRITE_CLEAR :
	       !strcmp(text, "less") ? TSH_WRITE_LESS :
	       !strcmp(text, "expected") ? TSH_WRITE_EXPECTED : TSH_WRITE_SET;
	return *ret != TSH_WRITE_SET || !strcmp(text, "set");
}

/* Clears the marks of entries whose undo had begun: a process that makes new entries knows how it
 * ended. */
static void forget_going_back(struct tsh_journal *j)
{
	size_t i;

	for (i = 0; j->going_back && i < j->entries.n; i++)
		j->entries.v[i].going_back = false;
	j->going_back = false;
}

/* Adds an entry. The file is not trusted, so the instance's name is checked as one that is
 * typed. */
static bool read_entry(struct tsh_journal *j, const struct record *record, bool is_mkdir)
{
	const char *instance = record->n > 3 ? record->field[3] : NULL;
	enum tsh_write_how how = TSH_WRITE_SET;
	struct tsh_journal_entry *entry;
	uint64_t number, command, at;

	if (!number_at(record, 1, &number) || !number_at(record, 2, &command) ||
	    number <= j->last_entry || number >= TSH_JOURNAL_INHERITED || command > UINT32_MAX)
		return false;
	if (instance && !tsh_instance_name_is_valid(instance))
		return false;
	if (is_mkdir ? !instance || record->n < 5 || !record->field[4] :
		       record->n < 8 || !record->field[4] || !parse_how(record->field[5], &how))
		return false;
	forget_going_back(j);
	entry = tsh_vec_push(&j->entries);
	entry->number = j->last_entry = (unsigned int)number;
	entry->command = (unsigned int)command;
	entry->op = is_mkdir ? TSH_JOURNAL_MKDIR : TSH_JOURNAL_WRITE;
	entry->instance = copy_field(record, 3);
	entry->path = is_mkdir ? tsh_xstrdup("") : copy_field(record, 4);
	entry->own = is_mkdir && !strcmp(record->field[4], "own");
	if (number_at(record, is_mkdir ? 5 : 9, &at))
		entry->at = (int64_t)at;
	entry->how = how;
	entry->before = is_mkdir ? NULL : copy_field(record, 6);
	entry->text = is_mkdir ? NULL : copy_field(record, 7);
	if (!is_mkdir)
		(void)number_at(record, 8, &entry->identity);
	entry->recorded = true;
	return true;
}

/* Finds the index at which an entry that was handed over is inserted, and sets its command. An
 * instance is undone with the whole journal, any other entry with the command of the entry
 * `over`. */
static size_t place_inherited(const struct tsh_journal *j, uint64_t over, struct tsh_journal_entry *made)
{
	const struct tsh_journal_entry *v = j->entries.v, *entry = find_entry(j, over);
	size_t place = entry ? (size_t)(entry - v) : j->entries.n, least = 0;

	if (made->op == TSH_JOURNAL_MKDIR)
		return 0;
	while (least < j->entries.n && tsh_journal_is_inherited_instance(&v[least]))
		least++;
	while (over == TSH_JOURNAL_BY_TIME && place > least && v[place - 1].at > made->at)
		place--;
	/* Other sessions hand over the newest entry first. */
	while (place > least && v[place - 1].number >= TSH_JOURNAL_INHERITED && v[place - 1].at > made->at)
		place--;
	if (over == TSH_JOURNAL_BY_TIME && place > least)
		entry = &v[place - 1];
	made->command = entry ? entry->command : j->last_command;
	return place;
}

/* Adds an entry that another session has handed over. */
static bool read_inherited(struct tsh_journal *j, const struct record *record)
{
	const char *instance = record->n > 3 ? record->field[3] : NULL;
	uint64_t number, over, identity, at;
	enum tsh_write_how how;
	struct tsh_journal_entry made = { .recorded = true };
	size_t place;

	if (record->n < 11 || !number_at(record, 1, &number) || !number_at(record, 2, &over) ||
	    !number_at(record, 8, &identity) || !number_at(record, 9, &at) ||
	    number < TSH_JOURNAL_INHERITED || number > UINT32_MAX || !record->field[4] ||
	    !parse_how(record->field[5], &how))
		return false;
	if ((instance && !tsh_instance_name_is_valid(instance)) || (!instance && !*record->field[4]))
		return false;
	j->inherited++;
	made.number = (unsigned int)number;
	made.op = *record->field[4] ? TSH_JOURNAL_WRITE : TSH_JOURNAL_MKDIR;
	made.how = how;
	made.identity = identity;
	made.at = (int64_t)at;
	made.instance = copy_field(record, 3);
	made.path = copy_field(record, 4);
	made.before = copy_field(record, 6);
	made.text = copy_field(record, 7);
	made.after = copy_field(record, 10);
	place = place_inherited(j, over, &made);
	(void)tsh_vec_push(&j->entries);
	memmove(&j->entries.v[place + 1], &j->entries.v[place],
		(j->entries.n - place - 1) * sizeof(made));
	j->entries.v[place] = made;
	return true;
}

static bool read_amended(struct tsh_journal *j, const struct record *record)
{
	struct tsh_journal_entry *entry;
	uint64_t number;

	if (!number_at(record, 1, &number))
		return false;
	entry = find_entry(j, number);
	if (entry)
		entry->kept |= record->n > 3;
	if (entry && entry->op == TSH_JOURNAL_WRITE) {
		free(entry->before);
		entry->before = copy_field(record, 2);
	}
	return true;
}

static bool read_forks(struct tsh_journal *j, const struct record *record)
{
	struct tsh_journal_entry *entry;
	uint64_t number;

	if (!number_at(record, 1, &number))
		return false;
	entry = find_entry(j, number);
	if (entry)
		entry->forks = true;
	return true;
}

/* Drops an entry that another session will undo. */
static bool read_gone(struct tsh_journal *j, const struct record *record)
{
	struct tsh_journal_entry *entry;
	uint64_t number;

	if (!number_at(record, 1, &number))
		return false;
	entry = find_entry(j, number);
	if (entry) {
		entry->recorded = false;
		tsh_journal_drop(j, (size_t)(entry - j->entries.v));
	}
	return true;
}

static bool read_keep(struct tsh_journal *j, const struct record *record)
{
	const char *but = record->n > 1 && record->field[1] ? record->field[1] : "";
	struct tsh_journal_entry *entry;
	uint64_t number;

	for (; *but; but += *but == ' ') {
		if (!tsh_parse_u64_prefix(&but, &number))
			return false;
		entry = find_entry(j, number);
		if (entry)
			entry->unkept = true;
	}
	tsh_journal_forget_back(j);
	return true;
}

static bool apply_record(struct tsh_journal *j, const struct record *record)
{
	const char *kind = record->field[0];
	struct tsh_journal_entry *entry;
	uint64_t number = 0;

	if (!strcmp(kind, "command"))
		return read_command(j, record);
	if (!strcmp(kind, "write") || !strcmp(kind, "mkdir"))
		return read_entry(j, record, *kind == 'm');
	if (!strcmp(kind, "inherit"))
		return read_inherited(j, record);
	if (!strcmp(kind, "amend"))
		return read_amended(j, record);
	if (!strcmp(kind, "forks"))
		return read_forks(j, record);
	if (!strcmp(kind, "keep"))
		return read_keep(j, record);
	if (!strcmp(kind, "cut") || !strcmp(kind, "whole")) {
		j->cut = *kind == 'c';
		return true;
	}
	if (!number_at(record, 1, &number))
		return false;
	if (!strcmp(kind, "moved")) {
		j->moved_to = number < TSH_JOURNAL_PLACES ? (unsigned int)number : 0;
		return true;
	}
	entry = find_entry(j, number);
	if (!strcmp(kind, "done") && entry && entry->op == TSH_JOURNAL_MKDIR) {
		(void)number_at(record, 2, &entry->identity);
	} else if (!strcmp(kind, "done") && entry) {
		free(entry->after);
		entry->after = copy_field(record, 2);
	} else if (!strcmp(kind, "back") && entry) {
		entry->going_back = j->going_back = true;
	} else if (!strcmp(kind, "gone") && entry) {
		entry->recorded = false;
		tsh_journal_drop(j, (size_t)(entry - j->entries.v));
	} else {
		/* Accepts a record about an entry that is gone: such records may follow from memory
		 * after a "keep". */
		return !entry && (number <= j->last_entry || number >= TSH_JOURNAL_INHERITED) &&
		       (!strcmp(kind, "done") || !strcmp(kind, "back") || !strcmp(kind, "gone"));
	}
	return true;
}

static bool read_header(const struct record *record, struct tsh_journal_owner *owner)
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

/* Says whether the text is incomplete. A write(2) that is killed ends where a page ends; a text
 * that ends elsewhere, and not with a newline, has lost its end. */
static bool is_torn(const char *text, size_t len)
{
	return len % TORN_AT && text[len - 1] != '\n';
}

int tsh_journal_parse(const char *text, size_t len, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err)
{
	char *copy = tsh_xcalloc(1, len + 1), *line = copy, *end = copy + len, *newline;
	struct tsh_journal *j = tsh_journal_new();
	bool good, first = true;
	struct record record;

	memset(ret_owner, 0, sizeof(*ret_owner));
	if (len)
		memcpy(copy, text, len);
	j->damaged = is_torn(text, len);
	for (; (newline = memchr(line, '\n', (size_t)(end - line))); line = newline + 1) {
		*newline = '\0';
		good = read_record(line, (size_t)(newline - line), &record) &&
		       (first ? read_header(&record, ret_owner) : apply_record(j, &record));
		if (!good && first)
			break;
		/* Goes on after a damaged record: entries are compared with the kernel before they
		 * are undone. */
		j->damaged |= !good;
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

static int read_on(int fd, size_t from, struct tsh_strbuf *out)
{
	ssize_t n;

	do {
		tsh_strbuf_grow(out, 65536);
		n = pread(fd, out->buf + out->len, 65536, (off_t)(from + out->len));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->len += (size_t)n;
	} while (n && out->len < JOURNAL_MAX);
	return out->len < JOURNAL_MAX ? 0 : -EFBIG;
}

int tsh_journal_read(int fd, struct tsh_strbuf *out)
{
	return read_on(fd, 0, out);
}

/* Reads the file, and then the records in memory. */
static int read_parts(struct tsh_journal_file *file, struct tsh_strbuf *out)
{
	const struct tsh_journal_memory *memory = file->memory;
	int r = file->disk.fd < 0 ? 0 : tsh_journal_read(file->disk.fd, out);

	/* Ends an incomplete last line, so that the next record is not taken for a part of it. */
	if (!r && out->len && out->buf[out->len - 1] != '\n' && write(file->disk.fd, "?\n", 2) < 0)
		r = errno == EBADF ? 0 : -errno;
	file->disk.len = (off_t)out->len;
	file->read = out->len;
	file->disk.cut = memory && memory->len;
	if (r < 0 || !memory)
		return r;
	if (out->len && out->buf[out->len - 1] == '\n')
		tsh_journal_line(out, "whole", strlen("whole"));
	tsh_strbuf_add(out, memory->text, memory->len);
	return 0;
}

int tsh_journal_load(struct tsh_journal_file *file, struct tsh_journal_owner *ret_owner,
		     struct tsh_journal **ret, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = read_parts(file, &text);

	if (r < 0)
		tsh_err_errno(err, -r, "cannot be read");
	else
		r = tsh_journal_parse(text.buf, text.len, ret_owner, ret, err);
	tsh_strbuf_release(&text);
	if (r < 0) {
		tsh_journal_file_close(file, false);
		return -1;
	}
	(*ret)->file = file;
	(*ret)->cut |= file->memory && file->memory->lost;
	file->loaded = true;
	file->lost = (*ret)->cut;
	return 0;
}

/* Reads the journal from the folder to which it has moved; an empty one when it was removed
 * there. */
static int load_moved(struct tsh_journal_owner *owner, struct tsh_journal **j, struct tsh_err *err)
{
	struct tsh_journal_file *old = (*j)->file, *file = tsh_xcalloc(1, sizeof(*file));
	int fd = tsh_journal_open_moved(old);

	file->place = old->place + 1;
	file->name = tsh_xstrdup(old->name);
	file->memory = old->memory;
	old->memory = NULL;
	file->disk.fd = fd;
	tsh_journal_free(*j);
	*j = NULL;
	if (fd >= 0)
		return tsh_journal_load(file, owner, j, err);
	tsh_journal_file_close(file, false);
	if (fd == -ENOENT) {
		*j = tsh_journal_new();
		return 0;
	}
	return tsh_err_errno(err, -fd, "another process works with its journal");
}

int tsh_journal_adopt(struct tsh_journal *theirs, struct tsh_journal_owner *ret_owner,
		      struct tsh_journal **ret, struct tsh_err *err)
{
	struct tsh_journal_file *file = theirs->file;
	int r;

	theirs->file = NULL;
	file->disk.reserved = 0;
	r = tsh_journal_load(file, ret_owner, ret, err);
	return !r && (*ret)->moved_to > file->place ? load_moved(ret_owner, ret, err) : r;
}

/* ---- records that come later ---- */

/* Calls `handle` for each whole line from *offset on, and advances *offset. */
static void read_lines(int fd, size_t *offset, void *ctx,
		       void (*handle)(void *ctx, const struct record *record))
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *line, *newline;
	struct record record;

	if (!read_on(fd, *offset, &text)) {
		for (line = text.buf; (newline = memchr(line, '\n', (size_t)(text.buf + text.len - line)));
		     line = newline + 1) {
			*newline = '\0';
			*offset += (size_t)(newline + 1 - line);
			if (read_record(line, (size_t)(newline - line), &record))
				handle(ctx, &record);
		}
	}
	tsh_strbuf_release(&text);
}

struct follower {
	struct tsh_journal *j;
	struct tsh_journal_owner *owner;
};

static void follow(void *ctx, const struct record *record)
{
	const struct follower *follower = ctx;

	/* The pid is 0 until the header was read. The boot id does not show that: it is empty when
	 * there was no /proc. */
	if (!follower->owner->pid)
		(void)read_header(record, follower->owner);
	else
		(void)apply_record(follower->j, record);
}

void tsh_journal_read_from(struct tsh_journal *j, int fd, size_t *offset,
			   struct tsh_journal_owner *owner)
{
	struct follower follower = { j, owner };

	read_lines(fd, offset, &follower, follow);
}

static void read_news(void *ctx, const struct record *record)
{
	if (!strcmp(record->field[0], "inherit"))
		(void)read_inherited(ctx, record);
	else if (!strcmp(record->field[0], "amend"))
		(void)read_amended(ctx, record);
	else if (!strcmp(record->field[0], "forks"))
		(void)read_forks(ctx, record);
	else if (!strcmp(record->field[0], "gone") && record->n > 2)
		(void)read_gone(ctx, record);
}

static void note_news(void *ctx, const struct record *record)
{
	bool *told = ctx;

	*told = *told || !strcmp(record->field[0], "inherit") || !strcmp(record->field[0], "amend") ||
		((!strcmp(record->field[0], "forks") || !strcmp(record->field[0], "gone")) && record->n > 2);
}

static bool is_shared(const struct tsh_journal *j)
{
	return j->file && j->file->name && j->file->disk.fd >= 0;
}

bool tsh_journal_has_news(struct tsh_journal *j)
{
	size_t read = is_shared(j) ? j->file->read : 0;
	bool told = false;

	if (!is_shared(j))
		return false;
	read_lines(j->file->disk.fd, &read, &told, note_news);
	if (!told)
		j->file->read = read;
	return told;
}

bool tsh_journal_catch_up(struct tsh_journal *j)
{
	unsigned int before = j->inherited;

	if (is_shared(j))
		read_lines(j->file->disk.fd, &j->file->read, j, read_news);
	return j->inherited > before;
}
