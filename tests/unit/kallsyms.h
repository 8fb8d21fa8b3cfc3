/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_KALLSYMS_H
#define TESTS_UNIT_KALLSYMS_H

#include "events/symbols/symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xmalloc.h"

/* ---- a provider whose kallsyms is a text of the test ---- */

struct source {
	const char *text;
	size_t len;
	unsigned int opened;
	int same_fd;			/* has the same read position; -1: none */
	uint64_t version;		/* LINUX_VERSION_CODE */
};

static inline bool give_version(void *ctx, const char *name, uint64_t *ret)
{
	const struct source *source = ctx;

	*ret = source->version;
	return !strcmp(name, "LINUX_VERSION_CODE");
}

static inline int give(void *ctx)
{
	struct source *source = ctx;
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	assert_true(fd >= 0);
	source->opened++;
	assert_int_equal(write(fd, source->text, source->len), source->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* Returns a file that behaves like /proc/kallsyms: without a size, and each read returns one piece,
 * here a line. */
static inline int give_lines(void *ctx)
{
	struct source *source = ctx;
	const char *p = source->text, *end = p + source->len;
	size_t len;
	int fds[2];

	assert_int_equal(pipe2(fds, O_DIRECT | O_CLOEXEC), 0);
	source->opened++;
	for (; p < end; p += len) {
		len = strcspn(p, "\n") + 1;
		assert_int_equal(write(fds[1], p, len), len);
	}
	close(fds[1]);
	if (source->same_fd >= 0)
		close(source->same_fd);
	source->same_fd = dup(fds[0]);
	return fds[0];
}

static inline int give_none(void *ctx)
{
	(void)ctx;
	return -1;
}

struct asked {
	struct source source;
	struct tsh_provider provider;
	struct tsh_symbols *symbols;
};

static inline void ask(struct asked *a, const char *text)
{
	a->source = (struct source){ .text = text, .len = strlen(text), .same_fd = -1 };
	a->provider = (struct tsh_provider){ .kallsyms = give, .ctx = &a->source };
	a->symbols = tsh_symbols_new(&a->provider);
}

static inline void finish(struct asked *a)
{
	tsh_symbols_free(a->symbols);
}

static inline void expect(struct asked *a, enum tsh_symbol_style style, uint64_t address, const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	const char *ready;
	size_t len;

	tsh_symbols_print(a->symbols, style, address, &out);
	assert_string_equal(out.buf, text);
	/* comes from the cache this time */
	ready = tsh_symbols_text(a->symbols, style, address, &len);
	assert_string_equal(ready, text);
	assert_int_equal(len, strlen(text));
	tsh_strbuf_release(&out);
}

static inline void expect_none(struct asked *a, uint64_t address)
{
	struct tsh_symbol symbol;

	assert_false(tsh_symbols_find(a->symbols, address, &symbol));
}

/* Has the symbols at the ends of the kernel's sections, and data. */
static const char kernel[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000001000 A cpu_debug_store\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000040 t __pfx_first\n"
	"ffffffff81000050 T first\n"
	"ffffffff81000050 T first_alias\n"
	"ffffffff81000100 T second\n"
	"ffffffff81001000 T _etext\n"
	"ffffffff82000000 D some_data\n"
	"ffffffff82000010 D jiffies\n"
	"ffffffff82000010 D jiffies_64\n"
	"ffffffff83000000 T _sinittext\n"
	"ffffffff83001000 T _einittext\n"
	"ffffffff84000000 B _end\n";

/* Has symbols of modules, in the order of their symbol tables. */
static const char modules[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T core\n"
	"ffffffff84000000 B _end\n"
	"ffffffffc0001100 t late\t[one]\n"
	"ffffffffc0001010 t $x\t[one]\n"
	"ffffffffc0001010 t .L7\t[one]\n"
	"ffffffffc0001010 t early\t[one]\n"
	"ffffffffc0001010 t early_alias\t[one]\n"
	"ffffffffc0003000 d data\t[one]\n"
	"ffffffffc0003010 d more_data\t[one]\n"
	"0000000000005000 a in_percpu\t[one]\n"
	"ffffffffc0101000 t other\t[two]\n"
	"ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0301000 t bpf_prog_6deef7357e7b4530_probe\t[bpf]\n"
	"ffffffffc0301200 t bpf_prog_other\t[bpf]\n";

#endif
