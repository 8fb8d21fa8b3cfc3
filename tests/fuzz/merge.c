/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of JSON that other machines have sent: the command merge reads them and prints them in
 * each format. What comes out is fit for a terminal, and as JSON it is JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json-read.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "call/resolve.h"
#include "cmd/table.h"
#include "session/cmd.h"
#include "session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ssize_t keep(void *ctx, const char *data, size_t len)
{
	tsh_strbuf_add(ctx, data, len);
	return (ssize_t)len;
}

static void check_json(const char *line, size_t len)
{
	struct tsh_json_reader rd;
	enum tsh_json_token token;

	tsh_json_read(&rd, line, len);
	do {
		token = tsh_json_next(&rd);
	} while (token != TSH_JSON_BAD && token != TSH_JSON_DONE);
	if (token == TSH_JSON_BAD)
		abort();
}

static void check_line(const char *line, size_t len, enum tsh_format format)
{
	size_t i = 0, n;
	uint32_t code;

	for (; i < len; i += n) {
		n = tsh_utf8_decode(line + i, len - i, &code);
		if (!n || tsh_utf8_is_hostile(code))
			abort();
	}
	if (format == TSH_FORMAT_JSON)
		check_json(line, len);
}

static void merge(int fd, enum tsh_format format, const char *options)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT, got = TSH_STRBUF_INIT;
	struct tsh_session s = { 0 };
	struct tsh_call call = { .cmd = tsh_cmd_find("merge") };
	struct tsh_err err = { 0 };
	const char *p, *end;
	struct tsh_word name;
	struct tsh_lexer lx;
	struct tsh_out out;

	tsh_out_init(&out, -1, format);
	out.write = keep;
	out.write_ctx = &got;
	s.out = &out;
	s.settings.format = format;
	tsh_strbuf_addf(&line, "merge %s /proc/self/fd/%d", options, fd);
	tsh_lexer_init(&lx, line.buf, line.len, NULL);
	(void)tsh_lexer_next_command(&lx);
	if (tsh_lexer_word(&lx, &name, &err) != TSH_TOKEN_WORD ||
	    tsh_grammar_parse(&lx, "merge", call.cmd->args, NULL, false, &call.args, &err) < 0)
		abort();
	tsh_word_release(&name);
	(void)call.cmd->run(&s, &call, &err);
	tsh_out_flush(&out);
	for (p = got.buf; (end = memchr(p, '\n', got.len - (size_t)(p - got.buf))); p = end + 1)
		check_line(p, (size_t)(end - p), format);
	tsh_err_release(&err);
	tsh_call_release(&call);
	tsh_out_release(&out);
	tsh_strbuf_release(&line);
	tsh_strbuf_release(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	if (fd < 0 || tsh_write_all(fd, (const char *)data, size) < 0)
		abort();
	merge(fd, TSH_FORMAT_TEXT, "");
	merge(fd, TSH_FORMAT_JSON, "--skew 1s --buffer 1K");
	merge(fd, TSH_FORMAT_CSV, "");
	close(fd);
	return 0;
}
