/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"

#define PAGE 4096
/* Is the space for short records, each of some 14 bytes. */
#define MARKS_ROOM 256
/* Define the tries and the microseconds between them; an append takes microseconds. */
#define LOCK_TRIES 100
#define LOCK_STEP_US 1000
/* Is enough for some ten thousand settings; pages are allocated when they are used. */
#define MEMORY_SIZE (16u << 20)
#define MEMORY_LEAST (64u << 10)

void tsh_journal_line(struct tsh_strbuf *out, const char *record, size_t len)
{
	tsh_strbuf_addf(out, "%08" PRIx32 "\t", tsh_crc32(record, len));
	tsh_strbuf_add(out, record, len);
	tsh_strbuf_addc(out, '\n');
}

int tsh_journal_log_reserve(struct tsh_journal_log *log, size_t len)
{
	off_t end = (log->len + (off_t)len + MARKS_ROOM + PAGE - 1) / PAGE * PAGE;
	int r;

	if (end <= log->reserved)
		return 0;
	do {
		r = fallocate(log->fd, FALLOC_FL_KEEP_SIZE, log->len, end - log->len);
	} while (r < 0 && errno == EINTR);
	/* ramfs and some other file systems cannot reserve space. */
	if (r < 0)
		return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : -errno;
	log->reserved = end;
	return 0;
}

/* Writes the lines by one write(2), so that all of them are there or none. A part is truncated only
 * when no other process can have appended behind it. */
static int write_lines(struct tsh_journal_log *log, const struct tsh_strbuf *lines, bool is_alone)
{
	ssize_t n;

	do {
		n = write(log->fd, lines->buf, lines->len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n != (ssize_t)lines->len) {
		log->reserved = log->len;
		return is_alone && ftruncate(log->fd, log->len) < 0 ? -errno : -ENOSPC;
	}
	log->len += n;
	return 0;
}

/* Locks the end of the file against other sessions that append, in addition to the flock(2) that
 * the owner always holds. Returns false when the holder of the lock is stopped. */
static bool lock_end(const struct tsh_journal_log *log)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	unsigned int tries = LOCK_TRIES;

	while (fcntl(log->fd, F_OFD_SETLK, &lock) < 0) {
		/* Kernels before 3.15 do not have this lock. */
		if (errno == EINVAL)
			return true;
		if ((errno != EAGAIN && errno != EACCES && errno != EINTR) || !--tries)
			return false;
		usleep(LOCK_STEP_US);
	}
	return true;
}

static void unlock_end(const struct tsh_journal_log *log)
{
	struct flock lock = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

	(void)fcntl(log->fd, F_OFD_SETLK, &lock);
}

/* Appends at the end of the file, which others may have moved. A mark uses reserved space. */
static int append(struct tsh_journal_log *log, const struct tsh_strbuf *lines, bool is_mark)
{
	bool is_alone = lock_end(log);
	struct stat st = { .st_nlink = 1 };
	int r = 0;

	if (!fstat(log->fd, &st))
		log->len = st.st_size;
	/* A file that was removed would not be found, so nothing is appended to it. */
	if (!is_mark && !st.st_nlink)
		r = -ENOENT;
	if (!r && !is_mark)
		r = tsh_journal_log_reserve(log, lines->len);
	/* Leaves an empty file empty, since that says as much as a mark. */
	if (!r && (!is_mark || log->len))
		r = write_lines(log, lines, is_alone);
	if (is_alone)
		unlock_end(log);
	return r;
}

int tsh_journal_log_append(struct tsh_journal_log *log, const struct tsh_strbuf *lines)
{
	return append(log, lines, false);
}

int tsh_journal_log_mark(struct tsh_journal_log *log, const char *record)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	int r;

	tsh_journal_line(&line, record, strlen(record));
	r = append(log, &line, true);
	tsh_strbuf_release(&line);
	return r;
}

struct tsh_journal_memory *tsh_journal_memory_new(void)
{
	struct tsh_journal_memory *memory = MAP_FAILED;
	size_t size;

	for (size = MEMORY_SIZE; memory == MAP_FAILED && size >= MEMORY_LEAST; size /= 4) {
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);
		if (memory != MAP_FAILED)
			memory->size = size - sizeof(*memory);
	}
	return memory == MAP_FAILED ? NULL : memory;
}

void tsh_journal_memory_free(struct tsh_journal_memory *memory)
{
	if (memory)
		munmap(memory, sizeof(*memory) + memory->size);
}

bool tsh_journal_memory_append(struct tsh_journal_memory *memory, const struct tsh_strbuf *lines)
{
	if (!memory)
		return false;
	if (memory->size - memory->len < lines->len) {
		memory->lost = true;
		return false;
	}
	memcpy(memory->text + memory->len, lines->buf, lines->len);
	/* The caller makes the setting only after this. */
	__atomic_store_n(&memory->len, memory->len + lines->len, __ATOMIC_RELEASE);
	return true;
}
