/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compile-internal.h"

/* Appends pieces to a program that is being compiled: ops, texts, the bytes that it reads. */

bool compile_fail(struct compiler *c, const char *fmt, ...)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	va_list ap;

	if (c->why)
		return false;
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	c->why = tsh_strbuf_detach(&text);
	return false;
}

struct text_ref compile_pool(struct compiler *c, const char *text, size_t len)
{
	struct text_ref ref = { (uint32_t)c->pool.len, (uint32_t)len };

	tsh_strbuf_add(&c->pool, text, len);
	return ref;
}

uint32_t compile_text(struct compiler *c, const char *text, size_t len)
{
	struct text_ref ref = compile_pool(c, text, len);

	*tsh_vec_push(&c->texts) = ref;
	return (uint32_t)c->texts.n - 1;
}

void compile_need(struct compiler *c, size_t end)
{
	if (end > c->need)
		c->need = (uint32_t)end;
}

/* Makes an op of a literal that is too long to stand before another op. */
static void flush_long_literal(struct compiler *c)
{
	struct op *op;

	if (c->literal.len <= LITERAL_MAX)
		return;
	op = tsh_vec_push(&c->ops);
	op->code = OP_TEXT;
	op->a = compile_text(c, c->literal.buf, c->literal.len);
	c->room += c->literal.len;
	tsh_strbuf_clear(&c->literal);
}

struct op *compile_op(struct compiler *c, enum op_code code, size_t room)
{
	struct op *op;

	flush_long_literal(c);
	op = tsh_vec_push(&c->ops);
	op->code = (uint8_t)code;
	op->literal_len = (uint8_t)c->literal.len;
	memcpy(op->literal, c->literal.buf, c->literal.len);
	c->room += room + c->literal.len;
	tsh_strbuf_clear(&c->literal);
	return op;
}

uint32_t compile_label(struct compiler *c)
{
	if (c->literal.len)
		compile_op(c, OP_LITERAL, 0);
	return (uint32_t)c->ops.n;
}

struct compiler_mark compile_mark(const struct compiler *c)
{
	return (struct compiler_mark){
		.ops = c->ops.n, .code = c->code.n, .sources = c->sources.n,
		.places = c->places.n, .conversions = c->conversions.n, .texts = c->texts.n,
		.tables = c->tables.n, .dumps = c->dumps.n, .pool = c->pool.len,
		.room = c->room,
	};
}

void compile_rollback(struct compiler *c, const struct compiler_mark *mark)
{
	while (c->tables.n > mark->tables)
		program_table_release(&c->tables.v[--c->tables.n]);
	c->ops.n = mark->ops;
	c->code.n = mark->code;
	c->sources.n = mark->sources;
	c->places.n = mark->places;
	c->conversions.n = mark->conversions;
	c->texts.n = mark->texts;
	c->dumps.n = mark->dumps;
	c->room = mark->room;
	tsh_strbuf_truncate(&c->pool, mark->pool);
}
