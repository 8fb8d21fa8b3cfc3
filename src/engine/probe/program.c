/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/machine.h"
#include "base/number.h"
#include "base/safe-file.h"
#include "base/suggest.h"
#include "kernel/dryrun/dryrun.h"
#include "session/tasks.h"

/* Finds functions of programs. The kernel needs their offset in the file. Another process reads
 * the file, because its file system may never answer. */

/* Limits the wait for a file system that does not answer. */
#define PATIENCE_S 5
/* Limits the bytes of an answer, including a BEAT for each piece that is read. */
#define ANSWER_MAX 65536
/* Is written by the other process while it reads the file. */
#define BEAT "."

static bool offer(void *ctx, const struct tsh_elf_symbol *symbol)
{
	tsh_suggest_offer(ctx, symbol->name);
	return true;
}

static int no_symbols(const char *path, struct tsh_span span, struct tsh_err *err)
{
	tsh_err_at(err, span, "'%s' has no symbols: it is stripped", path);
	tsh_err_hint_word(err, "an address finds it: ", path, ":0x..");
	err->status = TSH_FAILED;
	return -1;
}

static int unknown(struct tsh_elf *elf, const char *path, const char *name,
		   struct tsh_span span, struct tsh_err *err)
{
	struct tsh_suggest near;
	uint64_t left_out = tsh_elf_left_out(elf);

	if (!left_out && !tsh_elf_has_symbols(elf))
		return no_symbols(path, span, err);
	if (left_out) {
		tsh_err_set(err, TSH_FAILED, "'%s' has no function '%s' among those that are read: "
			    "%llu symbols are beyond the first 4 M, or their names beyond 64 MB", path,
			    name, (unsigned long long)left_out);
		tsh_err_blame(err, span);
		tsh_err_hint_word(err, "by its address, as nm prints it: ", path, ":0x..");
		return -1;
	}
	tsh_err_at(err, span, "'%s' has no function '%s'", path, name);
	err->status = TSH_FAILED;
	tsh_suggest_init(&near, name);
	tsh_elf_each_symbol(elf, offer, &near);
	if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	tsh_suggest_release(&near);
	return -1;
}

static int not_unique(const char *path, const char *name, const struct tsh_elf_symbol *symbol,
		      struct tsh_span span, struct tsh_err *err)
{
	char *text;

	tsh_err_at(err, span, "'%s' has several functions '%s'", path, name);
	err->status = TSH_FAILED;
	text = tsh_xasprintf("%s:0x%llx", path, (unsigned long long)symbol->address);
	tsh_err_hint_word(err, "say which by its address, as nm prints it: ", text, " is the first");
	free(text);
	return -1;
}

/* Finds the address of FUNCTION[+OFFSET], or parses a number. */
static int find_address(struct tsh_elf *elf, const char *path, char *name,
			struct tsh_span span, uint64_t *ret, struct tsh_err *err)
{
	struct tsh_elf_symbol symbol;
	uint64_t offset;
	size_t n;

	if (*name >= '0' && *name <= '9' && !tsh_parse_u64(name, ret))
		return 0;
	if (!tsh_target_offset(name, &offset)) {
		tsh_err_at(err, span, "what stands behind the + is no number");
		tsh_err_hint(err, "in bytes: %s+0x10", name);
		return -1;
	}
	n = tsh_elf_find(elf, name, &symbol);
	if (!n)
		return unknown(elf, path, name, span, err);
	if (n > 1)
		return not_unique(path, name, &symbol, span, err);
	if (symbol.is_chosen) {
		tsh_err_at(err, span, "'%s' only chooses one of several functions when the program "
			   "starts (IFUNC)", name);
		tsh_err_hint(err, "probe the one that it chooses");
		err->status = TSH_FAILED;
		return -1;
	}
	if (offset && offset >= symbol.size) {
		tsh_err_at(err, span, "'%s' has only %llu bytes", name,
			   (unsigned long long)symbol.size);
		err->status = TSH_FAILED;
		return -1;
	}
	*ret = symbol.address + offset;
	return 0;
}

int tsh_probe_open_program(const char *path)
{
	int fd = tsh_reopen_regular(tsh_open_protected(path), O_RDONLY);

	return fd == -EOPNOTSUPP ? -ENOEXEC : fd;
}

/* Explains that other users can change a part of the path. The kernel resolves the path again,
 * and might find another file. */
static void refuse_changeable(const char *path, struct tsh_span span, struct tsh_err *err)
{
	size_t len = 0;
	char *part;
	int fd = 0;

	/* Find the first folder or link of the path that others can change. */
	while (fd != -EXDEV && path[len]) {
		len += strspn(path + len, "/");
		len += strcspn(path + len, "/");
		part = tsh_xstrndup(path, len);
		fd = tsh_open_protected(part);
		free(part);
		if (fd >= 0)
			close(fd);
	}
	tsh_err_at(err, span, "others than root can change where '%s' leads", path);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "they can replace '%.*s': run and probe a copy in a folder that only root "
			  "can write to", (int)len, path);
}

/* Adds a hint at a command of sh, which gets the word as its argument. */
static void hint_sh(struct tsh_err *err, const char *command, const char *word, const char *what)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_sh_quote(&text, word);
	tsh_err_hint(err, "in sh: %s %s tells %s", command, text.buf, what);
	tsh_strbuf_release(&text);
}

static void hint_elf(const char *path, struct tsh_err *err)
{
	hint_sh(err, "file", path, "what it is; it has to be an ELF program or library, of a script its interpreter");
}

static int open_program(const char *path, struct tsh_span span, struct tsh_err *err)
{
	int fd = tsh_probe_open_program(path);

	if (fd == -ENOEXEC) {
		tsh_err_at(err, span, "'%s' is no program", path);
		err->status = TSH_FAILED;
		hint_elf(path, err);
	} else if (fd == -EXDEV) {
		refuse_changeable(path, span, err);
	} else if (fd == -EWOULDBLOCK) {
		tsh_err_at(err, span, "another process has a lease on '%s' (fcntl(2), /proc/locks)", path);
		err->status = TSH_FAILED;
	} else if (fd == -ENOSYS && tsh_check_proc(err) < 0) {
		tsh_err_blame(err, span);
	} else if (fd < 0) {
		tsh_err_errno(err, -fd, "cannot open '%s'", path);
		tsh_err_blame(err, span);
		if (fd == -ENOENT)
			hint_sh(err, "command -v", strrchr(path, '/') + 1, "where a program is");
	}
	return fd;
}

/* Holds a request to the other process: which function is looked up in which file. */
struct wanted {
	const struct tsh_value *value;
	size_t at;			/* offset of the path in the word */
	const char *path;
	char *name;			/* NULL: only checks that the file is a program */
};

struct place {
	int r;
	unsigned int machine;
	uint64_t offset;		/* offset in the file */
};

static void find_in_program(const struct wanted *wanted, const struct tsh_waiter *waiter,
			    struct place *ret, struct tsh_err *err)
{
	const char *path = wanted->path;
	size_t behind = wanted->at + strlen(path) + 1;
	struct tsh_span span = tsh_word_span(&wanted->value->word, wanted->at, behind - 1);
	int fd = open_program(path, span, err);
	struct tsh_elf *elf;
	uint64_t address;

	ret->r = -1;
	if (fd < 0)
		return;
	if (tsh_elf_open(fd, TSH_ELF_BYTES_MAX, waiter, &elf, err) < 0) {
		tsh_err_set(err, TSH_FAILED, "'%s' is no program: %s", path, err->message);
		tsh_err_blame(err, span);
		hint_elf(path, err);
		close(fd);
		return;
	}
	ret->r = 0;
	if (wanted->name) {
		span = tsh_word_span(&wanted->value->word, behind, behind + strlen(wanted->name));
		ret->r = find_address(elf, path, wanted->name, span, &address, err);
	}
	if (wanted->name && !ret->r && !tsh_elf_offset(elf, address, &ret->offset)) {
		ret->r = tsh_err_at(err, span, "'%s' has no code at 0x%llx", path,
				    (unsigned long long)address);
		err->status = TSH_FAILED;
	}
	ret->machine = tsh_elf_machine(elf);
	tsh_elf_close(elf);
	close(fd);
}

/* ---- the other process ---- */

static enum tsh_wait_result write_beat(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
{
	const int *out = ctx;

	(void)fds, (void)nfds, (void)timeout_ms;
	return tsh_write_all(*out, BEAT, 1) < 0 ? TSH_WAIT_STOP : TSH_WAIT_TIMEOUT;
}

/* Writes BEATs while it reads, then a zero byte, the place, the error, and the error's texts. */
static void write_place(void *ctx, int out)
{
	const struct tsh_waiter waiter = { write_beat, &out };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct place place = { 0 };
	struct tsh_err err = { 0 };

	find_in_program(ctx, &waiter, &place, &err);
	tsh_strbuf_addc(&text, '\0');
	tsh_strbuf_add(&text, &place, sizeof(place));
	tsh_strbuf_add(&text, &err, sizeof(err));
	tsh_strbuf_addf(&text, "%s%c%s", err.message ? err.message : "", '\0', err.hint ? err.hint : "");
	(void)tsh_write_all(out, text.buf, text.len);
}

static int read_place(const struct tsh_strbuf *text, struct place *ret, struct tsh_err *err)
{
	const char *p = text->buf + strspn(text->buf, BEAT) + 1;
	struct tsh_err said;

	memcpy(ret, p, sizeof(*ret));
	memcpy(&said, p + sizeof(*ret), sizeof(said));
	p += sizeof(*ret) + sizeof(said);
	if (!ret->r)
		return 0;
	tsh_err_set(err, said.status, "%s", p);
	err->number = said.number;
	err->span = said.span;
	if (said.hint)
		tsh_err_hint(err, "%s", p + strlen(p) + 1);
	return -1;
}

static int find_apart(struct tsh_session *s, struct wanted *wanted, struct place *ret,
		      struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = -1;

	switch (tsh_apart_run(write_place, wanted, s->waiter, PATIENCE_S * 1000, ANSWER_MAX, &text)) {
	case TSH_APART_DONE:
		r = read_place(&text, ret, err);
		break;
	case TSH_APART_SIGNAL:
		tsh_err_set(err, TSH_FAILED, "stopped while '%s' was read", wanted->path);
		break;
	case TSH_APART_SILENT:
		tsh_err_set(err, TSH_FAILED, "the file system of '%s' does not answer: waited for it %d s",
			    wanted->path, PATIENCE_S);
		tsh_err_hint(err, "mount tells which it is; once its server answers, do this again");
		break;
	case TSH_APART_FAILED:
		tsh_err_set(err, TSH_ENVIRONMENT, "'%s' is not read: there is no process to do it",
			    wanted->path);
		tsh_err_hint(err, "ulimit -u and free tell how many there may be, and the memory");
		break;
	}
	if (r < 0)
		tsh_err_blame(err, tsh_word_span(&wanted->value->word, wanted->at,
						 wanted->at + strlen(wanted->path)));
	tsh_strbuf_release(&text);
	return r;
}

/* Refuses a program of a recording: its file on this machine may be a different one. */
static int refuse_elsewhere(const struct tsh_value *value, const char *path, size_t at,
			    struct tsh_err *err)
{
	char *line;

	tsh_err_at(err, tsh_word_span(&value->word, at, at + strlen(path)),
		   "'%s' is another machine's: where its functions are is not known here", path);
	err->status = TSH_FAILED;
	line = tsh_xasprintf("p:NAME %s:0xOFFSET", path);
	tsh_err_hint_word(err, "with its place in that file: append uprobe_events ", line, "");
	free(line);
	return -1;
}

/* Refuses a target without a function. Checks the program first, and reports what is wrong with
 * it. */
static int refuse_no_function(struct tsh_session *s, const struct tsh_value *value, const char *text, size_t at,
			      struct tsh_err *err)
{
	char *path = tsh_xstrndup(text, strcspn(text, ":"));
	struct place place = { 0 };

	if (tsh_tasks_are_of_other_machine(s) || !find_apart(s, &(struct wanted){ value, at, path, NULL }, &place,
							     err)) {
		tsh_err_at(err, tsh_word_span(&value->word, at, at + strlen(text)),
			   "missing the function of the program");
		tsh_err_hint_word(err, "", path, ":FUNCTION; TAB behind the colon lists them");
	}
	free(path);
	return -1;
}

int tsh_target_program(struct tsh_session *s, const struct tsh_value *value, const char *text, size_t at,
		       struct tsh_target *ret, struct tsh_err *err)
{
	const char *colon = strrchr(text, ':');
	struct place place = { 0 };
	char *path, *name;
	int r;

	ret->kind = TSH_TARGET_PROGRAM;
	if (!colon || !colon[1])
		return refuse_no_function(s, value, text, at, err);
	path = tsh_xstrndup(text, (size_t)(colon - text));
	name = tsh_xstrdup(colon + 1);
	ret->base = tsh_xstrdup(name);
	if (strpbrk(path, " \t\n"))
		r = tsh_err_at(err, tsh_word_span(&value->word, at, at + strlen(path)),
			       "the kernel takes no program with a blank in its path");
	else if (tsh_tasks_are_of_other_machine(s))
		r = refuse_elsewhere(value, path, at, err);
	else
		r = find_apart(s, &(struct wanted){ value, at, path, name }, &place, err);
	ret->machine = place.machine;
	ret->place = r ? NULL : tsh_xasprintf("%s:0x%llx", path, (unsigned long long)place.offset);
	free(path);
	free(name);
	return r;
}
