/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_SPECIALS_H
#define TESTS_UNIT_SPECIALS_H

#include "events/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Makes a kernel with events that are printed by code of their own. */

#define TEXT UINT64_C(0xffffffff81000000)

struct world {
	struct tsh_provider provider;
	struct tsh_decoder *d;
	uint64_t version;
	const char *options;		/* set options, "sym-addr " and so on */
	unsigned char data[512];
	struct tsh_strbuf out;
};

static inline char *no_text(void *ctx)
{
	(void)ctx;
	return NULL;
}

static inline bool no_comm(void *ctx, int pid, char comm[16])
{
	(void)ctx;
	(void)pid;
	(void)comm;
	return false;
}

static inline int no_tgid(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	return -1;
}

static inline int symbols_file(const char *text)
{
	ssize_t len = (ssize_t)strlen(text);
	int fd = memfd_create("kallsyms", 0);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, (size_t)len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline bool get_variable(void *ctx, const char *name, uint64_t *ret)
{
	const struct world *w = ctx;

	*ret = w->version;
	return !strcmp(name, "LINUX_VERSION_CODE");
}

/* Starts a decoder for a kernel of this version. own: functions of the test; at least format,
 * cmdlines and kallsyms. */
static inline void begin_version(struct world *w, const struct tsh_provider *own,
				 unsigned int major, unsigned int minor, const char *options)
{
	static const struct tsh_page_layout layout = { 8, 16, 4096, false };

	memset(w, 0, sizeof(*w));
	w->provider = *own;
	w->provider.comm = no_comm;
	w->provider.tgid = no_tgid;
	w->provider.printk_formats = no_text;
	w->provider.variable = get_variable;
	w->provider.ctx = w;
	w->options = options;
	w->version = major << 16 | minor << 8;
	w->d = tsh_decoder_new(&w->provider, &layout);
	tsh_strbuf_init(&w->out);
}

static inline void end(struct world *w)
{
	tsh_decoder_free(w->d);
	tsh_strbuf_release(&w->out);
}

#endif
